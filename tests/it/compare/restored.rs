//! The union of two replicas as a command writes it: checked, lasting, and broken off.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kfsck::storage::unfinished::UNFINISHED;

use super::document::Document;
use crate::program::{Outcome, Run, copy_tree, testdata};
use crate::repair::contents;
use crate::txns::log::Log;

const NAME: &str = "txn-both-0";

/// Two copies of a partition, each with another damage.
fn replicas() -> (tempfile::TempDir, [PathBuf; 2]) {
    let place = tempfile::tempdir().unwrap();
    let copies = ["one", "other"].map(|side| place.path().join(side).join(NAME));
    let logs = ["00000000000000000000.log", "00000000000000000094.log"];
    for (copy, log) in copies.iter().zip(logs) {
        copy_tree(&testdata("main/txn-both-0"), copy);
        let mut bytes = fs::read(copy.join(log)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(copy.join(log), bytes).unwrap();
    }
    (place, copies)
}

fn restore(union: &Path, [one, other]: &[PathBuf; 2]) -> Run {
    let run = Run::new(["compare", "--now=2026-12-01", "--restore-to"]).arg(union);
    run.arg(one).arg(other)
}

/// What it says, on one line.
fn said(outcome: &Outcome) -> String {
    outcome
        .text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_union_is_checked_and_what_is_left_is_told() {
    let (place, copies) = replicas();
    let outcome = restore(&place.path().join("union"), &copies)
        .outcome()
        .ended_with(1);
    let text = said(&outcome);
    assert!(text.contains("Checked: nothing is wrong with it"), "{text}");
    assert!(!text.contains("log-start-offset-checkpoint"), "{text}");
    let restored = place.path().join("union").join(NAME);
    let check = Run::new(["check", "--rules=stock", "--now=2026-12-01"]).arg(&restored);
    check.outcome().ended_with(0);

    // The same logs, so that nothing but the union gives the exit code: a transaction of 2023 is
    // open.
    let place = tempfile::tempdir().unwrap();
    let copies = ["one", "other"].map(|side| place.path().join(side).join("orders-0"));
    for copy in &copies {
        Log::default().data(5, 0).data(5, 0).write(copy, 0);
    }
    let outcome = restore(&place.path().join("union"), &copies)
        .outcome()
        .ended_with(1);
    let text = said(&outcome);
    assert!(
        text.contains("Left: warning hanging-transaction in 0000"),
        "{text}"
    );
    assert!(!text.contains("Checked: nothing"), "{text}");
    let run = restore(&place.path().join("json"), &copies).arg("--format=json");
    let document: Document = serde_json::from_str(run.outcome().text()).unwrap();
    let restored = document.restored.unwrap();
    assert_eq!(restored.left.len(), 1, "{:?}", restored.left);
}

/// Records below the start were deleted: nothing in the partition's directory tells.
#[test]
fn a_start_inside_the_first_segment_is_told_with_its_line() {
    let (place, copies) = replicas();
    for copy in &copies {
        let line = "0\n1\ntxn-both 0 7\n";
        fs::write(copy.with_file_name("log-start-offset-checkpoint"), line).unwrap();
    }
    let outcome = restore(&place.path().join("union"), &copies)
        .outcome()
        .ended_with(1);
    let text = said(&outcome);
    assert!(text.contains("log start 7, log end 152"), "{text}");
    assert!(
        text.contains("must have the line \"txn-both 0 7\""),
        "{text}"
    );
    let run = restore(&place.path().join("json"), &copies).arg("--format=json");
    let document: Document = serde_json::from_str(run.outcome().text()).unwrap();
    assert_eq!(document.restored.unwrap().log_start_offset, Some(7));
}

#[test]
fn what_a_killed_run_leaves_is_replaced_and_never_looks_finished() {
    let (place, copies) = replicas();
    let whole = place.path().join("whole");
    restore(&whole, &copies).outcome().ended_with(1);
    let result = contents(&whole.join(NAME));
    for round in 0..40_u64 {
        let union = place.path().join(format!("union {round}"));
        let mut child = restore(&union, &copies).start();
        std::thread::sleep(Duration::from_micros(round * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        let (target, partial) = (union.join(NAME), union.join(format!("{NAME}{UNFINISHED}")));
        if !target.exists() {
            restore(&union, &copies).outcome().ended_with(1);
        }
        assert!(
            contents(&target) == result && !partial.exists(),
            "round {round}"
        );
    }
    let partial = place
        .path()
        .join("late")
        .join(format!("{NAME}{UNFINISHED}"));
    fs::create_dir_all(&partial).unwrap();
    fs::write(partial.join("00000000000000000000.log"), [0; 9]).unwrap();
    let check = Run::new(["check"]).arg(&partial).outcome().ended_with(3);
    assert!(
        check.stderr.contains("it is no partition"),
        "{}",
        check.stderr
    );
    restore(&place.path().join("late"), &copies)
        .outcome()
        .ended_with(1);
    assert!(contents(&place.path().join("late").join(NAME)) == result);
}

#[test]
fn a_terminal_sees_how_far_it_is() {
    let place = tempfile::tempdir().unwrap();
    let mut log = Log::default();
    for _ in 0..200_000 {
        log = log.plain();
    }
    for side in ["one", "other"] {
        log.write(&place.path().join(side).join("orders-0"), 0);
    }
    for (option, is_seen) in [("", true), ("-q", false)] {
        // A pause in the middle makes it long enough on any machine.
        let script = format!(
            "script -qec \"$0 compare {option} --restore-to 'union{option}' one/orders-0 \
             other/orders-0 & sleep 0.1; kill -STOP \\$!; sleep 0.7; kill -CONT \\$!; wait \\$!\" \
             /dev/null < /dev/null"
        );
        let outcome = Run::in_shell(&script, &[]).dir(place.path()).outcome();
        let seen = outcome.text();
        // Both are read three times.
        assert_eq!(seen.contains(" of 84.69 MiB, about "), is_seen, "{seen:?}");
        assert!(seen.contains("RESTORED to union"), "{seen:?}");
    }
}
