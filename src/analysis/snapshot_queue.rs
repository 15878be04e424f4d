//! Snapshots that wait until a replay has come to their offsets, and are compared with it then.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::cleaner_traces::CleanerTraces;
use super::snapshot_comparison::{Difference, Log, compare};
use super::snapshot_health::Health;
use super::snapshot_replay::Terms;
use crate::format::number::Offset;
use crate::state::rules::{Path, Reset};
use crate::state::table::Table;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::ReadError;

/// What became of the comparison of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// It was compared.
    Differences(Vec<Difference>),
    /// The log ends below the snapshot's offset, here.
    BehindLogEnd(Offset),
    /// The log begins above the snapshot's offset, here.
    BelowFirstSegment(Offset),
    /// Nothing of the snapshot can be read, or the file cannot.
    Unreadable,
}

/// Takes a snapshot, by its place in the list, when it was read and compared.
pub type Each<'e> = &'e mut dyn FnMut(usize, Result<Health, ReadError>, Compared);

/// Where a replay has come to.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'a> {
    /// The offset behind its last batch.
    pub offset: Offset,
    /// The producers there.
    pub producers: &'a Table<1>,
    /// What compaction left of the batches so far.
    pub traces: &'a CleanerTraces,
    /// The last barrier so far.
    pub last_barrier: Option<Offset>,
}

/// Snapshots that wait.
#[derive(Debug)]
pub struct SnapshotQueue {
    snapshots: Vec<(Offset, PathBuf)>,
    /// The places in the list, by offset.
    waiting: BTreeMap<Offset, Vec<usize>>,
    terms: Terms,
    first_offset: Offset,
    log_start: Offset,
    /// Whether what lies below the first offset is known, from the snapshot there.
    pub knows_below: bool,
    /// Of all snapshots of the partition, ascending.
    offsets: Vec<Offset>,
}

impl SnapshotQueue {
    /// The snapshots in these files of a partition, given with their offsets. The log begins with
    /// the segment at `first_offset`, and by its checkpoint at `log_start`.
    #[must_use]
    pub fn new(
        partition: &PartitionDirectory,
        snapshots: &[(Offset, PathBuf)],
        terms: &Terms,
        first_offset: Offset,
        log_start: Offset,
    ) -> Self {
        let mut waiting: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (index, (offset, _)) in snapshots.iter().enumerate() {
            waiting.entry(*offset).or_default().push(index);
        }
        Self {
            snapshots: snapshots.to_vec(),
            waiting,
            terms: *terms,
            first_offset,
            log_start,
            knows_below: false,
            offsets: snapshots_of(partition)
                .into_iter()
                .map(|(offset, _)| offset)
                .collect(),
        }
    }

    /// The least offset that is waited for.
    #[must_use]
    pub fn next(&self) -> Option<Offset> {
        self.waiting.first_key_value().map(|(offset, _)| *offset)
    }

    /// Compares what waits for offsets up to `offset`: the replay comes to none of them any more.
    pub fn upto(&mut self, offset: Offset, reached: &Reached<'_>, each: Each<'_>) {
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() <= offset
        {
            let (at, indexes) = entry.remove_entry();
            for index in indexes {
                let read = self.read(index);
                let compared = match &read {
                    Some(Ok(health)) => self.compare(health, at, reached),
                    _ => Compared::Unreadable,
                };
                if let Some(read) = read {
                    each(index, read, compared);
                }
            }
        }
    }

    /// The log ends at `end`, below all that still wait.
    pub fn rest(&mut self, end: Offset, each: Each<'_>) {
        for index in std::mem::take(&mut self.waiting).into_values().flatten() {
            if let Some(read) = self.read(index) {
                each(index, read, Compared::BehindLogEnd(end));
            }
        }
    }

    fn read(&self, index: usize) -> Option<Result<Health, ReadError>> {
        let (_, path) = self.snapshots.get(index)?;
        Some(Health::read(path, self.terms.read.access))
    }

    fn compare(&self, health: &Health, at: Offset, reached: &Reached<'_>) -> Compared {
        if at < self.first_offset {
            return Compared::BelowFirstSegment(self.first_offset);
        }
        let Some(snapshot) = &health.snapshot else {
            return Compared::Unreadable;
        };
        let obeys = self.terms.rules.reset(Path::Load) != Reset::Ignored;
        let log = Log {
            producers: reached.producers,
            first_offset: self.first_offset,
            log_start: self.log_start,
            knows_below: self.knows_below,
            traces: reached.traces,
            missing_from: (reached.offset < at).then_some(reached.offset),
            older_snapshot: self.offsets.iter().rfind(|older| **older < at).copied(),
            last_barrier: reached.last_barrier.filter(|_| obeys),
            rules: self.terms.rules,
            expiry: self.terms.expiry,
        };
        let is_whole = usize::try_from(snapshot.count) == Ok(snapshot.entries.len());
        Compared::Differences(compare(&snapshot.entries, is_whole, &log))
    }
}

/// The snapshots of a partition with their offsets, ascending; files on their way out are none.
#[must_use]
pub fn snapshots_of(partition: &PartitionDirectory) -> Vec<(Offset, PathBuf)> {
    let files = partition.files_of(FileKind::ProducerSnapshot);
    let mut snapshots: Vec<_> = files
        .filter(|file| file.name.suffix.is_none())
        .filter_map(|file| Some((file.name.base_offset?, file.path.clone())))
        .collect();
    snapshots.sort();
    snapshots
}
