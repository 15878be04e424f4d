//! A repair whose process is killed, again and again.

use std::fs;
use std::path::Path;
use std::time::Duration;

use kfsck::storage::unfinished::UNFINISHED;

use super::{Copied, contents};
use crate::program::Run;

fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    let name = copied.logs()[1].file_name().unwrap().to_owned();
    copied.change(name.to_str().unwrap(), |bytes| bytes[100] ^= 1);
    copied
}

fn repair(copied: &Copied) -> Run {
    let run = Run::new(["repair", "log", "--salvage", "--in-place", "-q"]);
    run.arg("--now=2026-12-01").arg(&copied.path)
}

#[test]
fn whatever_a_kill_leaves_the_next_run_ends_well() {
    let whole = damaged();
    repair(&whole).outcome().ended_with(0);
    let result = contents(&whole.path);
    for round in 0..40_u64 {
        let copied = damaged();
        let mut child = repair(&copied).start();
        std::thread::sleep(Duration::from_micros(round * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        repair(&copied).outcome().ended_with(0);
        assert!(contents(&copied.path) == result, "round {round}");
    }
}

fn write(copied: &Copied, place: &Path) -> Run {
    let run = Run::new(["repair", "log", "--salvage", "--output"]).arg(place);
    run.arg(&copied.path)
}

#[test]
fn what_a_killed_output_leaves_is_replaced_and_never_taken_for_a_partition() {
    let copied = damaged();
    let whole = tempfile::tempdir().unwrap();
    let outcome = write(&copied, whole.path()).outcome();
    assert!(
        !outcome.stderr.contains("takes the place"),
        "{}",
        outcome.stderr
    );
    let result = contents(&whole.path().join("txn-both-0"));
    let partial = format!("txn-both-0{UNFINISHED}");
    for round in 0..40_u64 {
        let place = tempfile::tempdir().unwrap();
        let mut child = write(&copied, place.path()).start();
        std::thread::sleep(Duration::from_micros(round * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        let (target, partial) = (place.path().join("txn-both-0"), place.path().join(&partial));
        if target.exists() {
            assert!(contents(&target) == result, "round {round}");
            continue;
        }
        let was_there = partial.exists() && !contents(&partial).is_empty();
        let outcome = write(&copied, place.path()).outcome();
        assert_eq!(
            outcome.stderr.contains("takes the place"),
            was_there,
            "round {round}"
        );
        assert!(
            contents(&target) == result && !partial.exists(),
            "round {round}"
        );
    }
    // The first bytes of a result, as a kill leaves them.
    let place = tempfile::tempdir().unwrap();
    let partial = place.path().join(&partial);
    fs::create_dir(&partial).unwrap();
    fs::write(
        partial.join("00000000000000000000.log"),
        &result["00000000000000000000.log"],
    )
    .unwrap();
    for command in ["check", "producers", "dump-log"] {
        let outcome = Run::new([command]).arg(&partial).outcome().ended_with(3);
        assert!(
            outcome.stderr.contains("it is no partition"),
            "{}",
            outcome.stderr
        );
    }
    // What is none of ours stays.
    fs::write(partial.join("notes.txt"), "mine").unwrap();
    let outcome = write(&copied, place.path()).outcome().ended_with(3);
    assert!(
        outcome.stderr.contains("found notes.txt"),
        "{}",
        outcome.stderr
    );
    assert_eq!(contents(&partial).len(), 2);
    fs::remove_file(partial.join("notes.txt")).unwrap();
    // Nor what another run is writing.
    let claim = kfsck::storage::lock::claim(&partial).unwrap();
    let outcome = write(&copied, place.path()).outcome().ended_with(3);
    assert!(outcome.stderr.contains("another run"), "{}", outcome.stderr);
    drop(claim);
    let outcome = write(&copied, place.path()).outcome();
    assert!(
        outcome.stderr.contains("takes the place"),
        "{}",
        outcome.stderr
    );
    assert!(contents(&place.path().join("txn-both-0")) == result);
}
