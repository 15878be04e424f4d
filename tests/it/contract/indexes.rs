//! `--verify-index-only` and `--index-sanity-check`: what they print, and that looking creates
//! nothing.

use std::fs;
use std::path::Path;

use crate::batches::Batch;
use crate::program::{copies, dump_jsonl, dump_log, printed, state, testdata};

const PARTITION: &str = "main/txn-both-0";
const BASE: &str = "00000000000000000048";

/// A partition with one segment of several indexed batches.
fn partition() -> tempfile::TempDir {
    let files = ["log", "index", "timeindex", "txnindex"].map(|kind| {
        let name = format!("{BASE}.{kind}");
        (format!("{PARTITION}/{name}"), format!("p-0/{name}"))
    });
    copies(
        &files
            .each_ref()
            .map(|(from, to)| (from.as_str(), to.as_str())),
    )
}

fn file(directory: &Path, kind: &str) -> std::path::PathBuf {
    directory.join("p-0").join(format!("{BASE}.{kind}"))
}

#[test]
fn sanity_checks_print_one_line_an_index() {
    let directory = partition();
    for kind in ["index", "timeindex"] {
        let path = file(directory.path(), kind);
        let shown = path.display();
        let text = printed([path.as_os_str(), "--index-sanity-check".as_ref()]);
        let expected = format!("Dumping {shown}\n{shown} passed sanity check.\n");
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let text = printed([path.as_os_str(), "--verify-index-only".as_ref()]);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            format!("Dumping {shown}\n")
        );
        let text = printed([&path]);
        assert!(String::from_utf8(text).unwrap().lines().count() > 1);
    }
}

#[test]
fn entries_that_the_log_does_not_bear_out() {
    for (kind, title, code) in [
        ("index", "Mismatches in :", "index-mismatch"),
        (
            "timeindex",
            "Found timestamp mismatch in :",
            "time-index-mismatch",
        ),
    ] {
        let directory = partition();
        let path = file(directory.path(), kind);
        let mut bytes = fs::read(&path).unwrap();
        // The least significant byte of the first entry's position, or of its timestamp.
        bytes[7] ^= 1;
        fs::write(&path, bytes).unwrap();
        let outcome = dump_log(["--verify-index-only"]).arg(&path).outcome();
        let outcome = outcome.ended_with(1);
        let position = format!("{}: position 0: {code}: ", path.display());
        assert!(outcome.stderr.contains(&position), "{}", outcome.stderr);
        let stock = format!("{title}{}\n", path.display());
        assert!(outcome.stderr.contains(&stock), "{}", outcome.stderr);
        let outcome = dump_jsonl([&path]).outcome().ended_with(1);
        assert_eq!(outcome.of_type("damage")[0]["code"], code);
        assert!(!outcome.stderr.contains(title));
        // In the log itself nothing is wrong.
        dump_log([file(directory.path(), "log")])
            .outcome()
            .ended_with(0);
    }
}

/// The log cleaner keeps the header of a batch whose records are gone, and indexes it by that.
#[test]
fn an_emptied_batch_bears_out_the_time_of_its_header_and_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let emptied = Batch {
        last_offset_delta: 4,
        ..Batch::new(0)
    };
    let later = Batch {
        timestamp: emptied.timestamp + 1,
        ..Batch::new(5)
    };
    let log = [emptied.encode(), later.record(None, None).encode()].concat();
    write("0.log", &log);
    write("0.index", &[]);
    let entry = |timestamp: i64, offset: i32| {
        [&timestamp.to_be_bytes()[..], &offset.to_be_bytes()].concat()
    };
    let check = |first: i64, second: i64| {
        let index = [entry(first, 4), entry(second, 5)].concat();
        dump_jsonl([write("0.timeindex", &index)]).outcome()
    };
    let sound = check(emptied.timestamp, emptied.timestamp + 1).ended_with(0);
    assert_eq!(sound.stderr, "");
    for (first, second, position) in [
        (emptied.timestamp - 1, emptied.timestamp + 1, 0),
        (emptied.timestamp, emptied.timestamp + 2, 12),
    ] {
        let outcome = check(first, second).ended_with(1);
        let damage = &outcome.of_type("damage")[0];
        assert_eq!(damage["code"], "time-index-mismatch");
        assert_eq!(damage["position"], position);
    }
}

/// D4 and D5 of the stock tool: it creates the missing index, and opens others for writing.
#[test]
fn looking_creates_nothing() {
    for missing in ["index", "log", "timeindex"] {
        let directory = partition();
        fs::remove_file(file(directory.path(), missing)).unwrap();
        let before = state(directory.path());
        let mut codes = Vec::new();
        for _ in 0..2 {
            for mode in [
                "--index-sanity-check",
                "--verify-index-only",
                "--deep-iteration",
            ] {
                for kind in ["index", "timeindex", "txnindex"] {
                    let path = file(directory.path(), kind);
                    let outcome = dump_log([mode]).arg(&path).outcome();
                    assert_eq!(outcome.code == 3, kind == missing, "{}", outcome.stderr);
                    codes.push(outcome.code);
                }
            }
        }
        assert!(before == state(directory.path()), "without its {missing}");
        let (first, second) = codes.split_at(codes.len() / 2);
        assert_eq!(first, second, "the first look changed the second");
    }
}

#[test]
fn a_time_index_without_its_offset_index_is_read_and_told() {
    let directory = partition();
    let path = file(directory.path(), "timeindex");
    let whole = dump_log([&path]).outcome().ended_with(0);
    fs::remove_file(file(directory.path(), "index")).unwrap();
    let outcome = dump_log([&path]).outcome().ended_with(1);
    assert_eq!(outcome.text(), whole.text());
    assert!(
        outcome.stderr.contains(": index-missing: "),
        "{}",
        outcome.stderr
    );
    // The sanity check is about the one file, and that is sound.
    let sanity = dump_log(["--index-sanity-check"]).arg(&path);
    sanity.outcome().ended_with(0);
}

#[test]
fn a_message_size_below_the_batch_makes_a_mismatch_as_in_the_stock_tool() {
    let path = testdata(&format!("{PARTITION}/{BASE}.index"));
    let run = |size: &str| dump_log(["--max-message-size", size]).arg(&path).outcome();
    run("5242880").ended_with(0);
    let outcome = run("10").ended_with(1);
    assert!(
        outcome.stderr.contains("index-mismatch"),
        "{}",
        outcome.stderr
    );
}
