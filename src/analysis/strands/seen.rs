//! A batch as evidence shows it, and whether it is the same batch as another.

use crate::format::number::{LeaderEpoch, Offset, ProducerEpoch, Sequence, Timestamp};
use crate::state::batch::Batch;

/// What a header says of one batch of a producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The offset of its first record.
    pub base_offset: Offset,
    /// The offset of its last record.
    pub last_offset: Offset,
    /// The epoch of the leader that appended it; -1 for none.
    pub partition_leader_epoch: LeaderEpoch,
    /// The producer's epoch.
    pub producer_epoch: ProducerEpoch,
    /// Its first sequence; -1 for none.
    pub base_sequence: Sequence,
    /// Its last sequence; -1 for none.
    pub last_sequence: Sequence,
    /// The time of its first record.
    pub first_timestamp: Timestamp,
    /// The latest time in it.
    pub max_timestamp: Timestamp,
    /// Part of a transaction, or its end.
    pub is_transactional: bool,
    /// A control batch.
    pub is_control: bool,
}

impl Seen {
    /// What the header of `batch` says.
    #[must_use]
    pub const fn of(batch: &Batch) -> Self {
        Self {
            base_offset: batch.base_offset,
            last_offset: batch.last_offset,
            partition_leader_epoch: batch.partition_leader_epoch,
            producer_epoch: batch.producer_epoch,
            base_sequence: batch.base_sequence,
            last_sequence: batch.last_sequence,
            first_timestamp: batch.first_timestamp,
            max_timestamp: batch.max_timestamp,
            is_transactional: batch.is_transactional,
            is_control: batch.is_control,
        }
    }

    /// A number that is the same for copies of one batch, wherever they lie: a client that sends a
    /// batch again sends the same bytes. A leader may set the latest time, so that has no part.
    fn fingerprint(&self) -> u32 {
        const FACTORS: [u64; 3] = [
            0x9e37_79b9_7f4a_7c15,
            0xbf58_476d_1ce4_e5b9,
            0x94d0_49bb_1331_11eb,
        ];
        let low = |number: i32| u64::from(number.cast_unsigned());
        let sequences = low(self.base_sequence.0) << 32 | low(self.last_sequence.0);
        let words = [
            sequences,
            self.first_timestamp.0.cast_unsigned(),
            low(self.producer_epoch.0.into()),
        ];
        let sum = words
            .iter()
            .zip(FACTORS)
            .fold(0, |sum: u64, (word, factor)| {
                let sum = (sum ^ word).wrapping_mul(factor);
                sum ^ sum >> 32
            });
        (sum ^ (sum >> 29)) as u32
    }
}

/// How many batches are remembered: a client has five on their way to a partition at most.
const REMEMBERED: usize = 6;

/// The last batches of one id, to know one that comes again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    /// Fingerprint and first sequence, in a ring.
    kept: [(u32, i32); REMEMBERED],
    count: u8,
    /// So many of the last ones follow each other without a gap.
    in_line: u8,
    /// The place that the next one takes: the oldest one's, where all are taken.
    next: u8,
}

impl Recent {
    /// How many are remembered.
    pub(super) const fn count(&self) -> u8 {
        self.count
    }

    /// Whether this very batch was there before.
    pub(super) fn holds(&self, seen: &Seen) -> bool {
        let fingerprint = seen.fingerprint();
        let kept = self.kept.iter().take(usize::from(self.count));
        kept.clone().any(|(one, _)| *one == fingerprint)
    }

    /// Adds a batch, which follows the one before or does not.
    #[inline]
    pub(super) fn add(&mut self, seen: &Seen, follows: bool) {
        const MOST: u8 = REMEMBERED as u8;
        if let Some(place) = self.kept.get_mut(usize::from(self.next)) {
            *place = (seen.fingerprint(), seen.base_sequence.0);
        }
        self.next = match self.next + 1 {
            MOST => 0,
            next => next,
        };
        self.count = (self.count + 1).min(MOST);
        self.in_line = match follows {
            true => (self.in_line + 1).min(self.count),
            false => 1,
        };
    }

    /// Whether all batches from the one that holds this sequence up to `next` are remembered: one
    /// with the sequence that is none of them is another batch.
    pub(super) fn reaches(&self, sequence: Sequence, next: Sequence) -> bool {
        let back = REMEMBERED + usize::from(self.next) - usize::from(self.in_line);
        let Some((_, first)) = self.kept.get(back % REMEMBERED) else {
            return false;
        };
        self.in_line > 0 && sequence.minus(*first).0 < next.minus(*first).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(base: i32, last: i32, time: i64) -> Seen {
        Seen {
            base_offset: Offset(9),
            last_offset: Offset(9),
            partition_leader_epoch: LeaderEpoch(0),
            producer_epoch: ProducerEpoch(0),
            base_sequence: Sequence(base),
            last_sequence: Sequence(last),
            first_timestamp: Timestamp(time),
            max_timestamp: Timestamp(time),
            is_transactional: false,
            is_control: false,
        }
    }

    #[test]
    fn a_batch_is_known_again_for_a_while() {
        let mut recent = Recent::default();
        assert!(!recent.holds(&seen(0, 0, 0)));
        for place in 0..8 {
            recent.add(&seen(place, place, 100), true);
        }
        assert!(recent.holds(&seen(2, 2, 100)));
        assert!(!recent.holds(&seen(1, 1, 100)), "the seventh last");
        assert!(!recent.holds(&seen(7, 7, 101)), "another time");
        assert!(!recent.holds(&seen(7, 8, 100)), "another length");
        let again = Seen {
            base_offset: Offset(40),
            max_timestamp: Timestamp(500),
            ..seen(7, 7, 100)
        };
        assert!(recent.holds(&again), "a leader gave it another place");
    }

    #[test]
    fn it_reaches_back_to_the_oldest_without_a_gap() {
        let mut recent = Recent::default();
        assert!(!recent.reaches(Sequence(0), Sequence(0)));
        recent.add(&seen(0, 4, 0), false);
        recent.add(&seen(5, 9, 0), true);
        for (sequence, is_there) in [(0, true), (9, true), (10, false), (-1, false)] {
            assert_eq!(recent.reaches(Sequence(sequence), Sequence(10)), is_there);
        }
        recent.add(&seen(20, 24, 0), false);
        assert!(!recent.reaches(Sequence(9), Sequence(25)));
        assert!(recent.reaches(Sequence(20), Sequence(25)));
    }
}
