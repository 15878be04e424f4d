//! A partition written from batches that other logs hold, byte by byte as they lie there.
//!
//! Beside [`super::replayed`], which appends as a leader does: here messages of magic 0 and 1 and
//! batches without a leader epoch pass, segments begin where their owner says, and what snapshots
//! and transaction indexes hold follows from the batches.

use super::appended::copied;
use super::error::WriteError;
use super::partition::{PartitionOptions, PartitionWriter, Written};
use super::replayed::Noting;
use crate::format::number::Offset;
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::batch::{Batch, Control};
use crate::state::epochs::LeaderEpochs;
use crate::state::replay::Replay;
use crate::state::rules::RuleSet;

/// A partition that is being copied, and what a broker under some rules believes of it.
#[derive(Debug)]
pub struct CopiedPartition {
    writer: PartitionWriter,
    replay: Replay<1>,
}

impl CopiedPartition {
    /// Makes the directory; of what lay below the base offset `known` producers are left, where a
    /// snapshot says so.
    ///
    /// # Errors
    /// Those of [`PartitionWriter::create`].
    pub fn create(
        options: &PartitionOptions,
        rules: &'static dyn RuleSet,
        known: Option<&[ProducerEntry]>,
    ) -> Result<Self, WriteError> {
        let base_offset = options.base_offset;
        let mut replay = Replay::new(options.partition.to_string(), rules, base_offset);
        let mut writer = PartitionWriter::create(options)?;
        if let Some(known) = known {
            replay.start_from_snapshot(known, base_offset);
            writer.first_snapshot(known)?;
        }
        replay.begin_segment(base_offset);
        Ok(Self { writer, replay })
    }

    /// Begins a segment at an offset that is not below the log's end; one that begins there
    /// already stays.
    ///
    /// # Errors
    /// [`WriteError::Order`] below the log's end; what the system says.
    pub fn begin_segment(&mut self, base_offset: Offset) -> Result<(), WriteError> {
        let (expected, found) = (self.writer.log_end_offset(), base_offset);
        if found < expected {
            return Err(WriteError::Order { expected, found });
        }
        if found == self.writer.active_segment() {
            return Ok(());
        }
        self.end_segment()?;
        let entries = self.entries();
        self.writer.roll_at(base_offset, || entries)?;
        self.replay.begin_segment(base_offset);
        Ok(())
    }

    /// Copies a record set. Its facts and what its record says are those that reading it gave.
    ///
    /// # Errors
    /// Bytes that are not one whole record set, offsets below the log's end, and what the system
    /// says.
    pub fn append(
        &mut self,
        bytes: &[u8],
        batch: &Batch,
        control: Option<&Control>,
    ) -> Result<(), WriteError> {
        let facts = copied(bytes, self.writer.log_end_offset())?;
        if self.writer.is_full_for(&facts) {
            self.begin_segment(facts.base_offset)?;
        }
        self.writer.copy(bytes, facts)?;
        let visitor = &mut ();
        let mut noting = Noting::new(visitor);
        let _flow = self.replay.batch(batch, control, &mut noting);
        self.replay.settle(&mut noting);
        noting.write(&mut self.writer)
    }

    fn end_segment(&mut self) -> Result<(), WriteError> {
        let visitor = &mut ();
        let mut noting = Noting::new(visitor);
        self.replay.end_segment(&mut noting);
        noting.write(&mut self.writer)
    }

    fn entries(&self) -> Vec<ProducerEntry> {
        self.replay.manager().snapshot_entries().collect()
    }

    /// The offset behind the last batch.
    #[must_use]
    pub const fn log_end_offset(&self) -> Offset {
        self.writer.log_end_offset()
    }

    /// Ends all files as a broker that stops cleanly, with these leader epochs.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(mut self, epochs: LeaderEpochs) -> Result<Written, WriteError> {
        self.end_segment()?;
        let entries = self.entries();
        self.writer.set_epochs(epochs);
        self.writer.close(&entries)
    }
}
