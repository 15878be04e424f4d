//! What is known of one producer, the twin of `ProducerStateEntry`.

use crate::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::batch::Batch;

/// How many batches a broker keeps of a producer (`NUM_BATCHES_TO_RETAIN`), to know a repeat.
pub const BATCHES_OF_A_BROKER: usize = 5;

/// A batch that was appended, as an entry keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchMetadata {
    /// Its last sequence.
    pub last_sequence: Sequence,
    /// Its last offset.
    pub last_offset: Offset,
    /// Its last offset minus its first.
    pub offset_delta: i32,
    /// Its largest timestamp.
    pub timestamp: Timestamp,
}

impl BatchMetadata {
    const NONE: Self = Self {
        last_sequence: Sequence::NONE,
        last_offset: Offset(-1),
        offset_delta: 0,
        timestamp: Timestamp::NONE,
    };

    /// Its first offset.
    #[must_use]
    pub fn first_offset(&self) -> Offset {
        let delta = i64::from(self.offset_delta).wrapping_neg();
        self.last_offset.plus(delta)
    }

    /// Its first sequence as a broker derives it: from the distance of offsets. It is the header's,
    /// unless the batch has a producer and no sequence.
    #[must_use]
    pub const fn first_sequence(&self) -> Sequence {
        self.last_sequence.minus(self.offset_delta)
    }
}

/// The last batches of a producer in its epoch, the oldest first, at most `N`.
#[derive(Debug, Clone, Copy)]
pub struct Batches<const N: usize> {
    kept: [BatchMetadata; N],
    count: usize,
}

impl<const N: usize> Batches<N> {
    /// No batch.
    pub const EMPTY: Self = Self {
        kept: [BatchMetadata::NONE; N],
        count: 0,
    };

    /// The batches, the oldest first.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[BatchMetadata] {
        self.kept.get(..self.count).unwrap_or_default()
    }

    /// The last one.
    #[must_use]
    #[inline]
    pub fn last(&self) -> Option<BatchMetadata> {
        self.as_slice().last().copied()
    }

    /// There is none.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds one; the oldest goes where there is no room.
    #[inline]
    pub fn push(&mut self, batch: BatchMetadata) {
        if self.count == N {
            self.kept.rotate_left(1);
            self.count = self.count.saturating_sub(1);
        }
        if let Some(free) = self.kept.get_mut(self.count) {
            *free = batch;
            self.count = self.count.saturating_add(1);
        }
    }
}

impl<const N: usize> PartialEq for Batches<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<const N: usize> Eq for Batches<N> {}

/// What is known of one producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<const N: usize> {
    /// The producer.
    pub producer_id: ProducerId,
    /// Its epoch; -1 before the first batch.
    pub producer_epoch: ProducerEpoch,
    /// The coordinator's epoch in its last marker; -1 before the first.
    pub coordinator_epoch: CoordinatorEpoch,
    /// The time of its last batch or marker; -1 before the first.
    pub last_timestamp: Timestamp,
    /// Where its open transaction begins.
    pub current_txn_first_offset: Option<Offset>,
    /// Its last batches in this epoch.
    pub batches: Batches<N>,
    /// Where its last data batch lies in its segment, in bytes, as evidence; `None` where the
    /// entry came from a snapshot.
    pub last_position: Option<u32>,
}

impl<const N: usize> Entry<N> {
    /// Nothing known yet (`ProducerStateEntry.empty`).
    #[must_use]
    #[inline]
    pub const fn empty(producer_id: ProducerId) -> Self {
        Self {
            producer_id,
            producer_epoch: ProducerEpoch(-1),
            coordinator_epoch: CoordinatorEpoch(-1),
            last_timestamp: Timestamp::NONE,
            current_txn_first_offset: None,
            batches: Batches::EMPTY,
            last_position: None,
        }
    }

    /// The last sequence, -1 without a batch.
    #[must_use]
    #[inline]
    pub fn last_sequence(&self) -> Sequence {
        self.batches
            .last()
            .map_or(Sequence::NONE, |batch| batch.last_sequence)
    }

    /// Whether a transaction is open that begins there.
    #[must_use]
    pub fn has_open(&self, first_offset: Offset) -> bool {
        self.current_txn_first_offset == Some(first_offset)
    }

    /// The same without the batches (`withProducerId`): what an append starts from.
    #[must_use]
    #[inline]
    pub const fn without_batches(&self) -> Self {
        Self {
            batches: Batches::EMPTY,
            last_position: None,
            ..*self
        }
    }

    /// Takes in a data batch. A batch of another epoch, higher or lower, empties what was kept.
    #[inline]
    pub fn add_batch(&mut self, batch: &Batch) {
        self.set_epoch(batch.producer_epoch);
        let distance = batch.last_offset.0.wrapping_sub(batch.base_offset.0);
        self.batches.push(BatchMetadata {
            last_sequence: batch.last_sequence,
            last_offset: batch.last_offset,
            // Both offsets are of one header, 32 bits apart.
            offset_delta: i32::try_from(distance).unwrap_or_default(),
            timestamp: batch.max_timestamp,
        });
        self.last_position = u32::try_from(batch.place.position).ok();
        self.last_timestamp = batch.max_timestamp;
    }

    #[inline]
    fn set_epoch(&mut self, epoch: ProducerEpoch) {
        if self.producer_epoch != epoch {
            self.batches = Batches::EMPTY;
            self.last_position = None;
            self.producer_epoch = epoch;
        }
    }

    /// Takes in a marker: the transaction is over.
    #[inline]
    pub fn end_transaction(
        &mut self,
        epoch: ProducerEpoch,
        coordinator_epoch: CoordinatorEpoch,
        timestamp: Timestamp,
    ) {
        self.set_epoch(epoch);
        self.coordinator_epoch = coordinator_epoch;
        self.current_txn_first_offset = None;
        self.last_timestamp = timestamp;
    }

    /// Takes in what an append made of it (`ProducerStateEntry.update`): the epoch that the append
    /// ended with decides alone whether earlier batches stay.
    #[inline]
    pub fn merge(&mut self, next: &Self) {
        self.set_epoch(next.producer_epoch);
        for batch in next.batches.as_slice() {
            self.batches.push(*batch);
        }
        if !next.batches.is_empty() {
            self.last_position = next.last_position;
        }
        self.coordinator_epoch = next.coordinator_epoch;
        self.current_txn_first_offset = next.current_txn_first_offset;
        self.last_timestamp = next.last_timestamp;
    }

    /// The kept batch that `batch` repeats: same epoch, first and last sequence.
    #[must_use]
    pub fn find_duplicate(&self, batch: &Batch) -> Option<BatchMetadata> {
        if batch.producer_epoch != self.producer_epoch {
            return None;
        }
        let same = |kept: &&BatchMetadata| {
            kept.first_sequence() == batch.base_sequence
                && kept.last_sequence == batch.last_sequence
        };
        self.batches.as_slice().iter().find(same).copied()
    }

    /// As a broker reads it from a snapshot (`ProducerStateManager.readSnapshot`).
    #[must_use]
    pub fn from_snapshot(stored: &ProducerEntry) -> Self {
        let mut entry = Self {
            producer_epoch: stored.producer_epoch,
            coordinator_epoch: stored.coordinator_epoch,
            last_timestamp: stored.timestamp,
            current_txn_first_offset: stored.open_txn(),
            ..Self::empty(stored.producer_id)
        };
        if stored.has_batch() {
            entry.batches.push(BatchMetadata {
                last_sequence: stored.last_sequence,
                last_offset: stored.last_offset,
                offset_delta: stored.offset_delta,
                timestamp: stored.timestamp,
            });
        }
        entry
    }

    /// As a broker writes it to a snapshot: of the batches only the last, and for its timestamp
    /// the entry's.
    #[must_use]
    pub fn to_snapshot(&self) -> ProducerEntry {
        let last = self.batches.last().unwrap_or(BatchMetadata::NONE);
        ProducerEntry {
            producer_id: self.producer_id,
            producer_epoch: self.producer_epoch,
            last_sequence: last.last_sequence,
            last_offset: last.last_offset,
            offset_delta: last.offset_delta,
            timestamp: self.last_timestamp,
            coordinator_epoch: self.coordinator_epoch,
            current_txn_first_offset: self.current_txn_first_offset.unwrap_or(Offset(-1)),
            source_cluster_id: None,
        }
    }
}
