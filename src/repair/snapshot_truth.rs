//! Whether old snapshots say what the log says, while it is read up to its first damage.
//!
//! A snapshot may know what no log tells any more: producers whose batches retention or compaction
//! have taken. Nor need it know everybody: brokers forget who is silent. Both stay as they are;
//! what nothing explains is corrected.

use super::old_snapshots::OldSnapshots;
use crate::analysis::cleaner_traces::CleanerTraces;
use crate::analysis::snapshot_comparison::{Difference, Log, Outcome, compare};
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::batch::{Batch, Control};
use crate::state::rules::RuleSet;
use crate::state::table::Table;
use std::collections::BTreeMap;

/// The old snapshots, and what the log has shown so far.
#[derive(Debug)]
pub(super) struct SnapshotTruth<'a> {
    old: Option<&'a OldSnapshots>,
    rules: &'static dyn RuleSet,
    /// The base of the first segment, and where the log starts.
    first: Offset,
    start: Offset,
    traces: CleanerTraces,
    /// What those should say that say something else.
    pub(super) corrected: BTreeMap<Offset, Vec<ProducerEntry>>,
}

impl<'a> SnapshotTruth<'a> {
    pub(super) fn new(
        old: Option<&'a OldSnapshots>,
        rules: &'static dyn RuleSet,
        first: Offset,
        log_start: Offset,
    ) -> Self {
        Self {
            old,
            rules,
            first,
            start: log_start.max(first),
            traces: CleanerTraces::default(),
            corrected: BTreeMap::new(),
        }
    }

    /// The greatest offset of a snapshot that a broker can use: so far the log went once.
    pub(super) fn last(&self) -> Option<Offset> {
        let old = self.old?;
        { old.offsets() }
            .filter(|offset| old.is_usable(*offset))
            .last()
    }

    /// A batch comes where `expected` was to come.
    pub(super) fn batch(&mut self, expected: Offset, batch: &Batch, control: Option<&Control>) {
        if self.old.is_some() {
            self.traces.note(expected, batch, control);
        }
    }

    /// The log is at `offset` and knows these producers; its last batch ends in front of `end`.
    pub(super) fn at(&mut self, offset: Offset, end: Offset, producers: &Table<1>) {
        let Some(old) = self.old.filter(|_| offset > self.start) else {
            return;
        };
        let Some(entries) = old.at(offset) else {
            return;
        };
        let differences = self.differences(&entries, offset, end, producers);
        let wrong = differences.into_iter().filter(|one| !one.is_legal());
        let wrong: BTreeMap<ProducerId, Outcome> =
            wrong.map(|one| (one.producer_id, one.outcome)).collect();
        if wrong.is_empty() {
            return;
        }
        // Of two entries of one producer a broker keeps the second.
        let mut right: BTreeMap<ProducerId, ProducerEntry> = { entries.into_iter() }
            .map(|entry| (entry.producer_id, entry))
            .collect();
        for id in wrong.into_keys() {
            match producers.get(id) {
                Some(entry) => right.insert(id, entry.to_snapshot()),
                None => right.remove(&id),
            };
        }
        self.corrected.insert(offset, right.into_values().collect());
    }

    /// The producers that the newest snapshot up to `offset` knows and the log cannot.
    pub(super) fn beyond_the_log(
        &self,
        offset: Offset,
        producers: &Table<1>,
    ) -> Vec<ProducerEntry> {
        let Some(old) = self.old else {
            return Vec::new();
        };
        let entries = old.newest(self.start, offset);
        let differences = self.differences(&entries, offset, offset, producers);
        let is_told = |one: &&Difference| one.outcome == Outcome::Extra && one.is_legal();
        let known: Vec<_> = { differences.iter().filter(is_told) }
            .map(|one| one.producer_id)
            .collect();
        let is_known = |entry: &ProducerEntry| known.contains(&entry.producer_id);
        entries.into_iter().filter(is_known).collect()
    }

    fn differences(
        &self,
        entries: &[ProducerEntry],
        offset: Offset,
        end: Offset,
        producers: &Table<1>,
    ) -> Vec<Difference> {
        let log = Log {
            producers,
            first_offset: self.first,
            log_start: self.start,
            knows_below: false,
            traces: &self.traces,
            missing_from: (end < offset).then_some(end),
            older_snapshot: self.old.and_then(|old| old.before(offset)),
            last_barrier: None,
            rules: self.rules,
            expiry: None,
        };
        compare(entries, true, &log)
    }
}
