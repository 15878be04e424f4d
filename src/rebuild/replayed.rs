//! A partition written from its batches alone: a rule set says what snapshots and transaction
//! indexes hold.

use super::error::WriteError;
use super::partition::{Appended, PartitionOptions, PartitionWriter, Written};
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{LeaderEpoch, Offset};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::txn_index::AbortedTxn;
use crate::state::event::Event;
use crate::state::read::{Item, read_source};
use crate::state::replay::{Replay, Visitor};
use crate::state::rules::RuleSet;
use crate::state::transactions::Transaction;
use crate::storage::damage::Damage;
use crate::storage::source::Source;
use std::ops::ControlFlow;

/// A partition that is being written, and what a broker under some rules believes of it: batch by
/// batch, as a recovery does, so that the last stable offsets in transaction indexes are those of a
/// log whose batches came one by one. Of the batches kept of each producer `N` is the number.
///
/// ```
/// use kfsck::format::control::{ControlType, EndTxnMarker};
/// use kfsck::format::control_batch::{Place, put_end_txn_marker};
/// use kfsck::format::number::{
///     CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp,
/// };
/// use kfsck::rebuild::partition::PartitionOptions;
/// use kfsck::rebuild::replayed::ReplayedPartition;
/// use kfsck::state::entry::BATCHES_OF_A_BROKER;
/// use kfsck::state::rules::Stock;
/// use kfsck::storage::partition_name::PartitionName;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let place = tempfile::tempdir()?;
/// let partition = PartitionName { topic: "orders".into(), partition: 0, state: None };
/// let options = PartitionOptions::new(place.path(), partition);
/// let mut writer = ReplayedPartition::<BATCHES_OF_A_BROKER>::create(&options, &Stock)?;
/// let marker = Place {
///     offset: Offset(0),
///     partition_leader_epoch: LeaderEpoch(0),
///     timestamp: Timestamp(1_700_000_000_000),
/// };
/// let mut batch = Vec::new();
/// let producer = (ProducerId(7), ProducerEpoch(0));
/// let value = EndTxnMarker::new(CoordinatorEpoch(3));
/// put_end_txn_marker(marker, producer, ControlType::Commit, value, &mut batch)?;
/// writer.append(&batch, &mut ())?;
///
/// let (written, replay) = writer.close(&mut ())?;
/// assert_eq!(written.snapshots, [Offset(1)]);
/// assert!(replay.manager().producers().get(ProducerId(7)).is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ReplayedPartition<const N: usize> {
    writer: PartitionWriter,
    replay: Replay<N>,
}

impl<const N: usize> ReplayedPartition<N> {
    /// Makes the directory; nobody is known at its base offset.
    ///
    /// # Errors
    /// Those of [`PartitionWriter::create`].
    pub fn create(
        options: &PartitionOptions,
        rules: &'static dyn RuleSet,
    ) -> Result<Self, WriteError> {
        let base_offset = options.base_offset;
        let mut replay = Replay::new(options.partition.to_string(), rules, base_offset);
        replay.begin_segment(base_offset);
        let writer = PartitionWriter::create(options)?;
        Ok(Self { writer, replay })
    }

    /// Appends batches at once. The visitor comes to know of what they show, if not of all at
    /// once: rules that group batches wait for the end of the segment.
    ///
    /// # Errors
    /// Those of [`PartitionWriter::append`]; bytes that hold more than frames of batches.
    pub fn append(
        &mut self,
        batches: &[u8],
        visitor: &mut dyn Visitor,
    ) -> Result<Appended, WriteError> {
        if self.writer.rolls_before(batches)? {
            self.end_segment(visitor)?;
        }
        let replay = &self.replay;
        let producers = || replay.manager().snapshot_entries().collect();
        let appended = self.writer.append(batches, producers)?;
        if appended.rolled {
            self.replay.begin_segment(appended.segment);
        }
        let mut noting = Noting::new(visitor);
        let source = Source::from_bytes("append", batches.to_vec());
        let mut damage = None;
        read_source(
            &source,
            appended.segment,
            false,
            &mut |_| true,
            &mut |item| match item {
                Item::Batch(batch, control) => self.replay.batch(batch, control, &mut noting),
                Item::Damage(found) => {
                    damage.get_or_insert_with(|| found.clone());
                    ControlFlow::Break(())
                }
            },
        )?;
        self.replay.settle(&mut noting);
        noting.write(&mut self.writer)?;
        match damage {
            None => Ok(appended),
            Some(damage) => Err(no_batch(&damage).into()),
        }
    }

    fn end_segment(&mut self, visitor: &mut dyn Visitor) -> Result<(), WriteError> {
        let mut noting = Noting::new(visitor);
        self.replay.end_segment(&mut noting);
        noting.write(&mut self.writer)
    }

    /// A leader begins its reign at the log's end.
    ///
    /// # Errors
    /// Those of [`PartitionWriter::begin_leader_epoch`].
    pub fn begin_leader_epoch(&mut self, epoch: LeaderEpoch) -> Result<(), WriteError> {
        self.writer.begin_leader_epoch(epoch)
    }

    /// The broker stops cleanly and starts again; see [`PartitionWriter::restart`].
    ///
    /// # Errors
    /// What the system says.
    pub fn restart(&mut self, visitor: &mut dyn Visitor) -> Result<(), WriteError> {
        self.end_segment(visitor)?;
        self.replay.begin_segment(self.writer.active_segment());
        let entries = self.entries();
        self.writer.restart(&entries)
    }

    fn entries(&self) -> Vec<ProducerEntry> {
        self.replay.manager().snapshot_entries().collect()
    }

    /// What is believed of the batches so far.
    #[must_use]
    pub const fn replay(&self) -> &Replay<N> {
        &self.replay
    }

    /// The broker stops cleanly.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(mut self, visitor: &mut dyn Visitor) -> Result<(Written, Replay<N>), WriteError> {
        self.end_segment(visitor)?;
        let entries = self.entries();
        Ok((self.writer.close(&entries)?, self.replay))
    }
}

fn no_batch(damage: &Damage) -> Malformed {
    Malformed {
        field: "batch",
        at: usize::try_from(damage.position).unwrap_or(usize::MAX),
        problem: Problem::text(damage.message.as_bytes(), "a batch"),
    }
}

/// Passes everything on, and keeps what transaction indexes are to get.
pub(super) struct Noting<'a> {
    visitor: &'a mut dyn Visitor,
    aborted: Vec<AbortedTxn>,
}

impl<'a> Noting<'a> {
    pub(super) const fn new(visitor: &'a mut dyn Visitor) -> Self {
        let aborted = Vec::new();
        Self { visitor, aborted }
    }

    pub(super) fn write(self, writer: &mut PartitionWriter) -> Result<(), WriteError> {
        let mut aborted = self.aborted.iter();
        aborted.try_for_each(|txn| writer.add_aborted(txn))
    }
}

impl Visitor for Noting<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.visitor.event(event);
    }

    fn transaction(&mut self, transaction: &Transaction) {
        self.visitor.transaction(transaction);
    }

    fn aborted(&mut self, segment: Offset, txn: &AbortedTxn) {
        self.visitor.aborted(segment, txn);
        self.aborted.push(*txn);
    }

    fn damage(&mut self, segment: Offset, damage: &Damage) {
        self.visitor.damage(segment, damage);
    }
}
