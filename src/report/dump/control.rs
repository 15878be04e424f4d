//! Control records as the stock tool and the mirroring fork print them.

use super::view::Batch;
use crate::format::control::{ControlKey, ControlType};
use crate::format::malformed::Malformed;
use crate::report::control_json::push_control_tail;
use crate::storage::damage::Damage;
use crate::storage::segment::contents::Entry;
use crate::storage::segment::control_faults;

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

/// See [`control_faults::barrier_fault`].
pub(super) fn barrier_fault(
    batch: &Batch<'_>,
    entry: &Entry<'_>,
    control_type: ControlType,
) -> Option<Damage> {
    control_faults::barrier_fault(
        batch.span.position,
        batch.producer_id(),
        entry,
        control_type,
    )
}

/// The fault of a control record whose key or value does not decode.
pub(super) fn malformed(batch: &Batch<'_>, entry: &Entry<'_>, fault: &Malformed) -> Damage {
    control_faults::malformed(batch.span.position, entry, fault)
}
