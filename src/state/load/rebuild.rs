//! `UnifiedLog.rebuildProducerState`: a snapshot, then the batches behind it, a segment a chunk.

use super::LoadOptions;
use super::ahead::Ahead;
use super::files::Files;
use super::segment::Segment;
use super::snapshots::{Keeper, Origin, SnapshotFiles};
use super::stop::{Halt, Stop};
use super::stream::{Stream, span};
use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::state::append::Append;
use crate::state::batch::{Batch, control};
use crate::state::chunk::Chunk;
use crate::state::event;
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::Source;
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

/// The segments of a log by base offset.
pub(super) type Segments = BTreeMap<Offset, Segment>;

/// What a rebuild reads and changes beside its manager.
pub(super) struct Ground<'a> {
    pub(super) segments: &'a Segments,
    pub(super) disk: &'a mut SnapshotFiles,
    pub(super) files: &'a mut Files,
    pub(super) options: &'a LoadOptions,
}

/// Brings a manager to what it was at `last_offset`.
pub(super) fn rebuild<const N: usize>(
    keeper: &mut Keeper<N>,
    ground: &mut Ground<'_>,
    (log_start, last_offset): (Offset, Offset),
    after_clean_stop: bool,
) -> Result<(), Halt> {
    let bases = ground.segments.keys().rev().take(2);
    let mut to_snapshot: Vec<Offset> = bases.copied().collect();
    to_snapshot.reverse();
    to_snapshot.push(last_offset);
    if keeper.known.is_empty() && after_clean_stop {
        // The log is not read: whoever deleted the last snapshot has deleted the state.
        for offset in to_snapshot {
            keeper.manager.set_map_end_offset(offset);
            keeper.take_snapshot(ground.disk, ground.files)?;
        }
        keeper.origin = Origin::Nothing;
        return Ok(());
    }
    let was_empty = keeper.manager.is_empty()
        && keeper.manager.map_end_offset() >= last_offset
        && !keeper.manager.misses_barrier(last_offset);
    let range = (log_start, last_offset);
    keeper.truncate_and_reload(range, ground.disk, ground.files, ground.options)?;
    let from = keeper.manager.map_end_offset();
    if last_offset > from && !was_empty {
        keeper.origin = Origin::Log(from.max(log_start));
        for segment in between(ground.segments, from, last_offset) {
            let start = segment
                .base
                .max(keeper.manager.map_end_offset())
                .max(log_start);
            keeper.manager.set_map_end_offset(start);
            if to_snapshot.contains(&segment.base) {
                keeper.take_snapshot(ground.disk, ground.files)?;
            }
            scan(keeper, ground, segment, start, last_offset)?;
        }
    }
    keeper.manager.set_map_end_offset(last_offset);
    keeper.take_snapshot(ground.disk, ground.files)
}

/// The segments from the one that holds `from` up to those that begin below `to`
/// (`LogSegments.values`).
fn between(segments: &Segments, from: Offset, to: Offset) -> impl Iterator<Item = &Segment> {
    let floor = segments.range(..=from).next_back();
    let first = floor.map_or(Bound::Unbounded, |(base, _)| Bound::Included(*base));
    // Only `from` below `to` is asked for, but the floor of `from` may still lie at `to` or above
    // in no way: it is at most `from`.
    segments
        .range((first, Bound::Excluded(to)))
        .map(|(_, segment)| segment)
}

/// Reads a segment from `start` on, as one chunk.
fn scan<const N: usize>(
    keeper: &mut Keeper<N>,
    ground: &Ground<'_>,
    segment: &Segment,
    start: Offset,
    last_offset: Offset,
) -> Result<(), Halt> {
    let options = ground.options;
    let source = segment.source(options)?;
    let mut end = segment.size;
    let holder = ground.segments.range(..=last_offset).next_back();
    if holder.is_some_and(|(base, _)| *base == segment.base)
        && let Some(behind) = segment.translate(&source, last_offset, options)?
    {
        end = behind.place.position;
    }
    let Some(first) = segment.translate(&source, start, options)? else {
        return Ok(());
    };
    let position = first.place.position;
    if position > end {
        let size = i128::from(end).saturating_sub(i128::from(position));
        return Err(Stop {
            class: "IllegalArgumentException",
            message: format!("Invalid size: {size} in read from FileRecords"),
            segment: Some(segment.base),
            position: Some(position),
        }
        .into());
    }
    let mut stream = Stream::new(&source, segment.base, position, end);
    let mut ahead = Ahead::new(&source, segment.base, position, end);
    let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
    let mut chunk = Chunk::new(Append::LOAD);
    let manager = &mut keeper.manager;
    while let Some(batch) = stream.next()? {
        ahead.step(|id| chunk.find(id).or_else(|| manager.producers().find(id)));
        let control = match manager.needs_control(Append::LOAD, &batch) {
            true => Some(control(&mut reader.load(span(&batch))?)?),
            false => None,
        };
        chunk
            .add(manager, &batch, control.as_ref(), &mut event::ignore)
            .map_err(|error| Stop::of(&error, &batch))?;
    }
    chunk.commit(manager).map_err(|error| {
        let mut stop = Stop::new(error.class(), error.to_string());
        stop.segment = Some(segment.base);
        stop
    })?;
    Ok(source.check()?)
}

/// What a log that ends at `end` makes of an offset that it wants with its place
/// (`maybeConvertToOffsetMetadata`): the base offset of the batch that holds it, or of the next.
pub(super) fn base_of(
    segments: &Segments,
    offset: Offset,
    end: Offset,
    options: &LoadOptions,
) -> Result<Offset, Halt> {
    let floor = segments.range(..=offset).next_back();
    let Some((floor, _)) = floor.filter(|_| offset <= end) else {
        return Ok(offset);
    };
    if offset == end {
        return Ok(end);
    }
    for (_, segment) in segments.range(*floor..) {
        let source = segment.source(options)?;
        if let Some(batch) = segment.translate(&source, offset, options)? {
            return first_offset(&source, &batch);
        }
    }
    Ok(end)
}

/// The offset that a batch begins with. A compressed message of an old format bears its last one,
/// so the messages in it are asked.
fn first_offset(source: &Source, batch: &Batch) -> Result<Offset, Halt> {
    let mut first = None;
    if batch.magic < MAGIC {
        let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
        let _fault = reader.load(span(batch))?.entries(&mut |entry| {
            first = Some(entry.offset);
            ControlFlow::Break(())
        })?;
    }
    Ok(first.unwrap_or(batch.base_offset))
}
