//! The records of `__cluster_metadata`, and of the snapshots of it (`AbstractApiMessageSerde`,
//! `MetadataRecordSerde` of Kafka 4.4.0).
//!
//! ```text
//! value: | frame version, always 1 | type | version | the message of that type |
//! ```
//!
//! The three numbers are unsigned varints. Keys mean nothing. A record is trusted as far as its
//! batch is.

use super::cursor::Cursor;
use super::malformed::Malformed;
use super::schema::{Message, Refusal, Struct, Versions, of_type, table};
use super::varint::put_unsigned_varint;

const FRAME_VERSION: i16 = 1;

/// A record that says what has changed in a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataRecord<'a> {
    /// What kind of record it is.
    pub message: &'static Message,
    /// The version it is stored in.
    pub version: i16,
    /// What it says.
    pub body: Struct<'a>,
}

/// Why a value is no such record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataFault {
    /// A number in front is cut or has no end.
    #[error("{0}")]
    Number(Malformed),
    /// A number in front, of this name, is above 32767.
    #[error("{0}: expected 0 to 32767")]
    TooLarge(&'static str),
    /// Another frame version.
    #[error("frame version: expected 1, found {0}")]
    FrameVersion(i16),
    /// No type that Kafka 4.4.0 knows.
    #[error("type: expected one of Kafka 4.4.0, found {0}")]
    UnknownType(i16),
    /// The message does not decode.
    #[error("type {0}: {1}")]
    Message(i16, Refusal),
    /// The message does not decode, or leaves bytes, and is of a version that Kafka 4.4.0 does not
    /// know.
    #[error("version {version}; known are {known}: {fault}")]
    LaterVersion {
        /// The version.
        version: i16,
        /// Those that are known.
        known: Versions,
        /// What came of reading it like the last one that is known.
        fault: Box<Self>,
    },
    /// Bytes are left behind the message.
    #[error("type {0}: expected the end, found {1} more bytes")]
    Trailing(i16, usize),
}

impl<'a> MetadataRecord<'a> {
    /// Reads the value of a record; null is like no bytes at all.
    ///
    /// # Errors
    /// [`MetadataFault`], where Kafka's reader fails too.
    pub fn decode(value: Option<&'a [u8]>) -> Result<Self, MetadataFault> {
        Self::decode_among(&table::metadata::RECORDS, value)
    }

    /// Type and version of a value in the frame, whether anybody knows them or not; `None` where
    /// the frame itself does not decode.
    #[must_use]
    pub fn type_and_version(value: &[u8]) -> Option<(i16, i16)> {
        let mut cursor = Cursor::new(value);
        let frame = read_number(&mut cursor, "frame version").ok()?;
        let api_key = read_number(&mut cursor, "type").ok()?;
        let version = read_number(&mut cursor, "version").ok()?;
        (frame == FRAME_VERSION).then_some((api_key, version))
    }

    /// Reads a value that lies in the same frame and is one of other records.
    ///
    /// # Errors
    /// [`MetadataFault`], where Kafka's reader fails too.
    pub fn decode_among(
        records: &[&'static Message],
        value: Option<&'a [u8]>,
    ) -> Result<Self, MetadataFault> {
        let mut cursor = Cursor::new(value.unwrap_or_default());
        let frame = read_number(&mut cursor, "frame version")?;
        if frame != FRAME_VERSION {
            return Err(MetadataFault::FrameVersion(frame));
        }
        let api_key = read_number(&mut cursor, "type")?;
        let version = read_number(&mut cursor, "version")?;
        let message = of_type(records, api_key).ok_or(MetadataFault::UnknownType(api_key))?;
        let read = message
            .decode(version, &mut cursor)
            .map_err(|fault| MetadataFault::Message(api_key, fault));
        let whole = read.and_then(|body| match cursor.remaining() {
            0 => Ok(body),
            left => Err(MetadataFault::Trailing(api_key, left)),
        });
        match whole {
            Ok(body) => Ok(Self {
                message,
                version,
                body,
            }),
            Err(fault) if version > message.versions.highest => Err(MetadataFault::LaterVersion {
                version,
                known: message.versions,
                fault: Box::new(fault),
            }),
            Err(fault) => Err(fault),
        }
    }

    /// The bytes of the value; `None` when the body does not fit the message in this version.
    #[must_use]
    pub fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for number in [FRAME_VERSION, self.message.api_key?, self.version] {
            put_unsigned_varint(i32::from(number).cast_unsigned(), &mut out);
        }
        self.message
            .encode(self.version, &self.body, &mut out)
            .ok()?;
        Some(out)
    }
}

/// Reads a number as Kafka does: it looks for 32767 and more in Java's `int`, and takes the lower
/// half of one that is negative there.
fn read_number(cursor: &mut Cursor<'_>, name: &'static str) -> Result<i16, MetadataFault> {
    let stored = cursor
        .unsigned_varint(name)
        .map_err(MetadataFault::Number)?;
    if stored.cast_signed() > i32::from(i16::MAX) {
        return Err(MetadataFault::TooLarge(name));
    }
    let [_, _, high, low] = stored.to_be_bytes();
    Ok(i16::from_be_bytes([high, low]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;
    use crate::format::malformed::Problem;
    use crate::format::schema::Value;

    /// `TopicRecord` 0 by hand: frame, type, version, name, id, no tagged fields.
    const TOPIC: &str = "01 02 00 02 61 00112233445566778899aabbccddeeff 00";

    fn fault(bytes: &str) -> MetadataFault {
        MetadataRecord::decode(Some(&hex(bytes))).unwrap_err()
    }

    #[test]
    fn a_topic_by_hand() {
        let bytes = hex(TOPIC);
        let record = MetadataRecord::decode(Some(&bytes)).unwrap();
        assert_eq!(record.message.shape.name, "TopicRecord");
        assert_eq!(record.body.get("name"), Some(&Value::Text(b"a")));
        assert_eq!(record.encode().unwrap(), bytes);
    }

    #[test]
    fn each_fault_where_it_is() {
        let cut = |needed, left| Problem::Truncated { needed, left };
        for value in [None, Some(&[][..])] {
            match MetadataRecord::decode(value).unwrap_err() {
                MetadataFault::Number(fault) => assert_eq!(fault.problem, cut(1, 0)),
                other => panic!("{other}"),
            }
        }
        assert!(matches!(fault("ffffffffff01"), MetadataFault::Number(_)));
        assert_eq!(fault("808002"), MetadataFault::TooLarge("frame version"));
        assert_eq!(fault("00"), MetadataFault::FrameVersion(0));
        assert_eq!(fault("02"), MetadataFault::FrameVersion(2));
        assert_eq!(fault("01 06 00"), MetadataFault::UnknownType(6));
        assert!(matches!(fault("01 02 00 02"), MetadataFault::Message(2, _)));
        // A later version says which are known.
        let later = TOPIC.replacen("02 00 02", "02 03 02", 1);
        let later = fault(&format!("{later} 0000")).to_string();
        assert!(
            later.starts_with("version 3; known are 0: type 2: "),
            "{later}"
        );
        let trailing = format!("{TOPIC} 0000");
        assert_eq!(fault(&trailing), MetadataFault::Trailing(2, 2));
        // 2^31 + 1 is negative in Java, and its lower half is 1.
        let wrapped = TOPIC.replacen("01", "8180808008", 1);
        assert!(MetadataRecord::decode(Some(&hex(&wrapped))).is_ok());
    }
}
