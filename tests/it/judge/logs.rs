//! What a partition's directory holds, as a broker and its consumers should find it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use kfsck::format::batch::Header;
use kfsck::format::crc::{Kind, Running};
use kfsck::format::number::{Offset, Timestamp};
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::load::{LoadOptions, load};
use kfsck::state::read::{SegmentFile, segments};
use kfsck::state::rules;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::{Access, Source};

use super::Producer;

/// A record as consumers get it, and what decides which of them do.
#[derive(Debug, Clone, Copy)]
struct Record {
    offset: i64,
    sum: u32,
    /// Of a transaction that was aborted.
    is_aborted: bool,
    /// The producer, where it is of a transaction.
    writer: Option<i64>,
}

/// A log as a broker should have it after a clean start.
pub(super) struct Log {
    pub(super) start: i64,
    pub(super) stable: i64,
    pub(super) end: i64,
    pub(super) producers: Vec<Producer>,
    pub(super) files: BTreeMap<String, u64>,
    records: Vec<Record>,
    /// Ids and epochs that batches still tell: compaction leaves control batches without a record.
    told: BTreeSet<(i64, i32)>,
}

impl Log {
    pub(super) fn read(partition: &Path) -> Self {
        let directory = PartitionDirectory::list(partition);
        let name = partition.file_name().unwrap().to_str().unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let options = LoadOptions {
            now: Some(Timestamp(i64::try_from(now.unwrap().as_millis()).unwrap())),
            ..LoadOptions::new(rules::by_name("stock").unwrap())
        };
        let outcome = load::<5>(&directory, name, &options).unwrap();
        let loaded = outcome.log.unwrap();
        let aborted: Vec<AbortedTxn> = loaded
            .segments
            .iter()
            .flat_map(|segment| segment.aborted.clone())
            .collect();
        let start = loaded.log_start_offset;
        let mut records = Vec::new();
        let mut told = BTreeSet::new();
        for segment in segments(&directory) {
            read_segment(&segment, start, &aborted, &mut records, &mut told);
        }
        let mut producers: Vec<_> = loaded
            .manager
            .snapshot_entries()
            .map(|entry| Producer {
                producer_id: entry.producer_id.0,
                producer_epoch: i32::from(entry.producer_epoch.0),
                last_sequence: entry.last_sequence.0,
                last_timestamp: entry.timestamp.0,
                coordinator_epoch: entry.coordinator_epoch.0,
                current_txn_first_offset: entry.open_txn().map_or(-1, |first| first.0),
            })
            .collect();
        producers.sort();
        Self {
            start: start.0,
            stable: loaded.last_stable_offset.0,
            end: loaded.log_end_offset.0,
            producers,
            files: files(partition),
            records,
            told,
        }
    }

    /// Whether the log tells of the producer what snapshots do.
    pub(super) fn tells(&self, producer: &Producer) -> bool {
        let key = (producer.producer_id, producer.producer_epoch);
        self.told.contains(&key)
    }

    /// Whether batches are of an id from `least` up.
    pub(super) fn is_written_from(&self, least: i64) -> bool {
        self.told.iter().any(|(id, _)| *id >= least)
    }

    /// What a consumer of either isolation level gets: offset and sum of each record.
    pub(super) fn records(&self, is_committed: bool) -> Vec<(i64, u32)> {
        let records = self.records.iter();
        records
            .filter(|record| !is_committed || (record.offset < self.stable && !record.is_aborted))
            .map(|record| (record.offset, record.sum))
            .collect()
    }

    /// What a consumer of committed records would get if all open transactions were aborted.
    pub(super) fn closed_records(&self) -> Vec<(i64, u32)> {
        let is_open = |record: &Record| {
            self.producers.iter().any(|producer| {
                let first = producer.current_txn_first_offset;
                record.writer == Some(producer.producer_id) && (0..=record.offset).contains(&first)
            })
        };
        let records = self.records.iter();
        records
            .filter(|record| !record.is_aborted && !is_open(record))
            .map(|record| (record.offset, record.sum))
            .collect()
    }
}

fn files(partition: &Path) -> BTreeMap<String, u64> {
    let entries = fs::read_dir(partition).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.metadata().unwrap().len())
        })
        .collect()
}

fn read_segment(
    segment: &SegmentFile,
    start: Offset,
    aborted: &[AbortedTxn],
    records: &mut Vec<Record>,
    told: &mut BTreeSet<(i64, i32)>,
) {
    let source = Source::open(&segment.path, Access::Map).unwrap();
    let mut walk = Walk::new(&source);
    let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
    while let Some(piece) = walk.next_piece().unwrap() {
        let Piece::Batch(span) = piece else {
            panic!("damage in {}: {piece:?}", segment.path.display());
        };
        let head = walk.head(span).unwrap();
        let header = Header::new(&head);
        let attributes = header.attributes();
        if !attributes.is_control() || header.count() > 0 {
            let epoch = i32::from(header.producer_epoch().0);
            told.insert((header.producer_id().0, epoch));
        }
        if attributes.is_control() {
            continue;
        }
        let is_of_aborted = |one: &AbortedTxn| {
            one.producer_id == header.producer_id()
                && (one.first_offset..=one.last_offset).contains(&header.base_offset())
        };
        let is_aborted = attributes.is_transactional() && aborted.iter().any(is_of_aborted);
        let damage = reader.load(span).unwrap().entries(&mut |entry| {
            let mut sum = Running::new(Kind::Crc32c);
            sum.update(&entry.timestamp.0.to_be_bytes());
            add(&mut sum, entry.key);
            add(&mut sum, entry.value);
            for header in entry.headers.iter() {
                // A consumer has the key as text.
                add(
                    &mut sum,
                    Some(String::from_utf8_lossy(header.key).as_bytes()),
                );
                add(&mut sum, header.value);
            }
            if entry.offset >= start {
                records.push(Record {
                    offset: entry.offset.0,
                    sum: sum.value(),
                    is_aborted,
                    writer: attributes
                        .is_transactional()
                        .then_some(header.producer_id().0),
                });
            }
            ControlFlow::Continue(())
        });
        assert!(damage.unwrap().is_none(), "{}", segment.path.display());
    }
}

fn add(sum: &mut Running, bytes: Option<&[u8]>) {
    let size = bytes.map_or(-1, |bytes| i32::try_from(bytes.len()).unwrap());
    sum.update(&size.to_be_bytes());
    sum.update(bytes.unwrap_or_default());
}
