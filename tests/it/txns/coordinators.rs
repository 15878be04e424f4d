//! `--coordinators`: what `__transaction_state` knows, now and at a time; and whose it is.

use std::fs;
use std::path::Path;

use super::document::{Coordinator, Verdict, json, txns};
use super::log::{Log, START, state_batch, state_partition};
use crate::batches::Batch;
use crate::program::{Run, testdata};

const NOW: [&str; 2] = ["--now", "2026-11-30T04:40:00Z"];

fn known(path: &Path, args: &[&str]) -> Vec<Coordinator> {
    let args = [&["--coordinators"][..], args].concat();
    let (document, outcome) = json(path, &args);
    outcome.ended_with(0);
    document.coordinators.unwrap()
}

fn ids(known: &[Coordinator]) -> Vec<&str> {
    let ids = known.iter().map(|one| one.transactional_id.as_str());
    ids.collect()
}

/// `testdata/structures/transaction-state.tsv` has them.
#[test]
fn every_id_that_kafkas_own_reader_finds_is_shown() {
    let known = known(&testdata("main"), &NOW);
    assert_eq!(known.len(), 26);
    assert!(known.is_sorted_by_key(|one| &one.transactional_id));
    let open = known
        .iter()
        .find(|one| one.transactional_id == "txn-open.two.open");
    let open = open.unwrap();
    assert_eq!(
        (open.state.as_str(), open.producer_id, open.producer_epoch),
        ("Ongoing", 1010, 0)
    );
    assert_eq!(open.topic_partitions, ["txn-open-0"]);
    assert_eq!((open.timeout_ms, open.offset), (3_600_000, 16));
    assert_eq!(open.previous_producer_id, Some(1010));
    assert_eq!(open.client_transaction_version, Some(2));
    assert_eq!(open.start_timestamp, Some(1_796_013_453_019));
    assert_eq!(open.last_update_timestamp, open.start_timestamp);
    let path = "__transaction_state-1/00000000000000000000.log";
    assert!(open.path.as_ref().unwrap().ends_with(path));
    // Its client spoke the older protocol; the record is of the newer version.
    let old = known
        .iter()
        .find(|one| one.transactional_id == "txn-v1.one.1");
    let old = old.unwrap();
    assert_eq!(
        (old.previous_producer_id, old.client_transaction_version),
        (Some(23), Some(0))
    );
    assert!(old.topic_partitions.is_empty());
}

#[test]
fn filters_choose_ids_and_top_limits_them() {
    let main = testdata("main");
    let chosen = |args: &[&str]| {
        let known = known(&main, &[&NOW[..], args].concat());
        ids(&known).join(" ")
    };
    let id = ["--transactional-id", "txn-v1.one.3"];
    assert_eq!(chosen(&id), "txn-v1.one.3");
    assert_eq!(
        chosen(&["--producer-id", "21,22"]),
        "txn-v1.one.2 txn-v1.one.3"
    );
    let epoch = ["--producer-id", "26,22", "--producer-epoch", "2"];
    assert_eq!(chosen(&epoch), "txn-both.one.fenced");
    assert_eq!(
        chosen(&["--top", "2"]),
        "compact-horizon.two1 compact-horizon.two2"
    );
    let args = [&NOW[..], &["--coordinators", "--top", "1"]].concat();
    let text = txns(&main, &args).ended_with(0);
    let shown = "transactional id\n  state           producer  epoch  timeout  last update\n\
                 compact-horizon.two1\n  CompleteCommit      1016      1  1 h      \
                 2026-11-30T04:37:33Z\n... and 25 more (--top)\n";
    assert!(text.text().contains(shown), "{}", text.text());
}

#[test]
fn without_the_option_nothing_is_shown_and_without_the_topic_it_is_an_error() {
    let main = testdata("main");
    let (document, _) = json(&main, &NOW);
    assert!(document.coordinators.is_none());
    let partition = testdata("main/txn-v1-0");
    let (document, outcome) = json(&partition, &["--coordinators"]);
    assert!(document.coordinators.unwrap().is_empty());
    let stderr = outcome.ended_with(3).stderr;
    assert!(stderr.contains("no __transaction_state is at hand"));
    for logs in ["--all", "--stats"] {
        let args = ["--coordinators", "--at-time", "0", logs];
        let outcome = txns(&main, &args).ended_with(2);
        assert!(
            outcome.stderr.contains("shows no logs"),
            "{}",
            outcome.stderr
        );
    }
}

/// A record of an id at a time.
fn record(offset: i64, id: &str, time: i64, status: u8, topics: &[&str]) -> Vec<u8> {
    let batch = Batch {
        timestamp: time,
        ..Batch::new(offset)
    };
    state_batch(batch, id, 5, status, topics)
}

#[test]
fn at_a_time_later_records_do_not_count_and_no_log_is_read() {
    let root = tempfile::tempdir().unwrap();
    Log::default().data(5, 0).write(&root.path().join("t-0"), 0);
    let state = root.path().join("__transaction_state-0");
    fs::create_dir(&state).unwrap();
    let log = [
        record(0, "a", START, 1, &["t", "u"]),
        record(1, "a", START + 1000, 4, &[]),
        record(2, "b", START + 2000, 1, &["t"]),
    ];
    fs::write(state.join("00000000000000000000.log"), log.concat()).unwrap();
    for (time, expected) in [
        (START - 1, vec![]),
        (START, vec![("a", "Ongoing", 0)]),
        (START + 999, vec![("a", "Ongoing", 0)]),
        (START + 1000, vec![("a", "CompleteCommit", 1)]),
        (
            START + 2000,
            vec![("a", "CompleteCommit", 1), ("b", "Ongoing", 2)],
        ),
    ] {
        let args = ["--coordinators", "--at-time", &time.to_string()];
        let (document, outcome) = json(root.path(), &args);
        outcome.ended_with(0);
        assert_eq!(document.now, time);
        assert!(document.partitions.is_empty());
        let known = document.coordinators.unwrap();
        // Records of version 0 say nothing of either.
        let more = known.iter().map(|one| one.previous_producer_id.is_some());
        assert!(
            more.zip(&known)
                .all(|(is, one)| !is && one.client_transaction_version.is_none())
        );
        let shown = known.iter();
        let shown = shown.map(|one| (&one.transactional_id[..], &one.state[..], one.offset));
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{time}");
    }
    let args = ["--coordinators", "--at-time", &START.to_string()];
    let text = txns(root.path(), &args).ended_with(0);
    let transaction = "\n  started 1970-01-01T00:00:00Z: t-0, u-0\n\n";
    assert!(text.text().ends_with(transaction), "{}", text.text());
}

fn log_directory(root: &Path, cluster: &str, producer_id: i64) {
    let state = root.join("__transaction_state-0");
    fs::create_dir_all(&state).unwrap();
    let bytes = state_partition("id", producer_id, 1, &["t"]);
    fs::write(state.join("00000000000000000000.log"), bytes).unwrap();
    let meta = format!("version=1\ncluster.id={cluster}\n");
    fs::write(root.join("meta.properties"), meta).unwrap();
}

#[test]
fn coordinators_of_another_cluster_leave_the_word_to_those_of_the_own() {
    let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    log_directory(own.path(), "one", 5);
    log_directory(other.path(), "two", 6);
    Log::default().data(5, 0).write(&own.path().join("t-0"), 0);
    let now = (START + 3_600_000).to_string();
    let log = other.path().to_str().unwrap();
    let args = ["--now", &now, "--transaction-log", log];
    let (document, outcome) = json(own.path(), &args);
    let stderr = outcome.ended_with(1).stderr;
    assert!(stderr.contains("its transactions are not judged by that"));
    let mut open = document.partitions.iter().flat_map(|one| &one.transactions);
    let open = open.next().unwrap();
    assert_eq!(open.verdict, Verdict::Ongoing);
    assert_eq!(open.transactional_id.as_deref(), Some("id"));
    // Nor do they say which producers are in use here.
    let run = Run::new(["repair", "pids", "--dry-run", "--remap", "5=7"]);
    let run = run.arg("--transaction-log").arg(other.path());
    let outcome = run.arg(own.path().join("t-0")).outcome().ended_with(3);
    assert!(
        outcome.stderr.contains("is of cluster two"),
        "{}",
        outcome.stderr
    );
    let run = Run::new(["repair", "pids", "--dry-run", "--remap", "5=7"]);
    let run = run.arg("--transaction-log").arg(own.path());
    let outcome = run.arg(own.path().join("t-0")).outcome();
    assert!(!outcome.stderr.contains("of cluster"), "{}", outcome.stderr);
}
