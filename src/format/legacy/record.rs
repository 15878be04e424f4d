//! One message of magic 0 or 1 with its key and value.

use super::{LOG_OVERHEAD, MAGIC_AT, MessageHeader, checksum, overhead};
use crate::format::cursor::Cursor;
use crate::format::malformed::Malformed;
use crate::format::number::{Offset, Timestamp, to_usize};
use crate::format::timestamp_type::TimestampType;

/// The size that stands for a null key or value. Kafka writes this one and takes any negative.
const NULL: i32 = -1;

/// Where the magic lies behind offset and size.
const MAGIC_IN_BODY: usize = MAGIC_AT - LOG_OVERHEAD;

/// A message (`LegacyRecord`): on its own in a segment, or out of a compressed wrapper.
#[derive(Debug, Clone, Copy)]
pub struct LegacyRecord<'a> {
    /// The absolute offset.
    pub offset: Offset,
    /// The stored checksum.
    pub crc: u32,
    /// 0 or 1. Kafka does not compare a wrapped message's with its wrapper's when it reads.
    pub magic: u8,
    /// Bits 0 to 2 name the codec, bit 3 the timestamp type in magic 1.
    pub attributes: i8,
    /// The timestamp in force: the wrapper's where the wrapper has log append time.
    pub timestamp: Timestamp,
    /// The timestamp type in force: the wrapper's for a wrapped message of magic 1.
    pub timestamp_type: TimestampType,
    /// The stored size of the key, in bytes; negative is a null.
    pub key_size: i32,
    /// The stored size of the value, in bytes; negative is a null.
    pub value_size: i32,
    /// The key, unless it is null.
    pub key: Option<&'a [u8]>,
    /// The value, unless it is null.
    pub value: Option<&'a [u8]>,
    /// Bytes of the message behind its value, which Kafka passes over; none in what it writes.
    pub trailing: usize,
    /// The bytes under the checksum.
    checked: &'a [u8],
}

impl<'a> LegacyRecord<'a> {
    /// Decodes the message at the front of `bytes`; what lies behind it does not matter.
    ///
    /// # Errors
    /// As [`MessageHeader::decode`], when the bytes end before the message does, and when key or
    /// value reach past its end. The place counts from the message's first byte.
    ///
    /// ```
    /// use kfsck::format::legacy::LegacyRecord;
    /// let message = b"\0\0\0\0\0\0\0\x07\0\0\0\x10\0\0\0\0\0\0\xff\xff\xff\xff\0\0\0\x02hi";
    /// let record = LegacyRecord::decode(message)?;
    /// assert_eq!((record.offset.0, record.key, record.value), (7, None, Some(&b"hi"[..])));
    /// assert!(!record.is_valid());
    /// # Ok::<(), kfsck::format::malformed::Malformed>(())
    /// ```
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let (offset, size) = overhead(&mut cursor)?;
        let body = cursor.take(to_usize(size), "message")?;
        Self::decode_body(offset, size, body).map_err(|fault| fault.shifted(LOG_OVERHEAD))
    }

    /// Decodes a message from the bytes behind offset and size, which it takes up all.
    pub(super) fn decode_body(
        offset: Offset,
        size: u32,
        body: &'a [u8],
    ) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(body);
        let header = MessageHeader::decode_body(offset, size, &mut cursor)?;
        let (key_size, key) = nullable(&mut cursor, "keySize", "key")?;
        let (value_size, value) = nullable(&mut cursor, "valueSize", "value")?;
        Ok(Self {
            offset,
            crc: header.crc,
            magic: header.magic,
            attributes: header.attributes,
            timestamp: header.timestamp,
            timestamp_type: header.timestamp_type(),
            key_size,
            value_size,
            key,
            value,
            trailing: cursor.remaining(),
            checked: body.get(MAGIC_IN_BODY..).unwrap_or_default(),
        })
    }

    /// The checksum that the bytes give.
    #[must_use]
    pub fn computed_crc(&self) -> u32 {
        checksum(self.checked)
    }

    /// Whether the stored checksum is the one that the bytes give (`isValid`).
    ///
    /// It covers neither the offset nor the size.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.crc == self.computed_crc()
    }

    /// Appends the message as Kafka writes one, with the checksum of what is written.
    ///
    /// A message that Kafka wrote comes out byte for byte as it went in, unless its timestamp
    /// was the wrapper's. One of 2 GiB and more has no encoding; its sizes come out wrong.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(self.offset.0.to_be_bytes());
        out.extend([0; 8]);
        out.push(self.magic);
        out.extend(self.attributes.to_be_bytes());
        if self.magic > 0 {
            out.extend(self.timestamp.0.to_be_bytes());
        }
        for part in [self.key, self.value] {
            let size = part.map_or(NULL, |bytes| i32::try_from(bytes.len()).unwrap_or(i32::MAX));
            out.extend(size.to_be_bytes());
            out.extend(part.unwrap_or_default());
        }
        let Some((overhead, body)) = out
            .get_mut(start..)
            .and_then(<[u8]>::split_first_chunk_mut::<LOG_OVERHEAD>)
        else {
            return;
        };
        let [_, _, _, _, _, _, _, _, size @ ..] = overhead;
        *size = i32::try_from(body.len()).unwrap_or(i32::MAX).to_be_bytes();
        if let Some((crc, checked)) = body.split_first_chunk_mut() {
            *crc = checksum(checked).to_be_bytes();
        }
    }
}

/// Reads a size and that many bytes, or none where it is negative.
fn nullable<'a>(
    cursor: &mut Cursor<'a>,
    size_field: &'static str,
    field: &'static str,
) -> Result<(i32, Option<&'a [u8]>), Malformed> {
    let size = cursor.i32(size_field)?;
    let bytes = match u32::try_from(size) {
        Ok(count) => Some(cursor.take(to_usize(count), field)?),
        Err(_) => None,
    };
    Ok((size, bytes))
}
