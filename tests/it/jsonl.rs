//! The JSON lines of `dump-log`, declared once more and held against everything it prints.
//!
//! Fields unknown here are refused, and so are fields that are missing: unknown is `null`. The
//! declaration repeats what docs/dump-log.md promises; change both or neither.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::run::{self, Run};

/// One line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum Line {
    File(File),
    Batch(BatchLine),
    Record(Record),
    Control(Control),
    IndexEntry(IndexEntry),
    TimeIndexEntry(TimeIndexEntry),
    AbortedTransaction(AbortedTransaction),
    Producer(Producer),
    EpochEntry(EpochEntry),
    CheckpointEntry(CheckpointEntry),
    PartitionMetadata(PartitionMetadata),
    Property(Property),
    Damage(Damage),
    End(End),
}

/// Declares an object: every field must be there, and no other.
macro_rules! object {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* }) => {
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$attribute])* pub(crate) $field: $kind,)*
        }
    };
}

object!(File {
    schema: u32,
    path: String,
    kind: Kind,
    #[serde(deserialize_with = "nullable")]
    base_offset: Option<i64>,
    size_in_bytes: u64,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Log,
    Index,
    #[serde(rename = "timeindex")]
    TimeIndex,
    #[serde(rename = "txnindex")]
    TxnIndex,
    Snapshot,
    KraftSnapshot,
    LeaderEpochCheckpoint,
    RecoveryPointOffsetCheckpoint,
    ReplicationOffsetCheckpoint,
    LogStartOffsetCheckpoint,
    CleanerOffsetCheckpoint,
    #[serde(rename = "partition.metadata")]
    PartitionMetadata,
    #[serde(rename = "meta.properties")]
    MetaProperties,
    QuorumState,
    CleanShutdown,
    Lock,
}

object!(BatchLine {
    position: u64,
    size_in_bytes: u64,
    // A compressed wrapper of magic 0 or 1 says neither where it begins nor how much it holds.
    #[serde(deserialize_with = "nullable")]
    base_offset: Option<i64>,
    last_offset: i64,
    #[serde(deserialize_with = "nullable")]
    count: Option<i32>,
    magic: u8,
    compression: String,
    timestamp_type: String,
    #[serde(deserialize_with = "nullable")]
    base_timestamp: Option<i64>,
    max_timestamp: i64,
    producer_id: i64,
    #[serde(default)]
    producer_id_hex: Option<String>,
    producer_epoch: i16,
    base_sequence: i32,
    last_sequence: i32,
    partition_leader_epoch: i32,
    is_transactional: bool,
    is_control: bool,
    #[serde(deserialize_with = "nullable")]
    delete_horizon_ms: Option<i64>,
    crc: u32,
    is_valid: bool,
});

object!(Record {
    offset: i64,
    timestamp: i64,
    sequence: i32,
    key_size: i32,
    value_size: i32,
    #[serde(default, deserialize_with = "present")]
    key: Option<Option<String>>,
    #[serde(default)]
    key_base64: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Option<String>>,
    #[serde(default)]
    value_base64: Option<String>,
    #[serde(default)]
    value_data: Option<Value>,
    #[serde(default)]
    key_data: Option<Value>,
    // The topics of ids in both, by id.
    #[serde(default)]
    topic_names: Option<BTreeMap<String, String>>,
    #[serde(default)]
    headers: Option<Vec<Header>>,
});

object!(Header {
    #[serde(default, deserialize_with = "present")]
    key: Option<Option<String>>,
    #[serde(default)]
    key_base64: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Option<String>>,
    #[serde(default)]
    value_base64: Option<String>,
});

object!(Control {
    offset: i64,
    timestamp: i64,
    control_type: ControlType,
    #[serde(deserialize_with = "nullable")]
    control_type_id: Option<i16>,
    #[serde(deserialize_with = "nullable")]
    version: Option<i16>,
    #[serde(default, deserialize_with = "present")]
    coordinator_epoch: Option<Option<i32>>,
    #[serde(default, deserialize_with = "present")]
    source_cluster_id: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    data: Option<Option<Value>>,
    #[serde(default)]
    data_base64: Option<String>,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ControlType {
    Abort,
    Commit,
    LeaderChange,
    SnapshotHeader,
    SnapshotFooter,
    #[serde(rename = "KRAFT_VERSION")]
    KRaftVersion,
    #[serde(rename = "KRAFT_VOTERS")]
    KRaftVoters,
    MirrorPidReset,
    Unknown,
}

object!(IndexEntry {
    offset: i64,
    position: i32,
});

object!(TimeIndexEntry {
    timestamp: i64,
    offset: i64,
});

object!(AbortedTransaction {
    version: i16,
    producer_id: i64,
    #[serde(default)]
    producer_id_hex: Option<String>,
    first_offset: i64,
    last_offset: i64,
    last_stable_offset: i64,
});

object!(Producer {
    producer_id: i64,
    #[serde(default)]
    producer_id_hex: Option<String>,
    producer_epoch: i16,
    last_sequence: i32,
    last_offset: i64,
    offset_delta: i32,
    timestamp: i64,
    coordinator_epoch: i32,
    #[serde(deserialize_with = "nullable")]
    current_txn_first_offset: Option<i64>,
    #[serde(deserialize_with = "nullable")]
    source_cluster_id: Option<String>,
    origin: String,
});

object!(EpochEntry {
    leader_epoch: i32,
    start_offset: i64,
});

object!(CheckpointEntry {
    topic_partition: String,
    offset: i64,
});

object!(PartitionMetadata {
    version: i32,
    topic_id: String,
    #[serde(deserialize_with = "nullable")]
    topic_name: Option<String>,
});

object!(Property {
    name: String,
    value: Value,
});

object!(Damage {
    position: u64,
    size_in_bytes: u64,
    code: String,
    message: String,
});

object!(End {
    position: u64,
    reason: Reason,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    EndOfFile,
    TruncatedTail,
    ZeroTail,
    Limit,
}

/// A field that must be there and may be null.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A field that may be absent (`None`) or null (`Some(None)`).
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// All that was told of one file.
#[derive(Debug)]
pub(crate) struct FileDump {
    pub(crate) file: File,
    /// Everything between the `file` object and the `end` object.
    pub(crate) lines: Vec<Line>,
    pub(crate) end: End,
}

impl FileDump {
    pub(crate) fn batches(&self) -> impl Iterator<Item = &BatchLine> {
        self.lines.iter().filter_map(|line| match line {
            Line::Batch(batch) => Some(batch),
            _ => None,
        })
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.lines.iter().filter_map(|line| match line {
            Line::Record(record) => Some(record),
            _ => None,
        })
    }

    pub(crate) fn controls(&self) -> impl Iterator<Item = &Control> {
        self.lines.iter().filter_map(|line| match line {
            Line::Control(control) => Some(control),
            _ => None,
        })
    }

    pub(crate) fn damage(&self) -> impl Iterator<Item = &Damage> {
        self.lines.iter().filter_map(|line| match line {
            Line::Damage(damage) => Some(damage),
            _ => None,
        })
    }
}

/// Reads a stream of lines; panics where it is not what it should be.
pub(crate) fn parse(run: &Run) -> Vec<FileDump> {
    let mut dumps = Vec::new();
    let mut open: Option<(File, Vec<Line>)> = None;
    let text = std::str::from_utf8(&run.stdout).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    for text in text.lines() {
        let line = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        match (line, open.as_mut()) {
            (Line::File(file), None) => {
                assert_eq!(file.schema, 1);
                open = Some((file, Vec::new()));
            }
            (Line::End(end), Some(_)) => {
                let (file, lines) = open.take().unwrap();
                let dump = FileDump { file, lines, end };
                check(&dump);
                dumps.push(dump);
            }
            (line, Some((_, lines))) if !matches!(line, Line::File(_)) => lines.push(line),
            (line, open) => panic!("out of order: {line:?} in {open:?}"),
        }
    }
    assert!(open.is_none(), "no end of {open:?}");
    dumps
}

/// The dump of one file, with keys and values.
pub(crate) fn dump_of(name: &str, bytes: &[u8]) -> (FileDump, Run) {
    let run = run::dump_bytes(name, bytes, &["--format", "jsonl", "--print-data-log"]);
    let mut dumps = parse(&run);
    assert_eq!(dumps.len(), 1, "{run:?}");
    (dumps.remove(0), run)
}

/// What must hold in the dump of any file.
fn check(dump: &FileDump) {
    let FileDump { file, lines, end } = dump;
    let is_segment = matches!(file.kind, Kind::Log | Kind::KraftSnapshot);
    // Every byte belongs to one batch or one damage range.
    let mut accounted = 0;
    let mut batch: Option<&BatchLine> = None;
    for line in lines {
        match line {
            Line::Batch(next) => {
                assert_eq!(next.position, accounted, "{file:?}");
                assert!(next.size_in_bytes > 0);
                accounted += next.size_in_bytes;
                assert_eq!(is_wide(next.producer_id), next.producer_id_hex.is_some());
                batch = Some(next);
            }
            Line::Damage(damage) if is_segment && damage.size_in_bytes > 0 => {
                assert_eq!(damage.position, accounted, "{file:?}");
                accounted += damage.size_in_bytes;
            }
            Line::Damage(damage) => {
                assert_eq!(damage.size_in_bytes, 0, "{file:?}");
                assert!(damage.position <= file.size_in_bytes, "{file:?} {damage:?}");
                assert!(!damage.message.is_empty());
            }
            Line::Record(record) => {
                let batch = batch.unwrap();
                assert!(!batch.is_control, "{record:?} in a control batch");
                check_record(record);
            }
            Line::Control(control) => {
                assert!(batch.unwrap().is_control, "{control:?} in a plain batch");
            }
            _ => assert!(!is_segment, "{line:?} in {file:?}"),
        }
    }
    assert_eq!(
        end.position,
        if is_segment { accounted } else { end.position }
    );
    if end.reason != Reason::Limit {
        assert_eq!(end.position, file.size_in_bytes, "{file:?}");
    }
}

fn check_record(record: &Record) {
    for (size, text, base64, data) in [
        (
            record.key_size,
            &record.key,
            &record.key_base64,
            &record.key_data,
        ),
        (
            record.value_size,
            &record.value,
            &record.value_base64,
            &record.value_data,
        ),
    ] {
        match (size, text, base64) {
            (-1, Some(None), None) => {}
            (size, Some(Some(text)), None) => assert_eq!(usize::try_from(size), Ok(text.len())),
            (size, None, Some(base64)) => {
                let length = usize::try_from(size).unwrap();
                assert_eq!(base64.len(), length.div_ceil(3) * 4);
            }
            (size, None, None) if size > 0 && data.is_some() => {}
            _ => panic!("{record:?}"),
        }
    }
}

pub(crate) fn is_wide(value: i64) -> bool {
    value.unsigned_abs() > 1 << 53
}
