//! `kfsck check`: options, exit codes, both forms of the answer, order, and that no input hides
//! another.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::log_findings::Severity;
use kfsck::format::number::{Offset, ProducerId};
use kfsck::report::check::repairs::Repairs;
use kfsck::report::check::{Place, advice};
use serde::Deserialize;

use super::commands::make_fifo;
use super::inputs::{self, only_line};
use crate::program::{Outcome, Run, copies, copy_tree, set_mode, state, testdata};

const ARGS: &[&str] = &["check", "--now", "2026-12-01"];
/// A log without fault, below `testdata/kafka`.
const SOUND: &str = "main/plain-0/00000000000000000000.log";
/// A log whose last batch is not all there.
const CUT: &str = "control/cut-tail-0/00000000000000000000.log";

/// What a start may do.
const ACTIONS: [&str; 7] = [
    "clean-load",
    "recovers",
    "truncates",
    "deletes-segments",
    "loses-producer-state",
    "hides-aborts",
    "broker-fails",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Document {
    schema: i64,
    findings: Vec<Finding>,
    next_start: Vec<NextStart>,
    summary: Summary,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Finding {
    code: String,
    severity: String,
    topic_partition: Option<String>,
    path: String,
    position: Option<u64>,
    size_in_bytes: Option<u64>,
    offset: Option<i64>,
    producer_id: Option<i64>,
    producer_id_hex: Option<String>,
    cases: u64,
    message: String,
    evidence: Vec<Evidence>,
    advice: String,
    repair: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Evidence {
    what: String,
    path: Option<String>,
    position: Option<u64>,
    offset: Option<i64>,
    stored: Option<String>,
    computed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NextStart {
    topic_partition: String,
    path: String,
    action: String,
    offset: Option<i64>,
    records_lost: u64,
    reason: String,
    blocked_by: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Summary {
    partitions: u64,
    segments: u64,
    batches: u64,
    records: u64,
    bytes_present: u64,
    bytes_checked: u64,
    bytes_damaged: u64,
    bytes_skipped: u64,
    errors: u64,
    warnings: u64,
    notes: u64,
    unreadable: u64,
}

fn check(paths: &[&Path]) -> Run {
    paths.iter().fold(Run::new(ARGS), Run::arg)
}

/// The answer as JSON, every field held against the declaration above.
fn document(outcome: &Outcome) -> Document {
    let document: Document = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.text()));
    assert_eq!(document.schema, 1);
    let Summary {
        bytes_present,
        bytes_checked,
        bytes_damaged,
        bytes_skipped,
        ..
    } = document.summary;
    assert_eq!(bytes_present, bytes_checked + bytes_damaged + bytes_skipped);
    let count = |severity: &str| {
        let findings = document.findings.iter();
        let those = findings.filter(|one| one.severity == severity);
        those.map(|one| one.cases).sum::<u64>()
    };
    let summary = &document.summary;
    assert_eq!(summary.errors, count("error"));
    assert_eq!(summary.warnings, count("warning"));
    assert_eq!(summary.notes, count("note"));
    for finding in &document.findings {
        assert!(!finding.message.is_empty() && !finding.message.ends_with('.'));
        assert!(finding.advice.ends_with('.'), "{}", finding.advice);
        let asks = finding.repair.as_deref().unwrap_or("kfsck repair ");
        assert!(asks.starts_with("kfsck repair "), "{asks}");
        for evidence in &finding.evidence {
            let places = [evidence.position.is_some(), evidence.offset.is_some()];
            let values = [&evidence.path, &evidence.stored, &evidence.computed];
            let says = places.contains(&true) || values.iter().any(|value| value.is_some());
            assert!(says && !evidence.what.is_empty(), "{evidence:?}");
        }
    }
    for next in &document.next_start {
        assert!(ACTIONS.contains(&next.action.as_str()), "{next:?}");
        assert!(next.path.ends_with(&next.topic_partition), "{next:?}");
        let says = next.action == "clean-load" || !next.reason.is_empty();
        assert!(says, "{next:?}");
        let is_blocked = next.blocked_by.is_some();
        assert!(!is_blocked || next.action != "clean-load", "{next:?}");
        let loses = ["truncates", "deletes-segments", "broker-fails"];
        assert!(next.records_lost == 0 || loses.contains(&next.action.as_str()));
        assert!(next.offset.is_none_or(|offset| offset >= 0), "{next:?}");
    }
    document
}

fn json(paths: &[&Path]) -> Outcome {
    check(paths).arg("--format=json").outcome()
}

/// The text without what tells that something could not be read.
fn judged(outcome: &Outcome) -> String {
    let lines = outcome.text().lines();
    let lines = lines.filter(|line| !line.contains("could not be read"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A log directory with some sound partitions and, in the middle, a log that is cut.
fn log_directory() -> tempfile::TempDir {
    let directory = copies(&[(CUT, "cut-0/00000000000000000000.log")]);
    for name in ["plain-0", "idem-0", "txn-both-0", "txn-v2-1"] {
        copy_tree(&testdata("main").join(name), &directory.path().join(name));
    }
    directory
}

#[test]
fn no_path_is_wrong_usage() {
    inputs::no_path(ARGS);
}

#[test]
fn a_missing_file_ends_with_3_and_hides_no_other() {
    let sound = testdata(SOUND);
    let absent = Path::new("absent/00000000000000000000.log");
    let alone = check(&[&sound]).outcome().ended_with(0);
    assert!(!alone.text().contains("could not be read"));
    for paths in [[absent, &sound], [&sound, absent]] {
        let outcome = check(&paths).outcome().ended_with(3);
        only_line(&outcome, absent);
        assert!(outcome.text().contains("1 could not be read"));
        assert_eq!(judged(&outcome), judged(&alone));
        let document = document(&json(&paths).ended_with(3));
        assert_eq!(document.summary.unreadable, 1);
        assert_eq!(document.summary.segments, 1);
    }
}

#[test]
fn what_may_not_be_read_ends_with_3_and_hides_no_other() {
    let directory = log_directory();
    let closed = directory.path().join("plain-0");
    let whole = document(&json(&[directory.path()]).ended_with(1));
    set_mode(&closed, 0o000);
    let run = check(&[directory.path()]).arg("--format=json");
    let outcome = run.unprivileged().outcome().ended_with(3);
    set_mode(&closed, 0o755);
    let without = document(&outcome);
    assert!(
        outcome.stderr.contains("Permission denied"),
        "{}",
        outcome.stderr
    );
    assert_eq!(without.summary.partitions, whole.summary.partitions - 1);
    assert_eq!(without.summary.unreadable, 1);
    let codes = |document: &Document| {
        let findings = document.findings.iter();
        let others = findings.filter(|one| !one.path.starts_with(closed.to_str().unwrap()));
        others.map(|one| one.code.clone()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&without), codes(&whole));
}

#[test]
fn inputs_stay_as_they_are() {
    inputs::untouched(ARGS);
}

#[test]
fn a_read_only_directory_is_enough() {
    inputs::read_only_directory(ARGS);
}

#[test]
fn a_fifo_is_read_like_a_file() {
    let directory = copies(&[(CUT, "file/00000000000000000000.log")]);
    let file = directory.path().join("file/00000000000000000000.log");
    let bytes = fs::read(&file).unwrap();
    let from_file = document(&json(&[&file]).ended_with(1));
    let fifo = make_fifo(directory.path(), "fifo");
    let from_fifo = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, &bytes));
        document(&json(&[&fifo]).ended_with(1))
    });
    let places = |document: &Document| {
        let findings = document.findings.iter();
        let places = findings.map(|one| (one.code.clone(), one.position, one.message.clone()));
        places.collect::<Vec<_>>()
    };
    assert_eq!(places(&from_fifo), places(&from_file));
    assert!(!places(&from_file).is_empty());
}

/// Files that are no segments are held against their partition, so they are refused alone.
#[test]
fn an_index_alone_is_refused() {
    let index = testdata("main/plain-0/00000000000000000000.index");
    let outcome = check(&[&index]).outcome().ended_with(3);
    assert!(only_line(&outcome, &index).contains("expected"));
    assert!(outcome.text().contains("1 could not be read"));
}

#[test]
fn what_is_given_twice_is_checked_once() {
    let directory = log_directory();
    let cut = directory.path().join("cut-0");
    let once = document(&json(&[directory.path()]).ended_with(1));
    let twice = document(&json(&[directory.path(), &cut, &cut]).ended_with(1));
    assert_eq!(twice.summary.partitions, once.summary.partitions);
    assert_eq!(twice.summary.errors, once.summary.errors);
    assert_eq!(twice.next_start.len(), once.next_start.len());
}

#[test]
fn exit_zero_changes_only_1() {
    let damaged = testdata(CUT);
    let outcome = check(&[&damaged]).outcome().ended_with(1);
    assert_eq!(outcome.stderr, "");
    for option in ["--exit-zero", "-q"] {
        let again = check(&[&damaged]).arg(option).outcome();
        assert_eq!(again.code, i32::from(option == "-q"));
        assert_eq!(again.text(), outcome.text());
    }
    let absent = check(&[&damaged, Path::new("absent.log")]).arg("--exit-zero");
    absent.outcome().ended_with(3);
}

#[test]
fn codes_that_are_left_out_do_not_count() {
    let damaged = testdata(CUT);
    let code = "truncated-tail";
    let with = |option: &str| {
        check(&[&damaged])
            .arg(option)
            .arg("--format=json")
            .outcome()
    };
    let all = document(&with("--color=never").ended_with(1));
    assert!(all.findings.iter().any(|one| one.code == code));
    let none = document(&with("--ignore=truncated-tail,segment-gap").ended_with(0));
    assert!(none.findings.iter().all(|one| one.code != code));
    // What was looked at stays the same.
    assert_eq!(none.summary.bytes_damaged, all.summary.bytes_damaged);
    let only = document(&with("--only=truncated-tail").ended_with(1));
    assert!(only.findings.iter().all(|one| one.code == code));
    let other = document(&with("--only=crc-mismatch").ended_with(0));
    assert!(other.findings.is_empty());
    for option in ["--only", "--ignore"] {
        let run = check(&[Path::new("waits")]).arg(option);
        let outcome = run.arg("crc-mismatch,zero_tail").outcome().ended_with(2);
        assert_eq!(outcome.text(), "");
        for said in ["zero_tail", "near it: zero-tail", "--help"] {
            assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        }
    }
}

/// What is told to be run is a command line that the program takes.
#[test]
fn every_repair_line_is_one_that_the_program_takes() {
    let directory = tempfile::tempdir().unwrap();
    let partition = directory.path().join("data/orders-0");
    copy_tree(&testdata("main/plain-0"), &partition);
    let place = Place {
        name: "orders-0",
        path: &partition,
        is_partition: true,
        transaction_logs: &[],
        repairs: Repairs::default(),
    };
    let mut lines = BTreeSet::new();
    for code in FindingCode::ALL {
        for id in [5, -7, -9_223_371_946_660_462_587] {
            let finding = kfsck::analysis::check::finding::Finding::new(
                *code,
                Severity::Error,
                partition.join("leader-epoch-checkpoint"),
                "anything",
            );
            let finding = finding.at(0).with_offset(Offset(3));
            let finding = finding.with_producer(ProducerId(id));
            lines.extend(advice::of(&finding, &place).repair);
        }
    }
    assert!(lines.len() > 10, "{lines:?}");
    for line in lines {
        let words = line.split(' ').skip(1);
        let run = words.fold(Run::new([] as [&str; 0]), Run::arg);
        let outcome = run.arg("--dry-run").dir(directory.path()).outcome();
        assert_ne!(outcome.code, 2, "{line}\n{}", outcome.stderr);
    }
}

/// Threads finish as they like; the answer is the same.
#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let directory = log_directory();
    let forms = ["--format=text", "--format=json"];
    for form in forms {
        let run = |threads: &str| {
            let run = check(&[directory.path(), &testdata("crash/unclean")]);
            run.arg(form).arg(threads).outcome()
        };
        let one = run("--threads=1");
        assert!(one.text().len() > 200);
        for threads in ["--threads=2", "--threads=7", "--threads=64"] {
            let more = run(threads);
            assert_eq!(more.text(), one.text(), "{form} {threads}");
            assert_eq!((more.code, &more.stderr), (one.code, &one.stderr));
        }
    }
}

#[test]
fn text_says_first_how_much_and_what_was_found_and_fits_eighty_columns() {
    let directory = log_directory();
    let outcome = check(&[directory.path()]).outcome().ended_with(1);
    let lines: Vec<_> = outcome.text().lines().collect();
    assert!(lines[0].starts_with("5 partitions, "), "{}", lines[0]);
    assert!(
        outcome
            .text()
            .contains("judged as of 2026-12-01T00:00:00Z\n")
    );
    assert!(outcome.text().contains("  error truncated-tail\n"));
    let root = directory.path().to_str().unwrap();
    for line in &lines {
        // Paths and command lines stay whole.
        let is_whole = line.contains(root) || line.trim_start().starts_with("kfsck ");
        assert!(line.chars().count() <= 80 || is_whole, "{line}");
    }
    let repair = format!("      kfsck repair log --truncate {root}/cut-0 --output DIR");
    assert!(lines.contains(&repair.as_str()), "{}", outcome.text());
}

#[test]
fn json_has_every_field_with_its_meaning() {
    let directory = log_directory();
    let document = document(&json(&[directory.path()]).ended_with(1));
    let cut: Vec<_> = document
        .findings
        .iter()
        .filter(|one| one.code == "truncated-tail")
        .collect();
    let [cut] = cut.as_slice() else {
        panic!("expected one, found {cut:?}");
    };
    assert_eq!(cut.severity, "error");
    assert_eq!(cut.topic_partition.as_deref(), Some("cut-0"));
    assert!(cut.path.ends_with("cut-0/00000000000000000000.log"));
    assert_eq!(
        (cut.offset, cut.producer_id, &cut.producer_id_hex),
        (None, None, &None)
    );
    let file = fs::metadata(testdata(CUT)).unwrap().len();
    assert_eq!(cut.position.unwrap() + cut.size_in_bytes.unwrap(), file);
    assert!(document.summary.bytes_damaged >= cut.size_in_bytes.unwrap());
    let Summary {
        partitions,
        segments,
        batches,
        records,
        ..
    } = document.summary;
    assert!(partitions == 5 && segments >= 5 && batches > 20 && records > 100);
}

#[test]
fn an_empty_partition_is_no_fault_and_a_note_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let outcome = check(&[directory.path()]).outcome().ended_with(3);
    assert!(only_line(&outcome, directory.path()).contains("expected"));
    let partition = directory.path().join("orders-0");
    fs::create_dir(&partition).unwrap();
    let before = state(directory.path());
    for path in [partition.as_path(), directory.path()] {
        let outcome = check(&[path]).outcome().ended_with(0);
        assert!(only_line(&outcome, &partition).contains("note: no Kafka file"));
    }
    assert!(before == state(directory.path()));
}
