//! Message sets of magic 0 and 1, as Kafka wrote them before record batches (KIP-98).
//!
//! Every message stands for itself: offset, size, checksum, key and value. A compressed message
//! (a wrapper) holds a whole message set in its value, see [`inner`]. The names are those of
//! `LegacyRecord` and `AbstractLegacyRecordBatch`.
//!
//! ```text
//! offset 8 | size 4 | crc 4 | magic 1 | attributes 1 | timestamp 8 (magic 1 only) |
//! key size 4 | key | value size 4 | value
//! ```
//!
//! `size` counts the bytes behind itself, `crc` (CRC-32, not CRC-32C) covers those behind itself,
//! and a size of -1 is a null. Offset and size are under no checksum.

pub mod inner;
mod record;

pub use record::LegacyRecord;

use super::compression::Codec;
use super::crc::Kind;
use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use super::number::{Offset, Timestamp};
use super::timestamp_type::TimestampType;

/// Where the offset lies, in bytes from the first byte of a message; this and all below.
pub const OFFSET_AT: usize = 0;
/// Where the size lies.
pub const SIZE_AT: usize = OFFSET_AT + size_of::<i64>();
/// The bytes that `size` does not count: offset and size.
pub const LOG_OVERHEAD: usize = SIZE_AT + size_of::<i32>();
const LOG_OVERHEAD_BYTES: u64 = 12;
const _: () = assert!(LOG_OVERHEAD == 12);
/// Where the checksum lies.
pub const CRC_AT: usize = LOG_OVERHEAD;
/// Where the magic lies, and the first byte under the checksum.
pub const MAGIC_AT: usize = CRC_AT + size_of::<u32>();
/// Where the attributes lie.
pub const ATTRIBUTES_AT: usize = MAGIC_AT + size_of::<i8>();
/// Where the timestamp lies in magic 1.
pub const TIMESTAMP_AT: usize = ATTRIBUTES_AT + size_of::<i8>();
/// The length of a header of magic 0: the key size follows.
pub const HEADER_LENGTH_V0: usize = TIMESTAMP_AT;
/// The length of a header of magic 1: the key size follows.
pub const HEADER_LENGTH_V1: usize = TIMESTAMP_AT + size_of::<i64>();

/// The smallest legal `size`: a message of magic 0 with neither key nor value.
pub const MIN_SIZE: u32 = 14;
const _: () = assert!(HEADER_LENGTH_V0 + 2 * size_of::<i32>() - LOG_OVERHEAD == 14);

/// What a message says before its key.
///
/// Nothing in it may be trusted before the checksum was compared; offset and size not even then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHeader {
    /// The message's offset; in a wrapper that of its last message.
    pub offset: Offset,
    /// The bytes of the message behind the size itself; at least [`MIN_SIZE`].
    pub size: u32,
    /// The stored CRC-32 of all bytes behind it.
    pub crc: u32,
    /// 0 or 1.
    pub magic: u8,
    /// Bits 0 to 2 name the codec, bit 3 the timestamp type in magic 1.
    pub attributes: i8,
    /// The timestamp; [`Timestamp::NONE`] in magic 0. In a wrapper the largest of its messages'.
    pub timestamp: Timestamp,
}

impl MessageHeader {
    /// Decodes the header at the front of `bytes`.
    ///
    /// # Errors
    /// When the bytes end inside it, when the size is below [`MIN_SIZE`] and when the magic is
    /// neither 0 nor 1.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let (offset, size) = overhead(&mut cursor)?;
        let mut body = Cursor::new(cursor.rest());
        Self::decode_body(offset, size, &mut body).map_err(|fault| fault.shifted(LOG_OVERHEAD))
    }

    /// Decodes the rest of a header from a cursor that begins behind offset and size.
    fn decode_body(offset: Offset, size: u32, body: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let crc = body.u32("crc")?;
        let magic = match { *body }.i8("magic")? {
            0 => 0,
            1 => 1,
            other => {
                let stored = i64::from(other);
                let expected = "0 or 1";
                return Err(body.fault("magic", Problem::OutOfRange { stored, expected }));
            }
        };
        body.i8("magic")?;
        let attributes = body.i8("attributes")?;
        let timestamp = match magic {
            0 => Timestamp::NONE,
            _ => Timestamp(body.i64("timestamp")?),
        };
        Ok(Self {
            offset,
            size,
            crc,
            magic,
            attributes,
            timestamp,
        })
    }

    /// The length of the header itself, in bytes: where the key size lies.
    #[must_use]
    pub const fn length(&self) -> usize {
        match self.magic {
            0 => HEADER_LENGTH_V0,
            _ => HEADER_LENGTH_V1,
        }
    }

    /// The length of the whole message with offset and size, in bytes (`sizeInBytes`).
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        // Twelve bytes: offset and size.
        u64::from(self.size).saturating_add(LOG_OVERHEAD_BYTES)
    }

    /// The codec of the value; `None` for an id that no version of Kafka has given out.
    #[must_use]
    pub fn codec(&self) -> Option<Codec> {
        Codec::from_attributes(i16::from(self.attributes))
    }

    /// The meaning of the timestamp.
    #[must_use]
    pub fn timestamp_type(&self) -> TimestampType {
        TimestampType::from_attributes(self.magic, i16::from(self.attributes))
    }
}

/// Reads offset and size. Kafka reads no segment past a size below [`MIN_SIZE`].
fn overhead(cursor: &mut Cursor<'_>) -> Result<(Offset, u32), Malformed> {
    let offset = Offset(cursor.i64("offset")?);
    let at_size = *cursor;
    let stored = cursor.i32("size")?;
    match u32::try_from(stored) {
        Ok(size) if size >= MIN_SIZE => Ok((offset, size)),
        _ => {
            let stored = i64::from(stored);
            let expected = "14 or more";
            Err(at_size.fault("size", Problem::OutOfRange { stored, expected }))
        }
    }
}

/// The checksum that a message should carry: CRC-32 of its bytes from [`MAGIC_AT`] to its end.
#[must_use]
pub fn checksum(from_magic: &[u8]) -> u32 {
    Kind::Crc32.of(from_magic)
}

#[cfg(test)]
mod tests;
