//! Several copies of one partition in one run: what is open in one that is behind, and has ended in
//! another.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::cluster_findings::{LOG, findings};
use crate::program::{Outcome, Run};
use crate::txns::log::Log;

const NOW: &str = "--now=2023-11-20";

/// Log directories `behind` and `ahead`, each with a copy of `t-0`.
fn two(behind: &Log, ahead: &Log) -> (tempfile::TempDir, [PathBuf; 2]) {
    let root = tempfile::tempdir().unwrap();
    let paths = ["behind", "ahead"].map(|name| root.path().join(name));
    behind.write(&paths[0].join("t-0"), 0);
    ahead.write(&paths[1].join("t-0"), 0);
    (root, paths)
}

fn txns(paths: &[PathBuf], more: &[&str]) -> (Value, Outcome) {
    let run = Run::new(["txns", NOW, "--format=json"]);
    let run = more.iter().fold(run, Run::arg);
    let outcome = paths.iter().fold(run, Run::arg).outcome();
    let answer: Value = serde_json::from_str(outcome.text()).unwrap();
    (answer["partitions"][0]["transactions"][0].clone(), outcome)
}

/// Verdict and exit code; `check` says the same.
fn verdict(paths: &[PathBuf]) -> (String, i32) {
    let (open, outcome) = txns(paths, &[]);
    let verdict = open["verdict"].as_str().unwrap().to_owned();
    let is_behind = verdict == "ongoing";
    assert_eq!(open["abortCommand"].is_null(), is_behind, "{open}");
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let found = findings("hanging-transaction", &[NOW], &paths);
    let told = found.iter().find(|one| one["topicPartition"] == "t-0");
    let told = told.unwrap();
    let severity = if is_behind { "note" } else { "warning" };
    assert_eq!(told["severity"], severity, "{told}");
    assert_eq!(told["repair"].is_null(), is_behind, "{told}");
    (verdict, outcome.code)
}

fn open() -> Log {
    Log::default().data(5, 0).plain()
}

#[test]
fn what_has_ended_in_another_copy_does_not_hang() {
    for (ahead, kind) in [
        (open().commit(5, 0), "COMMIT"),
        (open().abort(5, 0), "ABORT"),
    ] {
        let (_root, paths) = two(&open(), &ahead.plain());
        assert_eq!(verdict(&paths[..1]), ("suspect".to_owned(), 1));
        assert_eq!(verdict(&paths), ("ongoing".to_owned(), 0));
        let (transaction, _) = txns(&paths, &[]);
        let reason = transaction["reason"].as_str().unwrap();
        let other = paths[1].join("t-0");
        let expected = format!(
            "longer than 15 min; but its {kind} lies at offset 2 of {}: this copy is behind",
            other.display()
        );
        assert!(reason.ends_with(&expected), "{reason}");
        // A segment of it alone is a copy, too.
        let segment = paths[0].join("t-0").join(LOG);
        let (transaction, outcome) = txns(&[segment, other], &[]);
        assert_eq!(transaction["verdict"], "ongoing");
        assert_eq!(outcome.code, 0);
    }
}

#[test]
fn a_copy_that_has_gone_another_way_says_nothing() {
    let suspect = ("suspect".to_owned(), 1);
    let told = |behind: &Log, ahead: &Log| {
        let (_root, paths) = two(behind, ahead);
        verdict(&paths)
    };
    let begun = || Log::default().data(5, 0);
    // Another batch lies where this one ends: a former leader wrote the marker for itself.
    let other_end = begun().later(1).plain().commit(5, 0);
    assert_eq!(told(&open(), &other_end), suspect);
    // This copy goes on where the marker would lie.
    assert_eq!(told(&open().plain(), &open().commit(5, 0)), suspect);
    // Another transaction begins there.
    let later = Log::default().later(1).data(5, 0).later(0).plain();
    assert_eq!(told(&open(), &later.commit(5, 0)), suspect);
    let next = Log::default().data(5, 1).plain().commit(5, 1);
    assert_eq!(told(&open(), &next), suspect);
    // The marker is another producer's, or none has come yet.
    assert_eq!(told(&open(), &open().commit(6, 0)), suspect);
    assert_eq!(told(&open(), &open().plain()), suspect);
}

#[test]
fn a_marker_behind_damage_is_not_sure_to_be_its_own() {
    let mut ahead = open().plain();
    *ahead.bytes.last_mut().unwrap() ^= 1;
    let (_root, paths) = two(&open(), &ahead.data(5, 0).commit(5, 0));
    let (transaction, _) = txns(&paths, &[]);
    assert_eq!(transaction["verdict"], "suspect");
}

fn put(path: &Path, name: &str, text: &str) {
    fs::write(path.join(name), text).unwrap();
}

#[test]
fn only_copies_of_one_topic_in_one_cluster_are_copies() {
    let (_root, paths) = two(&open(), &open().commit(5, 0));
    let clusters = |ours: &str, theirs: &str| {
        for (path, id) in paths.iter().zip([ours, theirs]) {
            put(
                path,
                "meta.properties",
                &format!("version=1\ncluster.id={id}\n"),
            );
        }
        verdict(&paths).0
    };
    assert_eq!(clusters("one", "two"), "suspect");
    assert_eq!(clusters("one", "one"), "ongoing");
    let topics = |ours: &str, theirs: &str| {
        for (path, id) in paths.iter().zip([ours, theirs]) {
            let text = format!("version: 0\ntopic_id: {id}\n");
            put(&path.join("t-0"), "partition.metadata", &text);
        }
        verdict(&paths).0
    };
    let (one, two) = ("AAAAAAAAAAAAAAAAAAAABQ", "AAAAAAAAAAAAAAAAAAAABg");
    assert_eq!(topics(one, two), "suspect");
    assert_eq!(topics(one, one), "ongoing");
}

#[test]
fn behind_a_barrier_that_the_rules_obey_a_marker_ends_nothing() {
    let (_root, paths) = two(&open(), &open().barrier().commit(5, 0));
    let under = |rules: &str| txns(&paths, &["--rules", rules]).0["verdict"].clone();
    assert_eq!(under("stock"), "ongoing");
    assert_eq!(under("barrier"), "suspect");
}

/// An ABORT behind the end of the shorter copy would lie where the other copy has the marker.
#[test]
fn a_copy_that_is_behind_does_not_contradict_its_coordinator() {
    use super::cluster_findings::{COMPLETE_ABORT, state};
    let (_root, paths) = two(&open(), &open().abort(5, 0));
    let coordinator = paths[0].join("__transaction_state-0");
    fs::create_dir(&coordinator).unwrap();
    fs::write(coordinator.join(LOG), state(COMPLETE_ABORT, 0, &[], (1, 0))).unwrap();
    let told = |paths: &[&Path]| findings("coordinator-mismatch", &[NOW], paths).len();
    assert_eq!(told(&[&paths[0]]), 1);
    assert_eq!(told(&[&paths[0], &paths[1]]), 0);
}
