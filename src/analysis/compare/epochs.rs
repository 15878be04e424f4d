//! Where the logs part by their leader epochs, as a follower finds out before it fetches.
//!
//! A follower asks for the end of its latest epoch, is told the largest epoch of the leader that is
//! not above it with its end, and goes down to its own largest one below that until both speak of
//! the same; then it cuts its log to the smaller end (KIP-101, KIP-279; `OffsetsForLeaderEpoch`,
//! `AbstractFetcherThread.getOffsetTruncationState`). Which of the two leads does not matter.

use super::side::Side;
use crate::format::leader_epoch_checkpoint::EpochEntry;
use crate::format::number::{LeaderEpoch, Offset};
use crate::state::epochs::LeaderEpochs;

/// The leader epochs of a log, with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The epochs, cut to the log.
    pub epochs: LeaderEpochs,
    /// They come from the checkpoint file, as a broker has them; else from the batches.
    pub is_from_checkpoint: bool,
    /// Where the log ends.
    pub end: Offset,
}

impl Lineage {
    /// Prefers the checkpoint file: a broker asks nothing else.
    pub(super) fn of(
        checkpoint: Option<&LeaderEpochs>,
        batches: LeaderEpochs,
        (start, end): (Offset, Offset),
    ) -> Self {
        let is_from_checkpoint = checkpoint.is_some();
        let mut epochs = checkpoint.cloned().unwrap_or(batches);
        epochs.truncate_from_start(start);
        // An epoch that begins at the end is that of a leader that has not appended yet.
        epochs.truncate_from_end(end.plus(1));
        Self {
            epochs,
            is_from_checkpoint,
            end,
        }
    }

    /// Where an epoch ends: the next begins there, or the log ends.
    fn end_of(&self, epoch: LeaderEpoch) -> Offset {
        let mut later = self.epochs.entries();
        let next = later.find(|entry| entry.leader_epoch > epoch);
        next.map_or(self.end, |next: EpochEntry| next.start_offset.min(self.end))
    }

    /// The latest epoch.
    #[must_use]
    pub fn latest(&self) -> Option<LeaderEpoch> {
        self.epochs.latest().map(|latest| latest.leader_epoch)
    }
}

/// Where the logs part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Divergence {
    /// The largest epoch that both have.
    pub leader_epoch: LeaderEpoch,
    /// Each log is cut to this offset when it follows the other.
    pub end_offset: Offset,
    /// Both have something behind it, so one of them loses it for good; else one is only behind.
    pub is_parting: bool,
}

/// Compares two lineages; `None` where no epoch is common to both.
pub(super) fn divergence(source: &Lineage, dest: &Lineage) -> Option<Divergence> {
    let mut known = dest.epochs.entries().collect::<Vec<_>>();
    known.reverse();
    let is_known = |epoch: LeaderEpoch| known.iter().any(|entry| entry.leader_epoch == epoch);
    let common = source
        .epochs
        .entries()
        .filter(|entry| is_known(entry.leader_epoch))
        .last()?;
    let leader_epoch = common.leader_epoch;
    let end_offset = source.end_of(leader_epoch).min(dest.end_of(leader_epoch));
    let has_more = |lineage: &Lineage| {
        lineage.end > end_offset || lineage.latest().is_some_and(|latest| latest > leader_epoch)
    };
    Some(Divergence {
        leader_epoch,
        end_offset,
        is_parting: has_more(source) && has_more(dest),
    })
}

/// The log whose last leader was elected later; `None` where neither was.
pub(super) fn later(source: &Lineage, dest: &Lineage) -> Option<Side> {
    match source.latest().cmp(&dest.latest()) {
        std::cmp::Ordering::Greater => Some(Side::Source),
        std::cmp::Ordering::Less => Some(Side::Dest),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(entries: &[(i32, i64)], end: i64) -> Lineage {
        let entries: Vec<_> = entries
            .iter()
            .map(|(epoch, start)| EpochEntry {
                leader_epoch: LeaderEpoch(*epoch),
                start_offset: Offset(*start),
            })
            .collect();
        let epochs = LeaderEpochs::from_checkpoint(&entries).unwrap();
        Lineage::of(Some(&epochs), LeaderEpochs::new(), (Offset(0), Offset(end)))
    }

    fn cut(source: &Lineage, dest: &Lineage) -> Option<(i32, i64, bool)> {
        let both = [divergence(source, dest), divergence(dest, source)];
        assert_eq!(both[0], both[1], "whoever leads");
        both[0].map(|cut| (cut.leader_epoch.0, cut.end_offset.0, cut.is_parting))
    }

    #[test]
    fn one_that_is_behind_is_cut_to_its_own_end_and_parts_from_nothing() {
        let leader = lineage(&[(0, 0), (3, 10)], 30);
        for (follower, epoch, end) in [
            (lineage(&[(0, 0), (3, 10)], 30), 3, 30),
            (lineage(&[(0, 0), (3, 10)], 20), 3, 20),
            (lineage(&[(0, 0)], 10), 0, 10),
            (lineage(&[(0, 0)], 7), 0, 7),
            // Its log begins later.
            (lineage(&[(3, 12)], 20), 3, 20),
        ] {
            assert_eq!(cut(&leader, &follower), Some((epoch, end, false)));
        }
    }

    /// The example of KIP-279: both have batches of leaders that the other never heard of.
    #[test]
    fn the_largest_common_epoch_counts_not_the_latest_of_one() {
        let one = lineage(&[(0, 0), (1, 10), (4, 20)], 30);
        let other = lineage(&[(0, 0), (1, 10), (2, 15), (3, 18)], 40);
        assert_eq!(cut(&one, &other), Some((1, 15, true)));
        // A leader that was elected and has appended nothing counts.
        let elected = lineage(&[(0, 0), (1, 10), (5, 12)], 12);
        assert_eq!(cut(&one, &elected), Some((1, 12, true)));
        assert_eq!(later(&one, &elected), Some(Side::Dest));
        assert_eq!(cut(&one, &lineage(&[(7, 0)], 30)), None);
    }
}
