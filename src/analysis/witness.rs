//! A replay that is watched batch by batch, so that what lies between batches can be judged too.

use std::ops::ControlFlow;

use super::belief::{Belief, Question, begin};
use crate::state::batch::{Batch, Control};
use crate::state::read::{Item, SegmentFile, read_source};
use crate::state::replay::{Replay, Visitor};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::{ReadError, Source};

/// Watches a replay.
pub trait Witness: Visitor {
    /// The replay begins with what `belief` knows.
    fn begin(&mut self, _belief: &Belief) {}

    /// The replay of a whole log has ended with `belief`.
    fn end(&mut self, _belief: &Belief) {}

    /// This segment comes next.
    fn segment(&mut self, _: &SegmentFile) {}

    /// Whether `state` must hold every batch in front of this one when it is told of.
    fn needs_state(&self, _: &Batch) -> bool {
        false
    }

    /// This batch comes next; `state` does not hold it yet, nor all batches in front of it unless
    /// [`Witness::needs_state`] asked for them. Of every control batch the record is
    /// at hand, whatever the rules need.
    fn before(&mut self, _state: &Replay<1>, _: &Batch, _: Option<&Control>) {}
}

/// Watches nothing.
impl Witness for () {}

/// Whether a witness may tell what it makes of batches by what it has seen last: a hole in the
/// offsets or a control record that ends no transaction. The batches in front are then taken in
/// first, and this one before the next.
pub(super) fn is_turn(state: &Replay<1>, batch: &Batch, control: Option<&Control>) -> bool {
    let is_odd = control.is_some_and(|control| !matches!(control, Control::Marker(_)));
    is_odd || batch.base_offset > state.next_offset()
}

/// Replays a partition before a witness.
///
/// # Errors
/// A file cannot be opened or read, or was changed meanwhile.
pub fn watch(
    partition: &PartitionDirectory,
    checkpoints: &Checkpoints,
    question: &Question,
    witness: &mut dyn Witness,
) -> Result<Belief, ReadError> {
    let (mut belief, segments) = begin(partition, checkpoints, question)?;
    witness.begin(&belief);
    watch_segments(&mut belief, &segments, question, witness)?;
    witness.end(&belief);
    Ok(belief)
}

/// Takes segments in, up to the offset that was asked for; says whether the log goes on there.
pub(super) fn watch_segments(
    belief: &mut Belief,
    segments: &[SegmentFile],
    question: &Question,
    witness: &mut dyn Witness,
) -> Result<bool, ReadError> {
    for segment in segments {
        if question.at.is_some_and(|at| segment.base_offset >= at) {
            return Ok(true);
        }
        let source = Source::open(&segment.path, question.read.access)?;
        if watch_segment(belief, segment, &source, question, witness)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Takes one segment in; says whether it goes on behind the offset that was asked for.
pub(super) fn watch_segment(
    belief: &mut Belief,
    segment: &SegmentFile,
    source: &Source,
    question: &Question,
    witness: &mut dyn Witness,
) -> Result<bool, ReadError> {
    witness.segment(segment);
    let mut goes_on = false;
    let state = &mut belief.state;
    state.begin_segment(segment.base_offset);
    read_source(
        source,
        segment.base_offset,
        question.read.check_crc,
        &mut |_| true,
        &mut |item| match item {
            Item::Batch(batch, control) => {
                if question.at.is_some_and(|at| batch.last_offset >= at) {
                    goes_on = true;
                    return ControlFlow::Break(());
                }
                let is_turn = is_turn(state, batch, control);
                if is_turn || witness.needs_state(batch) {
                    state.settle(witness);
                }
                witness.before(state, batch, control);
                let flow = state.batch(batch, control, witness);
                if is_turn {
                    state.settle(witness);
                }
                flow
            }
            Item::Damage(damage) => {
                witness.damage(segment.base_offset, damage);
                ControlFlow::Continue(())
            }
        },
    )?;
    state.end_segment(witness);
    source.check()?;
    Ok(goes_on)
}
