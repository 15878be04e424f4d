//! `kfsck producers`: the state of each partition, what is told of the log on the way, and the JSON
//! that scripts read.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::batches::Batch;
use crate::corpus::bytes_of;
use crate::program::{Outcome, Run, copy_tree, testdata};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: i64,
    partitions: Vec<Partition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Partition {
    pub(super) topic_partition: Option<String>,
    pub(super) path: String,
    pub(super) log_start_offset: i64,
    pub(super) last_stable_offset: i64,
    pub(super) high_watermark: Option<i64>,
    pub(super) log_end_offset: i64,
    pub(super) producers: Vec<Producer>,
    pub(super) producer_count: usize,
    pub(super) began_with: Option<String>,
    pub(super) findings: Vec<Finding>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Producer {
    pub(super) producer_id: i64,
    pub(super) producer_id_hex: Option<String>,
    pub(super) producer_epoch: i16,
    pub(super) last_sequence: i32,
    pub(super) last_offset: i64,
    pub(super) last_timestamp: i64,
    pub(super) coordinator_epoch: i32,
    pub(super) current_txn_first_offset: Option<i64>,
    pub(super) origin: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Finding {
    pub(super) code: String,
    pub(super) severity: String,
    pub(super) count: u64,
    pub(super) path: String,
    pub(super) position: u64,
    pub(super) offset: Option<i64>,
    pub(super) producer_id: Option<i64>,
    pub(super) producer_id_hex: Option<String>,
    pub(super) message: String,
}

fn producers(args: &[&str], path: &Path) -> (Document, Outcome) {
    let run = Run::new(["producers", "--format", "json"]);
    let outcome = args.iter().fold(run, Run::arg).arg(path).outcome();
    let text = outcome.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let document: Document =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(document.schema, 1);
    (document, outcome)
}

pub(super) fn one(args: &[&str], path: &Path) -> (Partition, Outcome) {
    let (mut document, outcome) = producers(args, path);
    assert_eq!(document.partitions.len(), 1);
    (document.partitions.remove(0), outcome)
}

pub(super) fn ids(partition: &Partition) -> Vec<i64> {
    let producers = partition.producers.iter();
    producers.map(|producer| producer.producer_id).collect()
}

pub(super) fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    folder.join(name)
}

/// A partition of one segment.
pub(super) fn partition(log: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let partition = directory.path().join("orders-0");
    fs::create_dir(&partition).unwrap();
    fs::write(partition.join("00000000000000000000.log"), log).unwrap();
    (directory, partition)
}

pub(super) const TRANSACTIONAL: i16 = 0x10;

pub(super) fn data(offset: i64, producer_id: i64, base_sequence: i32, attributes: i16) -> Batch {
    Batch {
        producer_id,
        producer_epoch: 0,
        base_sequence,
        attributes,
        ..Batch::new(offset)
    }
    .record(None, Some(b"v"))
}

#[test]
fn a_log_directory_with_its_checkpoints() {
    for access in [&[][..], &["--no-mmap"]] {
        let (document, outcome) = producers(access, &testdata("main"));
        outcome.ended_with(0);
        assert!(document.partitions.len() > 40);
        let of = |name: &str| {
            let mut partitions = document.partitions.iter();
            partitions
                .find(|one| one.topic_partition.as_deref() == Some(name))
                .unwrap()
        };
        let open = of("txn-open-0");
        assert_eq!(
            (
                open.log_start_offset,
                open.last_stable_offset,
                open.log_end_offset
            ),
            (0, 0, 69)
        );
        assert_eq!(open.high_watermark, Some(69));
        // The oldest open transaction comes first.
        assert_eq!(open.producers[0].producer_id, 1010);
        assert_eq!(open.producers[0].current_txn_first_offset, Some(0));
        assert_eq!(open.producers[1].current_txn_first_offset, Some(65));
        assert_eq!(open.producer_count, 6);
        // Records were deleted: the checkpoint tells the start, inside the first segment.
        let trimmed = of("trimmed-0");
        assert!(trimmed.log_start_offset > 0);
        // What is below the first segment is in the snapshot there alone.
        let expired = of("expired_all-0");
        assert!(
            expired
                .began_with
                .as_ref()
                .unwrap()
                .ends_with("0070.snapshot")
        );
        assert_eq!((ids(expired), expired.log_end_offset), (vec![1023], 70));
        // Compaction took batches: their sequences are missing, legally.
        let compacted = of("compact_gone-0");
        let [gap] = &compacted.findings[..] else {
            panic!("{compacted:?}")
        };
        assert_eq!(
            (gap.code.as_str(), gap.severity.as_str()),
            ("sequence-gap", "note")
        );
        assert!(
            gap.message.contains("compaction has taken batches away"),
            "{gap:?}"
        );
    }
}

#[test]
fn a_partition_alone_finds_the_checkpoints_beside_it_by_whatever_path() {
    let directory = tempfile::tempdir().unwrap();
    copy_tree(&testdata("main"), directory.path());
    let inside = directory.path().join("txn-open-0");
    let (by_path, _) = one(&[], &inside);
    assert_eq!(by_path.high_watermark, Some(69));
    for path in [".", "../txn-open-0"] {
        let run = Run::new(["producers", "--format", "json", path]).dir(&inside);
        let outcome = run.outcome().ended_with(0);
        let document: Document = serde_json::from_str(outcome.text()).unwrap();
        assert_eq!(document.partitions[0].high_watermark, Some(69), "{path}");
        let name = document.partitions[0].topic_partition.as_deref();
        assert_eq!(name, Some("txn-open-0"));
    }
    // A checkpoint that cannot be used is told, and says nothing.
    let checkpoint = directory.path().join("replication-offset-checkpoint");
    fs::write(&checkpoint, "0\n9\n").unwrap();
    let (without, outcome) = one(&[], &inside);
    let stderr = outcome.ended_with(1).stderr;
    assert!(stderr.contains("checkpoint-corrupt"), "{stderr}");
    assert_eq!(
        (without.high_watermark, without.last_stable_offset),
        (None, 0)
    );
}

#[test]
fn the_state_at_an_offset_is_the_snapshot_there() {
    let (at, outcome) = one(&["--at", "47"], &testdata("main/txn-open-0"));
    outcome.ended_with(0);
    let mut shown = ids(&at);
    shown.sort_unstable();
    assert_eq!(shown, [1010, 2003, 2004, 2005, 2006]);
    assert_eq!(at.log_end_offset, 47);
    let (start, _) = one(&["--at", "0"], &testdata("main/txn-open-0"));
    assert_eq!((ids(&start), start.log_end_offset), (vec![], 0));
    // Inside a batch, and behind the end.
    for (at, end) in [("46", 46), ("45", 44), ("1000", 69)] {
        let (partition, outcome) = one(&["--at", at], &testdata("main/txn-open-0"));
        let stderr = outcome.ended_with(0).stderr;
        assert_eq!(
            stderr.contains("note: --at"),
            at != end.to_string(),
            "{at}: {stderr}"
        );
        assert_eq!(partition.log_end_offset, end, "{at}");
    }
}

#[test]
fn negative_ids_and_what_they_can_be() {
    let log: Vec<u8> = [-7, -9_223_371_946_660_462_587, 5]
        .into_iter()
        .zip(0..)
        .flat_map(|(id, offset)| data(offset, id, 0, 0).encode())
        .collect();
    let (_guard, path) = partition(&log);
    assert_eq!(ids(&one(&[], &path).0), [5]);
    let (mapped, _) = one(&["--rules", "mapped", "--sort", "producer-id"], &path);
    let origins: Vec<_> = mapped
        .producers
        .iter()
        .map(|producer| {
            (
                producer.producer_id_hex.as_deref(),
                producer.origin.as_str(),
            )
        })
        .collect();
    assert_eq!(
        origins,
        [
            (Some("0x8000001500000005"), "bit-field"),
            (None, "negated"),
            (None, "local")
        ]
    );
    let args = [
        "--rules",
        "mapped",
        "--producer-id",
        "-7,5",
        "--wide-integers",
        "string",
    ];
    assert_eq!(one(&args, &path).0.producer_count, 2);
    let none = Run::new(["producers", "--producer-id", "77"])
        .arg(&path)
        .outcome();
    let none = none.ended_with(0);
    assert_eq!(none.text(), "");
    assert!(
        none.stderr.contains("nothing here knows a producer"),
        "{}",
        none.stderr
    );
}

#[test]
fn expiry_by_a_given_clock() {
    let mut log = data(0, 5, 0, 0).encode();
    log.extend(data(1, 6, 0, TRANSACTIONAL).encode());
    let (_guard, path) = partition(&log);
    let at = |now: &str| ids(&one(&["--expire-after", "1000", "--now", now], &path).0);
    // An open transaction keeps its producer.
    assert_eq!(at("1700000000999"), [6, 5]);
    assert_eq!(at("1700000001000"), [6]);
    let clock = Run::new(["producers", "--expire-after", "1000"])
        .arg(&path)
        .outcome();
    assert!(
        clock.stderr.contains("--now is the machine's clock"),
        "{}",
        clock.stderr
    );
    // A clock alone is that of many a script, and here for nothing.
    let alone = Run::new(["producers", "--now", "1700000001000"]);
    let alone = alone.arg(&path).outcome().ended_with(0);
    assert!(alone.text().contains("2 producers"), "{}", alone.text());
    let told = &alone.stderr;
    assert!(
        told.contains("--now changes nothing here without --expire-after"),
        "{told}"
    );
}

#[test]
fn a_table_for_one_and_for_a_hundred_thousand() {
    let log: Vec<u8> = (0..100_000)
        .flat_map(|id| data(id, id, 0, 0).encode())
        .collect();
    let (_guard, path) = partition(&log);
    let text = Run::new(["producers"]).arg(&path).outcome().ended_with(0);
    let lines: Vec<_> = text.text().lines().collect();
    assert_eq!(lines[2], "100000 producers");
    assert_eq!(lines.len(), 3 + 1 + 2 + 20 + 1);
    assert_eq!(lines[26], "and 99980 more (--top 100000)");
    assert!(lines[1..].iter().all(|line| line.chars().count() <= 80));
    let (all, _) = one(&["--sort", "last-offset"], &path);
    assert_eq!(
        (all.producers.len(), all.producers[0].last_offset),
        (100_000, 99_999)
    );
    let (top, _) = one(&["--top", "2", "--sort", "last-offset"], &path);
    assert_eq!(
        (ids(&top), top.producer_count),
        (vec![99_999, 99_998], 100_000)
    );
    Run::new(["producers", "--top", "few"])
        .arg(&path)
        .outcome()
        .ended_with(2);
    let (_guard, path) = partition(&data(0, 5, 0, 0).encode());
    let text = Run::new(["producers"]).arg(&path).outcome().ended_with(0);
    let tail: Vec<_> = text.text().lines().skip(1).collect();
    assert_eq!(
        tail,
        [
            "log start 0, last stable offset 1, high watermark -, log end 1",
            "1 producer",
            "",
            "producer             last    last  last timestamp       coord    txn",
            "      id  epoch  sequence  offset  (UTC)                epoch  start  origin",
            "       5      0         0       0  2023-11-14 22:13:20      -      -  local",
        ]
    );
}

/// Bytes of the abort of producer 5 as Kafka's own classes wrote it.
#[test]
fn a_marker_of_a_transaction_without_records_is_no_finding() {
    let abort = bytes_of(
        "0000000000000063 00000042 00000007 02 c5efdfdc 0030 00000000
         0000019d0aa3cc00 0000019d0aa3cc00 0000000000000005 0000 ffffffff 00000001
         20 00 00 00 08 00000000 0c 000000000000 00",
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("00000000000000000099.log");
    fs::write(&path, abort).unwrap();
    let (told, outcome) = one(&[], &path);
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!((told.log_start_offset, told.log_end_offset), (99, 100));
    let producer = &told.producers[0];
    assert_eq!((producer.last_sequence, producer.last_offset), (-1, -1));
    assert_eq!(producer.coordinator_epoch, 0);
    assert_eq!(told.path, path.to_str().unwrap());
    assert!(told.findings.is_empty());
}

#[test]
fn standard_input_and_partitions_mixed() {
    let log = data(7, 5, 0, 0).encode();
    let piped = Run::new(["producers", "-"]).outcome_with(log).ended_with(0);
    assert!(
        piped.text().starts_with("-\nlog start 7, "),
        "{}",
        piped.text()
    );
    assert!(
        piped
            .text()
            .contains("1 producer; read from this segment alone\n")
    );
    let outcome = Run::new(["producers", "-", "-"]).outcome().ended_with(2);
    assert!(outcome.stderr.contains("only once"), "{}", outcome.stderr);
    let mixed = Run::new(["producers"])
        .arg(testdata("main/txn-open-0"))
        .arg(testdata("crash/clean"))
        .arg(fixture("a03_hanging_txn.log"));
    let mixed = mixed.outcome().ended_with(0);
    let headings = mixed.text().matches("log start ").count();
    assert_eq!(headings, 1 + 9 + 1);
}
