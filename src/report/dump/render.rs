//! Turns stretches of a segment into portions of output.

use std::ops::ControlFlow;

use super::segment::{Plan, Stop, Stretch};
use super::selection::Selection;
use super::view::{Batch, View};
use crate::format::number::Offset;
use crate::storage::damage::Damage;
use crate::storage::segment::batch_faults;
use crate::storage::segment::contents::{BatchReader, Entry};
use crate::storage::segment::record_offsets::RecordOffsets;
use crate::storage::segment::walk::{Span, Walk};
use crate::storage::source::Source;

/// Output is handed over when there is this much of it.
const PORTION: usize = 1 << 20;

/// Some of a segment's output, in file order.
#[derive(Debug, Default)]
pub struct Portion {
    /// The view's bytes.
    pub text: Vec<u8>,
    /// All damage met, shown or not.
    pub damage: Vec<Damage>,
    /// Places where a record's offset is not the one before it plus 1: those two offsets.
    pub gaps: Vec<(Offset, Offset)>,
    /// Offset of the portion's first record.
    pub(super) first: Option<Offset>,
    /// Offset of its last.
    pub(super) last: Option<Offset>,
}

/// Renders stretches into portions.
pub(super) struct Renderer<'s, 'v, V> {
    source: &'s Source,
    reader: BatchReader<'s>,
    /// Looks into record sets with a wrong checksum.
    inside: Walk<'s>,
    view: &'v V,
    selection: &'v Selection,
    portion: Portion,
}

/// The record set in front of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// Where it begins, in bytes from the start of the file.
    pub(super) position: u64,
    /// Its last offset.
    pub(super) last: Offset,
}

/// The receiver of portions is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused;

impl<'s, 'v, V: View> Renderer<'s, 'v, V> {
    pub(super) fn new(source: &'s Source, view: &'v V, plan: &'v Plan) -> Self {
        Self {
            source,
            reader: BatchReader::new(source, plan.max_record_bytes),
            inside: Walk::new(source),
            view,
            selection: &plan.selection,
            portion: Portion::default(),
        }
    }

    /// Renders a stretch; `emit` takes each full portion and leaves an empty one.
    pub(super) fn render(
        &mut self,
        stretch: &Stretch,
        emit: &mut dyn FnMut(&mut Portion) -> Result<(), Refused>,
    ) -> Result<(), Stop<Refused>> {
        let mut before = stretch.before;
        let mut damage = stretch.damage.iter().peekable();
        for (number, span) in stretch.spans.iter().enumerate() {
            while let Some((_, damage)) = damage.next_if(|(before, _)| *before <= number) {
                self.note(damage.clone());
            }
            self.batch(*span, &mut before, emit)?;
            if self.portion.text.len() >= PORTION {
                emit(&mut self.portion).map_err(Stop::Output)?;
            }
        }
        damage.for_each(|(_, damage)| self.note(damage.clone()));
        emit(&mut self.portion).map_err(Stop::Output)?;
        // Nobody will look at these bytes again.
        let size = stretch.range.end - stretch.range.start;
        self.source.release(stretch.range.start, size);
        Ok(())
    }

    fn batch(
        &mut self,
        span: Span,
        before: &mut Option<Before>,
        emit: &mut dyn FnMut(&mut Portion) -> Result<(), Refused>,
    ) -> Result<(), Stop<Refused>> {
        let Self {
            reader,
            inside,
            view,
            selection,
            portion,
            ..
        } = self;
        let mut loaded = reader.load(span)?;
        let checksum = loaded.checksum()?;
        let head = *loaded.head();
        let batch = Batch::new(span, checksum, &head);
        view.batch(&batch, &mut portion.text);
        if !checksum.is_valid() {
            let swallowed = inside.swallowed_by(span)?;
            let offsets = batch.header().offsets();
            let damage = batch_faults::crc_mismatch(span, offsets, checksum, &swallowed);
            view.damage(&damage, &mut portion.text);
            portion.damage.push(damage);
        }
        let (first, last) = batch.header().offsets();
        let regression = before.filter(|before| first <= before.last);
        *before = Some(Before {
            position: span.position,
            last,
        });
        let mut offsets = RecordOffsets::new(span, &head);
        let mut refused = Ok(());
        let fault = match view.shows_records() {
            false => None,
            true => loaded.entries(&mut |entry| {
                offsets.take(entry.offset);
                portion.entry(*view, selection, &batch, entry);
                if portion.text.len() >= PORTION {
                    refused = emit(portion);
                }
                if refused.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })?,
        };
        refused.map_err(Stop::Output)?;
        if let Some(before) = regression {
            let before = (before.position, before.last);
            self.note(batch_faults::offset_regression(span, before, first));
        }
        if let Some(fault) = fault {
            self.note(fault);
        }
        if !offsets.are_sound() {
            offsets.damage().for_each(|fault| self.note(fault));
        }
        Ok(())
    }

    fn note(&mut self, damage: Damage) {
        self.view.damage(&damage, &mut self.portion.text);
        self.portion.damage.push(damage);
    }
}

impl Portion {
    #[inline]
    fn entry<V: View>(
        &mut self,
        view: &V,
        selection: &Selection,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
    ) {
        if !selection.takes_entry(entry) {
            return;
        }
        match self.last {
            Some(last) if entry.offset != last.plus(1) => self.gaps.push((last, entry.offset)),
            None => self.first = Some(entry.offset),
            Some(_) => {}
        }
        self.last = Some(entry.offset);
        if let Some(damage) = view.entry(batch, entry, &mut self.text) {
            view.damage(&damage, &mut self.text);
            self.damage.push(damage);
        }
    }

    /// Empties the portion and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.damage.clear();
        self.gaps.clear();
        self.first = None;
        self.last = None;
    }
}
