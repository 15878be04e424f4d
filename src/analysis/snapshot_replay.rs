//! The snapshots of a partition against its log, in one pass over the log however many snapshots
//! there are.

use std::path::PathBuf;

use super::belief::{Question, begin};
use super::log_findings::LogFindings;
use super::snapshot_queue::{Reached, SnapshotQueue};
use super::witness::{Witness, watch_segments};
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::{Batch, Control};
use crate::state::read::{ReadOptions, SegmentFile};
use crate::state::replay::{Replay, Visitor};
use crate::state::rules::RuleSet;
use crate::state::table::Table;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::Damage;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::ReadError;

pub use super::snapshot_queue::{Compared, Each};

/// How snapshots are compared.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Whose rules the log is read by.
    pub rules: &'static dyn RuleSet,
    /// How the log is read.
    pub read: ReadOptions,
    /// The clock and the age at which producers expire.
    pub expiry: Option<(Timestamp, i64)>,
}

/// Compares the snapshots in these files, given with their offsets, with the log beside them. Each
/// is read when the replay has come to its offset, and then given to `each`, so that one is in
/// memory at a time. What the log shows on the way goes to `found`, and how far the reading is to
/// `reached`, as [`Visitor::reached`] has it.
///
/// # Errors
/// A file of the log cannot be opened or read, or was changed meanwhile; snapshots that the replay
/// did not come to are then given to nobody.
pub fn compare_all(
    partition: &PartitionDirectory,
    checkpoints: &Checkpoints,
    snapshots: &[(Offset, PathBuf)],
    terms: &Terms,
    found: &mut LogFindings<'_>,
    reached: &mut dyn FnMut(Offset, u64),
    each: Each<'_>,
) -> Result<(), ReadError> {
    let offsets = snapshots.iter().map(|(offset, _)| *offset);
    let question = Question {
        rules: terms.rules,
        at: offsets.max(),
        read: terms.read,
        expiry: None,
    };
    let (mut belief, segments) = begin(partition, checkpoints, &question)?;
    let first_offset = segments
        .first()
        .map_or(Offset(0), |first| first.base_offset);
    let start = belief.log_start_offset;
    let queue = SnapshotQueue::new(partition, snapshots, terms, first_offset, start);
    let mut comparing = Comparing {
        queue,
        found,
        reached,
        each,
    };
    // Nothing in the log tells of the state at its first offset, and comparing the snapshot there
    // with itself would tell nothing either.
    comparing.upto(first_offset, first_offset, &Table::new());
    comparing.queue.knows_below = belief.began_with.is_some();
    let goes_on = watch_segments(&mut belief, &segments, &question, &mut comparing)?;
    // A segment whose tail compaction took ends below the next one's base.
    let last_base = segments.last().map(|last| last.base_offset);
    let end = belief
        .log_end_offset()
        .max(last_base.unwrap_or(first_offset));
    let log_end = belief.log_end_offset();
    // The last snapshot may lie where compaction took offsets, or inside a batch.
    let end = question.at.filter(|_| goes_on).unwrap_or(end).max(end);
    comparing.upto(end, log_end, belief.state.manager().producers());
    comparing.queue.rest(end, comparing.each);
    Ok(())
}

/// Compares each snapshot when the replay has come to its offset.
struct Comparing<'f, 't, 'e> {
    queue: SnapshotQueue,
    found: &'f mut LogFindings<'t>,
    reached: &'f mut dyn FnMut(Offset, u64),
    each: Each<'e>,
}

impl Comparing<'_, '_, '_> {
    /// Compares what waits for offsets up to `offset`; the replay has reached `reached`.
    fn upto(&mut self, offset: Offset, reached: Offset, producers: &Table<1>) {
        let reached = Reached {
            offset: reached,
            producers,
            traces: self.found.traces(),
            last_barrier: self.found.last_barrier(),
        };
        self.queue.upto(offset, &reached, self.each);
    }
}

impl Visitor for Comparing<'_, '_, '_> {
    fn damage(&mut self, segment: Offset, damage: &Damage) {
        self.found.damage(segment, damage);
    }

    fn reached(&mut self, segment: Offset, position: u64) {
        (self.reached)(segment, position);
    }
}

impl Witness for Comparing<'_, '_, '_> {
    fn segment(&mut self, segment: &SegmentFile) {
        self.found.segment(segment);
    }

    fn needs_state(&self, batch: &Batch) -> bool {
        self.queue
            .next()
            .is_some_and(|offset| offset <= batch.last_offset)
    }

    fn before(&mut self, state: &Replay<1>, batch: &Batch, control: Option<&Control>) {
        if self.needs_state(batch) {
            let producers = state.manager().producers();
            self.upto(batch.last_offset, state.next_offset(), producers);
        }
        self.found.before(state, batch, control);
    }
}
