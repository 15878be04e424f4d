//! The facts of one batch that producer state depends on: its header, its place, and of a control
//! batch what the first record says.
//!
//! Records of data batches are never looked at, so nothing is decompressed but a control batch that
//! somebody compressed.

use crate::format::batch::{HEADER_SIZE, Header, MAGIC};
use crate::format::control::{ControlKey, ControlType, EndTxnMarker};
use crate::format::legacy;
use crate::format::malformed::Problem;
use crate::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::state::error::ControlFault;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::{Entry, LoadedBatch};
use crate::storage::source::ReadError;
use std::ops::ControlFlow;

/// The bits of the attributes that name a codec.
const CODEC: i16 = 7;

/// Where a batch lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The base offset in the name of its segment.
    pub segment: Offset,
    /// Its first byte, in bytes from the start of the segment's file.
    pub position: u64,
    /// Its whole size, in bytes.
    pub size: u32,
}

impl Place {
    /// The byte behind it.
    #[must_use]
    #[inline]
    pub fn end(&self) -> u64 {
        self.position.saturating_add(u64::from(self.size))
    }
}

/// One batch as producer state sees it. The fields are the header's, of magic 2; of an older
/// message only offset, size and largest timestamp mean something, and it has no leader epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Where it lies.
    pub place: Place,
    /// 0, 1 or 2, or what a broker reads as 2.
    pub magic: u8,
    /// The offset of its first record, as written.
    pub base_offset: Offset,
    /// The offset of its last record, as written.
    pub last_offset: Offset,
    /// The leader epoch, -1 for none.
    pub partition_leader_epoch: LeaderEpoch,
    /// The timestamp of the first record, or the largest where compaction has put the delete
    /// horizon in its place.
    pub first_timestamp: Timestamp,
    /// The largest timestamp.
    pub max_timestamp: Timestamp,
    /// The producer, -1 for none.
    pub producer_id: ProducerId,
    /// Its epoch.
    pub producer_epoch: ProducerEpoch,
    /// The sequence of the first record, -1 for none.
    pub base_sequence: Sequence,
    /// The sequence of the last record, -1 for none.
    pub last_sequence: Sequence,
    /// The number of records as stored; any number may stand here.
    pub count: i32,
    /// Part of a transaction, or its end.
    pub is_transactional: bool,
    /// A control batch.
    pub is_control: bool,
}

/// What the first record of a control batch says; a broker reads no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The batch holds no record: compaction took it.
    NoRecord,
    /// A transaction ends.
    Marker(Marker),
    /// The barrier of Cluster Mirroring, type 7.
    MirrorPidReset,
    /// A type that ends no transaction.
    Other(ControlType),
    /// No end marker can be read.
    Fault(ControlFault),
}

/// The end of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// Whether the records do not count.
    pub is_abort: bool,
    /// The value's version; a higher one than 0 is read as 0.
    pub version: i16,
    /// The epoch of the coordinator that wrote it.
    pub coordinator_epoch: CoordinatorEpoch,
    /// The timestamp of the record, which need not be the batch's.
    pub timestamp: Timestamp,
}

impl Batch {
    /// The facts in a header.
    #[must_use]
    #[inline]
    pub fn new(head: &[u8; HEADER_SIZE], place: Place) -> Self {
        let header = Header::new(head);
        let attributes = header.attributes();
        let magic = header.magic();
        let is_legacy = magic < MAGIC;
        Self {
            place,
            magic,
            base_offset: header.base_offset(),
            last_offset: match is_legacy {
                true => header.base_offset(),
                false => header.last_offset(),
            },
            // The checksum of an older message lies there
            // (`AbstractLegacyRecordBatch.partitionLeaderEpoch`).
            partition_leader_epoch: match is_legacy {
                true => LeaderEpoch(-1),
                false => header.partition_leader_epoch(),
            },
            first_timestamp: match attributes.has_delete_horizon() {
                true => header.max_timestamp(),
                false => header.base_timestamp(),
            },
            max_timestamp: match magic {
                0 => Timestamp::NONE,
                1 => legacy_timestamp(head),
                _ => header.max_timestamp(),
            },
            producer_id: match is_legacy {
                true => ProducerId::NONE,
                false => header.producer_id(),
            },
            producer_epoch: header.producer_epoch(),
            base_sequence: header.base_sequence(),
            last_sequence: header.last_sequence(),
            count: header.count(),
            is_transactional: !is_legacy && attributes.is_transactional(),
            is_control: !is_legacy && attributes.is_control(),
        }
    }

    /// The offset that the next batch should begin with (`RecordBatch.nextOffset`).
    #[must_use]
    #[inline]
    pub const fn next_offset(&self) -> Offset {
        self.last_offset.plus(1)
    }
}

/// The timestamp of a message of magic 1; a compressed one bears the largest of those in it.
fn legacy_timestamp(head: &[u8; HEADER_SIZE]) -> Timestamp {
    let bytes = head.get(legacy::TIMESTAMP_AT..);
    let bytes = bytes.and_then(<[u8]>::first_chunk);
    bytes.map_or(Timestamp::NONE, |bytes| {
        Timestamp(i64::from_be_bytes(*bytes))
    })
}

/// Reads what the first record of a control batch says.
///
/// # Errors
/// A read that failed.
pub fn control(batch: &mut LoadedBatch<'_>) -> Result<Control, ReadError> {
    match batch.whole().and_then(usual_marker) {
        Some(marker) => Ok(Control::Marker(marker)),
        None => any_control(batch),
    }
}

/// As [`control`], by the records.
pub(super) fn any_control(batch: &mut LoadedBatch<'_>) -> Result<Control, ReadError> {
    let (count, attributes) = (batch.header().count(), batch.header().attributes().0);
    let compressed = attributes & CODEC != 0;
    if count == 0 {
        return Ok(Control::NoRecord);
    }
    if count < 0 {
        return Ok(Control::Fault(ControlFault::Count(count)));
    }
    let (mut first, mut taken) = (None, 0_i32);
    // Kafka decompresses a batch whole before it takes the first record; of a plain one it notices
    // bytes behind the last record only when the first is the last.
    let reads_on = compressed || count == 1;
    let fault = batch.entries(&mut |entry: &Entry<'_>| {
        first.get_or_insert_with(|| first_record(entry));
        taken = taken.saturating_add(1);
        match reads_on {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })?;
    Ok(match (first, fault) {
        (_, Some(damage)) => match taken >= count {
            true if damage.code == Code::RecordCountMismatch => {
                Control::Fault(ControlFault::Trailing)
            }
            _ => Control::Fault(record_fault(damage, attributes)),
        },
        (Some(control), None) => control,
        (None, None) => Control::NoRecord,
    })
}

/// The marker in a control batch that is byte for byte as coordinators write it: the only record,
/// plain, at the batch's own time. Any other takes [`control`] to tell.
#[must_use]
#[inline]
pub fn usual_marker(batch: &[u8]) -> Option<Marker> {
    const FLAGS: i16 = 0x30;
    const VARINTS: [u8; 5] = [2 * 16, 0, 0, 0, 2 * 4];
    let (head, record) = batch.split_first_chunk::<HEADER_SIZE>()?;
    let header = Header::new(head);
    let record: &[u8; 17] = record.try_into().ok()?;
    // Length, attributes, timestamp and offset deltas, length of the key; key; length of the
    // value; version; coordinator's epoch; number of headers.
    let [
        before @ ..,
        k0,
        k1,
        t0,
        t1,
        size,
        v0,
        v1,
        c0,
        c1,
        c2,
        c3,
        headers,
    ] = *record;
    let is_abort = match i16::from_be_bytes([t0, t1]) {
        0 => true,
        1 => false,
        _ => return None,
    };
    let is_usual = head.get(16) == Some(&MAGIC)
        && header.attributes().0 & !FLAGS == 0
        && header.count() == 1
        && before == VARINTS
        && [k0, k1, size, v0, v1, headers] == [0, 0, 2 * 6, 0, 0, 0];
    is_usual.then(|| Marker {
        is_abort,
        version: 0,
        coordinator_epoch: CoordinatorEpoch(i32::from_be_bytes([c0, c1, c2, c3])),
        timestamp: header.base_timestamp(),
    })
}

/// The exception that a broker meets where its records do not decode.
#[cold]
fn record_fault(damage: Damage, attributes: i16) -> ControlFault {
    match damage.code {
        Code::UnknownCodec => ControlFault::Codec(attributes & CODEC),
        Code::RecordMalformed => ControlFault::NoRecord,
        Code::RecordCountMismatch => ControlFault::Missing,
        Code::PayloadTooLarge => ControlFault::Trailing,
        _ => ControlFault::Payload(damage.message),
    }
}

fn first_record(entry: &Entry<'_>) -> Control {
    let key = match ControlKey::decode(entry.key) {
        Ok(key) => key,
        Err(fault) => return Control::Fault(key_fault(&fault.problem)),
    };
    match key.control_type {
        ControlType::MirrorPidReset => Control::MirrorPidReset,
        ControlType::Abort | ControlType::Commit => match EndTxnMarker::decode(entry.value) {
            Ok(marker) => Control::Marker(Marker {
                is_abort: key.control_type == ControlType::Abort,
                version: marker.version,
                coordinator_epoch: marker.coordinator_epoch,
                timestamp: entry.timestamp,
            }),
            Err(fault) => Control::Fault(value_fault(&fault.problem)),
        },
        other => Control::Other(other),
    }
}

fn key_fault(problem: &Problem) -> ControlFault {
    match problem {
        Problem::Null => ControlFault::NullKey,
        Problem::OutOfRange { stored, .. } => ControlFault::KeyVersion(narrow(*stored)),
        Problem::Truncated { left, .. } => ControlFault::ShortKey(*left),
        _ => ControlFault::NoRecord,
    }
}

fn value_fault(problem: &Problem) -> ControlFault {
    match problem {
        Problem::Null => ControlFault::NullValue,
        Problem::OutOfRange { stored, .. } => ControlFault::ValueVersion(narrow(*stored)),
        _ => ControlFault::ShortValue,
    }
}

/// A version that was read from 16 bits.
fn narrow(stored: i64) -> i16 {
    i16::try_from(stored).unwrap_or(i16::MIN)
}

impl Control {
    /// The marker, or why `EndTransactionMarker.deserialize` gives none; `None` without a record.
    ///
    /// # Errors
    /// The exception that a broker meets.
    pub fn marker(&self) -> Result<Option<Marker>, ControlFault> {
        match self {
            Self::NoRecord => Ok(None),
            Self::Marker(marker) => Ok(Some(*marker)),
            Self::MirrorPidReset => Err(ControlFault::MirrorPidReset),
            Self::Other(other) => Err(ControlFault::Type(other.name())),
            Self::Fault(fault) => Err(fault.clone()),
        }
    }
}
