//! A barrier (MIRROR_PID_RESET), and one across an open transaction, under each set of rules.

use super::document::{Dropped, Partition, Verdict, json, only, txns};
use super::log::Log;
use crate::program::Run;

const NOTE: &str = "note: mirror-pid-reset: offset 1 is a barrier";
const FINDING: &str = "position 74: barrier-open-transaction: the barrier at offset 1 came while a \
                       transaction of producer 5 was open, since offset 0: by these rules ";

/// Offset 0: a transaction; 1: the barrier; 2: a transaction of another producer; 3: its end.
fn across() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).barrier().data(6, 0).commit(6, 0);
    log.write(&root.path().join("t-0"), 0);
    root
}

fn under(rules: &str, code: i32) -> (Partition, String) {
    let args = ["--rules", rules, "--now", "1700000000000"];
    let (document, outcome) = json(across().path(), &args);
    let stderr = outcome.ended_with(code).stderr;
    assert_eq!(document.rules, rules);
    (only(document), stderr)
}

#[test]
fn a_stock_broker_passes_over_it() {
    let (partition, stderr) = under("stock", 0);
    assert_eq!(partition.last_stable_offset, Some(0));
    assert_eq!(partition.transactions[0].producer_id, 5);
    assert_eq!(
        (partition.dropped_transactions, stderr.as_str()),
        (vec![], "")
    );
}

#[test]
fn the_design_drops_the_transaction() {
    for rules in ["barrier", "mapped"] {
        let (partition, stderr) = under(rules, 1);
        assert_eq!(partition.last_stable_offset, Some(4), "{rules}");
        assert!(partition.transactions.is_empty());
        let dropped = Dropped {
            producer_id: 5,
            first_offset: 0,
            barrier_offset: 1,
        };
        assert_eq!(partition.dropped_transactions, [dropped]);
        let words = format!("{FINDING}it is over without a marker");
        assert!(stderr.contains(&words), "{stderr}");
        // Who chooses other rules than the default's knows of barriers.
        assert_eq!(stderr.contains(NOTE), rules == "barrier", "{stderr}");
    }
}

/// In one segment with the barrier the producer comes back, and its transaction stays open.
#[test]
fn the_prototype_keeps_it_open() {
    let (partition, stderr) = under("fork", 1);
    assert_eq!(partition.last_stable_offset, Some(0));
    assert_eq!(partition.transactions[0].first_offset, 0);
    assert!(partition.dropped_transactions.is_empty());
    assert!(stderr.contains("the transaction stays open"), "{stderr}");
}

/// From an earlier segment it is there still, and nobody has it.
#[test]
fn the_prototype_takes_its_producer_away() {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("t-0");
    Log::default().data(5, 0).data(5, 0).write(&partition, 0);
    Log::at(2).barrier().data(5, 0).write(&partition, 2);
    let args = ["--rules", "fork", "--now", "1800000000000"];
    let (document, outcome) = json(root.path(), &args);
    let stderr = outcome.ended_with(1).stderr;
    assert!(stderr.contains("no marker ends it"), "{stderr}");
    let partition = only(document);
    assert_eq!(partition.last_stable_offset, Some(0));
    let [stuck, next] = &partition.transactions[..] else {
        panic!("{partition:?}");
    };
    assert_eq!((stuck.first_offset, stuck.records), (0, Some(2)));
    assert_eq!((next.first_offset, next.records), (3, Some(1)));
    assert_eq!(
        (stuck.verdict, stuck.abort_command.as_ref()),
        (Verdict::Suspect, None)
    );
    let words = "a barrier took its producer away";
    assert!(stuck.reason.contains(words), "{}", stuck.reason);
    assert!(next.abort_command.is_some());
}

#[test]
fn quiet_leaves_out_the_note_and_not_the_finding() {
    let root = across();
    let quiet = txns(root.path(), &["-q"]).ended_with(1);
    assert!(quiet.stderr.contains(FINDING), "{}", quiet.stderr);
    assert!(!quiet.stderr.contains(NOTE), "{}", quiet.stderr);
    // Of other producers nothing is dropped.
    let other = txns(root.path(), &["-q", "--producer-id", "6"]).ended_with(0);
    assert_eq!(other.stderr, "");
}

#[test]
fn producers_says_the_same() {
    let root = across();
    for rules in ["stock", "barrier", "mapped", "fork"] {
        let lines = |command: &str| {
            let run = Run::new([command, "--rules", rules]).arg(root.path());
            let stderr = run.outcome().stderr;
            let mut lines: Vec<_> = stderr.lines().map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(lines("txns"), lines("producers"));
    }
}

#[test]
fn a_barrier_with_nothing_open_is_a_note() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().plain().barrier().barrier();
    log.write(&root.path().join("t-0"), 0);
    let told = txns(root.path(), &[]).ended_with(0).stderr;
    assert_eq!(told.matches("mirror-pid-reset").count(), 1, "{told}");
    assert!(told.contains(NOTE), "{told}");
    assert_eq!(txns(root.path(), &["-q"]).ended_with(0).stderr, "");
    let stock = txns(root.path(), &["--rules", "stock"]).ended_with(0);
    assert_eq!(stock.stderr, "");
}
