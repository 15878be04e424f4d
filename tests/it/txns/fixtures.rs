//! What people met in the field, with the right answer in words.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{State, Verdict, json, only, txns};
use super::log::Log;
use crate::program::testdata;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/fixtures")
        .join(name)
}

/// Data after an abort begins the next transaction; whether that one hangs is for a clock and the
/// coordinator to say.
#[test]
fn a03_data_after_an_abort_is_a_transaction_that_nobody_ended() {
    let root = tempfile::tempdir().unwrap();
    let segment = root.path().join("orders-0/00000000000000000000.log");
    fs::create_dir(root.path().join("orders-0")).unwrap();
    fs::copy(fixture("a03_hanging_txn.log"), &segment).unwrap();
    for path in [&segment, root.path()] {
        let soon = txns(path, &["--now", "2023-11-14T22:20:00Z"]).ended_with(0);
        assert!(soon.text().contains("1 ongoing"), "{}", soon.text());
        let state = testdata("main");
        let args = [
            "--now",
            "2023-11-15",
            "--transaction-log",
            state.to_str().unwrap(),
        ];
        let late = txns(path, &args).ended_with(1);
        for words in [
            "orders-0: last stable offset 2, log end 5; 2 records, 220 B held back",
            "    2000     2        1     71  2023-11-14T22:13:20Z  1 h 46 min  hanging",
            "no transactional id uses its producer id",
            "offsets 2 to 2, from byte 149 of",
            "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort --topic orders \
             --partition 0 --start-offset 2\n",
        ] {
            assert!(late.text().contains(words), "{words}: {}", late.text());
        }
    }
}

#[test]
fn a04_and_a05_end_as_a_replica_takes_them() {
    let states = |name: &str| {
        let (document, outcome) = json(&fixture(name), &["--all", "--now", "2023-11-15"]);
        outcome.ended_with(0);
        let ended = only(document).transactions.into_iter();
        let ended = ended.map(|ended| {
            assert_eq!(ended.verdict, Verdict::Closed);
            (ended.producer_epoch, ended.coordinator_epoch, ended.state)
        });
        ended.collect::<Vec<_>>()
    };
    // The coordinator's epoch goes back from 5 to 3.
    assert_eq!(
        states("a04_coord_epoch_regress.log"),
        [
            (Some(0), Some(5), State::Aborted),
            (Some(0), Some(3), State::Committed)
        ]
    );
    // Data in epoch 1, its marker in epoch 0.
    let [(epoch, _, state)] = states("a05_marker_old_epoch.log")[..] else {
        panic!("one transaction");
    };
    assert_eq!((epoch, state), (Some(1), State::Aborted));
}

#[test]
fn a05b_a_plain_batch_in_a_transaction_stops_a_broker_before_it_can_abort_anything() {
    let path = fixture("a05b_nontxn_in_open_txn.log");
    let (document, outcome) = json(&path, &["--now", "2023-11-15"]);
    let stderr = outcome.ended_with(1).stderr;
    for words in [
        "position 71",
        "does not start",
        "Expected transactional write from producer 7",
    ] {
        assert!(stderr.contains(words), "{stderr}");
    }
    let open = &only(document).transactions[0];
    assert_eq!(
        (open.producer_id, open.first_offset, open.state),
        (7, 0, State::Open)
    );
}

/// A snapshot that a broker deletes says nothing; the log is read all the same.
#[test]
fn a09_a_snapshot_that_cannot_be_used_is_told_and_left_out() {
    for name in ["a09_badcrc", "a09_cut", "a09_zero"] {
        let root = tempfile::tempdir().unwrap();
        let partition = root.path().join("t-0");
        Log::at(206).data(5, 0).write(&partition, 206);
        let snapshot = partition.join("00000000000000000206.snapshot");
        fs::copy(fixture(&format!("{name}.snapshot")), &snapshot).unwrap();
        let (document, outcome) = json(&partition, &["--now", "2023-11-14"]);
        let stderr = outcome.ended_with(0).stderr;
        let told = format!("{}: note: not used", snapshot.display());
        assert!(stderr.contains(&told), "{name}: {stderr}");
        assert_eq!(only(document).transactions[0].producer_id, 5);
    }
    let root = tempfile::tempdir().unwrap();
    Log::at(206).data(5, 0).write(&root.path().join("t-0"), 206);
    let snapshot = root.path().join("t-0/00000000000000000206.snapshot");
    fs::copy(fixture("a09_good.snapshot"), snapshot).unwrap();
    let good = txns(root.path(), &["--now", "2023-11-14"]).ended_with(0);
    assert_eq!(good.stderr, "");
}
