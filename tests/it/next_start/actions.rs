//! Each action fires where it should and stays silent on sound logs; what is said is what somebody
//! on call needs.

use std::path::Path;

use kfsck::analysis::next_start::aborts::Aborts;
use kfsck::analysis::next_start::log_directory::beside_partitions;
use kfsck::analysis::next_start::{self, Action, NextStart, StartOptions};
use kfsck::format::number::Timestamp;
use kfsck::state::read::ReadOptions;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{Operand, expand};
use kfsck::storage::source::Access;

use super::compared::NOW;
use crate::corpus;
use crate::damages::Case;
use crate::state_oracle::cases::root;

/// All starts in a log directory, or that of a lone partition.
fn starts(path: &Path) -> Vec<NextStart> {
    let operand = expand(path).unwrap();
    let checkpoints = match &operand {
        Operand::Log(_) => Checkpoints::read(path, Access::Map),
        _ => Checkpoints::default(),
    };
    let mut found = match &operand {
        Operand::Log(directory) => beside_partitions(directory, &checkpoints),
        _ => Vec::new(),
    };
    for partition in operand.partitions() {
        let read = ReadOptions {
            access: Access::Map,
            check_crc: false,
        };
        let aborts = Aborts::read(partition, read).unwrap();
        let options = StartOptions {
            access: Access::Map,
            now: Some(Timestamp(NOW)),
            expiration_ms: 86_400_000,
            aborts: Some(&aborts),
        };
        found.push(next_start::of(partition, &checkpoints, &options).unwrap());
    }
    found
}

/// The worst start of a case that lies in the repository.
fn start_of(name: &str) -> NextStart {
    let kept = root().join("testdata/next-start").join(name);
    let text = std::fs::read_to_string(kept.join("case.txt")).unwrap();
    let corpus = corpus::Scratch::committed();
    let work = tempfile::tempdir().unwrap();
    let logs = work.path().join("logs");
    Case::parse(&text).image(&corpus.path).write(&logs);
    let found = starts(&logs);
    found.into_iter().max_by_key(|start| start.action).unwrap()
}

#[test]
fn sound_logs_load_cleanly() {
    let corpus = corpus::Scratch::new();
    for directory in ["main", "crash/clean"] {
        for start in starts(&corpus.path.join(directory)) {
            // KRaft reads its own log from the beginning at each start.
            let expected = match start.topic_partition.as_str() {
                "__cluster_metadata-0" => Action::Recovers,
                _ => Action::CleanLoad,
            };
            assert_eq!(start.action, expected, "{start:?}");
            assert_eq!(start.records_lost, 0, "{start:?}");
        }
    }
}

#[test]
fn after_a_kill_segments_are_read_again_and_no_record_is_lost() {
    let corpus = corpus::Scratch::new();
    let starts = starts(&corpus.path.join("crash/unclean"));
    for start in &starts {
        let is_cut = start.action == Action::Truncates;
        assert!(is_cut || start.action == Action::Recovers, "{start:?}");
        assert_eq!(start.records_lost, 0, "{start:?}");
    }
    let mut cut = starts
        .iter()
        .filter(|start| start.action == Action::Truncates);
    assert!(
        cut.any(|start| start.topic_partition == "crash-prealloc-0"),
        "a zero tail is cut"
    );
}

/// Name, action, offset, records lost, and words of the reason.
type Expected = (&'static str, Action, Option<i64>, u64, &'static str);

const EXPECTED: &[Expected] = &[
    ("untouched", Action::CleanLoad, None, 0, "nothing is cut"),
    ("flip-clean", Action::CleanLoad, None, 0, "nothing is cut"),
    (
        "recovery-point-no-number",
        Action::CleanLoad,
        None,
        0,
        "nothing is cut",
    ),
    (
        "index-missing",
        Action::Recovers,
        Some(48),
        0,
        "there is no offset index of segment 48",
    ),
    (
        "snapshot-corrupt",
        Action::Recovers,
        Some(147),
        0,
        "for its producers",
    ),
    (
        "txn-index-missing",
        Action::HidesAborts,
        Some(76),
        0,
        "become visible",
    ),
    (
        "txn-index-missing-unclean",
        Action::Recovers,
        Some(0),
        0,
        "not clean",
    ),
    (
        "snapshots-missing",
        Action::LosesProducerState,
        Some(0),
        0,
        "forgotten",
    ),
    (
        "snapshots-missing-unclean",
        Action::Recovers,
        Some(47),
        0,
        "not clean",
    ),
    (
        "zero-tail-unclean",
        Action::Truncates,
        Some(52),
        0,
        "no record",
    ),
    (
        "header-gone-unclean",
        Action::Truncates,
        Some(2),
        44,
        "cut at byte",
    ),
    (
        "flip-unclean",
        Action::DeletesSegments,
        Some(48),
        85,
        "in front was cut",
    ),
    (
        "log-start-behind-the-end",
        Action::DeletesSegments,
        Some(27),
        43,
        "below its start",
    ),
    (
        "foreign-directory",
        Action::BrokerFails,
        None,
        0,
        "none of a partition",
    ),
    (
        "recovery-point-torn",
        Action::BrokerFails,
        None,
        0,
        "goes offline",
    ),
    (
        "leader-epochs-torn",
        Action::BrokerFails,
        None,
        0,
        "goes offline",
    ),
    (
        "leader-epoch-no-number",
        Action::BrokerFails,
        None,
        0,
        "nothing catches",
    ),
];

#[test]
fn each_action_is_told_with_its_place_and_cost() {
    let mut wrong = Vec::new();
    for (name, action, offset, lost, said) in EXPECTED {
        let start = start_of(name);
        let is_right = start.action == *action
            && start.offset.map(|offset| offset.0) == *offset
            && start.records_lost == *lost
            && start.reason.contains(said);
        if !is_right {
            wrong.push(format!("{name}: {start:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_copy_without_its_log_directory_is_told_for_both_stops() {
    let corpus = corpus::Scratch::committed();
    let work = tempfile::tempdir().unwrap();
    let text = "of main/txn-both-0\nflip txn-both-0/00000000000000000048.log 200 0\n";
    Case::parse(text).image(&corpus.path).write(work.path());
    let damaged = starts(&work.path().join("txn-both-0"));
    assert_eq!(damaged[0].action, Action::CleanLoad);
    let worse = "after another stop: deletes-segments";
    assert!(damaged[0].reason.contains(worse), "{damaged:?}");
    let sound = starts(&corpus.path.join("main/txn-both-0"));
    let nothing = "nothing is cut and nothing is read again";
    assert_eq!(sound[0].reason, nothing);
}

#[test]
fn without_the_aborts_of_the_log_nothing_is_said_of_them() {
    let corpus = corpus::Scratch::committed();
    let work = tempfile::tempdir().unwrap();
    let text = "of main/txn-both-0\ndelete txn-both-0/00000000000000000048.txnindex\n";
    Case::parse(text).image(&corpus.path).write(work.path());
    let Operand::Log(log) = expand(work.path()).unwrap() else {
        panic!("a log directory")
    };
    let checkpoints = Checkpoints::read(work.path(), Access::Map);
    let options = StartOptions {
        access: Access::Map,
        now: None,
        expiration_ms: 86_400_000,
        aborts: None,
    };
    let start = next_start::of(&log.partitions[0], &checkpoints, &options).unwrap();
    assert_eq!(start.action, Action::CleanLoad);
}
