//! The producer snapshot (`.snapshot`): what a broker knew of each producer at one offset.
//!
//! ```text
//! header:  | version i16 | CRC u32 | count i32 |                                        10 bytes
//! entry:   | producer id i64 | epoch i16 | last sequence i32 | last offset i64
//!          | offset delta i32 | timestamp i64 | coordinator epoch i32
//!          | first offset of the open transaction i64 |                                 46 bytes
//! entry of version 2: the same, then | source cluster id: length i16, or -1; bytes |
//! ```
//!
//! Version 1 is what every release writes. Version 2 exists in a fork of the bit-field mirroring
//! design (KIP-1279) only; a stock broker deletes such a file. The CRC is a CRC-32C of everything
//! from the count to the end of the file: after it held, every byte but the version may be trusted.
//! Kafka writes a snapshot over an older file without cutting it first, so a shorter one leaves
//! the old tail behind, and the CRC of the whole file is then wrong though every entry is right:
//! see [`Snapshot::stale_tail`].
//! Source: `ProducerStateManager.readSnapshot`, `ProducerSnapshot.json` 4.4.0.

use super::crc;
use super::cursor::Cursor;
use super::malformed::{Malformed, Problem, StreamFault};
use super::number::{CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};
use std::ops::Range;

pub use reader::{Seal, SnapshotReader};

mod reader;

/// Where the version stands.
pub const VERSION: usize = 0;
/// Where the CRC stands.
pub const CRC: usize = VERSION + size_of::<i16>();
/// Where the count stands, and the first byte under the CRC.
pub const COUNT: usize = CRC + size_of::<u32>();
/// Where the entries begin.
pub const ENTRIES: usize = COUNT + size_of::<i32>();
/// The size of an entry of version 1, in bytes; one of version 2 has a text behind that.
pub const ENTRY_SIZE: usize = size_of::<i64>() * 4 + size_of::<i32>() * 3 + size_of::<i16>();

/// The most entries that Kafka's generated reader takes.
const STOCK_LIMIT: i32 = 1_000_000;

/// The versions there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Every release of Apache Kafka.
    V1,
    /// A mirroring fork: each entry names the cluster that the producer came from.
    V2,
}

impl Version {
    /// The number on disk.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

/// What a snapshot holds of one producer: the fields as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProducerEntry {
    /// The producer; negative ids are loaded as they stand, but no release writes one.
    pub producer_id: ProducerId,
    /// Its epoch, or -1.
    pub producer_epoch: ProducerEpoch,
    /// The last sequence of its last batch, or -1.
    pub last_sequence: Sequence,
    /// The last offset of its last batch; below 0 when only markers were seen, and then the
    /// fields of the batch mean nothing.
    pub last_offset: Offset,
    /// Last offset minus first offset of that batch.
    pub offset_delta: i32,
    /// The largest timestamp of its last batch, or that of its last marker.
    pub timestamp: Timestamp,
    /// The coordinator's epoch in its last marker, or -1.
    pub coordinator_epoch: CoordinatorEpoch,
    /// Where its open transaction begins; below 0 when none is open.
    pub current_txn_first_offset: Offset,
    /// Version 2: the cluster it was mirrored from, `None` for a local producer. Free text, kept
    /// as its bytes.
    pub source_cluster_id: Option<Vec<u8>>,
}

impl ProducerEntry {
    /// Whether the entry holds a batch: Kafka reads the batch's fields only then.
    #[must_use]
    pub const fn has_batch(&self) -> bool {
        self.last_offset.0 >= 0
    }

    /// The first sequence of the last batch, derived as Kafka derives it: last sequence minus the
    /// distance of OFFSETS, which is that of the sequences in every batch that has sequences.
    #[must_use]
    pub const fn first_sequence(&self) -> Option<Sequence> {
        if self.has_batch() {
            Some(self.last_sequence.minus(self.offset_delta))
        } else {
            None
        }
    }

    /// The first offset of the open transaction, if one is open.
    #[must_use]
    pub const fn open_txn(&self) -> Option<Offset> {
        if self.current_txn_first_offset.0 >= 0 {
            Some(self.current_txn_first_offset)
        } else {
            None
        }
    }
}

/// The fields of a header as far as the bytes go, also of one of another version: the version and
/// the checksum stand in front of everything that a version may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// The version, whatever it is.
    pub version: Option<i16>,
    /// The CRC as stored.
    pub stored_crc: Option<u32>,
    /// The CRC of the bytes from [`COUNT`] to the end of the file.
    pub computed_crc: Option<u32>,
    /// The count as stored, of versions 1 and 2.
    pub count: Option<i32>,
}

impl Head {
    /// What `bytes`, a whole file, begin with.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut cursor = Cursor::new(bytes);
        let version = cursor.i16("version").ok();
        let stored_crc = cursor.u32("crc").ok();
        let computed_crc = stored_crc.map(|_| crc::crc32c(cursor.rest()));
        let is_known = matches!(version, Some(1 | 2));
        let count = cursor.i32("count").ok().filter(|_| is_known);
        Self {
            version,
            stored_crc,
            computed_crc,
            count,
        }
    }
}

/// A snapshot as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The version.
    pub version: Version,
    /// The CRC as stored.
    pub stored_crc: u32,
    /// The CRC of the bytes from [`COUNT`] to the end of the file.
    pub computed_crc: u32,
    /// The count as stored; it may be anything.
    pub count: i32,
    /// The entries before the first fault. Without [`Snapshot::is_sealed`] they are hearsay.
    pub entries: Vec<ProducerEntry>,
    /// What is wrong, in the order of the bytes; empty for a snapshot that a broker wrote whole.
    pub faults: Vec<Malformed>,
    /// Bytes of an older, longer snapshot that this one was written over: the CRC holds for the
    /// bytes before them. Kafka refuses the file, but every entry is right.
    pub stale_tail: Option<Range<usize>>,
}

impl Snapshot {
    /// Whether the CRC holds, over the whole file or over the bytes before a stale tail.
    #[must_use]
    pub const fn is_sealed(&self) -> bool {
        self.stored_crc == self.computed_crc || self.stale_tail.is_some()
    }
}

/// Reads a snapshot in memory as far as it goes; damage behind the header lands in
/// [`Snapshot::faults`]. A long one is better read by [`SnapshotReader`].
///
/// # Errors
/// As [`SnapshotReader::open`].
pub fn decode(bytes: &[u8]) -> Result<Snapshot, Malformed> {
    let read = || -> Result<Snapshot, StreamFault> {
        let mut reader = SnapshotReader::open(bytes)?;
        let (version, stored_crc) = (reader.version(), reader.stored_crc());
        let count = reader.count();
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            entries.push(entry);
        }
        let Seal {
            computed_crc,
            faults,
            stale_tail,
        } = reader.finish()?;
        Ok(Snapshot {
            version,
            stored_crc,
            computed_crc,
            count,
            entries,
            faults,
            stale_tail,
        })
    };
    read().map_err(StreamFault::of_bytes)
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<Version, Malformed> {
    let start = *cursor;
    match cursor.i16("version")? {
        1 => Ok(Version::V1),
        2 => Ok(Version::V2),
        other => Err(start.fault(
            "version",
            Problem::OutOfRange {
                stored: i64::from(other),
                expected: "1 or 2",
            },
        )),
    }
}

fn read_entry(cursor: &mut Cursor<'_>, version: Version) -> Result<ProducerEntry, Malformed> {
    Ok(ProducerEntry {
        producer_id: ProducerId(cursor.i64("producerId")?),
        producer_epoch: ProducerEpoch(cursor.i16("epoch")?),
        last_sequence: Sequence(cursor.i32("lastSequence")?),
        last_offset: Offset(cursor.i64("lastOffset")?),
        offset_delta: cursor.i32("offsetDelta")?,
        timestamp: Timestamp(cursor.i64("timestamp")?),
        coordinator_epoch: CoordinatorEpoch(cursor.i32("coordinatorEpoch")?),
        current_txn_first_offset: Offset(cursor.i64("currentTxnFirstOffset")?),
        source_cluster_id: match version {
            Version::V1 => None,
            Version::V2 => read_source(cursor)?,
        },
    })
}

fn read_source(cursor: &mut Cursor<'_>) -> Result<Option<Vec<u8>>, Malformed> {
    let start = *cursor;
    let length = cursor.i16("sourceClusterId")?;
    if length == -1 {
        return Ok(None);
    }
    let Ok(length) = usize::try_from(length) else {
        let stored = i64::from(length);
        let expected = "-1 or more";
        return Err(start.fault("sourceClusterId", Problem::OutOfRange { stored, expected }));
    };
    Ok(Some(cursor.take(length, "sourceClusterId")?.to_vec()))
}

fn mismatch(stored: u32, computed: u32) -> Malformed {
    Malformed {
        field: "crc",
        at: CRC,
        problem: Problem::Mismatch {
            stored: u64::from(stored),
            computed: u64::from(computed),
        },
    }
}

/// Checks the CRC alone, over the whole file as Kafka does.
///
/// # Errors
/// [`Problem::Truncated`] when the header is cut, [`Problem::Mismatch`] when the CRC is wrong.
pub fn verify(bytes: &[u8]) -> Result<(), Malformed> {
    let mut cursor = Cursor::new(bytes);
    let _ = cursor.i16("version")?;
    let stored = cursor.u32("crc")?;
    let computed = crc::crc32c(cursor.rest());
    if stored == computed {
        Ok(())
    } else {
        Err(mismatch(stored, computed))
    }
}

/// Writes a snapshot, its entries in the order given. Version 1 has no place for
/// [`ProducerEntry::source_cluster_id`] and drops it.
///
/// # Errors
/// [`Problem::TooLarge`] for more than 2147483647 entries or a cluster id of more than 32767 bytes.
pub fn encode(version: Version, entries: &[ProducerEntry]) -> Result<Vec<u8>, Malformed> {
    let count = i32::try_from(entries.len())
        .map_err(|_| too_large("count", entries.len(), u64::from(i32::MAX.unsigned_abs())))?;
    let mut sealed = count.to_be_bytes().to_vec();
    for entry in entries {
        put_entry(entry, &mut sealed);
        if version == Version::V2 {
            put_source(entry.source_cluster_id.as_deref(), &mut sealed)?;
        }
    }
    let mut out = version.number().to_be_bytes().to_vec();
    out.extend(crc::crc32c(&sealed).to_be_bytes());
    out.append(&mut sealed);
    Ok(out)
}

fn put_entry(entry: &ProducerEntry, out: &mut Vec<u8>) {
    out.extend(entry.producer_id.0.to_be_bytes());
    out.extend(entry.producer_epoch.0.to_be_bytes());
    out.extend(entry.last_sequence.0.to_be_bytes());
    out.extend(entry.last_offset.0.to_be_bytes());
    out.extend(entry.offset_delta.to_be_bytes());
    out.extend(entry.timestamp.0.to_be_bytes());
    out.extend(entry.coordinator_epoch.0.to_be_bytes());
    out.extend(entry.current_txn_first_offset.0.to_be_bytes());
}

fn put_source(source: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let Some(text) = source else {
        out.extend((-1_i16).to_be_bytes());
        return Ok(());
    };
    let length = i16::try_from(text.len()).map_err(|_| {
        let limit = u64::from(i16::MAX.unsigned_abs());
        too_large("sourceClusterId", text.len(), limit)
    })?;
    out.extend(length.to_be_bytes());
    out.extend(text);
    Ok(())
}

fn too_large(field: &'static str, size: usize, limit: u64) -> Malformed {
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    Malformed {
        field,
        at: 0,
        problem: Problem::TooLarge { size, limit },
    }
}

/// What a stock 4.4.0 broker says of a file; the stock dump tool prints it on stderr. `head` are
/// its first [`ENTRIES`] bytes or all it has, `length` how many it has, and `computed_crc` is the
/// CRC from [`COUNT`] to the end, which does not matter where the head is refused.
///
/// # Errors
/// The text of Kafka's `CorruptSnapshotException`, to the letter. The broker deletes a file that it
/// refuses and falls back to an older one, or to the log.
pub fn stock_verdict(head: &[u8], length: u64, computed_crc: u32) -> Result<(), String> {
    let invalid = |why: &str| Err(format!("Snapshot failed schema validation: {why}"));
    // Java's reader names no reason where the bytes end too early.
    let mut cursor = Cursor::new(head);
    let Ok(version) = cursor.i16("version") else {
        return invalid("null");
    };
    if version != Version::V1.number() {
        let why = format!("Snapshot contained an unknown file version {version}");
        return invalid(&why);
    }
    let Ok(stored) = cursor.u32("crc") else {
        return invalid("null");
    };
    let Ok(count) = cursor.i32("count") else {
        return invalid("null");
    };
    let width = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let left = length.saturating_sub(width(ENTRIES));
    match u64::try_from(count) {
        Err(_) => invalid("non-nullable field producerEntries was serialized as null"),
        Ok(size) if size > left => invalid(&format!(
            "Tried to allocate a collection of size {count}, but there are only {left} bytes \
             remaining."
        )),
        Ok(_) if count > STOCK_LIMIT => invalid(&format!(
            "Tried to read a collection of size {count}, which exceeds the maximum allowed size \
             of {STOCK_LIMIT}."
        )),
        Ok(size) if size.saturating_mul(width(ENTRY_SIZE)) > left => invalid("null"),
        Ok(_) if stored != computed_crc => Err(format!(
            "Snapshot is corrupt (CRC is no longer valid). Stored crc: {stored}. Computed crc: \
             {computed_crc}"
        )),
        Ok(_) => Ok(()),
    }
}

/// [`stock_verdict`] of a whole file in memory.
///
/// # Errors
/// As [`stock_verdict`].
pub fn stock_verdict_of(bytes: &[u8]) -> Result<(), String> {
    let head = bytes.get(..ENTRIES).unwrap_or(bytes);
    let sealed = bytes.get(COUNT..).unwrap_or_default();
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    stock_verdict(head, length, crc::crc32c(sealed))
}

#[cfg(test)]
mod tests;
