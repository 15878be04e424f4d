//! Kafka's 128-bit ids and their text: 22 characters of URL-safe base 64 without padding.
//!
//! Cluster ids look the same and are not this: they are free text (KIP-78).

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use std::fmt;

/// The length of an id, in bytes.
pub const SIZE: usize = 16;
/// The length of its text, in characters.
pub const TEXT_SIZE: usize = 22;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// An id of a topic or of a log directory (`org.apache.kafka.common.Uuid`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; SIZE]);

impl Uuid {
    /// The id that stands for "none".
    pub const ZERO: Self = Self([0; SIZE]);

    /// Reads the text as `Uuid.fromString` does: 22 characters, two `=` behind them allowed; the
    /// four bits of the last character that carry nothing may be set.
    ///
    /// # Errors
    /// [`Problem::Text`] for any other text, at the first byte.
    pub fn parse(text: &[u8], field: &'static str) -> Result<Self, Malformed> {
        Self::parse_digits(text).ok_or_else(|| Malformed {
            field,
            at: 0,
            problem: Problem::text(text, "22 characters of URL-safe base 64"),
        })
    }

    /// Reads the 16 bytes of an id.
    ///
    /// # Errors
    /// [`Problem::Truncated`] when fewer are left.
    pub fn read(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Self, Malformed> {
        let bytes = cursor.take(SIZE, field)?;
        // `take` gave 16 bytes.
        Ok(bytes.try_into().map_or(Self::ZERO, Self))
    }

    fn parse_digits(text: &[u8]) -> Option<Self> {
        let (digits, padding) = text.split_at_checked(TEXT_SIZE)?;
        if !padding.is_empty() && padding != b"==" {
            return None;
        }
        let (whole, last) = digits.split_at_checked(TEXT_SIZE.wrapping_sub(1))?;
        let mut value = 0_u128;
        for &digit in whole {
            value = (value << 6) | u128::from(sextet(digit)?);
        }
        // 21 digits carry 126 bits; the last two come from the upper end of the 22nd.
        value = (value << 2) | u128::from(sextet(*last.first()?)? >> 4);
        Some(Self(value.to_be_bytes()))
    }
}

/// The six bits that a digit stands for.
fn sextet(digit: u8) -> Option<u8> {
    let place = ALPHABET.iter().position(|&letter| letter == digit)?;
    u8::try_from(place).ok()
}

/// The digit of the six lowest bits.
fn digit(bits: u128) -> char {
    let [.., low] = bits.to_be_bytes();
    let letter = ALPHABET.get(usize::from(low & 0x3f));
    letter.copied().map_or('A', char::from)
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = u128::from_be_bytes(self.0);
        let mut text = String::with_capacity(TEXT_SIZE);
        for shift in (2..=122).rev().step_by(6) {
            text.push(digit(value >> shift));
        }
        text.push(digit(value << 4));
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    fn id(text: &str) -> Uuid {
        Uuid(hex(text).try_into().unwrap())
    }

    /// Texts as Kafka printed them, beside the bytes it wrote for them.
    #[test]
    fn text_and_bytes_as_kafka_pairs_them() {
        for (bytes, text) in [
            ("00112233445566778899aabbccddeeff", "ABEiM0RVZneImaq7zN3u_w"),
            ("00000000000000000000000000000000", "AAAAAAAAAAAAAAAAAAAAAA"),
            ("00000000000000000000000000000001", "AAAAAAAAAAAAAAAAAAAAAQ"),
            ("ffffffffffffffffffffffffffffffff", "_____________________w"),
            ("ed896f24b166472d9943db4137739f8b", "7YlvJLFmRy2ZQ9tBN3Ofiw"),
        ] {
            assert_eq!(id(bytes).to_string(), text);
            assert_eq!(Uuid::parse(text.as_bytes(), "topicId"), Ok(id(bytes)));
        }
    }

    #[test]
    fn what_the_java_decoder_also_takes() {
        let one = id("00000000000000000000000000000001");
        let padded = b"AAAAAAAAAAAAAAAAAAAAAQ==";
        assert_eq!(Uuid::parse(padded, "topicId"), Ok(one));
        // Four bits of the last digit carry nothing.
        assert_eq!(Uuid::parse(b"AAAAAAAAAAAAAAAAAAAAAf", "topicId"), Ok(one));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            &b""[..],
            b"AAAAAAAAAAAAAAAAAAAAA",
            b"AAAAAAAAAAAAAAAAAAAAAAA",
            b"AAAAAAAAAAAAAAAAAAAAAQ=",
            b"AAAAAAAAAAAAAAAAAAAAAQ===",
            b"AAAAAAAAAA+AAAAAAAAAAA",
            b"AAAAAAAAAA/AAAAAAAAAAA",
            b"123e4567-e89b-12d3-a456-426614174000",
            b"\xff\xfeAAAAAAAAAAAAAAAAAAAA",
        ] {
            let fault = Uuid::parse(text, "topicId").unwrap_err();
            assert_eq!((fault.field, fault.at), ("topicId", 0));
        }
    }
}
