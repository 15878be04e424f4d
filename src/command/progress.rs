//! How far the reading of logs is, on a terminal: bytes read of the bytes of all segments.
//!
//! Nothing is drawn where standard error is no terminal, with `-q`, or while the work is short.

use std::cell::RefCell;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kfsck::analysis::belief::Belief;
use kfsck::analysis::witness::Witness;
use kfsck::format::number::Offset;
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::batch::{Batch, Control};
use kfsck::state::event::Event;
use kfsck::state::read::{SegmentFile, segments};
use kfsck::state::replay::{Replay, Visitor};
use kfsck::state::transactions::Transaction;
use kfsck::storage::damage::Damage;
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::listener::Listener;

use super::session::Session;

/// Shorter work is done before anybody wonders.
const PATIENCE: Duration = Duration::from_millis(500);

/// The progress of one run; clones speak of the same run.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    /// `None` where nobody looks.
    bar: Option<Rc<Bar>>,
}

#[derive(Debug)]
struct Bar {
    drawn: Drawn,
    at: RefCell<Place>,
}

/// What is drawn, from whatever thread.
#[derive(Debug)]
pub(super) struct Drawn {
    bar: ProgressBar,
    started: Instant,
    is_drawn: AtomicBool,
}

/// The progress of a run of several threads: bytes that they have looked at together.
#[derive(Debug)]
pub(super) struct SharedProgress {
    /// `None` where nobody looks.
    drawn: Option<Drawn>,
    read: AtomicU64,
}

/// How far the reading is.
#[derive(Debug, Default)]
struct Place {
    /// Bytes of segments that are done.
    before: u64,
    segment: Option<Offset>,
    position: u64,
}

impl Progress {
    /// Begins with nothing read of what lies behind these paths.
    pub(super) fn start(paths: &[PathBuf], session: &mut Session) -> Self {
        let total = || paths.iter().map(|path| bytes_behind(path)).sum();
        let bar = Drawn::start(total, session).map(|drawn| {
            let at = RefCell::default();
            Rc::new(Bar { drawn, at })
        });
        Self { bar }
    }

    /// A segment is read up to this byte.
    pub(super) fn reached(&self, segment: Offset, position: u64) {
        if let Some(bar) = &self.bar {
            bar.reached(segment, position);
        }
    }

    /// Follows the reading of the next partition that `inner` visits.
    pub(super) fn watching<'w, W: ?Sized>(&self, inner: &'w mut W) -> Watching<'w, W> {
        if let Some(bar) = &self.bar {
            bar.at.borrow_mut().leave();
        }
        Watching {
            inner,
            bar: self.bar.clone(),
        }
    }
}

impl SharedProgress {
    /// Begins with nothing read of what lies behind these operands.
    pub(super) fn start(operands: &[Operand], session: &mut Session) -> Self {
        Self::of(|| operands.iter().map(bytes_of).sum(), session)
    }

    /// Begins with nothing read of so many bytes.
    pub(super) fn of(total: impl FnOnce() -> u64, session: &mut Session) -> Self {
        Self {
            drawn: Drawn::start(total, session),
            read: AtomicU64::new(0),
        }
    }

    /// So many more bytes are done.
    pub(super) fn advanced(&self, bytes: u64) {
        if let Some(drawn) = &self.drawn {
            let before = self.read.fetch_add(bytes, Ordering::Relaxed);
            drawn.reached(before.saturating_add(bytes));
        }
    }
}

impl Listener for SharedProgress {
    fn read(&self, bytes: u64) {
        self.advanced(bytes);
    }
}

impl Drawn {
    /// Nothing, where nobody would see it.
    pub(super) fn start(total: impl FnOnce() -> u64, session: &mut Session) -> Option<Self> {
        if session.is_quiet() || !io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(Some(total()), ProgressDrawTarget::hidden());
        let style = "[{wide_bar}] {binary_bytes} of {binary_total_bytes}, about {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        session.draw_around(bar.clone());
        Some(Self {
            bar,
            started: Instant::now(),
            is_drawn: AtomicBool::new(false),
        })
    }

    /// So many bytes are done, of all.
    pub(super) fn reached(&self, read: u64) {
        let is_due = self.started.elapsed() >= PATIENCE;
        if is_due && !self.is_drawn.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        // A pipe does not say how much will come.
        if self.bar.length().is_some_and(|total| total < read) {
            self.bar.set_length(read);
        }
        self.bar.set_position(read);
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Bar {
    fn reached(&self, segment: Offset, position: u64) {
        let read = self.at.borrow_mut().reached(segment, position);
        self.drawn.reached(read);
    }
}

impl Place {
    /// Bytes read in all.
    fn reached(&mut self, segment: Offset, position: u64) -> u64 {
        if self.segment != Some(segment) {
            self.leave();
            self.segment = Some(segment);
        }
        self.position = position;
        self.before.saturating_add(position)
    }

    fn leave(&mut self) {
        self.before = self.before.saturating_add(self.position);
        self.position = 0;
        self.segment = None;
    }
}

/// The bytes of the segments behind a path; what cannot be looked at is told by who reads it.
fn bytes_behind(path: &Path) -> u64 {
    directory::expand(path).map_or(0, |operand| bytes_of(&operand))
}

fn bytes_of(operand: &Operand) -> u64 {
    match operand {
        Operand::File(file) => size(&file.path),
        operand => operand.partitions().iter().map(bytes_of_partition).sum(),
    }
}

/// The bytes of a partition's segments.
pub(super) fn bytes_of_partition(partition: &PartitionDirectory) -> u64 {
    let files = segments(partition).into_iter();
    files.map(|segment| size(&segment.path)).sum()
}

/// The bytes of some files.
pub(super) fn bytes_of_files<'p>(files: impl Iterator<Item = &'p Path>) -> u64 {
    files.map(size).sum()
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Passes on what a replay tells, and how far it is.
#[derive(Debug)]
pub(super) struct Watching<'w, W: ?Sized> {
    inner: &'w mut W,
    bar: Option<Rc<Bar>>,
}

impl<W: Visitor + ?Sized> Visitor for Watching<'_, W> {
    fn event(&mut self, event: &Event<'_>) {
        self.inner.event(event);
    }

    fn barrier(&mut self, batch: &Batch) {
        self.inner.barrier(batch);
    }

    fn transaction(&mut self, transaction: &Transaction) {
        self.inner.transaction(transaction);
    }

    fn aborted(&mut self, segment: Offset, entry: &AbortedTxn) {
        self.inner.aborted(segment, entry);
    }

    fn damage(&mut self, segment: Offset, damage: &Damage) {
        self.inner.damage(segment, damage);
    }

    fn reached(&mut self, segment: Offset, position: u64) {
        if let Some(bar) = &self.bar {
            bar.reached(segment, position);
        }
        self.inner.reached(segment, position);
    }
}

impl<W: Witness + ?Sized> Witness for Watching<'_, W> {
    fn begin(&mut self, belief: &Belief) {
        self.inner.begin(belief);
    }

    fn end(&mut self, belief: &Belief) {
        self.inner.end(belief);
    }

    fn segment(&mut self, segment: &SegmentFile) {
        self.inner.segment(segment);
    }

    fn needs_state(&self, batch: &Batch) -> bool {
        self.inner.needs_state(batch)
    }

    fn before(&mut self, state: &Replay<1>, batch: &Batch, control: Option<&Control>) {
        self.inner.before(state, batch, control);
    }
}

#[cfg(test)]
mod tests {
    use super::{Offset, Place};

    #[test]
    fn bytes_add_up_over_segments_and_partitions() {
        let mut place = Place::default();
        assert_eq!(place.reached(Offset(0), 10), 10);
        assert_eq!(place.reached(Offset(0), 25), 25);
        assert_eq!(place.reached(Offset(7), 5), 30);
        // The next partition may begin at the same offset.
        place.leave();
        assert_eq!(place.reached(Offset(7), 9), 39);
    }
}
