//! `kfsck inspect-snapshot`: what it reads, what it says of each snapshot and of its standing to
//! the log, and the JSON that scripts read.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::commands::make_fifo;
use super::inputs::{self, only_line, run};
use crate::corpus::bytes_of;
use crate::program::{Outcome, Run, copies, copy_tree, dump_log, set_mode, testdata};

pub(super) const INSPECT: &[&str] = &["inspect-snapshot"];
/// A snapshot without fault, below `testdata/kafka`.
pub(super) const SOUND: &str = "main/txn-open-0/00000000000000000047.snapshot";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) schema: i64,
    pub(super) snapshots: Vec<Snapshot>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Snapshot {
    pub(super) path: String,
    pub(super) offset: Option<i64>,
    pub(super) version: Option<i16>,
    pub(super) crc: Option<u32>,
    pub(super) crc_computed: Option<u32>,
    pub(super) is_valid: bool,
    pub(super) size_in_bytes: u64,
    pub(super) count: Option<i32>,
    pub(super) stock_refusal: Option<String>,
    pub(super) compared_with: Option<String>,
    pub(super) entries: Vec<Entry>,
    pub(super) damage: Vec<Damage>,
    pub(super) comparison: Vec<Compared>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) producer_id: i64,
    pub(super) producer_id_hex: Option<String>,
    pub(super) producer_epoch: i16,
    pub(super) last_sequence: i32,
    pub(super) last_offset: i64,
    pub(super) offset_delta: i32,
    pub(super) timestamp: i64,
    pub(super) coordinator_epoch: i32,
    pub(super) current_txn_first_offset: Option<i64>,
    pub(super) source_cluster_id: Option<String>,
    pub(super) source_cluster_id_base64: Option<String>,
    pub(super) origin: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Damage {
    pub(super) position: u64,
    pub(super) size_in_bytes: u64,
    pub(super) code: String,
    pub(super) message: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Compared {
    pub(super) producer_id: i64,
    pub(super) producer_id_hex: Option<String>,
    pub(super) result: String,
    pub(super) fields: Vec<Field>,
    pub(super) is_legal: bool,
    pub(super) cause: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) snapshot: Option<i64>,
    pub(super) log: Option<i64>,
}

pub(super) fn inspect(args: &[&str], path: &Path) -> (Document, Outcome) {
    let run = Run::new(["inspect-snapshot", "--format", "json"]);
    let outcome = args.iter().fold(run, Run::arg).arg(path).outcome();
    let text = outcome.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let document: Document =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(document.schema, 1);
    (document, outcome)
}

pub(super) fn one(args: &[&str], path: &Path) -> (Snapshot, Outcome) {
    let (mut document, outcome) = inspect(args, path);
    assert_eq!(document.snapshots.len(), 1);
    (document.snapshots.remove(0), outcome)
}

/// Each producer with its result, in the order of the document.
pub(super) fn results(snapshot: &Snapshot) -> Vec<(i64, &str)> {
    let compared = snapshot.comparison.iter();
    compared
        .map(|compared| (compared.producer_id, compared.result.as_str()))
        .collect()
}

#[test]
fn no_path_is_wrong_usage() {
    inputs::no_path(INSPECT);
    let outcome = Run::new(["inspect-snapshot", "--log", "-"]).outcome();
    outcome.ended_with(2);
    let outcome = Run::new(["inspect-snapshot", "-", "-"]).outcome();
    assert!(outcome.ended_with(2).stderr.contains("only once"));
}

#[test]
fn directories() {
    inputs::empty_directory(INSPECT);
    inputs::links_in_a_circle(INSPECT);
    inputs::untouched(INSPECT);
    inputs::read_only_directory(INSPECT);
}

/// Without a snapshot a broker that was stopped cleanly forgets every producer.
#[test]
fn a_partition_without_any_snapshot() {
    let directory = copies(&[
        (
            "main/txn-v1-0/00000000000000000000.log",
            "txn-v1-0/00000000000000000000.log",
        ),
        ("main/meta.properties", "meta.properties"),
    ]);
    let outcome = run(INSPECT, &[directory.path()]).ended_with(0);
    assert_eq!((outcome.text(), outcome.stderr.as_str()), ("", ""));
    fs::write(directory.path().join(".kafka_cleanshutdown"), "").unwrap();
    let outcome = run(INSPECT, &[directory.path()]).ended_with(0);
    let line = only_line(&outcome, &directory.path().join("txn-v1-0"));
    assert!(line.contains("note: no snapshot lies here"), "{line}");
    fs::write(
        directory.path().join("txn-v1-0/00000000000000000000.log"),
        "",
    )
    .unwrap();
    let outcome = run(INSPECT, &[directory.path()]).ended_with(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_missing_or_closed_file_ends_with_3_and_hides_no_other() {
    let directory = copies(&[(SOUND, "a/47.snapshot"), (SOUND, "b/47.snapshot")]);
    let [closed, open] = ["a", "b"].map(|name| directory.path().join(name).join("47.snapshot"));
    let alone = run(INSPECT, &[&open]).ended_with(0);
    let absent = Path::new("absent.snapshot");
    for paths in [[absent, &open], [&open, absent]] {
        let outcome = run(INSPECT, &paths).ended_with(3);
        only_line(&outcome, absent);
        assert_eq!(outcome.text(), alone.text());
    }
    set_mode(&closed, 0o000);
    let run = Run::new(INSPECT).unprivileged().arg(&closed).arg(&open);
    let outcome = run.outcome().ended_with(3);
    assert!(only_line(&outcome, &closed).contains("Permission denied"));
    assert_eq!(outcome.text(), alone.text());
}

#[test]
fn other_kinds_of_file_are_refused_by_name() {
    let log = testdata("main/plain-0/00000000000000000000.log");
    let outcome = run(INSPECT, &[&log]).ended_with(3);
    assert!(only_line(&outcome, &log).contains("found a file of kind log"));
    let outcome = Run::new(["inspect-snapshot", "--log"]).arg(&log);
    let outcome = outcome.outcome().ended_with(3);
    assert!(only_line(&outcome, &log).contains("--log takes"));
}

#[test]
fn a_fifo_and_standard_input_are_read_like_a_file_and_never_compared() {
    let bytes = fs::read(testdata(SOUND)).unwrap();
    let (from_file, _) = one(&[], &testdata(SOUND));
    assert!(from_file.compared_with.is_some());
    let directory = tempfile::tempdir().unwrap();
    let partition = directory.path().join("txn-open-0");
    copy_tree(&testdata("main/txn-open-0"), &partition);
    let fifo = partition.join("00000000000000000047.snapshot");
    fs::remove_file(&fifo).unwrap();
    make_fifo(&partition, "00000000000000000047.snapshot");
    let (from_fifo, outcome) = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, &bytes));
        one(&[], &fifo)
    });
    outcome.ended_with(0);
    assert_eq!(from_fifo.entries, from_file.entries);
    assert_eq!(from_fifo.compared_with, None);
    let piped = Run::new(["inspect-snapshot", "-"]).outcome_with(bytes);
    let piped = piped.ended_with(0);
    assert!(
        piped
            .text()
            .starts_with("-\nversion 1, 240 bytes, 5 producers\n")
    );
    assert!(!piped.text().contains("against the log"));
}

#[test]
fn odd_names_and_empty_files() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a,b.snapshot", "new\nline.snapshot", "copied by hand"] {
        let path = directory.path().join(name);
        fs::copy(testdata(SOUND), &path).unwrap();
        let (snapshot, outcome) = one(&[], &path);
        assert_eq!(outcome.ended_with(0).stderr, "");
        assert_eq!((snapshot.offset, snapshot.entries.len()), (None, 5));
    }
    let empty = directory.path().join("7.snapshot");
    fs::write(&empty, "").unwrap();
    let (snapshot, outcome) = one(&[], &empty);
    let line = only_line(&outcome.ended_with(1), &empty).to_owned();
    assert!(line.contains("position 0: snapshot-corrupt"), "{line}");
    assert_eq!((snapshot.version, snapshot.crc), (None, None));
    assert!(!snapshot.is_valid);
    // A device holds nothing either.
    run(INSPECT, &[Path::new("/dev/null")]).ended_with(1);
}

#[test]
fn exit_zero_changes_only_1() {
    let damaged = fixture("a09_badcrc.snapshot");
    let outcome = run(INSPECT, &[&damaged]).ended_with(1);
    let only = only_line(&outcome, &damaged).to_owned();
    let zero = run(&["inspect-snapshot", "--exit-zero", "-q"], &[&damaged]).ended_with(0);
    assert_eq!(zero.stderr.trim_end(), only);
    run(
        &["inspect-snapshot", "--exit-zero"],
        &[Path::new("absent.snapshot")],
    )
    .ended_with(3);
}

#[test]
fn everything_that_brokers_wrote_agrees_with_its_log() {
    let (mut compared, mut equal) = (0, 0);
    for place in ["main", "crash/clean", "crash/unclean"] {
        for access in [&[][..], &["--no-mmap"]] {
            let (document, outcome) = inspect(access, &testdata(place));
            let outcome = outcome.ended_with(0);
            assert!(!outcome.stderr.contains("snapshot-"), "{}", outcome.stderr);
            for snapshot in &document.snapshots {
                assert!(snapshot.is_valid && snapshot.damage.is_empty());
                assert_eq!(snapshot.stock_refusal, None);
                assert_eq!(snapshot.crc, snapshot.crc_computed);
                assert_eq!(
                    snapshot.count.unwrap(),
                    i32::try_from(snapshot.entries.len()).unwrap()
                );
                assert_eq!(
                    snapshot.size_in_bytes,
                    10 + 46 * snapshot.entries.len() as u64
                );
                compared += usize::from(snapshot.compared_with.is_some());
                for told in &snapshot.comparison {
                    assert!(told.is_legal, "{}: {told:?}", snapshot.path);
                    equal += usize::from(told.result == "equal");
                }
            }
        }
    }
    assert!(compared >= 150 && equal >= 150, "{compared}, {equal}");
}

#[test]
fn the_text_of_kafka_dump_log_byte_for_byte() {
    let paths = [testdata("main/txn-open-0"), fixture("a09_badcrc.snapshot")];
    for path in &paths {
        let ours = Run::new(["inspect-snapshot", "--format", "kafka"]).arg(path);
        let ours = ours.outcome();
        let mut theirs = (String::new(), String::new());
        for file in snapshots_in(path) {
            let outcome = dump_log([&file]).outcome();
            theirs.0 += outcome.text();
            theirs.1 += &outcome.stderr;
        }
        assert_eq!((ours.text(), &ours.stderr), (theirs.0.as_str(), &theirs.1));
    }
    let chosen = Run::new([
        "inspect-snapshot",
        "--format",
        "kafka",
        "--producer-id",
        "201,2004",
    ]);
    let chosen = chosen.arg(testdata(SOUND)).outcome().ended_with(0);
    let lines: Vec<_> = chosen.text().lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[1].starts_with("producerId: 2004 producerEpoch: 2 "),
        "{lines:?}"
    );
}

fn snapshots_in(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap();
    let mut found: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|kind| kind == "snapshot"));
    found.sort();
    found
}

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    folder.join(name)
}

/// Damage of each kind: what is readable, and what a broker does.
#[test]
fn the_fixtures_that_are_damaged() {
    let ids = |snapshot: &Snapshot| -> Vec<_> {
        let entries = snapshot.entries.iter();
        entries
            .map(|entry| (entry.producer_id, entry.last_offset))
            .collect()
    };
    let (good, outcome) = one(&[], &fixture("a09_good.snapshot"));
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!(ids(&good), [(1, 100), (2, 205)]);
    assert_eq!(good.entries[1].current_txn_first_offset, Some(201));
    // Every entry is readable; a broker refuses the file all the same.
    let (bad, outcome) = one(&[], &fixture("a09_badcrc.snapshot"));
    outcome.ended_with(1);
    assert_eq!(bad.entries, good.entries);
    assert_eq!((bad.crc, bad.crc_computed), (Some(0xdead_beef), good.crc));
    assert!(
        !bad.is_valid
            && bad
                .stock_refusal
                .unwrap()
                .contains("CRC is no longer valid")
    );
    assert_eq!(bad.damage[0].position, 2);
    // The end lies inside the first entry.
    let (cut, outcome) = one(&[], &fixture("a09_cut.snapshot"));
    outcome.ended_with(1);
    assert_eq!((cut.count, cut.entries.len()), (Some(2), 0));
    let places: Vec<_> = cut.damage.iter().map(|damage| damage.position).collect();
    assert_eq!(places, [2, 36]);
    assert_eq!(cut.damage[1].size_in_bytes, 4);
    // No version is 0.
    let (zero, outcome) = one(&[], &fixture("a09_zero.snapshot"));
    outcome.ended_with(1);
    assert_eq!((zero.version, zero.entries.len()), (Some(0), 0));
    assert!(
        zero.stock_refusal
            .unwrap()
            .contains("unknown file version 0")
    );
    // A broker takes the file, and keeps the second entry.
    let (twice, outcome) = one(&[], &fixture("a09_dup_pid.snapshot"));
    assert!(
        outcome
            .ended_with(1)
            .stderr
            .contains("a broker loads both and keeps the last")
    );
    assert_eq!(ids(&twice), [(1, 100), (1, 101)]);
    assert_eq!((twice.stock_refusal, twice.is_valid), (None, true));
    assert_eq!(twice.damage[0].position, 10 + 46);
}

/// Whoever reads that the file is damaged must not be led to delete it.
#[test]
fn nobody_is_told_to_delete_a_snapshot() {
    for name in [
        "a09_badcrc.snapshot",
        "a09_cut.snapshot",
        "a09_zero.snapshot",
    ] {
        let outcome = run(INSPECT, &[&fixture(name)]).ended_with(1);
        let text = outcome.text();
        assert!(text.contains("Leave it where it is"), "{text}");
        assert!(
            text.contains("does not read the log, and starts with no producer"),
            "{text}"
        );
    }
    let sound = run(INSPECT, &[&fixture("a09_good.snapshot")]).ended_with(0);
    assert!(sound.text().contains("a stock broker takes it"));
    assert!(!sound.text().contains("Leave it"));
}

#[test]
fn a_short_snapshot_over_a_longer_one_is_recognised() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("00000000000000000206.snapshot");
    let mut bytes = fs::read(fixture("a09_good.snapshot")).unwrap();
    bytes.extend_from_slice(&[0x5a; 46]);
    fs::write(&path, bytes).unwrap();
    let (snapshot, outcome) = one(&[], &path);
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains("the checksum holds for the first 102 bytes"),
        "{stderr}"
    );
    assert!(stderr.contains("every entry is right"), "{stderr}");
    assert_eq!(snapshot.entries.len(), 2);
    let [tail] = &snapshot.damage[..] else {
        panic!("{snapshot:?}")
    };
    assert_eq!((tail.position, tail.size_in_bytes), (102, 46));
    assert_eq!(tail.code, "snapshot-corrupt");
    assert!(
        tail.message.contains("CRC is no longer valid"),
        "{}",
        tail.message
    );
}

/// The example of the bit-field design, F(42,5) beside the local 5, put together by hand.
#[test]
fn version_2_is_read_and_a_stock_broker_deletes_it() {
    let entries = "
        00000002
        8000001500000005 0000 00000009 0000000000000063 00000009 0000019d0aa3cc00 ffffffff
        ffffffffffffffff 0016 414245694d305256 5a6e65496d617137 7a4e33755f77
        0000000000000005 0001 00000001 000000000000001e 00000001 0000019d0aa3cc00 00000002
        ffffffffffffffff ffff";
    let sealed = bytes_of(entries);
    let crc = crc32c::crc32c(&sealed).to_be_bytes();
    let bytes = [&[0, 2][..], &crc, &sealed].concat();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("00000000000000000100.snapshot");
    fs::write(&path, bytes).unwrap();
    let (snapshot, outcome) = one(&[], &path);
    let stderr = outcome.ended_with(0).stderr;
    assert!(
        stderr.contains("a stock broker deletes the file"),
        "{stderr}"
    );
    assert_eq!((snapshot.version, snapshot.is_valid), (Some(2), true));
    let refusal = snapshot.stock_refusal.unwrap();
    assert!(refusal.contains("unknown file version 2"), "{refusal}");
    let [mirrored, local] = &snapshot.entries[..] else {
        panic!("two entries")
    };
    assert_eq!(mirrored.producer_id, -9_223_371_946_660_462_587);
    assert_eq!(
        mirrored.producer_id_hex.as_deref(),
        Some("0x8000001500000005")
    );
    assert_eq!(
        mirrored.source_cluster_id.as_deref(),
        Some("ABEiM0RVZneImaq7zN3u_w")
    );
    assert_eq!(
        (mirrored.origin.as_str(), local.origin.as_str()),
        ("bit-field", "local")
    );
    assert_eq!(local.source_cluster_id, None);
    let text = run(INSPECT, &[&path]).ended_with(0);
    assert!(
        text.text().contains("ABEiM0RVZneImaq7zN3u_w"),
        "{}",
        text.text()
    );
    let one_id = Run::new(["inspect-snapshot", "--producer-id", "-9223371946660462587"]);
    let one_id = one_id.arg(&path).outcome().ended_with(0);
    assert!(
        !one_id.text().contains("\n                   5 "),
        "{}",
        one_id.text()
    );
}
