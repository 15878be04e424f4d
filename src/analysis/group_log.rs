//! Partitions of `__consumer_offsets`, read to the groups that they tell of.
//!
//! A broker that becomes coordinator passes over types that it does not know and stops at what it
//! cannot read; this reader tells each fault and reads on.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::groups::{Committed, Groups};
use super::partition_wholeness::{Missing, by_names, reached};
use crate::format::batch::{Header, MAGIC};
use crate::format::coordinator_record::{CoordinatorFault, CoordinatorTopic};
use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp};
use crate::format::uuid::Uuid;
use crate::state::batch::{Control, control};
use crate::state::read::segments;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::{Operand, PartitionDirectory};
use crate::storage::segment::contents::{
    BatchReader, DEFAULT_MAX_RECORD_BYTES, Entry, LoadedBatch,
};
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, ReadError, Source};
use crate::storage::topic_id::topic_id;

/// Of a log without a batch that has one.
const NO_EPOCH: LeaderEpoch = LeaderEpoch(-1);

/// The topic's name.
pub const CONSUMER_OFFSETS_TOPIC: &str = "__consumer_offsets";

/// Up to where records count.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsOf {
    /// Those that were appended at this time or before.
    pub time: Option<Timestamp>,
    /// Those below this offset.
    pub offset: Option<Offset>,
}

/// Something that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GroupFault {
    /// A file, or the rest of it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A place in a file, and what is wrong there.
    #[error("{}: position {position}: {message}", path.display())]
    Place {
        /// The file.
        path: PathBuf,
        /// The byte that the batch or the damage begins at.
        position: u64,
        /// What is wrong.
        message: String,
    },
    /// Something of the partition that should be there and is not.
    #[error("{}: commits may be missing, for it is not whole: {missing}", path.display())]
    Missing {
        /// The partition's directory.
        path: PathBuf,
        /// What is missing.
        missing: Missing,
    },
    /// Records that a later version of Kafka has written; a coordinator passes over them, too.
    #[error("{}: offset {offset}: {fault}; {count} such passed over", path.display())]
    Unknown {
        /// The partition's directory.
        path: PathBuf,
        /// The first of them.
        offset: Offset,
        /// Its type.
        fault: CoordinatorFault,
        /// How many there are.
        count: u64,
    },
}

/// What a partition's log tells.
#[derive(Debug)]
pub struct GroupLog {
    /// The groups in it.
    pub groups: Groups,
    /// The offset behind its last batch.
    pub end_offset: Offset,
}

/// The partitions of `__consumer_offsets` behind a path; directories on their way out are left
/// out.
pub fn offsets_partitions(operand: &Operand) -> impl Iterator<Item = &PartitionDirectory> {
    let partitions = operand.partitions().iter();
    partitions.filter(|directory| {
        let name = directory.name.as_ref();
        name.is_some_and(|name| name.state.is_none() && name.topic == CONSUMER_OFFSETS_TOPIC)
    })
}

/// Where the log of a topic's partition ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd {
    /// The offset behind its last batch.
    pub offset: Offset,
    /// The topic's id, where its directory says it.
    pub topic_id: Option<Uuid>,
    /// What makes its end doubtful.
    pub doubt: Option<EndDoubt>,
}

/// Why a log may have ended elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("position {position}: {message}")]
pub struct EndDoubt {
    /// The segment.
    pub path: PathBuf,
    /// Where in it.
    pub position: u64,
    /// What is wrong there.
    pub message: String,
}

impl LogEnd {
    /// Whether a commit may be of this log: it is not where each is of a topic of another id.
    #[must_use]
    pub fn is_of(&self, committed: &Committed) -> bool {
        let ids = self.topic_id.zip(committed.topic_id);
        ids.is_none_or(|(ours, theirs)| ours == theirs)
    }
}

/// Where a partition's log ends; `None` where no segment is.
///
/// # Errors
/// A read that failed.
pub fn log_end(
    directory: &PartitionDirectory,
    access: Access,
) -> Result<Option<LogEnd>, ReadError> {
    let Some(end) = end_of(directory, access)? else {
        return Ok(None);
    };
    Ok(Some(LogEnd {
        offset: end.offset,
        topic_id: topic_id(directory, access)?,
        doubt: end.doubt,
    }))
}

/// The leader epoch of the last batch of a partition's log, -1 without one, and the offset behind
/// it; `None` where no segment is. Of two copies that of the later leader counts: what a former
/// leader had beyond it the cluster has cut away.
///
/// # Errors
/// A read that failed.
pub fn last_batch(
    directory: &PartitionDirectory,
    access: Access,
) -> Result<Option<(LeaderEpoch, Offset)>, ReadError> {
    Ok(end_of(directory, access)?.map(|end| (end.epoch, end.offset)))
}

/// How a log ends.
struct End {
    epoch: LeaderEpoch,
    offset: Offset,
    doubt: Option<EndDoubt>,
}

/// Looks at the last segment that has a batch, and at those behind it.
fn end_of(directory: &PartitionDirectory, access: Access) -> Result<Option<End>, ReadError> {
    let segments = segments(directory);
    let mut doubt = None;
    let mut end = segments.first().map(|segment| segment.base_offset);
    for segment in segments.iter().rev() {
        let source = Source::open(&segment.path, access)?;
        let (last, fault) = last_in(&source)?;
        let fault = fault.map(|(position, message)| EndDoubt {
            path: segment.path.clone(),
            position,
            message,
        });
        doubt = fault.or(doubt);
        if let Some((epoch, last)) = last {
            let offset = last.plus(1).max(segment.base_offset);
            return Ok(Some(End {
                epoch,
                offset,
                doubt,
            }));
        }
        end = end.max(Some(segment.base_offset));
    }
    Ok(end.map(|offset| End {
        epoch: NO_EPOCH,
        offset,
        doubt,
    }))
}

/// The leader epoch and the offset of a last record.
type Last = (LeaderEpoch, Offset);

/// A place in a file, and what is wrong there.
type Fault = (u64, String);

/// What the header of the last batch says, and the first damage behind it or in it. Zeros behind it
/// are what a broker that preallocates leaves.
fn last_in(source: &Source) -> Result<(Option<Last>, Option<Fault>), ReadError> {
    let mut walk = Walk::new(source);
    let (mut last, mut fault) = (None, None);
    while let Some(piece) = walk.next_piece()? {
        match piece {
            Piece::Batch(span) => (last, fault) = (Some(span), None),
            Piece::Damage(damage) if damage.code == Code::ZeroTail => {}
            Piece::Damage(damage) => {
                fault.get_or_insert((damage.position, damage.message));
            }
        }
    }
    let Some(span) = last else {
        source.check()?;
        return Ok((None, fault));
    };
    let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
    let batch = reader.load(span)?;
    let found = last_of(&batch.header(), span.magic);
    if !batch.checksum()?.is_valid() {
        let message = "the checksum of the last batch does not match".to_owned();
        fault = Some((span.position, message));
    }
    source.check()?;
    Ok((Some(found), fault))
}

/// The leader epoch and the last offset of a batch; messages of old formats have one offset and no
/// epoch.
fn last_of(header: &Header<'_>, magic: u8) -> (LeaderEpoch, Offset) {
    match magic < MAGIC {
        true => (NO_EPOCH, header.base_offset()),
        false => (header.partition_leader_epoch(), header.last_offset()),
    }
}

/// Reads a partition's directory. What could not be read, or is not there by what lies beside it,
/// `tell` hears of.
pub fn read(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    as_of: AsOf,
    access: Access,
    tell: &mut dyn FnMut(GroupFault),
) -> GroupLog {
    let mut reader = Reader {
        directory: &directory.path,
        log: GroupLog {
            groups: Groups::default(),
            end_offset: Offset(0),
        },
        as_of,
        tail: None,
        unknown: None,
        tell,
    };
    for missing in by_names(directory) {
        // What could not be looked at is for whoever has the listing to tell.
        if missing != Missing::Listing {
            reader.miss(missing);
        }
    }
    let mut last: Option<PathBuf> = None;
    for segment in segments(directory) {
        // Only behind the log's last batch may there be bytes that nobody has acknowledged.
        reader.end_segment(last.replace(segment.path.clone()));
        reader.log.end_offset = reader.log.end_offset.max(segment.base_offset);
        if let Err(error) = reader.segment(&segment.path, access) {
            (reader.tell)(error.into());
        }
    }
    let end = reader.log.end_offset;
    match reached(directory, checkpoints) {
        Some((known, by)) if known > end => reader.miss(Missing::End { end, known, by }),
        _ => {}
    }
    if let Some((offset, fault, count)) = reader.unknown.take() {
        let path = directory.path.clone();
        (reader.tell)(GroupFault::Unknown {
            path,
            offset,
            fault,
            count,
        });
    }
    reader.log
}

struct Reader<'t> {
    directory: &'t Path,
    log: GroupLog,
    as_of: AsOf,
    /// How the segment ended that was read last, where not with a batch.
    tail: Option<Code>,
    /// The first record of a type that is not known, and how many there are.
    unknown: Option<(Offset, CoordinatorFault, u64)>,
    tell: &'t mut dyn FnMut(GroupFault),
}

impl Reader<'_> {
    fn miss(&mut self, missing: Missing) {
        let path = self.directory.to_owned();
        (self.tell)(GroupFault::Missing { path, missing });
    }

    fn end_segment(&mut self, path: Option<PathBuf>) {
        if let Some((_, path)) = self.tail.take().zip(path) {
            self.miss(Missing::Batch(path));
        }
    }

    fn segment(&mut self, path: &Path, access: Access) -> Result<(), ReadError> {
        let source = Source::open(path, access)?;
        let mut walk = Walk::new(&source);
        let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
        while let Some(piece) = walk.next_piece()? {
            match piece {
                Piece::Batch(span) => self.batch(&mut reader.load(span)?, path)?,
                Piece::Damage(damage)
                    if matches!(damage.code, Code::ZeroTail | Code::TruncatedTail) =>
                {
                    self.tail = Some(damage.code);
                }
                Piece::Damage(damage) => self.damage(path, damage),
            }
        }
        source.check()
    }

    fn batch(&mut self, batch: &mut LoadedBatch<'_>, path: &Path) -> Result<(), ReadError> {
        let position = batch.span.position;
        let header = batch.header();
        let (_, last) = last_of(&header, batch.span.magic);
        self.log.end_offset = self.log.end_offset.max(last.plus(1));
        let attributes = header.attributes();
        if !batch.checksum()?.is_valid() {
            let message = "the batch's checksum does not match; its records are left out";
            self.place(path, position, message.to_owned());
            return Ok(());
        }
        // Messages of old formats have neither producers nor control records.
        let is_old = batch.span.magic < MAGIC;
        let producer = Some(header.producer_id()).filter(|id| !is_old && *id != ProducerId::NONE);
        if attributes.is_control() && !is_old {
            let counts = self.counts(header.base_offset(), header.max_timestamp());
            if let Some(producer) = producer.filter(|_| counts) {
                self.end(batch, producer)?;
            }
            return Ok(());
        }
        let mut faults = Vec::new();
        let damage = batch.entries(&mut |entry| {
            if self.counts(entry.offset, entry.timestamp) {
                let offset = entry.offset;
                match self.record(entry, producer) {
                    Ok(()) => {}
                    Err(fault @ CoordinatorFault::UnknownType(_)) => self.pass_over(offset, fault),
                    Err(fault) => faults.push(format!("offset {offset}: {fault}")),
                }
            }
            ControlFlow::Continue(())
        })?;
        for message in faults {
            self.place(path, position, message);
        }
        if let Some(damage) = damage {
            self.damage(path, damage);
        }
        Ok(())
    }

    fn pass_over(&mut self, offset: Offset, fault: CoordinatorFault) {
        let (_, _, count) = self.unknown.get_or_insert((offset, fault, 0));
        *count = count.saturating_add(1);
    }

    fn counts(&self, offset: Offset, time: Timestamp) -> bool {
        let is_early = self.as_of.time.is_none_or(|last| time <= last);
        is_early && self.as_of.offset.is_none_or(|end| offset < end)
    }

    fn end(&mut self, batch: &mut LoadedBatch<'_>, producer: ProducerId) -> Result<(), ReadError> {
        if let Control::Marker(marker) = control(batch)? {
            self.log.groups.end_transaction(producer, !marker.is_abort);
        }
        Ok(())
    }

    fn record(
        &mut self,
        entry: &Entry<'_>,
        producer: Option<ProducerId>,
    ) -> Result<(), CoordinatorFault> {
        let record = CoordinatorTopic::Offsets.decode(entry.key, entry.value)?;
        self.log.groups.apply(&record, entry.offset, producer);
        Ok(())
    }

    fn damage(&mut self, path: &Path, damage: Damage) {
        self.place(path, damage.position, damage.message);
    }

    fn place(&mut self, path: &Path, position: u64, message: String) {
        (self.tell)(GroupFault::Place {
            path: path.to_owned(),
            position,
            message,
        });
    }
}
