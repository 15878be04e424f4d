//! The short way into a replay for batches that follow on the one before as most do: only what
//! producers have of them is new.

use super::{Replay, Visitor, WAITING, Waiting};
use crate::state::batch::{Batch, Marker};

impl<const N: usize> Replay<N> {
    /// Whether batches may be given by [`Replay::follow`] now. Each of them begins at
    /// [`Replay::next_offset`] of the one before, under the same leader epoch of 0 or more, and
    /// none is a control batch other than an end marker.
    #[must_use]
    pub const fn may_be_followed(&self) -> bool {
        self.start_batch.is_some() && self.upto.is_none() && self.chunk.is_none()
    }

    /// Takes in what producers have of a batch: of one that has a producer, which is not negative.
    /// [`Replay::followed`] tells the rest of it and of those without.
    #[inline]
    pub fn follow(&mut self, batch: Batch, marker: Option<Marker>, visitor: &mut dyn Visitor) {
        self.waiting.push(Waiting { batch, marker });
        if self.waiting.len() == WAITING {
            self.drain(visitor);
        }
    }

    /// So many batches followed, and `last` is the last of them.
    pub fn followed(&mut self, count: u64, last: &Batch) {
        self.batches = self.batches.saturating_add(count);
        self.position = last.place.end();
        self.next_offset = last.next_offset();
        self.manager.set_map_end_offset(self.next_offset);
    }
}
