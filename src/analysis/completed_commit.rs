//! A transaction that is open in a partition, and that its coordinator has committed: the COMMIT of
//! this partition is lost, and an ABORT in its place would throw away what others have committed.
//!
//! The stock rule calls such a transaction hanging, as its coordinator will write no marker any
//! more; it does not ask how the transaction ended.

use super::log_bytes::LogBytes;
use super::open_transactions::OpenView;
use super::transaction_coordinator::{StatePartition, TransactionCoordinator, TransactionState};
use crate::format::number::{Offset, ProducerEpoch, ProducerId, Timestamp};
use crate::format::transaction_log::{TransactionLogKey, TransactionLogValue, TransactionStatus};
use crate::state::read::ReadOptions;
use crate::storage::source::ReadError;

/// From this version of the transaction protocol on each transaction has an epoch of its own, and
/// its markers have the next one (KIP-890).
pub const EPOCH_FOR_EACH: i16 = 2;

/// A transaction that is open in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Began {
    /// Whose.
    pub producer_id: ProducerId,
    /// The epoch of its data.
    pub producer_epoch: ProducerEpoch,
    /// Where it begins.
    pub first_offset: Offset,
    /// The timestamp of its first record, or of its producer's last write; `None` for none.
    pub since: Option<Timestamp>,
}

/// The coordinator that has committed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedCommit<'c> {
    /// The transactional id.
    pub transactional_id: &'c TransactionLogKey,
    /// The partition of `__transaction_state`.
    pub partition: u32,
    /// What the coordinator knows.
    pub state: &'c TransactionState,
    /// Whether it must be this transaction. Before version 2 of the protocol transactions share an
    /// epoch, and it is this one by all that is here.
    pub is_certain: bool,
}

/// The commit that a coordinator has completed of a transaction; only such partitions of
/// `__transaction_state` are asked that `is_asked` takes.
///
/// Where transactions share an epoch, data may also have come late, behind the COMMIT that ended
/// the rest of theirs; such a marker is looked for in the log.
///
/// # Errors
/// A file of the log cannot be opened or read, or was changed meanwhile.
pub fn completed_commit<'c>(
    began: &Began,
    coordinator: &'c TransactionCoordinator,
    (log, options): (LogBytes<'_>, ReadOptions),
    is_asked: &dyn Fn(u32, &StatePartition) -> bool,
) -> Result<Option<CompletedCommit<'c>>, ReadError> {
    for (number, key) in coordinator.transactional_ids(began.producer_id) {
        let held = coordinator.partitions().get(number);
        let held = held.filter(|held| is_asked(*number, held));
        let state = held.and_then(|held| held.state(key));
        let Some(state) = state.filter(|state| may_be_of(&state.value, began)) else {
            continue;
        };
        let is_certain = has_epochs(&state.value);
        let marker = match is_certain {
            true => None,
            false => log.last_marker(began.producer_id, began.first_offset, options)?,
        };
        if marker.is_none_or(|marker| marker.timestamp < state.value.start_timestamp) {
            return Ok(Some(CompletedCommit {
                transactional_id: key,
                partition: *number,
                state,
                is_certain,
            }));
        }
    }
    Ok(None)
}

/// The transactional id whose coordinator has decided to commit its transaction in a partition and
/// has markers to write; only such partitions of `__transaction_state` are asked that `is_asked`
/// takes.
pub fn prepared_commit<'c>(
    id: ProducerId,
    (topic, partition): (&str, i32),
    coordinator: &'c TransactionCoordinator,
    is_asked: &dyn Fn(u32, &StatePartition) -> bool,
) -> Option<&'c TransactionLogKey> {
    let mut ids = coordinator.transactional_ids(id).iter();
    let decided = ids.find(|(number, key)| {
        let held = coordinator.partitions().get(number);
        let held = held.filter(|held| is_asked(*number, held));
        let state = held.and_then(|held| held.state(key));
        state.is_some_and(|state| {
            state.value.transaction_status == TransactionStatus::PrepareCommit
                && state.value.has_partition(topic.as_bytes(), partition)
        })
    });
    decided.map(|(_, key)| key)
}

const fn has_epochs(value: &TransactionLogValue) -> bool {
    value.client_transaction_version >= EPOCH_FOR_EACH
}

fn may_be_of(value: &TransactionLogValue, began: &Began) -> bool {
    let epoch = began.producer_epoch.0;
    let is_same = match has_epochs(value) {
        true => epoch.checked_add(1) == Some(value.producer_epoch.0),
        // What was completed before the transaction began is none of its.
        false => {
            let completed = value.last_update_timestamp;
            value.producer_epoch.0 == epoch && began.since.is_none_or(|since| since <= completed)
        }
    };
    value.transaction_status == TransactionStatus::CompleteCommit && is_same
}

/// Finds those among open transactions that their coordinators have committed, and takes the way to
/// abort them away.
///
/// # Errors
/// A file of the log cannot be opened or read, or was changed meanwhile.
pub fn spare_committed<'c>(
    open: &mut [OpenView<'c>],
    coordinator: &'c TransactionCoordinator,
    log: LogBytes<'_>,
    options: ReadOptions,
) -> Result<(), ReadError> {
    for view in open {
        let Some((_, producer_epoch)) = view.abort.zip(view.producer_epoch) else {
            continue;
        };
        let began = Began {
            producer_id: view.producer_id,
            producer_epoch,
            first_offset: view.first_offset,
            since: view.start_timestamp.or(view.last_timestamp),
        };
        view.committed = completed_commit(&began, coordinator, (log, options), &|_, _| true)?;
        if view.committed.is_some() {
            view.abort = None;
        }
    }
    Ok(())
}
