//! All producers of one partition and their transactions, the twin of `ProducerStateManager`
//! without its files.
//!
//! Batches come one by one ([`Manager::apply`], as a recovery reads them) or in chunks
//! ([`crate::state::chunk::Chunk`], as appends and a load take them): what differs are the cached
//! batches and the last stable offsets in the transaction index.

mod barrier;

use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::txn_index::AbortedTxn;
use crate::state::append::{Append, AppendInfo, Appended, CompletedTxn, Verification};
use crate::state::batch::{Batch, Control};
use crate::state::entry::{BatchMetadata, Entry};
use crate::state::error::{Origin, Reason, StateError};
use crate::state::event::Sink;
use crate::state::ongoing::{NO_TICKET, Ongoing};
use crate::state::rules::{Reset, RuleSet};
use crate::state::table::{Slot, Table};
use std::collections::{BTreeMap, HashMap};

pub use crate::state::ongoing::OpenTxn;

/// A transaction that ended, and what the last stable offset was right after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// The transaction.
    pub txn: CompletedTxn,
    /// The first offset of the first transaction of another producer that was open then, else the
    /// offset behind the marker.
    pub last_stable_offset: Offset,
}

impl Finished {
    /// The entry of the transaction index; only an aborted transaction has one.
    #[must_use]
    pub const fn index_entry(&self) -> Option<AbortedTxn> {
        if !self.txn.is_aborted {
            return None;
        }
        Some(AbortedTxn {
            producer_id: self.txn.producer_id,
            first_offset: self.txn.first_offset,
            last_offset: self.txn.last_offset,
            last_stable_offset: self.last_stable_offset,
        })
    }
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It has no producer whose state is kept.
    NoProducer,
    /// It is a barrier, and was obeyed.
    Reset,
    /// It repeats a batch that is still kept: a leader appends nothing of the request and answers
    /// with the offsets of the old one.
    Duplicate(BatchMetadata),
    /// It was taken in.
    Taken {
        /// A transaction began with it.
        started: Option<Offset>,
        /// A transaction ended with it.
        finished: Option<Finished>,
    },
}

/// The state of one partition; `N` is the number of batches kept of each producer.
#[derive(Debug, Clone)]
pub struct Manager<const N: usize> {
    partition: String,
    rules: &'static dyn RuleSet,
    pub(super) producers: Table<N>,
    pub(super) ongoing: Ongoing,
    /// Ended transactions whose marker may not be replicated yet, with the marker's offset.
    unreplicated: BTreeMap<Offset, (OpenTxn, Offset)>,
    pub(super) verifications: HashMap<ProducerId, Verification>,
    map_end_offset: Offset,
    /// No ended transaction waits: the log's end stands for the high watermark.
    is_replicated: bool,
    /// The last barrier that was obeyed.
    last_reset: Option<Offset>,
}

impl<const N: usize> Manager<N> {
    /// Nothing known yet of a partition, `topic-number`.
    #[must_use]
    pub fn new(partition: impl Into<String>, rules: &'static dyn RuleSet) -> Self {
        Self {
            partition: partition.into(),
            rules,
            producers: Table::new(),
            ongoing: Ongoing::default(),
            unreplicated: BTreeMap::new(),
            verifications: HashMap::new(),
            map_end_offset: Offset(0),
            is_replicated: false,
            last_reset: None,
        }
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &'static dyn RuleSet {
        self.rules
    }

    /// The producers.
    #[must_use]
    pub const fn producers(&self) -> &Table<N> {
        &self.producers
    }

    /// Open transactions by first offset. A damaged snapshot can leave one here that no producer
    /// knows of.
    pub fn ongoing(&self) -> impl Iterator<Item = OpenTxn> + '_ {
        self.ongoing.iter()
    }

    /// Ended transactions that still hold the last stable offset back, with their markers'
    /// offsets.
    pub fn unreplicated(&self) -> impl Iterator<Item = (OpenTxn, Offset)> + '_ {
        self.unreplicated.values().copied()
    }

    /// The offset up to which the state is known (`mapEndOffset`).
    #[must_use]
    pub const fn map_end_offset(&self) -> Offset {
        self.map_end_offset
    }

    /// The log's end stands for the high watermark from now on: no ended transaction waits for it.
    pub fn count_all_as_replicated(&mut self) {
        self.unreplicated.clear();
        self.is_replicated = true;
    }

    /// Sets the offset up to which the state is known.
    pub const fn set_map_end_offset(&mut self, offset: Offset) {
        self.map_end_offset = offset;
    }

    /// Neither producers nor transactions that wait for the high watermark (`isEmpty`).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.producers.is_empty() && self.unreplicated.is_empty()
    }

    /// Whether it knows of nobody because of a barrier that a log cut to end at `end` does not
    /// hold any more, under rules that ask this.
    #[must_use]
    pub fn misses_barrier(&self, end: Offset) -> bool {
        self.last_reset.is_some_and(|barrier| barrier >= end) && self.rules.misses_barriers()
    }

    /// Whether the record of a control batch must be read before [`Manager::apply`].
    #[must_use]
    #[inline]
    pub fn needs_control(&self, how: Append, batch: &Batch) -> bool {
        batch.is_control
            && (self.rules.keeps_state_of(batch.producer_id)
                || self.rules.reset(how.path) != Reset::Ignored)
    }

    /// Takes one batch in, as a chunk of its own. Of a control batch `control` is what its record
    /// says, where [`Manager::needs_control`] asks for it.
    ///
    /// # Errors
    /// The exception that a broker meets; the state is then as before.
    #[inline]
    pub fn apply(
        &mut self,
        how: Append,
        batch: &Batch,
        control: Option<&Control>,
        sink: Sink<'_>,
    ) -> Result<Applied, StateError> {
        let id = batch.producer_id;
        if !self.rules.keeps_state_of(id) {
            return Ok(self.without_producer(how, batch, control, sink));
        }
        let slot = self.producers.find(id);
        if self.is_plain(how)
            && let Some(slot) = slot
            && let Some(usual) = self.apply_usual(batch, control, slot)
        {
            let (started, finished) = usual?;
            return Ok(Applied::Taken { started, finished });
        }
        self.apply_any(how, batch, control, slot, sink)
    }

    /// Whether nothing but the entry itself has a say in a batch: it is read back or replicated.
    #[inline]
    pub(super) fn is_plain(&self, how: Append) -> bool {
        how.origin() == Origin::Replication && self.verifications.is_empty()
    }

    /// Takes in a batch that is not as most are.
    fn apply_any(
        &mut self,
        how: Append,
        batch: &Batch,
        control: Option<&Control>,
        slot: Option<Slot>,
        sink: Sink<'_>,
    ) -> Result<Applied, StateError> {
        let id = batch.producer_id;
        let known = slot.and_then(|slot| self.producers.at(slot));
        let mut entry = known.unwrap_or(Entry::empty(id));
        if let Some(duplicate) = self.leader_checks(how, batch, known.as_ref())? {
            return Ok(Applied::Duplicate(duplicate));
        }
        let mut updated = entry.without_batches();
        let mut info = AppendInfo {
            current: &entry,
            updated: &mut updated,
            append: how,
            verification: self.verification(how, id),
        };
        let appended = info.append(batch, control, sink);
        let appended = appended.map_err(|reason| self.error(batch, reason))?;
        self.after_append(batch);
        match slot {
            Some(slot) => {
                entry.merge(&updated);
                self.producers.replace(slot, &entry);
            }
            None => {
                self.producers.add(&updated);
            }
        }
        let (started, finished) = self.conclude(id, appended, NO_TICKET)?;
        Ok(Applied::Taken { started, finished })
    }

    /// Keeps the lists of transactions as an append has it: gives the one that began, by its first
    /// offset, and the one that ended.
    #[inline(always)]
    pub(super) fn conclude(
        &mut self,
        id: ProducerId,
        appended: Appended,
        ticket: u64,
    ) -> Result<(Option<Offset>, Option<Finished>), StateError> {
        if let Some(first_offset) = appended.started {
            self.start(id, first_offset);
        }
        let finished = appended.completed.map(|txn| self.finish(txn, ticket));
        Ok((appended.started, finished.transpose()?))
    }

    /// Keeps a plain batch that came while its producer's transaction was open, as if nothing had
    /// refused it: for a reader that goes on where a broker ends.
    pub fn keep_refused(&mut self, batch: &Batch) {
        if let Some(slot) = self.producers.find(batch.producer_id)
            && let Some(mut entry) = self.producers.at(slot)
        {
            entry.add_batch(batch);
            self.producers.replace(slot, &entry);
        }
    }

    #[inline]
    pub(super) fn start(&mut self, producer_id: ProducerId, first_offset: Offset) {
        let open = OpenTxn {
            producer_id,
            first_offset,
        };
        self.ongoing.insert(open);
    }

    /// Ends a transaction (`completeTxn`): it waits for the high watermark from now on. The ticket
    /// may be any.
    #[inline(always)]
    pub(super) fn finish(
        &mut self,
        txn: CompletedTxn,
        ticket: u64,
    ) -> Result<Finished, StateError> {
        let last_stable_offset = self.last_stable_offset_after(&txn);
        let Some(open) = self.ongoing.remove(txn.first_offset, ticket) else {
            return Err(self.not_started(&txn));
        };
        if !self.is_replicated {
            let waiting = (open, txn.last_offset);
            self.unreplicated.insert(txn.first_offset, waiting);
        }
        Ok(Finished {
            txn,
            last_stable_offset,
        })
    }

    #[cold]
    fn not_started(&self, txn: &CompletedTxn) -> StateError {
        StateError {
            partition: self.partition.clone(),
            producer_id: txn.producer_id,
            offset: txn.last_offset,
            reason: Reason::NotStarted {
                first_offset: txn.first_offset,
                aborted: txn.is_aborted,
            },
        }
    }

    /// What the transaction index calls the last stable offset of a transaction that ends
    /// (`lastStableOffset(CompletedTxn)`).
    #[must_use]
    pub fn last_stable_offset_after(&self, txn: &CompletedTxn) -> Offset {
        let mut others = self.ongoing.iter();
        others
            .find(|open| open.producer_id != txn.producer_id)
            .map_or(txn.last_offset.plus(1), |open| open.first_offset)
    }

    #[cold]
    pub(super) fn error(&self, batch: &Batch, reason: Reason) -> StateError {
        StateError {
            partition: self.partition.clone(),
            producer_id: batch.producer_id,
            offset: batch.base_offset,
            reason,
        }
    }

    /// The first offset that a consumer of committed records may not read, before the high
    /// watermark is asked.
    #[must_use]
    pub fn first_unstable_offset(&self) -> Option<Offset> {
        let open = self.ongoing.first();
        let waiting = self.unreplicated.first_key_value().map(|(first, _)| *first);
        match (open, waiting) {
            (Some(open), Some(waiting)) => Some(open.min(waiting)),
            (one, other) => one.or(other),
        }
    }

    /// The last stable offset under a high watermark: an unstable offset below the log's start
    /// counts as that start.
    #[must_use]
    pub fn last_stable_offset(&self, log_start: Offset, high_watermark: Offset) -> Offset {
        let unstable = self.first_unstable_offset();
        let unstable = unstable.map(|first| first.max(log_start));
        match unstable {
            Some(first) if first < high_watermark => first,
            _ => high_watermark,
        }
    }

    /// Lets go of ended transactions whose markers lie below the high watermark.
    pub fn on_high_watermark_updated(&mut self, high_watermark: Offset) {
        self.unreplicated
            .retain(|_, (_, last_offset)| *last_offset >= high_watermark);
    }

    /// The log's start moved up (`onLogStartOffsetIncremented`).
    pub fn on_log_start_offset_incremented(&mut self, log_start: Offset) {
        self.on_high_watermark_updated(log_start);
        self.map_end_offset = self.map_end_offset.max(log_start);
    }

    /// Forgets producers without an open transaction that were silent for `expiration_ms` or
    /// longer at the time `now` (`removeExpiredProducers`).
    pub fn remove_expired(&mut self, now: Timestamp, expiration_ms: i64) {
        self.producers
            .retain(|entry| !is_expired(entry, now, expiration_ms));
        self.verifications
            .retain(|_, entry| age(now, entry.timestamp) < expiration_ms);
    }

    /// Forgets all and goes on from `offset` (`truncateFullyAndStartAt`, and what
    /// `truncateAndReload` does before it reads a snapshot).
    pub fn truncate_fully_and_start_at(&mut self, offset: Offset) {
        self.producers.clear();
        self.ongoing.clear();
        self.unreplicated.clear();
        self.last_reset = None;
        self.map_end_offset = offset;
    }

    /// Takes in an entry of a snapshot. Of two entries of one producer the second counts, but the
    /// open transaction of the first stays open.
    pub fn load_entry(&mut self, entry: &Entry<N>) {
        self.producers.put(entry);
        if let Some(first_offset) = entry.current_txn_first_offset {
            self.start(entry.producer_id, first_offset);
        }
    }

    /// Takes in what a snapshot at `offset` holds, but for what has expired.
    pub fn load_snapshot(
        &mut self,
        entries: &[ProducerEntry],
        offset: Offset,
        now: Timestamp,
        expiration_ms: i64,
    ) {
        for stored in entries {
            let entry = Entry::from_snapshot(stored);
            if !is_expired(&entry, now, expiration_ms) {
                self.load_entry(&entry);
            }
        }
        self.map_end_offset = offset;
    }

    /// What a snapshot of now would hold, in the order in which producers came; a broker's order
    /// follows its hash map's history.
    pub fn snapshot_entries(&self) -> impl Iterator<Item = ProducerEntry> + '_ {
        self.producers.iter().map(|entry| entry.to_snapshot())
    }

    /// Replaces or adds what an append made of a producer (`update`).
    pub(super) fn update(&mut self, updated: &Entry<N>) -> Slot {
        let Some(slot) = self.producers.find(updated.producer_id) else {
            return self.producers.add(updated);
        };
        if let Some(mut entry) = self.producers.at(slot) {
            entry.merge(updated);
            self.producers.replace(slot, &entry);
        }
        slot
    }
}

/// Silent for `expiration_ms` or longer, and no transaction open (`isProducerExpired`).
fn is_expired<const N: usize>(entry: &Entry<N>, now: Timestamp, expiration_ms: i64) -> bool {
    entry.current_txn_first_offset.is_none() && age(now, entry.last_timestamp) >= expiration_ms
}

/// Milliseconds from `then` to `now`, wrapping as Java's `long` does.
const fn age(now: Timestamp, then: Timestamp) -> i64 {
    now.0.wrapping_sub(then.0)
}
