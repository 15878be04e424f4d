//! Options of `kfsck txns`, and inputs that are no log.

use std::fs;

use super::document::{Document, Verdict, json, only, txns};
use super::log::{Log, START};
use crate::program::{Run, set_mode, testdata};

#[test]
fn the_timeout_in_every_form() {
    let root = tempfile::tempdir().unwrap();
    Log::default().data(5, 0).write(&root.path().join("t-0"), 0);
    for (timeout, ms) in [
        ("15m", 900_000),
        ("900000", 900_000),
        ("1h", 3_600_000),
        ("30s", 30_000),
    ] {
        for (later, verdict) in [(0, Verdict::Ongoing), (1, Verdict::Suspect)] {
            let now = (START + ms + later).to_string();
            let args = ["--now", &now, "--max-transaction-timeout", timeout];
            let (document, _) = json(root.path(), &args);
            assert_eq!(document.max_transaction_timeout_ms, ms);
            assert_eq!(document.now, START + ms + later);
            assert_eq!(only(document).transactions[0].verdict, verdict, "{timeout}");
        }
    }
    for timeout in ["", "15 m", "-1", "1.5h", "15x"] {
        let args = ["--max-transaction-timeout", timeout];
        let wrong = txns(root.path(), &args).ended_with(2);
        assert!(
            wrong.stderr.contains("--max-transaction-timeout"),
            "{}",
            wrong.stderr
        );
    }
}

#[test]
fn the_clock_is_the_default_and_printed() {
    let root = tempfile::tempdir().unwrap();
    Log::default().data(5, 0).write(&root.path().join("t-0"), 0);
    let text = txns(root.path(), &[]).ended_with(1);
    let text = text.text().replace('\n', " ");
    assert!(text.contains("(the clock)."), "{text}");
    let (document, _) = json(root.path(), &[]);
    assert!(document.now > 1_700_000_000_000);
}

#[test]
fn filters_choose_transactions_and_with_them_the_exit_code() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).data(6, 1).data(7, 1);
    log.write(&root.path().join("t-0"), 0);
    let now = (START + 901_000).to_string();
    let shown = |args: &[&str], code: i32| {
        let (document, outcome) = json(root.path(), &[&["--now", &now], args].concat());
        outcome.ended_with(code);
        let open = only(document).transactions.into_iter();
        open.map(|open| open.producer_id).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[], 1), [5, 6, 7]);
    assert_eq!(shown(&["--producer-id", "6,7"], 0), [6, 7]);
    assert_eq!(shown(&["--producer-epoch", "0"], 1), [5]);
    assert!(shown(&["--producer-id", "-7"], 0).is_empty());
    assert_eq!(shown(&["--top", "1"], 1), [5]);
    let zero = txns(root.path(), &["--now", &now, "--exit-zero"]);
    zero.ended_with(0);
}

#[test]
fn a_transactional_id_is_for_the_coordinators_to_know() {
    let id = [
        "--transactional-id",
        "txn-open.two.open",
        "--now",
        "1796014062536",
    ];
    let (document, outcome) = json(&testdata("main"), &id);
    outcome.ended_with(0);
    let open = document.partitions.iter().flat_map(|one| &one.transactions);
    assert_eq!(
        open.map(|open| open.producer_id).collect::<Vec<_>>(),
        [1010]
    );
    let alone = txns(&testdata("main/txn-open-0"), &id).ended_with(3);
    assert!(
        alone.stderr.contains("--transaction-log DIR"),
        "{}",
        alone.stderr
    );
}

#[test]
fn a_transaction_log_that_is_none_ends_with_3() {
    let root = tempfile::tempdir().unwrap();
    Log::default().plain().write(&root.path().join("t-0"), 0);
    for (path, word) in [
        (
            root.path().to_owned(),
            "no partition of __transaction_state",
        ),
        (root.path().join("absent"), "absent"),
    ] {
        let args = ["--transaction-log", path.to_str().unwrap()];
        let outcome = txns(root.path(), &args).ended_with(3);
        assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
        assert_eq!(outcome.text(), "No open transaction in 1 partition.\n");
    }
}

#[test]
fn other_files_of_a_partition_are_no_log() {
    let root = tempfile::tempdir().unwrap();
    for name in ["5.index", "5.snapshot", "leader-epoch-checkpoint"] {
        let path = root.path().join(name);
        fs::write(&path, "").unwrap();
        let outcome = txns(&path, &[]).ended_with(3);
        assert!(
            outcome.stderr.contains("expected a segment"),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_segment_comes_through_a_pipe() {
    let log = Log::default().data(5, 0);
    let run = Run::new(["txns", "-", "--now", "1700000000000"]);
    let outcome = run.outcome_with(log.bytes).ended_with(0);
    assert!(
        outcome.text().contains("1 open transaction"),
        "{}",
        outcome.text()
    );
    let twice = Run::new(["txns", "-", "-"]).outcome().ended_with(2);
    assert!(twice.stderr.contains("only once"), "{}", twice.stderr);
}

/// A partition that cannot be read to its end leaves the document whole and the others in it.
#[test]
fn a_file_that_cannot_be_read_hides_no_other() {
    let root = tempfile::tempdir().unwrap();
    set_mode(root.path(), 0o755);
    Log::default().data(5, 0).write(&root.path().join("a-0"), 0);
    Log::default().data(6, 0).write(&root.path().join("b-0"), 0);
    let segment = root.path().join("a-0/00000000000000000000.log");
    set_mode(&segment, 0o000);
    let run = Run::new([
        "txns",
        "--format",
        "json",
        "--all",
        "--now",
        "1700000000000",
    ]);
    let outcome = run.arg(root.path()).unprivileged().outcome().ended_with(3);
    let document: Document = serde_json::from_str(outcome.text()).unwrap();
    let [refused, read] = &document.partitions[..] else {
        panic!("{document:?}");
    };
    assert_eq!((refused.log_end_offset, refused.held_back), (None, None));
    assert_eq!(read.transactions[0].producer_id, 6);
}

/// Lines stay within 80 columns but for paths and the command, with few rows and with many.
#[test]
fn many_open_transactions_make_a_short_answer() {
    let root = tempfile::tempdir().unwrap();
    let log = (0..1000).fold(Log::default(), |log, id| log.data(id, 0));
    log.write(&root.path().join("t-0"), 0);
    let text = txns(root.path(), &["--now", "1800000000000"]).ended_with(1);
    let text = text.text();
    assert!(
        text.contains("... and 950 more that began later (--top)"),
        "{text}"
    );
    assert_eq!(text.matches("--start-offset").count(), 50);
    for line in text.lines() {
        let is_free = line.starts_with("  ") && (line.contains(".log") || line.contains(".sh"));
        assert!(is_free || line.chars().count() <= 80, "{line}");
    }
    let two = txns(root.path(), &["--now", "1800000000000", "--top", "2"]).ended_with(1);
    assert_eq!(two.text().matches("--start-offset").count(), 2);
}
