//! Transactions as a log shows them: open, committed and aborted, with their size and their time.
//!
//! The manager knows of a transaction only where it begins; this is what a report wants beside.

use crate::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Timestamp, to_usize,
};
use crate::state::batch::{Batch, Marker, Place};
use crate::state::hash::Mixer;
use std::collections::{BTreeMap, HashMap};

/// A transaction in one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// Whose.
    pub producer_id: ProducerId,
    /// The epoch of its last data batch.
    pub producer_epoch: ProducerEpoch,
    /// The first offset of its first batch.
    pub first_offset: Offset,
    /// The last offset of its last data batch; its first offset where only a snapshot tells of it.
    pub last_offset: Offset,
    /// Where its first batch lies; `None` where only a snapshot tells of it.
    pub first_place: Option<Place>,
    /// The timestamp of its first record.
    pub first_timestamp: Timestamp,
    /// The largest timestamp of its last data batch.
    pub last_timestamp: Timestamp,
    /// Its data batches.
    pub batches: u64,
    /// Their records, as far as they declare a number of 0 or more.
    pub records: u64,
    /// Their size, in bytes.
    pub bytes: u64,
    /// How it ended; `None` while it is open.
    pub end: Option<TxnEnd>,
}

/// The end of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TxnEnd {
    /// What the marker says.
    pub marker: Marker,
    /// The marker's epoch.
    pub producer_epoch: ProducerEpoch,
    /// The marker's offset.
    pub offset: Offset,
    /// Where the marker lies.
    pub place: Place,
}

impl Transaction {
    /// The coordinator's epoch in the marker.
    #[must_use]
    pub fn coordinator_epoch(&self) -> Option<CoordinatorEpoch> {
        self.end.map(|end| end.marker.coordinator_epoch)
    }

    fn begun(batch: &Batch) -> Self {
        Self {
            producer_id: batch.producer_id,
            producer_epoch: batch.producer_epoch,
            first_offset: batch.base_offset,
            last_offset: batch.last_offset,
            first_place: Some(batch.place),
            first_timestamp: batch.first_timestamp,
            last_timestamp: batch.max_timestamp,
            batches: 0,
            records: 0,
            bytes: 0,
            end: None,
        }
    }

    #[inline]
    fn count(&mut self, batch: &Batch) {
        self.producer_epoch = batch.producer_epoch;
        self.last_offset = batch.last_offset;
        self.last_timestamp = batch.max_timestamp;
        self.batches = self.batches.saturating_add(1);
        let records = u64::try_from(batch.count).unwrap_or(0);
        self.records = self.records.saturating_add(records);
        let bytes = u64::from(batch.place.size);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// The open transactions of a partition with what they hold.
#[derive(Debug, Default)]
pub struct Transactions {
    /// Where each producer's is. Apart from them, so that looking for one touches little memory.
    places: HashMap<i64, u32, Mixer>,
    /// Open ones, and where a place is free the one that ended there last.
    transactions: Vec<Transaction>,
    free: Vec<u32>,
    /// Those that a barrier took the producer from, by where they begin.
    stuck: BTreeMap<(Offset, ProducerId), Transaction>,
    empty: u64,
}

impl Transactions {
    /// None open.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A snapshot says that a transaction is open; what it holds so far is not known.
    pub fn known_open(&mut self, id: ProducerId, epoch: ProducerEpoch, first_offset: Offset) {
        let transaction = Transaction {
            producer_id: id,
            producer_epoch: epoch,
            first_offset,
            last_offset: first_offset,
            first_place: None,
            first_timestamp: Timestamp::NONE,
            last_timestamp: Timestamp::NONE,
            batches: 0,
            records: 0,
            bytes: 0,
            end: None,
        };
        let place = self.place_of(id, || transaction);
        if let Some(place) = place {
            *place = transaction;
        }
    }

    /// Where the open transaction of a producer is, for [`Transactions::count`].
    #[inline]
    pub(super) fn find(&self, id: ProducerId) -> Option<u32> {
        let place = *self.places.get(&id.0)?;
        let transaction = self.transactions.get(to_usize(place))?;
        (transaction.producer_id == id).then_some(place)
    }

    /// Counts a data batch in, with the place where its transaction was a moment ago.
    #[inline]
    pub(super) fn count(&mut self, batch: &Batch, hint: Option<u32>) {
        let id = batch.producer_id;
        let place = hint.filter(|place| {
            let there = self.transactions.get(to_usize(*place));
            there.is_some_and(|txn| txn.producer_id == id && txn.end.is_none())
        });
        let found = match place {
            Some(place) => self.transactions.get_mut(to_usize(place)),
            None => self.place_of(id, || Transaction::begun(batch)),
        };
        if let Some(transaction) = found {
            transaction.count(batch);
        }
    }

    /// The open transaction of a producer, or the one that `begin` gives.
    #[inline]
    fn place_of(
        &mut self,
        id: ProducerId,
        begin: impl FnOnce() -> Transaction,
    ) -> Option<&mut Transaction> {
        let place = *self.places.entry(id.0).or_insert_with(|| {
            let fresh = begin();
            if let Some(free) = self.free.pop()
                && let Some(place) = self.transactions.get_mut(to_usize(free))
            {
                *place = fresh;
                return free;
            }
            let place = u32::try_from(self.transactions.len()).unwrap_or(u32::MAX);
            self.transactions.push(fresh);
            place
        });
        self.transactions.get_mut(to_usize(place))
    }

    /// A marker: gives the transaction that it ends.
    #[inline]
    pub(super) fn end(&mut self, batch: &Batch, marker: Marker) -> Option<&Transaction> {
        let Some(place) = self.places.remove(&batch.producer_id.0) else {
            self.empty = self.empty.saturating_add(1);
            return None;
        };
        self.free.push(place);
        let transaction = self.transactions.get_mut(to_usize(place))?;
        transaction.end = Some(TxnEnd {
            marker,
            producer_epoch: batch.producer_epoch,
            offset: batch.base_offset,
            place: batch.place,
        });
        Some(transaction)
    }

    /// The open transaction of a producer.
    #[must_use]
    pub fn open_of(&self, id: ProducerId) -> Option<&Transaction> {
        let place = self.places.get(&id.0)?;
        self.transactions.get(to_usize(*place))
    }

    /// The open transaction of a producer that begins there, also one that its producer has lost.
    #[must_use]
    pub fn open_at(&self, id: ProducerId, first_offset: Offset) -> Option<&Transaction> {
        let open = self.open_of(id);
        open.filter(|open| open.first_offset == first_offset)
            .or_else(|| self.stuck.get(&(first_offset, id)))
    }

    /// Whether a barrier took the producer of that transaction away.
    #[must_use]
    pub fn is_stuck(&self, id: ProducerId, first_offset: Offset) -> bool {
        self.stuck.contains_key(&(first_offset, id))
    }

    /// The open transactions, by first offset.
    #[must_use]
    pub fn open(&self) -> Vec<&Transaction> {
        let places = self.places.values();
        let mut open: Vec<_> = places
            .filter_map(|place| self.transactions.get(to_usize(*place)))
            .chain(self.stuck.values())
            .collect();
        open.sort_by_key(|transaction| (transaction.first_offset, transaction.producer_id));
        open
    }

    /// How many markers ended nothing: transactions without a record in this partition, or
    /// markers that were repeated.
    #[must_use]
    pub const fn empty(&self) -> u64 {
        self.empty
    }

    /// A barrier voids what is open.
    pub fn drop_open(&mut self) {
        self.places.clear();
        self.transactions.clear();
        self.free.clear();
        self.stuck.clear();
    }

    /// A barrier takes the producers of open transactions away, but of those that `keeps` names;
    /// what these producers write from now on belongs to other transactions.
    pub(super) fn lose_producers(&mut self, keeps: impl Fn(ProducerId, Offset) -> bool) {
        self.places.retain(|_, place| {
            let Some(open) = self.transactions.get_mut(to_usize(*place)) else {
                return false;
            };
            if keeps(open.producer_id, open.first_offset) {
                return true;
            }
            self.stuck
                .insert((open.first_offset, open.producer_id), *open);
            // Whoever remembers the place finds nobody there.
            open.producer_id = ProducerId::NONE;
            self.free.push(*place);
            false
        });
    }
}
