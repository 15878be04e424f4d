//! The records of `__transaction_state`: what a transaction coordinator remembers of each
//! transactional id (`TransactionLogKey.json`, `TransactionLogValue.json` of Kafka 4.4.0).
//!
//! ```text
//! key:         | type i16, always 0 | transactional id, text |
//! value:       | version i16 | producer id i64 | producer epoch i16 | transaction timeout i32
//!              | status i8 | partitions, list or null | last update i64 | start i64
//!              | tagged fields: version 1 only |
//! partitions:  | topic, text | partition ids, list of i32 | tagged fields: version 1 only |
//! ```
//!
//! Version 0 has lengths of fixed width ([`super::inflexible`]), version 1 compact ones
//! ([`super::flexible`]) and these tagged fields: 0 previous producer id, 1 next producer id,
//! 2 client's transaction version, 3 next producer epoch (KIP-890, KIP-939). A broker writes
//! version 1 from transaction.version 1 on. A record without a value ends the transactional id.
//!
//! Bytes behind key or value are not looked at, as in `TransactionLog.read`; a broker that meets
//! what is an error here stops loading the partition, but for an unknown type or version, which it
//! passes over. A record is trusted as far as its batch is.

use std::fmt;
use std::num::NonZeroU32;

use super::cursor::Cursor;
use super::flexible::{self, TaggedField};
use super::inflexible;
use super::java_text::java_hash_code;
use super::malformed::{Malformed, Problem};
use super::number::{ProducerEpoch, ProducerId, Timestamp};

/// The only type of record that Kafka 4.4.0 keeps in the topic.
pub const TRANSACTION_LOG_TYPE: i16 = 0;

const PREVIOUS_PRODUCER_ID: u32 = 0;
const NEXT_PRODUCER_ID: u32 = 1;
const CLIENT_TRANSACTION_VERSION: u32 = 2;
const NEXT_PRODUCER_EPOCH: u32 = 3;

/// The layout of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Lengths of fixed width, no tagged fields.
    V0,
    /// Flexible.
    V1,
}

impl Version {
    /// The number on disk.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::V0 => 0,
            Self::V1 => 1,
        }
    }

    const fn of(number: i16) -> Option<Self> {
        match number {
            0 => Some(Self::V0),
            1 => Some(Self::V1),
            _ => None,
        }
    }
}

/// What a transaction is doing, as its coordinator sees it
/// (`org.apache.kafka.coordinator.transaction.TransactionState`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionStatus {
    /// None was begun under this producer id and epoch.
    Empty,
    /// Begun; partitions are being added.
    Ongoing,
    /// Decided to commit; markers are being written.
    PrepareCommit,
    /// Decided to abort; markers are being written.
    PrepareAbort,
    /// All commit markers are written.
    CompleteCommit,
    /// All abort markers are written.
    CompleteAbort,
    /// The transactional id has expired.
    Dead,
    /// The epoch is being raised to fence the producer, before an abort.
    PrepareEpochFence,
    /// Any other number; a broker stops loading at it.
    Unknown(i8),
}

impl TransactionStatus {
    /// The status that a number stands for.
    #[must_use]
    pub const fn from_id(id: i8) -> Self {
        match id {
            0 => Self::Empty,
            1 => Self::Ongoing,
            2 => Self::PrepareCommit,
            3 => Self::PrepareAbort,
            4 => Self::CompleteCommit,
            5 => Self::CompleteAbort,
            6 => Self::Dead,
            7 => Self::PrepareEpochFence,
            other => Self::Unknown(other),
        }
    }

    /// The number on disk.
    #[must_use]
    pub const fn id(self) -> i8 {
        match self {
            Self::Empty => 0,
            Self::Ongoing => 1,
            Self::PrepareCommit => 2,
            Self::PrepareAbort => 3,
            Self::CompleteCommit => 4,
            Self::CompleteAbort => 5,
            Self::Dead => 6,
            Self::PrepareEpochFence => 7,
            Self::Unknown(other) => other,
        }
    }

    /// Kafka's name, as kafka-transactions prints it; `Unknown` for a number without one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Ongoing => "Ongoing",
            Self::PrepareCommit => "PrepareCommit",
            Self::PrepareAbort => "PrepareAbort",
            Self::CompleteCommit => "CompleteCommit",
            Self::CompleteAbort => "CompleteAbort",
            Self::Dead => "Dead",
            Self::PrepareEpochFence => "PrepareEpochFence",
            Self::Unknown(_) => "Unknown",
        }
    }
}

impl fmt::Display for TransactionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => write!(f, "Unknown({id})"),
            known => f.pad(known.name()),
        }
    }
}

/// The key of a record: whose transactions it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionLogKey {
    /// The transactional id, as its bytes: nobody promises that they are UTF-8.
    pub transactional_id: Vec<u8>,
}

impl TransactionLogKey {
    /// Reads a key.
    ///
    /// # Errors
    /// [`Problem::OutOfRange`] for the field `type`: another kind of record, over which a broker
    /// passes; [`Problem::Truncated`], [`Problem::Null`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let start = cursor;
        let stored = cursor.i16("type")?;
        if stored != TRANSACTION_LOG_TYPE {
            let stored = i64::from(stored);
            let expected = "0";
            return Err(start.fault("type", Problem::OutOfRange { stored, expected }));
        }
        Ok(Self {
            transactional_id: inflexible::read_text(&mut cursor, "transactionalId")?,
        })
    }

    /// The bytes of the key.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = TRANSACTION_LOG_TYPE.to_be_bytes().to_vec();
        inflexible::put_text(&self.transactional_id, &mut out);
        out
    }

    /// The partition of `__transaction_state`, of so many, where the id has its records
    /// (`TransactionStateManager.partitionFor`).
    #[must_use]
    pub fn partition(&self, partitions: NonZeroU32) -> u32 {
        self.hash().checked_rem(partitions.get()).unwrap_or(0)
    }

    /// What is divided for that, 0 to 2147483647: the hash that Java has of the id, without its
    /// sign.
    #[must_use]
    pub fn hash(&self) -> u32 {
        // Java's `Utils.abs` makes 0 of the least number.
        let hash = java_hash_code(&self.transactional_id).checked_abs();
        hash.unwrap_or(0).unsigned_abs()
    }
}

/// The value of a record: the state of a transactional id from there on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionLogValue {
    /// How the value is stored.
    pub version: Version,
    /// The producer id in use.
    pub producer_id: ProducerId,
    /// The producer id of the last transaction that ended; -1 none, and always in version 0.
    pub previous_producer_id: ProducerId,
    /// The id that follows when the epochs run out; -1 none, and always in version 0.
    pub next_producer_id: ProducerId,
    /// The epoch in use.
    pub producer_epoch: ProducerEpoch,
    /// The epoch that goes with the next producer id; -1 none, and always in version 0.
    pub next_producer_epoch: ProducerEpoch,
    /// How long a transaction may stay open before the coordinator aborts it, in milliseconds.
    pub transaction_timeout_ms: i32,
    /// What the transaction is doing.
    pub transaction_status: TransactionStatus,
    /// The partitions in the transaction; `None` is null, which a broker writes when it is empty
    /// and takes in no other status.
    pub transaction_partitions: Option<Vec<TopicPartitions>>,
    /// When the state last changed.
    pub last_update_timestamp: Timestamp,
    /// When the transaction began; -1 while none did.
    pub start_timestamp: Timestamp,
    /// The version of the transaction protocol that the client speaks; 0 in version 0.
    pub client_transaction_version: i16,
    /// Fields of a later version; none in version 0.
    pub tagged_fields: Vec<TaggedField>,
}

/// Partitions of one topic that are in a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPartitions {
    /// The topic's name, as its bytes.
    pub topic: Vec<u8>,
    /// The numbers of the partitions, 0 and up.
    pub partition_ids: Vec<i32>,
    /// Fields of a later version; none in version 0.
    pub tagged_fields: Vec<TaggedField>,
}

impl TransactionLogValue {
    /// Reads a value. A known tagged field that comes twice counts the last time.
    ///
    /// # Errors
    /// [`Problem::OutOfRange`] for the field `version`, over which a broker passes; otherwise
    /// [`Malformed`] where Kafka's reader fails. An unknown status is no error here.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let start = cursor;
        let number = cursor.i16("version")?;
        let Some(version) = Version::of(number) else {
            let stored = i64::from(number);
            let expected = "0 or 1";
            return Err(start.fault("version", Problem::OutOfRange { stored, expected }));
        };
        let mut value = Self {
            version,
            producer_id: ProducerId(cursor.i64("producerId")?),
            previous_producer_id: ProducerId::NONE,
            next_producer_id: ProducerId::NONE,
            producer_epoch: ProducerEpoch(cursor.i16("producerEpoch")?),
            next_producer_epoch: ProducerEpoch(-1),
            transaction_timeout_ms: cursor.i32("transactionTimeoutMs")?,
            transaction_status: TransactionStatus::from_id(cursor.i8("transactionStatus")?),
            transaction_partitions: read_partitions(&mut cursor, version)?,
            last_update_timestamp: Timestamp(cursor.i64("transactionLastUpdateTimestampMs")?),
            start_timestamp: Timestamp(cursor.i64("transactionStartTimestampMs")?),
            client_transaction_version: 0,
            tagged_fields: Vec::new(),
        };
        if version == Version::V1 {
            value.tagged_fields =
                flexible::read_tagged_fields_beside(&mut cursor, |tag, cursor| {
                    value.read_known_field(tag, cursor)
                })?;
        }
        Ok(value)
    }

    fn read_known_field(&mut self, tag: u32, cursor: &mut Cursor<'_>) -> Result<bool, Malformed> {
        match tag {
            PREVIOUS_PRODUCER_ID => {
                self.previous_producer_id = ProducerId(cursor.i64("previousProducerId")?);
            }
            NEXT_PRODUCER_ID => {
                self.next_producer_id = ProducerId(cursor.i64("nextProducerId")?);
            }
            CLIENT_TRANSACTION_VERSION => {
                self.client_transaction_version = cursor.i16("clientTransactionVersion")?;
            }
            NEXT_PRODUCER_EPOCH => {
                self.next_producer_epoch = ProducerEpoch(cursor.i16("nextProducerEpoch")?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The bytes of the value. Version 0 has no room for what only version 1 has.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.number().to_be_bytes().to_vec();
        out.extend(self.producer_id.0.to_be_bytes());
        out.extend(self.producer_epoch.0.to_be_bytes());
        out.extend(self.transaction_timeout_ms.to_be_bytes());
        out.extend(self.transaction_status.id().to_be_bytes());
        let topics = self.transaction_partitions.as_deref();
        let count = topics.map(<[_]>::len);
        match self.version {
            Version::V0 => inflexible::put_nullable_count(count, &mut out),
            Version::V1 => flexible::put_nullable_count(count, &mut out),
        }
        for topic in topics.unwrap_or_default() {
            topic.put(self.version, &mut out);
        }
        out.extend(self.last_update_timestamp.0.to_be_bytes());
        out.extend(self.start_timestamp.0.to_be_bytes());
        if self.version == Version::V1 {
            let mut fields = self.known_fields();
            fields.extend(self.tagged_fields.iter().cloned());
            flexible::put_tagged_fields(&fields, &mut out);
        }
        out
    }

    /// The known tagged fields that do not have their default, by rising tag.
    fn known_fields(&self) -> Vec<TaggedField> {
        let mut fields = Vec::new();
        let mut put = |tag, is_default: bool, bytes: &[u8]| {
            if !is_default {
                let data = bytes.to_vec();
                fields.push(TaggedField { tag, data });
            }
        };
        let ProducerId(previous) = self.previous_producer_id;
        put(
            PREVIOUS_PRODUCER_ID,
            previous == -1,
            &previous.to_be_bytes(),
        );
        let ProducerId(next) = self.next_producer_id;
        put(NEXT_PRODUCER_ID, next == -1, &next.to_be_bytes());
        let client = self.client_transaction_version;
        put(
            CLIENT_TRANSACTION_VERSION,
            client == 0,
            &client.to_be_bytes(),
        );
        let ProducerEpoch(epoch) = self.next_producer_epoch;
        put(NEXT_PRODUCER_EPOCH, epoch == -1, &epoch.to_be_bytes());
        fields
    }

    /// Whether a partition is in the transaction.
    #[must_use]
    pub fn has_partition(&self, topic: &[u8], partition: i32) -> bool {
        let topics = self.transaction_partitions.as_deref().unwrap_or_default();
        topics
            .iter()
            .any(|named| named.topic == topic && named.partition_ids.contains(&partition))
    }
}

fn read_partitions(
    cursor: &mut Cursor<'_>,
    version: Version,
) -> Result<Option<Vec<TopicPartitions>>, Malformed> {
    const FIELD: &str = "transactionPartitions";
    match version {
        Version::V0 => inflexible::read_nullable_list(cursor, FIELD, TopicPartitions::read_plain),
        Version::V1 => flexible::read_nullable_list(cursor, FIELD, TopicPartitions::read_compact),
    }
}

impl TopicPartitions {
    fn read_plain(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            topic: inflexible::read_text(cursor, "topic")?,
            partition_ids: inflexible::read_list(cursor, "partitionIds", partition_id)?,
            tagged_fields: Vec::new(),
        })
    }

    fn read_compact(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            topic: flexible::read_text(cursor, "topic")?,
            partition_ids: flexible::read_list(cursor, "partitionIds", partition_id)?,
            tagged_fields: flexible::read_tagged_fields(cursor)?,
        })
    }

    fn put(&self, version: Version, out: &mut Vec<u8>) {
        let count = self.partition_ids.len();
        match version {
            Version::V0 => {
                inflexible::put_text(&self.topic, out);
                inflexible::put_nullable_count(Some(count), out);
            }
            Version::V1 => {
                flexible::put_text(&self.topic, out);
                flexible::put_count(count, out);
            }
        }
        for id in &self.partition_ids {
            out.extend(id.to_be_bytes());
        }
        if version == Version::V1 {
            flexible::put_tagged_fields(&self.tagged_fields, out);
        }
    }
}

fn partition_id(cursor: &mut Cursor<'_>) -> Result<i32, Malformed> {
    cursor.i32("partitionIds")
}

#[cfg(test)]
mod tests;
