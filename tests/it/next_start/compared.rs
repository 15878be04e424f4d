//! Our judgement of a log directory, held against the real start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use kfsck::analysis::next_start::aborts::Aborts;
use kfsck::analysis::next_start::log_directory::beside_partitions;
use kfsck::analysis::next_start::{self, Action, NextStart, StartOptions};
use kfsck::format::number::{Offset, Timestamp};
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::load::{LoadOptions, Outcome, load};
use kfsck::state::read::{Item, ReadOptions, SegmentFile, read_segment, segments};
use kfsck::state::replay::{Replay, Visitor, replay};
use kfsck::state::rules::Stock;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{LogDirectory, Operand, PartitionDirectory, expand};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::partition_name::DirectoryState;
use kfsck::storage::source::{Access, Source};

use super::real::RealStart;
use crate::state_oracle::answer::{self, Answer, Fault, Log};
use crate::state_oracle::load::{of_outcome, snapshot};

/// When all starts happen.
pub(super) const NOW: i64 = 1_700_000_000_000;
const EXPIRATION_MS: i64 = 86_400_000;
const READ: ReadOptions = ReadOptions {
    access: Access::Plain,
    check_crc: true,
};

/// How the case differs from what the oracle saw; nothing where it does not.
pub(super) fn differences(case: &Path) -> Vec<String> {
    let real = RealStart::read(case);
    let logs = case.join("logs");
    let checkpoints = Checkpoints::read(&logs, Access::Plain);
    let Ok(Operand::Log(directory)) = expand(&logs) else {
        return vec!["not taken for a log directory".to_owned()];
    };
    let mut compared = Compared {
        real: &real,
        checkpoints: &checkpoints,
        directory: &directory,
        found: Vec::new(),
    };
    compared.all();
    compared.found
}

struct Compared<'a> {
    real: &'a RealStart,
    checkpoints: &'a Checkpoints,
    directory: &'a LogDirectory,
    found: Vec<String>,
}

/// How a start ends.
#[derive(Debug, PartialEq, Eq)]
struct Ends {
    error: bool,
    offline: bool,
}

impl Compared<'_> {
    fn differ(&mut self, what: &str, real: &dyn std::fmt::Debug, ours: &dyn std::fmt::Debug) {
        self.found
            .push(format!("{what}: real {real:?}, ours {ours:?}"));
    }

    fn all(&mut self) {
        let beside = beside_partitions(self.directory, self.checkpoints);
        let fails = |start: &&NextStart| start.action == Action::BrokerFails;
        let mut ours = Ends {
            error: beside
                .iter()
                .filter(fails)
                .any(|start| start.reason.contains("none of a")),
            offline: beside
                .iter()
                .filter(fails)
                .any(|start| start.reason.contains("offline")),
        };
        // A directory with a foreign name ends all before a partition is looked at.
        if !ours.error {
            for partition in &self.directory.partitions {
                let outcome = self.loaded(partition);
                if let Err(stop) = &outcome.log {
                    ours.error |= !stop.is_of_the_disk();
                    ours.offline |= stop.is_of_the_disk();
                    self.compare_stop(stop.class);
                }
                self.compare(partition, outcome);
            }
        }
        let offline = self.real.offline.is_some();
        let error = self.real.error.as_ref();
        // What must be written or renamed in a directory that is offline by then.
        let is_consequence = |error: &&Fault| {
            offline
                && error
                    .message
                    .contains("is already offline due to a previous IO exception")
        };
        let real = Ends {
            error: error.is_some_and(|error| !is_consequence(&error)),
            offline,
        };
        if real != ours {
            let why = (&self.real.error, &self.real.offline);
            self.differ("the end", &why, &ours);
        }
    }

    fn compare_stop(&mut self, ours: &str) {
        if let Some(error) = &self.real.error {
            let real = error.class.rsplit('.').next().unwrap();
            // What goes wrong inside a batch that damage has made an old one has many names.
            if real != ours && ours != "InvalidRecordException" {
                self.differ("the exception", &error, &ours);
            }
        }
    }

    fn options(&self, partition: &PartitionDirectory) -> LoadOptions {
        let name = partition.name.as_ref().unwrap();
        let (log_start_offset, recovery_point) = self.checkpoints.loaded_with(name);
        LoadOptions {
            access: Access::Plain,
            clean_shutdown: self.checkpoints.is_clean_shutdown,
            log_start_offset,
            recovery_point,
            now: Some(Timestamp(NOW)),
            ..LoadOptions::new(&Stock)
        }
    }

    fn loaded(&self, partition: &PartitionDirectory) -> Outcome<5> {
        let name = partition.name.as_ref().unwrap().to_string();
        load(partition, &name, &self.options(partition)).unwrap()
    }

    fn compare(&mut self, partition: &PartitionDirectory, outcome: Outcome<5>) {
        let name = partition.path.file_name().unwrap().to_str().unwrap();
        let aborts = Aborts::read(partition, READ).unwrap();
        let options = StartOptions {
            access: Access::Plain,
            now: Some(Timestamp(NOW)),
            expiration_ms: EXPIRATION_MS,
            aborts: Some(&aborts),
        };
        let ours = next_start::of(partition, self.checkpoints, &options).unwrap();
        let fails = outcome.log.is_err();
        if fails != (ours.action == Action::BrokerFails) {
            self.differ("whether it fails", &fails, &ours);
        }
        if fails || self.real.error.is_some() {
            return;
        }
        let recovered: BTreeSet<i64> = outcome.recovered.iter().map(|base| base.0).collect();
        let mut twin = of_outcome(outcome, &partition.path);
        let state = partition.name.as_ref().and_then(|name| name.state);
        if state == Some(DirectoryState::Deleted) || !self.real.is_loaded(name) {
            twin.log = None;
        }
        let real = self.real.answer(name);
        if let (Some(real), Some(twin)) = (&real.log, &mut twin.log) {
            unify_unstable(real, twin);
        }
        self.found.extend(answer::differences(&real, &twin));
        // Without a clean stop nothing is said of a missing index behind the recovery point.
        if !self.real.recovered().is_subset(&recovered) {
            self.differ("read again", &self.real.recovered(), &recovered);
        }
        if self.real.is_loaded(name) {
            self.compare_action(partition, &real, &ours, &recovered);
        }
    }

    fn compare_action(
        &mut self,
        partition: &PartitionDirectory,
        real: &Answer,
        ours: &NextStart,
        recovered: &BTreeSet<i64>,
    ) {
        // Where a split and a cut come together an answer does not show what was lost.
        if self.real.is_split() && ours.action >= Action::Truncates {
            return;
        }
        let before = Before::of(partition, self.real);
        let truth = Truth::of(self.real, partition, &before, real, self.checkpoints);
        let is_read_again = !recovered.is_empty();
        let action = match truth.action {
            // Whether the log is read for producers does not show in an answer.
            Action::CleanLoad if is_read_again || ours.action == Action::Recovers => {
                Action::Recovers
            }
            action => action,
        };
        if action != ours.action {
            self.differ("action", &truth, &ours);
        } else if truth.lost != ours.records_lost {
            self.differ("records lost", &truth, &ours);
        } else if ours.reason.is_empty() || ours.reason.ends_with('.') {
            self.differ("reason", &"a sentence", &ours);
        }
    }
}

/// Takes over what damage makes meaningless.
fn unify_unstable(real: &Log, twin: &mut Log) {
    // No high watermark can be there.
    if real.log_end_offset < 0 || real.log_end_offset < real.log_start_offset {
        twin.first_unstable_offset = real.first_unstable_offset;
        twin.last_stable_offset = real.last_stable_offset;
    }
    // An open transaction that is looked for and found behind the log's end holds nothing back.
    let is_behind = |log: &Log| {
        let first = log.first_unstable_offset;
        first.is_some_and(|first| first >= log.log_end_offset)
    };
    if is_behind(real) && is_behind(twin) {
        twin.first_unstable_offset = real.first_unstable_offset;
    }
}

/// What lay there before the start, as we read it.
struct Before {
    segments: BTreeMap<i64, (u64, Vec<GoodBatch>)>,
}

struct GoodBatch {
    position: u64,
    offset: Offset,
    next: Offset,
    /// Data records.
    records: u64,
}

impl Before {
    fn of(partition: &PartitionDirectory, start: &RealStart) -> Self {
        let (mut found, mut swaps) = (BTreeMap::new(), Vec::new());
        for name in start.swapped() {
            let base: i64 = name.split('.').next().unwrap().parse().unwrap();
            let segment = SegmentFile {
                base_offset: Offset(base),
                path: partition.path.join(name),
            };
            // An index alone makes an empty segment.
            if segment.path.exists() {
                let batches = good_batches(&segment);
                swaps.push(base..batches.1.last().map_or(base, |last| last.next.0));
                found.insert(base, batches);
            }
        }
        let replaced = start.replaced();
        for segment in segments(partition) {
            let name = segment.path.file_name().unwrap().to_str().unwrap();
            let base = segment.base_offset.0;
            // A broker looks for segments under names of twenty digits alone.
            let is_named = name.len() == "00000000000000000000.log".len();
            let is_compacted =
                replaced.contains(name) && swaps.iter().any(|swap| swap.contains(&base));
            if is_named && !is_compacted && !found.contains_key(&base) {
                found.insert(base, good_batches(&segment));
            }
        }
        Self { segments: found }
    }

    /// The records of a segment from a byte on.
    fn records(&self, base: i64, from: u64) -> u64 {
        let (_, batches) = &self.segments[&base];
        let lost = batches.iter().filter(|batch| batch.position >= from);
        lost.map(|batch| batch.records).sum()
    }
}

/// The size of a segment's file, and its good batches.
fn good_batches(segment: &SegmentFile) -> (u64, Vec<GoodBatch>) {
    let mut batches = Vec::new();
    let mut visit = |item: Item<'_>| {
        if let Item::Batch(batch, _) = item {
            let count = if batch.is_control {
                0
            } else {
                batch.count.max(0)
            };
            batches.push(GoodBatch {
                position: batch.place.position,
                offset: batch.base_offset,
                next: batch.next_offset(),
                records: u64::try_from(count).unwrap(),
            });
        }
        ControlFlow::Continue(())
    };
    read_segment(segment, READ, &mut |_| false, &mut visit).unwrap();
    let source = Source::open(&segment.path, Access::Plain).unwrap();
    (source.len(), batches)
}

/// What happened in truth, as far as the answer shows it.
#[derive(Debug)]
struct Truth {
    action: Action,
    lost: u64,
}

impl Truth {
    fn of(
        start: &RealStart,
        partition: &PartitionDirectory,
        before: &Before,
        real: &Answer,
        checkpoints: &Checkpoints,
    ) -> Self {
        let name = partition.path.file_name().unwrap().to_str().unwrap();
        let after: BTreeMap<i64, _> = start
            .segments(name)
            .iter()
            .map(|segment| (segment.base, *segment))
            .collect();
        let log = real.log.as_ref().unwrap();
        let (mut action, mut lost) = (Action::CleanLoad, 0);
        let end = log.log_end_offset;
        let last = after.last_key_value().map_or(0, |(base, _)| *base);
        for (base, (size, batches)) in &before.segments {
            if start.all_deleted() {
                action = Action::DeletesSegments;
                lost += before.records(*base, 0);
                continue;
            }
            // Part of it lies in another segment now.
            if start.is_split() {
                break;
            }
            let Some(left) = after.get(base) else {
                action = Action::DeletesSegments;
                lost += before.records(*base, 0);
                continue;
            };
            if left.bytes < *size {
                action = action.max(Action::Truncates);
                lost += before.records(*base, left.bytes);
            }
            let kept = batches.iter().filter(|batch| batch.position < left.bytes);
            let kept: Vec<_> = kept.collect();
            let unseen: Vec<_> = match (*base == last, end <= *base) {
                (true, false) => behind(&kept, end),
                (false, _) if end >= last => Vec::new(),
                _ => kept
                    .into_iter()
                    .filter(|batch| batch.offset.0 >= end)
                    .collect(),
            };
            if !unseen.is_empty() {
                action = action.max(Action::Truncates);
                lost += unseen.iter().map(|batch| batch.records).sum::<u64>();
            }
        }
        if action < Action::LosesProducerState
            && loses_producers(start, partition, real, checkpoints)
        {
            action = Action::LosesProducerState;
        }
        if action < Action::HidesAborts && hides_aborts(partition, real) {
            action = Action::HidesAborts;
        }
        Self { action, lost }
    }
}

/// The batches at the end of the last segment that lie above the log's end. The very last one is
/// below it where the log ends with that one; then they must go on from what is in front.
fn behind<'a>(batches: &[&'a GoodBatch], end: i64) -> Vec<&'a GoodBatch> {
    let below = batches.last().is_some_and(|last| last.offset.0 < end);
    let rest = &batches[..batches.len() - usize::from(below)];
    let from = rest.iter().rposition(|batch| batch.offset.0 < end);
    let from = from.map_or(0, |at| at + 1);
    let goes_on = from == 0 || from == rest.len() || rest[from - 1].next == rest[from].offset;
    match below && !goes_on {
        true => Vec::new(),
        false => rest[from..].to_vec(),
    }
}

/// Whether the log shows producers that nobody knows after the start, where the start did not read
/// it for them.
fn loses_producers(
    start: &RealStart,
    partition: &PartitionDirectory,
    real: &Answer,
    checkpoints: &Checkpoints,
) -> bool {
    let log = real.log.as_ref().unwrap();
    // One that stays as it was at the log's end told of the producers.
    let end = format!("{:020}.snapshot", log.log_end_offset);
    let had_one = partition
        .files_of(FileKind::ProducerSnapshot)
        .filter(|file| file.path.ends_with(&end))
        .any(|file| {
            let mut before = snapshot(&fs::read(&file.path).unwrap());
            before.entries.sort();
            before.error.is_none() && real.snapshots.get(&end) == Some(&before)
        });
    let is_suspect = !had_one || !start.recovered().is_empty();
    if !checkpoints.is_clean_shutdown || !is_suspect {
        return false;
    }
    let ids: BTreeSet<i64> = log
        .producers
        .iter()
        .map(|known| known.producer_id)
        .collect();
    let (begin, end) = (Offset(log.log_start_offset), Offset(log.log_end_offset));
    let state = Replay::<1>::new("any-0", &Stock, begin).upto(end);
    let state = replay(state, &segments(partition), READ, &mut ()).unwrap();
    let mut known = state.manager().producers().iter();
    known.any(|producer| {
        let silence = NOW - producer.last_timestamp.0;
        let lives = producer.current_txn_first_offset.is_some() || silence < EXPIRATION_MS;
        lives && !ids.contains(&producer.producer_id.0)
    })
}

/// Whether compaction has left records of a transaction.
fn has_records(partition: &PartitionDirectory, txn: &AbortedTxn) -> bool {
    let mut found = false;
    let mut visit = |item: Item<'_>| {
        if let Item::Batch(batch, _) = item {
            let is_of_it = batch.producer_id == txn.producer_id
                && (txn.first_offset..txn.last_offset).contains(&batch.base_offset);
            found |= is_of_it && batch.count > 0 && !batch.is_control;
        }
        ControlFlow::Continue(())
    };
    for segment in segments(partition) {
        read_segment(&segment, READ, &mut |_| false, &mut visit).unwrap();
    }
    found
}

/// Whether a transaction was aborted whose records lie there, and no index tells.
fn hides_aborts(partition: &PartitionDirectory, real: &Answer) -> bool {
    struct Aborted(Vec<AbortedTxn>);
    impl Visitor for Aborted {
        fn aborted(&mut self, _: Offset, txn: &AbortedTxn) {
            self.0.push(*txn);
        }
    }
    let log = real.log.as_ref().unwrap();
    let mut seen = Aborted(Vec::new());
    let state = Replay::<1>::new("any-0", &Stock, Offset(i64::MIN));
    replay(state, &segments(partition), READ, &mut seen).unwrap();
    let told = real.aborted.values().flatten();
    let told: BTreeSet<_> = told.map(|txn| (txn.producer_id, txn.last_offset)).collect();
    let range = log.log_start_offset..log.log_end_offset;
    let hidden = seen.0.iter().filter(|txn| {
        range.contains(&txn.last_offset.0)
            && !told.contains(&(txn.producer_id.0, txn.last_offset.0))
    });
    hidden.copied().any(|txn| has_records(partition, &txn))
}
