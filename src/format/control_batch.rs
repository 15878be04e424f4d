//! Whole control batches as a broker appends them: one record whose key names the kind.
//!
//! ```text
//! end of a transaction:  attributes 0x0030, the producer's id and epoch, sequence -1
//! MIRROR_PID_RESET:      attributes 0x0020, producer id, epoch and sequence -1
//! ```
//!
//! Source: `MemoryRecords.withEndTransactionMarker` 4.4.0; the barrier is KIP-1279's and in no
//! release.

use super::batch::Attributes;
use super::batch_draft::{self, BatchDraft, RecordDraft};
use super::control::{ControlKey, ControlType, EndTxnMarker};
use super::malformed::Malformed;
use super::mirror_reset::MirrorPidReset;
use super::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp};

/// Where and when a control batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its only offset.
    pub offset: Offset,
    /// The epoch of the leader that appends it.
    pub partition_leader_epoch: LeaderEpoch,
    /// Its only time.
    pub timestamp: Timestamp,
}

/// Appends the marker that ends a producer's transaction: [`ControlType::Abort`] or
/// [`ControlType::Commit`].
///
/// # Errors
/// None in practice: those of [`batch_draft::encode`], which such a batch is too small for.
///
/// ```
/// use kfsck::format::control::{ControlType, EndTxnMarker};
/// use kfsck::format::control_batch::{Place, put_end_txn_marker};
/// use kfsck::format::number::{
///     CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp,
/// };
///
/// # fn main() -> Result<(), kfsck::format::malformed::Malformed> {
/// let place = Place {
///     offset: Offset(99),
///     partition_leader_epoch: LeaderEpoch(7),
///     timestamp: Timestamp(1_774_000_000_000),
/// };
/// let marker = EndTxnMarker::new(CoordinatorEpoch(0));
/// let mut log = Vec::new();
/// put_end_txn_marker(
///     place, (ProducerId(5), ProducerEpoch(0)), ControlType::Abort, marker, &mut log,
/// )?;
/// assert_eq!(log.len(), 78);
/// # Ok(())
/// # }
/// ```
pub fn put_end_txn_marker(
    place: Place,
    (producer_id, producer_epoch): (ProducerId, ProducerEpoch),
    outcome: ControlType,
    marker: EndTxnMarker,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let draft = BatchDraft {
        attributes: Attributes::PLAIN.with_transactional().with_control(),
        producer_id,
        producer_epoch,
        ..draft(place)
    };
    put(&draft, outcome, Some(&marker.encode()), out)
}

/// Appends the barrier of Cluster Mirroring, in the layout of the value.
///
/// # Errors
/// Those of [`batch_draft::encode`], for a cluster id of gigabytes.
///
/// ```
/// use kfsck::format::control_batch::{Place, put_mirror_pid_reset};
/// use kfsck::format::mirror_reset::MirrorPidReset;
/// use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
///
/// # fn main() -> Result<(), kfsck::format::malformed::Malformed> {
/// let place = Place {
///     offset: Offset(100),
///     partition_leader_epoch: LeaderEpoch(7),
///     timestamp: Timestamp(1_774_000_000_000),
/// };
/// let mut log = Vec::new();
/// put_mirror_pid_reset(place, &MirrorPidReset::Bare { version: 0 }, &mut log)?;
/// assert_eq!(log.len(), 75);
/// # Ok(())
/// # }
/// ```
pub fn put_mirror_pid_reset(
    place: Place,
    barrier: &MirrorPidReset,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let draft = BatchDraft {
        attributes: Attributes::PLAIN.with_control(),
        ..draft(place)
    };
    let value = barrier.encode();
    put(&draft, ControlType::MirrorPidReset, value.as_deref(), out)
}

fn draft(place: Place) -> BatchDraft {
    BatchDraft::plain(place.offset, place.partition_leader_epoch, place.timestamp)
}

fn put(
    draft: &BatchDraft,
    kind: ControlType,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let record = RecordDraft {
        timestamp: draft.base_timestamp,
        offset_delta: 0,
        key: Some(&ControlKey::new(kind).encode()),
        value,
        headers: &[],
    };
    batch_draft::encode(draft, [record], out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;
    use crate::format::number::CoordinatorEpoch;

    /// What stands in front of the records: fields up to the checksum, and those behind it.
    fn labelled(front: &str, attributes: &str, producer: &str, record: &str) -> Vec<u8> {
        let times = "0000019d0aa3cc00 0000019d0aa3cc00";
        // lastOffsetDelta before the times, no sequence and the count of one behind the producer.
        let rest = format!("{attributes} 00000000 {times} {producer} ffffffff 00000001");
        hex(&format!("{front} {rest} {record}"))
    }

    fn place(offset: i64) -> Place {
        Place {
            offset: Offset(offset),
            partition_leader_epoch: LeaderEpoch(7),
            timestamp: Timestamp(1_774_000_000_000),
        }
    }

    /// As KIP-1279's prototype writes it.
    #[test]
    fn an_abort_labelled_by_hand() {
        let expected = labelled(
            "0000000000000063 00000042 00000007 02 c5efdfdc",
            "0030",
            "0000000000000005 0000",
            "20 00 00 00 08 0000 0000 0c 0000 00000000 00",
        );
        let marker = EndTxnMarker::new(CoordinatorEpoch(0));
        let producer = (ProducerId(5), ProducerEpoch(0));
        let mut out = Vec::new();
        put_end_txn_marker(place(99), producer, ControlType::Abort, marker, &mut out).unwrap();
        assert_eq!(out, expected);
    }

    /// Both layouts of the barrier's value as KIP-1279's prototypes wrote them.
    #[test]
    fn barriers_labelled_by_hand() {
        let sourced = labelled(
            "0000000000000064 00000056 00000007 02 f22ff56c",
            "0020",
            "ffffffffffffffff ffff",
            "48 00 00 00 08 0000 0007 34 0000
             17 41424569 4d305256 5a6e6549 6d617137 7a4e3375 5f77 00 00",
        );
        let bare = labelled(
            "0000000000000064 0000003f 00000007 02 fd99d6dc",
            "0020",
            "ffffffffffffffff ffff",
            "1a 00 00 00 08 0000 0007 06 0000 00 00",
        );
        let layout_a = MirrorPidReset::Sourced {
            version: 0,
            source_cluster_id: b"ABEiM0RVZneImaq7zN3u_w".to_vec(),
            tagged_fields: vec![],
        };
        for (barrier, expected) in [
            (layout_a, sourced),
            (MirrorPidReset::Bare { version: 0 }, bare),
        ] {
            let mut out = Vec::new();
            put_mirror_pid_reset(place(100), &barrier, &mut out).unwrap();
            assert_eq!(out, expected);
        }
    }

    /// Every marker of a log that Kafka's classes wrote.
    #[test]
    fn the_markers_of_real_kafka() {
        use crate::format::batch::Header;
        use crate::format::cursor::Cursor;
        use crate::format::record::Record;

        let mut rest: &[u8] =
            include_bytes!("../../testdata/kafka/control/end-markers-0/00000000000000000407.log");
        let mut count = 0;
        while let Some(header) = Header::at_front_of(rest) {
            let size = usize::try_from(header.batch_length()).unwrap() + 12;
            let (batch, behind) = rest.split_at(size);
            rest = behind;
            let mut cursor = Cursor::new(&batch[crate::format::batch::HEADER_SIZE..]);
            cursor.varint("size").unwrap();
            let record = Record::decode(cursor.rest()).unwrap();
            let kind = ControlKey::decode(record.key).unwrap().control_type;
            let marker = EndTxnMarker::decode(record.value).unwrap();
            let place = Place {
                offset: header.base_offset(),
                partition_leader_epoch: header.partition_leader_epoch(),
                timestamp: header.max_timestamp(),
            };
            let producer = (header.producer_id(), header.producer_epoch());
            let mut out = Vec::new();
            put_end_txn_marker(place, producer, kind, marker, &mut out).unwrap();
            assert_eq!(out, batch);
            count += 1;
        }
        assert!(count > 3, "{count} markers");
    }
}
