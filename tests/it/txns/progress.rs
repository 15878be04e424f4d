//! Progress, which is for a terminal alone. `script` of util-linux gives the run one.

use super::log::Log;
use crate::program::Run;

/// Runs a command on a pipe that takes its time, as long work does, and on a partition.
fn run(command: &str, on: &str, option: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().plain();
    log.write(&root.path().join("t-0"), 0);
    let script = format!(
        "mkfifo slow && (sleep 0.8; cat t-0/*.log) > slow & \
         until [ -p slow ]; do sleep 0.01; done; command=\"$0 {command} {option} slow t-0\"; {on}"
    );
    let outcome = Run::in_shell(&script, &[]).dir(root.path()).outcome();
    let outcome = outcome.ended_with(0);
    format!("{}{}", outcome.text(), outcome.stderr)
}

const ON_A_TERMINAL: &str = r#"script -qec "$command" /dev/null < /dev/null"#;

#[test]
fn a_terminal_sees_how_far_the_reading_is() {
    let seen = run("txns", ON_A_TERMINAL, "");
    assert!(seen.contains("] 74 B of 74 B, about "), "{seen:?}");
    assert!(seen.contains("No open transaction in 2 partitions."));
    // At the end nothing of it is left.
    let last = seen.rsplit("left").next().unwrap();
    assert!(last.contains("\u{1b}[2K"), "{seen:?}");
}

#[test]
fn so_does_one_who_asks_for_producers() {
    let seen = run("producers", ON_A_TERMINAL, "");
    assert!(seen.contains("] 74 B of 74 B, about "), "{seen:?}");
    assert!(seen.contains("log end 1"), "{seen:?}");
}

#[test]
fn neither_a_quiet_run_nor_a_file_sees_it() {
    for (on, option) in [(ON_A_TERMINAL, "-q"), ("$command", "")] {
        let seen = run("txns", on, option);
        assert!(!seen.contains("left"), "{seen:?}");
        assert!(seen.contains("No open transaction in 2 partitions."));
    }
}
