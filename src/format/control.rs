//! Control records: their key, which names the kind, and the value of transaction end markers.
//!
//! ```text
//! key:               | version i16 | type i16 |               4 bytes; more may follow, unread
//! end marker value:  | version i16 | coordinator epoch i32 |  6 bytes; more may follow, unread
//! ```
//!
//! A control record is trusted as far as its batch is. Values of the other kinds: [`super::kraft`]
//! and [`super::mirror_reset`].
//! Source: `ControlRecordType`, `EndTransactionMarker` 4.4.0 (KIP-98, KIP-595, KIP-630, KIP-853);
//! type 7 is KIP-1279 and in no release.

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use super::number::CoordinatorEpoch;
use std::fmt;

/// Where the version stands in a key.
pub const KEY_VERSION: usize = 0;
/// Where the type stands in a key.
pub const KEY_TYPE: usize = KEY_VERSION + size_of::<i16>();
/// The least size of a key, in bytes.
pub const KEY_SIZE: usize = KEY_TYPE + size_of::<i16>();

/// Where the version stands in an end marker's value.
pub const MARKER_VERSION: usize = 0;
/// Where the coordinator's epoch stands in an end marker's value.
pub const MARKER_COORDINATOR_EPOCH: usize = MARKER_VERSION + size_of::<i16>();
/// The least size of an end marker's value, in bytes.
pub const MARKER_SIZE: usize = MARKER_COORDINATOR_EPOCH + size_of::<i32>();

/// The kind of a control record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ControlType {
    /// The transaction of the batch's producer ends and its records do not count.
    Abort,
    /// The transaction of the batch's producer ends and its records count.
    Commit,
    /// A KRaft leader begins its reign.
    LeaderChange,
    /// The first record of a KRaft snapshot.
    SnapshotHeader,
    /// The last record of a KRaft snapshot.
    SnapshotFooter,
    /// The version of the KRaft protocol in force.
    KRaftVersion,
    /// The voters of the KRaft quorum.
    KRaftVoters,
    /// The barrier of Cluster Mirroring: what was known of producers before it is void.
    MirrorPidReset,
    /// Any other number; a broker keeps such a record and passes over it.
    Unknown(i16),
}

impl ControlType {
    /// The kind that a number stands for.
    #[must_use]
    pub const fn from_id(id: i16) -> Self {
        match id {
            0 => Self::Abort,
            1 => Self::Commit,
            2 => Self::LeaderChange,
            3 => Self::SnapshotHeader,
            4 => Self::SnapshotFooter,
            5 => Self::KRaftVersion,
            6 => Self::KRaftVoters,
            7 => Self::MirrorPidReset,
            other => Self::Unknown(other),
        }
    }

    /// The number on disk.
    #[must_use]
    pub const fn id(self) -> i16 {
        match self {
            Self::Abort => 0,
            Self::Commit => 1,
            Self::LeaderChange => 2,
            Self::SnapshotHeader => 3,
            Self::SnapshotFooter => 4,
            Self::KRaftVersion => 5,
            Self::KRaftVoters => 6,
            Self::MirrorPidReset => 7,
            Self::Unknown(other) => other,
        }
    }

    /// Kafka's name; `UNKNOWN` for a number without one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Abort => "ABORT",
            Self::Commit => "COMMIT",
            Self::LeaderChange => "LEADER_CHANGE",
            Self::SnapshotHeader => "SNAPSHOT_HEADER",
            Self::SnapshotFooter => "SNAPSHOT_FOOTER",
            Self::KRaftVersion => "KRAFT_VERSION",
            Self::KRaftVoters => "KRAFT_VOTERS",
            Self::MirrorPidReset => "MIRROR_PID_RESET",
            Self::Unknown(_) => "UNKNOWN",
        }
    }

    /// Whether the record ends a transaction.
    #[must_use]
    pub const fn ends_transaction(self) -> bool {
        matches!(self, Self::Abort | Self::Commit)
    }
}

impl fmt::Display for ControlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => write!(f, "UNKNOWN({id})"),
            known => f.pad(known.name()),
        }
    }
}

/// The key of a control record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlKey {
    /// The version, 0 in every release; a higher one is read as 0.
    pub version: i16,
    /// The kind.
    pub control_type: ControlType,
}

impl ControlKey {
    /// The key that Kafka writes for a kind.
    #[must_use]
    pub const fn new(control_type: ControlType) -> Self {
        Self {
            version: 0,
            control_type,
        }
    }

    /// Reads a key by the rules of `ControlRecordType.parseTypeId`; bytes behind the fourth are
    /// not looked at.
    ///
    /// # Errors
    /// - [`Problem::Null`] without a key. Kafka dies of a `NullPointerException`.
    /// - [`Problem::Truncated`] below 4 bytes. Kafka: "Invalid value size found for control record
    ///   key. Must have at least 4 bytes, but found only N".
    /// - [`Problem::OutOfRange`] for a version below 0. Kafka: "Invalid version found for control
    ///   record: N. May indicate data corruption".
    pub fn decode(key: Option<&[u8]>) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(key.ok_or_else(|| null("key"))?);
        let mut key = Cursor::new(cursor.take(KEY_SIZE, "key")?);
        Ok(Self {
            version: read_version(&mut key)?,
            control_type: ControlType::from_id(key.i16("type")?),
        })
    }

    /// The bytes of the key.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        out.extend(self.control_type.id().to_be_bytes());
        out
    }
}

/// The value of a record that ends a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndTxnMarker {
    /// The version, 0 in every release; a higher one is read as 0.
    pub version: i16,
    /// The epoch of the coordinator that wrote it.
    pub coordinator_epoch: CoordinatorEpoch,
}

impl EndTxnMarker {
    /// The value that Kafka writes.
    #[must_use]
    pub const fn new(coordinator_epoch: CoordinatorEpoch) -> Self {
        Self {
            version: 0,
            coordinator_epoch,
        }
    }

    /// Reads a value by the rules of `EndTransactionMarker.deserializeValue`; bytes behind the
    /// sixth are not looked at.
    ///
    /// # Errors
    /// - [`Problem::Null`] without a value. Kafka dies of a `NullPointerException`: a broker does
    ///   not start with such a log.
    /// - [`Problem::OutOfRange`] for a version below 0. Kafka: "Invalid version found for end
    ///   transaction marker: N. May indicate data corruption".
    /// - [`Problem::Truncated`]. Kafka: a `BufferUnderflowException` without a text.
    pub fn decode(value: Option<&[u8]>) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(value.ok_or_else(|| null("value"))?);
        Ok(Self {
            version: read_version(&mut cursor)?,
            coordinator_epoch: CoordinatorEpoch(cursor.i32("coordinatorEpoch")?),
        })
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        out.extend(self.coordinator_epoch.0.to_be_bytes());
        out
    }
}

fn null(field: &'static str) -> Malformed {
    Malformed {
        field,
        at: 0,
        problem: Problem::Null,
    }
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<i16, Malformed> {
    let start = *cursor;
    let version = cursor.i16("version")?;
    if version < 0 {
        let stored = i64::from(version);
        let expected = "0 or more";
        return Err(start.fault("version", Problem::OutOfRange { stored, expected }));
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

    fn key(bytes: &str) -> Result<ControlKey, Malformed> {
        ControlKey::decode(Some(&hex(bytes)))
    }

    fn marker(bytes: &str) -> Result<EndTxnMarker, Malformed> {
        EndTxnMarker::decode(Some(&hex(bytes)))
    }

    #[test]
    fn every_number_keeps_its_kind() {
        for id in i16::MIN..=i16::MAX {
            assert_eq!(ControlType::from_id(id).id(), id);
        }
        assert_eq!(ControlType::from_id(1).to_string(), "COMMIT");
        assert_eq!(ControlType::from_id(337).to_string(), "UNKNOWN(337)");
        assert_eq!(ControlType::from_id(-1).to_string(), "UNKNOWN(-1)");
    }

    /// The keys that the stock reader was given, with what it made of them.
    #[test]
    fn keys_by_the_stock_rules() {
        assert_eq!(key("0000 0001"), Ok(ControlKey::new(ControlType::Commit)));
        assert_eq!(key("0003 0001").unwrap().control_type, ControlType::Commit);
        assert_eq!(
            key("0000 0001 ffff"),
            Ok(ControlKey::new(ControlType::Commit))
        );
        let short = Problem::Truncated { needed: 4, left: 3 };
        assert_eq!(key("0000 00").unwrap_err().problem, short);
        assert!(matches!(
            key("ffff 0001").unwrap_err().problem,
            Problem::OutOfRange { .. }
        ));
        assert_eq!(ControlKey::decode(None).unwrap_err().problem, Problem::Null);
    }

    /// The values that the stock reader was given, with what it made of them.
    #[test]
    fn markers_by_the_stock_rules() {
        let seven = EndTxnMarker::new(CoordinatorEpoch(7));
        assert_eq!(marker("0000 00000007"), Ok(seven));
        assert_eq!(marker("0005 00000009 ff").unwrap().coordinator_epoch.0, 9);
        assert!(matches!(
            marker("fffe 00000001").unwrap_err().problem,
            Problem::OutOfRange { .. }
        ));
        assert!(matches!(
            marker("0000 000000").unwrap_err().problem,
            Problem::Truncated { .. }
        ));
        assert_eq!(
            EndTxnMarker::decode(None).unwrap_err().problem,
            Problem::Null
        );
    }

    #[test]
    fn cut_and_flipped_bytes_are_refused_or_read_and_written_again() {
        let (key, value) = (hex("0000 0007"), hex("0000 00000007"));
        for cut in truncations(&key) {
            assert_inside(&ControlKey::decode(Some(cut)).unwrap_err(), cut);
        }
        for cut in truncations(&value) {
            assert_inside(&EndTxnMarker::decode(Some(cut)).unwrap_err(), cut);
        }
        for flipped in bit_flips(&key) {
            match ControlKey::decode(Some(&flipped)) {
                Ok(read) => assert_eq!(read.encode(), flipped),
                Err(fault) => assert_inside(&fault, &flipped),
            }
        }
        for flipped in bit_flips(&value) {
            match EndTxnMarker::decode(Some(&flipped)) {
                Ok(read) => assert_eq!(read.encode(), flipped),
                Err(fault) => assert_inside(&fault, &flipped),
            }
        }
    }
}
