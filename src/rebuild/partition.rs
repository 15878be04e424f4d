//! The directory of one partition, written append by append.
//!
//! The twin of the writing half of `UnifiedLog`, `LocalLog` and `LeaderEpochFileCache` 4.4.0: when
//! a segment rolls, which entries indexes get, when a snapshot is taken and what the leader epochs
//! are. It has no opinion on producers: its owner says what a snapshot holds and which transactions
//! were aborted. `segment.ms` is not known here: an owner that wants it calls
//! [`PartitionWriter::roll`].
//!
//! What a broker does and this does not: it takes no batch of magic 0 and 1, which no leader of 4.x
//! appends, and it does not look at checksums.

use super::appended::{self, Facts};
use super::error::WriteError;
use super::new_file::{self, create_directory};
use super::segment::{Bounds, Segment, can_name, path_of};
use crate::format::leader_epoch_checkpoint;
use crate::format::number::{LeaderEpoch, Offset};
use crate::format::partition_metadata::{self, PartitionMetadata};
use crate::format::producer_snapshot::{self, ProducerEntry, Version};
use crate::format::time_index;
use crate::format::txn_index::AbortedTxn;
use crate::format::uuid::Uuid;
use crate::state::epochs::LeaderEpochs;
use crate::storage::partition_name::PartitionName;
use crate::storage::unfinished::unfinished_name;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Which partition is written, where, and with which settings of its topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionOptions {
    /// The log directory: `topic-N` is made in it.
    pub log_directory: PathBuf,
    /// The partition.
    pub partition: PartitionName,
    /// Its directory is named as one that is not all written yet; see
    /// [`unfinished`](super::unfinished).
    pub is_unfinished: bool,
    /// The topic's id, for `partition.metadata`; without one there is no such file.
    pub topic_id: Option<Uuid>,
    /// Where the first segment begins. Above 0 it is the log of a replica that began there
    /// (`truncateFullyAndStartAt`).
    pub base_offset: Offset,
    /// `segment.bytes`: a segment grows no larger, in bytes; 1 to 2147483647.
    pub segment_bytes: u32,
    /// `index.interval.bytes`: the least distance between the batches of two index entries, in
    /// bytes.
    pub index_interval_bytes: u32,
    /// `segment.index.bytes`: no index grows larger, in bytes; 12 to 2147483647.
    pub segment_index_bytes: u32,
}

impl PartitionOptions {
    /// A partition that begins at offset 0, with the settings that Kafka comes with.
    #[must_use]
    pub fn new(log_directory: impl Into<PathBuf>, partition: PartitionName) -> Self {
        Self {
            log_directory: log_directory.into(),
            partition,
            is_unfinished: false,
            topic_id: None,
            base_offset: Offset(0),
            segment_bytes: 1 << 30,
            index_interval_bytes: 4096,
            segment_index_bytes: 10 << 20,
        }
    }

    /// The partition's own directory.
    ///
    /// # Errors
    /// [`WriteError::Name`].
    fn directory(&self) -> Result<PathBuf, WriteError> {
        let name = self.partition.to_string();
        let mut parts = Path::new(&name).components();
        let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None)
            if part == name.as_str());
        match is_one && !self.partition.topic.is_empty() && self.partition.partition >= 0 {
            true if self.is_unfinished => Ok(self.log_directory.join(unfinished_name(&name))),
            true => Ok(self.log_directory.join(name)),
            false => Err(WriteError::Name { name }),
        }
    }

    fn bounds(&self) -> Result<Bounds, WriteError> {
        let least_index = u32::try_from(time_index::ENTRY_SIZE).unwrap_or(u32::MAX);
        for (setting, found, least, expected) in [
            ("segment.bytes", self.segment_bytes, 1, "1 to 2147483647"),
            (
                "segment.index.bytes",
                self.segment_index_bytes,
                least_index,
                "12 to 2147483647",
            ),
        ] {
            if found < least || found > i32::MAX.unsigned_abs() {
                return Err(WriteError::Setting {
                    setting,
                    expected,
                    found,
                });
            }
        }
        Ok(Bounds {
            segment_bytes: self.segment_bytes,
            index_interval_bytes: self.index_interval_bytes,
            segment_index_bytes: self.segment_index_bytes,
        })
    }
}

/// Where an append went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The base offset of its segment.
    pub segment: Offset,
    /// Its first byte in the segment.
    pub position: u64,
    /// The segment is a new one.
    pub rolled: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The partition's directory.
    pub directory: PathBuf,
    /// Where the log begins.
    pub base_offset: Offset,
    /// Where it ends.
    pub log_end_offset: Offset,
    /// The base offsets of the segments, rising.
    pub segments: Vec<Offset>,
    /// The offsets of the snapshots, rising.
    pub snapshots: Vec<Offset>,
}

/// A partition that is being written. It must be ended with [`PartitionWriter::close`] or
/// [`PartitionWriter::kill`]: otherwise the files lack their ends.
///
/// ```
/// use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
/// use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
/// use kfsck::rebuild::partition::{PartitionOptions, PartitionWriter};
/// use kfsck::storage::partition_name::PartitionName;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let place = tempfile::tempdir()?;
/// let partition = PartitionName { topic: "orders".into(), partition: 0, state: None };
/// let options = PartitionOptions {
///     segment_bytes: 150,
///     ..PartitionOptions::new(place.path(), partition)
/// };
/// let mut writer = PartitionWriter::create(&options)?;
/// for offset in 0..3 {
///     let timestamp = Timestamp(1_700_000_000_000 + offset);
///     let draft = BatchDraft::plain(Offset(offset), LeaderEpoch(0), timestamp);
///     let value = Some(&b"v"[..]);
///     let record = RecordDraft { timestamp, offset_delta: 0, key: None, value, headers: &[] };
///     let mut batch = Vec::new();
///     encode(&draft, [record], &mut batch)?;
///     // No batch has a producer here, so a snapshot holds nobody.
///     writer.append(&batch, Vec::new)?;
/// }
/// let written = writer.close(&[])?;
/// assert_eq!(written.segments, [Offset(0), Offset(2)]);
/// assert_eq!(written.snapshots, [Offset(2), Offset(3)]);
/// assert!(written.directory.join("00000000000000000002.log").exists());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PartitionWriter {
    directory: PathBuf,
    base_offset: Offset,
    bounds: Bounds,
    segment: Segment,
    segments: Vec<Offset>,
    snapshots: Vec<Offset>,
    /// The last snapshot's offset as the broker's memory has it: the beginning of the log before
    /// the first.
    last_snapshot: Offset,
    epochs: LeaderEpochs,
    log_end: Offset,
}

impl PartitionWriter {
    /// Makes the directory with an empty segment in it.
    ///
    /// # Errors
    /// [`WriteError::Occupied`] where something lies there; settings and names that cannot be;
    /// what the system says.
    pub fn create(options: &PartitionOptions) -> Result<Self, WriteError> {
        let (directory, bounds) = (options.directory()?, options.bounds()?);
        create_directory(&directory)?;
        if let Some(topic_id) = options.topic_id {
            let metadata = PartitionMetadata {
                version: 0,
                topic_id,
            };
            let bytes = partition_metadata::encode(&metadata);
            new_file::write(directory.join("partition.metadata"), &bytes)?;
        }
        let base_offset = options.base_offset;
        Ok(Self {
            segment: Segment::create(&directory, base_offset, bounds)?,
            directory,
            base_offset,
            bounds,
            segments: vec![base_offset],
            snapshots: Vec::new(),
            last_snapshot: base_offset,
            epochs: LeaderEpochs::new(),
            log_end: base_offset,
        })
    }

    /// The offset behind the last batch.
    #[must_use]
    pub const fn log_end_offset(&self) -> Offset {
        self.log_end
    }

    /// The base offset of the segment that is written to.
    #[must_use]
    pub const fn active_segment(&self) -> Offset {
        self.segment.base_offset()
    }

    /// The leader epochs so far.
    #[must_use]
    pub const fn epochs(&self) -> &LeaderEpochs {
        &self.epochs
    }

    /// Whether [`PartitionWriter::append`] would put these batches into a new segment.
    ///
    /// # Errors
    /// Those of the append, as far as it checks before it writes.
    pub fn rolls_before(&self, batches: &[u8]) -> Result<bool, WriteError> {
        let facts = self.checked(batches)?;
        Ok(self.rolls_before_these(batches, &facts))
    }

    /// Appends batches at once, as one request or one fetch brings them: they come into one
    /// segment, a new one if the old has no room for all of them. `producers` is asked for a
    /// snapshot then: what is known of producers *before* these batches. No bytes are no append.
    ///
    /// # Errors
    /// What a broker refuses, before anything is written, and [`WriteError::IndexFull`]; what the
    /// system says.
    pub fn append(
        &mut self,
        batches: &[u8],
        producers: impl FnOnce() -> Vec<ProducerEntry>,
    ) -> Result<Appended, WriteError> {
        let facts = self.checked(batches)?;
        for batch in &facts {
            self.epochs
                .assign(batch.partition_leader_epoch, batch.base_offset);
        }
        let rolled = self.rolls_before_these(batches, &facts);
        if rolled && let Some(first) = facts.first() {
            self.roll_at(first.base_offset, producers)?;
        }
        let position = self.segment.size();
        let segment = self.segment.base_offset();
        if let Some(last) = facts.last() {
            self.segment.append(batches, &facts)?;
            self.log_end = last.last_offset.plus(1);
        }
        Ok(Appended {
            segment,
            position,
            rolled,
        })
    }

    fn checked(&self, batches: &[u8]) -> Result<Vec<Facts>, WriteError> {
        let facts = appended::facts(batches, self.log_end)?;
        if let (Some(first), Some(last)) = (facts.first(), facts.last()) {
            // Even a new segment would begin with the first of them.
            let (segment, offset) = (first.base_offset, last.last_offset);
            if !can_name(segment, offset) {
                return Err(WriteError::Overflow { segment, offset });
            }
        }
        let (size, limit) = (batches.len(), self.bounds.segment_bytes);
        match u32::try_from(size) {
            Ok(fits) if fits <= limit => Ok(facts),
            _ => Err(WriteError::TooLarge { size, limit }),
        }
    }

    fn rolls_before_these(&self, batches: &[u8], facts: &[Facts]) -> bool {
        let size = u64::try_from(batches.len()).unwrap_or(u64::MAX);
        facts
            .last()
            .is_some_and(|last| self.segment.is_full_for(size, last.last_offset))
    }

    /// Begins a new segment at the log's end, as `segment.ms` has it. An empty segment stays.
    ///
    /// # Errors
    /// What the system says.
    pub fn roll(
        &mut self,
        producers: impl FnOnce() -> Vec<ProducerEntry>,
    ) -> Result<(), WriteError> {
        self.roll_at(self.log_end, producers)
    }

    /// Whether a record set has no room in the active segment.
    pub(super) fn is_full_for(&self, facts: &Facts) -> bool {
        let is_empty = self.segment.size() == 0;
        let is_full = self.segment.is_full_for(facts.size, facts.last_offset);
        // A new segment that begins where an empty one does is the same again.
        is_full && !(is_empty && facts.base_offset == self.segment.base_offset())
    }

    /// Appends one record set as it is to the active segment, whatever its magic and leader epoch.
    pub(super) fn copy(&mut self, bytes: &[u8], facts: Facts) -> Result<(), WriteError> {
        self.segment.append(bytes, &[facts])?;
        self.log_end = facts.last_offset.plus(1);
        Ok(())
    }

    /// Writes a snapshot at the base offset: what is known of producers from below it.
    pub(super) fn first_snapshot(&mut self, known: &[ProducerEntry]) -> Result<(), WriteError> {
        self.write_snapshot(self.base_offset, known)
    }

    /// The leader epochs are these.
    pub(super) fn set_epochs(&mut self, epochs: LeaderEpochs) {
        self.epochs = epochs;
    }

    pub(super) fn roll_at(
        &mut self,
        offset: Offset,
        producers: impl FnOnce() -> Vec<ProducerEntry>,
    ) -> Result<(), WriteError> {
        // Where the active segment begins at this offset it is empty: a broker makes it anew.
        if offset != self.segment.base_offset() {
            let next = Segment::create(&self.directory, offset, self.bounds)?;
            std::mem::replace(&mut self.segment, next).close()?;
            self.segments.push(offset);
        }
        self.snapshot_at(offset, producers)
    }

    /// Writes a snapshot, unless it could say no more than the last one.
    fn snapshot_at(
        &mut self,
        offset: Offset,
        producers: impl FnOnce() -> Vec<ProducerEntry>,
    ) -> Result<(), WriteError> {
        if offset <= self.last_snapshot {
            return Ok(());
        }
        self.write_snapshot(offset, &producers())
    }

    fn write_snapshot(
        &mut self,
        offset: Offset,
        producers: &[ProducerEntry],
    ) -> Result<(), WriteError> {
        // Only a mirror leader of the bit-field design tags its producers (KIP-1279).
        let version = match producers.iter().any(|one| one.source_cluster_id.is_some()) {
            true => Version::V2,
            false => Version::V1,
        };
        let bytes = producer_snapshot::encode(version, producers)?;
        new_file::write(path_of(&self.directory, offset, "snapshot"), &bytes)?;
        self.snapshots.push(offset);
        self.last_snapshot = offset;
        Ok(())
    }

    /// Adds an aborted transaction to the transaction index of the active segment: to be called
    /// behind the append that held its marker. Its last stable offset is the owner's affair.
    ///
    /// # Errors
    /// [`WriteError::TransactionOrder`]; what the system says.
    pub fn add_aborted(&mut self, txn: &AbortedTxn) -> Result<(), WriteError> {
        self.segment.add_aborted(txn)
    }

    /// A leader begins its reign at the log's end, whether or not it ever appends: a broker that
    /// becomes leader notes it (`Partition.makeLeader`).
    ///
    /// # Errors
    /// [`WriteError::LeaderEpoch`] for an epoch below 0.
    pub fn begin_leader_epoch(&mut self, epoch: LeaderEpoch) -> Result<(), WriteError> {
        let offset = self.log_end;
        if epoch.0 < 0 {
            return Err(WriteError::LeaderEpoch { offset, epoch });
        }
        self.epochs.assign(epoch, offset);
        Ok(())
    }

    /// The broker stops cleanly and starts again. That leaves traces: a snapshot at the log's end,
    /// an entry at the end of the time index, and the next index entries elsewhere. Of the
    /// snapshots at no segment's beginning the start keeps one
    /// (`ProducerStateManager.removeStraySnapshots`).
    ///
    /// # Errors
    /// What the system says.
    pub fn restart(&mut self, producers: &[ProducerEntry]) -> Result<(), WriteError> {
        self.segment.restart()?;
        self.snapshot_at(self.log_end, || producers.to_vec())?;
        if self.snapshots.is_empty() {
            // The start of a log that has none takes an empty one (`rebuildProducerState`).
            self.last_snapshot = Offset(0);
            self.snapshot_at(self.log_end, Vec::new)?;
        }
        let segments = &self.segments;
        let is_stray = |offset: &Offset| segments.binary_search(offset).is_err();
        let last = self.snapshots.iter().copied().rfind(is_stray);
        let active = self.segment.base_offset();
        let kept = last.filter(|last| *last >= active);
        let (strays, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut self.snapshots)
            .into_iter()
            .partition(|offset| is_stray(offset) && Some(*offset) != kept);
        self.snapshots = stay;
        for offset in strays {
            let path = path_of(&self.directory, offset, "snapshot");
            fs::remove_file(&path).map_err(|reason| WriteError::System { path, reason })?;
        }
        Ok(())
    }

    /// The broker stops cleanly: ends all files, with a snapshot at the log's end.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(mut self, producers: &[ProducerEntry]) -> Result<Written, WriteError> {
        self.snapshot_at(self.log_end, || producers.to_vec())?;
        self.end(Segment::close)
    }

    /// The broker is killed: the active segment's indexes are preallocated still, their last
    /// entries and the snapshot are missing. What was appended is all there.
    ///
    /// # Errors
    /// What the system says.
    pub fn kill(self) -> Result<Written, WriteError> {
        self.end(Segment::kill)
    }

    fn end(
        self,
        segment: impl FnOnce(Segment) -> Result<(), WriteError>,
    ) -> Result<Written, WriteError> {
        segment(self.segment)?;
        let entries: Vec<_> = self.epochs.entries().collect();
        // A broker makes the file with the log, and writes it with the first epoch or when a log
        // begins elsewhere.
        let bytes = match entries.is_empty() && self.base_offset == Offset(0) {
            true => Vec::new(),
            false => leader_epoch_checkpoint::encode(&entries),
        };
        new_file::write(self.directory.join("leader-epoch-checkpoint"), &bytes)?;
        Ok(Written {
            directory: self.directory,
            base_offset: self.base_offset,
            log_end_offset: self.log_end,
            segments: self.segments,
            snapshots: self.snapshots,
        })
    }
}
