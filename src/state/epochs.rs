//! Which leader epoch began at which offset, the twin of `LeaderEpochFileCache`.

use crate::format::leader_epoch_checkpoint::EpochEntry;
use crate::format::number::{LeaderEpoch, Offset};
use std::collections::BTreeMap;

/// Leader epochs with their first offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaderEpochs {
    epochs: BTreeMap<LeaderEpoch, Offset>,
}

impl LeaderEpochs {
    /// None known.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            epochs: BTreeMap::new(),
        }
    }

    /// What a broker keeps of the entries of a checkpoint file: each is assigned in turn.
    ///
    /// # Errors
    /// The first entry with a number below 0; a broker does not load such a log.
    pub fn from_checkpoint(entries: &[EpochEntry]) -> Result<Self, EpochEntry> {
        let mut epochs = Self::new();
        for entry in entries {
            if entry.leader_epoch.0 < 0 || entry.start_offset.0 < 0 {
                return Err(*entry);
            }
            epochs.assign(entry.leader_epoch, entry.start_offset);
        }
        Ok(epochs)
    }

    /// The entries, rising.
    pub fn entries(&self) -> impl Iterator<Item = EpochEntry> + '_ {
        self.epochs.iter().map(|(epoch, start)| EpochEntry {
            leader_epoch: *epoch,
            start_offset: *start,
        })
    }

    /// The latest entry.
    #[must_use]
    pub fn latest(&self) -> Option<EpochEntry> {
        self.epochs
            .last_key_value()
            .map(|(epoch, start)| EpochEntry {
                leader_epoch: *epoch,
                start_offset: *start,
            })
    }

    /// The epoch that holds at an offset.
    #[must_use]
    pub fn at(&self, offset: Offset) -> Option<LeaderEpoch> {
        let mut epochs = self.epochs.iter().rev();
        let (epoch, _) = epochs.find(|(_, start)| **start <= offset)?;
        Some(*epoch)
    }

    /// An epoch begins at `start`, as an append has it: entries of this epoch or later ones, and
    /// entries that begin there or behind, go. Both numbers must be 0 or more.
    pub fn assign(&mut self, epoch: LeaderEpoch, start: Offset) {
        let is_new = self
            .latest()
            .is_none_or(|latest| latest.leader_epoch != epoch || start < latest.start_offset);
        if !is_new {
            return;
        }
        while let Some(latest) = self.latest() {
            if latest.leader_epoch < epoch && latest.start_offset < start {
                break;
            }
            self.epochs.remove(&latest.leader_epoch);
        }
        self.epochs.insert(epoch, start);
    }

    /// A batch was read back (`LogSegment.recover`): only an epoch above the latest counts, and
    /// one below 0 is none.
    #[inline]
    pub fn read_back(&mut self, epoch: LeaderEpoch, base_offset: Offset) {
        let is_above = self
            .epochs
            .last_key_value()
            .is_none_or(|(latest, _)| epoch > *latest);
        if epoch.0 >= 0 && is_above {
            self.assign(epoch, base_offset);
        }
    }

    /// The log ends at `end`: entries that begin there or behind go, if the last one does.
    pub fn truncate_from_end(&mut self, end: Offset) {
        while let Some(latest) = self.latest()
            && end.0 >= 0
            && latest.start_offset >= end
        {
            self.epochs.remove(&latest.leader_epoch);
        }
    }

    /// The log begins at `start`: of the entries that begin there or before, the last stays and
    /// begins there.
    pub fn truncate_from_start(&mut self, start: Offset) {
        let mut last = None;
        while let Some((epoch, begin)) = self.epochs.first_key_value()
            && *begin <= start
        {
            last = Some(*epoch);
            self.epochs.pop_first();
        }
        if let Some(epoch) = last {
            self.epochs.insert(epoch, start);
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.epochs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(entries: &[(i32, i64)]) -> LeaderEpochs {
        let entries: Vec<_> = entries
            .iter()
            .map(|(epoch, start)| EpochEntry {
                leader_epoch: LeaderEpoch(*epoch),
                start_offset: Offset(*start),
            })
            .collect();
        LeaderEpochs::from_checkpoint(&entries).unwrap()
    }

    #[test]
    fn a_lower_epoch_removes_later_ones_on_an_append_and_is_passed_over_when_read_back() {
        let mut appended = epochs(&[(1, 0), (4, 10), (6, 20)]);
        let mut read_back = appended.clone();
        appended.assign(LeaderEpoch(4), Offset(30));
        assert_eq!(appended, epochs(&[(1, 0), (4, 30)]));
        read_back.read_back(LeaderEpoch(4), Offset(30));
        read_back.read_back(LeaderEpoch(-1), Offset(31));
        assert_eq!(read_back, epochs(&[(1, 0), (4, 10), (6, 20)]));
        read_back.read_back(LeaderEpoch(7), Offset(32));
        assert_eq!(read_back, epochs(&[(1, 0), (4, 10), (6, 20), (7, 32)]));
    }

    #[test]
    fn an_epoch_that_begins_before_the_last_one_takes_its_place() {
        assert_eq!(
            epochs(&[(1, 0), (2, 10), (3, 10)]),
            epochs(&[(1, 0), (3, 10)])
        );
        let mut same = epochs(&[(1, 0), (2, 10)]);
        same.assign(LeaderEpoch(2), Offset(12));
        assert_eq!(same, epochs(&[(1, 0), (2, 10)]));
        same.assign(LeaderEpoch(2), Offset(5));
        assert_eq!(same, epochs(&[(1, 0), (2, 5)]));
    }

    #[test]
    fn the_cache_is_cut_to_the_log() {
        let mut cut = epochs(&[(1, 0), (4, 10), (6, 20)]);
        cut.truncate_from_end(Offset(20));
        assert_eq!(cut, epochs(&[(1, 0), (4, 10)]));
        cut.truncate_from_start(Offset(12));
        assert_eq!(cut, epochs(&[(4, 12)]));
        cut.truncate_from_start(Offset(5));
        assert_eq!(cut, epochs(&[(4, 12)]));
        cut.truncate_from_end(Offset(-1));
        assert_eq!(cut, epochs(&[(4, 12)]));
    }

    #[test]
    fn a_checkpoint_with_a_number_below_0_is_refused() {
        let entry = EpochEntry {
            leader_epoch: LeaderEpoch(-1),
            start_offset: Offset(0),
        };
        assert_eq!(LeaderEpochs::from_checkpoint(&[entry]), Err(entry));
    }
}
