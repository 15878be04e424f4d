//! A segment of the result: while it grows from stretches of an old one, and when it is known.

use super::content::BatchEdit;
use super::index_check::Fault;
use super::txn_check::Aborted;
use crate::format::batch_in_place::BatchInPlace;
use crate::format::malformed::Malformed;
use crate::format::number::{LeaderEpoch, Offset};

/// Bytes of an old segment that stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Where they begin in the old file.
    pub(super) position: u64,
    /// How many.
    pub(super) length: u64,
    /// What changes in the one batch that they are.
    pub(super) change: Option<Unsealed>,
}

/// The fields of a batch that no checksum covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsealed {
    pub(super) base_offset: Offset,
    pub(super) leader_epoch: LeaderEpoch,
}

impl BatchEdit for Unsealed {
    fn edit(&self, batch: &mut Vec<u8>) -> Result<(), Malformed> {
        let mut batch = BatchInPlace::open(batch)?;
        batch.set_base_offset(self.base_offset);
        batch.set_partition_leader_epoch(self.leader_epoch);
        Ok(())
    }
}

/// What becomes a segment of the result.
pub(super) struct Part {
    pub(super) base: Offset,
    pub(super) stretches: Vec<Stretch>,
    pub(super) has_batch: bool,
    /// What its transaction index should say.
    pub(super) aborted: Aborted,
}

impl Part {
    pub(super) fn new(base: Offset) -> Self {
        Self {
            base,
            stretches: Vec::new(),
            has_batch: false,
            aborted: Aborted::default(),
        }
    }

    /// Takes a batch of the old file in.
    pub(super) fn add(&mut self, position: u64, length: u64, change: Option<Unsealed>) {
        match self.stretches.last_mut() {
            Some(last)
                if change.is_none()
                    && last.change.is_none()
                    && last.position + last.length == position =>
            {
                last.length += length;
            }
            _ => self.stretches.push(Stretch {
                position,
                length,
                change,
            }),
        }
    }
}

/// A segment of the result.
#[derive(Debug)]
pub(super) struct KeptSegment {
    pub(super) base: Offset,
    /// The log file that it comes from.
    pub(super) source: String,
    /// What of that file stays.
    pub(super) stretches: Vec<Stretch>,
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
