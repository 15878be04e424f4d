//! A segment of the result: while it grows from stretches of an old one, and when it is known.

use super::index_check::Fault;
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

/// A segment of the result.
#[derive(Debug)]
pub(super) struct KeptSegment {
    pub(super) base: Offset,
    /// The log file that it comes from.
    pub(super) source: String,
    /// What of that file stays: positions and lengths, in bytes.
    pub(super) ranges: Vec<(u64, u64)>,
    /// Whether it is that file, all of it, under its own name.
    pub(super) is_unchanged: bool,
    /// Whether damage in it stays where it is.
    pub(super) is_damaged: bool,
    /// What is wrong with its offset index and its time index, of an unchanged segment.
    pub(super) faults: (Option<Fault>, Option<Fault>),
    /// What its transaction index should be, where it is another.
    pub(super) txn_index: Option<Vec<u8>>,
    /// Whether it holds a batch.
    pub(super) has_batch: bool,
}
