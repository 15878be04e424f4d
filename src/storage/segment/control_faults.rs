//! What is wrong with a control record, as damage of its batch.

use super::contents::Entry;
use crate::format::control::{ControlKey, ControlType, EndTxnMarker};
use crate::format::kraft::kraft_version::KRaftVersion;
use crate::format::kraft::leader_change::LeaderChange;
use crate::format::kraft::snapshot_footer::SnapshotFooter;
use crate::format::kraft::snapshot_header::SnapshotHeader;
use crate::format::kraft::voters::Voters;
use crate::format::malformed::{Malformed, Problem};
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::number::ProducerId;
use crate::storage::damage::{Code, Damage};

/// The fault of a control record, if it has one, of the batch of `producer` that begins at byte
/// `position`.
#[must_use]
pub fn control_fault(position: u64, producer: ProducerId, entry: &Entry<'_>) -> Option<Damage> {
    let key = match ControlKey::decode(entry.key) {
        Ok(key) => key,
        Err(fault) => return Some(malformed(position, entry, &fault)),
    };
    match decode_value(key.control_type, entry.value) {
        Ok(()) => barrier_fault(position, producer, entry, key.control_type),
        Err(fault) => Some(malformed(position, entry, &fault)),
    }
}

fn decode_value(control_type: ControlType, value: Option<&[u8]>) -> Result<(), Malformed> {
    let kraft = || {
        value.ok_or(Malformed {
            field: "value",
            at: 0,
            problem: Problem::Null,
        })
    };
    match control_type {
        ControlType::Abort | ControlType::Commit => EndTxnMarker::decode(value).map(drop),
        ControlType::LeaderChange => LeaderChange::decode(kraft()?).map(drop),
        ControlType::SnapshotHeader => SnapshotHeader::decode(kraft()?).map(drop),
        ControlType::SnapshotFooter => SnapshotFooter::decode(kraft()?).map(drop),
        ControlType::KRaftVersion => KRaftVersion::decode(kraft()?).map(drop),
        ControlType::KRaftVoters => Voters::decode(kraft()?).map(drop),
        ControlType::MirrorPidReset | ControlType::Unknown(_) => Ok(()),
    }
}

/// What is wrong with a MIRROR_PID_RESET: an unknown layout, or a producer id, with which a
/// broker fails to load the log.
#[must_use]
pub fn barrier_fault(
    position: u64,
    producer: ProducerId,
    entry: &Entry<'_>,
    control_type: ControlType,
) -> Option<Damage> {
    if control_type != ControlType::MirrorPidReset {
        return None;
    }
    let offset = entry.offset;
    let message = match MirrorPidReset::decode(entry.value) {
        MirrorPidReset::Unknown { fault, .. } => {
            format!(
                "offset {offset}: expected a MirrorPidReset value of 3 bytes or with a source \
                     cluster id; {fault}"
            )
        }
        _ if producer.0 >= 0 => format!(
            "offset {offset}: expected producerId -1 in a MIRROR_PID_RESET batch, found \
             {producer}; a broker does not load this log"
        ),
        _ => return None,
    };
    Some(Damage {
        position,
        size: 0,
        code: Code::BarrierMalformed,
        message,
    })
}

/// The fault of a control record whose key or value does not decode.
#[must_use]
pub fn malformed(position: u64, entry: &Entry<'_>, fault: &Malformed) -> Damage {
    Damage {
        position,
        size: 0,
        code: Code::MarkerMalformed,
        message: format!("offset {}: control record: {fault}", entry.offset),
    }
}
