//! What a broker passes over in silence, or dies of, when it reads a log: told with the batch that
//! shows it and with what was known of its producer before.
//!
//! Events go to a sink one by one and are never gathered here: a log may give one with each batch.

use crate::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::state::batch::{Batch, Marker};
use crate::state::entry::Entry;
use crate::state::error::{ControlFault, Reason, StateError};

/// Takes events.
pub type Sink<'s> = &'s mut dyn FnMut(&Event<'_>);

/// Passes over all events.
pub fn ignore(_: &Event<'_>) {}

/// Something that the log shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<'a> {
    /// What.
    pub kind: Kind,
    /// The batch that shows it.
    pub batch: &'a Batch,
    /// What was known of the producer before; `None` when nothing was.
    pub previous: Option<Previous>,
}

/// What was known of a producer before a batch; of batches the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Previous {
    /// Its epoch.
    pub producer_epoch: ProducerEpoch,
    /// The first sequence of its last batch, as a broker derives it; -1 without one.
    pub first_sequence: Sequence,
    /// The last sequence of its last batch; -1 without one.
    pub last_sequence: Sequence,
    /// The first offset of its last batch; -1 without one.
    pub first_offset: Offset,
    /// The last offset of its last batch; -1 without one.
    pub last_offset: Offset,
    /// Where that batch lies in its segment, in bytes; `None` where a snapshot told of it.
    pub position: Option<u32>,
    /// The coordinator's epoch in its last marker; -1 without one.
    pub coordinator_epoch: CoordinatorEpoch,
    /// The time of its last batch or marker.
    pub last_timestamp: Timestamp,
    /// Where its open transaction began.
    pub current_txn_first_offset: Option<Offset>,
}

impl Previous {
    pub(super) fn of<const N: usize>(entry: &Entry<N>) -> Self {
        let last = entry.batches.last();
        Self {
            producer_epoch: entry.producer_epoch,
            first_sequence: last.map_or(Sequence::NONE, |batch| batch.first_sequence()),
            last_sequence: last.map_or(Sequence::NONE, |batch| batch.last_sequence),
            first_offset: last.map_or(Offset(-1), |batch| batch.first_offset()),
            last_offset: last.map_or(Offset(-1), |batch| batch.last_offset),
            position: entry.last_position,
            coordinator_epoch: entry.coordinator_epoch,
            last_timestamp: entry.last_timestamp,
            current_txn_first_offset: entry.current_txn_first_offset,
        }
    }
}

/// What an event is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A data batch of an epoch below the last one. A leader refuses it, a replica takes it and
    /// goes back to that epoch.
    EpochRegression,
    /// A marker of an epoch below the last one: the same.
    MarkerOfOldEpoch {
        /// What the marker says.
        marker: Marker,
    },
    /// A marker of a coordinator that was replaced: the same.
    CoordinatorEpochRegression {
        /// What the marker says.
        marker: Marker,
    },
    /// Sequences are missing between the last batch and this one.
    SequenceGap {
        /// The sequence that follows the last one.
        expected: Sequence,
    },
    /// All sequences of the batch were there before.
    SequenceRepeat {
        /// The sequence that follows the last one.
        expected: Sequence,
    },
    /// The batch begins with sequences that were there before and ends with new ones.
    SequenceOverlap {
        /// The sequence that follows the last one.
        expected: Sequence,
    },
    /// A marker of a producer that has no transaction open. Legal: the transaction was empty in
    /// this partition, or the marker was written twice.
    EmptyTransaction {
        /// What the marker says.
        marker: Marker,
    },
    /// A barrier (MIRROR_PID_RESET) while a transaction was open.
    BarrierOpenTransaction {
        /// Whose transaction.
        producer_id: ProducerId,
        /// Its first offset.
        first_offset: Offset,
        /// What becomes of it.
        fate: Fate,
    },
    /// A broker that reads this batch back does not start.
    WouldStop(StateError),
}

/// What becomes of a transaction that is open at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is over without a marker, and holds nothing back any more.
    Dropped,
    /// Its producer is gone and it is not: it holds the last stable offset back, and no marker
    /// finds it.
    Stuck,
    /// Its producer was read in one group with the barrier and comes back at the group's end, so
    /// it is open as before.
    Kept,
}

impl Kind {
    /// The producer whom it concerns, where `batch` shows it.
    #[must_use]
    pub const fn producer_id(&self, batch: &Batch) -> ProducerId {
        match self {
            Self::BarrierOpenTransaction { producer_id, .. } => *producer_id,
            _ => batch.producer_id,
        }
    }

    /// The kind as machine-readable output spells it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::EpochRegression => "epoch-regression",
            Self::MarkerOfOldEpoch { .. } => "marker-old-epoch",
            Self::CoordinatorEpochRegression { .. } => "coordinator-epoch-regression",
            Self::SequenceGap { .. } => "sequence-gap",
            Self::SequenceRepeat { .. } => "sequence-repeat",
            Self::SequenceOverlap { .. } => "sequence-overlap",
            Self::EmptyTransaction { .. } => "empty-transaction",
            Self::BarrierOpenTransaction { .. } => "barrier-open-transaction",
            Self::WouldStop(error) => match &error.reason {
                Reason::ExpectedTransactional => "non-transactional-in-transaction",
                Reason::Control(ControlFault::MirrorPidReset) => "barrier-malformed",
                Reason::Control(_) => "marker-malformed",
                _ => "start-blocked",
            },
        }
    }

    /// Whether it is only worth a note: nothing is wrong.
    #[must_use]
    pub const fn is_note(&self) -> bool {
        matches!(self, Self::EmptyTransaction { .. })
    }
}

/// How a batch's sequences stand to the one expected; `None` when it begins with that one.
///
/// Sequences wrap, so half the circle ahead counts as missing, the other half as seen before.
#[must_use]
#[inline]
pub fn judge_sequences(batch: &Batch, expected: Sequence) -> Option<Kind> {
    const HALF: i32 = 1 << 30;
    if batch.base_sequence == expected || batch.base_sequence.0 < 0 {
        return None;
    }
    let ahead = batch.base_sequence.minus(expected.0).0;
    if ahead < HALF {
        return Some(Kind::SequenceGap { expected });
    }
    // From the batch's first sequence to the expected one, against the length of the batch.
    let behind = expected.minus(batch.base_sequence.0).0;
    let length = batch.last_sequence.minus(batch.base_sequence.0).0;
    Some(match length < behind {
        true => Kind::SequenceRepeat { expected },
        false => Kind::SequenceOverlap { expected },
    })
}
