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

#[test]
fn producers_expire_when_asked_to() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0).data(6, 0);
    log.write(&root.path().join("t-0"), 0);
    let now = (START + 2000).to_string();
    let left = |args: &[&str]| {
        let (document, outcome) = json(root.path(), &[&["--now", &now], args].concat());
        outcome.ended_with(0);
        let producers = only(document).producers.unwrap();
        let ids = producers
            .iter()
            .map(|producer| producer["producerId"].as_i64().unwrap());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(left(&[]), [5, 6]);
    assert_eq!(left(&["--expire-after", "1001"]), [5, 6]);
    assert_eq!(left(&["--expire-after", "1000"]), [6]);
    // An open transaction keeps its producer.
    assert_eq!(left(&["--expire-after", "0"]), [6]);
    txns(root.path(), &["--expire-after", "-1"]).ended_with(2);
}

/// Nothing found of an id is no good news: it may be mistyped.
#[test]
fn ids_that_nothing_knows_are_told() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0).data(6, 0);
    log.write(&root.path().join("t-0"), 0);
    let now = START.to_string();
    let told = |args: &[&str]| {
        let outcome = txns(root.path(), &[&["--now", &now], args].concat());
        let outcome = outcome.ended_with(0);
        (outcome.text().to_owned(), outcome.stderr)
    };
    let (text, stderr) = told(&["--producer-id", "7,5,-9"]);
    assert_eq!(stderr, "kfsck: note: nothing here knows producer -9, 7\n");
    assert_eq!(
        text,
        "No open transaction of those asked for in 1 partition.\n"
    );
    assert_eq!(told(&["--producer-id", "5,6"]).1, "");
    assert_eq!(told(&["-q", "--producer-id", "7"]).1, "");
    let now = "1796014062536";
    let id = |id: &str| {
        let args = ["--now", now, "--transactional-id", id];
        txns(&testdata("main"), &args).ended_with(0).stderr
    };
    let words = "no transactional id 'txn-open.absent' is in the __transaction_state at hand";
    assert!(id("txn-open.absent").contains(words));
    assert!(!id("txn-open.two.open").contains("no transactional id"));
}

#[test]
fn a_checkpoint_that_does_not_parse_is_damage_as_it_is_to_producers() {
    let root = tempfile::tempdir().unwrap();
    Log::default().plain().write(&root.path().join("t-0"), 0);
    fs::write(root.path().join("replication-offset-checkpoint"), "9\n").unwrap();
    for path in [root.path().to_owned(), root.path().join("t-0")] {
        let told = |command: &str| {
            let outcome = Run::new([command]).arg(&path).outcome();
            outcome.ended_with(1).stderr
        };
        assert!(told("txns").contains("checkpoint-corrupt"));
        assert_eq!(told("txns"), told("producers"));
    }
}

#[test]
fn an_exception_is_told_with_its_class_and_with_what_a_recovery_does() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default()
        .data(5, 0)
        .marker_with(5, &[0, 0])
        .marker_with(5, &[255; 6]);
    log.write(&root.path().join("t-0"), 0);
    let told = |command: &str| {
        let run = Run::new([command, "-q"]).arg(root.path());
        run.outcome().ended_with(1).stderr
    };
    let stderr = told("txns");
    for words in [
        "marker-malformed: producer 5: a broker that reads the batch at offset 1 back does not \
         start: BufferUnderflowException: null\n",
        "offset 2 back does not start: InvalidRecordException: ",
        "; after an unclean stop it first cuts the log off behind that batch\n",
    ] {
        assert!(stderr.contains(words), "{stderr}");
    }
    // The first of each kind is told there.
    assert_eq!(
        stderr.lines().next().unwrap(),
        told("producers")
            .trim_end()
            .trim_end_matches("; the first of 2")
    );
}

/// Ids of mirroring have up to 20 letters.
#[test]
fn wide_ids_keep_tables_within_80_columns() {
    let root = tempfile::tempdir().unwrap();
    let id = i64::MIN + 5;
    let log = Log::at(2_000_000_000)
        .data(id, 0)
        .abort(id, 0)
        .data(5, 0)
        .commit(5, 0);
    log.data(id, 7)
        .write(&root.path().join("t-0"), 2_000_000_000);
    let args = ["--all", "--rules", "mapped", "--now", "4000000000000"];
    let text = txns(root.path(), &args).ended_with(1);
    for line in text.text().lines() {
        assert!(
            line.starts_with("  epoch") || line.chars().count() <= 80,
            "{line}"
        );
    }
    let ended = "\n-9223372036854775803     0\n";
    assert!(text.text().contains(ended), "{}", text.text());
    let open = "\nproducer\n        from  records";
    assert!(text.text().contains(open), "{}", text.text());
}
