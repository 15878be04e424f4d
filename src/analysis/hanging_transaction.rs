//! Whether an open transaction hangs: the rule of `kafka-transactions.sh find-hanging`, offline.
//!
//! The stock tool takes each transaction that is open for longer than the greatest timeout that the
//! cluster allows, asks all coordinators which transactional id uses its producer id, asks that
//! id's coordinator for the transaction's partitions, and calls it hanging in one of three cases:
//! see [`Arm`]. It compares neither epochs nor offsets; nor does this. What it cannot ask, because
//! a partition of `__transaction_state` is not at hand or not whole, is said to be undecided.
//! Source: `TransactionsCommand.FindHangingTransactionsCommand`, `TransactionCoordinator` 4.4.0.

use std::num::NonZeroU32;

use super::state_partition_count::PartitionCount;
use super::transaction_coordinator::{StatePartition, TransactionCoordinator, TransactionState};
use crate::format::number::{ProducerId, Timestamp};
use crate::format::transaction_log::{TransactionLogKey, TransactionStatus};

/// A transaction that is open in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenTransaction<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The partition's number, 0 and up.
    pub partition: i32,
    /// Whose it is.
    pub producer_id: ProducerId,
    /// When its producer last wrote to the partition.
    pub last_timestamp: Timestamp,
}

impl OpenTransaction<'_> {
    /// Whether the stock tool looks at it at all: its producer last wrote more than
    /// `max_timeout_ms` milliseconds before `now`.
    #[must_use]
    pub const fn is_overdue(&self, now: Timestamp, max_timeout_ms: i64) -> bool {
        now.0.wrapping_sub(self.last_timestamp.0) > max_timeout_ms
    }
}

/// Why an overdue transaction hangs: no coordinator will ever end it in its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm<'c> {
    /// No transactional id uses the producer id.
    NoTransactionalId,
    /// An id does, but its coordinator does not know it: its record lies in a partition where it
    /// does not belong, or it is dead there.
    UnknownTransaction {
        /// The id.
        transactional_id: &'c TransactionLogKey,
        /// The number of the partition in which its record lies.
        found_in: u32,
        /// The number of the one in which its coordinator looks for it.
        home: u32,
    },
    /// The id's transaction does not have this partition.
    PartitionNotInTransaction {
        /// The id.
        transactional_id: &'c TransactionLogKey,
        /// What its coordinator knows.
        state: &'c TransactionState,
    },
}

impl Arm<'_> {
    /// When its coordinator last wrote of the id, where that was before the transaction began and
    /// the coordinator had none: its partition may be an older copy than the log.
    #[must_use]
    pub fn written_before(&self, began: Timestamp) -> Option<Timestamp> {
        let Self::PartitionNotInTransaction { state, .. } = self else {
            return None;
        };
        let has_none = matches!(
            state.value.transaction_status,
            TransactionStatus::Empty
                | TransactionStatus::CompleteCommit
                | TransactionStatus::CompleteAbort
        );
        let written = state.value.last_update_timestamp;
        // Nobody wrote anything at the beginning of time.
        (has_none && written > Timestamp(0) && written < began).then_some(written)
    }
}

/// Why it cannot be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Nobody said how many partitions `__transaction_state` has, and it cannot be found out.
    UnknownPartitionCount,
    /// A transactional id uses the producer id, but no number of partitions puts all ids where
    /// they lie, so it is not known which coordinator is asked for it.
    MisplacedIds,
    /// These partitions would have to be read, and are not at hand or not whole.
    UnreadPartitions {
        /// The lowest of their numbers.
        lowest: Vec<u32>,
        /// How many they are.
        unread: usize,
        /// How many there are in all.
        of: NonZeroU32,
    },
    /// Records of this partition could not be read.
    IncompletePartition(u32),
}

/// How many numbers of partitions a doubt names.
const NAMED: usize = 5;

/// What the coordinators say of an open transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement<'c> {
    /// A coordinator knows it and will end it.
    Known {
        /// The transactional id.
        transactional_id: &'c TransactionLogKey,
        /// What its coordinator knows.
        state: &'c TransactionState,
    },
    /// It hangs.
    Hanging(Arm<'c>),
    /// It cannot be told.
    Undecided(Doubt),
}

/// Applies the three arms to a transaction; whether it is overdue is the caller's question.
///
/// Where several transactional ids use the producer id, which no working cluster has, the stock
/// tool takes any of them; here one that knows the transaction decides.
#[must_use]
pub fn judge<'c>(
    transaction: &OpenTransaction<'_>,
    coordinator: &'c TransactionCoordinator,
) -> Judgement<'c> {
    let judgements = coordinator
        .transactional_ids(transaction.producer_id)
        .iter()
        .map(|(found_in, key)| judge_id(transaction, coordinator, *found_in, key));
    let strongest = judgements.max_by_key(|judgement| match judgement {
        Judgement::Known { .. } => 2,
        Judgement::Undecided(_) => 1,
        Judgement::Hanging(_) => 0,
    });
    strongest.unwrap_or_else(|| without_id(coordinator))
}

fn without_id(coordinator: &TransactionCoordinator) -> Judgement<'_> {
    let Some(of) = coordinator.partition_count().known() else {
        return Judgement::Undecided(Doubt::UnknownPartitionCount);
    };
    match coordinator.unread_partitions(of, NAMED) {
        (_, 0) => Judgement::Hanging(Arm::NoTransactionalId),
        (lowest, unread) => Judgement::Undecided(Doubt::UnreadPartitions { lowest, unread, of }),
    }
}

fn judge_id<'c>(
    transaction: &OpenTransaction<'_>,
    coordinator: &'c TransactionCoordinator,
    found_in: u32,
    transactional_id: &'c TransactionLogKey,
) -> Judgement<'c> {
    let count = coordinator.partition_count();
    let home = match count {
        PartitionCount::Known(count) => transactional_id.partition(count),
        PartitionCount::Unknown => found_in,
        PartitionCount::Contradicted => return Judgement::Undecided(Doubt::MisplacedIds),
    };
    let Some(partition) = coordinator.partitions().get(&home) else {
        let (lowest, unread) = (vec![home], 1);
        let doubt = count
            .known()
            .map(|of| Doubt::UnreadPartitions { lowest, unread, of });
        return Judgement::Undecided(doubt.unwrap_or(Doubt::UnknownPartitionCount));
    };
    let known = partition
        .state(transactional_id)
        .filter(|state| state.value.transaction_status != TransactionStatus::Dead);
    if let Some(state) = known
        && has(state, transaction)
    {
        return Judgement::Known {
            transactional_id,
            state,
        };
    }
    if !StatePartition::is_complete(partition) {
        return Judgement::Undecided(Doubt::IncompletePartition(home));
    }
    Judgement::Hanging(match known {
        Some(state) => Arm::PartitionNotInTransaction {
            transactional_id,
            state,
        },
        None => Arm::UnknownTransaction {
            transactional_id,
            found_in,
            home,
        },
    })
}

impl<'c> Judgement<'c> {
    /// The transactional id that it speaks of.
    #[must_use]
    pub const fn transactional_id(&self) -> Option<&'c TransactionLogKey> {
        match self {
            Self::Known {
                transactional_id, ..
            }
            | Self::Hanging(
                Arm::UnknownTransaction {
                    transactional_id, ..
                }
                | Arm::PartitionNotInTransaction {
                    transactional_id, ..
                },
            ) => Some(transactional_id),
            Self::Hanging(Arm::NoTransactionalId) | Self::Undecided(_) => None,
        }
    }
}

/// Whether the coordinator lists the partition; of an empty transaction it reads none.
fn has(state: &TransactionState, transaction: &OpenTransaction<'_>) -> bool {
    state.value.transaction_status != TransactionStatus::Empty
        && state
            .value
            .has_partition(transaction.topic.as_bytes(), transaction.partition)
}
