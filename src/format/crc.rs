//! The two checksums of Kafka's logs, and the checksum of any range from those of prefixes.
//!
//! Batches of magic 2 carry a CRC-32C (KIP-98), message sets of magic 0 and 1 a CRC-32 (IEEE).

use crc_fast::{CrcAlgorithm, Digest};

/// Which of the two checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// CRC-32C (Castagnoli): batches of magic 2, producer snapshots.
    Crc32c,
    /// CRC-32 (IEEE): messages of magic 0 and 1.
    Crc32,
}

impl Kind {
    const fn algorithm(self) -> CrcAlgorithm {
        match self {
            Self::Crc32c => CrcAlgorithm::Crc32Iscsi,
            Self::Crc32 => CrcAlgorithm::Crc32IsoHdlc,
        }
    }

    /// The polynomial, lowest power in the highest bit.
    const fn reflected_polynomial(self) -> u32 {
        match self {
            Self::Crc32c => 0x82f6_3b78,
            Self::Crc32 => 0xedb8_8320,
        }
    }

    /// The checksum of `bytes`.
    #[must_use]
    #[inline]
    pub fn of(self, bytes: &[u8]) -> u32 {
        low_half(crc_fast::checksum(self.algorithm(), bytes))
    }
}

/// The CRC-32C of `bytes`.
///
/// ```
/// assert_eq!(kfsck::format::crc::crc32c(b"123456789"), 0xe306_9283);
/// ```
#[must_use]
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    Kind::Crc32c.of(bytes)
}

/// A checksum taken piece by piece.
#[derive(Debug, Clone)]
pub struct Running(Digest);

impl Running {
    /// The checksum of no bytes yet.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self(Digest::new(kind.algorithm()))
    }

    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all pieces so far.
    #[must_use]
    pub fn value(&self) -> u32 {
        low_half(self.0.finalize())
    }
}

fn low_half(wide: u64) -> u32 {
    let [_, _, _, _, a, b, c, d] = wide.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// Moves a checksum past any number of further bytes in constant time.
///
/// `crc(A || B) = shift(crc(A), |B|) ^ crc(B)`, so a range's checksum follows from two prefixes'.
/// Shifting multiplies by x^(8n) modulo the polynomial; the powers for each 11-bit digit of n lie
/// in three tables, which covers distances below 2^33 bytes.
#[derive(Debug)]
pub struct Shift {
    polynomial: u32,
    powers: [Vec<u32>; 3],
}

const DIGIT_BITS: u32 = 11;
const DIGIT_MASK: u64 = 0x7ff;
/// The polynomial 1, with the lowest power in the highest bit.
const ONE: u32 = 0x8000_0000;
/// x^8: one byte further.
const BYTE: u32 = 0x0080_0000;

impl Shift {
    /// Builds the tables (24 KiB).
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let polynomial = kind.reflected_polynomial();
        let mut base = BYTE;
        let powers = [(); 3].map(|()| {
            let mut table = Vec::new();
            let mut power = ONE;
            for _ in 0..=DIGIT_MASK {
                table.push(power);
                power = multiply(power, base, polynomial);
            }
            base = power;
            table
        });
        Self { polynomial, powers }
    }

    /// The share of `crc` in the checksum of a range that goes on for `bytes` more bytes.
    #[must_use]
    pub fn apply(&self, crc: u32, bytes: u64) -> u32 {
        let mut value = crc;
        let mut left = bytes;
        for table in &self.powers {
            let digit = usize::try_from(left & DIGIT_MASK).unwrap_or_default();
            if let (1.., Some(&power)) = (digit, table.get(digit)) {
                value = multiply(value, power, self.polynomial);
            }
            left = left.wrapping_shr(DIGIT_BITS);
        }
        value
    }
}

/// Multiplies two polynomials modulo `polynomial`, all with the lowest power in the highest bit.
fn multiply(a: u32, mut b: u32, polynomial: u32) -> u32 {
    let mut product = 0;
    for bit in (0..u32::BITS).rev() {
        product ^= b & (a.wrapping_shr(bit) & 1).wrapping_neg();
        b = (b >> 1) ^ (polynomial & (b & 1).wrapping_neg());
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of the two catalogues entries (RFC 3720, ISO 3309).
    #[test]
    fn check_values() {
        assert_eq!(Kind::Crc32c.of(b"123456789"), 0xe306_9283);
        assert_eq!(Kind::Crc32.of(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_range_follows_from_two_prefixes() {
        let bytes: Vec<u8> = (0..100_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for kind in [Kind::Crc32c, Kind::Crc32] {
            let shift = Shift::new(kind);
            for (from, to) in [
                (0, 0),
                (0, 1),
                (1, 2),
                (5, 4101),
                (17, 99_999),
                (50_000, 100_000),
            ] {
                let range = kind.of(&bytes[..to])
                    ^ shift.apply(kind.of(&bytes[..from]), (to - from) as u64);
                assert_eq!(range, kind.of(&bytes[from..to]), "{kind:?} {from}..{to}");
            }
        }
    }
}
