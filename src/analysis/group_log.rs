//! Partitions of `__consumer_offsets`, read to the groups that they tell of.
//!
//! A broker that becomes coordinator passes over types that it does not know and stops at what it
//! cannot read; this reader tells each fault and reads on.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::groups::Groups;
use crate::format::batch::{Header, MAGIC};
use crate::format::coordinator_record::{CoordinatorFault, CoordinatorTopic};
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::state::batch::{Control, control};
use crate::state::read::segments;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::{Operand, PartitionDirectory};
use crate::storage::segment::contents::{
    BatchReader, DEFAULT_MAX_RECORD_BYTES, Entry, LoadedBatch,
};
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, ReadError, Source};

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

/// The offset behind the last batch of a partition's log.
///
/// # Errors
/// A read that failed.
pub fn log_end(directory: &PartitionDirectory, access: Access) -> Result<Offset, ReadError> {
    let segments = segments(directory);
    let mut end = segments
        .first()
        .map_or(Offset(0), |segment| segment.base_offset);
    for segment in segments.iter().rev() {
        let source = Source::open(&segment.path, access)?;
        let mut walk = Walk::new(&source);
        let mut last = None;
        while let Some(piece) = walk.next_piece()? {
            if let Piece::Batch(span) = piece {
                let head = walk.head(span)?;
                let header = Header::new(&head);
                last = Some(match span.magic < MAGIC {
                    true => header.base_offset(),
                    false => header.last_offset(),
                });
            }
        }
        source.check()?;
        match last {
            Some(last) => return Ok(last.plus(1).max(segment.base_offset)),
            None => end = end.max(segment.base_offset),
        }
    }
    Ok(end)
}

/// Reads a partition's directory; `tell` hears of what could not be read.
pub fn read(
    directory: &PartitionDirectory,
    as_of: AsOf,
    access: Access,
    tell: &mut dyn FnMut(GroupFault),
) -> Groups {
    let mut reader = Reader {
        groups: Groups::default(),
        as_of,
        tell,
    };
    for segment in segments(directory) {
        if let Err(error) = reader.segment(&segment.path, access) {
            (reader.tell)(error.into());
        }
    }
    reader.groups
}

struct Reader<'t> {
    groups: Groups,
    as_of: AsOf,
    tell: &'t mut dyn FnMut(GroupFault),
}

impl Reader<'_> {
    fn segment(&mut self, path: &Path, access: Access) -> Result<(), ReadError> {
        let source = Source::open(path, access)?;
        let mut walk = Walk::new(&source);
        let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
        while let Some(piece) = walk.next_piece()? {
            match piece {
                Piece::Batch(span) => self.batch(&mut reader.load(span)?, path)?,
                // Nothing that was ever acknowledged lies there.
                Piece::Damage(damage)
                    if matches!(damage.code, Code::ZeroTail | Code::TruncatedTail) => {}
                Piece::Damage(damage) => self.damage(path, damage),
            }
        }
        source.check()
    }

    fn batch(&mut self, batch: &mut LoadedBatch<'_>, path: &Path) -> Result<(), ReadError> {
        let position = batch.span.position;
        let header = batch.header();
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
                    Ok(()) | Err(CoordinatorFault::UnknownType(_)) => {}
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

    fn counts(&self, offset: Offset, time: Timestamp) -> bool {
        let is_early = self.as_of.time.is_none_or(|last| time <= last);
        is_early && self.as_of.offset.is_none_or(|end| offset < end)
    }

    fn end(&mut self, batch: &mut LoadedBatch<'_>, producer: ProducerId) -> Result<(), ReadError> {
        if let Control::Marker(marker) = control(batch)? {
            self.groups.end_transaction(producer, !marker.is_abort);
        }
        Ok(())
    }

    fn record(
        &mut self,
        entry: &Entry<'_>,
        producer: Option<ProducerId>,
    ) -> Result<(), CoordinatorFault> {
        let record = CoordinatorTopic::Offsets.decode(entry.key, entry.value)?;
        self.groups.apply(&record, entry.offset, producer);
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
