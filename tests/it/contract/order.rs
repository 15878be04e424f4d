//! Which files a dump takes, in which order, and what it says of the rest.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::program::{Outcome, Run, copies, copy_tree, dump_jsonl, dump_log, testdata};

const LOG: &str = "main/plain-0/00000000000000000000.log";
const INDEX: &str = "main/plain-0/00000000000000000000.index";

/// The names of the files dumped, in order.
fn dumped(outcome: &Outcome, below: &Path) -> Vec<String> {
    let files = outcome.of_type("file");
    let name = |path: &str| path.trim_start_matches(below.to_str().unwrap()).to_owned();
    files
        .iter()
        .map(|file| name(file["path"].as_str().unwrap()))
        .collect()
}

#[test]
fn files_come_first_and_only_they_split_at_commas() {
    let names = ["a.log", "b.log", "c.log", "d,e.log", "d", "e.log"];
    let directory = copies(&names.map(|name| (LOG, name)));
    let run = |args: &[&str]| {
        let run = dump_jsonl(args).dir(directory.path());
        dumped(&run.outcome().ended_with(0), Path::new("."))
    };
    assert_eq!(
        run(&["c.log", "--files", "b.log,a.log"]),
        ["b.log", "a.log", "c.log"]
    );
    for files in [
        &["--files=a.log", "--files=b.log"][..],
        &["--files=a.log,b.log,"],
        &["--files", ",a.log,,b.log"],
    ] {
        assert_eq!(
            run(&[files, &["c.log"]].concat()),
            ["a.log", "b.log", "c.log"]
        );
    }
    let nothing = dump_jsonl(["--files=,"]).outcome().ended_with(2);
    assert!(
        nothing.stderr.contains("found neither"),
        "{}",
        nothing.stderr
    );
    assert_eq!(run(&["d,e.log"]), ["d,e.log"]);
    assert_eq!(run(&["a.log", "a.log"]), ["a.log", "a.log"]);
    let split = dump_jsonl(["--files", "d,e.log"]).dir(directory.path());
    assert_eq!(dumped(&split.outcome(), Path::new(".")), ["e.log"]);
    let list = dump_jsonl(["a.log,b.log"]).dir(directory.path());
    let outcome = list.outcome().ended_with(3);
    assert!(outcome.stderr.contains("a.log,b.log"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--files"), "{}", outcome.stderr);
}

#[test]
fn one_bad_file_never_hides_the_next() {
    let directory = copies(&[
        (LOG, "1.log"),
        (LOG, "3.log"),
        (LOG, "5.log"),
        (LOG, "7.log"),
    ]);
    let at = |name: &str| directory.path().join(name);
    fs::write(at("4.log"), [0x5a; 300]).unwrap();
    fs::write(at("6.snapshot"), "no snapshot").unwrap();
    let order = [
        "1.log",
        "2.log",
        "3.log",
        "4.log",
        "5.log",
        "6.snapshot",
        "7.log",
    ];
    let outcome = dump_jsonl(order.map(at)).outcome().ended_with(3);
    assert_eq!(
        dumped(&outcome, directory.path()),
        [
            "/1.log",
            "/3.log",
            "/4.log",
            "/5.log",
            "/6.snapshot",
            "/7.log"
        ]
    );
    let told: Vec<_> = outcome.stderr.lines().collect();
    for (line, name) in told.iter().zip(["2.log", "4.log", "6.snapshot"]) {
        assert!(line.contains(at(name).to_str().unwrap()), "{line}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
    // Without the missing file damage is the worst.
    let present = ["1.log", "3.log", "4.log", "5.log"];
    dump_jsonl(present.map(at)).outcome().ended_with(1);
}

#[test]
fn directories_are_read_in_name_order_and_strays_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for partition in ["plain-0", "plain-1", "my.topic-3-0"] {
        copy_tree(&testdata("main").join(partition), &root.join(partition));
    }
    // One before the partitions and one behind them.
    for file in ["meta.properties", "replication-offset-checkpoint"] {
        fs::copy(testdata("main").join(file), root.join(file)).unwrap();
    }
    fs::write(root.join("notes.txt"), "mine").unwrap();
    fs::write(root.join("plain-0/core.1234"), "dump").unwrap();
    fs::create_dir(root.join("lost+found")).unwrap();
    let outcome = dump_jsonl([root]).outcome().ended_with(0);
    let names = dumped(&outcome, root);
    assert!(names.is_sorted(), "{names:?}");
    assert!(names.contains(&"/my.topic-3-0/00000000000000000000.log".to_owned()));
    assert!(names.contains(&"/meta.properties".to_owned()));
    for stray in ["notes.txt", "plain-0/core.1234", "lost+found"] {
        let line = format!("{}: note: stray ", root.join(stray).display());
        assert!(outcome.stderr.contains(&line), "{}", outcome.stderr);
    }
    assert_eq!(outcome.stderr.lines().count(), 3, "{}", outcome.stderr);
    let quiet = dump_jsonl([root]).arg("-q").outcome().ended_with(0);
    assert_eq!((quiet.text(), quiet.stderr.as_str()), (outcome.text(), ""));
    // From inside, without a name.
    for dot in [".", "./plain-0/..", "plain-0/../"] {
        let run = dump_jsonl([dot]).dir(root).outcome().ended_with(0);
        assert_eq!(run.of_type("file").len(), names.len(), "{dot}");
    }
}

#[test]
fn second_suffixes_and_tiered_names_keep_their_kind_and_offset() {
    let id = "2bCZTqVkSLe-oRgDv1Yg3g";
    for (from, name, kind, offset) in [
        (LOG, "00000000000000000007.log.deleted", "log", Some(7)),
        (LOG, "00000000000000000007.log.swap", "log", Some(7)),
        (LOG, "00000000000000000007.log.cleaned", "log", Some(7)),
        (LOG, "my.copy.log", "log", Some(0)),
        (LOG, "broken link.log", "log", Some(0)),
        (
            INDEX,
            "00000000000000000007.index.deleted",
            "index",
            Some(7),
        ),
        (
            INDEX,
            "00000000000000000007.timeindex.swap",
            "timeindex",
            Some(7),
        ),
    ] {
        let directory = copies(&[(from, name)]);
        let run = dump_jsonl([directory.path().join(name)]);
        let file = run.outcome().objects().remove(0);
        assert_eq!(file["kind"], kind, "{name}");
        assert_eq!(file["baseOffset"].as_i64(), offset, "{name}");
    }
    let tiered = format!("00000000000000000007-{id}.log");
    let directory = copies(&[(LOG, &tiered)]);
    let outcome = dump_log([directory.path().join(&tiered)]).outcome();
    let text = outcome.ended_with(0).stdout;
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().nth(1), Some("Log starting offset: 7"));
}

#[test]
fn a_name_that_tells_nothing_takes_the_offset_of_the_first_batch() {
    let from = "main/lat-0/00000000000000000045.log";
    let directory = copies(&[
        (from, "copy.log"),
        ("main/plain-0/partition.metadata", "x.y"),
    ]);
    let outcome = dump_log([directory.path().join("copy.log")]).outcome();
    let text = outcome.ended_with(0).stdout;
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().nth(1), Some("Log starting offset: 45"));
    // What is no file of Kafka's is named and left, as the stock tool does.
    let unknown = directory.path().join("x.y");
    let outcome = dump_log([&unknown]).outcome().ended_with(0);
    assert_eq!(outcome.text(), format!("Dumping {}\n", unknown.display()));
    let ignoring = format!("Ignoring unknown file {}\n", unknown.display());
    assert_eq!(outcome.stderr, ignoring);
    let outcome = dump_jsonl([&unknown]).outcome().ended_with(0);
    assert_eq!((outcome.text(), &outcome.stderr), ("", &ignoring));
}

#[test]
fn bytes_of_a_name_that_are_not_utf_8_are_replaced_in_every_output() {
    let directory = copies(&[(LOG, "plain.log")]);
    let name = directory.path().join(OsStr::from_bytes(b"caf\xe9.log"));
    fs::rename(directory.path().join("plain.log"), &name).unwrap();
    let outcome = dump_jsonl([&name]).outcome().ended_with(0);
    let file = outcome.objects().remove(0);
    let expected = format!("{}/caf\u{fffd}.log", directory.path().display());
    assert_eq!(file["path"], expected);
    let text = Run::new(["dump-log"]).arg(&name).outcome().ended_with(0);
    assert!(text.text().starts_with(&format!("Dumping {expected}\n")));
}
