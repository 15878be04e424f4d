//! What transaction coordinators remember: partitions of `__transaction_state`, read to the state
//! of each transactional id.
//!
//! As a broker that becomes coordinator does (`TransactionStateManager.loadTransactionMetadata` of
//! Kafka 4.4.0): of each id the last record counts, and one without a value forgets the id. Where
//! that broker stops at the first record that it cannot read, this reader tells the fault and reads
//! on; whoever concludes something from the absence of an id asks [`StatePartition::is_complete`].

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::partition_wholeness::{Missing, by_names, reached};
use super::state_partition_count::PartitionCount;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp, to_usize};
use crate::format::transaction_log::{TransactionLogKey, TransactionLogValue, TransactionStatus};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::{KafkaFile, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::segment::contents::{
    BatchReader, Checksum, DEFAULT_MAX_RECORD_BYTES, Entry, LoadedBatch,
};
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, ReadError, Source};

/// The topic's name.
pub const TRANSACTION_STATE_TOPIC: &str = "__transaction_state";

/// The last record of a transactional id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionState {
    /// What it says.
    pub value: TransactionLogValue,
    /// Its offset.
    pub offset: Offset,
    /// When it was appended.
    pub timestamp: Timestamp,
    /// The leader epoch of its batch: the epoch of the coordinator that wrote it, which end
    /// markers carry as their coordinator epoch.
    pub leader_epoch: LeaderEpoch,
}

/// Something that could not be read.
#[derive(Debug)]
pub enum Fault {
    /// A file, or the rest of it.
    Read(ReadError),
    /// Bytes that are no batch, or a batch whose records could not be read to the end.
    Damage {
        /// The segment.
        path: PathBuf,
        /// Where, and what.
        damage: Damage,
    },
    /// A batch whose checksum does not match; its records were left out.
    Checksum {
        /// The segment.
        path: PathBuf,
        /// The byte that the batch begins at.
        position: u64,
        /// The checksum, stored and computed.
        checksum: Checksum,
    },
    /// A record that was left out.
    Record {
        /// Its offset.
        offset: Offset,
        /// What is wrong with its key or value.
        fault: Malformed,
        /// Whether a 4.4.0 broker stops loading the partition here; it passes over a type or
        /// version that it does not know.
        stops_broker: bool,
    },
    /// Something that should be there and is not.
    Missing(Missing),
}

/// One partition of `__transaction_state`.
#[derive(Debug, Default)]
pub struct StatePartition {
    states: BTreeMap<TransactionLogKey, TransactionState>,
    faults: Vec<Fault>,
    end_offset: Option<Offset>,
    /// The leader epoch of the last batch, and the latest time of one.
    last_epoch: Option<LeaderEpoch>,
    last_timestamp: Option<Timestamp>,
    /// How the segment ended that was read last, where not with a batch.
    tail: Option<Code>,
    /// The files of its segments, by base offset.
    segments: BTreeMap<Offset, PathBuf>,
    /// Records that were appended later do not count.
    until: Option<Timestamp>,
    has_later: bool,
    /// How far its log went, as what lies beside it tells.
    reached: Option<Offset>,
}

impl StatePartition {
    /// Reads the segments of a partition's directory, those with a second suffix left out. What
    /// cannot be read or is not there, also by the checkpoints of its log directory, is in
    /// [`faults`](Self::faults).
    #[must_use]
    pub fn read(directory: &PartitionDirectory, checkpoints: &Checkpoints, access: Access) -> Self {
        Self::read_as_of(directory, checkpoints, None, access)
    }

    /// As [`read`](Self::read), of records that were appended at a time or before, where one is
    /// given. What was known then may have been cleaned away since: a partition with later records
    /// is not complete.
    #[must_use]
    pub fn read_as_of(
        directory: &PartitionDirectory,
        checkpoints: &Checkpoints,
        time: Option<Timestamp>,
        access: Access,
    ) -> Self {
        let mut partition = Self {
            until: time,
            ..Self::default()
        };
        let missing = by_names(directory).into_iter();
        partition.faults.extend(missing.map(Fault::Missing));
        let segments = directory.files_of(FileKind::Log);
        let segments = segments.filter(|file| file.name.suffix.is_none());
        let mut last = None;
        for KafkaFile { path, name } in segments {
            // Only behind the log's last batch may there be bytes that nobody has acknowledged.
            partition.end_segment(last.replace(path));
            partition.end_offset = partition.end_offset.max(name.base_offset);
            let base = name.base_offset.unwrap_or(Offset(0));
            partition.segments.insert(base, path.clone());
            let read =
                Source::open(path, access).and_then(|source| partition.read_segment(&source));
            if let Err(error) = read {
                partition.faults.push(Fault::Read(error));
            }
        }
        if partition.has_later {
            partition.miss(Missing::Earlier);
        }
        let reached = reached(directory, checkpoints);
        partition.reached = reached.as_ref().map(|(offset, _)| *offset);
        let end = partition.end_offset();
        match reached {
            Some((known, by)) if known > end => {
                partition.miss(Missing::End { end, known, by });
            }
            // Zero bytes are set aside for what comes; a part of a batch was acknowledged by
            // nobody if the log goes as far as others have it, and nothing tells that here.
            None if partition.tail == Some(Code::TruncatedTail) => partition.end_segment(last),
            _ => {}
        }
        partition
    }

    /// A partition of which nothing can be read.
    #[must_use]
    pub fn unread(missing: Missing) -> Self {
        let mut partition = Self::default();
        partition.miss(missing);
        partition
    }

    fn end_segment(&mut self, path: Option<&PathBuf>) {
        if let (Some(_), Some(path)) = (self.tail.take(), path) {
            self.miss(Missing::Batch(path.clone()));
        }
    }

    fn miss(&mut self, missing: Missing) {
        self.faults.push(Fault::Missing(missing));
    }

    /// Whether this copy of a partition may know what another, which ends at an offset, does not.
    fn may_pass(&self, end: Offset) -> bool {
        let has_no_end = self.faults.iter().any(|fault| match fault {
            Fault::Read(_) => true,
            Fault::Missing(missing) => !matches!(missing, Missing::Beginning(_) | Missing::Earlier),
            Fault::Damage { .. } | Fault::Checksum { .. } | Fault::Record { .. } => false,
        });
        match self.reached {
            Some(reached) => reached > end,
            None => has_no_end,
        }
    }

    /// Takes note that another copy is left out. Where that may know more, this one is not
    /// complete.
    pub fn leave_out(&mut self, other: &Self) {
        if other.may_pass(self.end_offset()) {
            self.miss(Missing::Copy);
        }
    }

    /// Reads one segment on top of those before it.
    ///
    /// # Errors
    /// A read that failed; what was read before it counts.
    pub fn read_segment(&mut self, source: &Source) -> Result<(), ReadError> {
        self.tail = None;
        let mut walk = Walk::new(source);
        let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
        while let Some(piece) = walk.next_piece()? {
            match piece {
                Piece::Batch(span) => self.read_batch(&mut reader.load(span)?, source.path())?,
                // At the log's end nothing that was ever acknowledged lies there.
                Piece::Damage(damage)
                    if matches!(damage.code, Code::ZeroTail | Code::TruncatedTail) =>
                {
                    self.tail = Some(damage.code);
                }
                Piece::Damage(damage) => self.add_damage(source.path(), damage),
            }
        }
        source.check()
    }

    fn read_batch(&mut self, batch: &mut LoadedBatch<'_>, path: &Path) -> Result<(), ReadError> {
        let end_offset = Offset(batch.header().last_offset().0.saturating_add(1));
        self.end_offset = self.end_offset.max(Some(end_offset));
        let checksum = batch.checksum()?;
        if !checksum.is_valid() {
            self.faults.push(Fault::Checksum {
                path: path.to_owned(),
                position: batch.span.position,
                checksum,
            });
            return Ok(());
        }
        let leader_epoch = batch.header().partition_leader_epoch();
        self.last_epoch = Some(leader_epoch);
        let time = Some(batch.header().max_timestamp());
        self.last_timestamp = self.last_timestamp.max(time);
        let damage = batch.entries(&mut |entry| {
            self.read_record(entry, leader_epoch);
            ControlFlow::Continue(())
        })?;
        if let Some(damage) = damage {
            self.add_damage(path, damage);
        }
        Ok(())
    }

    fn add_damage(&mut self, path: &Path, damage: Damage) {
        let path = path.to_owned();
        self.faults.push(Fault::Damage { path, damage });
    }

    fn read_record(&mut self, entry: &Entry<'_>, leader_epoch: LeaderEpoch) {
        if self.until.is_some_and(|time| entry.timestamp > time) {
            self.has_later = true;
            return;
        }
        match decode(entry) {
            Ok((key, Some(value))) => {
                let state = TransactionState {
                    value,
                    offset: entry.offset,
                    timestamp: entry.timestamp,
                    leader_epoch,
                };
                self.states.insert(key, state);
            }
            Ok((key, None)) => {
                self.states.remove(&key);
            }
            Err(fault) => self.faults.push(Fault::Record {
                offset: entry.offset,
                stops_broker: !is_passed_over(&fault),
                fault,
            }),
        }
    }

    /// The transactional ids, in the order of their bytes, with their states.
    pub fn states(&self) -> impl Iterator<Item = (&TransactionLogKey, &TransactionState)> {
        self.states.iter()
    }

    /// The state of an id.
    #[must_use]
    pub fn state(&self, key: &TransactionLogKey) -> Option<&TransactionState> {
        self.states.get(key)
    }

    /// The segment that holds an offset, of those that were read from a directory.
    #[must_use]
    pub fn segment_of(&self, offset: Offset) -> Option<&Path> {
        let (_, path) = self.segments.range(..=offset).next_back()?;
        Some(path)
    }

    /// What could not be read, in the order of the log.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How much a copy is to be believed beside another of the same partition. That of the later
    /// leader counts, for what a former leader had beyond it the cluster has cut away; of one
    /// leader's the one that goes further.
    #[must_use]
    pub fn rank(&self) -> (Option<LeaderEpoch>, Offset, bool) {
        (self.last_epoch, self.end_offset(), self.is_complete())
    }

    /// The latest time of a batch; `None` without any.
    #[must_use]
    pub const fn last_timestamp(&self) -> Option<Timestamp> {
        self.last_timestamp
    }

    /// The offset behind the last batch.
    #[must_use]
    pub fn end_offset(&self) -> Offset {
        self.end_offset.unwrap_or(Offset(0))
    }

    /// Whether everything was read, so that an id that is not here is unknown to the coordinator.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The byte of a value that holds its status, in every version; the partitions lie behind it.
const STATUS_AT: usize = 16;

/// Key and value of a record, as far as a broker would take them.
pub(super) fn decode(
    entry: &Entry<'_>,
) -> Result<(TransactionLogKey, Option<TransactionLogValue>), Malformed> {
    let refused = |field, at, problem| Malformed { field, at, problem };
    let key = entry.key.ok_or_else(|| refused("key", 0, Problem::Null))?;
    let key = TransactionLogKey::decode(key)?;
    let Some(value) = entry.value.map(TransactionLogValue::decode).transpose()? else {
        return Ok((key, None));
    };
    match value.transaction_status {
        TransactionStatus::Unknown(id) => {
            let stored = i64::from(id);
            let expected = "0 to 7";
            let problem = Problem::OutOfRange { stored, expected };
            Err(refused("transactionStatus", STATUS_AT, problem))
        }
        TransactionStatus::Empty => Ok((key, Some(value))),
        _ if value.transaction_partitions.is_none() => Err(refused(
            "transactionPartitions",
            STATUS_AT + 1,
            Problem::Null,
        )),
        _ => Ok((key, Some(value))),
    }
}

/// Whether it is a type or version that the broker does not know.
pub(super) fn is_passed_over(fault: &Malformed) -> bool {
    matches!(fault.field, "type" | "version") && matches!(fault.problem, Problem::OutOfRange { .. })
}

/// The coordinators of a cluster, as far as their partitions are at hand.
#[derive(Debug)]
pub struct TransactionCoordinator {
    partitions: BTreeMap<u32, StatePartition>,
    partition_count: PartitionCount,
    by_producer_id: BTreeMap<ProducerId, Vec<(u32, TransactionLogKey)>>,
}

impl TransactionCoordinator {
    /// Takes the partitions that are at hand, by number, and how many the topic has. Where that is
    /// not known, it is found out if it can be.
    #[must_use]
    pub fn new(
        partitions: BTreeMap<u32, StatePartition>,
        partition_count: Option<NonZeroU32>,
    ) -> Self {
        let partition_count = match partition_count {
            Some(given) => PartitionCount::Known(given),
            None => PartitionCount::found_out(&partitions),
        };
        let mut by_producer_id: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (number, partition) in &partitions {
            for (key, state) in partition.states() {
                // A dead id is not listed.
                if state.value.transaction_status != TransactionStatus::Dead {
                    let held = by_producer_id.entry(state.value.producer_id).or_default();
                    held.push((*number, key.clone()));
                }
            }
        }
        Self {
            partitions,
            partition_count,
            by_producer_id,
        }
    }

    /// How many partitions the topic has, given or found out.
    #[must_use]
    pub const fn partition_count(&self) -> PartitionCount {
        self.partition_count
    }

    /// The partitions at hand.
    #[must_use]
    pub const fn partitions(&self) -> &BTreeMap<u32, StatePartition> {
        &self.partitions
    }

    /// The transactional ids that use a producer id now, each with the partition where it was
    /// found. A working cluster has one at most.
    #[must_use]
    pub fn transactional_ids(&self, id: ProducerId) -> &[(u32, TransactionLogKey)] {
        self.by_producer_id.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The producer ids that a transactional id uses now, by the partitions at hand; more than one
    /// only where partitions contradict each other.
    pub fn producer_ids(&self, transactional_id: &[u8]) -> impl Iterator<Item = ProducerId> {
        self.by_producer_id
            .iter()
            .filter(move |(_, ids)| {
                let mut ids = ids.iter();
                ids.any(|(_, key)| key.transactional_id == transactional_id)
            })
            .map(|(producer_id, _)| *producer_id)
    }

    /// Of `count` partitions those that are not at hand, or not whole: the lowest numbers, at most
    /// `listed` of them, and how many there are.
    #[must_use]
    pub fn unread_partitions(&self, count: NonZeroU32, listed: usize) -> (Vec<u32>, usize) {
        let count = count.get();
        let whole = self.partitions.range(..count);
        let whole = whole.filter(|(_, partition)| partition.is_complete());
        let unread = to_usize(count).saturating_sub(whole.count());
        let is_whole = |number: &u32| {
            let partition = self.partitions.get(number);
            partition.is_some_and(StatePartition::is_complete)
        };
        let lowest = (0..count).filter(|number| !is_whole(number));
        (lowest.take(listed.min(unread)).collect(), unread)
    }
}
