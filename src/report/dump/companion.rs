//! The dump of what lies beside a segment: indexes, snapshots, checkpoints and small text files.
//!
//! The kinds that kafka-dump-log knows come out as it prints them; the others as one line an
//! entry, under Kafka's names.

use std::path::Path;

use super::index_check::{self, Mismatch};
use super::rows::{Value, push};
use super::style::{Style, as_java_prints};
use crate::format::json;
use crate::format::leader_epoch_checkpoint;
use crate::format::malformed::Malformed;
use crate::format::number::Offset;
use crate::format::offset_checkpoint;
use crate::format::offset_index::{self, OffsetIndex};
use crate::format::partition_metadata;
use crate::format::producer_snapshot::{self, ProducerEntry, Version};
use crate::format::properties;
use crate::format::time_index::{self, TimeIndex};
use crate::format::txn_index;
use crate::storage::damage::{Code, Damage};
use crate::storage::file_name::{FileKind, FileName};
use crate::storage::source::{ReadError, Source};

/// What to do with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexMode {
    /// Print the entries, and check them.
    #[default]
    Entries,
    /// `--verify-index-only`: check them.
    Verify,
    /// `--index-sanity-check`: the check that a broker makes at its start.
    Sanity,
}

/// A small file to dump, and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Companion<'a> {
    /// Its path, as given.
    pub path: &'a Path,
    /// What its name says.
    pub name: FileName,
    /// All its bytes.
    pub bytes: &'a [u8],
    /// The log of the same segment.
    pub log: Option<&'a Source>,
    /// The offset index of the same segment.
    pub offsets: Option<&'a [u8]>,
    /// The segment's base offset: from the name, or from the log's first batch.
    pub base_offset: Offset,
    /// What to do with an index.
    pub mode: IndexMode,
    /// Largest batch that an index entry may point to, in bytes.
    pub max_message_size: u64,
    /// Largest record to decode, in bytes.
    pub max_record_bytes: u64,
    /// The output format.
    pub style: Style,
}

/// What the dump of a small file met.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong.
    pub damage: Vec<Damage>,
    /// What is odd but legal, in words.
    pub notes: Vec<String>,
    /// Index entries that the log does not bear out.
    pub mismatches: Vec<Mismatch>,
}

/// Appends the dump of a file and tells what is wrong with it.
///
/// # Errors
/// A read of the log that failed.
pub fn dump(file: &Companion<'_>, out: &mut Vec<u8>) -> Result<Findings, ReadError> {
    let mut findings = Findings::default();
    match file.name.kind {
        FileKind::OffsetIndex => offset_index(file, out, &mut findings)?,
        FileKind::TimeIndex => time_index(file, out, &mut findings)?,
        FileKind::TxnIndex => txn_index(file, out, &mut findings),
        FileKind::ProducerSnapshot => snapshot(file, out, &mut findings),
        FileKind::LeaderEpochCheckpoint => leader_epochs(file, out, &mut findings),
        FileKind::RecoveryPointCheckpoint
        | FileKind::ReplicationOffsetCheckpoint
        | FileKind::LogStartOffsetCheckpoint
        | FileKind::CleanerOffsetCheckpoint => offsets(file, out, &mut findings),
        FileKind::PartitionMetadata => topic_id(file, out, &mut findings),
        FileKind::MetaProperties => properties(file, out, &mut findings),
        FileKind::QuorumState | FileKind::CleanShutdown => json_members(file, out, &mut findings),
        FileKind::Log | FileKind::KraftSnapshot | FileKind::Lock | FileKind::Unknown => {}
    }
    Ok(findings)
}

fn offset_index(
    file: &Companion<'_>,
    out: &mut Vec<u8>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let index = OffsetIndex::new(file.bytes, file.base_offset);
    let is_told = file.style == Style::Kafka && index.is_empty();
    if is_told {
        say(file, "is empty.", out);
    }
    if file.mode == IndexMode::Sanity {
        match offset_index::sanity_check(file.bytes, file.base_offset) {
            Ok(()) if is_told => {}
            Ok(()) => say(file, "passed sanity check.", out),
            Err(fault) => findings.insane(fault.stock_text(&file.path.display())),
        }
        return Ok(());
    }
    if file.mode == IndexMode::Entries {
        for entry in index.before_padding() {
            let fields = [
                ("offset", entry.offset.into()),
                ("position", Value::Int(entry.position.into())),
            ];
            push(file.style, "indexEntry", &fields, out);
        }
    }
    findings.whole_entries(file.bytes.len(), offset_index::ENTRY_SIZE);
    match file.log {
        Some(log) => {
            findings.mismatches = index_check::offset_index(&index, log, file.max_message_size)?;
        }
        None => findings.without_log(),
    }
    Ok(())
}

fn time_index(
    file: &Companion<'_>,
    out: &mut Vec<u8>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let index = TimeIndex::new(file.bytes, file.base_offset);
    if file.mode == IndexMode::Sanity {
        match time_index::sanity_check(file.bytes, file.base_offset) {
            Ok(()) => say(file, "passed sanity check.", out),
            Err(fault) => findings.insane(fault.stock_text(&file.path.display())),
        }
        return Ok(());
    }
    if file.mode == IndexMode::Entries {
        for entry in index.before_padding() {
            let fields = [
                ("timestamp", Value::Int(entry.timestamp.0)),
                ("offset", entry.offset.into()),
            ];
            push(file.style, "timeIndexEntry", &fields, out);
        }
    }
    findings.whole_entries(file.bytes.len(), time_index::ENTRY_SIZE);
    let Some(log) = file.log else {
        findings.without_log();
        return Ok(());
    };
    if file.offsets.is_none() {
        findings.damage.push(Damage {
            position: 0,
            size: 0,
            code: Code::IndexMissing,
            message:
                "expected an offset index of the same segment beside it, found none; a broker \
                      rebuilds it when it starts"
                    .to_owned(),
        });
    }
    let offsets = file
        .offsets
        .map(|bytes| OffsetIndex::new(bytes, file.base_offset));
    findings.mismatches =
        index_check::time_index(&index, offsets.as_ref(), log, file.max_record_bytes)?;
    Ok(())
}

fn txn_index(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    for entry in txn_index::decode(file.bytes) {
        match entry {
            Ok(txn) => {
                let fields = [
                    ("version", Value::Int(txn_index::CURRENT_VERSION.into())),
                    ("producerId", Value::Producer(txn.producer_id)),
                    ("firstOffset", txn.first_offset.into()),
                    ("lastOffset", txn.last_offset.into()),
                    ("lastStableOffset", txn.last_stable_offset.into()),
                ];
                push(file.style, "abortedTransaction", &fields, out);
            }
            Err(fault) => findings.malformed(Code::IndexCorrupt, &fault),
        }
    }
}

fn snapshot(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    let stock = producer_snapshot::stock_verdict(file.bytes);
    let snapshot = match producer_snapshot::decode(file.bytes) {
        Ok(snapshot) => snapshot,
        Err(fault) => {
            let stock = stock.err().unwrap_or_default();
            findings.corrupt_snapshot(&fault, &stock);
            return;
        }
    };
    for entry in &snapshot.entries {
        match file.style {
            Style::Kafka => snapshot_line(entry, out),
            Style::Jsonl(_) => snapshot_object(file.style, entry, out),
        }
    }
    let refusal = stock.err().unwrap_or_default();
    for fault in &snapshot.faults {
        findings.corrupt_snapshot(fault, &refusal);
    }
    if let Some(tail) = &snapshot.stale_tail {
        findings.notes.push(format!(
            "the checksum holds for the first {} bytes: a shorter snapshot was written over a \
             longer one; every entry is right, and a broker refuses the file",
            tail.start
        ));
    }
    if snapshot.version == Version::V2 && snapshot.faults.is_empty() {
        findings.notes.push(
            "version 2, written only by the bit-field prototype of cluster mirroring; a stock \
             broker deletes the file and rebuilds the state from the log"
                .to_owned(),
        );
    }
}

fn snapshot_line(entry: &ProducerEntry, out: &mut Vec<u8>) {
    let timestamp = Value::Int(entry.timestamp.0);
    let mut fields = vec![
        ("producerId", Value::Producer(entry.producer_id)),
        ("producerEpoch", Value::Int(entry.producer_epoch.0.into())),
        (
            "coordinatorEpoch",
            Value::Int(entry.coordinator_epoch.0.into()),
        ),
        (
            "currentTxnFirstOffset",
            Value::Optional(entry.open_txn().map(|offset| offset.0)),
        ),
        ("lastTimestamp", timestamp),
    ];
    if let Some(first) = entry.first_sequence() {
        fields.extend([
            ("firstSequence", Value::Int(first.0.into())),
            ("lastSequence", Value::Int(entry.last_sequence.0.into())),
            ("lastOffset", entry.last_offset.into()),
            ("offsetDelta", Value::Int(entry.offset_delta.into())),
            ("timestamp", timestamp),
        ]);
    }
    let cluster = source_cluster(entry);
    fields.push(("sourceClusterId", Value::Nullable(cluster.as_deref())));
    push(Style::Kafka, "producer", &fields, out);
}

fn snapshot_object(style: Style, entry: &ProducerEntry, out: &mut Vec<u8>) {
    let cluster = source_cluster(entry);
    let fields = [
        ("producerId", Value::Producer(entry.producer_id)),
        ("producerEpoch", Value::Int(entry.producer_epoch.0.into())),
        ("lastSequence", Value::Int(entry.last_sequence.0.into())),
        ("lastOffset", entry.last_offset.into()),
        ("offsetDelta", Value::Int(entry.offset_delta.into())),
        ("timestamp", Value::Int(entry.timestamp.0)),
        (
            "coordinatorEpoch",
            Value::Int(entry.coordinator_epoch.0.into()),
        ),
        (
            "currentTxnFirstOffset",
            Value::Optional(entry.open_txn().map(|offset| offset.0)),
        ),
        ("sourceClusterId", Value::Nullable(cluster.as_deref())),
        ("origin", Value::Text(entry.producer_id.origin())),
    ];
    push(style, "producer", &fields, out);
}

fn source_cluster(entry: &ProducerEntry) -> Option<String> {
    entry
        .source_cluster_id
        .as_deref()
        .map(|id| String::from_utf8_lossy(id).into_owned())
}

fn leader_epochs(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    match leader_epoch_checkpoint::decode(file.bytes) {
        Ok(entries) => {
            for entry in entries {
                let fields = [
                    ("leaderEpoch", Value::Int(entry.leader_epoch.0.into())),
                    ("startOffset", entry.start_offset.into()),
                ];
                push(file.style, "epochEntry", &fields, out);
            }
        }
        Err(fault) => findings.malformed(Code::CheckpointCorrupt, &fault),
    }
}

fn offsets(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    // A broker makes the file before it first has something to write.
    if file.bytes.is_empty() {
        return;
    }
    match offset_checkpoint::decode(file.bytes) {
        Ok(entries) => {
            for entry in entries {
                let partition = format!("{}-{}", entry.topic, entry.partition);
                let fields = [
                    ("topicPartition", Value::Text(&partition)),
                    ("offset", entry.offset.into()),
                ];
                push(file.style, "checkpointEntry", &fields, out);
            }
        }
        Err(fault) => findings.malformed(Code::CheckpointCorrupt, &fault),
    }
}

fn topic_id(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    match partition_metadata::decode(file.bytes) {
        Ok(metadata) => {
            let topic_id = metadata.topic_id.to_string();
            // The file's own spelling, or that of all JSON here.
            let name = match file.style {
                Style::Kafka => "topic_id",
                Style::Jsonl(_) => "topicId",
            };
            let fields = [
                ("version", Value::Int(metadata.version.into())),
                (name, Value::Text(&topic_id)),
            ];
            push(file.style, "partitionMetadata", &fields, out);
        }
        Err(fault) => findings.malformed(Code::CheckpointCorrupt, &fault),
    }
}

/// A line of the stock text about the file itself.
fn say(file: &Companion<'_>, what: &str, out: &mut Vec<u8>) {
    if file.style == Style::Kafka {
        out.extend_from_slice(format!("{} {what}\n", as_java_prints(file.path)).as_bytes());
    }
}

impl Findings {
    fn malformed(&mut self, code: Code, fault: &Malformed) {
        self.damage.push(Damage {
            position: fault.at as u64,
            size: 0,
            code,
            message: fault.to_string(),
        });
    }

    fn corrupt_snapshot(&mut self, fault: &Malformed, stock: &str) {
        self.damage.push(Damage {
            position: fault.at as u64,
            size: 0,
            code: Code::SnapshotCorrupt,
            message: format!("{fault}; a broker says \"{stock}\" and deletes the file"),
        });
    }

    fn insane(&mut self, message: String) {
        self.damage.push(Damage {
            position: 0,
            size: 0,
            code: Code::IndexCorrupt,
            message,
        });
    }

    fn whole_entries(&mut self, length: usize, entry_size: usize) {
        let rest = length % entry_size;
        if rest > 0 {
            self.damage.push(Damage {
                position: (length - rest) as u64,
                size: 0,
                code: Code::IndexCorrupt,
                message: format!("expected whole entries of {entry_size} bytes, found {rest} more"),
            });
        }
    }

    fn without_log(&mut self) {
        self.damage.push(Damage {
            position: 0,
            size: 0,
            code: Code::LeftoverFile,
            message: "expected the log of the same segment beside it, found none; entries are \
                      shown unchecked, and a broker deletes the file when it starts"
                .to_owned(),
        });
    }
}

fn properties(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    match properties::decode(file.bytes) {
        Ok(properties) => {
            for (name, value) in &properties.entries {
                push_property(file.style, name, Value::Text(value), out);
            }
        }
        Err(fault) => findings.malformed(Code::CheckpointCorrupt, &fault),
    }
}

/// One name and value: `name: value`, or an object with both.
fn push_property(style: Style, name: &str, value: Value<'_>, out: &mut Vec<u8>) {
    match style {
        Style::Kafka => push(style, "", &[(name, value)], out),
        Style::Jsonl(_) => {
            push(
                style,
                "property",
                &[("name", Value::Text(name)), ("value", value)],
                out,
            );
        }
    }
}

fn json_members(file: &Companion<'_>, out: &mut Vec<u8>, findings: &mut Findings) {
    // `.kafka_cleanshutdown` was an empty file before Kafka 3.7.
    if file.bytes.is_empty() && file.name.kind == FileKind::CleanShutdown {
        return;
    }
    match json::decode(file.bytes) {
        Ok(object) => {
            for (name, value) in &object.0 {
                let mut text = String::new();
                let value = match value {
                    json::Value::Null => Value::Nullable(None),
                    json::Value::Text(text) => Value::Text(text),
                    other => {
                        json::put_value(other, &mut text);
                        text.parse().map_or(Value::Text(&text), Value::Int)
                    }
                };
                push_property(file.style, name, value, out);
            }
        }
        Err(fault) => findings.malformed(Code::CheckpointCorrupt, &fault),
    }
}
