//! A segment of the result while it grows from stretches of an old one.

use super::txn_check::Aborted;
use crate::format::number::Offset;

/// What becomes a segment of the result.
pub(super) struct Part {
    pub(super) base: Offset,
    /// Positions and lengths in the old file, in bytes.
    pub(super) ranges: Vec<(u64, u64)>,
    pub(super) has_batch: bool,
    /// What its transaction index should say.
    pub(super) aborted: Aborted,
}

impl Part {
    pub(super) fn new(base: Offset) -> Self {
        Self {
            base,
            ranges: Vec::new(),
            has_batch: false,
            aborted: Aborted::default(),
        }
    }

    /// Takes a stretch of the old file in.
    pub(super) fn add(&mut self, position: u64, size: u64) {
        match self.ranges.last_mut() {
            Some((start, length)) if *start + *length == position => *length += size,
            _ => self.ranges.push((position, size)),
        }
    }
}
