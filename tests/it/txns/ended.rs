//! Transactions that ended, on the logs that real brokers wrote.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kfsck::format::txn_index::TxnIndex;

use super::document::{Document, State, Verdict, json, only, txns};
use super::log::Log;
use crate::corpus;

fn all_of(path: &Path) -> Document {
    let (document, outcome) = json(path, &["--all", "--now", "1800000000000"]);
    assert!(matches!(outcome.code, 0 | 1), "{}", outcome.stderr);
    document
}

/// What the broker wrote into the transaction indexes of a partition.
fn indexed(partition: &Path) -> BTreeSet<(i64, i64, i64)> {
    let files = corpus::files(partition).into_iter();
    files
        .filter(|file| file.extension().is_some_and(|kind| kind == "txnindex"))
        .flat_map(|file| {
            let bytes = fs::read(file).unwrap();
            let mut index = TxnIndex::new(&bytes[..]);
            let entries = index.entries().map(|entry| {
                let entry = entry.unwrap().unwrap();
                (
                    entry.producer_id.0,
                    entry.first_offset.0,
                    entry.last_offset.0,
                )
            });
            entries.collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn aborted_transactions_are_those_of_the_transaction_indexes() {
    let mut compared = 0;
    for log_directory in ["main", "crash/clean"] {
        for partition in all_of(&corpus::directory().join(log_directory)).partitions {
            let path = Path::new(&partition.path);
            // A cleaner takes markers away and leaves entries of the index.
            if partition.topic_partition.starts_with("compact") {
                continue;
            }
            let aborted = partition.transactions.iter();
            let aborted: BTreeSet<_> = aborted
                .filter(|transaction| transaction.state == State::Aborted)
                .map(|transaction| {
                    (
                        transaction.producer_id,
                        transaction.first_offset,
                        transaction.last_offset.unwrap(),
                    )
                })
                .collect();
            assert_eq!(aborted, indexed(path), "{}", partition.path);
            compared += aborted.len();
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn each_that_ended_is_closed_and_names_both_ends() {
    let mut committed = 0;
    for partition in all_of(&corpus::directory().join("main")).partitions {
        for transaction in &partition.transactions {
            if transaction.state == State::Open {
                continue;
            }
            assert_eq!(transaction.verdict, Verdict::Closed);
            assert_eq!(transaction.abort_command, None);
            assert!(transaction.coordinator_epoch >= Some(0));
            assert!(transaction.last_data_offset < transaction.last_offset);
            assert!(transaction.age_ms.is_none());
            let marker = fs::read(transaction.marker_path.as_ref().unwrap()).unwrap();
            let at = usize::try_from(transaction.marker_position.unwrap()).unwrap();
            let offset = i64::from_be_bytes(marker[at..at + 8].try_into().unwrap());
            assert_eq!(Some(offset), transaction.last_offset);
            let first = fs::read(transaction.path.as_ref().unwrap()).unwrap();
            let at = usize::try_from(transaction.position.unwrap()).unwrap();
            let offset = i64::from_be_bytes(first[at..at + 8].try_into().unwrap());
            assert_eq!(offset, transaction.first_offset);
            committed += usize::from(transaction.state == State::Committed);
        }
    }
    assert!(committed >= 15, "{committed}");
}

#[test]
fn they_are_shown_only_when_asked_for_and_at_most_top() {
    let root = tempfile::tempdir().unwrap();
    let log = (0..5).fold(Log::default(), |log, _| log.data(3, 0).commit(3, 0));
    log.data(4, 0).write(&root.path().join("t-0"), 0);
    let now = ["--now", "1700000000000"];
    let shown = |args: &[&str]| {
        let (document, outcome) = json(root.path(), &[&now[..], args].concat());
        outcome.ended_with(0);
        only(document).transactions.len()
    };
    assert_eq!(shown(&[]), 1);
    assert_eq!(shown(&["--all"]), 6);
    assert_eq!(shown(&["--all", "--top", "2"]), 3);
    assert_eq!(shown(&["--all", "--top", "0"]), 0);
    let text = txns(
        root.path(),
        &["--all", "--top", "2", "--now", "1700000000000"],
    );
    let text = text.ended_with(0);
    for words in ["... and 3 more (--top)", "commit", "4 "] {
        assert!(text.text().contains(words), "{}", text.text());
    }
}

#[test]
fn stats_count_and_measure_what_ended() {
    let root = tempfile::tempdir().unwrap();
    // Two records and a commit, one and an abort, an abort of nothing, one left open: an offset is
    // a second.
    let log = Log::default().data(1, 0).data(1, 0).commit(1, 0);
    let log = log.data(2, 0).plain().abort(2, 0).abort(2, 0).data(3, 0);
    log.write(&root.path().join("t-0"), 0);
    log.write(&root.path().join("t-1"), 0);
    let (document, outcome) = json(root.path(), &["--stats", "--now", "1700000000000"]);
    outcome.ended_with(0);
    let data = log.bytes.len();
    assert!(data > 0);
    let one = document.partitions[0].stats.as_ref().unwrap();
    assert_eq!(
        (one.committed, one.aborted, one.empty, one.open),
        (1, 1, 1, 1)
    );
    assert_eq!((one.records.count, one.records.sum), (2, 3));
    assert_eq!(
        (one.records.min, one.records.p50, one.records.max),
        (Some(1), Some(1), Some(2))
    );
    assert_eq!(one.duration_ms.min, Some(2000));
    assert_eq!(
        (one.duration_ms.p90, one.duration_ms.p99),
        (Some(2000), Some(2000))
    );
    let both = document.stats.as_ref().unwrap();
    assert_eq!(
        (both.committed, both.aborted, both.empty, both.open),
        (2, 2, 2, 2)
    );
    assert_eq!(both.size_in_bytes.count, 4);
    assert_eq!(both.size_in_bytes.sum, 2 * one.size_in_bytes.sum);
    assert!(both.size_in_bytes.max <= both.size_in_bytes.p90.map(|size| size + size / 100));
    // Filters hold for counts, too.
    let args = ["--stats", "--now", "1700000000000", "--producer-id", "2"];
    let (document, _) = json(root.path(), &args);
    let both = document.stats.unwrap();
    assert_eq!(
        (both.committed, both.aborted, both.empty, both.open),
        (0, 2, 2, 0)
    );
    let text = txns(root.path(), &["--stats", "--now", "1700000000000"]).ended_with(0);
    for line in [
        "t-0: 1 committed, 1 aborted, 1 empty, 1 open",
        "all 2 partitions: 2 committed, 2 aborted, 2 empty, 2 open",
        "records      1     1      2      2      2       6",
    ] {
        assert!(
            text.text().lines().any(|found| found == line),
            "{}",
            text.text()
        );
    }
}

/// The producers beside the transactions are those of `kfsck producers`.
#[test]
fn producers_are_those_of_the_other_command() {
    let directory = corpus::directory().join("main");
    let mut command = crate::run::command(&directory);
    command.args([
        "producers",
        "-q",
        "--format",
        "json",
        "--sort",
        "producer-id",
    ]);
    let outcome = command.arg(&directory).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    let mut compared = 0;
    for partition in all_of(&directory).partitions {
        let others = told["partitions"].as_array().unwrap();
        let other = others.iter().find(|other| other["path"] == partition.path);
        let theirs = other.unwrap()["producers"].as_array().unwrap();
        assert_eq!(
            partition.producers.as_ref(),
            Some(theirs),
            "{}",
            partition.path
        );
        compared += theirs.len();
    }
    assert!(compared > 20, "{compared}");
}
