//! Transactions that are open at the end of the log for longer than a cluster allows.
//!
//! Whether nobody will end one `kfsck txns` says, by all that `__transaction_state` holds. Here it
//! is asked only what an abort would destroy, and other copies whether the transaction has ended.

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::known_cluster::Coordinators;
use super::ledger::Ledger;
use super::producers::Producers;
use super::terms::Terms;
use crate::analysis::belief::Belief;
use crate::analysis::completed_commit::{CompletedCommit, prepared_commit, spare_committed};
use crate::analysis::event_verdict::Severity;
use crate::analysis::log_bytes::LogBytes;
use crate::analysis::open_transactions::{Asked, OpenView, Verdict, Why, open_transactions};
use crate::analysis::partition_copies::{EndElsewhere, PartitionCopies, Reading, ThisCopy};
use crate::analysis::words::measure::duration;
use crate::format::number::ProducerId;
use crate::state::read::ReadOptions;
use crate::storage::partition_name::{DirectoryState, PartitionName};

/// Evidence of a transaction that its coordinator commits or has committed.
pub const WAS_COMMITTED: &str = "transaction that was committed";

/// Who else knows of a partition's transactions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Others<'a> {
    /// The coordinators of its cluster.
    pub(super) coordinators: Option<&'a Coordinators>,
    /// The cluster's id.
    pub(super) cluster_id: Option<&'a str>,
    /// Copies of partitions.
    pub(super) copies: Option<&'a PartitionCopies<'a>>,
}

/// Finds them. `is_whole` says whether all of the log could be read.
pub(super) fn find(
    belief: &Belief,
    name: Option<&PartitionName>,
    terms: &Terms,
    is_whole: bool,
    (producers, others): (&Producers, Others<'_>),
    ledger: &mut Ledger<'_>,
) {
    // Nobody waits for what is on its way out.
    if name.is_some_and(|name| name.state == Some(DirectoryState::Deleted)) {
        return;
    }
    let asked = Asked {
        now: terms.now,
        max_timeout_ms: terms.max_transaction_timeout_ms,
        coordinator: None,
    };
    let first = producers.segments.first();
    let first = first.map_or(belief.log_start_offset, |first| first.base_offset);
    let mut open = open_transactions(belief, name, first, &asked);
    let log = LogBytes::Segments(&producers.segments);
    let options = reading(terms).options;
    if let Some((name, copies)) = name.zip(others.copies) {
        let this = ThisCopy {
            name,
            path: &belief.path,
            cluster: others.cluster_id,
            log,
        };
        copies.settle(&this, &mut open, &reading(terms));
    }
    if let Some(coordinators) = others.coordinators {
        // What cannot be read any more the pass has told.
        let _ = spare_committed(&mut open, &coordinators.known, log, options);
    }
    for view in open {
        if let Why::EndedElsewhere(end) = &view.why {
            ledger.add(behind(&view, end, producers));
        } else if view.verdict() != Verdict::Ongoing {
            let commit = others.coordinators.and_then(|coordinators| {
                let prepared = || prepared(view.producer_id, name?, coordinators);
                let completed = view.committed.as_ref();
                let completed = completed.map(|commit| completed_by(commit, coordinators));
                completed.or_else(prepared)
            });
            ledger.add(suspect(&view, terms, is_whole, producers, commit));
        }
    }
}

/// How other copies are read.
pub(super) const fn reading(terms: &Terms) -> Reading {
    Reading {
        rules: terms.rules,
        options: ReadOptions {
            access: terms.access,
            check_crc: true,
        },
        until: None,
    }
}

/// Who commits a transaction that is open here, in words, and his record.
struct Commit {
    text: String,
    record: Evidence,
}

fn completed_by(commit: &CompletedCommit<'_>, coordinators: &Coordinators) -> Commit {
    let id = String::from_utf8_lossy(&commit.transactional_id.transactional_id);
    let whose = match commit.is_certain {
        true => "it",
        false => "the last transaction of this epoch, and no marker of that lies in front of it",
    };
    Commit {
        text: format!(
            "the coordinator of transactional id {id:?} has committed {whose}: an abort throws \
             away records that are committed elsewhere"
        ),
        record: Evidence {
            what: WAS_COMMITTED,
            path: coordinators.paths.get(&commit.partition).cloned(),
            offset: Some(commit.state.offset),
            ..Evidence::default()
        },
    }
}

fn prepared(
    producer: ProducerId,
    name: &PartitionName,
    coordinators: &Coordinators,
) -> Option<Commit> {
    let partition = (&*name.topic, name.partition);
    let id = prepared_commit(producer, partition, &coordinators.known, &|_, _| true)?;
    let id = String::from_utf8_lossy(&id.transactional_id);
    Some(Commit {
        text: format!(
            "the coordinator of transactional id {id:?} has decided to commit it, and ends it \
             when it runs"
        ),
        record: Evidence {
            what: WAS_COMMITTED,
            ..Evidence::default()
        },
    })
}

/// A transaction whose end this copy has not got yet.
fn behind(view: &OpenView<'_>, end: &EndElsewhere, producers: &Producers) -> Finding {
    let text = format!(
        "the transaction of producer {} is open here since offset {}, and its {} lies at offset \
         {} of {}: this copy is behind",
        view.producer_id,
        view.first_offset,
        end.kind(),
        end.offset,
        end.path.display()
    );
    let path = producers.path_of(view.first_offset);
    let finding = Finding::new(FindingCode::HangingTransaction, Severity::Note, path, text)
        .with_offset(view.first_offset)
        .with_producer(view.producer_id)
        .resting_on(Evidence {
            what: "end marker in another copy",
            path: Some(end.path.clone()),
            offset: Some(end.offset),
            ..Evidence::default()
        });
    match view.first_place {
        Some(place) => finding.at(place.position).spanning(place.size.into()),
        None => finding,
    }
}

fn suspect(
    view: &OpenView<'_>,
    terms: &Terms,
    is_whole: bool,
    producers: &Producers,
    commit: Option<Commit>,
) -> Finding {
    let id = view.producer_id;
    let silence = view
        .last_timestamp
        .map_or(0, |last| terms.now.0.saturating_sub(last.0));
    let who = match (&view.why, &commit) {
        (_, Some(commit)) => &*commit.text,
        (Why::NoProducer { .. }, _) => {
            "no producer has it, so no marker can end it until the broker starts anew"
        }
        (Why::ForeignProducer, _) => "its coordinator is another cluster's",
        _ => {
            "suspect, not proved to hang: whether its coordinator still has it is for \
             __transaction_state to say"
        }
    };
    let rest = match is_whole {
        true => "",
        false => {
            "; a part of this log is damaged or could not be read, and its marker may lie there"
        }
    };
    let text = format!(
        "the transaction of producer {id} is open since offset {}, and its producer is silent for \
         {}, more than {} (transaction.max.timeout.ms): consumers that read committed data get \
         nothing from there on; {who}{rest}",
        view.first_offset,
        duration(silence.max(0).unsigned_abs()),
        duration(terms.max_transaction_timeout_ms.max(0).unsigned_abs()),
    );
    let path = producers.path_of(view.first_offset);
    let code = FindingCode::HangingTransaction;
    let mut finding = Finding::new(code, Severity::Warning, path, text)
        .with_offset(view.first_offset)
        .with_producer(id);
    if let Some(place) = view.first_place {
        finding = finding.at(place.position).spanning(place.size.into());
    }
    if let Some(last) = view.last_offset {
        finding = finding.resting_on(Evidence {
            what: "last offset of the transaction",
            offset: Some(last),
            ..Evidence::default()
        });
    }
    if let Some(commit) = commit {
        finding = finding.resting_on(commit.record);
    }
    match view.last_timestamp {
        Some(last) => finding.resting_on(Evidence::values("lastTimestamp", &last, &terms.now)),
        None => finding,
    }
}
