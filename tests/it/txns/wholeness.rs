//! A partition of `__transaction_state` that is not here as a whole judges nobody's transaction to
//! hang: what it does not know, its coordinator may.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::document::{Transaction, Verdict, json, txns};
use super::log::{Log, START, state_partition};
use crate::program::Run;

const STATE: &str = "__transaction_state-0";
const SEGMENT: &str = "__transaction_state-0/00000000000000000000.log";
/// An hour later.
const LATE: i64 = START + 3_600_000;

/// A log directory with the open transaction of producer 5 in t-0, which no coordinator knows; the
/// ids of both partitions of `__transaction_state` belong to others.
fn directory() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    Log::default().data(5, 0).write(&root.path().join("t-0"), 0);
    for (number, id) in [(0, "b"), (1, "a")] {
        let partition = root.path().join(format!("__transaction_state-{number}"));
        fs::create_dir(&partition).unwrap();
        let bytes = state_partition(id, 6, 1, &["u"]);
        fs::write(partition.join("00000000000000000000.log"), bytes).unwrap();
    }
    root
}

fn put(root: &Path, name: &str, bytes: &[u8]) {
    fs::write(root.join(name), bytes).unwrap();
}

fn add(root: &Path, name: &str, bytes: &[u8]) {
    let old = fs::read(root.join(name)).unwrap();
    put(root, name, &[&old[..], bytes].concat());
}

fn checkpoint(root: &Path, file: &str, end: i64) {
    let text = format!("0\n1\n__transaction_state 0 {end}\n");
    put(root, file, text.as_bytes());
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

const COUNT: [&str; 2] = ["--transaction-log-partitions", "2"];

fn judged(root: &Path) -> (Transaction, String) {
    let now = LATE.to_string();
    let args = [&["--now", &now][..], &COUNT].concat();
    let (document, outcome) = json(root, &args);
    let mut partitions = document.partitions;
    partitions.retain(|partition| partition.topic_partition == "t-0");
    (partitions.remove(0).transactions.remove(0), outcome.stderr)
}

fn abort(root: &Path) -> crate::program::Outcome {
    let run = Run::new(["repair", "abort", "--dry-run", "--producer-id", "5"]);
    let run = run.arg("--now").arg(LATE.to_string());
    let run = run.arg("--transaction-log").arg(root).arg(COUNT[0]);
    run.arg(COUNT[1]).arg(root.join("t-0")).outcome()
}

type Change = fn(&Path);

/// What was done to partition 0, and what is told of it.
const INCOMPLETE: [(&str, Change); 16] = [
    ("no segment is here", |root| {
        fs::remove_file(root.join(SEGMENT)).unwrap();
    }),
    ("00000000000000000000.log is no file", |root| {
        fs::remove_file(root.join(SEGMENT)).unwrap();
        fs::create_dir(root.join(SEGMENT)).unwrap();
    }),
    ("00000000000000000000.log is no file", |root| {
        fs::remove_file(root.join(SEGMENT)).unwrap();
        fifo(&root.join(SEGMENT));
    }),
    ("No such file", |root| {
        symlink("nowhere", root.join(STATE).join("00000000000000000001.log")).unwrap();
    }),
    ("it is no directory", |root| {
        fs::remove_dir_all(root.join(STATE)).unwrap();
        symlink("nowhere", root.join(STATE)).unwrap();
    }),
    ("it is no directory", |root| {
        fs::remove_dir_all(root.join(STATE)).unwrap();
        put(root, STATE, b"");
    }),
    ("it begins at offset 7, not at 0", |root| {
        let name = root.join(STATE).join("00000000000000000007.log");
        fs::rename(root.join(SEGMENT), name).unwrap();
    }),
    ("00000000000000000000.log.swap waits", |root| {
        put(root, &format!("{SEGMENT}.swap"), b"");
    }),
    ("00000000000000000009.index is here without", |root| {
        put(root, &format!("{STATE}/00000000000000000009.index"), b"");
    }),
    ("00000000000000000009.timeindex is here", |root| {
        put(
            root,
            &format!("{STATE}/00000000000000000009.timeindex"),
            b"",
        );
    }),
    ("ends at offset 1, and 00000000000000000009.snap", |root| {
        put(root, &format!("{STATE}/00000000000000000009.snapshot"), b"");
    }),
    ("ends at offset 1, and replication-offset-ch", |root| {
        checkpoint(root, "replication-offset-checkpoint", 2);
    }),
    ("ends at offset 1, and recovery-point-offset", |root| {
        checkpoint(root, "recovery-point-offset-checkpoint", 2);
    }),
    ("0000.log ends before its last batch does", |root| {
        add(root, SEGMENT, &state_partition("b", 6, 1, &["u"])[..70]);
    }),
    ("0000.log ends before its last batch does", |root| {
        add(root, SEGMENT, &[0; 200]);
        put(root, &format!("{STATE}/00000000000000000001.log"), b"");
    }),
    ("corrupt", |root| {
        let mut batch = state_partition("b", 6, 1, &["u"]);
        *batch.last_mut().unwrap() ^= 1;
        add(root, SEGMENT, &batch);
    }),
];

#[test]
fn what_is_not_whole_leaves_a_doubt_and_is_told_once() {
    for (told, change) in INCOMPLETE {
        let root = directory();
        change(root.path());
        let (transaction, stderr) = judged(root.path());
        assert_eq!(transaction.verdict, Verdict::Suspect, "{told}: {stderr}");
        let why = "of the 2 partitions of __transaction_state these are not here or not whole: 0";
        assert!(transaction.reason.contains(why), "{}", transaction.reason);
        let told = told.replace("corrupt", "crc-mismatch");
        assert_eq!(stderr.matches(&told).count(), 1, "{told}: {stderr}");
        let outcome = abort(root.path());
        assert_ne!(outcome.code, 0, "{told}");
        assert!(
            outcome.stderr.contains("whether it hangs cannot be told"),
            "{told}: {}",
            outcome.stderr
        );
    }
}

/// What a sound broker leaves in the directory of a compacted topic.
const COMPLETE: [Change; 7] = [
    |_| {},
    |root| add(root, SEGMENT, &[0; 200]),
    |root| {
        add(root, SEGMENT, &state_partition("b", 6, 1, &["u"])[..70]);
        checkpoint(root, "replication-offset-checkpoint", 1);
    },
    // Cleaning left nothing of offsets 1 to 8.
    |root| {
        put(root, &format!("{STATE}/00000000000000000009.log"), b"");
        put(root, &format!("{STATE}/00000000000000000009.index"), b"");
        put(root, &format!("{STATE}/00000000000000000009.snapshot"), b"");
        checkpoint(root, "replication-offset-checkpoint", 9);
    },
    |root| put(root, &format!("{SEGMENT}.cleaned"), b""),
    |root| {
        let name = format!("{STATE}/00000000000000000003.log.deleted");
        put(root, &name, b"");
        put(root, &name.replace(".log", ".index"), b"");
    },
    |root| checkpoint(root, "recovery-point-offset-checkpoint", 1),
];

#[test]
fn what_a_sound_broker_leaves_is_whole() {
    for (index, change) in COMPLETE.iter().enumerate() {
        let root = directory();
        change(root.path());
        let (transaction, stderr) = judged(root.path());
        assert_eq!(transaction.verdict, Verdict::Hanging, "{index}: {stderr}");
        assert!(!stderr.contains("not whole"), "{index}: {stderr}");
        abort(root.path()).ended_with(1);
    }
}

/// The id's own coordinator may have the transaction in what is missing.
#[test]
fn a_coordinator_that_is_not_whole_does_not_say_that_it_has_no_transaction() {
    let root = directory();
    put(root.path(), SEGMENT, &state_partition("b", 5, 4, &[]));
    assert_eq!(judged(root.path()).0.verdict, Verdict::Hanging);
    checkpoint(root.path(), "replication-offset-checkpoint", 2);
    let (transaction, _) = judged(root.path());
    assert_eq!(transaction.verdict, Verdict::Suspect);
    let why = "__transaction_state-0, which its coordinator keeps, could not be read whole";
    assert!(transaction.reason.contains(why), "{}", transaction.reason);
}

/// A copy that cannot be read may know what the one that counts does not.
#[test]
fn a_replica_of_unknown_length_leaves_a_doubt_and_a_shorter_one_none() {
    for (is_readable, verdict) in [(true, "1 hanging"), (false, "1 suspect")] {
        let (one, other) = (directory(), tempfile::tempdir().unwrap());
        for root in [one.path(), other.path()] {
            put(root, "meta.properties", b"version=1\ncluster.id=c\n");
        }
        let copy = other.path().join(STATE);
        match is_readable {
            true => Log::default().write(&copy, 0),
            false => symlink("nowhere", &copy).unwrap(),
        }
        let now = LATE.to_string();
        let second = other.path().to_str().unwrap();
        let args = [&["--now", &now, second][..], &COUNT].concat();
        let outcome = txns(one.path(), &args);
        assert!(outcome.text().contains(verdict), "{}", outcome.text());
    }
}
