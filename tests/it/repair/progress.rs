//! Progress, which is for a terminal alone. `script` of util-linux gives the run one.

use std::fs;

use crate::program::Run;
use crate::txns::log::Log;

/// Repairs two partitions, of which one takes its time.
fn run(option: &str, on: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    let logs = root.path().join("logs");
    Log::default().plain().write(&logs.join("short-0"), 0);
    let mut long = Log::default();
    for _ in 0..300_000 {
        long = long.plain();
    }
    long.bytes[70] ^= 1;
    long.write(&logs.join("orders-0"), 0);
    // A pause in the middle makes it long enough on any machine.
    let script = format!(
        "command=\"$0 repair log --salvage --now 2026-12-01 --output out {option} logs & \
         sleep 0.1; kill -STOP \\$!; sleep 0.7; kill -CONT \\$!; wait \\$!\"; {on}"
    );
    let outcome = Run::in_shell(&script, &[]).dir(root.path()).outcome();
    let written = fs::metadata(root.path().join("out/orders-0/00000000000000000000.log"));
    assert_eq!(written.unwrap().len(), 299_999 * 74, "{}", outcome.stderr);
    format!("{}{}", outcome.text(), outcome.stderr)
}

const ON_A_TERMINAL: &str = r#"script -qec "$command" /dev/null < /dev/null"#;
const ELSEWHERE: &str = r#"eval "$command""#;

#[test]
fn a_terminal_sees_how_far_the_repair_is() {
    let seen = run("", ON_A_TERMINAL);
    // Each byte is read twice, written, loaded twice, and checked.
    assert!(seen.contains(" of 127.03 MiB, about "), "{seen:?}");
    assert!(seen.contains("kept:      299999 records"), "{seen:?}");
}

#[test]
fn neither_a_quiet_run_nor_a_file_sees_it() {
    for (option, on) in [("-q", ON_A_TERMINAL), ("", ELSEWHERE)] {
        let seen = run(option, on);
        assert!(!seen.contains(", about "), "{seen:?}");
        assert!(seen.contains("kept:      299999 records"), "{seen:?}");
    }
}
