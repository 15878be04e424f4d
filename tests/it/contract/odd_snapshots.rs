//! Snapshots that no release writes: of version 2, with a producer twice, with ids below 0, with
//! texts that are none. `producers` and `inspect-snapshot` say the same of each.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::number::Offset;
use kfsck::format::producer_snapshot::{self, ProducerEntry, Version};

use super::inputs::run;
use super::snapshot_comparison::{data, entry, partition};
use super::{producers, snapshots};
use crate::program::Run;

const MAPPED: i64 = -9_223_371_946_660_462_587;

/// A partition that begins at 100 with the snapshot of these entries there.
fn begun(version: Version, entries: &[ProducerEntry]) -> (tempfile::TempDir, PathBuf) {
    let directory = partition(100, &data(100, 5, 10), &[]);
    let path = directory.path().join("orders-0");
    let bytes = producer_snapshot::encode(version, entries).unwrap();
    fs::write(path.join("00000000000000000100.snapshot"), bytes).unwrap();
    (directory, path)
}

fn sourced(mut entry: ProducerEntry, cluster: &[u8]) -> ProducerEntry {
    entry.source_cluster_id = Some(cluster.to_vec());
    entry
}

fn snapshot_of(entries: &[ProducerEntry]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("by hand");
    let bytes = producer_snapshot::encode(Version::V2, entries).unwrap();
    fs::write(&path, bytes).unwrap();
    (directory, path)
}

/// The rules of the design that writes version 2 begin with it; a broker of a release deletes it.
#[test]
fn version_2_at_the_first_offset_is_for_mapped_alone() {
    let held = [sourced(entry(MAPPED, 3, 50), b"east"), entry(5, 9, 99)];
    let (_guard, path) = begun(Version::V2, &held);
    for rules in ["stock", "barrier", "fork"] {
        let (told, outcome) = producers::one(&["--rules", rules], &path);
        let stderr = outcome.ended_with(1).stderr;
        assert!(
            stderr.contains("unknown file version 2"),
            "{rules}: {stderr}"
        );
        assert!(
            stderr.contains("by --rules mapped it is read"),
            "{rules}: {stderr}"
        );
        assert_eq!((producers::ids(&told), told.began_with), (vec![5], None));
        let only = &told.findings[0];
        assert_eq!(only.code, "snapshot-corrupt");
        assert!(
            only.path.ends_with("00000000000000000100.snapshot"),
            "{only:?}"
        );
    }
    let args = ["--rules", "mapped", "--sort", "producer-id"];
    let (told, outcome) = producers::one(&args, &path);
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!(producers::ids(&told), [MAPPED, 5]);
    assert!(told.began_with.is_some());
    let outcome = run(&["inspect-snapshot", "--rules", "mapped"], &[&path]).ended_with(0);
    assert!(
        outcome
            .text()
            .contains("a broker of the bit-field prototype takes it"),
        "{}",
        outcome.text()
    );
    // One with a fault is for nobody.
    let file = path.join("00000000000000000100.snapshot");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let (told, outcome) = producers::one(&args, &path);
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains("the replay begins with nothing known"),
        "{stderr}"
    );
    assert_eq!((producers::ids(&told), told.began_with), (vec![5], None));
}

/// The transaction of the first entry holds the last stable offset back, and no producer shows.
#[test]
fn a_producer_that_stands_twice_is_told_by_both_commands() {
    let mut open = entry(1, 3, 50);
    open.current_txn_first_offset = Offset(40);
    let (_guard, path) = begun(Version::V1, &[open, entry(1, 4, 51)]);
    let (told, outcome) = producers::one(&[], &path);
    let by_producers = outcome.ended_with(1).stderr;
    let (_, outcome) = snapshots::one(&[], &path);
    let by_inspect = outcome.ended_with(1).stderr;
    for stderr in [&by_producers, &by_inspect] {
        assert!(
            stderr.contains(
                "position 56: snapshot-corrupt: producer 1 has an entry already, the 1st"
            ),
            "{stderr}"
        );
        assert!(
            stderr.contains("the open transaction of the first, since offset 40"),
            "{stderr}"
        );
    }
    assert_eq!(told.last_stable_offset, 100);
    assert_eq!(told.producers[0].current_txn_first_offset, None);
    let only = &told.findings[0];
    assert_eq!(
        (only.code.as_str(), only.severity.as_str()),
        ("snapshot-corrupt", "error")
    );
    let (_guard, path) = begun(Version::V1, &[entry(1, 4, 51)]);
    assert_eq!(producers::one(&[], &path).1.ended_with(0).stderr, "");
}

/// A broker asks of no entry of a snapshot whether its id may have state, and it lands in the next
/// snapshot; out of the log such ids have none.
#[test]
fn an_id_below_0_in_the_first_snapshot_is_kept() {
    let held = [entry(-7, 3, 50), entry(5, 9, 99)];
    let (_guard, path) = begun(Version::V1, &held);
    let next = producer_snapshot::encode(Version::V1, &[entry(-7, 3, 50), entry(5, 10, 100)]);
    fs::write(path.join("00000000000000000101.snapshot"), next.unwrap()).unwrap();
    for rules in ["stock", "barrier", "fork", "mapped"] {
        let (told, outcome) = producers::one(&["--rules", rules], &path);
        assert_eq!(outcome.ended_with(0).stderr, "", "{rules}");
        assert!(producers::ids(&told).contains(&-7), "{rules}");
        let (document, outcome) = snapshots::inspect(&["--rules", rules], &path);
        let stderr = outcome.ended_with(0).stderr;
        assert!(!stderr.contains("snapshot-mismatch"), "{rules}: {stderr}");
        let [first, second] = &document.snapshots[..] else {
            panic!("{document:?}")
        };
        assert!(
            first.comparison.iter().all(|told| told.is_legal),
            "{first:?}"
        );
        assert!(
            second.comparison.iter().all(|told| told.result == "equal"),
            "{second:?}"
        );
    }
}

/// A text that is none comes as base64, in both commands that show snapshots, and what a file says
/// does not rule the terminal.
#[test]
fn a_cluster_id_of_any_bytes() {
    let odd = sourced(entry(5, 9, 99), b"\xff\x1b[31m");
    let (_guard, path) = snapshot_of(&[odd, sourced(entry(6, 9, 99), b"\x1b[31mred\n")]);
    let (snapshot, _) = snapshots::one(&[], &path);
    let [odd, red] = &snapshot.entries[..] else {
        panic!("{snapshot:?}")
    };
    assert_eq!(odd.source_cluster_id, None);
    assert_eq!(odd.source_cluster_id_base64.as_deref(), Some("/xtbMzFt"));
    assert_eq!(red.source_cluster_id.as_deref(), Some("\u{1b}[31mred\n"));
    assert_eq!(red.source_cluster_id_base64, None);
    let text = run(&["inspect-snapshot"], &[&path]).ended_with(0);
    assert!(text.text().contains("\\u{1b}[31mred\\n"), "{}", text.text());
    assert!(!text.text().contains('\u{1b}'), "{}", text.text());
    let file = path.with_file_name("00000000000000000100.snapshot");
    fs::copy(&path, &file).unwrap();
    let kafka = run(&["inspect-snapshot", "--format", "kafka"], &[&file]).ended_with(0);
    assert!(!kafka.text().contains('\u{1b}'), "{}", kafka.text());
    let lines = run(&["dump-log", "--format", "jsonl"], &[&file]);
    assert!(
        lines
            .text()
            .contains(r#""sourceClusterIdBase64":"/xtbMzFt""#),
        "{}",
        lines.text()
    );
}

#[test]
fn a_path_stays_on_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let odd = directory.path().join("a\nb\u{1b}[31m");
    fs::create_dir(&odd).unwrap();
    let (_guard, path) = begun(Version::V1, &[entry(5, 9, 99)]);
    for name in ["00000000000000000100.log", "00000000000000000100.snapshot"] {
        fs::copy(path.join(name), odd.join(name)).unwrap();
    }
    for (command, name) in [
        ("producers", "00000000000000000100.log"),
        ("inspect-snapshot", "00000000000000000100.snapshot"),
    ] {
        let outcome = Run::new([command]).arg(odd.join(name)).outcome();
        let text = outcome.ended_with(0).text().to_owned();
        assert!(text.contains("a\\nb\\u{1b}[31m/"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

/// What was read of a refused file is shown.
#[test]
fn the_header_of_a_refused_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("by hand");
    let head = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let (snapshot, outcome) = snapshots::one(&[], &path);
        outcome.ended_with(1);
        (snapshot.version, snapshot.crc, snapshot.count)
    };
    let of_version_3 = [&[0, 3, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 1][..], &[0; 46]].concat();
    assert_eq!(head(&of_version_3), (Some(3), Some(0xdead_beef), None));
    assert_eq!(head(&of_version_3[..4]), (Some(3), None, None));
    assert_eq!(head(&[0]), (None, None, None));
    fs::write(&path, &of_version_3).unwrap();
    let text = run(&["inspect-snapshot"], &[&path]).ended_with(1);
    assert!(
        text.text()
            .contains("\nversion 3, 56 bytes, no producer readable\nCRC-32C 0xdeadbeef is wrong"),
        "{}",
        text.text()
    );
}

/// Files that are compared are shown in the order in which they were given.
#[test]
fn snapshots_in_any_order() {
    let log = [data(0, 1, 0), data(1, 1, 1), data(2, 1, 2)].concat();
    let held = |last: i32| [entry(1, last, last.into())];
    let directory = partition(
        0,
        &log,
        &[(1, &held(0)), (2, &held(1)), (3, &held(2)), (9, &held(2))],
    );
    let path = |offset: i64| {
        directory
            .path()
            .join(format!("orders-0/{offset:020}.snapshot"))
    };
    let order = [3, 9, 1, 2];
    let run = Run::new(["inspect-snapshot", "--format", "json"]);
    let outcome = order.iter().fold(run, |run, offset| run.arg(path(*offset)));
    let outcome = outcome.outcome().ended_with(1);
    let document: snapshots::Document = serde_json::from_str(outcome.text()).unwrap();
    let told: Vec<_> = document
        .snapshots
        .iter()
        .map(|one| (PathBuf::from(&one.path), one.compared_with.is_some()))
        .collect();
    assert_eq!(told, order.map(|offset| (path(offset), offset != 9)));
    assert!(
        document.snapshots[0]
            .comparison
            .iter()
            .all(|told| told.result == "equal")
    );
}

/// A broker that finds the log's end below its start deletes all of it.
#[test]
fn a_log_that_ends_below_its_start() {
    let checkpoint = |directory: &Path, start: i64| {
        let text = format!("0\n1\norders 0 {start}\n");
        fs::write(directory.join("log-start-offset-checkpoint"), text).unwrap();
    };
    let directory = partition(0, &data(0, 5, 0), &[]);
    let path = directory.path().join("orders-0");
    checkpoint(directory.path(), 50);
    let (told, outcome) = producers::one(&[], &path);
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains("checkpoint-mismatch: log-start-offset-checkpoint has the start 50, and")
            && stderr.contains("ends at 1: a broker that starts deletes all segments"),
        "{stderr}"
    );
    let only = &told.findings[0];
    assert_eq!((only.severity.as_str(), only.offset), ("error", Some(1)));
    assert_eq!((told.log_start_offset, told.log_end_offset), (50, 1));
    // Where more was read than was asked for, nobody knows the end.
    assert_eq!(
        producers::one(&["--at", "0"], &path)
            .1
            .ended_with(0)
            .stderr
            .matches("mismatch")
            .count(),
        0
    );
    checkpoint(directory.path(), 1);
    assert_eq!(producers::one(&[], &path).1.ended_with(0).stderr, "");
    // An empty last segment ends where it begins.
    checkpoint(directory.path(), 50);
    fs::write(path.join("00000000000000000050.log"), []).unwrap();
    let (told, outcome) = producers::one(&[], &path);
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!((told.last_stable_offset, told.log_end_offset), (50, 50));
}
