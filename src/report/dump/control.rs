//! Control records as the stock tool and the mirroring fork print them.

use super::view::Batch;
use crate::format::control::{ControlKey, ControlType};
use crate::format::malformed::Malformed;
use crate::format::mirror_reset::MirrorPidReset;
use crate::report::control_json::push_control_tail;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

/// Appends what a control record says; what is wrong with it comes back.
pub(super) fn push_text(batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage> {
    let key = match ControlKey::decode(entry.key) {
        Ok(key) => key,
        Err(fault) => return Some(malformed(batch, entry, &fault)),
    };
    match push_control_tail(key.control_type, entry.value, out) {
        Ok(()) => barrier_fault(batch, entry, key.control_type),
        Err(fault) => Some(malformed(batch, entry, &fault)),
    }
}

/// What is wrong with a MIRROR_PID_RESET: an unknown layout, or a producer id, with which a
/// broker fails to load the log.
pub(super) fn barrier_fault(
    batch: &Batch<'_>,
    entry: &Entry<'_>,
    control_type: ControlType,
) -> Option<Damage> {
    if control_type != ControlType::MirrorPidReset {
        return None;
    }
    let offset = entry.offset;
    let producer = batch.producer_id();
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
        position: batch.span.position,
        size: 0,
        code: Code::BarrierMalformed,
        message,
    })
}

/// The fault of a control record whose key or value does not decode.
pub(super) fn malformed(batch: &Batch<'_>, entry: &Entry<'_>, fault: &Malformed) -> Damage {
    Damage {
        position: batch.span.position,
        size: 0,
        code: Code::MarkerMalformed,
        message: format!("offset {}: control record: {fault}", entry.offset),
    }
}
