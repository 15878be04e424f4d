//! How far a repair is, on a terminal: bytes that were read or written for its plan, its result and
//! the check of that.

use std::fs::Metadata;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kfsck::analysis::check::watch::Watch;
use kfsck::repair::apply::disk::{Disk, Fill, SystemDisk};
use kfsck::storage::directory::{Operand, PartitionDirectory};
use kfsck::storage::listener::Listener;
use kfsck::storage::source::ReadError;

use super::progress::{Drawn, bytes_of_partition};
use super::session::Session;

/// How often each byte of a log is read for a plan, at most.
const PLANNED: u64 = 2;
/// How often it is read or written behind that: written, loaded twice, checked.
const CARRIED_OUT: u64 = 4;

/// The progress of a run over several partitions.
#[derive(Debug)]
pub(super) struct RepairProgress {
    /// `None` where nobody looks.
    drawn: Option<Drawn>,
    /// How often each byte is looked at.
    times: u64,
    reached: AtomicU64,
    /// Where the partition at hand ends.
    end: AtomicU64,
}

impl RepairProgress {
    /// Begins with nothing done of these operands.
    pub(super) fn start(
        operands: &[Operand],
        only_planned: bool,
        session: &mut Session,
    ) -> Arc<Self> {
        let times = match only_planned {
            true => PLANNED,
            false => PLANNED + CARRIED_OUT,
        };
        let partitions = || operands.iter().flat_map(Operand::partitions);
        let total = || partitions().map(bytes_of_partition).sum::<u64>() * times;
        Arc::new(Self {
            drawn: Drawn::start(total, session),
            times,
            reached: AtomicU64::new(0),
            end: AtomicU64::new(0),
        })
    }

    /// The next partition begins, where the one before has its end: not all are looked at as often
    /// as the slowest.
    pub(super) fn begin(&self, partition: &PartitionDirectory) {
        if let Some(drawn) = &self.drawn {
            let before = self.end.load(Ordering::Relaxed);
            let end = before.saturating_add(bytes_of_partition(partition) * self.times);
            self.end.store(end, Ordering::Relaxed);
            self.reached.store(before, Ordering::Relaxed);
            drawn.reached(before);
        }
    }
}

impl Listener for RepairProgress {
    fn read(&self, bytes: u64) {
        if let Some(drawn) = &self.drawn {
            let reached = self.reached.fetch_add(bytes, Ordering::Relaxed);
            let end = self.end.load(Ordering::Relaxed);
            drawn.reached(reached.saturating_add(bytes).min(end));
        }
    }
}

/// The system's disk, whose writes are heard of.
#[derive(Debug)]
pub(super) struct WatchedDisk<'p>(pub(super) &'p RepairProgress);

struct Counted<'w>(&'w mut dyn Write, &'w RepairProgress);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.read(u64::try_from(written).unwrap_or(0));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Disk for WatchedDisk<'_> {
    fn write(&mut self, path: &Path, like: Option<&Metadata>, fill: Fill<'_>) -> io::Result<()> {
        SystemDisk.write(path, like, &mut |out| fill(&mut Counted(out, self.0)))
    }
}

/// Who looks on while a result is checked.
pub(super) struct Watching<'p> {
    pub(super) progress: &'p RepairProgress,
    /// Files of the result that cannot be read.
    pub(super) unread: Vec<ReadError>,
}

impl Watch for Watching<'_> {
    fn advanced(&mut self, bytes: u64) {
        self.progress.read(bytes);
    }

    fn unread(&mut self, error: ReadError) {
        self.unread.push(error);
    }
}
