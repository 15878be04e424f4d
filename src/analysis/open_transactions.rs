//! The open transactions of a log, each with what it holds and a verdict: will it end by itself?
//!
//! The measure of age is the stock tool's: the time since the producer's last write. So is the
//! rule for what hangs, see [`super::hanging_transaction`]; who is to be asked is
//! `__transaction_state`, where it is at hand.

use super::belief::Belief;
use super::completed_commit::CompletedCommit;
use super::hanging_transaction::{Arm, Doubt, Judgement, OpenTransaction, judge};
use super::partition_copies::EndElsewhere;
use super::transaction_coordinator::{TransactionCoordinator, TransactionState};
use crate::format::number::{CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Timestamp};
use crate::format::transaction_log::TransactionLogKey;
use crate::state::batch::Place;
use crate::state::entry::Entry;
use crate::storage::partition_name::{DirectoryState, PartitionName};

/// What to judge by.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'c> {
    /// The clock.
    pub now: Timestamp,
    /// The greatest timeout that the cluster allows (`transaction.max.timeout.ms`).
    pub max_timeout_ms: i64,
    /// The coordinators, where `__transaction_state` is at hand.
    pub coordinator: Option<&'c TransactionCoordinator>,
}

/// Whether a transaction will end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Its time is not over, or its coordinator knows it and will end it.
    Ongoing,
    /// Its time is over, and who could end it is not known.
    Suspect,
    /// Its time is over, and no coordinator will ever end it.
    Hanging,
}

/// Why a transaction has its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why<'c> {
    /// Its time is not over.
    InTime,
    /// Its time is over, and its coordinator has it.
    Known {
        /// Its transactional id.
        transactional_id: &'c TransactionLogKey,
        /// What the coordinator knows.
        state: &'c TransactionState,
    },
    /// Another copy of the partition has its end: this one is behind.
    EndedElsewhere(EndElsewhere),
    /// No producer has it, so no marker ends it: a damaged snapshot left it behind, or a barrier
    /// that the prototype obeyed.
    NoProducer {
        /// It was the barrier.
        since_barrier: bool,
    },
    /// Its producer's id is below 0: the coordinator is another cluster's.
    ForeignProducer,
    /// There is nobody to ask.
    NoCoordinator,
    /// The directory does not say which partition this is, which the third arm asks for.
    NoPartition,
    /// The coordinators' answer is not known.
    Undecided(Doubt),
    /// One of the stock rule's arms holds.
    Hanging(Arm<'c>),
}

impl Why<'_> {
    /// The verdict that follows.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::InTime | Self::Known { .. } | Self::EndedElsewhere(_) => Verdict::Ongoing,
            Self::Hanging(_) => Verdict::Hanging,
            _ => Verdict::Suspect,
        }
    }
}

/// How the stock tool is told which transaction to abort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort {
    /// By its first offset: the broker is asked whose transaction begins there, and nothing is
    /// done where none does.
    StartOffset(Offset),
    /// By its producer, because the log's beginning is missing and with it perhaps the
    /// transaction's. Ends whatever transaction the producer has open.
    Producer {
        /// The producer.
        producer_id: ProducerId,
        /// Its epoch.
        producer_epoch: ProducerEpoch,
        /// An epoch of the coordinator that the broker does not take for an old one.
        coordinator_epoch: CoordinatorEpoch,
    },
}

/// An open transaction; what only a snapshot tells of lacks what lay in front of it.
#[derive(Debug, Clone)]
pub struct OpenView<'c> {
    /// Whose.
    pub producer_id: ProducerId,
    /// Its producer's epoch.
    pub producer_epoch: Option<ProducerEpoch>,
    /// The coordinator's epoch in its producer's last marker.
    pub coordinator_epoch: Option<CoordinatorEpoch>,
    /// Its first offset.
    pub first_offset: Offset,
    /// The last offset of its last data batch.
    pub last_offset: Option<Offset>,
    /// Where its first batch lies.
    pub first_place: Option<Place>,
    /// The timestamp of its first record.
    pub start_timestamp: Option<Timestamp>,
    /// When its producer last wrote.
    pub last_timestamp: Option<Timestamp>,
    /// Data batches that are there.
    pub batches: Option<u64>,
    /// Their records.
    pub records: Option<u64>,
    /// Their size, in bytes.
    pub bytes: Option<u64>,
    /// The transactional id that uses the producer's id now.
    pub transactional_id: Option<&'c TransactionLogKey>,
    /// Why the verdict.
    pub why: Why<'c>,
    /// What its coordinator has committed is not aborted.
    pub committed: Option<CompletedCommit<'c>>,
    /// How to abort it, where it is suspect or hanging and can be aborted.
    pub abort: Option<Abort>,
}

impl OpenView<'_> {
    /// Whether it will end by itself.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.why.verdict()
    }

    /// Milliseconds since it began, or since its producer last wrote where only a snapshot tells
    /// of its beginning; `None` without a time, or where that is later than `now`.
    #[must_use]
    pub fn age_ms(&self, now: Timestamp) -> Option<u64> {
        let since = self.start_timestamp.or(self.last_timestamp)?;
        u64::try_from(now.0.checked_sub(since.0)?).ok()
    }
}

/// The open transactions of a log that was replayed, by first offset. `first` is the base offset
/// of its first segment.
#[must_use]
pub fn open_transactions<'c>(
    belief: &Belief,
    name: Option<&PartitionName>,
    first: Offset,
    asked: &Asked<'c>,
) -> Vec<OpenView<'c>> {
    let ongoing = belief.state.manager().ongoing();
    let views = ongoing.map(|open| {
        let entry = belief.state.manager().producers().get(open.producer_id);
        let entry = entry.filter(|entry| entry.current_txn_first_offset == Some(open.first_offset));
        let mut view = seen(belief, open.producer_id, open.first_offset, entry.as_ref());
        let transaction = OpenTransaction {
            topic: name.map_or("", |name| &name.topic),
            partition: name.map_or(-1, |name| name.partition),
            producer_id: view.producer_id,
            last_timestamp: view.last_timestamp.unwrap_or(Timestamp::NONE),
        };
        let judgement = asked.coordinator.map(|known| judge(&transaction, known));
        // Of several ids that one is named of which the reason speaks.
        let judged_id = judgement.as_ref().and_then(Judgement::transactional_id);
        view.transactional_id = judged_id.or_else(|| {
            let ids = asked.coordinator?.transactional_ids(open.producer_id);
            ids.first().map(|(_, id)| id)
        });
        view.why = if !transaction.is_overdue(asked.now, asked.max_timeout_ms) {
            // What the stock tool compares is the difference alone, so a clock that is behind
            // shows none.
            Why::InTime
        } else if entry.is_none() {
            let transactions = belief.state.transactions();
            Why::NoProducer {
                since_barrier: transactions.is_stuck(open.producer_id, open.first_offset),
            }
        } else {
            overdue(open.producer_id, judgement, name)
        };
        let is_whole = first == Offset(0) || belief.began_with.is_some();
        view.abort = abort_of(&view, is_whole, name, asked);
        view
    });
    views.collect()
}

/// What the log shows of an open transaction.
fn seen<'c>(
    belief: &Belief,
    id: ProducerId,
    first_offset: Offset,
    entry: Option<&Entry<1>>,
) -> OpenView<'c> {
    let known = belief.state.transactions().open_at(id, first_offset);
    let with_data = known.filter(|transaction| transaction.batches > 0);
    let timed = |time: Timestamp| (time != Timestamp::NONE).then_some(time);
    let last_batch = entry.and_then(|entry| entry.batches.last());
    OpenView {
        producer_id: id,
        producer_epoch: entry
            .map(|entry| entry.producer_epoch)
            .or(known.map(|transaction| transaction.producer_epoch)),
        coordinator_epoch: entry
            .map(|entry| entry.coordinator_epoch)
            .filter(|epoch| epoch.0 >= 0),
        first_offset,
        last_offset: with_data
            .map(|transaction| transaction.last_offset)
            .or(last_batch.map(|batch| batch.last_offset)),
        first_place: known.and_then(|transaction| transaction.first_place),
        start_timestamp: known.and_then(|transaction| timed(transaction.first_timestamp)),
        last_timestamp: entry
            .map(|entry| entry.last_timestamp)
            .or(with_data.map(|transaction| transaction.last_timestamp))
            .and_then(timed),
        batches: known.map(|transaction| transaction.batches),
        records: known.map(|transaction| transaction.records),
        bytes: known.map(|transaction| transaction.bytes),
        transactional_id: None,
        why: Why::InTime,
        committed: None,
        abort: None,
    }
}

/// Why the verdict on a transaction whose time is over, by what the coordinators say of it.
fn overdue<'c>(
    id: ProducerId,
    judgement: Option<Judgement<'c>>,
    name: Option<&PartitionName>,
) -> Why<'c> {
    if id < ProducerId(0) {
        return Why::ForeignProducer;
    }
    let Some(judgement) = judgement else {
        return Why::NoCoordinator;
    };
    match judgement {
        Judgement::Known {
            transactional_id,
            state,
        } => Why::Known {
            transactional_id,
            state,
        },
        Judgement::Undecided(doubt) => Why::Undecided(doubt),
        Judgement::Hanging(Arm::PartitionNotInTransaction { .. }) if name.is_none() => {
            Why::NoPartition
        }
        Judgement::Hanging(arm) => Why::Hanging(arm),
    }
}

fn abort_of(
    view: &OpenView<'_>,
    is_whole: bool,
    name: Option<&PartitionName>,
    asked: &Asked<'_>,
) -> Option<Abort> {
    let is_served = !matches!(
        name.and_then(|name| name.state),
        Some(DirectoryState::Deleted | DirectoryState::Stray)
    );
    let can_be_aborted = !matches!(view.why, Why::NoProducer { .. } | Why::ForeignProducer);
    if view.verdict() == Verdict::Ongoing || !is_served || !can_be_aborted {
        return None;
    }
    // A marker of the same producer in front of it ended what was before.
    if is_whole || view.coordinator_epoch.is_some() {
        return Some(Abort::StartOffset(view.first_offset));
    }
    Some(Abort::Producer {
        producer_id: view.producer_id,
        producer_epoch: view.producer_epoch?,
        coordinator_epoch: greatest_coordinator_epoch(view.producer_id, asked),
    })
}

/// The epoch of the coordinator as of the last record of a transactional id that uses the
/// producer's id, else 0.
fn greatest_coordinator_epoch(id: ProducerId, asked: &Asked<'_>) -> CoordinatorEpoch {
    let epochs = asked.coordinator.into_iter().flat_map(|coordinator| {
        let ids = coordinator.transactional_ids(id).iter();
        ids.filter_map(|(number, key)| {
            let partition = coordinator.partitions().get(number)?;
            Some(partition.state(key)?.leader_epoch.0)
        })
    });
    CoordinatorEpoch(epochs.max().unwrap_or(0).max(0))
}
