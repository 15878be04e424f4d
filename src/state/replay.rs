//! What a log says by itself: every batch from a start up to an offset, whatever a broker's
//! snapshots, indexes and checkpoints say.
//!
//! Goes on where a broker would end: the event says so.

mod following;

use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::txn_index::AbortedTxn;
use crate::state::append::Append;
use crate::state::batch::{Batch, Control, Marker};
use crate::state::chunk::Chunk;
use crate::state::epochs::LeaderEpochs;
use crate::state::error::{Reason, StateError};
use crate::state::event::{Event, Kind, Previous};
use crate::state::manager::{Applied, Finished, Manager};
use crate::state::read::{Item, ReadOptions, SegmentFile, read_source};
use crate::state::rules::{Path, Reset, RuleSet};
use crate::state::table::Slot;
use crate::state::transactions::{Transaction, Transactions};
use crate::storage::damage::Damage;
use crate::storage::source::{ReadError, Source};
use std::ops::ControlFlow;

/// Takes what a replay comes by. Every method may be left as it is.
pub trait Visitor {
    /// Something that the log shows.
    fn event(&mut self, _: &Event<'_>) {}

    /// A barrier that the rules obey. What is open at it is told as an event before.
    fn barrier(&mut self, _: &Batch) {}

    /// A transaction ended.
    fn transaction(&mut self, _: &Transaction) {}

    /// A transaction was aborted: its entry for the transaction index of the segment that begins
    /// at `segment`. The last stable offset is that of a log whose batches came one by one, or,
    /// where the rules group them, segment by segment.
    fn aborted(&mut self, _segment: Offset, _: &AbortedTxn) {}

    /// A stretch of a segment that holds no batch.
    fn damage(&mut self, _segment: Offset, _: &Damage) {}

    /// The segment that begins at `segment` is read up to this byte; told from time to time.
    fn reached(&mut self, _segment: Offset, _position: u64) {}
}

/// Passes over all.
impl Visitor for () {}

/// The state of a log that is being read.
#[derive(Debug)]
pub struct Replay<const N: usize> {
    manager: Manager<N>,
    transactions: Transactions,
    epochs: LeaderEpochs,
    /// The group that is open, where the rules group batches.
    chunk: Option<Chunk<N>>,
    segment: Offset,
    log_start: Offset,
    /// The base offset of the batch that holds the log's start, or of the first behind it.
    start_batch: Option<Offset>,
    from: Offset,
    upto: Option<Offset>,
    next_offset: Offset,
    batches: u64,
    /// The byte behind the last batch, in its segment.
    position: u64,
    /// Batches that wait to be taken in; see [`Replay::drain`].
    waiting: Vec<Waiting>,
}

/// A batch that waits: data, or a marker.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    batch: Batch,
    marker: Option<Marker>,
}

/// How many batches wait at most.
const WAITING: usize = 32;

/// How many batches lie between two words about how far the reading is.
const PACE: u64 = 256;

/// Where a producer and its open transaction were a moment ago.
#[derive(Debug, Clone, Copy, Default)]
struct Hint {
    slot: Option<Slot>,
    transaction: Option<u32>,
}

impl<const N: usize> Replay<N> {
    /// Begins with nothing known at `from`, the log's start: earlier batches are passed over, but
    /// not the one that holds this offset.
    #[must_use]
    pub fn new(partition: impl Into<String>, rules: &'static dyn RuleSet, from: Offset) -> Self {
        let mut manager = Manager::new(partition, rules);
        manager.set_map_end_offset(from);
        manager.count_all_as_replicated();
        Self {
            manager,
            transactions: Transactions::new(),
            epochs: LeaderEpochs::new(),
            chunk: None,
            segment: from,
            log_start: from,
            start_batch: None,
            from,
            upto: None,
            next_offset: from,
            batches: 0,
            position: 0,
            waiting: Vec::with_capacity(WAITING),
        }
    }

    /// The log starts at `offset`, which is not below the replay's first batch: its checkpoint says
    /// so. What lies below is read nevertheless.
    #[must_use]
    pub const fn log_start(mut self, offset: Offset) -> Self {
        self.log_start = offset;
        self
    }

    /// Takes only batches that end below `offset`: the state as it was then.
    #[must_use]
    pub const fn upto(mut self, offset: Offset) -> Self {
        self.upto = Some(offset);
        self
    }

    /// Begins with what a snapshot says at its offset instead, all of it: nothing expires. The
    /// log's start stays where it is.
    pub fn start_from_snapshot(&mut self, entries: &[ProducerEntry], offset: Offset) {
        let never = i64::MAX;
        self.manager
            .load_snapshot(entries, offset, Timestamp(0), never);
        for entry in entries {
            if let Some(first_offset) = entry.open_txn() {
                let (id, epoch) = (entry.producer_id, entry.producer_epoch);
                self.transactions.known_open(id, epoch, first_offset);
            }
        }
        self.from = offset;
        self.next_offset = offset;
    }

    /// Reads a segment.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn segment(
        &mut self,
        segment: &SegmentFile,
        options: ReadOptions,
        visitor: &mut dyn Visitor,
    ) -> Result<(), ReadError> {
        let source = Source::open(&segment.path, options.access)?;
        self.source(&source, segment.base_offset, options.check_crc, visitor)
    }

    /// The same of a segment that is open.
    ///
    /// # Errors
    /// A read that failed.
    pub fn source(
        &mut self,
        source: &Source,
        base_offset: Offset,
        check_crc: bool,
        visitor: &mut dyn Visitor,
    ) -> Result<(), ReadError> {
        self.begin_segment(base_offset);
        let (manager_rules, how) = (self.manager.rules(), Append::LOAD);
        let obeys = manager_rules.reset(how.path) != Reset::Ignored;
        read_source(
            source,
            base_offset,
            check_crc,
            &mut |batch| obeys || manager_rules.keeps_state_of(batch.producer_id),
            &mut |item| match item {
                Item::Batch(batch, control) => self.batch(batch, control, visitor),
                Item::Damage(damage) => {
                    visitor.damage(base_offset, damage);
                    ControlFlow::Continue(())
                }
            },
        )?;
        source.check()?;
        self.end_segment(visitor);
        Ok(())
    }

    /// The batches that follow lie in the segment that begins at `base_offset`.
    pub fn begin_segment(&mut self, base_offset: Offset) {
        self.segment = base_offset;
        self.position = 0;
        if self.manager.rules().reset(Path::Load) == Reset::MapOfManager {
            // These rules differ by what was read together, and a load reads a segment at once.
            self.chunk = Some(Chunk::new(Append::LOAD));
        }
    }

    /// The segment is at its end. Only now the state is that of all batches given.
    pub fn end_segment(&mut self, visitor: &mut dyn Visitor) {
        self.drain(visitor);
        visitor.reached(self.segment, self.position);
        if let Some(chunk) = self.chunk.take()
            && let Ok(finished) = chunk.commit(&mut self.manager)
        {
            for finished in finished {
                self.tell_aborted(&finished, visitor);
            }
        }
    }

    fn tell_aborted(&self, finished: &Finished, visitor: &mut dyn Visitor) {
        if let Some(entry) = finished.index_entry() {
            visitor.aborted(self.segment, &entry);
        }
    }

    /// Takes a batch in, at the latest with [`Replay::end_segment`]; breaks off behind the last
    /// that is wanted.
    #[inline]
    pub fn batch(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        visitor: &mut dyn Visitor,
    ) -> ControlFlow<()> {
        if self.start_batch.is_none() && batch.last_offset >= self.log_start {
            self.start_batch = Some(batch.base_offset);
        }
        if batch.last_offset < self.from {
            return ControlFlow::Continue(());
        }
        if self.upto.is_some_and(|upto| batch.last_offset >= upto) {
            return ControlFlow::Break(());
        }
        self.batches = self.batches.saturating_add(1);
        self.position = batch.place.end();
        if self.batches.is_multiple_of(PACE) {
            visitor.reached(self.segment, self.position);
        }
        self.next_offset = batch.next_offset();
        self.manager.set_map_end_offset(self.next_offset);
        if batch.partition_leader_epoch > LeaderEpoch(-1) {
            self.epochs
                .read_back(batch.partition_leader_epoch, batch.base_offset);
        }
        let is_of_nobody = batch.producer_id == ProducerId::NONE && !batch.is_control;
        if is_of_nobody && self.chunk.is_none() {
            // No rules keep anything of it.
            return ControlFlow::Continue(());
        }
        let marker = match control {
            None => None,
            Some(Control::Marker(marker)) => Some(*marker),
            Some(_) => return self.take_alone(batch, control, visitor),
        };
        if self.chunk.is_some() {
            return self.take_alone(batch, control, visitor);
        }
        let batch = *batch;
        self.waiting.push(Waiting { batch, marker });
        if self.waiting.len() == WAITING {
            self.drain(visitor);
        }
        ControlFlow::Continue(())
    }

    fn take_alone(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        visitor: &mut dyn Visitor,
    ) -> ControlFlow<()> {
        self.drain(visitor);
        self.take_or_tell(batch, control, Hint::default(), visitor);
        ControlFlow::Continue(())
    }

    /// Has the state of all batches so far; without it a few of the last may be missing until
    /// [`Replay::end_segment`].
    pub fn settle(&mut self, visitor: &mut dyn Visitor) {
        self.drain(visitor);
    }

    /// Takes in what waits. First all producers are looked up and touched, and only then the first
    /// is changed: look-ups do not depend on each other, so the processor waits for memory once for
    /// many of them.
    fn drain(&mut self, visitor: &mut dyn Visitor) {
        let mut hints = [Hint::default(); WAITING];
        let (producers, mut touched) = (self.manager.producers(), 0);
        for (hint, Waiting { batch, marker }) in hints.iter_mut().zip(&self.waiting) {
            hint.slot = producers.likely(batch.producer_id);
            if batch.is_transactional && marker.is_none() {
                hint.transaction = self.transactions.find(batch.producer_id);
            }
        }
        for slot in hints.iter().filter_map(|hint| hint.slot) {
            touched ^= producers.touch(slot);
        }
        std::hint::black_box(touched);
        let mut waiting = std::mem::take(&mut self.waiting);
        for (hint, Waiting { batch, marker }) in hints.iter().zip(&waiting) {
            let control = marker.map(Control::Marker);
            self.take_or_tell(batch, control.as_ref(), *hint, visitor);
        }
        waiting.clear();
        self.waiting = waiting;
    }

    #[inline]
    fn take_or_tell(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        hint: Hint,
        visitor: &mut dyn Visitor,
    ) {
        if let Err(error) = self.take(batch, control, hint, visitor) {
            self.refused(batch, error, visitor);
        }
    }

    #[inline]
    fn take(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        hint: Hint,
        visitor: &mut dyn Visitor,
    ) -> Result<(), StateError> {
        let (id, how) = (batch.producer_id, Append::LOAD);
        let keeps_state = self.manager.rules().keeps_state_of(id);
        let is_there = |slot: &Slot| self.manager.producers().holds(*slot, id);
        let near = hint.slot.filter(|slot| keeps_state && is_there(slot));
        let sink = &mut |event: &Event<'_>| visitor.event(event);
        if let Some(chunk) = &mut self.chunk {
            chunk.add(&mut self.manager, batch, control, sink)?;
            if self.manager.obeys(how, batch, control) {
                let keeps = |id, first_offset| chunk.has_open(id, first_offset);
                self.transactions.lose_producers(keeps);
                visitor.barrier(batch);
            }
        } else if let Some(slot) = near
            && let Some(usual) = self.manager.apply_usual(batch, control, slot)
        {
            if let (_, Some(finished)) = usual? {
                self.tell_aborted(&finished, visitor);
            }
        } else {
            match self.manager.apply(how, batch, control, sink)? {
                Applied::Taken {
                    finished: Some(finished),
                    ..
                } => self.tell_aborted(&finished, visitor),
                Applied::Reset => {
                    match self.manager.rules().reset(how.path) {
                        Reset::MapOfManager => self.transactions.lose_producers(|_, _| false),
                        _ => self.transactions.drop_open(),
                    }
                    visitor.barrier(batch);
                }
                _ => {}
            }
        }
        let is_tracked = batch.is_transactional && keeps_state;
        match control {
            _ if !is_tracked => {}
            Some(Control::Marker(marker)) => {
                if let Some(ended) = self.transactions.end(batch, *marker) {
                    visitor.transaction(ended);
                }
            }
            Some(_) => {}
            None if batch.is_control => {}
            None => self.transactions.count(batch, hint.transaction),
        }
        Ok(())
    }

    /// A broker ends here. The log goes on, and so does the replay.
    #[cold]
    fn refused(&mut self, batch: &Batch, error: StateError, visitor: &mut dyn Visitor) {
        let entry = self.manager.producers().get(batch.producer_id);
        let keep = error.reason == Reason::ExpectedTransactional;
        visitor.event(&Event {
            kind: Kind::WouldStop(error),
            batch,
            previous: entry.as_ref().map(Previous::of),
        });
        if keep {
            self.manager.keep_refused(batch);
        }
    }

    /// The producers and open transactions.
    #[must_use]
    pub const fn manager(&self) -> &Manager<N> {
        &self.manager
    }

    /// The open transactions with what they hold.
    #[must_use]
    pub const fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// The leader epochs of the batches.
    #[must_use]
    pub const fn epochs(&self) -> &LeaderEpochs {
        &self.epochs
    }

    /// The offset behind the last batch: the log's end, or where the replay was told to stop.
    #[must_use]
    pub const fn next_offset(&self) -> Offset {
        self.next_offset
    }

    /// How many batches were taken in.
    #[must_use]
    pub const fn batches(&self) -> u64 {
        self.batches
    }

    /// The last stable offset as if the high watermark were the log's end. A transaction from below
    /// the log's start holds it at the base offset of the batch that holds the start, which may lie
    /// below the start (`UnifiedLog.maybeConvertToOffsetMetadata`).
    #[must_use]
    pub fn last_stable_offset(&self) -> Offset {
        let open = self.manager.ongoing().next();
        let open = open.map(|open| match self.start_batch {
            Some(batch) if open.first_offset < self.log_start => batch,
            _ => open.first_offset.max(self.log_start),
        });
        match open {
            Some(first) if first < self.next_offset => first,
            _ => self.next_offset,
        }
    }
}

/// Replays whole segments from `from` on, up to `upto` where one is given.
///
/// # Errors
/// A file cannot be opened or read.
pub fn replay<const N: usize>(
    mut replay: Replay<N>,
    segments: &[SegmentFile],
    options: ReadOptions,
    visitor: &mut dyn Visitor,
) -> Result<Replay<N>, ReadError> {
    // The last segment that begins at the start or before it holds it.
    let first = segments
        .iter()
        .rposition(|segment| segment.base_offset <= replay.from);
    for segment in segments.iter().skip(first.unwrap_or(0)) {
        if replay.upto.is_some_and(|upto| segment.base_offset >= upto) {
            break;
        }
        replay.segment(segment, options, visitor)?;
    }
    Ok(replay)
}
