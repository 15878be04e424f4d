//! Indexes, snapshots, checkpoints and the other small files.

use kfsck::analysis::snapshot_health::examine;
use kfsck::storage::damage::{Code, Damage};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::Source;

use super::{Change, Input, every_change, inputs};
use crate::fuzz::bodies;

fn dump(input: &Input, bytes: &[u8], log: Option<&Source>, offsets: Option<&[u8]>) -> bodies::Told {
    bodies::beside(&input.path, input.name, bytes, log, offsets)
}

fn of_kind(kind: FileKind) -> Vec<Input> {
    let inputs = inputs(|found| found == kind);
    assert!(!inputs.is_empty(), "no {kind} to try");
    inputs
}

/// The log or index of the same segment.
fn beside(input: &Input, extension: &str) -> Option<Vec<u8>> {
    std::fs::read(input.path.with_extension(extension)).ok()
}

#[test]
fn indexes() {
    for kind in [FileKind::OffsetIndex, FileKind::TimeIndex] {
        for input in of_kind(kind) {
            let log = beside(&input, "log").map(|bytes| Source::from_bytes("0.log", bytes));
            let offsets = beside(&input, "index");
            every_change(&input.bytes, |_, bytes| {
                dump(&input, bytes, log.as_ref(), offsets.as_deref());
            });
        }
    }
}

/// An index that is sound, beside a log that is not.
#[test]
fn indexes_beside_changed_logs() {
    let kinds = [FileKind::OffsetIndex, FileKind::TimeIndex];
    let mut tried = 0;
    for kind in kinds {
        for input in of_kind(kind) {
            let Some(log) = beside(&input, "log").filter(|log| log.len() <= 1300) else {
                continue;
            };
            let offsets = beside(&input, "index");
            if input.bytes.is_empty() || input.bytes.len() > 100 {
                continue;
            }
            tried += 1;
            let source = |bytes: &[u8]| Source::from_bytes("0.log", bytes.to_vec());
            for length in 0..log.len() {
                dump(
                    &input,
                    &input.bytes,
                    Some(&source(&log[..length])),
                    offsets.as_deref(),
                );
            }
            for byte in 0..log.len() {
                let mut changed = log.clone();
                changed[byte] = !changed[byte];
                dump(
                    &input,
                    &input.bytes,
                    Some(&source(&changed)),
                    offsets.as_deref(),
                );
            }
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn transaction_indexes() {
    for input in of_kind(FileKind::TxnIndex) {
        every_change(&input.bytes, |change, bytes| {
            let findings = dump(&input, bytes, None, None);
            if let Change::Cut(length) = change {
                let whole = length % 34 == 0;
                assert_eq!(findings.damage.is_empty(), whole, "{findings:?}");
            }
        });
    }
}

#[test]
fn snapshots() {
    for input in of_kind(FileKind::ProducerSnapshot) {
        let sound = dump(&input, &input.bytes, None, None).damage.is_empty();
        every_change(&input.bytes, |change, bytes| {
            let damage = dump(&input, bytes, None, None).damage;
            let corrupt = damage.iter().any(|d| d.code == Code::SnapshotCorrupt);
            let path = input.path.display();
            assert!(!sound || corrupt, "{change:?} of {path} is not noticed");
            // What inspect-snapshot shows of it: places inside the file, and no more entries than
            // there are bytes for.
            let health = examine(bytes);
            assert!(!sound || !health.damage.is_empty() || health.refusal.is_some());
            let length = bytes.len() as u64;
            let inside = |d: &Damage| d.position <= length && d.position + d.size <= length;
            assert!(
                health.damage.iter().all(inside),
                "{change:?} of {path}: {health:?}"
            );
            let entries = health.snapshot.map_or(0, |snapshot| snapshot.entries.len());
            assert!(entries * 46 <= bytes.len());
        });
    }
}

#[test]
fn text_files() {
    for kind in [
        FileKind::LeaderEpochCheckpoint,
        FileKind::RecoveryPointCheckpoint,
        FileKind::ReplicationOffsetCheckpoint,
        FileKind::LogStartOffsetCheckpoint,
        FileKind::CleanerOffsetCheckpoint,
        FileKind::PartitionMetadata,
        FileKind::MetaProperties,
        FileKind::QuorumState,
        FileKind::CleanShutdown,
    ] {
        for input in of_kind(kind) {
            let sound = dump(&input, &input.bytes, None, None);
            assert!(
                sound.damage.is_empty(),
                "{}: {sound:?}",
                input.path.display()
            );
            every_change(&input.bytes, |_, bytes| {
                dump(&input, bytes, None, None);
            });
        }
    }
}

/// A checkpoint that says how many entries it has cannot lose one unnoticed.
#[test]
fn counted_checkpoints_that_are_cut() {
    for kind in [
        FileKind::LeaderEpochCheckpoint,
        FileKind::RecoveryPointCheckpoint,
        FileKind::ReplicationOffsetCheckpoint,
        FileKind::LogStartOffsetCheckpoint,
    ] {
        for input in of_kind(kind) {
            let whole = input.bytes.trim_ascii_end();
            let Some(last_line) = whole.iter().rposition(|byte| *byte == b'\n') else {
                // A broker makes the file of leader epochs with the log, and writes it later.
                assert!(whole.is_empty(), "{}", input.path.display());
                continue;
            };
            // Kafka reads a file that ends before its count as one without entries.
            for length in b"0\n0".len()..=last_line {
                let damage = dump(&input, &whole[..length], None, None).damage;
                let says_none = whole[..length].trim_ascii() == b"0\n0";
                assert!(
                    !damage.is_empty() || says_none,
                    "{length} bytes of {}",
                    input.path.display()
                );
            }
        }
    }
}
