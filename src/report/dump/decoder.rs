//! How a record's key or value is shown (`org.apache.kafka.tools.api.Decoder`).

use crate::format::java_text;
use crate::report::digits;
use crate::report::json;

/// A reading of a key's or value's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decoder {
    /// UTF-8; what is not becomes U+FFFD (`StringDecoder`).
    #[default]
    String,
    /// A big-endian 32-bit integer (`IntegerDecoder`).
    Integer,
    /// A big-endian 64-bit integer (`LongDecoder`).
    Long,
    /// A big-endian 64-bit float (`DoubleDecoder`).
    Double,
    /// Hexadecimal digits.
    Hex,
    /// Base64 with padding (RFC 4648).
    Base64,
}

/// The bytes as a decoder reads them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decoded<'a> {
    /// Text, or bytes that should have been.
    Text(&'a [u8]),
    /// An integer.
    Integer(i64),
    /// A float.
    Double(f64),
    /// Bytes to show in hexadecimal.
    Hex(&'a [u8]),
    /// Bytes to show in base64.
    Base64(&'a [u8]),
}

impl Decoder {
    /// Names that the command line takes for it, the stock tool's class first.
    pub const NAMES: [(&'static str, &'static str, Self); 6] = [
        (
            "org.apache.kafka.tools.api.StringDecoder",
            "string",
            Self::String,
        ),
        (
            "org.apache.kafka.tools.api.IntegerDecoder",
            "int",
            Self::Integer,
        ),
        ("org.apache.kafka.tools.api.LongDecoder", "long", Self::Long),
        (
            "org.apache.kafka.tools.api.DoubleDecoder",
            "double",
            Self::Double,
        ),
        ("", "hex", Self::Hex),
        ("", "base64", Self::Base64),
    ];

    /// Reads `bytes`; `None` when they are too few for the type. Bytes behind a number are not
    /// looked at, as in the stock decoders.
    #[must_use]
    #[inline]
    pub fn decode(self, bytes: &[u8]) -> Option<Decoded<'_>> {
        Some(match self {
            Self::String => Decoded::Text(bytes),
            Self::Integer => Decoded::Integer(i32::from_be_bytes(*bytes.first_chunk()?).into()),
            Self::Long => Decoded::Integer(i64::from_be_bytes(*bytes.first_chunk()?)),
            Self::Double => Decoded::Double(f64::from_be_bytes(*bytes.first_chunk()?)),
            Self::Hex => Decoded::Hex(bytes),
            Self::Base64 => Decoded::Base64(bytes),
        })
    }

    /// Bytes that the type takes at least.
    #[must_use]
    pub const fn least(self) -> usize {
        match self {
            Self::Integer => 4,
            Self::Long | Self::Double => 8,
            Self::String | Self::Hex | Self::Base64 => 0,
        }
    }

    /// The short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(.., decoder)| *decoder == self)
            .map_or("", |(_, name, _)| name)
    }
}

impl Decoded<'_> {
    /// Appends the text that the stock tool prints.
    #[inline]
    pub fn push_text(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(bytes) => java_text::push_java_utf8(bytes, out),
            Self::Integer(value) => digits::push_i64(value, out),
            Self::Double(value) => java_text::push_java_double(value, out),
            Self::Hex(bytes) => push_hex(bytes, out),
            Self::Base64(bytes) => json::base64(bytes, out),
        }
    }
}

/// Appends bytes as hexadecimal digits.
pub fn push_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.extend([
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]);
    }
}
