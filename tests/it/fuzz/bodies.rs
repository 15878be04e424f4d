//! What must hold for any bytes, one function a surface. Each panics where it does not.
//!
//! `cargo test` runs them on every small change of real files and on random ones; the targets in
//! `fuzz/` give them what libFuzzer thinks of. This file uses nothing but the library.

use std::convert::Infallible;
use std::io::{BufRead, Cursor};
use std::ops::ControlFlow;
use std::path::Path;

use kfsck::analysis::cluster_image::ClusterImage;
use kfsck::analysis::groups::Groups;
use kfsck::analysis::topic_names::TopicNames;
use kfsck::format::compression::{Codec, Decompressor, malformed};
use kfsck::format::control::{ControlKey, ControlType, EndTxnMarker};
use kfsck::format::coordinator_record::CoordinatorTopic;
use kfsck::format::kraft::kraft_version::KRaftVersion;
use kfsck::format::kraft::leader_change::LeaderChange;
use kfsck::format::kraft::snapshot_footer::SnapshotFooter;
use kfsck::format::kraft::snapshot_header::SnapshotHeader;
use kfsck::format::kraft::voters::Voters;
use kfsck::format::legacy::{LegacyRecord, MessageHeader, inner};
use kfsck::format::metadata_record::MetadataRecord;
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::mirror_state::MirrorStateRecord;
use kfsck::format::number::Offset;
use kfsck::format::producer_snapshot;
use kfsck::format::properties;
use kfsck::format::record::{Record, RecordReader};
use kfsck::format::remote_log_metadata;
use kfsck::format::transaction_log::{TransactionLogKey, TransactionLogValue};
use kfsck::format::{json, varint};
use kfsck::report::control_json;
use kfsck::report::dump::companion::{self, Companion, IndexMode};
use kfsck::report::dump::jsonl::Jsonl;
use kfsck::report::dump::kafka::KafkaText;
use kfsck::report::dump::output::Output;
use kfsck::report::dump::segment::{self, Beginning, Plan, Portion};
use kfsck::report::dump::selection::Selection;
use kfsck::report::dump::style::Style;
use kfsck::report::dump::view::{Batch, View};
use kfsck::report::json::WideIntegers;
use kfsck::storage::damage::Damage;
use kfsck::storage::file_name::{FileKind, FileName};
use kfsck::storage::segment::contents::Entry;
use kfsck::storage::segment::walk::{Piece, Span, Walk};
use kfsck::storage::source::{Access, Source};

/// The most that a body lets a payload open to.
const LIMIT: u64 = 1 << 20;

/// What the dump of a segment met.
pub(crate) struct Met {
    pub(crate) batches: Vec<Span>,
    pub(crate) damage: Vec<Damage>,
}

/// A segment: every byte belongs to one piece, and both formats tell the same.
pub(crate) fn segment(bytes: &[u8]) -> Met {
    let source = Source::from_bytes("0.log", bytes.to_vec());
    let batches = walk(&source);
    let plan = Plan {
        selection: Selection::default(),
        max_bytes: None,
        max_record_bytes: LIMIT,
        threads: 1,
    };
    let view = Both {
        json: Jsonl {
            deep: true,
            contents: true,
            ..Jsonl::default()
        },
        text: KafkaText {
            deep: true,
            contents: true,
            ..KafkaText::default()
        },
    };
    let mut damage = Vec::new();
    let ending = segment::dump(
        Beginning::new(&source, None),
        &view,
        &plan,
        &mut |portion: &mut Portion| {
            are_objects(&portion.text);
            damage.append(&mut portion.damage);
            Ok::<_, Infallible>(())
        },
    );
    let ending = ending.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ending.position, source.len());
    for damage in &damage {
        lies_inside(damage, bytes.len());
    }
    Met { batches, damage }
}

/// The record sets of a segment; fails where the pieces of the walk leave a byte out.
fn walk(source: &Source) -> Vec<Span> {
    let mut batches = Vec::new();
    let mut position = 0;
    let mut walk = Walk::new(source);
    while let Some(piece) = walk.next_piece().unwrap() {
        let (begin, size) = match piece {
            Piece::Batch(span) => {
                batches.push(span);
                (span.position, u64::from(span.size))
            }
            Piece::Damage(damage) => (damage.position, damage.size),
        };
        assert_eq!(begin, position, "a byte belongs to two pieces, or to none");
        assert!(size > 0);
        position += size;
    }
    assert_eq!(position, source.len(), "bytes at the end belong to nothing");
    batches
}

/// Both output formats at once; only the lines of JSON are kept.
struct Both {
    json: Jsonl,
    text: KafkaText,
}

impl View for Both {
    fn shows_records(&self) -> bool {
        true
    }

    fn batch(&self, batch: &Batch<'_>, out: &mut Vec<u8>) {
        self.text.batch(batch, &mut Vec::new());
        self.json.batch(batch, out);
    }

    fn entry(&self, batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage> {
        let by_text = self.text.entry(batch, entry, &mut Vec::new());
        let damage = self.json.entry(batch, entry, out);
        assert_eq!(by_text, damage, "the formats tell of different damage");
        damage
    }

    fn damage(&self, damage: &Damage, out: &mut Vec<u8>) {
        self.json.damage(damage, out);
    }
}

/// The kinds of file that lie beside segments.
pub(crate) const COMPANIONS: [FileKind; 13] = [
    FileKind::OffsetIndex,
    FileKind::TimeIndex,
    FileKind::TxnIndex,
    FileKind::ProducerSnapshot,
    FileKind::LeaderEpochCheckpoint,
    FileKind::RecoveryPointCheckpoint,
    FileKind::ReplicationOffsetCheckpoint,
    FileKind::LogStartOffsetCheckpoint,
    FileKind::CleanerOffsetCheckpoint,
    FileKind::PartitionMetadata,
    FileKind::MetaProperties,
    FileKind::QuorumState,
    FileKind::CleanShutdown,
];

/// A small file whose kind is the first byte; half of the rest of an index is its log.
pub(crate) fn small_file(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    let kind = COMPANIONS[usize::from(*choice) % COMPANIONS.len()];
    let name = FileName {
        kind,
        suffix: None,
        base_offset: Some(Offset(i64::from(*choice))),
        epoch: None,
    };
    let (own, log) = match kind {
        FileKind::OffsetIndex | FileKind::TimeIndex => rest.split_at(rest.len() / 2),
        _ => (rest, &[][..]),
    };
    let log = Source::from_bytes("0.log", log.to_vec());
    beside(Path::new("0"), name, own, Some(&log), Some(own));
    beside(Path::new("0"), name, own, None, None);
}

/// What a dump of a small file told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    text: Vec<u8>,
    pub(crate) damage: Vec<Damage>,
}

impl Output for Told {
    fn text(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn damage(&mut self, damage: &Damage) {
        self.damage.push(damage.clone());
    }

    fn note(&mut self, note: &str) {
        assert!(!note.is_empty());
    }

    fn ignored(&mut self) {}
}

/// A small file beside a log, in both formats and every mode.
pub(crate) fn beside(
    path: &Path,
    name: FileName,
    bytes: &[u8],
    log: Option<&Source>,
    offsets: Option<&[u8]>,
) -> Told {
    let mut last = Told::default();
    let source = Source::from_bytes(path, bytes.to_vec());
    let offsets = offsets.map(|bytes| Source::from_bytes("0.index", bytes.to_vec()));
    let modes = [IndexMode::Sanity, IndexMode::Verify, IndexMode::Entries];
    let modes = match name.kind {
        FileKind::OffsetIndex | FileKind::TimeIndex => &modes[..],
        _ => &modes[2..],
    };
    for mode in modes {
        for style in [Style::Kafka, Style::Jsonl(WideIntegers::String)] {
            let file = Companion {
                source: &source,
                name,
                log,
                offsets: offsets.as_ref(),
                base_offset: name.base_offset.unwrap_or(Offset(0)),
                mode: *mode,
                max_message_size: 5 << 20,
                max_record_bytes: LIMIT,
                style,
                topic_names: &TopicNames::new(Access::Plain),
            };
            let mut told = Told::default();
            companion::dump(&file, &mut told).unwrap();
            if style != Style::Kafka {
                are_objects(&told.text);
            }
            for damage in &told.damage {
                lies_inside(damage, bytes.len());
            }
            last = told;
        }
    }
    last
}

/// A payload: what opens it ends, and says that the bytes are wrong, never that a read was.
pub(crate) fn payload(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    let codec = Codec::from_attributes(i16::from(choice & 7)).unwrap_or(Codec::None);
    let magic = (choice >> 3) % 3;
    let mut input = rest;
    let mut decompressor = Decompressor::new();
    let mut inflated = decompressor.open(codec, magic, &mut input);
    let mut opened = 0;
    while opened < LIMIT {
        let count = match inflated.fill_buf() {
            Ok(bytes) => bytes.len(),
            Err(error) => {
                assert!(malformed(&error).is_some(), "{error}");
                break;
            }
        };
        if count == 0 {
            break;
        }
        opened += count as u64;
        inflated.consume(count);
    }
    let mut reader = RecordReader::new(rest, LIMIT);
    while let Ok(record) = reader.next_record() {
        assert!(record.headers.iter().count() <= rest.len());
    }
    assert!(reader.position() <= rest.len() as u64);
    let mut wrapper = Cursor::new(rest);
    let _ = inner::for_each_inner(&mut wrapper, &mut decompressor, LIMIT, &mut |record| {
        let _ = record.is_valid();
        ControlFlow::Continue(())
    });
}

/// Every structure that is read from bytes: what is read and written again reads the same.
pub(crate) fn structures(bytes: &[u8]) {
    let value = Some(bytes);
    if let Ok(key) = ControlKey::decode(value) {
        assert_eq!(ControlKey::decode(Some(&key.encode())), Ok(key));
        let _ = control_json::push_control_data(key.control_type, value, &mut Vec::new());
    }
    if let Ok(marker) = EndTxnMarker::decode(value) {
        assert_eq!(EndTxnMarker::decode(Some(&marker.encode())), Ok(marker));
    }
    let reset = MirrorPidReset::decode(value);
    assert_eq!(MirrorPidReset::decode(reset.encode().as_deref()), reset);
    for id in 0..8 {
        let mut data = Vec::new();
        if control_json::push_control_data(ControlType::from_id(id), value, &mut data).is_ok() {
            assert!(serde_json::from_slice::<serde_json::Value>(&data).is_ok());
        }
    }
    again(bytes, LeaderChange::decode, LeaderChange::encode);
    again(bytes, SnapshotHeader::decode, SnapshotHeader::encode);
    again(bytes, SnapshotFooter::decode, SnapshotFooter::encode);
    again(bytes, KRaftVersion::decode, KRaftVersion::encode);
    again(bytes, Voters::decode, Voters::encode);
    again(bytes, TransactionLogKey::decode, TransactionLogKey::encode);
    again(
        bytes,
        TransactionLogValue::decode,
        TransactionLogValue::encode,
    );
    again(bytes, json::decode, json::encode);
    if let Ok(read) = properties::decode(bytes) {
        let written = properties::encode(&read);
        let entries = properties::decode(&written).unwrap().entries;
        assert_eq!(entries, read.entries);
    }
    if let Ok(snapshot) = producer_snapshot::decode(bytes) {
        let written = producer_snapshot::encode(snapshot.version, &snapshot.entries).unwrap();
        let again = producer_snapshot::decode(&written).unwrap();
        assert_eq!(again.entries, snapshot.entries);
    }
    let _ = Record::decode(bytes).map(|record| record.headers.iter().count());
    let _ = MessageHeader::decode(bytes);
    if let Ok(record) = LegacyRecord::decode(bytes) {
        let mut written = Vec::new();
        record.encode(&mut written);
        let again = LegacyRecord::decode(&written).unwrap();
        assert!(again.is_valid());
        assert_eq!((again.key, again.value), (record.key, record.value));
    }
    let _ = (varint::unsigned_varint(bytes), varint::varlong(bytes));
    internal_records(bytes);
}

/// Records of Kafka's own topics; the first byte says where the key ends.
fn internal_records(bytes: &[u8]) {
    let end = bytes.first().map_or(0, |end| usize::from(*end));
    let (key, value) = bytes.split_at(end.min(bytes.len()));
    for (key, value) in [(Some(bytes), None), (Some(key), Some(value))] {
        for topic in [
            CoordinatorTopic::Offsets,
            CoordinatorTopic::Transactions,
            CoordinatorTopic::ShareState,
        ] {
            if let Ok(record) = topic.decode(key, value) {
                Groups::default().apply(&record, Offset(0), None);
            }
        }
        let _ = MirrorStateRecord::decode(key, value);
    }
    let _ = remote_log_metadata::decode(Some(bytes));
    if let Ok(record) = MetadataRecord::decode(Some(bytes)) {
        // What does not fit what was there before is refused.
        let _ = ClusterImage::default().apply(&record);
        let written = record.encode().unwrap();
        assert!(MetadataRecord::decode(Some(&written)).is_ok());
    }
}

/// What `decode` reads, `encode` writes so that it reads the same.
fn again<T: PartialEq + std::fmt::Debug, E: std::fmt::Debug>(
    bytes: &[u8],
    decode: impl Fn(&[u8]) -> Result<T, E>,
    encode: impl Fn(&T) -> Vec<u8>,
) {
    if let Ok(read) = decode(bytes) {
        let written = encode(&read);
        assert_eq!(decode(&written).unwrap(), read);
        assert!(written.len() <= bytes.len() * 6, "it grew");
    }
}

/// Damage lies inside the file and says something.
#[track_caller]
fn lies_inside(damage: &Damage, length: usize) {
    let end = damage.position.checked_add(damage.size);
    assert!(end.is_some_and(|end| end <= length as u64), "{damage:?}");
    assert!(!damage.message.is_empty(), "{damage:?}");
}

/// Every line is a JSON object.
#[track_caller]
fn are_objects(lines: &[u8]) {
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(line);
        assert!(
            parsed.is_ok() && line.starts_with(b"{\"type\":\""),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}
