//! Transactions that are open in a partition, and what their coordinator's last record says of an
//! abort: that it would destroy what was committed, or that the record may be too old to say.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::cluster_findings::{
    COMPLETE_ABORT, COMPLETE_COMMIT, LOG, ONGOING, PREPARE_COMMIT, findings, real, state,
    without_last,
};
use crate::program::{Outcome, Run};
use crate::txns::log::Log;

const NOW: &str = "--now=2026-12-02";

/// The first transaction that is open.
fn txns(data: &Path) -> Value {
    let run = Run::new([
        "txns",
        NOW,
        "--format=json",
        "--transaction-log-partitions=1",
    ]);
    let outcome = run.arg(data).outcome();
    let answer: Value = serde_json::from_str(outcome.text()).unwrap();
    let partitions = answer["partitions"].as_array().unwrap();
    let mut open = partitions.iter().map(|one| &one["transactions"][0]);
    open.find(|one| !one.is_null()).unwrap().clone()
}

fn hanging(data: &Path) -> Value {
    let found = findings("hanging-transaction", &[NOW], &[data]);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

fn directory(log: &Log, state: &[u8]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    log.write(&root.path().join("t-0"), 0);
    let coordinator = root.path().join("__transaction_state-0");
    fs::create_dir(&coordinator).unwrap();
    fs::write(coordinator.join(LOG), state).unwrap();
    root
}

fn abort(data: &Path, partition: &str, producer: i64, more: &[&str]) -> Outcome {
    let id = producer.to_string();
    let run = Run::new(["repair", "abort", "--dry-run", "--producer-id", &id, NOW]);
    let run = run.arg("--transaction-log").arg(data);
    let run = more.iter().fold(run, Run::arg);
    run.arg(data.join(partition)).outcome()
}

fn reason(transaction: &Value) -> &str {
    transaction["reason"].as_str().unwrap()
}

const DESTROYS: &str = "throws away records that are committed elsewhere";

/// The last marker of each of these partitions of a real broker is a COMMIT.
#[test]
fn a_transaction_that_its_coordinator_has_committed_is_not_aborted() {
    for (name, log, producer) in [
        ("txn-v1-0", LOG, 22),
        ("txn-both-0", "00000000000000000147.log", 1009),
    ] {
        let root = real(&[name]);
        let data = root.path();
        without_last(&data.join(name).join(log), 1);
        let run = Run::new([
            "txns",
            NOW,
            "--format=json",
            "--transaction-log-partitions=3",
        ]);
        let run = run.arg("--producer-id").arg(producer.to_string());
        let outcome = run.arg(data.join(name)).arg("--transaction-log").arg(data);
        let outcome = outcome.outcome().ended_with(1);
        let answer: Value = serde_json::from_str(outcome.text()).unwrap();
        let open = &answer["partitions"][0]["transactions"][0];
        assert_eq!(open["verdict"], "hanging", "{name}");
        assert_eq!(open["abortCommand"], Value::Null, "{name}");
        assert!(reason(open).contains(DESTROYS), "{}", reason(open));
        assert!(reason(open).contains("other replicas"), "{}", reason(open));

        let told = hanging(data);
        assert_eq!(told["repair"], Value::Null, "{told}");
        assert!(told["message"].as_str().unwrap().contains(DESTROYS));
        assert!(
            told["advice"]
                .as_str()
                .unwrap()
                .starts_with("Do not abort it.")
        );

        let refused = abort(data, name, producer, &[]).ended_with(3).stderr;
        assert!(refused.contains(DESTROYS), "{refused}");
        assert!(refused.contains("or give --force"), "{refused}");
        let forced = abort(data, name, producer, &["--force"]).ended_with(1);
        assert!(
            forced.text().contains("aborted by --force"),
            "{}",
            forced.text()
        );
    }
}

#[test]
fn where_transactions_share_an_epoch_the_one_that_was_committed_is_told_by_its_marker() {
    let committed = state(COMPLETE_COMMIT, 3, &[], (1, 0));
    let is_spared = |log: &Log, state: &[u8]| {
        let root = directory(log, state);
        let open = txns(root.path());
        assert_eq!(open["verdict"], "hanging");
        let is_spared = open["abortCommand"].is_null();
        assert_eq!(reason(&open).contains(DESTROYS), is_spared, "{open}");
        assert_eq!(hanging(root.path())["repair"].is_null(), is_spared);
        let code = if is_spared { 3 } else { 1 };
        abort(root.path(), "t-0", 5, &[]).ended_with(code);
        is_spared
    };
    let open = || Log::default().data(5, 3);
    assert!(is_spared(&open(), &committed));
    // An earlier marker ended an earlier transaction.
    let before = || Log::default().later(-9000).data(5, 3).commit(5, 3);
    assert!(is_spared(&before().later(-2500).data(5, 3), &committed));
    // This one is the commit's, so what follows came late: nobody counts it as committed.
    assert!(!is_spared(
        &open().commit(5, 3).later(-2000).data(5, 3),
        &committed
    ));
    // Aborts, other epochs, and what was complete before.
    assert!(!is_spared(&open(), &state(COMPLETE_ABORT, 3, &[], (1, 0))));
    assert!(!is_spared(&open(), &state(COMPLETE_COMMIT, 4, &[], (1, 0))));
    assert!(!is_spared(
        &open(),
        &state(COMPLETE_COMMIT, 3, &[], (-1, -2))
    ));
}

#[test]
fn a_commit_that_is_decided_is_left_to_its_coordinator() {
    let root = directory(
        &Log::default().data(5, 3),
        &state(PREPARE_COMMIT, 3, &["t"], (1, 0)),
    );
    let told = hanging(root.path());
    assert_eq!(told["repair"], Value::Null);
    assert!(
        told["message"]
            .as_str()
            .unwrap()
            .contains("decided to commit")
    );
    assert_eq!(txns(root.path())["verdict"], "ongoing");
    abort(root.path(), "t-0", 5, &["--force"]).ended_with(3);
}

#[test]
fn a_record_from_before_the_transaction_may_be_that_of_an_older_copy() {
    const EMPTY: u8 = 0;
    let caveat = "was last written at 2023-11-14T22:13:19Z, before the transaction began: if \
                  __transaction_state was copied earlier than the partition, copy it anew before \
                  you abort";
    let told = |state: &[u8]| {
        let root = directory(&Log::default().data(5, 3), state);
        let open = txns(root.path());
        assert_eq!(open["verdict"], "hanging");
        assert!(!open["abortCommand"].is_null());
        reason(&open).to_owned()
    };
    for status in [EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT] {
        let reason = told(&state(status, 3, &[], (-1, -2)));
        assert!(reason.contains(caveat), "{reason}");
    }
    for later in [
        state(EMPTY, 3, &[], (0, -1)),
        state(COMPLETE_ABORT, 3, &[], (1, 0)),
        state(ONGOING, 3, &["u"], (-1, -1)),
    ] {
        let reason = told(&later);
        assert!(!reason.contains("last written"), "{reason}");
    }
    let root = directory(&Log::default().data(5, 3), &state(EMPTY, 3, &[], (-1, -2)));
    let plan = abort(root.path(), "t-0", 5, &[]).ended_with(1);
    assert!(plan.text().contains("copy it anew"), "{}", plan.text());
}

#[test]
fn the_abort_line_names_all_directories_of_the_cluster_that_hold_coordinators() {
    let root = tempfile::tempdir().unwrap();
    let paths = ["data", "more data", "others"].map(|name| root.path().join(name));
    Log::default().data(5, 3).write(&paths[0].join("t-0"), 0);
    for (path, number) in paths[1..].iter().zip([0, 1]) {
        let coordinator = path.join(format!("__transaction_state-{number}"));
        fs::create_dir_all(&coordinator).unwrap();
        fs::write(coordinator.join(LOG), state(ONGOING, 9, &["u"], (0, 0))).unwrap();
    }
    for path in &paths {
        let text = "version=1\ncluster.id=one\n";
        fs::write(path.join("meta.properties"), text).unwrap();
    }
    let line = |paths: &[&Path]| {
        let found = findings("hanging-transaction", &[NOW], paths);
        let line = found[0]["repair"].as_str().unwrap();
        line.replace(root.path().to_str().unwrap(), "R")
    };
    let [data, more, others] = [0, 1, 2].map(|at| paths[at].as_path());
    let expected = "kfsck repair abort --producer-id 5 --transaction-log 'R/more data' \
                    --transaction-log R/others --all-replicas-stopped R/data/t-0 --output DIR";
    assert_eq!(line(&[data, more, others]), expected);
    assert!(line(&[data]).contains("--transaction-log TRANSACTION_LOG "));
    // One of another cluster has nothing to say.
    fs::write(
        others.join("meta.properties"),
        "version=1\ncluster.id=two\n",
    )
    .unwrap();
    assert!(!line(&[data, more, others]).contains("others"));
}
