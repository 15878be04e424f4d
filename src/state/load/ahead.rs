//! Looks at the batches in front of a load, so that their producers are near when it comes to them.
//!
//! A load takes batches in one by one, as a broker does, and would wait for memory with each.
//! Look-ups of many do not depend on each other. They change nothing: what is wrong with a batch is
//! for the load itself to find.

use super::stream::Stream;
use crate::format::number::{Offset, ProducerId};
use crate::state::table::Slot;
use crate::storage::source::Source;

/// How many batches are looked at in one go.
const TOGETHER: u32 = 32;

/// A second look at the batches of a [`Stream`], in front of the first.
pub(super) struct Ahead<'s> {
    /// Nothing where it would cost a second reading.
    stream: Option<Stream<'s>>,
    /// For how many batches it was done already.
    done: u32,
}

impl<'s> Ahead<'s> {
    /// Begins where the stream does, at `position`.
    pub(super) fn new(source: &'s Source, segment: Offset, position: u64, end: u64) -> Self {
        let is_mapped = source.as_slice().is_some();
        Self {
            stream: is_mapped.then(|| Stream::new(source, segment, position, end)),
            done: 0,
        }
    }

    /// To be called with each batch; `find` looks a producer up.
    #[inline]
    pub(super) fn step(&mut self, find: impl Fn(ProducerId) -> Option<Slot>) {
        if self.done > 0 {
            self.done = self.done.saturating_sub(1);
            return;
        }
        let Some(stream) = &mut self.stream else {
            return;
        };
        for _ in 0..TOGETHER {
            let Ok(Some(batch)) = stream.next() else {
                self.stream = None;
                return;
            };
            std::hint::black_box(find(batch.producer_id));
        }
        self.done = TOGETHER.saturating_sub(1);
    }
}
