//! Batches of magic 2 written byte by byte, as tests need them: right, odd or wrong.

use kfsck::format::crc::{Kind, crc32c};
use kfsck::format::varint::{put_varint, put_varlong};

/// The bytes of a batch up to its records.
pub(crate) const HEADER: usize = 61;
/// Where fields of a batch lie.
pub(crate) const LENGTH_AT: usize = 8;
pub(crate) const LEADER_EPOCH_AT: usize = 12;
pub(crate) const MAGIC_AT: usize = 16;
pub(crate) const CRC_AT: usize = 17;

/// A batch whose fields may say what they like; the checksum and length are always right.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) base_offset: i64,
    pub(crate) leader_epoch: i32,
    pub(crate) attributes: i16,
    pub(crate) last_offset_delta: i32,
    pub(crate) timestamp: i64,
    pub(crate) producer_id: i64,
    pub(crate) producer_epoch: i16,
    pub(crate) base_sequence: i32,
    pub(crate) count: i32,
    /// The records, compressed or not.
    pub(crate) payload: Vec<u8>,
}

impl Batch {
    /// A batch without records and without a producer.
    pub(crate) fn new(base_offset: i64) -> Self {
        Self {
            base_offset,
            leader_epoch: 0,
            attributes: 0,
            last_offset_delta: 0,
            timestamp: 1_700_000_000_000,
            producer_id: -1,
            producer_epoch: -1,
            base_sequence: -1,
            count: 0,
            payload: Vec::new(),
        }
    }

    /// The same with one more record.
    pub(crate) fn record(mut self, key: Option<&[u8]>, value: Option<&[u8]>) -> Self {
        self.payload.extend(record(self.count, key, value));
        self.last_offset_delta = self.count;
        self.count += 1;
        self
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut covered = self.attributes.to_be_bytes().to_vec();
        covered.extend(self.last_offset_delta.to_be_bytes());
        covered.extend(self.timestamp.to_be_bytes());
        covered.extend(self.timestamp.to_be_bytes());
        covered.extend(self.producer_id.to_be_bytes());
        covered.extend(self.producer_epoch.to_be_bytes());
        covered.extend(self.base_sequence.to_be_bytes());
        covered.extend(self.count.to_be_bytes());
        covered.extend(&self.payload);
        let length = i32::try_from(covered.len() + 9).unwrap();
        let mut batch = self.base_offset.to_be_bytes().to_vec();
        batch.extend(length.to_be_bytes());
        batch.extend(self.leader_epoch.to_be_bytes());
        batch.push(2);
        batch.extend(crc32c(&covered).to_be_bytes());
        batch.extend(covered);
        batch
    }
}

/// A record without headers.
pub(crate) fn record(offset_delta: i32, key: Option<&[u8]>, value: Option<&[u8]>) -> Vec<u8> {
    let mut body = vec![0];
    put_varlong(0, &mut body);
    put_varint(offset_delta, &mut body);
    for part in [key, value] {
        match part {
            Some(bytes) => {
                put_varint(i32::try_from(bytes.len()).unwrap(), &mut body);
                body.extend(bytes);
            }
            None => put_varint(-1, &mut body),
        }
    }
    put_varint(0, &mut body);
    let mut record = Vec::new();
    put_varint(i32::try_from(body.len()).unwrap(), &mut record);
    record.extend(body);
    record
}

/// A plain batch of one record with this value.
pub(crate) fn plain(base_offset: i64, value: &[u8]) -> Vec<u8> {
    Batch::new(base_offset)
        .record(Some(b"k"), Some(value))
        .encode()
}

/// A control batch of one record.
pub(crate) fn control(base_offset: i64, key: Option<&[u8]>, value: Option<&[u8]>) -> Vec<u8> {
    let batch = Batch {
        attributes: 0x20,
        ..Batch::new(base_offset)
    };
    batch.record(key, value).encode()
}

/// A message of magic 0 or 1 with an uncompressed value.
pub(crate) fn message(magic: u8, offset: i64, value: &[u8]) -> Vec<u8> {
    let mut covered = vec![magic, 0];
    if magic == 1 {
        covered.extend(1_700_000_000_000_i64.to_be_bytes());
    }
    covered.extend((-1_i32).to_be_bytes());
    covered.extend(i32::try_from(value.len()).unwrap().to_be_bytes());
    covered.extend(value);
    let mut message = offset.to_be_bytes().to_vec();
    message.extend(i32::try_from(covered.len() + 4).unwrap().to_be_bytes());
    message.extend(Kind::Crc32.of(&covered).to_be_bytes());
    message.extend(covered);
    message
}

pub(crate) fn set_length(batch: &mut [u8], length: usize) {
    let length = i32::try_from(length).unwrap();
    batch[LENGTH_AT..LENGTH_AT + 4].copy_from_slice(&length.to_be_bytes());
}

/// The batches of a segment that is in order, each with its place.
pub(crate) fn split(log: &[u8]) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < log.len() {
        let length = log[at + LENGTH_AT..at + LENGTH_AT + 4].try_into().unwrap();
        let size = usize::try_from(u32::from_be_bytes(length)).unwrap() + 12;
        found.push((at, &log[at..at + size]));
        at += size;
    }
    found
}
