//! What a plan to repair a log tells people: what would be better, and what follows from it.

use super::kept_log::KeptLog;
use super::plan::{Action, Step};
use super::terms::How;
use crate::storage::directory::PartitionDirectory;

/// Sentences of a plan.
pub(super) struct Words {
    pub(super) alternatives: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// The sentences for a log that was not sound.
pub(super) fn of(directory: &PartitionDirectory, how: How, log: &KeptLog, steps: &[Step]) -> Words {
    let loses = !log.ledger.lost.is_empty();
    let mut words = Words {
        alternatives: Vec::new(),
        warnings: Vec::new(),
    };
    if loses {
        alternatives(directory, how, &mut words.alternatives);
        warnings(how, log, &mut words.warnings);
    }
    words.warnings.extend(log.lost_ends.iter().cloned());
    if steps.iter().any(|step| step.action == Action::Split) {
        words.warnings.push(
            "a segment is split because its offsets span more than 2147483647: were they meant \
             to? An offset is covered by no checksum"
                .to_owned(),
        );
    }
    if log.segments.is_empty() && loses {
        words.warnings.push(format!(
            "nothing of the log stays: it begins and ends at {}, its start by \
             log-start-offset-checkpoint",
            log.end
        ));
    }
    words
}

fn alternatives(directory: &PartitionDirectory, how: How, out: &mut Vec<String>) {
    out.push(format!(
        "if another replica is healthy: stop the broker, move {} out of the log directory, and \
         start it again; it fetches the partition from the leader, and nothing is lost",
        directory.path.display()
    ));
    out.push(match how {
        How::Truncate => "for the last copy that is left: --salvage keeps the batches behind the \
                          damage too"
            .to_owned(),
        How::AsItIs | How::Salvage => "on a follower: --truncate, and the leader sends it what is \
                                       cut off"
            .to_owned(),
    });
}

fn warnings(how: How, log: &KeptLog, out: &mut Vec<String>) {
    let end = log.end;
    let ledger = &log.ledger;
    let is_hole = |first: Option<_>| first.is_some_and(|first| first < end);
    if how == How::Salvage && ledger.lost.iter().any(|lost| is_hole(lost.first_offset)) {
        out.push(
            "offsets are not renumbered, so holes stay where batches are lost: a follower never \
             fetches what is missing inside its log, and once it leads, its holes are everybody's; \
             salvage the last copy that is left, no other"
                .to_owned(),
        );
    }
    let is_behind = |first: Option<_>| first.is_some_and(|first| first >= end);
    if ledger.lost.iter().any(|lost| is_behind(lost.first_offset)) {
        out.push(format!(
            "the log ends at {end} now, and a leader gives the offsets from there on to other \
             records: consumers that have read further see those as read already"
        ));
    }
    let open: Vec<_> = log.manager.ongoing().collect();
    for open in open.iter().take(MOST_OPEN) {
        out.push(format!(
            "a transaction of producer {} is open from offset {} on; if its end is lost here, \
             consumers of committed records wait there until it is aborted (`kfsck txns` tells \
             how)",
            open.producer_id, open.first_offset
        ));
    }
    if let Some(more) = open.len().checked_sub(MOST_OPEN).filter(|more| *more > 0) {
        out.push(format!("and {more} more transactions are open"));
    }
    if how == How::Salvage {
        out.push(
            "producers whose batches are lost show a gap in their sequences, which a broker that \
             reads the log takes"
                .to_owned(),
        );
    }
}

/// How many open transactions are told one by one.
const MOST_OPEN: usize = 5;
