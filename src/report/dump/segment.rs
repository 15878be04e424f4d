//! Feeds a view from the walk over one segment, and hands its output over in file order.
//!
//! The walk looks at 17 bytes of each record set and runs ahead on the calling thread; checksums,
//! decoding and formatting of stretches of the file run beside each other. The oldest stretch is
//! always being worked on, and its output goes out as it comes, so memory stays bounded whatever
//! a payload opens to.

use std::collections::VecDeque;
use std::ops::Range;

use super::parallel;
use super::render::Before;
use super::selection::Selection;
use super::view::{AnyHeader, View};
use crate::format::number::Offset;
use crate::storage::damage::Damage;
use crate::storage::segment::walk::{End, Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};

pub use super::render::Portion;

/// Bytes of the file in one stretch.
const STRETCH: u64 = 1 << 20;
/// Pieces in one stretch at most: many tiny batches make more output than input.
const MOST_PIECES: usize = 4096;
/// Threads at most, whatever is asked for: each may hold some megabytes, and the one that walks and
/// writes feeds no more.
pub const MOST_THREADS: usize = 64;

/// What to read of a segment and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What to leave out.
    pub selection: Selection,
    /// Stop before the first record set that reaches beyond this many bytes.
    pub max_bytes: Option<u64>,
    /// Refuse records above this many bytes.
    pub max_record_bytes: u64,
    /// How many threads decode and format, the calling one among them; 0 stands for 1.
    /// Fewer are started where the file is small, and never more than 64.
    pub threads: usize,
}

impl Plan {
    /// Whether it may come to its end before the file does.
    #[must_use]
    pub const fn may_stop_early(&self) -> bool {
        self.max_bytes.is_some() || self.selection.limit.is_some()
    }
}

/// How the dump of a segment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Why.
    pub reason: End,
    /// Where the walk stood, in bytes from the start of the file.
    pub position: u64,
    /// Bytes of damage that reach to the end of the file.
    pub tail: u64,
}

/// Why a dump stopped before the end of the file.
#[derive(Debug, thiserror::Error)]
pub enum Stop<E> {
    /// The file could not be read on.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output did not take more.
    #[error("the output was refused")]
    Output(E),
}

/// The walk over a segment, of which the first pieces may be known already.
#[derive(Debug)]
pub struct Beginning<'s> {
    source: &'s Source,
    walk: Walk<'s>,
    /// Pieces that were walked over and not yet taken.
    known: VecDeque<Piece>,
}

impl<'s> Beginning<'s> {
    /// Walks over `source` and stops before the first record set that reaches beyond `max_bytes`.
    #[must_use]
    pub fn new(source: &'s Source, max_bytes: Option<u64>) -> Self {
        let walk = Walk::new(source);
        Self {
            source,
            walk: match max_bytes {
                Some(bytes) => walk.stopping_after(bytes),
                None => walk,
            },
            known: VecDeque::new(),
        }
    }

    /// The offset of the first record set; `None` when there is none up to where the walk stops.
    ///
    /// # Errors
    /// A read that failed.
    pub fn first_offset(&mut self) -> Result<Option<Offset>, ReadError> {
        let mut first = None;
        while first.is_none()
            && let Some(piece) = self.walk.next_piece()?
        {
            if let Piece::Batch(span) = piece {
                first = Some(span);
            }
            self.known.push_back(piece);
        }
        match first.or_else(|| self.walk.left_out()) {
            Some(span) => {
                let head = self.walk.head(span)?;
                Ok(Some(AnyHeader::of(span, &head).offsets().0))
            }
            None => Ok(None),
        }
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, ReadError> {
        match self.known.pop_front() {
            Some(piece) => Ok(Some(piece)),
            None => self.walk.next_piece(),
        }
    }

    fn has_more(&mut self) -> Result<bool, ReadError> {
        Ok(!self.known.is_empty() || self.walk.has_more()?)
    }

    fn position(&self) -> u64 {
        match self.known.front() {
            Some(Piece::Batch(span)) => span.position,
            Some(Piece::Damage(damage)) => damage.position,
            None => self.walk.position(),
        }
    }
}

/// Walks on and gives the view's output to `deliver`, portion by portion.
///
/// # Errors
/// [`Stop::Read`] after everything in front of the bad place was delivered, [`Stop::Output`] with
/// what `deliver` returned.
pub fn dump<V: View, E>(
    beginning: Beginning<'_>,
    view: &V,
    plan: &Plan,
    deliver: &mut dyn FnMut(&mut Portion) -> Result<(), E>,
) -> Result<Ending, Stop<E>> {
    let source = beginning.source;
    let mut stretches = Stretches::new(beginning, &plan.selection);
    let mut delivery = Delivery {
        source,
        deliver,
        last: None,
    };
    let useful = match source.is_growing() {
        true => MOST_THREADS,
        false => usize::try_from(source.len().div_ceil(STRETCH)).unwrap_or(usize::MAX),
    };
    let work = parallel::Work {
        source,
        view,
        plan,
        threads: plan.threads.min(useful).min(MOST_THREADS),
    };
    parallel::dump(&work, &mut stretches, &mut delivery)?;
    // Also where no portion came to ask.
    source.check()?;
    Ok(stretches.ending())
}

/// Cuts the walk into stretches.
pub(super) struct Stretches<'s, 'p> {
    pieces: Beginning<'s>,
    selection: &'p Selection,
    selective: bool,
    shown: u64,
    limited: bool,
    /// The record set shown last.
    last: Option<Before>,
    tail: u64,
}

/// A part of the file for one thread to work on.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    pub(super) spans: Vec<Span>,
    /// Damage, each with the number of record sets in front of it.
    pub(super) damage: Vec<(usize, Damage)>,
    /// The record set in front.
    pub(super) before: Option<Before>,
    /// Where it begins and ends, in bytes from the start of the file.
    pub(super) range: Range<u64>,
}

impl Stretch {
    fn pieces(&self) -> usize {
        self.spans.len() + self.damage.len()
    }
}

impl<'s, 'p> Stretches<'s, 'p> {
    fn new(pieces: Beginning<'s>, selection: &'p Selection) -> Self {
        Self {
            pieces,
            selection,
            selective: !selection.is_everything(),
            shown: 0,
            limited: false,
            last: None,
            tail: 0,
        }
    }

    pub(super) fn next_stretch(&mut self) -> Result<Option<Stretch>, ReadError> {
        let begin = self.pieces.position();
        let mut stretch = Stretch {
            before: self.last,
            ..Stretch::default()
        };
        let mut bytes = 0_u64;
        while bytes < STRETCH && stretch.pieces() < MOST_PIECES {
            if self
                .selection
                .limit
                .is_some_and(|limit| self.shown >= limit)
            {
                // Only a walk that had more before it was stopped by the limit.
                self.limited = self.pieces.has_more()?;
                break;
            }
            let Some(piece) = self.pieces.next_piece()? else {
                break;
            };
            match piece {
                Piece::Batch(span) => {
                    self.tail = 0;
                    if self.selective && !self.takes(span)? {
                        continue;
                    }
                    self.shown += 1;
                    bytes += u64::from(span.size);
                    stretch.spans.push(span);
                }
                Piece::Damage(damage) => {
                    self.tail = damage.size;
                    stretch.damage.push((stretch.spans.len(), damage));
                }
            }
        }
        if let Some(span) = stretch.spans.last() {
            let head = self.pieces.walk.head(*span)?;
            self.last = Some(Before {
                position: span.position,
                last: AnyHeader::of(*span, &head).offsets().1,
            });
        }
        stretch.range = begin..self.pieces.position();
        Ok((stretch.pieces() > 0).then_some(stretch))
    }

    fn takes(&mut self, span: Span) -> Result<bool, ReadError> {
        let head = self.pieces.walk.head(span)?;
        Ok(self.selection.takes(AnyHeader::of(span, &head)))
    }

    fn ending(&self) -> Ending {
        let reason = match self.pieces.walk.end() {
            _ if self.limited => End::Limit,
            Some(end) => end,
            None => End::EndOfFile,
        };
        Ending {
            reason,
            position: self.pieces.position(),
            tail: self.tail,
        }
    }
}

/// Takes portions in file order and passes them on.
pub(super) struct Delivery<'d, E> {
    source: &'d Source,
    deliver: &'d mut dyn FnMut(&mut Portion) -> Result<(), E>,
    /// Offset of the last record delivered.
    last: Option<Offset>,
}

impl<E> Delivery<'_, E> {
    pub(super) fn take(&mut self, portion: &mut Portion) -> Result<(), Stop<E>> {
        // What a page lost under the map has made of these bytes must not be shown.
        self.source.check()?;
        if let (Some(last), Some(first)) = (self.last, portion.first)
            && first != last.plus(1)
        {
            portion.gaps.insert(0, (last, first));
        }
        self.last = portion.last.or(self.last);
        (self.deliver)(portion).map_err(Stop::Output)
    }
}
