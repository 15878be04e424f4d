//! What is wrong with a record set beside its records, as damage.

use super::contents::{Checksum, Entry};
use super::walk::Span;
use crate::format::number::Offset;
use crate::storage::damage::{Code, Damage};

/// The stored checksum is another than that of the bytes. `offsets` are the first and the last by
/// the header; `swallowed` is what [`super::walk::Walk::swallowed_by`] tells.
#[must_use]
pub fn crc_mismatch(
    span: Span,
    offsets: (Offset, Offset),
    checksum: Checksum,
    swallowed: &str,
) -> Damage {
    let Checksum { stored, computed } = checksum;
    let (first, last) = offsets;
    Damage {
        position: span.position,
        size: 0,
        code: Code::CrcMismatch,
        message: format!(
            "offsets {first} to {last}: stored crc {stored}, computed {computed} over {} bytes; \
             compare with another replica{swallowed}",
            span.size
        ),
    }
}

/// The record set at `span` begins with offset `first`, and the one in front of it, which begins
/// at byte `position`, ends with `last`, which is not below that.
#[must_use]
pub fn offset_regression(span: Span, (position, last): (u64, Offset), first: Offset) -> Damage {
    Damage {
        position: span.position,
        size: 0,
        code: Code::OffsetRegression,
        message: format!(
            "expected an offset above {last}, the last of the batch at position {position}, found \
             {first} at position {}",
            span.position
        ),
    }
}

/// The fault of a message inside the compressed wrapper of magic 0 or 1 at `span`: no broker
/// compares its checksum, and the wrapper's says only that it was written so.
#[must_use]
#[inline]
pub fn inner_crc_mismatch(span: Span, entry: &Entry<'_>) -> Option<Damage> {
    let Checksum { stored, computed } = entry.checksum.filter(|crc| !crc.is_valid())?;
    Some(Damage {
        position: span.position,
        size: 0,
        code: Code::CrcMismatch,
        message: format!(
            "offset {}, a message inside the wrapper: expected crc {computed}, found {stored}",
            entry.offset
        ),
    })
}
