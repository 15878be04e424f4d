//! `--write-logs`: what is written reads back with the other commands.

use std::fs;

use super::simulate;
use crate::program::Run;

#[test]
fn the_logs_of_a_run_read_back() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let args = [
        "--builtin",
        "chain",
        "--strategy",
        "barrier",
        "--write-logs",
    ];
    let written = || simulate(&args).arg(&out).outcome();
    let outcome = written().ended_with(0);
    assert!(
        outcome.stderr.contains("holds the logs of 5 replicas"),
        "{}",
        outcome.stderr
    );
    let log = out.join("chain/barrier/C/1/orders-0/00000000000000000000.log");
    let dump = Run::new(["dump-log", "--print-data-log"])
        .arg(&log)
        .outcome();
    let text = dump.ended_with(0).text().to_owned();
    assert!(
        text.contains("payload: a 0") && text.contains("payload: c 1"),
        "{text}"
    );
    assert!(text.contains("MirrorPidReset"), "{text}");
    let replica = out.join("chain/barrier/C/1");
    Run::new(["producers", "-q"])
        .arg(&replica)
        .outcome()
        .ended_with(0);
    Run::new(["txns", "-q"])
        .arg(&replica)
        .outcome()
        .ended_with(0);
    Run::new(["inspect-snapshot", "-q"])
        .arg(&replica)
        .outcome()
        .ended_with(0);
    // What lies there is never written over.
    let before = fs::read(&log).unwrap();
    let outcome = written().ended_with(3);
    assert!(outcome.stderr.contains("already"), "{}", outcome.stderr);
    assert_eq!(fs::read(&log).unwrap(), before);
}
