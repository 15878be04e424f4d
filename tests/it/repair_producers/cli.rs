//! The verbs as commands: options, exit codes, what is shown.

use std::fs;
use std::path::Path;

use super::partition;
use crate::program::{Outcome, Run};
use crate::repair::contents;
use crate::txns::log::{Log, state_partition};

fn repair(args: &[&str], path: &Path) -> Outcome {
    let args = [&["repair"], args, &["--now=2026-12-01"]].concat();
    Run::new(args).arg(path).outcome()
}

fn open() -> Log {
    Log::default().data(5, 0).data(5, 0)
}

#[test]
fn what_must_be_said_is_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&open()]);
    let wrong: [&[&str]; 20] = [
        &["snapshot", "--dry-run"],
        &["snapshot", "--rebuild"],
        &["snapshot", "--rebuild", "--drop-pid", "5", "--dry-run"],
        &["snapshot", "--at", "0", "--drop-pid", "5", "--dry-run"],
        &["snapshot", "--to-version", "3", "--dry-run"],
        &["snapshot", "--remap", "5", "--dry-run"],
        &["pids", "--dry-run"],
        &["pids", "--split", "5", "--unmap", "negate", "--dry-run"],
        &["pids", "--map", "bit-field", "--dry-run"],
        &[
            "pids",
            "--map",
            "bit-field",
            "--cluster-id",
            "free text",
            "--dry-run",
        ],
        &["pids", "--remap", "5=5", "--dry-run"],
        &["pids", "--remap", "5=9", "--new-id", "7", "--dry-run"],
        &["pids", "--remap", "5=9", "--writers", "2", "--dry-run"],
        &["pids", "--split", "5", "--writers", "9", "--dry-run"],
        &[
            "pids",
            "--split",
            "5",
            "--assign",
            "1=1",
            "--assign",
            "1=0",
            "--dry-run",
        ],
        &["barrier", "--layout", "a", "--dry-run"],
        &["barrier", "--timestamp", "-5", "--dry-run"],
        &["barrier", "--source-cluster-id", "", "--dry-run"],
        &["barrier", "--layout", "b", "--output", "there"],
        &["abort", "--producer-id", "5", "--dry-run"],
    ];
    for args in wrong {
        let outcome = repair(args, &directory).ended_with(2);
        assert_eq!(outcome.text(), "");
        assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    }
    let both = [
        "barrier",
        "--layout",
        "b",
        "--source-cluster-id",
        "x",
        "--dry-run",
    ];
    repair(&both, &directory).ended_with(2);
    let running = ["abort", "--producer-id", "5", "--force", "--in-place"];
    let outcome = repair(&running, &directory).ended_with(2);
    assert!(
        outcome.stderr.contains("--all-replicas-stopped"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn an_abort_is_planned_then_written_then_done() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&open()]);
    let before = contents(&directory);
    let common = [
        "abort",
        "--producer-id",
        "5",
        "--force",
        "--timestamp",
        "1774000000000",
    ];
    let dry = [&common[..], &["--dry-run"]].concat();
    let shown = repair(&dry, &directory).ended_with(1);
    assert!(shown.text().contains("an ABORT of"), "{}", shown.text());
    assert!(contents(&directory) == before);
    let place = [&common[..], &["--all-replicas-stopped", "--in-place"]].concat();
    let done = repair(&place, &directory).ended_with(0);
    assert!(done.text().starts_with(shown.text()), "the same plan");
    repair(&dry, &directory).ended_with(0);
    // What is written depends on nothing but the time.
    let elsewhere = tempfile::tempdir().unwrap();
    let replica = partition(elsewhere.path(), "orders-0", &[&open()]);
    repair(&place, &replica).ended_with(0);
    assert_eq!(contents(&replica), contents(&directory));
}

/// A log for each verb that finds something to do in it.
fn verbs() -> [(&'static str, Log, &'static [&'static str]); 10] {
    [
        (
            "log-0",
            Log::default().data(5, 0).commit(5, 0),
            &["log", "--salvage"],
        ),
        (
            "log-1",
            Log::default().data(5, 0).commit(5, 0),
            &["log", "--truncate"],
        ),
        ("index-0", Log::default().data(5, 0).abort(5, 0), &["index"]),
        (
            "snapshot-0",
            Log::default().data(5, 0),
            &["snapshot", "--rebuild"],
        ),
        (
            "remap-0",
            Log::default().data(5, 0),
            &["pids", "--remap", "5=4611686018427387904"],
        ),
        (
            "unmap-0",
            Log::default().data(-7, 0),
            &["pids", "--unmap", "negate"],
        ),
        (
            "map-0",
            Log::default().data(7, 0),
            &[
                "pids",
                "--map=bit-field",
                "--cluster-id=ABEiM0RVZneImaq7zN3u_w",
            ],
        ),
        (
            "split-0",
            Log::default().data(5, 1).commit(5, 1),
            &["pids", "--split=5", "--assign=0=0", "--assign=1=1"],
        ),
        (
            "barrier-0",
            Log::default().plain(),
            &[
                "barrier",
                "--timestamp=1700000000000",
                "--all-replicas-stopped",
            ],
        ),
        (
            "abort-0",
            open(),
            &[
                "abort",
                "--producer-id=5",
                "--force",
                "--all-replicas-stopped",
            ],
        ),
    ]
}

/// Whatever is asked, asked of the result it asks for nothing.
#[test]
fn the_second_plan_of_every_verb_is_empty() {
    let place = tempfile::tempdir().unwrap();
    let broken = |directory: &Path, name: &str| {
        fs::write(directory.join(name), b"broken").unwrap();
    };
    for (name, log, verb) in verbs() {
        let directory = partition(place.path(), name, &[&log]);
        match name {
            "log-0" | "log-1" => {
                let path = directory.join("00000000000000000000.log");
                let mut bytes = fs::read(&path).unwrap();
                bytes[80] ^= 1;
                fs::write(path, bytes).unwrap();
            }
            "index-0" => fs::remove_file(directory.join("00000000000000000000.txnindex")).unwrap(),
            "snapshot-0" => broken(&directory, "00000000000000000001.snapshot"),
            _ => {}
        }
        let output = place.path().join("results");
        let written = [verb, &["--output", output.to_str().unwrap()]].concat();
        let written = repair(&written, &directory);
        assert!(written.code <= 1, "{name}: {}", written.stderr);
        assert!(
            written.text().contains("\nstep: "),
            "{name}: {}",
            written.text()
        );
        let dry = [verb, &["--dry-run", "--format=json"]].concat();
        // An assignment is of the log as it was.
        let dry: Vec<_> = dry
            .into_iter()
            .filter(|arg| !arg.starts_with("--assign"))
            .collect();
        let again = repair(&dry, &output.join(name)).ended_with(0);
        assert!(
            again.text().contains("\"steps\":[]"),
            "{name}: {}",
            again.text()
        );
    }
}

/// What the check of the result finds is told, whoever is to mend it.
#[test]
fn what_is_left_is_told_and_gives_exit_code_1() {
    let place = tempfile::tempdir().unwrap();
    // Years old, and open.
    let directory = partition(place.path(), "orders-0", &[&open()]);
    fs::remove_file(directory.join("00000000000000000000.index")).unwrap();
    let output = place.path().join("result");
    let index = ["index", "--output", output.to_str().unwrap()];
    let outcome = repair(&index, &directory).ended_with(1);
    let text = outcome
        .text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("left: warning hanging-transaction in 00000000000000000000.log: the"),
        "{text}"
    );
    assert!(!text.contains("nothing is wrong with it"), "{text}");
    let abort = [
        "abort",
        "--producer-id=5",
        "--timestamp=2026-11-30",
        "--force",
        "--all-replicas-stopped",
        "--in-place",
        // Not later than what counts as now.
        "--timestamp=2026-11-30",
    ];
    let outcome = repair(&abort, &output.join("orders-0")).ended_with(0);
    assert!(
        outcome.text().contains("nothing is wrong with it"),
        "{}",
        outcome.text()
    );
    // The same rules: what a snapshot says may be wrong by others alone.
    let log = Log::default().data(5, 0).commit(5, 0).barrier();
    let directory = partition(place.path(), "barred-0", &[&log]);
    let snapshot = ["snapshot", "--rebuild", "--in-place"];
    repair(&snapshot, &directory).ended_with(0);
    let by_barrier = [&snapshot[..], &["--rules", "barrier"]].concat();
    let outcome = repair(&by_barrier, &directory).ended_with(0);
    assert!(outcome.text().contains("step: "), "{}", outcome.text());
    let outcome = repair(&["index", "--in-place"], &directory).ended_with(1);
    assert!(
        outcome.text().contains("snapshot-mismatch"),
        "{}",
        outcome.text()
    );
}

#[test]
fn a_verdict_comes_from_the_transaction_log() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&open()]);
    let state = tempfile::tempdir().unwrap();
    let state = state.path().join("__transaction_state-0");
    fs::create_dir(&state).unwrap();
    let path = state.join("00000000000000000000.log");
    let abort = |partitions: &str| {
        let state = state.to_str().unwrap();
        let count = "--transaction-log-partitions";
        let args = [
            "abort",
            "--producer-id",
            "5",
            "--transaction-log",
            state,
            count,
            partitions,
        ];
        repair(&[&args[..], &["--dry-run"]].concat(), &directory)
    };
    fs::write(&path, state_partition("id", 9, 1, &["orders"])).unwrap();
    let hanging = abort("1").ended_with(1);
    assert!(
        hanging.text().contains("hanging: no transactional id"),
        "{}",
        hanging.text()
    );
    let doubt = abort("2").ended_with(3);
    assert!(doubt.stderr.contains("cannot be told"), "{}", doubt.stderr);
    fs::write(&path, state_partition("id", 5, 2, &["orders"])).unwrap();
    let decided = abort("1").ended_with(3);
    assert!(
        decided.stderr.contains("decided to commit"),
        "{}",
        decided.stderr
    );
}

#[test]
fn ids_of_the_transaction_log_beside_are_taken() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let remap = ["pids", "--remap", "5=4611686018427387904", "--dry-run"];
    repair(&remap, &directory).ended_with(1);
    let state = place.path().join("__transaction_state-0");
    fs::create_dir(&state).unwrap();
    let bytes = state_partition("mine", 1 << 62, 4, &["orders"]);
    fs::write(state.join("00000000000000000000.log"), bytes).unwrap();
    let told = repair(&remap, &directory).ended_with(3);
    assert!(told.stderr.contains("transactional id"), "{}", told.stderr);
}

#[test]
fn negative_ids_are_written_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(-7, 0).commit(-7, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let dry = |args: &[&str]| repair(&[args, &["--dry-run"]].concat(), &directory);
    dry(&["pids", "--remap", "-7=4611686018427387905"]).ended_with(1);
    let controllers = dry(&["pids", "--remap", "-7=5"]).ended_with(3);
    assert!(
        controllers.stderr.contains("--force"),
        "{}",
        controllers.stderr
    );
    dry(&["pids", "--remap", "-7=5", "--force"]).ended_with(1);
    dry(&["pids", "--unmap", "negate"]).ended_with(1);
    dry(&["snapshot", "--drop-pid", "-7"]).ended_with(0);
}

#[test]
fn among_all_partitions_internal_ones_are_passed_over() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0);
    partition(place.path(), "orders-0", &[&log]);
    let internal = partition(place.path(), "__consumer_offsets-0", &[&log]);
    let barrier = ["barrier", "--layout", "b", "--timestamp", "0", "--dry-run"];
    let outcome = repair(&barrier, place.path()).ended_with(1);
    assert!(outcome.stderr.contains("passed over"), "{}", outcome.stderr);
    assert!(outcome.text().contains("orders-0"));
    repair(&barrier, &internal).ended_with(3);
}

#[test]
fn a_split_shows_who_wrote_what() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 1).commit(5, 1);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let outcome = repair(&["pids", "--split", "5", "--dry-run"], &directory).ended_with(0);
    assert!(
        outcome.text().contains("one writer may have"),
        "{}",
        outcome.text()
    );
    let assign = [
        "pids",
        "--split",
        "5",
        "--assign",
        "0=0",
        "--assign",
        "1=1",
        "--dry-run",
    ];
    let outcome = repair(&assign, &directory).ended_with(1);
    assert!(
        outcome.text().contains("writer 1, now producer"),
        "{}",
        outcome.text()
    );
}
