//! The batches of one log again, from an offset on: for the few questions that its replay leaves.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::held_back::HeldBack;
use crate::format::number::{Offset, ProducerId};
use crate::state::batch::{Batch, Control, Marker};
use crate::state::read::{Item, ReadOptions, SegmentFile, read_segment, read_source};
use crate::storage::source::{ReadError, Source};

/// Where the bytes of a log lie.
#[derive(Debug, Clone, Copy)]
pub enum LogBytes<'a> {
    /// In segments, by their base offsets.
    Segments(&'a [SegmentFile]),
    /// In one file that is open.
    Source(&'a Source),
}

/// Takes what a walk comes by, and may break off.
type Visit<'v> = dyn FnMut(Item<'_>) -> ControlFlow<()> + 'v;

impl<'a> LogBytes<'a> {
    /// Walks over the segments that hold `from` or lie behind it; control batches for which
    /// `needs_control` is true come with what they say.
    ///
    /// # Errors
    /// A file cannot be opened or read, or was changed meanwhile.
    pub fn visit(
        self,
        from: Offset,
        options: ReadOptions,
        needs_control: &mut dyn FnMut(&Batch) -> bool,
        visit: &mut Visit<'_>,
    ) -> Result<(), ReadError> {
        let is_over = Cell::new(false);
        let visit = &mut |item: Item<'_>| {
            let flow = visit(item);
            is_over.set(flow.is_break());
            flow
        };
        let needs = &mut |batch: &Batch| needs_control(batch);
        match self {
            Self::Source(source) => {
                read_source(source, Offset(0), options.check_crc, needs, visit)?;
                source.check()
            }
            Self::Segments(segments) => {
                let mut held = segments.iter();
                let first = held.rposition(|segment| segment.base_offset <= from);
                for segment in segments.iter().skip(first.unwrap_or(0)) {
                    read_segment(segment, options, needs, visit)?;
                    if is_over.get() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// The last end marker of a producer in front of an offset. Segments are read from there
    /// backwards, until one has a marker.
    ///
    /// # Errors
    /// As of [`visit`](Self::visit).
    pub fn last_marker(
        self,
        id: ProducerId,
        before: Offset,
        options: ReadOptions,
    ) -> Result<Option<Marker>, ReadError> {
        let in_part = |part: LogBytes<'_>| {
            let mut last = None;
            let needs = &mut |batch: &Batch| batch.producer_id == id;
            part.visit(Offset(0), options, needs, &mut |item| match item {
                Item::Batch(batch, _) if batch.base_offset >= before => ControlFlow::Break(()),
                Item::Batch(batch, Some(Control::Marker(marker))) if batch.producer_id == id => {
                    last = Some(*marker);
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Continue(()),
            })?;
            Ok(last)
        };
        let Self::Segments(segments) = self else {
            return in_part(self);
        };
        let begun = segments.iter().rev();
        for segment in begun.filter(|segment| segment.base_offset < before) {
            let found = in_part(LogBytes::Segments(std::slice::from_ref(segment)))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The batch that begins at an offset.
    ///
    /// # Errors
    /// As of [`visit`](Self::visit).
    pub fn batch_at(
        self,
        offset: Offset,
        options: ReadOptions,
    ) -> Result<Option<Batch>, ReadError> {
        let mut found = None;
        self.visit(offset, options, &mut |_| false, &mut |item| match item {
            Item::Batch(batch, _) if batch.base_offset >= offset => {
                found = Some(*batch).filter(|batch| batch.base_offset == offset);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })?;
        Ok(found)
    }

    /// What lies at `from` and behind it, in front of `upto` where that is given.
    ///
    /// # Errors
    /// As of [`visit`](Self::visit).
    pub fn held_back(
        self,
        from: Offset,
        upto: Option<Offset>,
        options: ReadOptions,
    ) -> Result<HeldBack, ReadError> {
        let mut held = HeldBack::default();
        self.visit(from, options, &mut |_| false, &mut |item| {
            if let Item::Batch(batch, _) = item {
                if upto.is_some_and(|upto| batch.last_offset >= upto) {
                    return ControlFlow::Break(());
                }
                if batch.last_offset >= from {
                    held.add(batch);
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(held)
    }
}
