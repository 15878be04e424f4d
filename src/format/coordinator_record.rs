//! The records of coordinators' topics: `__consumer_offsets`, `__transaction_state` and
//! `__share_group_state` (`CoordinatorRecordSerde` of Kafka 4.4.0).
//!
//! ```text
//! key:   | type i16 | the key of that type |
//! value: | version i16 | the value of that type, in that version |
//! ```
//!
//! A record without a value takes away what the key names. Bytes behind key or value are not looked
//! at, as in Kafka's reader. A record is trusted as far as its batch is.

use std::fmt;

use super::cursor::Cursor;
use super::schema::table::{group_coordinator, share_coordinator, transaction_coordinator};
use super::schema::{Message, Refusal, Struct, Versions, of_type};

/// A topic of a coordinator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoordinatorTopic {
    /// `__consumer_offsets`: groups and their offsets.
    Offsets,
    /// `__transaction_state`: transactional ids.
    Transactions,
    /// `__share_group_state`: what share groups have acknowledged.
    ShareState,
}

/// A record of a coordinator.
#[derive(Debug, Clone, PartialEq)]
pub struct CoordinatorRecord<'a> {
    /// What kind of record it is.
    pub record_type: i16,
    /// Whom or what it is about.
    pub key: Struct<'a>,
    /// What it says, with its version; `None` takes away what was said before.
    pub value: Option<(i16, Struct<'a>)>,
}

/// One half of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// Why a record is none of the topic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoordinatorFault {
    /// There is no key.
    #[error("the key is null")]
    NoKey,
    /// Key or value is too short for the number in front.
    #[error("the {0} has no room for the number in front")]
    Number(Half),
    /// No type that Kafka 4.4.0 knows.
    #[error("type: expected one of Kafka 4.4.0, found {0}")]
    UnknownType(i16),
    /// No version of the type that Kafka 4.4.0 knows.
    #[error("type {record_type}: version: expected {known}, as Kafka 4.4.0 knows, found {version}")]
    UnknownVersion {
        /// The type.
        record_type: i16,
        /// The version.
        version: i16,
        /// Those that are known.
        known: Versions,
    },
    /// Key or value does not decode.
    #[error("type {record_type}, {half}: {refusal}")]
    Message {
        /// The type.
        record_type: i16,
        /// Which of the two.
        half: Half,
        /// The number in front of it.
        number: i16,
        /// What is wrong, seen from behind that number.
        refusal: Refusal,
    },
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Key => "key",
            Self::Value => "value",
        })
    }
}

impl CoordinatorTopic {
    fn keys(self) -> &'static [&'static Message] {
        match self {
            Self::Offsets => &group_coordinator::KEYS,
            Self::Transactions => &transaction_coordinator::KEYS,
            Self::ShareState => &share_coordinator::KEYS,
        }
    }

    fn values(self) -> &'static [&'static Message] {
        match self {
            Self::Offsets => &group_coordinator::VALUES,
            Self::Transactions => &transaction_coordinator::VALUES,
            Self::ShareState => &share_coordinator::VALUES,
        }
    }

    /// Reads a record of the topic.
    ///
    /// # Errors
    /// [`CoordinatorFault`], where Kafka's reader fails too.
    pub fn decode<'a>(
        self,
        key: Option<&'a [u8]>,
        value: Option<&'a [u8]>,
    ) -> Result<CoordinatorRecord<'a>, CoordinatorFault> {
        let mut cursor = Cursor::new(key.ok_or(CoordinatorFault::NoKey)?);
        let record_type = cursor
            .i16("type")
            .map_err(|_| CoordinatorFault::Number(Half::Key))?;
        let found = of_type(self.keys(), record_type).zip(of_type(self.values(), record_type));
        let (of_key, of_value) = found.ok_or(CoordinatorFault::UnknownType(record_type))?;
        let refused = |half, number| {
            move |refusal| CoordinatorFault::Message {
                record_type,
                half,
                number,
                refusal,
            }
        };
        // Keys have one version each; Kafka's reader takes the type for it.
        let key = of_key
            .decode(record_type, &mut cursor)
            .map_err(refused(Half::Key, record_type))?;
        let value = match value {
            None => None,
            Some(value) => {
                let mut cursor = Cursor::new(value);
                let version = cursor
                    .i16("version")
                    .map_err(|_| CoordinatorFault::Number(Half::Value))?;
                if !of_value.versions.contain(version) {
                    return Err(CoordinatorFault::UnknownVersion {
                        record_type,
                        version,
                        known: of_value.versions,
                    });
                }
                let body = of_value.decode(version, &mut cursor);
                Some((version, body.map_err(refused(Half::Value, version))?))
            }
        };
        Ok(CoordinatorRecord {
            record_type,
            key,
            value,
        })
    }
}
