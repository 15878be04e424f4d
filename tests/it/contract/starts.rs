//! What `kfsck check` finds and what it says of the next start agree: what costs records or ends
//! the start is an error, and each partition that the start does not reach says so.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Run, copy_tree, set_mode, testdata};

/// A log directory of a broker with these partitions, after a clean stop.
fn log_directory(partitions: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in partitions {
        copy_tree(&testdata("main").join(name), &root.path().join(name));
    }
    for name in ["meta.properties", ".kafka_cleanshutdown"] {
        fs::copy(testdata("main").join(name), root.path().join(name)).unwrap();
    }
    for name in ["log-start", "recovery-point", "replication"] {
        let name = format!("{name}-offset-checkpoint");
        let text = fs::read_to_string(testdata("main").join(&name)).unwrap();
        let is_here = |line: &&str| {
            let words: Vec<_> = line.split(' ').collect();
            words.len() == 3 && partitions.contains(&format!("{}-{}", words[0], words[1]).as_str())
        };
        let lines: Vec<_> = text.lines().filter(is_here).collect();
        let text = format!("0\n{}\n{}", lines.len(), lines.join("\n"));
        fs::write(root.path().join(name), text.trim_end()).unwrap();
    }
    root
}

/// What is done to a log directory.
type Change<'a> = &'a dyn Fn(&Path);

/// Nobody expires.
fn run(paths: &[&Path]) -> Run {
    let args = ["check", "--format=json", "--expire-after=9999999999999"];
    paths.iter().fold(Run::new(args), Run::arg)
}

fn checked(paths: &[&Path]) -> Value {
    serde_json::from_slice(&run(paths).outcome().stdout).unwrap()
}

fn findings<'a>(document: &'a Value, code: &str) -> Vec<&'a Value> {
    let all = document["findings"].as_array().unwrap().iter();
    all.filter(|one| one["code"] == code).collect()
}

/// Partition, action, records lost, what blocks it.
fn starts(document: &Value) -> Vec<(&str, &str, u64, Option<&str>)> {
    let all = document["nextStart"].as_array().unwrap().iter();
    all.map(|one| {
        (
            one["topicPartition"].as_str().unwrap(),
            one["action"].as_str().unwrap(),
            one["recordsLost"].as_u64().unwrap(),
            one["blockedBy"].as_str(),
        )
    })
    .collect()
}

#[test]
fn a_sound_log_directory_says_nothing_of_the_kind() {
    let root = log_directory(&["idem-0", "plain-0"]);
    let document = checked(&[root.path()]);
    assert_eq!(document["summary"]["errors"], 0, "{document:#}");
    assert_eq!(
        starts(&document),
        [
            ("idem-0", "clean-load", 0, None),
            ("plain-0", "clean-load", 0, None)
        ]
    );
}

#[test]
fn a_log_that_lost_all_its_segments_is_an_error() {
    let root = log_directory(&["idem-0"]);
    for entry in fs::read_dir(root.path().join("idem-0")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "log") {
            fs::remove_file(path).unwrap();
        }
    }
    let document = checked(&[root.path()]);
    let lost = findings(&document, "checkpoint-mismatch");
    assert_eq!(lost.len(), 2);
    for one in lost {
        assert_eq!(one["severity"], "error");
        let advice = one["advice"].as_str().unwrap();
        assert!(advice.starts_with("Do not start the broker"), "{advice}");
    }
    let reason = document["nextStart"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("makes its followers cut"), "{reason}");
}

#[test]
fn what_ends_the_whole_start_ends_it_for_every_partition() {
    let nobodys = |root: &Path| fs::remove_file(root.join("meta.properties")).unwrap();
    let nameless = |root: &Path| {
        let text = "version=1\ncluster.id=MGfptpuxRxmjw0wF0RpNTg\n";
        fs::write(root.join("meta.properties"), text).unwrap();
    };
    let stray = |root: &Path| fs::create_dir(root.join("lost+found")).unwrap();
    let changes: [(&str, Change<'_>); 3] = [
        ("meta.properties", &nobodys),
        ("meta.properties", &nameless),
        ("lost+found", &stray),
    ];
    for (by, change) in changes {
        let root = log_directory(&["idem-0", "plain-0"]);
        change(root.path());
        let document = checked(&[root.path()]);
        let blocked = findings(&document, "start-blocked");
        assert_eq!(blocked[0]["severity"], "error");
        assert_eq!(
            starts(&document),
            [
                (by, "broker-fails", 0, None),
                ("idem-0", "broker-fails", 0, Some(by)),
                ("plain-0", "broker-fails", 0, Some(by))
            ]
        );
    }
}

/// Gives a log directory this id in its meta.properties.
fn identify(root: &Path, id: &str) {
    let path = root.join("meta.properties");
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines();
    let lines = lines.filter(|line| !line.starts_with("directory.id"));
    let text = lines.collect::<Vec<_>>().join("\n");
    fs::write(&path, format!("{text}\ndirectory.id={id}\n")).unwrap();
}

#[test]
fn what_ends_a_broker_ends_it_for_all_of_its_log_directories() {
    let (one, two) = (log_directory(&["idem-0"]), log_directory(&["plain-0"]));
    fs::create_dir(one.path().join("lost+found")).unwrap();
    let by = one.path().join("lost+found");
    let by = by.to_str().unwrap();
    let of_plain = |document: &Value| {
        let found = starts(document).into_iter().find(|one| one.0 == "plain-0");
        let (_, action, _, by) = found.unwrap();
        (action.to_owned(), by.map(str::to_owned))
    };
    let is_free = ("clean-load".to_owned(), None);
    // With one directory.id for both, one is a copy, and no broker has them both.
    let document = checked(&[one.path(), two.path()]);
    assert_eq!(of_plain(&document), is_free);
    identify(two.path(), "8YlvJLFmRy2ZQ9tBN3Ofiw");
    let document = checked(&[one.path(), two.path()]);
    let blocked = ("broker-fails".to_owned(), Some(by.to_owned()));
    assert_eq!(of_plain(&document), blocked);
    // A disk that is lost takes its own directory off line alone.
    fs::remove_dir(one.path().join("lost+found")).unwrap();
    fs::write(one.path().join("recovery-point-offset-checkpoint"), "9\n").unwrap();
    let document = checked(&[one.path(), two.path()]);
    assert_eq!(of_plain(&document), is_free);
    let idem = starts(&document).into_iter().find(|one| one.0 == "idem-0");
    assert_eq!(idem.unwrap().3, Some("recovery-point-offset-checkpoint"));
}

#[test]
fn a_directory_without_an_owner_beside_one_that_has_one_is_a_warning() {
    let (one, two) = (log_directory(&["idem-0"]), log_directory(&["plain-0"]));
    fs::remove_file(two.path().join("meta.properties")).unwrap();
    let document = checked(&[one.path(), two.path()]);
    assert_eq!(
        findings(&document, "start-blocked")[0]["severity"],
        "warning"
    );
    let loads = |one: &(&str, &str, u64, Option<&str>)| one.1 == "clean-load";
    assert!(starts(&document).iter().all(loads));
}

#[test]
fn a_partition_in_two_directories_of_a_broker_ends_the_start_in_both() {
    let (one, two) = (
        log_directory(&["idem-0", "plain-0"]),
        log_directory(&["idem-0"]),
    );
    identify(two.path(), "8YlvJLFmRy2ZQ9tBN3Ofiw");
    let document = checked(&[one.path(), two.path()]);
    assert_eq!(findings(&document, "duplicate-partition").len(), 1);
    let found = starts(&document);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|one| one.1 == "broker-fails"), "{found:?}");
}

#[test]
fn a_partition_without_the_id_of_its_topic_loses_its_records() {
    let root = log_directory(&["idem-0"]);
    fs::remove_file(root.path().join("idem-0/partition.metadata")).unwrap();
    let document = checked(&[root.path()]);
    let [(_, action, lost, None)] = starts(&document)[..] else {
        panic!("{document:#}")
    };
    assert_eq!(action, "deletes-segments");
    assert_eq!(Some(lost), document["summary"]["records"].as_u64());
    let advice = findings(&document, "partition-metadata-mismatch")[0]["advice"].clone();
    assert!(advice.as_str().unwrap().contains("`topic_id: ID`"));
}

#[test]
fn a_segment_under_another_name_is_told_and_named_back() {
    let root = log_directory(&["plain-0"]);
    let partition = root.path().join("plain-0");
    let name = "00000000000000000000.log";
    fs::rename(partition.join(name), partition.join("0.log")).unwrap();
    let document = checked(&[root.path()]);
    let [(_, action, lost, None)] = starts(&document)[..] else {
        panic!("{document:#}")
    };
    // It may be a copy, so nothing counts as lost.
    assert_eq!((action, lost), ("clean-load", 0));
    let reason = document["nextStart"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("0.log is not read"), "{reason}");
    let mismatch = findings(&document, "name-mismatch")[0];
    let advice = mismatch["advice"].as_str().unwrap();
    assert!(advice.contains(&format!("`mv 0.log {name}`")), "{advice}");
    assert_eq!(mismatch["evidence"][0]["computed"], name);
    assert_eq!(findings(&document, "index-missing").len(), 0);
}

#[test]
fn what_a_start_forgets_of_producers_is_missed_and_nothing_else() {
    let root = log_directory(&["idem-0"]);
    let partition = root.path().join("idem-0");
    let of_kind = |kind: &str| {
        let entries = fs::read_dir(&partition).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let kind = kind.to_owned();
        paths
            .filter(move |path| path.extension().is_some_and(|own| *own == *kind))
            .collect::<Vec<_>>()
    };
    for path in of_kind("snapshot") {
        fs::remove_file(path).unwrap();
    }
    let document = checked(&[root.path()]);
    let missing = findings(&document, "snapshot-missing");
    assert_eq!(missing[0]["severity"], "error");
    assert_eq!(missing[0]["evidence"][0]["what"], "producers");
    assert_eq!(starts(&document)[0].1, "loses-producer-state");
    // A repair of something else that leaves it so says so.
    for path in of_kind("timeindex") {
        fs::remove_file(path).unwrap();
    }
    let outcome = Run::new(["repair", "index", "--now", "1647780200000", "--in-place"])
        .arg(&partition)
        .outcome()
        .ended_with(1);
    assert!(
        outcome.text().contains("error snapshot-missing"),
        "{}",
        outcome.text()
    );
    // A segment that is read again tells of its producers.
    for path in of_kind("index") {
        fs::remove_file(path).unwrap();
    }
    let document = checked(&[root.path()]);
    assert_eq!(findings(&document, "snapshot-missing").len(), 0);
    assert_eq!(starts(&document)[0].1, "recovers");
}

#[test]
fn a_segment_that_may_not_be_read_is_no_gap() {
    let root = log_directory(&["txn-both-0"]);
    let path = root.path().join("txn-both-0/00000000000000000048.log");
    set_mode(&path, 0o000);
    let outcome = run(&[root.path()]).unprivileged().outcome().ended_with(3);
    set_mode(&path, 0o644);
    let document: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(findings(&document, "segment-gap").len(), 0, "{document:#}");
    fs::remove_file(&path).unwrap();
    let document = checked(&[root.path()]);
    assert_eq!(findings(&document, "segment-gap").len(), 1);
}

#[test]
fn damage_on_its_way_out_is_a_note() {
    let root = log_directory(&["plain-0"]);
    let name = "plain-0.809c9850d0d04fbfb26eb58381d3a086-delete";
    let partition = root.path().join(name);
    fs::rename(root.path().join("plain-0"), &partition).unwrap();
    let log = partition.join("00000000000000000000.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[70] ^= 1;
    fs::write(&log, bytes).unwrap();
    let document = checked(&[root.path()]);
    assert_eq!(findings(&document, "crc-mismatch")[0]["severity"], "note");
    fs::write(partition.join("partition.metadata"), "version: 0\n").unwrap();
    let document = checked(&[root.path()]);
    assert_eq!(
        findings(&document, "partition-metadata-mismatch")[0]["severity"],
        "error"
    );
    assert_eq!(starts(&document), [("plain-0", "broker-fails", 0, None)]);
}

/// What ends a start lies at a batch or behind one; what lies at that byte is no offset otherwise.
#[test]
fn the_offset_of_what_ends_the_start_is_one_of_the_log() {
    let root = log_directory(&["plain-0"]);
    let partition = root.path().join("plain-0");
    let log = partition.join("00000000000000000000.log");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, [&bytes[..], &[0; 4096]].concat()).unwrap();
    let document = checked(&[&partition]);
    let next = &document["nextStart"][0];
    assert_eq!(next["action"], "broker-fails", "{document:#}");
    assert_eq!(next["offset"], 12);
    assert_eq!(findings(&document, "zero-tail")[0]["severity"], "error");
}

#[test]
fn every_finding_rests_on_something() {
    let root = log_directory(&["plain-0", "idem-0", "txn-both-0"]);
    let at = |name: &str| root.path().join(name);
    fs::write(at("plain-0/leader-epoch-checkpoint"), "x").unwrap();
    fs::write(at("plain-0/partition.metadata"), "x").unwrap();
    fs::write(at("plain-0/00000000000000000000.index"), [1; 13]).unwrap();
    fs::write(at("plain-0/00000000000000000000.timeindex"), [1; 13]).unwrap();
    fs::write(at("plain-0/00000000000000000012.snapshot"), [1; 13]).unwrap();
    fs::write(at("plain-0/00000000000000000099.index"), "").unwrap();
    fs::write(at("cleaner-offset-checkpoint"), "x").unwrap();
    fs::write(at("idem-0/x.log"), "").unwrap();
    fs::create_dir(at("lost+found")).unwrap();
    fs::remove_file(at("idem-0/leader-epoch-checkpoint")).unwrap();
    fs::remove_file(at("idem-0/00000000000000000000.index")).unwrap();
    let log = at("plain-0/00000000000000000000.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes.truncate(bytes.len() - 5);
    bytes[16] = 9;
    fs::write(&log, bytes).unwrap();
    let document = checked(&[root.path()]);
    let all = document["findings"].as_array().unwrap();
    assert!(all.len() > 12, "{document:#}");
    for one in all {
        assert_ne!(one["evidence"], Value::Array(Vec::new()), "{one:#}");
    }
}

/// A partition is checked by the checkpoints beside it: the first of a log directory tells of them.
#[test]
fn checkpoints_beside_a_partition_that_cannot_be_read_are_told_once() {
    let root = log_directory(&["plain-0", "plain-1"]);
    fs::write(root.path().join("log-start-offset-checkpoint"), "garb").unwrap();
    let both = ["plain-0", "plain-1"].map(|name| root.path().join(name));
    let of = |paths: &[&Path]| {
        let answer: Value =
            serde_json::from_str(run(paths).outcome().ended_with(1).text()).unwrap();
        let found = answer["findings"].as_array().unwrap().clone();
        let codes = found.into_iter().map(|one| one["code"].clone());
        codes.filter(|code| code == "checkpoint-corrupt").count()
    };
    assert_eq!(of(&[&both[0]]), 1);
    assert_eq!(of(&[&both[0], &both[1]]), 1);
    assert_eq!(of(&[root.path(), &both[1]]), 1);
}
