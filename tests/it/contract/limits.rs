//! `--limit`, `--max-bytes`, `--max-record-bytes`, `--threads`: where a dump stops, and how it
//! says so.

use std::fs;

use serde_json::Value;

use crate::program::{dump_jsonl, dump_log, printed, testdata};

const LOG: &str = "main/txn-both-0/00000000000000000000.log";

fn end(objects: &[Value]) -> (&str, u64) {
    let end = objects.last().unwrap();
    assert_eq!(end["type"], "end");
    let reason = end["reason"].as_str().unwrap();
    (reason, end["position"].as_u64().unwrap())
}

#[test]
fn limit_counts_shown_batches_of_each_file() {
    let path = testdata(LOG);
    let whole = dump_jsonl([&path]).outcome().ended_with(0);
    let batches = whole.of_type("batch");
    let size = fs::metadata(&path).unwrap().len();
    for limit in [0, 1, 2, batches.len() - 1] {
        let run = dump_jsonl([&path]).arg("--limit").arg(limit.to_string());
        let outcome = run.outcome().ended_with(0);
        assert_eq!(outcome.of_type("batch"), batches[..limit]);
        let stopped_at = batches[limit]["position"].as_u64().unwrap();
        assert_eq!(end(&outcome.objects()), ("limit", stopped_at));
    }
    for limit in [batches.len() as u64, u64::MAX] {
        let run = dump_jsonl([&path]).arg("--limit").arg(limit.to_string());
        let outcome = run.outcome().ended_with(0);
        assert_eq!(outcome.text(), whole.text());
        assert_eq!(end(&outcome.objects()), ("end-of-file", size));
    }
    let two = dump_jsonl([&path, &testdata("main/plain-0/00000000000000000000.log")]);
    let two = two.arg("--limit=1").outcome().ended_with(0);
    assert_eq!(two.of_type("batch").len(), 2);
}

#[test]
fn limit_counts_only_what_the_filters_choose() {
    let path = testdata(LOG);
    let control = dump_jsonl([&path]).arg("--control").outcome();
    let control = control.of_type("batch");
    let run = dump_jsonl([&path]).arg("--control").arg("--limit=2");
    let outcome = run.outcome().ended_with(0);
    assert_eq!(outcome.of_type("batch"), control[..2]);
    assert_eq!(end(&outcome.objects()).0, "limit");
}

#[test]
fn max_bytes_stops_before_the_batch_that_reaches_beyond() {
    let path = testdata(LOG);
    let whole = dump_jsonl([&path]).outcome().ended_with(0);
    let batches = whole.of_type("batch");
    let reaches = |batch: &Value| {
        batch["position"].as_u64().unwrap() + batch["sizeInBytes"].as_u64().unwrap()
    };
    let second = reaches(&batches[1]);
    for (bytes, shown) in [
        (0, 0),
        (1, 0),
        (second - 1, 1),
        (second, 2),
        (second + 1, 2),
    ] {
        let run = dump_jsonl([&path])
            .arg("--max-bytes")
            .arg(bytes.to_string());
        let outcome = run.outcome().ended_with(0);
        assert_eq!(outcome.of_type("batch"), batches[..shown], "{bytes}");
        assert_eq!(end(&outcome.objects()).0, "limit", "{bytes}");
    }
    // The stock tool's default means no limit, and so it does for scripts that spell it out.
    for bytes in [i32::MAX as u64, u64::MAX] {
        let run = dump_jsonl([&path])
            .arg("--max-bytes")
            .arg(bytes.to_string());
        assert_eq!(run.outcome().ended_with(0).text(), whole.text());
    }
}

#[test]
fn records_above_the_limit_are_refused_and_the_next_batch_is_read() {
    let path = testdata("main/codec-zstd-0/00000000000000000000.log");
    let whole = dump_jsonl([&path]).arg("--deep-iteration").outcome();
    let run = dump_jsonl([&path]).arg("--deep-iteration");
    let outcome = run.arg("--max-record-bytes=1").outcome().ended_with(1);
    assert_eq!(outcome.of_type("batch"), whole.of_type("batch"));
    assert_eq!(outcome.of_type("record").len(), 0);
    for damage in outcome.of_type("damage") {
        assert_eq!(damage["code"], "payload-too-large");
        let message = damage["message"].as_str().unwrap();
        assert!(message.contains("--max-record-bytes"), "{message}");
    }
    // Not a matter of shallow dumps.
    let run = dump_jsonl([&path]).arg("--max-record-bytes=0");
    run.outcome().ended_with(0);
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("00000000000000000000.log");
    // Several stretches for threads to share; offsets go back at each copy.
    let sound = fs::read(testdata("main/codec-lz4-0/00000000000000000000.log")).unwrap();
    fs::write(&path, sound.repeat((3 << 20) / sound.len())).unwrap();
    let run = |threads: &str| {
        let run = dump_log([&path]).arg("--print-data-log").arg("--threads");
        run.arg(threads).outcome().ended_with(1)
    };
    let alone = run("1");
    for threads in ["2", "7", "64"] {
        let together = run(threads);
        assert!(together.stdout == alone.stdout, "{threads} threads");
        assert!(together.stderr == alone.stderr, "{threads} threads");
    }
}

#[test]
fn mapped_and_plain_reads_print_the_same() {
    for tree in ["main", "legacy", "control", "crash/unclean"] {
        let run = |access: &str| {
            let run = dump_log(["--print-data-log", access]).arg(testdata(tree));
            let outcome = run.outcome();
            (outcome.code, outcome.stdout, outcome.stderr)
        };
        assert!(run("--no-mmap") == run("--color=auto"), "{tree}");
    }
}

#[test]
fn options_given_twice_take_the_last_value() {
    let path = testdata(LOG);
    let twice = dump_log([
        "--limit=1",
        "--deep-iteration",
        "--deep-iteration",
        "--limit=2",
    ]);
    let once = dump_log(["--limit=2", "--deep-iteration"]).arg(&path);
    let twice = twice.arg(&path).outcome().ended_with(0);
    assert_eq!(twice.text(), once.outcome().ended_with(0).text());
    assert!(printed([&path]).len() < twice.stdout.len() * 10);
}
