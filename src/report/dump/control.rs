//! Control records as the stock tool and the mirroring fork print them.

use super::view::Batch;
use crate::storage::damage::Damage;
use crate::storage::segment::contents::Entry;

/// Appends what a control record says.
pub(super) fn push_text(_: &Batch<'_>, _: &Entry<'_>, _: &mut Vec<u8>) -> Option<Damage> {
    None
}
