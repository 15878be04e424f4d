//! What a pass over a log tells those who look for something.

use super::finding::Finding;
use crate::format::number::{Offset, Timestamp};
use crate::format::txn_index::AbortedTxn;
use crate::state::batch::{Batch, Control};
use crate::state::read::SegmentFile;
use crate::state::replay::Replay;
use crate::storage::damage::Damage;

/// Takes findings as they come.
pub type Found<'f> = &'f mut dyn FnMut(Finding);

/// A batch of the log, told in its order.
#[derive(Debug, Clone, Copy)]
pub struct CheckedBatch<'a> {
    /// Its header and its place.
    pub batch: &'a Batch,
    /// What its record says, of a control batch.
    pub control: Option<&'a Control>,
    /// Whether its checksum holds, or was not asked for.
    pub is_valid: bool,
    /// The greatest timestamp of its records; `None` when none was decoded.
    pub greatest_timestamp: Option<Timestamp>,
}

/// Looks for something while the log goes by. Each method has the findings' sink as its last
/// argument, and does nothing unless it is written.
pub trait Checker {
    /// Whether [`Checker::batch`] is to be told of the batches of the segment that begins. Asked
    /// once a segment, behind [`Checker::begin_segment`]: millions of calls that do nothing cost.
    fn wants_batches(&self) -> bool {
        true
    }

    /// The next segment cannot be read: nothing is told of it, and it is not missing.
    fn skip_segment(&mut self) {}

    /// The next segment begins.
    fn begin_segment(&mut self, _: &SegmentFile, _: Found<'_>) {}

    /// A batch of the segment, also one with a wrong checksum.
    fn batch(&mut self, _: &CheckedBatch<'_>, _: Found<'_>) {}

    /// A transaction of the segment was aborted: what its transaction index should say. Told some
    /// batches late, but before the segment ends.
    fn aborted(&mut self, _: &AbortedTxn, _: Found<'_>) {}

    /// A stretch of the segment that holds no batch.
    fn damage(&mut self, _: &Damage, _: Found<'_>) {}

    /// The segment has ended.
    fn end_segment(&mut self, _: Found<'_>) {}

    /// The least offset at which the state is wanted next, a snapshot's for example. Asked at the
    /// beginning of each segment and behind each [`Checker::state_at`].
    fn wants_state_at(&self) -> Option<Offset> {
        None
    }

    /// The state in front of the first batch that ends at the wanted offset or behind it.
    fn state_at(&mut self, _: Offset, _: &Replay<1>, _: Found<'_>) {}

    /// The log has ended in this state.
    fn end(&mut self, _: &Replay<1>, _: Found<'_>) {}
}
