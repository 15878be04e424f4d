//! Which batches bear a leader epoch that stands out from those around them.
//!
//! Each leader writes its epoch into the batches that it appends, so it never falls along a log; no
//! checksum covers it. Of one batch alone whose epoch lies outside those of the two around it, the
//! field is wrong; where epochs fall for longer, a log may have been put together of two, and
//! nothing is said. A batch at the log's end has but one neighbour, which proves nothing.

use crate::format::number::{LeaderEpoch, Offset};
use crate::state::batch::{Batch, Place};
use crate::state::epochs::LeaderEpochs;
use std::collections::BTreeMap;

/// Where a batch lies: the base offset of its segment, its first byte.
pub(super) type Spot = (Offset, u64);

/// What a batch's leader epoch should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutOfLine {
    /// One that fits.
    pub(super) epoch: LeaderEpoch,
    /// What is wrong, in words.
    pub(super) wrong: String,
    /// What is done about it.
    pub(super) right: String,
}

/// Takes the batches of a log in, in their order.
#[derive(Debug)]
pub(super) struct EpochLine<'a> {
    /// What leader-epoch-checkpoint says: it chooses where neighbours leave several.
    checkpoint: Option<&'a LeaderEpochs>,
    found: BTreeMap<Spot, OutOfLine>,
    /// The epoch of the batch in front of the last one, or of both.
    before: Option<LeaderEpoch>,
    /// That one epoch is lower than the one before, and nothing bears it out.
    falls: bool,
    /// The last batch, where its epoch is another.
    alone: Option<Seen>,
    /// The log's first batch, where the second has a lower epoch: a third tells which is wrong.
    first: Option<Seen>,
    /// Batches with a number that is no epoch, since the last one with an epoch.
    below: Vec<Seen>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    spot: Spot,
    offset: Offset,
    epoch: LeaderEpoch,
}

impl<'a> EpochLine<'a> {
    pub(super) const fn new(checkpoint: Option<&'a LeaderEpochs>) -> Self {
        Self {
            checkpoint,
            found: BTreeMap::new(),
            before: None,
            falls: false,
            alone: None,
            first: None,
            below: Vec::new(),
        }
    }

    /// Takes the next batch of magic 2 in.
    #[inline]
    pub(super) fn batch(&mut self, batch: &Batch) {
        let is_usual = self.alone.is_none() && self.below.is_empty();
        if !is_usual || self.before != Some(batch.partition_leader_epoch) {
            self.other(batch);
        }
    }

    #[cold]
    fn other(&mut self, batch: &Batch) {
        let Place {
            segment, position, ..
        } = batch.place;
        let seen = Seen {
            spot: (segment, position),
            offset: batch.base_offset,
            epoch: batch.partition_leader_epoch,
        };
        match seen.epoch {
            // None, as Kafka's record classes write where no leader is.
            LeaderEpoch(-1) => {}
            LeaderEpoch(..-1) => self.below.push(seen),
            _ => {
                self.put_right_below(Some(seen.epoch));
                self.next(seen);
            }
        }
    }

    fn next(&mut self, seen: Seen) {
        let epoch = seen.epoch;
        let Some(alone) = self.alone.take() else {
            if self.before != Some(epoch) {
                self.alone = Some(seen);
            }
            return;
        };
        if let Some(first) = self.first.take()
            && (alone.epoch..first.epoch).contains(&epoch)
        {
            self.put_right(first, None, Some(alone.epoch));
            self.before = Some(alone.epoch);
        }
        if alone.epoch == epoch {
            self.falls = false;
            self.before = Some(epoch);
            return;
        }
        match self.before {
            None if alone.epoch > epoch => {
                self.first = Some(alone);
                self.before = Some(alone.epoch);
                self.alone = Some(seen);
            }
            Some(before) if before <= epoch && !(before..=epoch).contains(&alone.epoch) => {
                let right = self.put_right(alone, Some(before), Some(epoch));
                self.before = Some(right);
                self.alone = (right != epoch).then_some(seen);
            }
            before => {
                self.falls = before.is_some_and(|before| alone.epoch < before);
                self.before = Some(alone.epoch);
                self.alone = Some(seen);
            }
        }
    }

    /// What stands below 0 is wrong whatever is around it.
    fn put_right_below(&mut self, high: Option<LeaderEpoch>) {
        for seen in std::mem::take(&mut self.below) {
            let low = self.alone.map(|alone| alone.epoch).or(self.before);
            // Where nothing stands behind it, it takes after what stands in front.
            let high = high
                .filter(|high| low.is_none_or(|low| low <= *high))
                .or(low);
            let epoch = self.put_right(seen, low, high);
            self.next(Seen { epoch, ..seen });
        }
    }

    /// Chooses an epoch between those of the neighbours: the checkpoint's, else the lower one.
    fn put_right(
        &mut self,
        seen: Seen,
        low: Option<LeaderEpoch>,
        high: Option<LeaderEpoch>,
    ) -> LeaderEpoch {
        let fits = |epoch: LeaderEpoch| {
            low.is_none_or(|low| epoch >= low) && high.is_none_or(|high| epoch <= high)
        };
        let said = self.checkpoint.and_then(|said| said.at(seen.offset));
        let epoch = said
            .filter(|said| !self.falls && fits(*said))
            .or(low)
            .or(high)
            .unwrap_or(LeaderEpoch(0));
        let around = match (low, high) {
            (Some(low), Some(high)) if low == high => format!("both neighbours have {low}"),
            (Some(low), Some(high)) => format!("its neighbours have {low} and {high}"),
            (Some(one), None) | (None, Some(one)) => format!("its neighbour has {one}"),
            (None, None) => "it is alone".to_owned(),
        };
        let wrong = format!(
            "leader epoch {}, and {around}; no checksum covers this field",
            seen.epoch
        );
        let right = format!("it becomes {epoch}");
        let found = OutOfLine {
            epoch,
            wrong,
            right,
        };
        self.found.insert(seen.spot, found);
        epoch
    }

    /// The log has ended: what stands out, by its place.
    pub(super) fn end(mut self) -> BTreeMap<Spot, OutOfLine> {
        self.put_right_below(None);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::batch::Header;
    use crate::format::batch_draft::{BatchDraft, encode};
    use crate::format::leader_epoch_checkpoint::EpochEntry;
    use crate::format::number::Timestamp;

    fn batch(at: usize, epoch: i32) -> Batch {
        let at = i64::try_from(at).unwrap();
        let draft = BatchDraft::plain(Offset(at), LeaderEpoch(epoch), Timestamp(0));
        let mut bytes = Vec::new();
        encode(&draft, [], &mut bytes).unwrap();
        assert!(Header::at_front_of(&bytes).is_some());
        let place = Place {
            segment: Offset(0),
            position: at.unsigned_abs(),
            size: 61,
        };
        Batch::new(bytes.first_chunk().unwrap(), place)
    }

    /// The epochs as they should be, by the number of the batch at which an epoch begins for the
    /// checkpoint.
    fn right(epochs: &[i32], checkpoint: &[(i32, i64)]) -> Vec<i32> {
        let entries: Vec<_> = checkpoint
            .iter()
            .map(|(epoch, start)| EpochEntry {
                leader_epoch: LeaderEpoch(*epoch),
                start_offset: Offset(*start),
            })
            .collect();
        let said = LeaderEpochs::from_checkpoint(&entries).unwrap();
        let mut line = EpochLine::new((!checkpoint.is_empty()).then_some(&said));
        for (at, epoch) in epochs.iter().enumerate() {
            line.batch(&batch(at, *epoch));
        }
        let mut right = epochs.to_vec();
        for ((_, position), found) in line.end() {
            right[usize::try_from(position).unwrap()] = found.epoch.0;
        }
        right
    }

    #[test]
    fn an_epoch_outside_those_of_both_neighbours_is_put_right() {
        assert_eq!(right(&[0, 0, 65536, 0, 0], &[]), [0, 0, 0, 0, 0]);
        assert_eq!(right(&[0, 65536, 0], &[]), [0, 0, 0]);
        assert_eq!(right(&[5, 5, 4, 5], &[]), [5, 5, 5, 5]);
        assert_eq!(right(&[5, 5, 9, 7, 7], &[]), [5, 5, 5, 7, 7]);
        assert_eq!(right(&[5, 5, 9, 7, 7], &[(5, 0), (7, 2)]), [5, 5, 7, 7, 7]);
        assert_eq!(right(&[5, 5, 9, 7, 7], &[(5, 0), (9, 2)]), [5, 5, 5, 7, 7]);
    }

    #[test]
    fn of_the_first_two_a_third_tells_which_is_wrong() {
        assert_eq!(right(&[9, 0, 0], &[]), [0, 0, 0]);
        assert_eq!(right(&[9, 0, 9, 9], &[]), [9, 9, 9, 9]);
        assert_eq!(right(&[9, 0, 1, 1], &[]), [0, 0, 1, 1]);
        assert_eq!(right(&[9, 0], &[]), [9, 0]);
    }

    #[test]
    fn a_number_below_the_epochs_is_wrong_also_at_the_end() {
        assert_eq!(right(&[3, -7], &[]), [3, 3]);
        assert_eq!(right(&[-7, 3], &[]), [3, 3]);
        assert_eq!(right(&[-7], &[]), [0]);
        assert_eq!(
            right(&[3, -7, -8, 5, 5], &[(3, 0), (5, 2)]),
            [3, 3, 5, 5, 5]
        );
    }

    #[test]
    fn epochs_that_rise_or_fall_for_longer_stay() {
        for stay in [
            &[0, 0, 1, 1, 4, 9, 9][..],
            &[0, 3],
            &[5, 5, 1],
            &[5, 5, 5, 1, 1, 1],
            &[-1, -1, 3, -1, 3],
            &[0, 0, 65536],
        ] {
            assert_eq!(right(stay, &[]), stay, "{stay:?}");
        }
    }

    #[test]
    fn behind_a_sound_beginning_what_was_put_right_stays() {
        for number in 0..4_usize.pow(7) {
            let mut epochs = vec![1, 1];
            epochs.extend((0..7).map(|place| [-3, 0, 1, 2][number / 4_usize.pow(place) % 4]));
            for checkpoint in [&[][..], &[(0, 0), (1, 2), (2, 4)]] {
                let once = right(&epochs, checkpoint);
                assert_eq!(right(&once, checkpoint), once, "{epochs:?}");
            }
        }
    }
}
