//! The records of `__remote_log_metadata`: which segments lie in remote storage (KIP-405,
//! `RemoteLogMetadataSerde` of Kafka 4.4.0).
//!
//! They lie in the frame of [`metadata_record`](super::metadata_record). Kafka makes objects of
//! them, which refuse more than the bytes alone do. A record is trusted as far as its batch is.

use super::metadata_record::{MetadataFault, MetadataRecord};
use super::number::Offset;
use super::schema::table::storage;
use super::schema::{Message, Struct};

/// Why a value is no such record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteLogFault {
    /// There is no value.
    #[error("the value is null")]
    NoValue,
    /// The frame or the message does not decode.
    #[error("{0}")]
    Frame(MetadataFault),
    /// A segment begins below 0.
    #[error("startOffset: expected 0 or more, found {0}")]
    StartOffset(Offset),
    /// A segment ends in front of its beginning.
    #[error("endOffset: expected startOffset {start} or more, found {end}")]
    EndOffset {
        /// Where it begins.
        start: Offset,
        /// Where it ends.
        end: Offset,
    },
    /// A segment has no leader epoch.
    #[error("segmentLeaderEpochs: expected one or more, found none")]
    NoLeaderEpochs,
    /// No state that Kafka 4.4.0 knows.
    #[error("{field}: expected a state of Kafka 4.4.0, found {id}")]
    UnknownState {
        /// Whose state.
        field: &'static str,
        /// The number that is stored.
        id: i64,
    },
}

/// The field with the state of a segment in remote storage.
pub const SEGMENT_STATE: &str = "remoteLogSegmentState";
/// The field with the state of a partition whose remote segments are deleted.
pub const DELETE_STATE: &str = "remotePartitionDeleteState";

const SEGMENT_STATES: [&str; 4] = [
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
];
const DELETE_STATES: [&str; 3] = [
    "DELETE_PARTITION_MARKED",
    "DELETE_PARTITION_STARTED",
    "DELETE_PARTITION_FINISHED",
];

/// The name of the state that a field holds as a number (`RemoteLogSegmentState`,
/// `RemotePartitionDeleteState`); `None` for another field and for a number that is no state.
#[must_use]
pub fn state_name(field: &str, id: i64) -> Option<&'static str> {
    let names: &[&str] = match field {
        SEGMENT_STATE => &SEGMENT_STATES,
        DELETE_STATE => &DELETE_STATES,
        _ => return None,
    };
    names.get(usize::try_from(id).ok()?).copied()
}

/// Reads the value of a record.
///
/// # Errors
/// [`RemoteLogFault`], where Kafka's reader fails too.
pub fn decode(value: Option<&[u8]>) -> Result<MetadataRecord<'_>, RemoteLogFault> {
    let value = value.ok_or(RemoteLogFault::NoValue)?;
    let record = MetadataRecord::decode_among(&storage::RECORDS, Some(value))
        .map_err(RemoteLogFault::Frame)?;
    check(record.message, &record.body)?;
    Ok(record)
}

/// What the constructors of Kafka's objects ask for, in their order.
fn check(message: &Message, body: &Struct<'_>) -> Result<(), RemoteLogFault> {
    match message.shape.name {
        "RemoteLogSegmentMetadataRecord" => {
            offsets(body)?;
            leader_epochs(body)?;
            state(body, SEGMENT_STATE)
        }
        "RemoteLogSegmentMetadataSnapshotRecord" => {
            state(body, SEGMENT_STATE)?;
            leader_epochs(body)
        }
        "RemoteLogSegmentMetadataUpdateRecord" => state(body, SEGMENT_STATE),
        _ => state(body, DELETE_STATE),
    }
}

fn offsets(body: &Struct<'_>) -> Result<(), RemoteLogFault> {
    let offset = |name| Offset(body.int(name).unwrap_or_default());
    let (start, end) = (offset("startOffset"), offset("endOffset"));
    match (start.0 < 0, end < start) {
        (true, _) => Err(RemoteLogFault::StartOffset(start)),
        (false, true) => Err(RemoteLogFault::EndOffset { start, end }),
        (false, false) => Ok(()),
    }
}

fn leader_epochs(body: &Struct<'_>) -> Result<(), RemoteLogFault> {
    match body.list("segmentLeaderEpochs") {
        None | Some([]) => Err(RemoteLogFault::NoLeaderEpochs),
        Some(_) => Ok(()),
    }
}

fn state(body: &Struct<'_>, field: &'static str) -> Result<(), RemoteLogFault> {
    let id = body.int(field).unwrap_or_default();
    match state_name(field, id) {
        Some(_) => Ok(()),
        None => Err(RemoteLogFault::UnknownState { field, id }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    const ID: &str = "00112233445566778899aabbccddeeff";

    /// `RemoteLogSegmentMetadataRecord` 0 by hand: the frame; the id of the segment with topic,
    /// topic id and partition; offsets 5 to 9, broker 1, two times, the epochs, 77 bytes, no
    /// metadata of the storage's own, the state, no tagged fields.
    fn segment(start: &str, end: &str, epochs: &str, state: &str) -> Vec<u8> {
        let id = format!("02 61 {ID} 00000003 00 {ID} 00");
        let offsets = format!("{start} {end} 00000001 0000000000000007 0000000000000008");
        hex(&format!(
            "01 00 00 {id} {offsets} {epochs} 0000004d 00 {state} 00"
        ))
    }

    const FIVE: &str = "0000000000000005";
    const NINE: &str = "0000000000000009";
    const EPOCH: &str = "02 00000002 0000000000000005 00";

    #[test]
    fn a_segment_by_hand() {
        let bytes = segment(FIVE, NINE, EPOCH, "01");
        let record = decode(Some(&bytes)).unwrap();
        assert_eq!(record.body.int("endOffset"), Some(9));
        let state = record.body.int(SEGMENT_STATE).unwrap();
        assert_eq!(
            state_name(SEGMENT_STATE, state),
            Some("COPY_SEGMENT_FINISHED")
        );
        assert_eq!(state_name(DELETE_STATE, 3), None);
        assert_eq!(state_name("brokerId", 1), None);
    }

    #[test]
    fn each_fault_where_it_is() {
        let fault = |bytes: Vec<u8>| decode(Some(&bytes)).unwrap_err();
        assert_eq!(decode(None).unwrap_err(), RemoteLogFault::NoValue);
        assert!(matches!(fault(hex("01")), RemoteLogFault::Frame(_)));
        let unknown = MetadataFault::UnknownType(4);
        assert_eq!(fault(hex("01 04 00")), RemoteLogFault::Frame(unknown));
        let below = fault(segment("ffffffffffffffff", NINE, EPOCH, "01"));
        assert_eq!(below, RemoteLogFault::StartOffset(Offset(-1)));
        let (start, end) = (Offset(9), Offset(5));
        let back = fault(segment(NINE, FIVE, EPOCH, "01"));
        assert_eq!(back, RemoteLogFault::EndOffset { start, end });
        let none = fault(segment(FIVE, NINE, "01", "01"));
        assert_eq!(none, RemoteLogFault::NoLeaderEpochs);
        let (field, id) = (SEGMENT_STATE, -1);
        let state = fault(segment(FIVE, NINE, EPOCH, "ff"));
        assert_eq!(state, RemoteLogFault::UnknownState { field, id });
    }
}
