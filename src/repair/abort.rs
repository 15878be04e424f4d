//! `repair abort`: the ABORT that a hanging transaction waits for, where no broker can write it.

use super::error::{PlanError, Refusal};
use super::plan::{Plan, Verb};
use super::sound::internal_topic;
use super::tail::{Tail, procedure};
use super::terms::Terms;
use crate::analysis::completed_commit::{Began, completed_commit, prepared_commit};
use crate::analysis::hanging_transaction::{Arm, Judgement, OpenTransaction, judge};
use crate::analysis::log_bytes::LogBytes;
use crate::analysis::transaction_coordinator::{StatePartition, TransactionCoordinator};
use crate::format::control::{ControlType, EndTxnMarker};
use crate::format::control_batch::put_end_txn_marker;
use crate::format::number::{CoordinatorEpoch, ProducerId, Timestamp};
use crate::state::batch::{Control, Marker};
use crate::state::read::{ReadOptions, segments};
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::ReadError;

/// Whose transaction is aborted, and by what right.
#[derive(Debug, Clone, Copy)]
pub struct Abort<'c> {
    /// Whose.
    pub producer_id: ProducerId,
    /// The time of the marker.
    pub timestamp: Timestamp,
    /// The coordinators, where `__transaction_state` is at hand.
    pub coordinator: Option<&'c TransactionCoordinator>,
    /// Coordinators in the partition's own log directory, where others judge.
    pub beside: Option<&'c TransactionCoordinator>,
    /// Whatever the coordinators say, but for a commit that is decided and not complete.
    pub force: bool,
    /// The clock for whether the transaction's time is over.
    pub now: Timestamp,
    /// The greatest timeout that the cluster allows (`transaction.max.timeout.ms`), in
    /// milliseconds.
    pub max_timeout_ms: i64,
}

/// Plans to append the ABORT; nothing where the producer has no transaction open.
///
/// # Errors
/// A file that cannot be read; a log that is not sound; a producer that the log does not know; a
/// transaction that does not hang, or whose commit is decided.
pub fn plan(
    directory: &PartitionDirectory,
    abort: &Abort<'_>,
    terms: &Terms,
) -> Result<Plan, PlanError> {
    let refused = |refusal| PlanError::Refused {
        path: directory.path.clone(),
        refusal,
    };
    let producers = |why: String| refused(Refusal::Producers(why));
    let id = abort.producer_id;
    let topic = internal_topic(directory.name.as_ref());
    // Consumers commit their offsets in transactions.
    if let Some(topic) = topic.filter(|topic| *topic != "__consumer_offsets") {
        return Err(refused(Refusal::Internal(topic)));
    }
    let tail = Tail::read(directory, terms, &mut |_| {})?;
    let Some(entry) = tail.manager().producers().get(id) else {
        return Err(producers(format!(
            "a broker knows no producer {id} at the end of this log"
        )));
    };
    let Some(first_offset) = entry.current_txn_first_offset else {
        let why = format!("producer {id} has no transaction open");
        return tail.nothing(Verb::Abort, why);
    };
    let name = directory.name.as_ref();
    let transaction = OpenTransaction {
        topic: name.map_or("", |name| &name.topic),
        partition: name.map_or(-1, |name| name.partition),
        producer_id: id,
        last_timestamp: entry.last_timestamp,
    };
    let began = Began {
        producer_id: id,
        producer_epoch: entry.producer_epoch,
        first_offset,
        since: None,
    };
    let began = dated(began, entry.last_timestamp, directory, terms)?;
    let lost = lost_commit(&began, abort, directory, terms)?;
    let by = right(&transaction, &began, abort, lost.as_deref()).map_err(producers)?;
    let place = tail.place(abort.timestamp);
    // As a mirror that stops does: 0 where no marker of the producer came before.
    let coordinator_epoch = CoordinatorEpoch(entry.coordinator_epoch.0.max(0));
    let mut bytes = Vec::new();
    put_end_txn_marker(
        place,
        (id, entry.producer_epoch),
        ControlType::Abort,
        EndTxnMarker::new(coordinator_epoch),
        &mut bytes,
    )
    .map_err(|fault| producers(fault.to_string()))?;
    let control = Control::Marker(Marker {
        is_abort: true,
        version: 0,
        coordinator_epoch,
        timestamp: abort.timestamp,
    });
    let detail = format!(
        "an ABORT of producer {id}, epoch {}, coordinator epoch {coordinator_epoch}, for its \
         transaction from offset {first_offset} on",
        entry.producer_epoch
    );
    let mut plan = tail.append(Verb::Abort, bytes.clone(), &control, detail)?;
    plan.warnings.push(by);
    plan.warnings.extend(contradiction(&transaction, abort));
    procedure(&mut plan, &bytes, place);
    Ok(plan)
}

/// By what right the transaction is aborted, or why it is not.
fn right(
    transaction: &OpenTransaction<'_>,
    began: &Began,
    abort: &Abort<'_>,
    lost_commit: Option<&str>,
) -> Result<String, String> {
    let id = transaction.producer_id;
    if let Some(text) = decided_commit(transaction, abort) {
        return Err(format!(
            "transaction of producer {id}: {text} has decided to commit it, and other partitions \
             may have its COMMIT already; it is not aborted, also not with --force: bring the \
             coordinator back and let it end the transaction"
        ));
    }
    if let Some(text) = lost_commit {
        let told = format!(
            "{text} has committed it, and its COMMIT is lost here: an ABORT throws away records \
             that are committed elsewhere"
        );
        return match abort.force {
            true => Ok(format!("aborted by --force: {told}")),
            false => Err(format!(
                "transaction of producer {id}: {told}; look for the COMMIT on other replicas and \
                 fetch the partition from one that has it, or give --force"
            )),
        };
    }
    if abort.force {
        return Ok(
            "aborted by --force: if a coordinator still knows the transaction and commits it, \
             this partition has aborted what others have committed"
                .to_owned(),
        );
    }
    let Some(coordinator) = abort.coordinator else {
        return Err(format!(
            "transaction of producer {id}: whether it hangs, its coordinator tells: give \
             --transaction-log, the directories of __transaction_state, or --force"
        ));
    };
    if !transaction.is_overdue(abort.now, abort.max_timeout_ms) {
        return Err(format!(
            "transaction of producer {id}: it last wrote {} ms ago, and the longest transaction \
             may take {} ms: it may end by itself",
            abort.now.0.saturating_sub(transaction.last_timestamp.0),
            abort.max_timeout_ms
        ));
    }
    match judge(transaction, coordinator) {
        Judgement::Hanging(Arm::NoTransactionalId) => Ok(format!(
            "hanging: no transactional id uses producer {id}, so no coordinator ends it"
        )),
        Judgement::Hanging(Arm::UnknownTransaction { .. }) => {
            Ok("hanging: the coordinator of its transactional id does not know the id".to_owned())
        }
        Judgement::Hanging(arm @ Arm::PartitionNotInTransaction { .. }) => Ok(without(&arm, began)),
        Judgement::Known { state, .. } => Err(format!(
            "transaction of producer {id}: its coordinator knows it ({}) and will end it",
            state.value.transaction_status
        )),
        Judgement::Undecided(_) => Err(format!(
            "transaction of producer {id}: whether it hangs cannot be told from the partitions \
             of __transaction_state that were given (`kfsck txns` tells which are missing); give \
             all, or --force"
        )),
    }
}

/// The third arm, and where the coordinator's record may be that of an older copy.
fn without(arm: &Arm<'_>, began: &Began) -> String {
    let written = arm.written_before(began.since.unwrap_or(Timestamp::NONE));
    let older = written.map_or_else(String::new, |written| {
        format!(
            "; its record was last written at {written}, before it began: if __transaction_state \
             was copied earlier than the partition, copy it anew first"
        )
    });
    format!("hanging: the transaction of its transactional id has not this partition{older}")
}

/// What coordinators beside the partition say against an abort that others allow, in words.
fn contradiction(transaction: &OpenTransaction<'_>, abort: &Abort<'_>) -> Option<String> {
    let Judgement::Known {
        transactional_id,
        state,
    } = judge(transaction, abort.beside?)
    else {
        return None;
    };
    let name = String::from_utf8_lossy(&transactional_id.transactional_id);
    Some(format!(
        "the __transaction_state beside the partition contradicts: there the coordinator of \
         transactional id {name:?} knows the transaction ({}, offset {}) and will end it; find out \
         which copy is the newer one before anything is aborted",
        state.value.transaction_status, state.offset
    ))
}

/// The coordinators that have a say in what was committed, each with those who may know better.
fn heard<'a>(
    abort: &'a Abort<'_>,
) -> impl Iterator<
    Item = (
        &'a TransactionCoordinator,
        Option<&'a TransactionCoordinator>,
    ),
> {
    let given = abort.coordinator.map(|known| (known, None));
    let beside = abort.beside.map(|known| (known, abort.coordinator));
    given.into_iter().chain(beside)
}

/// The transactional id whose commit of this partition is decided, in words.
fn decided_commit(transaction: &OpenTransaction<'_>, abort: &Abort<'_>) -> Option<String> {
    let partition = (transaction.topic, transaction.partition);
    let id = heard(abort).find_map(|(known, newer)| {
        prepared_commit(
            transaction.producer_id,
            partition,
            known,
            &|number, held| !is_outdated(held, number, newer),
        )
    })?;
    Some(words(&id.transactional_id))
}

/// With the time of its first record, or that of its producer's last write where that is not here.
fn dated(
    began: Began,
    last: Timestamp,
    directory: &PartitionDirectory,
    terms: &Terms,
) -> Result<Began, ReadError> {
    let segments = segments(directory);
    let log = LogBytes::Segments(&segments);
    let first = log.batch_at(began.first_offset, options(terms))?;
    let first = first.filter(|first| first.producer_id == began.producer_id);
    let since = first.map_or(last, |first| first.first_timestamp);
    Ok(Began {
        since: (since != Timestamp::NONE).then_some(since),
        ..began
    })
}

const fn options(terms: &Terms) -> ReadOptions {
    ReadOptions {
        access: terms.access,
        check_crc: true,
    }
}

/// The transactional id whose commit of the transaction is complete, in words: its marker in this
/// partition is lost.
fn lost_commit(
    began: &Began,
    abort: &Abort<'_>,
    directory: &PartitionDirectory,
    terms: &Terms,
) -> Result<Option<String>, ReadError> {
    let segments = segments(directory);
    let log = (LogBytes::Segments(&segments), options(terms));
    for (known, newer) in heard(abort) {
        let is_asked = &|number, held: &StatePartition| !is_outdated(held, number, newer);
        if let Some(commit) = completed_commit(began, known, log, is_asked)? {
            return Ok(Some(words(&commit.transactional_id.transactional_id)));
        }
    }
    Ok(None)
}

fn words(transactional_id: &[u8]) -> String {
    let id = String::from_utf8_lossy(transactional_id);
    format!("the coordinator of transactional id {id:?}")
}

/// Whether others have a copy of the partition that goes on behind this one's end.
fn is_outdated(
    partition: &StatePartition,
    number: u32,
    others: Option<&TransactionCoordinator>,
) -> bool {
    let other = others.and_then(|others| others.partitions().get(&number));
    other.is_some_and(|other| other.is_complete() && other.end_offset() > partition.end_offset())
}
