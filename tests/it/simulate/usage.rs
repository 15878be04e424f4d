//! Wrong usage is told before anything is read.

use super::simulated;

#[test]
fn options_that_do_not_go_together_end_with_2() {
    for (args, told) in [
        (&[][..], "--list shows the names"),
        (&["--strategy", "barrier"], "--list shows the names"),
        (&["--builtin", "chian"], "chain"),
        (&["--builtin", "chain", "--strategy", "barier"], "barrier"),
        (&["--builtin", "chain", "--rules", "none"], "stock"),
        (&["--builtin", "chain", "--expect", "unsafe"], "safe"),
        (&["--builtin", "chain", "--seed", "-1"], "--seed"),
        (&["--builtin", "chain", "--seed", "x"], "--seed"),
        (
            &["--builtin", "chain", "--diagram"],
            "--diagram draws one run",
        ),
        (
            &["--builtin", "all", "--strategy", "negate", "--diagram"],
            "--diagram draws one run",
        ),
        (
            &[
                "--builtin",
                "chain",
                "absent",
                "--strategy",
                "negate",
                "--diagram",
            ],
            "--diagram draws one run",
        ),
        (&["--builtin", "chain", "--trace", "--diagram"], "--diagram"),
        (
            &["--builtin", "chain", "--trace", "--format", "json"],
            "--format json",
        ),
        (&["--list", "--builtin", "chain"], "--builtin"),
        (&["--list", "absent.json"], "SCENARIO"),
        (&["-", "-"], "standard input"),
        (
            &["--builtin", "chain", "--explore", "10"],
            "--explore and --exhaustive make their own",
        ),
        (&["--exhaustive", "3", "--trace"], "--trace"),
        (&["--exhaustive", "0"], "--exhaustive"),
        (&["--exhaustive", "13"], "12"),
        (&["--explore", "-1"], "--explore"),
        (&["--explore", "1", "--write-logs", "out"], "--write-logs"),
        (
            &["--builtin", "chain", "--rules", "all", "--write-logs", "o"],
            "at most one of --rules",
        ),
    ] {
        let outcome = simulated(args).ended_with(2);
        assert_eq!(outcome.text(), "", "{args:?}");
        assert!(
            outcome.stderr.contains(told),
            "{args:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("Usage: kfsck simulate-chain")
                || outcome.stderr.contains("--help")
        );
    }
}

#[test]
fn names_once_or_twice_run_once() {
    let once = simulated(&["--builtin", "chain", "--strategy", "barrier,negate"]).ended_with(0);
    let twice = simulated(&[
        "--builtin",
        "chain",
        "--builtin",
        "chain",
        "--strategy",
        "barrier,negate,barrier",
    ]);
    assert_eq!(once.text(), twice.ended_with(0).text());
    let all = simulated(&["--builtin", "all,chain", "--strategy", "all,barrier"]).ended_with(0);
    assert_eq!(all.text(), simulated(&["--builtin", "all"]).text());
}
