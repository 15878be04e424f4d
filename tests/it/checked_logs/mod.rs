//! The pass over whole partitions: each code where it fires and where it stays silent.

mod corpora;
mod every_byte;
mod internal;
mod log;
mod misplaced;
mod producers;
mod runs;
mod segments;
mod snapshots;

use std::fs;
use std::path::Path;

use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::pass::check_partition;
use kfsck::analysis::check::terms::{Depth, Tally, Terms};
use kfsck::analysis::event_verdict::{DEFAULT_EXPIRATION_MS, Severity};
use kfsck::format::batch::computed_crc;
use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
use kfsck::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};
use kfsck::state::rules::{Barrier, RuleSet};
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

const DEPTHS: [Depth; 4] = [Depth::Framing, Depth::Crc, Depth::Records, Depth::Rewrite];
/// When the logs of these tests were written.
const T: i64 = 1_700_000_000_000;

/// By the default rules, two days after the logs of these tests were written.
fn terms(depth: Depth) -> Terms {
    let rules: &'static dyn RuleSet = &Barrier;
    Terms {
        rules,
        depth,
        access: Access::Plain,
        now: Timestamp(T + 2 * DEFAULT_EXPIRATION_MS),
        expiration_ms: DEFAULT_EXPIRATION_MS,
        max_transaction_timeout_ms: 900_000,
        max_record_bytes: 1 << 20,
    }
}

/// Checks the partition in a directory, with the checkpoints beside it. A mapped log goes other
/// ways for most of its batches than one that is read plainly; the answer is the same, but for the
/// order in which findings of different kinds come.
fn check(path: &Path, terms: &Terms) -> (Tally, Vec<Finding>) {
    let answer = check_once(path, terms);
    let access = Access::Map;
    let mapped = check_once(path, &Terms { access, ..*terms });
    let in_order = |mut findings: Vec<Finding>| {
        findings.sort_by_key(|found| (found.code, found.path.clone(), found.position));
        findings
    };
    assert_eq!(mapped.0, answer.0);
    assert_eq!(in_order(mapped.1), in_order(answer.1.clone()));
    answer
}

fn check_once(path: &Path, terms: &Terms) -> (Tally, Vec<Finding>) {
    let directory = PartitionDirectory::list(path);
    let checkpoints = Checkpoints::read(path.parent().unwrap(), terms.access);
    let mut findings = Vec::new();
    let mut found = |finding: Finding| findings.push(finding);
    let tally = check_partition(
        &directory,
        &checkpoints,
        terms,
        &mut [],
        &mut (),
        &mut found,
    );
    assert!(tally.is_complete());
    (tally, findings)
}

/// Checks a partition `t-0` with these files in a log directory of its own.
fn check_files(files: &[(&str, &[u8])], terms: &Terms) -> Vec<Finding> {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    fs::create_dir(&directory).unwrap();
    for (name, bytes) in files {
        fs::write(directory.join(name), bytes).unwrap();
    }
    check(&directory, terms).1
}

/// A batch of one record at this offset and time [`T`]; `change` says what else it is.
fn batch(offset: i64, change: impl FnOnce(&mut BatchDraft)) -> Vec<u8> {
    records(offset, 1, change)
}

/// The same with so many records, each a millisecond later.
fn records(offset: i64, count: i32, change: impl FnOnce(&mut BatchDraft)) -> Vec<u8> {
    let mut draft = BatchDraft::plain(Offset(offset), LeaderEpoch(4), Timestamp(T));
    draft.last_offset_delta = count - 1;
    draft.max_timestamp = Timestamp(T + i64::from(count) - 1);
    let base = draft.base_timestamp;
    change(&mut draft);
    // Times of the records go by what the header says first, not by what it should.
    let first = if draft.base_timestamp == base {
        base
    } else {
        draft.base_timestamp
    };
    let records = (0..count).map(|delta| RecordDraft {
        timestamp: Timestamp(first.0 + i64::from(delta)),
        offset_delta: delta,
        key: Some(b"key"),
        value: Some(b"value"),
        headers: &[],
    });
    let mut bytes = Vec::new();
    encode(&draft, records, &mut bytes).unwrap();
    bytes
}

/// Changes bytes of a batch at a place behind its checksum, which is made right again.
fn patched(mut bytes: Vec<u8>, at: usize, with: &[u8]) -> Vec<u8> {
    bytes[at..at + with.len()].copy_from_slice(with);
    resealed(bytes)
}

/// Makes length and checksum right.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = i32::try_from(bytes.len()).unwrap() - 12;
    bytes[8..12].copy_from_slice(&length.to_be_bytes());
    let crc = computed_crc(&bytes);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// Makes a batch one of a producer.
fn of(producer: i64, epoch: i16, sequence: i32) -> impl FnOnce(&mut BatchDraft) {
    move |draft| {
        draft.producer_id = ProducerId(producer);
        draft.producer_epoch = ProducerEpoch(epoch);
        draft.base_sequence = Sequence(sequence);
    }
}

const SEGMENT: &str = "00000000000000000000.log";

/// Checks a log of one segment, down to the records.
fn check_log(bytes: &[u8]) -> Vec<Finding> {
    check_files(&[(SEGMENT, bytes)], &terms(Depth::Records))
}

/// Severity, code and offset of each finding, as `E crc-mismatch 5`.
fn brief(findings: &[Finding]) -> Vec<String> {
    let letter = |severity| match severity {
        Severity::Error => 'E',
        Severity::Warning => 'W',
        Severity::Note => 'N',
    };
    let brief = findings.iter().map(|one| {
        let offset = one
            .offset
            .map_or("-".to_owned(), |offset| offset.to_string());
        format!("{} {} {offset}", letter(one.severity), one.code)
    });
    brief.collect()
}
