//! Exit code 1: what was expected and did not come.

use super::{builtin, simulate, simulated};

#[test]
fn what_came_out_unsafe_is_no_failure_unless_it_is_asked_for() {
    let verbatim = ["--builtin", "chain", "--strategy", "verbatim"];
    simulated(&verbatim).ended_with(0);
    for form in ["text", "json"] {
        let asked = [&verbatim[..], &["--expect", "safe", "--format", form]].concat();
        let outcome = simulated(&asked).ended_with(1);
        assert_eq!(
            outcome.stderr,
            "kfsck: warning: chain: verbatim under barrier: unsafe, expected safe (--expect)\n"
        );
        let whole = simulated(&[&verbatim[..], &["--format", form]].concat());
        assert_eq!(outcome.stdout, whole.stdout);
        simulated(&[&asked[..], &["--exit-zero"]].concat()).ended_with(0);
    }
    let safe = [
        "--builtin",
        "chain",
        "--strategy",
        "barrier",
        "--expect",
        "safe",
    ];
    assert_eq!(simulated(&safe).ended_with(0).stderr, "");
    // One of many is enough.
    simulated(&["--builtin", "chain,failback", "--expect", "safe"]).ended_with(1);
}

#[test]
fn a_scenario_that_comes_out_otherwise_than_it_says_ends_with_1() {
    let sound = builtin("failback");
    for (from, to, strategy, told) in [
        (
            r#"["barrier"], "verdict": "safe""#,
            r#"["barrier"], "verdict": "unsafe""#,
            "barrier",
            "failback: barrier under barrier: the verdict is safe, expected unsafe",
        ),
        (
            "\"rejected-write\"",
            "\"stuck-lso\"",
            "verbatim",
            "failback: verbatim under barrier: there is no stuck-lso, expected one",
        ),
        (
            r#""logEndOffset": 6"#,
            r#""logEndOffset": 7"#,
            "barrier",
            "failback: barrier under barrier: step 8: orders-0 on A: logEndOffset is 6, expected 7",
        ),
    ] {
        assert!(sound.contains(from), "{from}");
        let changed = sound.replace(from, to);
        for form in [&[][..], &["--trace"], &["--format", "json"]] {
            let args = [&["-", "--strategy", strategy], form].concat();
            let run = |text: &str| simulate(&args).outcome_with(text.into());
            run(sound).ended_with(0);
            let outcome = run(&changed).ended_with(1);
            assert_eq!(outcome.stderr, format!("kfsck: warning: {told}\n"));
            let (_, short) = told.split_once("barrier: ").unwrap();
            let on_one_line = outcome
                .text()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(on_one_line.contains(short), "{on_one_line}");
        }
        // Of other designs it says nothing.
        let args = ["-", "--strategy", "negate"];
        simulate(&args).outcome_with(changed.into()).ended_with(0);
    }
}
