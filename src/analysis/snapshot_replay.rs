//! The snapshots of a partition against its log, in one pass over the log however many snapshots
//! there are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::belief::{Question, begin};
use super::log_findings::LogFindings;
use super::snapshot_comparison::{Difference, Log, compare};
use super::snapshot_health::Health;
use super::witness::{Witness, watch_segments};
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::{Batch, Control};
use crate::state::read::{ReadOptions, SegmentFile};
use crate::state::replay::{Replay, Visitor};
use crate::state::rules::{Path, Reset, RuleSet};
use crate::state::table::Table;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::Damage;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::ReadError;

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
    let mut comparing = Comparing {
        snapshots,
        waiting: waiting(snapshots),
        terms,
        first_offset,
        log_start: belief.log_start_offset,
        knows_below: false,
        offsets: offsets_of_snapshots(partition),
        found,
        reached,
        each,
    };
    // Nothing in the log tells of the state at its first offset, and comparing the snapshot there
    // with itself would tell nothing either.
    comparing.upto(first_offset, first_offset, &Table::new());
    comparing.knows_below = belief.began_with.is_some();
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
    comparing.rest(end);
    Ok(())
}

/// Which snapshots wait for which offset.
fn waiting(snapshots: &[(Offset, PathBuf)]) -> BTreeMap<Offset, Vec<usize>> {
    let mut waiting: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, (offset, _)) in snapshots.iter().enumerate() {
        waiting.entry(*offset).or_default().push(index);
    }
    waiting
}

fn offsets_of_snapshots(partition: &PartitionDirectory) -> Vec<Offset> {
    let files = partition.files_of(FileKind::ProducerSnapshot);
    let mut offsets: Vec<_> = files
        .filter(|file| file.name.suffix.is_none())
        .filter_map(|file| file.name.base_offset)
        .collect();
    offsets.sort_unstable();
    offsets
}

/// Compares each snapshot when the replay has come to its offset.
struct Comparing<'a, 'f, 't, 'e> {
    snapshots: &'a [(Offset, PathBuf)],
    waiting: BTreeMap<Offset, Vec<usize>>,
    terms: &'a Terms,
    first_offset: Offset,
    log_start: Offset,
    knows_below: bool,
    /// Of all snapshots of the partition, ascending.
    offsets: Vec<Offset>,
    found: &'f mut LogFindings<'t>,
    reached: &'f mut dyn FnMut(Offset, u64),
    each: Each<'e>,
}

impl Comparing<'_, '_, '_, '_> {
    /// Compares what waits for offsets up to `offset`: the replay, which has reached `reached`,
    /// comes to none of them any more.
    fn upto(&mut self, offset: Offset, reached: Offset, producers: &Table<1>) {
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() <= offset
        {
            let (at, indexes) = entry.remove_entry();
            for index in indexes {
                let read = self.read(index);
                let compared = match &read {
                    Some(Ok(health)) => self.compare(health, at, reached, producers),
                    _ => Compared::Unreadable,
                };
                if let Some(read) = read {
                    (self.each)(index, read, compared);
                }
            }
        }
    }

    /// The log ends at `end`, below all that still wait.
    fn rest(&mut self, end: Offset) {
        for index in std::mem::take(&mut self.waiting).into_values().flatten() {
            if let Some(read) = self.read(index) {
                (self.each)(index, read, Compared::BehindLogEnd(end));
            }
        }
    }

    fn read(&self, index: usize) -> Option<Result<Health, ReadError>> {
        let (_, path) = self.snapshots.get(index)?;
        Some(Health::read(path, self.terms.read.access))
    }

    fn compare(
        &self,
        health: &Health,
        at: Offset,
        reached: Offset,
        producers: &Table<1>,
    ) -> Compared {
        if at < self.first_offset {
            return Compared::BelowFirstSegment(self.first_offset);
        }
        let Some(snapshot) = &health.snapshot else {
            return Compared::Unreadable;
        };
        let obeys = self.terms.rules.reset(Path::Load) != Reset::Ignored;
        let log = Log {
            producers,
            first_offset: self.first_offset,
            log_start: self.log_start,
            knows_below: self.knows_below,
            traces: self.found.traces(),
            missing_from: (reached < at).then_some(reached),
            older_snapshot: self.offsets.iter().rfind(|older| **older < at).copied(),
            last_barrier: self.found.last_barrier().filter(|_| obeys),
            rules: self.terms.rules,
            expiry: self.terms.expiry,
        };
        let is_whole = usize::try_from(snapshot.count) == Ok(snapshot.entries.len());
        Compared::Differences(compare(&snapshot.entries, is_whole, &log))
    }
}

impl Visitor for Comparing<'_, '_, '_, '_> {
    fn damage(&mut self, segment: Offset, damage: &Damage) {
        self.found.damage(segment, damage);
    }

    fn reached(&mut self, segment: Offset, position: u64) {
        (self.reached)(segment, position);
    }
}

impl Witness for Comparing<'_, '_, '_, '_> {
    fn segment(&mut self, segment: &SegmentFile) {
        self.found.segment(segment);
    }

    fn needs_state(&self, batch: &Batch) -> bool {
        let next = self.waiting.first_key_value();
        next.is_some_and(|(offset, _)| *offset <= batch.last_offset)
    }

    fn before(&mut self, state: &Replay<1>, batch: &Batch, control: Option<&Control>) {
        if self.needs_state(batch) {
            let producers = state.manager().producers();
            self.upto(batch.last_offset, state.next_offset(), producers);
        }
        self.found.before(state, batch, control);
    }
}
