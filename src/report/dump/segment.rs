//! Feeds a view from the walk over one segment, and hands its output over in file order.
//!
//! The walk looks at 17 bytes of each record set and runs ahead on the calling thread; checksums,
//! decoding and formatting of stretches of the file run beside each other. The oldest stretch is
//! always being worked on, and its output goes out as it comes, so memory stays bounded whatever
//! a payload opens to.

use std::collections::VecDeque;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::selection::Selection;
use super::view::{AnyHeader, Batch, View};
use crate::format::number::Offset;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::{BatchReader, Checksum, Entry};
use crate::storage::segment::walk::{End, Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};

/// Output is handed over when a stretch has this much of it.
const PORTION: usize = 1 << 20;
/// Bytes of the file in one stretch.
const STRETCH: u64 = 1 << 20;
/// Pieces in one stretch at most: many tiny batches make more output than input.
const MOST_PIECES: usize = 4096;
/// Stretches under way for each thread.
const AHEAD: usize = 2;
/// Portions of one stretch that may wait to be handed over.
const WAITING: usize = 2;

/// What to read of a segment and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What to leave out.
    pub selection: Selection,
    /// Stop before the first record set that reaches beyond this many bytes.
    pub max_bytes: Option<u64>,
    /// Refuse records above this many bytes.
    pub max_record_bytes: u64,
    /// How many threads may work at a time, the calling one aside; 0 and 1 mean none beside it.
    pub threads: usize,
}

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
    first: Option<Offset>,
    /// Offset of its last.
    last: Option<Offset>,
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

/// Walks `source` and gives the view's output to `deliver`, portion by portion.
///
/// # Errors
/// [`Stop::Read`] after everything in front of the bad place was delivered, [`Stop::Output`] with
/// what `deliver` returned.
pub fn dump<V: View, E>(
    source: &Source,
    view: &V,
    plan: &Plan,
    deliver: &mut dyn FnMut(&mut Portion) -> Result<(), E>,
) -> Result<Ending, Stop<E>> {
    let mut walk = Walk::new(source);
    if let Some(bytes) = plan.max_bytes {
        walk = walk.stopping_after(bytes);
    }
    let stretches = Stretches::new(walk, &plan.selection);
    let mut delivery = Delivery {
        source,
        deliver,
        last: None,
    };
    if plan.threads <= 1 || source.len() <= STRETCH {
        alone(source, view, plan, stretches, &mut delivery)
    } else {
        together(source, view, plan, stretches, &mut delivery)
    }
}

/// Cuts the walk into stretches.
struct Stretches<'s, 'p> {
    walk: Walk<'s>,
    selection: &'p Selection,
    selective: bool,
    shown: u64,
    limited: bool,
    /// The last offset of the record set shown last.
    last: Option<Offset>,
    tail: u64,
}

/// A part of the file for one thread to work on.
struct Stretch {
    pieces: Vec<Piece>,
    /// The last offset of the record set in front.
    before: Option<Offset>,
}

impl<'s, 'p> Stretches<'s, 'p> {
    fn new(walk: Walk<'s>, selection: &'p Selection) -> Self {
        Self {
            walk,
            selection,
            selective: !selection.is_everything(),
            shown: 0,
            limited: false,
            last: None,
            tail: 0,
        }
    }

    fn next_stretch(&mut self) -> Result<Option<Stretch>, ReadError> {
        let mut stretch = Stretch {
            pieces: Vec::new(),
            before: self.last,
        };
        let mut bytes = 0_u64;
        let mut newest = None;
        while bytes < STRETCH && stretch.pieces.len() < MOST_PIECES {
            if self
                .selection
                .limit
                .is_some_and(|limit| self.shown >= limit)
            {
                // Only a walk that had more before it was stopped by the limit.
                self.limited = self.walk.position() < self.walk.length();
                break;
            }
            let Some(piece) = self.walk.next_piece()? else {
                break;
            };
            match &piece {
                Piece::Batch(span) => {
                    self.tail = 0;
                    if self.selective && !self.takes(*span)? {
                        continue;
                    }
                    self.shown += 1;
                    bytes += u64::from(span.size);
                    newest = Some(*span);
                }
                Piece::Damage(damage) => self.tail = damage.size,
            }
            stretch.pieces.push(piece);
        }
        if let Some(span) = newest {
            let head = self.walk.head(span)?;
            self.last = Some(AnyHeader::of(span, &head).offsets().1);
        }
        Ok((!stretch.pieces.is_empty()).then_some(stretch))
    }

    fn takes(&mut self, span: Span) -> Result<bool, ReadError> {
        let head = self.walk.head(span)?;
        Ok(self.selection.takes(AnyHeader::of(span, &head)))
    }

    fn ending(&self) -> Ending {
        let reason = match self.walk.end() {
            _ if self.limited => End::Limit,
            Some(end) => end,
            None => End::EndOfFile,
        };
        Ending {
            reason,
            position: self.walk.position(),
            tail: self.tail,
        }
    }
}

/// Takes portions in file order and passes them on.
struct Delivery<'d, E> {
    source: &'d Source,
    deliver: &'d mut dyn FnMut(&mut Portion) -> Result<(), E>,
    /// Offset of the last record delivered.
    last: Option<Offset>,
}

impl<E> Delivery<'_, E> {
    fn take(&mut self, portion: &mut Portion) -> Result<(), Stop<E>> {
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

/// Renders stretches into portions.
struct Renderer<'s, 'v, V> {
    reader: BatchReader<'s>,
    view: &'v V,
    selection: &'v Selection,
    portion: Portion,
}

/// The receiver of portions is gone.
struct Refused;

impl<V: View> Renderer<'_, '_, V> {
    /// Renders a stretch; `emit` takes each full portion and leaves an empty one.
    fn render(
        &mut self,
        stretch: &Stretch,
        emit: &mut dyn FnMut(&mut Portion) -> Result<(), Refused>,
    ) -> Result<(), Stop<Refused>> {
        let mut before = stretch.before;
        for piece in &stretch.pieces {
            match piece {
                Piece::Damage(damage) => self.note(damage.clone()),
                Piece::Batch(span) => self.batch(*span, &mut before, emit)?,
            }
            if self.portion.text.len() >= PORTION {
                emit(&mut self.portion).map_err(Stop::Output)?;
            }
        }
        emit(&mut self.portion).map_err(Stop::Output)
    }

    fn batch(
        &mut self,
        span: Span,
        before: &mut Option<Offset>,
        emit: &mut dyn FnMut(&mut Portion) -> Result<(), Refused>,
    ) -> Result<(), Stop<Refused>> {
        let Self {
            reader,
            view,
            selection,
            portion,
        } = self;
        let mut loaded = reader.load(span)?;
        let checksum = loaded.checksum()?;
        let head = *loaded.head();
        let batch = Batch::new(span, checksum, &head);
        view.batch(&batch, &mut portion.text);
        if !checksum.is_valid() {
            let damage = crc_mismatch(&batch);
            view.damage(&damage, &mut portion.text);
            portion.damage.push(damage);
        }
        let (first, last) = batch.header().offsets();
        let regression = before.filter(|before| first <= *before);
        *before = Some(last);
        let mut refused = Ok(());
        let fault = match view.shows_records() {
            false => None,
            true => loaded.entries(&mut |entry| {
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
            self.note(offset_regression(span, before, first));
        }
        if let Some(fault) = fault {
            self.note(fault);
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
    fn clear(&mut self) {
        self.text.clear();
        self.damage.clear();
        self.gaps.clear();
        self.first = None;
        self.last = None;
    }
}

fn crc_mismatch(batch: &Batch<'_>) -> Damage {
    let Checksum { stored, computed } = batch.checksum;
    let (first, last) = batch.header().offsets();
    Damage {
        position: batch.span.position,
        size: 0,
        code: Code::CrcMismatch,
        message: format!(
            "offsets {first} to {last}: expected crc {computed}, found {stored} ({} bytes)",
            batch.span.size
        ),
    }
}

fn offset_regression(span: Span, before: Offset, first: Offset) -> Damage {
    Damage {
        position: span.position,
        size: 0,
        code: Code::OffsetRegression,
        message: format!("expected an offset above {before}, found {first}"),
    }
}

/// Walks and renders on the calling thread.
fn alone<V: View, E>(
    source: &Source,
    view: &V,
    plan: &Plan,
    mut stretches: Stretches<'_, '_>,
    delivery: &mut Delivery<'_, E>,
) -> Result<Ending, Stop<E>> {
    let mut renderer = Renderer {
        reader: BatchReader::new(source, plan.max_record_bytes),
        view,
        selection: &plan.selection,
        portion: Portion::default(),
    };
    while let Some(stretch) = stretches.next_stretch()? {
        let mut stopped = Ok(());
        let rendered = renderer.render(&stretch, &mut |portion| {
            stopped = delivery.take(portion);
            portion.clear();
            stopped.as_ref().map_err(|_| Refused).copied()
        });
        stopped?;
        if let Err(Stop::Read(error)) = rendered {
            return Err(Stop::Read(error));
        }
    }
    Ok(stretches.ending())
}

/// A stretch under way, and where its portions go.
struct Job {
    stretch: Stretch,
    portions: SyncSender<Result<Portion, ReadError>>,
}

/// Walks on the calling thread, renders on others.
fn together<V: View, E>(
    source: &Source,
    view: &V,
    plan: &Plan,
    mut stretches: Stretches<'_, '_>,
    delivery: &mut Delivery<'_, E>,
) -> Result<Ending, Stop<E>> {
    let (jobs, queue) = channel::<Job>();
    let queue = Mutex::new(queue);
    let spare = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..plan.threads {
            scope.spawn(|| work(source, view, plan, &queue, &spare));
        }
        let outcome = hand_out(plan, &mut stretches, &jobs, &spare, delivery);
        // The threads end when no job can come any more.
        drop(jobs);
        outcome.map(|()| stretches.ending())
    })
}

/// Gives stretches to the threads and takes the portions of the oldest.
fn hand_out<E>(
    plan: &Plan,
    stretches: &mut Stretches<'_, '_>,
    jobs: &Sender<Job>,
    spare: &Mutex<Vec<Portion>>,
    delivery: &mut Delivery<'_, E>,
) -> Result<(), Stop<E>> {
    let mut under_way: VecDeque<Receiver<Result<Portion, ReadError>>> = VecDeque::new();
    let mut failed = None;
    loop {
        while failed.is_none() && under_way.len() < plan.threads * AHEAD {
            match stretches.next_stretch() {
                Ok(Some(stretch)) => {
                    let (portions, oldest) = sync_channel(WAITING);
                    // A thread that is gone has left its reason in its own channel.
                    let _ = jobs.send(Job { stretch, portions });
                    under_way.push_back(oldest);
                }
                Ok(None) => break,
                // What lies in front is delivered first.
                Err(error) => failed = Some(error),
            }
        }
        let Some(oldest) = under_way.pop_front() else {
            return failed.map_or(Ok(()), |error| Err(error.into()));
        };
        for portion in oldest {
            let mut portion = portion?;
            delivery.take(&mut portion)?;
            portion.clear();
            keep(spare, portion);
        }
    }
}

/// One thread: renders stretch after stretch, in the order of the file.
fn work<V: View>(
    source: &Source,
    view: &V,
    plan: &Plan,
    queue: &Mutex<Receiver<Job>>,
    spare: &Mutex<Vec<Portion>>,
) {
    let mut renderer = Renderer {
        reader: BatchReader::new(source, plan.max_record_bytes),
        view,
        selection: &plan.selection,
        portion: Portion::default(),
    };
    loop {
        let job = queue.lock().map(|queue| queue.recv());
        let Ok(Ok(Job { stretch, portions })) = job else {
            return;
        };
        let rendered = renderer.render(&stretch, &mut |portion| {
            let empty = spare
                .lock()
                .ok()
                .and_then(|mut spare| spare.pop())
                .unwrap_or_default();
            portions
                .send(Ok(mem::replace(portion, empty)))
                .map_err(|_| Refused)
        });
        match rendered {
            Ok(()) => {}
            Err(Stop::Output(Refused)) => return,
            Err(Stop::Read(error)) => {
                // Nobody listens when the dump has stopped already.
                let _ = portions.send(Err(error));
                return;
            }
        }
    }
}

fn keep(spare: &Mutex<Vec<Portion>>, portion: Portion) {
    if let Ok(mut spare) = spare.lock() {
        spare.push(portion);
    }
}
