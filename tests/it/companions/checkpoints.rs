//! The checkpoint files of a log directory.

use std::fs;

use kfsck::analysis::log_findings::Severity::{Error, Note, Warning};

use super::scene::{Scene, told};

const START: &str = "log-start-offset-checkpoint";
const FLUSHED: &str = "recovery-point-offset-checkpoint";
const COMMITTED: &str = "replication-offset-checkpoint";

fn line(offset: i64) -> Vec<u8> {
    format!("0\n1\ntxn-both 0 {offset}\n").into_bytes()
}

#[test]
fn a_log_that_ends_below_what_a_checkpoint_says() {
    // The log ends at 152.
    for (name, severity) in [(START, Error), (FLUSHED, Error), (COMMITTED, Error)] {
        for (offset, is_wrong) in [(152, false), (153, true)] {
            let scene = Scene::of("txn-both-0");
            scene.write_beside(name, &line(offset));
            let expected = told(severity, "checkpoint-mismatch", name, None, 152);
            let expected: &[_] = if is_wrong { &[expected] } else { &[] };
            assert_eq!(scene.told(), expected, "{name} {offset}");
        }
    }
    // What was committed and not flushed a machine may lose.
    let scene = Scene::of("txn-both-0");
    scene.write_beside(COMMITTED, &line(153));
    scene.kill();
    assert_eq!(scene.only("checkpoint-mismatch").severity, Warning);
    let scene = Scene::of("txn-both-0");
    scene.write_beside(START, &line(153));
    let message = scene.only("checkpoint-mismatch").message;
    assert!(message.contains("deletes every segment"), "{message}");
}

#[test]
fn a_recovery_point_below_the_end_is_odd_after_a_clean_stop_alone() {
    let scene = Scene::of("txn-both-0");
    scene.write_beside(FLUSHED, &line(100));
    assert_eq!(scene.told(), []);
    assert_eq!(scene.only("checkpoint-mismatch").severity, Note);
    scene.kill();
    assert_eq!(scene.all_told(), []);
}

#[test]
fn the_end_of_a_log_is_where_an_empty_last_segment_begins() {
    let scene = Scene::of("txn-both-0");
    for kind in ["log", "index", "timeindex"] {
        scene.write(&format!("{:020}.{kind}", 152), &[]);
    }
    assert_eq!(scene.told(), []);
    for name in [START, FLUSHED, COMMITTED] {
        scene.write_beside(name, &line(153));
    }
    assert_eq!(scene.told().len(), 3);
}

#[test]
fn a_partition_without_any_segment() {
    let scene = Scene::of("txn-both-0");
    for entry in fs::read_dir(scene.path("")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind != "metadata") {
            fs::remove_file(path).unwrap();
        }
    }
    scene.write("leader-epoch-checkpoint", b"0\n0\n");
    let lost = |name| told(Error, "checkpoint-mismatch", name, None, 0);
    assert_eq!(scene.told(), [lost(FLUSHED), lost(COMMITTED)]);
    scene.kill();
    assert_eq!(scene.told(), [lost(FLUSHED), lost(COMMITTED)]);
}

#[test]
fn checkpoints_that_no_broker_reads() {
    for (name, text, severity, position) in [
        (FLUSHED, "0\n2\ntxn-both 0 152\n", Error, 2),
        (FLUSHED, "0\n1\ntxn-both 0 x\n", Warning, 4),
        (START, "9\n", Error, 0),
        (START, "0\n1\ntxn-both x 0\n", Error, 4),
        (COMMITTED, "0\n1\ntxn-both 0\n", Error, 4),
        (COMMITTED, "0\n1\ntxn-both 0 x\n", Error, 4),
        ("cleaner-offset-checkpoint", "x\n", Error, 0),
        (
            "cleaner-offset-checkpoint",
            "0\n1\ntxn-both x 0\n",
            Warning,
            4,
        ),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write_beside(name, text.as_bytes());
        let expected = told(severity, "checkpoint-corrupt", name, position, None);
        assert_eq!(scene.told(), [expected], "{name} {text}");
    }
}

#[test]
fn lines_of_partitions_that_are_not_here_are_a_note() {
    let scene = Scene::of("txn-both-0");
    scene.write_beside(COMMITTED, b"0\n3\ntxn-both 0 152\ngone 1 5\ngone 0 5\n");
    assert_eq!(scene.told(), []);
    let finding = scene.only("checkpoint-mismatch");
    assert_eq!(finding.severity, Note);
    assert!(
        finding
            .message
            .starts_with("a line of gone-0 and of 1 more, "),
        "{}",
        finding.message
    );
    assert_eq!(finding.topic_partition, None);
}
