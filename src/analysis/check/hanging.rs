//! Transactions that are open at the end of the log for longer than a cluster allows.
//!
//! Whether nobody will end one is for `__transaction_state` to say, which is not at hand here.

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use super::producers::Producers;
use super::terms::Terms;
use crate::analysis::belief::Belief;
use crate::analysis::event_verdict::Severity;
use crate::analysis::open_transactions::{Asked, OpenView, Verdict, Why, open_transactions};
use crate::analysis::words::measure::duration;
use crate::storage::partition_name::{DirectoryState, PartitionName};

/// Finds them. `is_whole` says whether all of the log could be read.
pub(super) fn find(
    belief: &Belief,
    name: Option<&PartitionName>,
    terms: &Terms,
    is_whole: bool,
    producers: &Producers,
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
    for view in open_transactions(belief, name, first, &asked) {
        if view.verdict() != Verdict::Ongoing {
            ledger.add(suspect(&view, terms, is_whole, producers));
        }
    }
}

fn suspect(view: &OpenView<'_>, terms: &Terms, is_whole: bool, producers: &Producers) -> Finding {
    let id = view.producer_id;
    let silence = view
        .last_timestamp
        .map_or(0, |last| terms.now.0.saturating_sub(last.0));
    let who = match &view.why {
        Why::NoProducer { .. } => {
            "no producer has it, so no marker can end it until the broker starts anew"
        }
        Why::ForeignProducer => "its coordinator is another cluster's",
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
    match view.last_timestamp {
        Some(last) => finding.resting_on(Evidence::values("lastTimestamp", &last, &terms.now)),
        None => finding,
    }
}
