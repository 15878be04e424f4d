//! One strand: batches of an id that follow each other as those of one writer do.

use super::seen::Seen;
use crate::format::number::{LeaderEpoch, Offset, ProducerEpoch, Sequence, Timestamp};
use std::cmp::Ordering;

/// Sequences wrap: half the circle ahead counts as missing, the other half as seen before.
const HALF: i32 = 1 << 30;
/// So many sequences may be missing where they wrap; with more of them, what seems ahead is behind.
const NEAR: i32 = 1 << 20;

/// Batches of one id that follow each other: each begins with the sequence behind the one before,
/// or a new epoch with 0, or is a marker of their transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Strand {
    /// Its last batch of data.
    pub last: Seen,
    /// The offset behind its last batch or marker.
    pub(super) end: Offset,
    /// The time of its last batch or marker.
    pub(super) last_time: Timestamp,
    /// How many batches it has.
    pub batches: u64,
    /// The lowest and the highest leader epoch of its batches.
    pub leader_epochs: (LeaderEpoch, LeaderEpoch),
    /// The sequence that follows; -1 where only a marker was seen in this epoch.
    pub(super) next: Sequence,
    /// The epoch now.
    pub(super) epoch: ProducerEpoch,
    /// The how many-th strand of its id in its section, from 0.
    pub number: u16,
    // What follows changes with the epoch at most.
    /// The first sequence in this epoch.
    epoch_begin: Sequence,
    /// When this epoch began.
    epoch_since: Timestamp,
    /// Its first batch; a marker where data never came.
    pub first: Seen,
}

/// How a batch stands to a strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It continues the strand.
    Next,
    /// Its epoch is lower.
    EpochBack,
    /// Its epoch is new and it does not begin with 0.
    NotAtZero,
    /// It begins with 0 again.
    Restart,
    /// Sequences are missing in front of it.
    Gap,
    /// Its sequences were there, or should have been there, before.
    Back,
}

impl Strand {
    pub(super) fn new(number: u16, seen: &Seen) -> Self {
        let mut strand = Self {
            number,
            first: *seen,
            last: *seen,
            batches: 0,
            leader_epochs: (seen.partition_leader_epoch, seen.partition_leader_epoch),
            epoch: seen.producer_epoch,
            next: Sequence::NONE,
            end: seen.base_offset,
            last_time: seen.first_timestamp,
            epoch_begin: seen.base_sequence,
            epoch_since: seen.first_timestamp,
        };
        match seen.is_control {
            true => strand.mark(seen),
            false => strand.extend(seen),
        }
        strand
    }

    /// Takes data in.
    #[inline]
    pub(super) fn extend(&mut self, seen: &Seen) {
        if seen.producer_epoch != self.epoch {
            self.epoch_since = seen.first_timestamp;
        }
        if seen.producer_epoch != self.epoch || self.next == Sequence::NONE {
            self.epoch = seen.producer_epoch;
            self.epoch_begin = seen.base_sequence;
        }
        if seen.base_sequence != Sequence::NONE {
            self.next = seen.last_sequence.plus(1);
        }
        self.last = *seen;
        self.touch(seen);
    }

    /// Takes a marker in, whose epoch is not lower.
    pub(super) fn mark(&mut self, seen: &Seen) {
        if seen.producer_epoch > self.epoch {
            self.epoch = seen.producer_epoch;
            self.next = Sequence::NONE;
            self.epoch_begin = Sequence(0);
            self.epoch_since = seen.max_timestamp;
        }
        self.touch(seen);
    }

    #[inline]
    fn touch(&mut self, seen: &Seen) {
        let epoch = seen.partition_leader_epoch;
        let (low, high) = self.leader_epochs;
        self.leader_epochs = (low.min(epoch), high.max(epoch));
        self.batches = self.batches.saturating_add(1);
        self.end = seen.last_offset.plus(1);
        self.last_time = seen.max_timestamp;
    }

    /// Whether it has nothing but markers.
    pub(super) const fn is_bare(&self) -> bool {
        self.last.is_control
    }

    /// How data stands to the strand; without sequences the epoch alone decides.
    pub(super) fn relation(&self, seen: &Seen, has_sequence: bool) -> Relation {
        let (epoch, base) = (seen.producer_epoch, seen.base_sequence);
        match epoch.cmp(&self.epoch) {
            Ordering::Less => Relation::EpochBack,
            _ if !has_sequence => Relation::Next,
            Ordering::Greater => match base.0 {
                0 => Relation::Next,
                _ => Relation::NotAtZero,
            },
            Ordering::Equal if self.next == Sequence::NONE => match base.0 {
                0 => Relation::Next,
                _ => Relation::NotAtZero,
            },
            Ordering::Equal if base == self.next => Relation::Next,
            Ordering::Equal => match (is_ahead(base, self.next), base.0) {
                (true, _) => Relation::Gap,
                (false, 0) => Relation::Restart,
                (false, _) => Relation::Back,
            },
        }
    }

    /// Whether a batch goes on exactly where the strand ended.
    #[inline]
    pub(super) fn is_continued_by(&self, seen: &Seen) -> bool {
        seen.producer_epoch == self.epoch
            && self.next != Sequence::NONE
            && seen.base_sequence == self.next
    }

    /// Whether a batch lies inside the sequences of the epoch.
    pub(super) fn spans(&self, seen: &Seen) -> bool {
        seen.producer_epoch == self.epoch
            && self.next != Sequence::NONE
            && seen.base_sequence.minus(self.epoch_begin.0).0
                < self.next.minus(self.epoch_begin.0).0
    }

    /// Whether a batch could be of the strand's own writer, and only its place in the log is
    /// wrong: sorted by epoch and sequence, times do not go back.
    pub(super) fn has_room_for(&self, seen: &Seen) -> bool {
        let is_before = seen.max_timestamp <= self.epoch_since;
        let is_behind = seen.first_timestamp >= self.last_time;
        match seen.producer_epoch.cmp(&self.epoch) {
            Ordering::Less => return is_before,
            Ordering::Greater => return is_behind,
            Ordering::Equal => {}
        }
        if self.next == Sequence::NONE || seen.base_sequence == Sequence::NONE {
            return true;
        }
        if self.spans(seen) {
            seen.first_timestamp >= self.epoch_since && seen.max_timestamp <= self.last_time
        } else if is_ahead(seen.base_sequence, self.next) {
            is_behind
        } else {
            is_before
        }
    }
}

/// Whether a sequence lies ahead of the one that should come, or is it.
pub(in crate::analysis) fn is_ahead(sequence: Sequence, next: Sequence) -> bool {
    let missing = sequence.minus(next.0).0;
    let has_wrapped = sequence < next;
    missing < if has_wrapped { NEAR } else { HALF }
}
