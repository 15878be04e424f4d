//! What all record sets have in front, whatever their magic: an offset, a length, a magic byte.
//!
//! A frame says where the next one begins, and nothing else: no byte of it is covered by a
//! checksum of magic 2.

use super::batch;
use super::number::{LeaderEpoch, Offset, to_usize};

/// Bytes in front of the part that the length counts: the offset and the length itself.
pub const OVERHEAD: u64 = 12;
/// Bytes up to and with the magic byte: what tells a frame.
pub const PROBE: usize = 17;

/// Least length field of a message of magic 0: crc, magic, attributes, key size, value size.
pub const LEAST_LENGTH_V0: u32 = 14;
/// Least length field of magic 1: a timestamp more.
pub const LEAST_LENGTH_V1: u32 = LEAST_LENGTH_V0 + 8;
/// Least length field of magic 2: the header behind the length.
pub const LEAST_LENGTH_V2: u32 = 49;

const _: () = assert!(to_usize(LEAST_LENGTH_V2) + 12 == batch::HEADER_SIZE);

/// The first 17 bytes of what may be a record set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The base offset (magic 2) or the offset of the last message (magic 0 and 1).
    pub offset: Offset,
    /// The length field as it stands.
    pub length: i32,
    /// The epoch of the leader that appended it; in magic 0 and 1 the checksum lies here.
    pub leader_epoch: LeaderEpoch,
    /// The magic byte as it stands.
    pub magic: u8,
}

impl Frame {
    /// Reads the three fields; any bytes will do.
    #[must_use]
    #[inline]
    pub const fn decode(bytes: &[u8; PROBE]) -> Self {
        let [
            o0,
            o1,
            o2,
            o3,
            o4,
            o5,
            o6,
            o7,
            l0,
            l1,
            l2,
            l3,
            e0,
            e1,
            e2,
            e3,
            magic,
        ] = *bytes;
        Self {
            offset: Offset(i64::from_be_bytes([o0, o1, o2, o3, o4, o5, o6, o7])),
            length: i32::from_be_bytes([l0, l1, l2, l3]),
            leader_epoch: LeaderEpoch(i32::from_be_bytes([e0, e1, e2, e3])),
            magic,
        }
    }

    /// Size of the whole record set in bytes, when magic is 0 to 2 and the length is one that
    /// this magic can have.
    #[must_use]
    #[inline]
    pub const fn size(self) -> Option<u64> {
        match (self.claimed_size(), self.least_length()) {
            (Some(size), Some(least)) if size.wrapping_sub(OVERHEAD) >= widen(least) => Some(size),
            _ => None,
        }
    }

    /// The least length field that its magic can have; `None` for a magic that does not exist.
    #[must_use]
    #[inline]
    pub const fn least_length(self) -> Option<u32> {
        match self.magic {
            0 => Some(LEAST_LENGTH_V0),
            1 => Some(LEAST_LENGTH_V1),
            batch::MAGIC => Some(LEAST_LENGTH_V2),
            _ => None,
        }
    }

    /// Size by the length field alone, whatever the magic says; `None` below the least of any.
    #[must_use]
    #[inline]
    pub const fn claimed_size(self) -> Option<u64> {
        let length = self.length.cast_unsigned();
        if self.length < 0 || length < LEAST_LENGTH_V0 {
            return None;
        }
        // A 32-bit number plus 12 stays far inside 64 bits.
        Some(widen(length).wrapping_add(OVERHEAD))
    }
}

#[expect(
    clippy::as_conversions,
    reason = "u64::from is not const yet, and this widens"
)]
const fn widen(value: u32) -> u64 {
    value as u64
}
