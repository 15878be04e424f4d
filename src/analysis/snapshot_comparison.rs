//! A producer snapshot against the state that a replay of the log has at its offset, producer by
//! producer and field by field.
//!
//! Not every difference is a fault. The log may begin above what a producer wrote last, compaction
//! may have taken its batch or part of it, a broker may have forgotten it; such a difference has a
//! [`Cause::is_legal`].
//!
//! What compaction may do is told field by field, see [`CleanerTraces`]: where both sides speak of
//! the same batch, epoch, sequence and length are the same for ever, the time may have gone down
//! with records, and a marker that is gone takes its epochs and its time along.

use std::collections::HashMap;

use super::cleaner_traces::CleanerTraces;
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
    /// Offsets are missing in the log from there on, as compaction leaves them: those of the batch,
    /// or of a marker that came behind it.
    Compacted(Offset),
    /// The batch that begins there has lost records to compaction, the latest among them.
    RecordsTaken(Offset),
    /// The marker that was there has lost its record to compaction.
    MarkerEmptied(Offset),
    /// The producer had been silent for so many milliseconds when others wrote last.
    MayHaveExpired(i64),
    /// The producer has not written since an older snapshot, which lies at this offset: it may
    /// have been forgotten at a start between the two.
    SilentSince(Offset),
    /// The times of this log go back by more than a producer lives, so they are no broker's clock:
    /// clients write old times, and then expire while they write.
    TimesGoBack,
    /// The producer has expired by the clock and the age that were given.
    Expired,
    /// The snapshot could not be read to its end.
    Unread,
    /// The producer wrote before this barrier, which these rules obey.
    BeforeBarrier(Offset),
    /// These rules give no state to ids below 0 that come out of a log.
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
    /// What compaction left of the batches below the snapshot's offset.
    pub traces: &'a CleanerTraces,
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
    let clock = log.clock(entries);
    let mut missing: Vec<_> = log
        .producers
        .iter()
        .filter(|entry| !last.contains_key(&entry.producer_id))
        .map(|entry| Difference {
            producer_id: entry.producer_id,
            outcome: Outcome::Missing,
            fields: fields(None, Some(&entry.to_snapshot())),
            cause: match is_whole {
                true => log.cause_of_missing(&entry, &clock),
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
        // Where only a marker was seen, nothing tells where it lies.
        let is_below = |offset| !stored.has_batch() || stored.last_offset < offset;
        let begins = [
            (self.first_offset > Offset(0) && !self.knows_below).then_some(self.first_offset),
            stored.has_batch().then_some(self.log_start),
        ];
        let begins = begins.into_iter().flatten().find(|start| is_below(*start));
        // A broker takes any id out of an older snapshot, but none out of the log.
        if begins.is_none() && !self.rules.keeps_state_of(stored.producer_id) {
            return Some(Cause::NegativeId);
        }
        if let Some(barrier) = self.last_barrier.filter(|barrier| is_below(*barrier)) {
            return Some(Cause::BeforeBarrier(barrier));
        }
        if let Some(start) = begins {
            return Some(Cause::BelowLogStart(start));
        }
        match stored.has_batch() {
            true => self.cause_of_lost_batch(stored.last_offset),
            false => self.cause_of_lost_marker(Offset(0)),
        }
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
        self.cause_of_cleaning(stored, replayed, fields)
    }

    /// What compaction may have done since the snapshot was written: to each field something, or
    /// it explains nothing.
    fn cause_of_cleaning(
        &self,
        stored: &ProducerEntry,
        replayed: &ProducerEntry,
        fields: &[Field],
    ) -> Option<Cause> {
        if replayed.last_offset > stored.last_offset {
            // A marker had begun another epoch behind the batch that the log has.
            let is_marker = !stored.has_batch() && stored.producer_epoch != replayed.producer_epoch;
            return match is_marker {
                true => self.cause_of_lost_marker(replayed.last_offset),
                false => None,
            };
        }
        if replayed.last_offset < stored.last_offset {
            return self.cause_of_lost_batch(stored.last_offset);
        }
        let causes = fields.iter().map(|field| {
            let is_lower = field.log < field.snapshot;
            match field.name {
                "timestamp" => self.cause_of_time(stored, is_lower),
                "coordinatorEpoch" if is_lower => self.cause_of_lost_marker(Offset(0)),
                "producerEpoch" if is_lower && !stored.has_batch() => {
                    self.cause_of_lost_marker(Offset(0))
                }
                // The first batches of the transaction are gone.
                "currentTxnFirstOffset" => {
                    let first = stored.open_txn().filter(|_| !is_lower)?;
                    self.cause_of_lost_batch(first)
                }
                _ => None,
            }
        });
        let causes: Option<Vec<_>> = causes.collect();
        causes?.first().copied()
    }

    /// Why the last time of a producer is another one, though its last batch is there.
    fn cause_of_time(&self, stored: &ProducerEntry, is_lower: bool) -> Option<Cause> {
        let thinned = self.traces.thinned_at(stored.last_offset);
        let thinned = thinned.filter(|_| stored.has_batch() && is_lower);
        let taken = thinned.map(Cause::RecordsTaken);
        taken.or_else(|| self.cause_of_lost_marker(stored.last_offset))
    }

    /// The batch that held `offset` is gone.
    fn cause_of_lost_batch(&self, offset: Offset) -> Option<Cause> {
        let behind = self.missing_from.filter(|from| *from <= offset);
        let hole = self.traces.hole_at(offset).or(behind);
        hole.map(Cause::Compacted)
    }

    /// A marker behind `offset` is gone, or what it said.
    fn cause_of_lost_marker(&self, offset: Offset) -> Option<Cause> {
        let behind = offset.plus(1).max(Offset(0));
        let emptied = self.traces.emptied_from(behind);
        let hole = self.traces.hole_from(behind).or(self.missing_from);
        hole.map(Cause::Compacted)
            .or_else(|| emptied.map(Cause::MarkerEmptied))
    }

    fn cause_of_missing(&self, entry: &Entry<1>, clock: &Clock) -> Option<Cause> {
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
        let silence = clock.newest.0.saturating_sub(entry.last_timestamp.0);
        if silence >= DEFAULT_EXPIRATION_MS {
            return Some(Cause::MayHaveExpired(silence));
        }
        let is_below = |older: &Offset| last.is_some_and(|batch| batch.last_offset < *older);
        let silent = self.older_snapshot.filter(is_below).map(Cause::SilentSince);
        silent.or_else(|| clock.goes_back.then_some(Cause::TimesGoBack))
    }

    /// What the times of both sides say of the clock by which the snapshot was written.
    fn clock(&self, entries: &[ProducerEntry]) -> Clock {
        let stored = entries
            .iter()
            .map(|entry| (entry.last_offset, entry.timestamp));
        let replayed = self.producers.iter().map(|entry| {
            let last = entry.batches.last();
            let offset = last.map_or(Offset(-1), |batch| batch.last_offset);
            (offset, entry.last_timestamp)
        });
        let mut times: Vec<_> = stored.chain(replayed).collect();
        times.sort_unstable();
        let mut newest = Timestamp::NONE;
        let mut goes_back = false;
        for (offset, time) in times {
            let back = newest.0.saturating_sub(time.0);
            goes_back |= offset >= Offset(0) && back >= DEFAULT_EXPIRATION_MS;
            newest = newest.max(time);
        }
        Clock { newest, goes_back }
    }
}

/// What is known of a broker's clock.
#[derive(Debug)]
struct Clock {
    /// The latest time there is: it was not earlier when the snapshot was written.
    newest: Timestamp,
    /// A producer that wrote later did so with a time a day or more before an earlier one's.
    goes_back: bool,
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
mod tests;
