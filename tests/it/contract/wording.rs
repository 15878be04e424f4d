//! What messages say: to hands that mistyped, of names that would garble a terminal.

use crate::program::{Run, copies, dump_jsonl, dump_log, printed, testdata};

const LOG: &str = "main/plain-0/00000000000000000000.log";

#[test]
fn numbers_that_are_none_are_refused_with_what_is_wanted() {
    for (option, value, wanted) in [
        ("--producer-id", "abc", "a producer id"),
        ("--producer-id", "1,x", "a producer id"),
        ("--producer-epoch", "70000", "-32768 to 32767"),
        ("--leader-epoch", "a", "-2147483648 to 2147483647"),
        ("--start-offset", "x", "an offset"),
        ("--end-offset", "", "an offset"),
        ("--limit", "x", "0 or more"),
        ("--max-bytes", "-1", "0 or more"),
        ("--max-message-size", "x", "0 or more"),
        ("--max-record-bytes", "x", "0 or more"),
        ("--threads", "0", "1 to 64"),
        ("--threads", "65", "1 to 64"),
        ("--start-time", "yesterday", "2026-11-30T04:00:00Z"),
    ] {
        let outcome = dump_log(["absent.log", option, value])
            .outcome()
            .ended_with(2);
        let said = outcome.stderr.contains(wanted) && outcome.stderr.contains(option);
        assert!(
            said && !outcome.stderr.contains("digit"),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_year_is_taken_for_milliseconds_and_that_is_said() {
    for (option, time, told) in [
        ("--start-time", "2020", true),
        ("--end-time", "2020", true),
        ("--start-time", "2020-01-01", false),
        ("--start-time", "1774000000000", false),
    ] {
        let run = dump_log([option, time]).arg(testdata(LOG));
        let outcome = run.outcome().ended_with(0);
        let note = format!("{option}: note: 2020 is taken for milliseconds since 1970");
        assert_eq!(outcome.stderr.contains(&note), told, "{}", outcome.stderr);
    }
}

/// What joptsimple makes of a value for an option that takes none, in the stock tool.
#[test]
fn a_switch_may_be_said_to_be_true() {
    for switch in [
        "--deep-iteration",
        "--print-data-log",
        "--verify-index-only",
        "--index-sanity-check",
        "--skip-record-metadata",
    ] {
        let [plain, with_true] = [switch.to_owned(), format!("{switch}=true")]
            .map(|switch| printed([testdata(LOG).as_os_str(), switch.as_ref()]));
        assert!(plain == with_true, "{switch}");
        // The stock tool takes this for true as well.
        let wrong = dump_log([&format!("{switch}=false")]).arg(testdata(LOG));
        wrong.outcome().ended_with(2);
    }
    dump_log(["--transactional=true"])
        .arg(testdata(LOG))
        .outcome()
        .ended_with(2);
}

#[test]
fn a_wrong_option_has_a_tip() {
    let outcome = dump_log(["--deep-iterations"]).outcome().ended_with(2);
    assert!(
        outcome.stderr.contains("'--deep-iteration'"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn names_keep_to_their_line_on_stderr_and_are_raw_on_stdout() {
    let name = "a\nb\u{1b}[31m.log";
    let shown = r"a\nb\u{1b}[31m.log";
    let directory = copies(&[("control/cut-tail-0/00000000000000000000.log", name)]);
    let outcome = dump_log([name])
        .dir(directory.path())
        .outcome()
        .ended_with(1);
    assert!(outcome.text().starts_with(&format!("Dumping {name}\n")));
    for line in outcome.stderr.lines() {
        assert!(
            line.starts_with(&format!("{shown}: position ")),
            "{}",
            outcome.stderr
        );
    }
    let file = &dump_jsonl([name])
        .dir(directory.path())
        .outcome()
        .of_type("file")[0];
    assert_eq!(file["path"], name);
    // In errors, and where the name is all that is said.
    let absent = dump_log(["x\ny.log"]).outcome().ended_with(3);
    assert!(
        absent.stderr.contains(r"x\ny.log: No such file"),
        "{}",
        absent.stderr
    );
    let directory = copies(&[(LOG, "un\nknown")]);
    let unknown = Run::new(["dump-log", "un\nknown"])
        .dir(directory.path())
        .outcome();
    assert_eq!(unknown.stderr, "Ignoring unknown file un\\nknown\n");
    assert_eq!(unknown.text(), "Dumping un\nknown\n");
}
