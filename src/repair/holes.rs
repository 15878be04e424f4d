//! Offsets that are missing in a log while transactions are open: end markers may have been there.

use crate::format::number::Offset;

/// Ranges of missing offsets, by rising offset.
#[derive(Debug, Default)]
pub(super) struct Holes(Vec<(Offset, Offset)>);

impl Holes {
    /// Nothing from `first` on, up to `next`.
    pub(super) fn add(&mut self, first: Offset, next: Offset) {
        self.0.push((first, next));
    }

    /// Whether one lies behind `after` and in front of `before`.
    pub(super) fn lie_between(&self, after: Offset, before: Offset) -> bool {
        let behind = self.0.partition_point(|(first, _)| *first <= after);
        let next = self.0.get(behind);
        next.is_some_and(|(_, next)| *next <= before)
    }

    /// Whether an offset is missing.
    pub(super) fn hold(&self, offset: Offset) -> bool {
        let upto = self.0.partition_point(|(first, _)| *first <= offset);
        let last = upto.checked_sub(1).and_then(|last| self.0.get(last));
        last.is_some_and(|(_, next)| offset < *next)
    }
}
