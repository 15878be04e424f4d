//! A barrier (MIRROR_PID_RESET) across an open transaction, under each set of rules.

use super::document::{Dropped, Partition, json, only};
use super::log::Log;

/// Offset 0: a transaction; 1: the barrier; 2: a transaction of another producer; 3: its end.
fn under(rules: &str) -> (Partition, String) {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).barrier().data(6, 0).commit(6, 0);
    log.write(&root.path().join("t-0"), 0);
    let args = ["--rules", rules, "--now", "1700000000000"];
    let (document, outcome) = json(root.path(), &args);
    let stderr = outcome.ended_with(0).stderr;
    assert_eq!(document.rules, rules);
    (only(document), stderr)
}

const VOID: Dropped = Dropped {
    producer_id: 5,
    first_offset: 0,
    barrier_offset: 1,
};

#[test]
fn a_stock_broker_passes_over_it() {
    let (partition, stderr) = under("stock");
    assert_eq!(partition.last_stable_offset, Some(0));
    assert_eq!(partition.transactions[0].producer_id, 5);
    assert_eq!(
        (partition.dropped_transactions, stderr.as_str()),
        (vec![], "")
    );
}

#[test]
fn the_design_voids_the_transaction() {
    for rules in ["barrier", "mapped"] {
        let (partition, stderr) = under(rules);
        assert_eq!(partition.last_stable_offset, Some(4), "{rules}");
        assert!(partition.transactions.is_empty());
        assert_eq!(partition.dropped_transactions, [VOID]);
        for words in [
            "barrier at offset 1",
            "producer 5",
            "neither committed nor aborted",
        ] {
            assert!(stderr.contains(words), "{stderr}");
        }
    }
}

/// Of its prototype no producer has the transaction any more, or one that came back has.
#[test]
fn the_prototype_keeps_it_open() {
    let (partition, _) = under("fork");
    assert_eq!(partition.last_stable_offset, Some(0));
    assert_eq!(partition.transactions[0].first_offset, 0);
    assert_eq!(partition.dropped_transactions, [VOID]);
}
