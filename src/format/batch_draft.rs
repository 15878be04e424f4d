//! New batches of magic 2: a header as a draft, its records, and the bytes that Kafka's
//! `MemoryRecordsBuilder` would make of them.
//!
//! Records are written as they are, uncompressed; length, count and checksum follow from them.
//! Nothing else is derived or judged: a draft may say what no broker would, as tests of readers
//! need it. The layout is that of [`super::batch`] and [`super::record`].

use super::batch::{self, ATTRIBUTES_AT, Attributes};
use super::batch_in_place::put;
use super::compression::Codec;
use super::malformed::{Malformed, Problem};
use super::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};
use super::record::RecordHeader;
use super::varint::{put_varint, put_varlong};

/// Where the bytes begin that the length counts: right behind itself.
const LENGTH_FROM: usize = batch::LEADER_EPOCH_AT;

/// What the header of a new batch says beside length, count and checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchDraft {
    /// The offset that the records' deltas count from.
    pub base_offset: Offset,
    /// The epoch of the leader that appends it; -1 unknown.
    pub partition_leader_epoch: LeaderEpoch,
    /// Timestamp type and flags; the codec must be 0.
    pub attributes: Attributes,
    /// Distance of the last offset from the base offset, usually that of the last record.
    pub last_offset_delta: i32,
    /// The time that the records' times are written as distances from: usually the first's.
    pub base_timestamp: Timestamp,
    /// The greatest time of the records, or that of the append under LogAppendTime.
    pub max_timestamp: Timestamp,
    /// Whose batch it is; -1 nobody's.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 none.
    pub producer_epoch: ProducerEpoch,
    /// The sequence of the first record; -1 none.
    pub base_sequence: Sequence,
}

impl BatchDraft {
    /// A batch of one record, of no producer and without flags; change what differs.
    #[must_use]
    pub const fn plain(base_offset: Offset, epoch: LeaderEpoch, timestamp: Timestamp) -> Self {
        Self {
            base_offset,
            partition_leader_epoch: epoch,
            attributes: Attributes::PLAIN,
            last_offset_delta: 0,
            base_timestamp: timestamp,
            max_timestamp: timestamp,
            producer_id: ProducerId::NONE,
            producer_epoch: ProducerEpoch::NONE,
            base_sequence: Sequence::NONE,
        }
    }
}

/// A record of a new batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordDraft<'a> {
    /// Its time, in milliseconds since 1970.
    pub timestamp: Timestamp,
    /// Distance of its offset from the batch's base offset.
    pub offset_delta: i32,
    /// The key; `None` is null.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is null.
    pub value: Option<&'a [u8]>,
    /// The headers in order.
    pub headers: &'a [RecordHeader<'a>],
}

/// Appends the batch to `out`; what was there stays.
///
/// # Errors
/// `attributes` that name a codec ([`Problem::OutOfRange`]), and what is longer than 2147483647
/// bytes ([`Problem::TooLarge`]). `out` is then as it was.
///
/// ```
/// use kfsck::format::batch::{Header, computed_crc};
/// use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
/// use kfsck::format::number::{
///     LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
/// };
///
/// # fn main() -> Result<(), kfsck::format::malformed::Malformed> {
/// let timestamp = Timestamp(1_700_000_000_000);
/// let draft = BatchDraft {
///     producer_id: ProducerId(7),
///     producer_epoch: ProducerEpoch(0),
///     base_sequence: Sequence(0),
///     ..BatchDraft::plain(Offset(100), LeaderEpoch(3), timestamp)
/// };
/// let value = Some(&b"v"[..]);
/// let record = RecordDraft { timestamp, offset_delta: 0, key: None, value, headers: &[] };
/// let mut bytes = Vec::new();
/// encode(&draft, [record], &mut bytes)?;
///
/// let header = Header::at_front_of(&bytes).expect("a header at least");
/// assert_eq!(header.stored_crc(), computed_crc(&bytes));
/// assert_eq!((header.last_offset(), header.count()), (Offset(100), 1));
/// # Ok(())
/// # }
/// ```
pub fn encode<'a>(
    draft: &BatchDraft,
    records: impl IntoIterator<Item = RecordDraft<'a>>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let begin = out.len();
    let done = put_batch(draft, records, begin, out);
    if done.is_err() {
        out.truncate(begin);
    }
    done
}

fn put_batch<'a>(
    draft: &BatchDraft,
    records: impl IntoIterator<Item = RecordDraft<'a>>,
    begin: usize,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    if Codec::from_attributes(draft.attributes.0) != Some(Codec::None) {
        return Err(Malformed {
            field: "attributes",
            at: ATTRIBUTES_AT,
            problem: Problem::OutOfRange {
                stored: i64::from(draft.attributes.0),
                expected: "the codec 0, which is none",
            },
        });
    }
    put_header(draft, out);
    let mut body = Vec::new();
    let mut count = 0_i32;
    for record in records {
        body.clear();
        put_body(&record, draft.base_timestamp, &mut body)?;
        put_varint(length("recordSize", body.len())?, out);
        out.extend_from_slice(&body);
        // A record takes bytes, so that the length of a batch ends long before this number.
        count = count.saturating_add(1);
        length("batchLength", out.len().saturating_sub(begin))?;
    }
    let Some(bytes) = out.get_mut(begin..) else {
        return Ok(());
    };
    let behind = length("batchLength", bytes.len().saturating_sub(LENGTH_FROM))?;
    put(bytes, batch::LENGTH_AT, behind.to_be_bytes());
    put(bytes, batch::COUNT_AT, count.to_be_bytes());
    let crc = batch::computed_crc(bytes);
    put(bytes, batch::CRC_AT, crc.to_be_bytes());
    Ok(())
}

/// The header with zeros where length, checksum and count will stand.
fn put_header(draft: &BatchDraft, out: &mut Vec<u8>) {
    out.extend(draft.base_offset.0.to_be_bytes());
    out.extend([0; size_of::<i32>()]);
    out.extend(draft.partition_leader_epoch.0.to_be_bytes());
    out.push(batch::MAGIC);
    out.extend([0; size_of::<u32>()]);
    out.extend(draft.attributes.0.to_be_bytes());
    out.extend(draft.last_offset_delta.to_be_bytes());
    out.extend(draft.base_timestamp.0.to_be_bytes());
    out.extend(draft.max_timestamp.0.to_be_bytes());
    out.extend(draft.producer_id.0.to_be_bytes());
    out.extend(draft.producer_epoch.0.to_be_bytes());
    out.extend(draft.base_sequence.0.to_be_bytes());
    out.extend([0; size_of::<i32>()]);
}

/// A record behind its size.
fn put_body(record: &RecordDraft<'_>, base: Timestamp, out: &mut Vec<u8>) -> Result<(), Malformed> {
    out.push(0); // The attributes of a record: no bit has a meaning so far.
    put_varlong(record.timestamp.0.wrapping_sub(base.0), out);
    put_varint(record.offset_delta, out);
    put_nullable("keySize", record.key, out)?;
    put_nullable("valueSize", record.value, out)?;
    put_varint(length("headerCount", record.headers.len())?, out);
    for header in record.headers {
        put_nullable("headerKeySize", Some(header.key), out)?;
        put_nullable("headerValueSize", header.value, out)?;
    }
    Ok(())
}

pub(super) fn put_nullable(
    field: &'static str,
    bytes: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    match bytes {
        Some(bytes) => {
            put_varint(length(field, bytes.len())?, out);
            out.extend_from_slice(bytes);
        }
        None => put_varint(-1, out),
    }
    Ok(())
}

/// A length or a count as the 32 bits that it is stored in.
pub(super) fn length(field: &'static str, length: usize) -> Result<i32, Malformed> {
    i32::try_from(length).map_err(|_| Malformed {
        field,
        at: 0,
        problem: Problem::TooLarge {
            size: u64::try_from(length).unwrap_or(u64::MAX),
            limit: u64::from(i32::MAX.unsigned_abs()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    /// Two records, labelled field by field; the checksum was computed bit by bit elsewhere.
    const LABELLED: [(&str, &str); 15] = [
        ("baseOffset 100", "00000000 00000064"),
        ("batchLength 71", "00000047"),
        ("partitionLeaderEpoch 7, magic", "00000007 02"),
        ("crc", "7b29ad69"),
        ("attributes: transactional, LogAppendTime", "0018"),
        ("lastOffsetDelta", "00000003"),
        ("baseTimestamp 1774000000000", "0000019d 0aa3cc00"),
        ("maxTimestamp 5 ms later", "0000019d 0aa3cc05"),
        ("producerId 5", "00000000 00000005"),
        ("producerEpoch 1", "0001"),
        ("baseSequence 2147483647", "7fffffff"),
        ("count", "00000002"),
        (
            "size 10, attributes, +0 ms, +0, key k, value null",
            "14 00 00 00 026b 01",
        ),
        ("one header: h of no bytes", "02 0268 00"),
        (
            "size 10, +5 ms, +3, key null, value vw, a null header",
            "14 00 0a 06 01 047677 02 00 01",
        ),
    ];

    #[test]
    fn a_labelled_batch() {
        let base = Timestamp(1_774_000_000_000);
        let draft = BatchDraft {
            base_offset: Offset(100),
            partition_leader_epoch: LeaderEpoch(7),
            attributes: Attributes::PLAIN
                .with_transactional()
                .with_log_append_time(),
            last_offset_delta: 3,
            base_timestamp: base,
            max_timestamp: Timestamp(base.0 + 5),
            producer_id: ProducerId(5),
            producer_epoch: ProducerEpoch(1),
            base_sequence: Sequence(i32::MAX),
        };
        let first = RecordDraft {
            timestamp: base,
            offset_delta: 0,
            key: Some(b"k"),
            value: None,
            headers: &[RecordHeader {
                key: b"h",
                value: Some(b""),
            }],
        };
        let second = RecordDraft {
            timestamp: Timestamp(base.0 + 5),
            offset_delta: 3,
            key: None,
            value: Some(b"vw"),
            headers: &[RecordHeader {
                key: b"",
                value: None,
            }],
        };
        let mut out = b"before".to_vec();
        encode(&draft, [first, second], &mut out).unwrap();
        let bytes: Vec<u8> = LABELLED.iter().flat_map(|(_, bytes)| hex(bytes)).collect();
        assert_eq!(out, [&b"before"[..], &bytes].concat());
    }

    #[test]
    fn what_no_batch_can_be_leaves_the_bytes_as_they_were() {
        let mut out = vec![7];
        let mut draft = BatchDraft::plain(Offset(0), LeaderEpoch(0), Timestamp(0));
        draft.attributes = Attributes(0x14);
        let fault = encode(&draft, [], &mut out).unwrap_err();
        assert_eq!((fault.field, fault.at), ("attributes", ATTRIBUTES_AT));
        assert_eq!(out, [7]);
    }
}
