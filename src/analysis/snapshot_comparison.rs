//! A producer snapshot against the state that a replay of the log has at its offset, producer by
//! producer and field by field.
//!
//! Not every difference is a fault. The log may begin above what a producer wrote last, compaction
//! may have taken its batch, a broker may have forgotten it; such a difference has a
//! [`Cause::is_legal`].

use std::collections::HashMap;

use super::log_findings::DEFAULT_EXPIRATION_MS;
use super::producer_order::is_expired;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::entry::Entry;
use crate::state::rules::RuleSet;
use crate::state::table::Table;

/// How a producer of the snapshot stands to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All fields are the same.
    Equal,
    /// The log knows it, the snapshot does not.
    Missing,
    /// The snapshot knows it, the log does not.
    Extra,
    /// Both know it, and say different things.
    Differs,
}

impl Outcome {
    /// The outcome as JSON has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Differs => "differs",
        }
    }
}

/// What both sides say of one field; `None` where a side has no such producer, or no open
/// transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Kafka's name of the field.
    pub name: &'static str,
    /// By the snapshot.
    pub snapshot: Option<i64>,
    /// By the log.
    pub log: Option<i64>,
}

/// What explains a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// What it was written from lies below the log's start.
    BelowLogStart(Offset),
    /// Offsets are missing in the log from there on, as compaction leaves them.
    Compacted(Offset),
    /// The producer had been silent for so many milliseconds when others wrote last.
    MayHaveExpired(i64),
    /// The producer has not written since an older snapshot, which lies at this offset: it may
    /// have been forgotten at a start between the two.
    SilentSince(Offset),
    /// The producer has expired by the clock and the age that were given.
    Expired,
    /// The snapshot could not be read to its end.
    Unread,
    /// The producer wrote before this barrier, which these rules obey.
    BeforeBarrier(Offset),
    /// These rules give no state to ids below 0.
    NegativeId,
}

impl Cause {
    /// Whether nothing is wrong, as far as these files tell.
    #[must_use]
    pub const fn is_legal(self) -> bool {
        !matches!(self, Self::BeforeBarrier(_) | Self::NegativeId)
    }
}

/// A producer that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The producer.
    pub producer_id: ProducerId,
    /// How it stands.
    pub outcome: Outcome,
    /// The fields that differ; all of them where one side has no such producer.
    pub fields: Vec<Field>,
    /// What explains it.
    pub cause: Option<Cause>,
}

impl Difference {
    /// Whether nothing is wrong, as far as these files tell.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        self.cause.is_some_and(Cause::is_legal)
    }
}

/// Stretches of offsets that no batch of the log has, as many as are worth remembering.
#[derive(Debug, Default)]
pub struct Holes {
    /// First and last missing offset of each, ascending.
    ranges: Vec<(Offset, Offset)>,
    /// There are more, from here on.
    more_from: Option<Offset>,
}

impl Holes {
    const MOST: usize = 1 << 16;

    /// The offsets from `first` up to the one below `next` are missing.
    pub fn add(&mut self, first: Offset, next: Offset) {
        if self.ranges.len() < Self::MOST {
            self.ranges.push((first, next.plus(-1)));
        } else if self.more_from.is_none() {
            self.more_from = Some(first);
        }
    }

    /// The first hole that reaches `offset` or lies behind it.
    #[must_use]
    pub fn from(&self, offset: Offset) -> Option<Offset> {
        let at = self.ranges.partition_point(|(_, last)| *last < offset);
        let known = self.ranges.get(at).map(|(first, _)| *first);
        known.or(self.more_from)
    }
}

/// What is known of the log beside its state.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    /// The producers at the snapshot's offset.
    pub producers: &'a Table<1>,
    /// The base offset of the first segment.
    pub first_offset: Offset,
    /// Where the log starts, at or above that.
    pub log_start: Offset,
    /// Whether what lies below the first offset is known, from the snapshot there.
    pub knows_below: bool,
    /// Offsets that are missing between batches below the snapshot's offset.
    pub holes: &'a Holes,
    /// The offset behind the last batch below the snapshot's offset, where more offsets are
    /// missing before the next one.
    pub missing_from: Option<Offset>,
    /// The offset of the next older snapshot.
    pub older_snapshot: Option<Offset>,
    /// The last barrier below the snapshot's offset.
    pub last_barrier: Option<Offset>,
    /// The rules of the replay.
    pub rules: &'static dyn RuleSet,
    /// The clock and the age at which producers expire, where they were given.
    pub expiry: Option<(Timestamp, i64)>,
}

/// The differences, those of the snapshot's producers in its order, then the missing ones by id.
/// `is_whole` says whether the snapshot could be read to its end.
#[must_use]
pub fn compare(entries: &[ProducerEntry], is_whole: bool, log: &Log<'_>) -> Vec<Difference> {
    // Of two entries of one producer a broker keeps the second.
    let last: HashMap<ProducerId, usize> = (0..)
        .zip(entries)
        .map(|(index, entry)| (entry.producer_id, index))
        .collect();
    let counts = (0..)
        .zip(entries)
        .filter(|(index, entry)| last.get(&entry.producer_id) == Some(index));
    let mut differences: Vec<_> = counts
        .filter_map(|(_, stored)| {
            // A broker does not read the fields of a batch that is not there.
            let stored = Entry::<1>::from_snapshot(stored).to_snapshot();
            let replayed = log.producers.get(stored.producer_id);
            log.judge(&stored, replayed.map(|entry| entry.to_snapshot()).as_ref())
        })
        .collect();
    let newest = log.newest(entries);
    let mut missing: Vec<_> = log
        .producers
        .iter()
        .filter(|entry| !last.contains_key(&entry.producer_id))
        .map(|entry| Difference {
            producer_id: entry.producer_id,
            outcome: Outcome::Missing,
            fields: fields(None, Some(&entry.to_snapshot())),
            cause: match is_whole {
                true => log.cause_of_missing(&entry, newest),
                false => Some(Cause::Unread),
            },
        })
        .collect();
    missing.sort_unstable_by_key(|difference| difference.producer_id);
    differences.append(&mut missing);
    differences
}

impl Log<'_> {
    fn judge(
        &self,
        stored: &ProducerEntry,
        replayed: Option<&ProducerEntry>,
    ) -> Option<Difference> {
        let fields = fields(Some(stored), replayed);
        let (outcome, cause) = match replayed {
            None => (Outcome::Extra, self.cause_of_extra(stored)),
            Some(_) if fields.is_empty() => return None,
            Some(replayed) => (
                Outcome::Differs,
                self.cause_of_difference(stored, replayed, &fields),
            ),
        };
        Some(Difference {
            producer_id: stored.producer_id,
            outcome,
            fields,
            cause,
        })
    }

    fn cause_of_extra(&self, stored: &ProducerEntry) -> Option<Cause> {
        if !self.rules.keeps_state_of(stored.producer_id) {
            return Some(Cause::NegativeId);
        }
        // Where only a marker was seen, nothing tells where it lies.
        let is_below = |offset| !stored.has_batch() || stored.last_offset < offset;
        if let Some(barrier) = self.last_barrier.filter(|barrier| is_below(*barrier)) {
            return Some(Cause::BeforeBarrier(barrier));
        }
        if self.first_offset > Offset(0) && !self.knows_below && is_below(self.first_offset) {
            return Some(Cause::BelowLogStart(self.first_offset));
        }
        if stored.has_batch() && is_below(self.log_start) {
            return Some(Cause::BelowLogStart(self.log_start));
        }
        self.cause_of_hole(stored.last_offset)
    }

    fn cause_of_difference(
        &self,
        stored: &ProducerEntry,
        replayed: &ProducerEntry,
        fields: &[Field],
    ) -> Option<Cause> {
        let only = |names: &[&str]| fields.iter().all(|field| names.contains(&field.name));
        let begins_before = only(&["coordinatorEpoch", "currentTxnFirstOffset"]);
        if let Some(barrier) = self.last_barrier
            && (begins_before || stored.last_offset < barrier)
        {
            return Some(Cause::BeforeBarrier(barrier));
        }
        // The marker, or the first batch of the transaction, is not in the log any more.
        if begins_before && self.first_offset > Offset(0) && !self.knows_below {
            let open = stored.open_txn();
            let same = open == replayed.open_txn();
            let coordinator = stored.coordinator_epoch == replayed.coordinator_epoch;
            if (coordinator || replayed.coordinator_epoch.0 == -1)
                && (same || open.is_some_and(|first| first < self.first_offset))
            {
                return Some(Cause::BelowLogStart(self.first_offset));
            }
        }
        let lowest = stored.last_offset.min(replayed.last_offset);
        self.cause_of_hole(stored.open_txn().map_or(lowest, |first| first.min(lowest)))
    }

    fn cause_of_hole(&self, from: Offset) -> Option<Cause> {
        let hole = self.holes.from(from).or(self.missing_from);
        hole.map(Cause::Compacted)
    }

    fn cause_of_missing(&self, entry: &Entry<1>, newest: Timestamp) -> Option<Cause> {
        if is_expired(entry, self.expiry) {
            return Some(Cause::Expired);
        }
        let last = entry.batches.last();
        if last.is_some_and(|batch| batch.last_offset < self.log_start) {
            return Some(Cause::BelowLogStart(self.log_start));
        }
        if entry.current_txn_first_offset.is_some() {
            return None;
        }
        let silence = newest.0.saturating_sub(entry.last_timestamp.0);
        if silence >= DEFAULT_EXPIRATION_MS {
            return Some(Cause::MayHaveExpired(silence));
        }
        let older = self.older_snapshot?;
        let is_silent = last.is_some_and(|batch| batch.last_offset < older);
        is_silent.then_some(Cause::SilentSince(older))
    }

    /// The latest time that either side has: it was not earlier when the snapshot was written.
    fn newest(&self, entries: &[ProducerEntry]) -> Timestamp {
        let stored = entries.iter().map(|entry| entry.timestamp);
        let replayed = self.producers.iter().map(|entry| entry.last_timestamp);
        stored.chain(replayed).max().unwrap_or(Timestamp::NONE)
    }
}

/// The fields that are not the same.
fn fields(snapshot: Option<&ProducerEntry>, log: Option<&ProducerEntry>) -> Vec<Field> {
    type Get = fn(&ProducerEntry) -> Option<i64>;
    const FIELDS: [(&str, Get); 7] = [
        ("producerEpoch", |entry| Some(entry.producer_epoch.0.into())),
        ("lastSequence", |entry| Some(entry.last_sequence.0.into())),
        ("lastOffset", |entry| Some(entry.last_offset.0)),
        ("offsetDelta", |entry| Some(entry.offset_delta.into())),
        ("timestamp", |entry| Some(entry.timestamp.0)),
        ("coordinatorEpoch", |entry| {
            Some(entry.coordinator_epoch.0.into())
        }),
        ("currentTxnFirstOffset", |entry| {
            entry.open_txn().map(|offset| offset.0)
        }),
    ];
    let is_alone = snapshot.is_none() || log.is_none();
    FIELDS
        .iter()
        .map(|(name, get)| Field {
            name,
            snapshot: snapshot.and_then(get),
            log: log.and_then(get),
        })
        .filter(|field| is_alone || field.snapshot != field.log)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::{CoordinatorEpoch, ProducerEpoch, Sequence};
    use crate::state::rules::Barrier;

    fn entry(producer_id: i64, last_offset: i64) -> ProducerEntry {
        ProducerEntry {
            producer_id: ProducerId(producer_id),
            producer_epoch: ProducerEpoch(0),
            last_sequence: Sequence(3),
            last_offset: Offset(last_offset),
            offset_delta: 0,
            timestamp: Timestamp(1000),
            coordinator_epoch: CoordinatorEpoch(-1),
            current_txn_first_offset: Offset(-1),
            source_cluster_id: None,
        }
    }

    fn table(entries: &[ProducerEntry]) -> Table<1> {
        let mut table = Table::new();
        for stored in entries {
            table.add(&Entry::from_snapshot(stored));
        }
        table
    }

    /// A log from offset 0 without a hole.
    fn log<'a>(producers: &'a Table<1>, holes: &'a Holes) -> Log<'a> {
        Log {
            producers,
            first_offset: Offset(0),
            log_start: Offset(0),
            knows_below: false,
            holes,
            missing_from: None,
            older_snapshot: None,
            last_barrier: None,
            rules: &Barrier,
            expiry: None,
        }
    }

    fn causes(differences: &[Difference]) -> Vec<Option<Cause>> {
        differences.iter().map(|told| told.cause).collect()
    }

    #[test]
    fn the_first_hole_from_an_offset_on() {
        let mut holes = Holes::default();
        holes.add(Offset(5), Offset(8));
        holes.add(Offset(20), Offset(21));
        for (from, first) in [(0, 5), (7, 5), (8, 20), (20, 20)] {
            assert_eq!(holes.from(Offset(from)), Some(Offset(first)), "{from}");
        }
        assert_eq!(holes.from(Offset(21)), None);
        for at in 0..1 << 16 {
            holes.add(Offset(100 + 2 * at), Offset(101 + 2 * at));
        }
        // Those that were not kept count as one without end.
        assert_eq!(holes.from(Offset(1 << 40)), Some(Offset(100 + 2 * 65_534)));
    }

    #[test]
    fn compaction_explains_what_lies_in_front_of_a_hole() {
        let producers = table(&[entry(1, 4)]);
        let mut holes = Holes::default();
        holes.add(Offset(5), Offset(8));
        let held = [entry(1, 6), entry(2, 9), entry(3, 7)];
        let told = compare(&held, true, &log(&producers, &holes));
        let hole = Some(Cause::Compacted(Offset(5)));
        assert_eq!(causes(&told), [hole, None, hole]);
        assert!(told[0].is_legal() && !told[1].is_legal());
        let end = Log {
            missing_from: Some(Offset(8)),
            ..log(&producers, &holes)
        };
        let told = compare(&held, true, &end);
        assert_eq!(told[1].cause, Some(Cause::Compacted(Offset(8))));
    }

    #[test]
    fn what_lies_below_the_log_start_explains_fields_and_producers() {
        let producers = table(&[entry(1, 101)]);
        let holes = Holes::default();
        let mut held = entry(1, 101);
        held.coordinator_epoch = CoordinatorEpoch(4);
        held.current_txn_first_offset = Offset(90);
        let begins = Log {
            first_offset: Offset(100),
            log_start: Offset(100),
            ..log(&producers, &holes)
        };
        let below = Some(Cause::BelowLogStart(Offset(100)));
        let told = compare(&[held.clone(), entry(2, -1)], true, &begins);
        assert_eq!(causes(&told), [below, below]);
        // A transaction that begins inside the log does not begin below it.
        held.current_txn_first_offset = Offset(100);
        assert_eq!(causes(&compare(&[held.clone()], true, &begins)), [None]);
        // Where the snapshot at the log's first offset was read, nothing is unknown.
        let knows = Log {
            knows_below: true,
            ..begins
        };
        held.current_txn_first_offset = Offset(90);
        assert_eq!(causes(&compare(&[held], true, &knows)), [None]);
    }

    #[test]
    fn what_explains_a_missing_producer() {
        let mut late = entry(2, 50);
        late.timestamp = Timestamp(1000 + DEFAULT_EXPIRATION_MS);
        let mut open = entry(3, 10);
        open.current_txn_first_offset = Offset(10);
        let producers = table(&[entry(1, 10), late.clone(), open]);
        let holes = Holes::default();
        let plain = log(&producers, &holes);
        let silence = Some(Cause::MayHaveExpired(DEFAULT_EXPIRATION_MS));
        // An open transaction keeps its producer.
        let told = compare(&[late], true, &plain);
        assert_eq!(causes(&told), [silence, None]);
        let producers = table(&[entry(1, 10), entry(2, 50)]);
        let older = Log {
            older_snapshot: Some(Offset(20)),
            ..log(&producers, &holes)
        };
        let silent = Some(Cause::SilentSince(Offset(20)));
        assert_eq!(causes(&compare(&[], true, &older)), [silent, None]);
        let unread = Some(Cause::Unread);
        assert_eq!(causes(&compare(&[], false, &older)), [unread, unread]);
    }

    #[test]
    fn the_fields_of_a_batch_that_is_not_there_mean_nothing() {
        let marker_only = ProducerEntry {
            last_sequence: Sequence(77),
            offset_delta: 9,
            ..entry(1, -1)
        };
        let producers = table(&[entry(1, -1)]);
        let holes = Holes::default();
        assert_eq!(compare(&[marker_only], true, &log(&producers, &holes)), []);
        // Of two entries the last counts.
        let producers = table(&[entry(1, 8)]);
        let held = [entry(1, 5), entry(1, 8)];
        assert_eq!(compare(&held, true, &log(&producers, &holes)), []);
    }
}
