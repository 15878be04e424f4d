//! Whether the transaction index of a segment tells its aborted transactions.

use crate::format::number::{Offset, ProducerId};
use crate::format::txn_index::{self, AbortedTxn};
use std::collections::BTreeMap;

/// The abort markers of one segment by offset, each with the transaction that it ended, where a
/// replay knows it: compaction and retention may have taken the data in front of it.
#[derive(Debug, Default, Clone)]
pub(super) struct Aborted(BTreeMap<Offset, (ProducerId, Option<AbortedTxn>)>);

impl Aborted {
    /// An abort marker, with the entry of the transaction that a replay saw end.
    pub(super) fn marker(&mut self, id: ProducerId, at: Offset, entry: Option<AbortedTxn>) {
        self.0.insert(at, (id, entry));
    }

    /// Whether an entry of an old index may stay: its marker is there, and the replay does not
    /// know better.
    fn may_stay(&self, found: &AbortedTxn) -> bool {
        self.0.get(&found.last_offset).is_some_and(|(id, entry)| {
            *id == found.producer_id
                && entry.is_none_or(|entry| found.first_offset <= entry.first_offset)
        })
    }

    fn known(&self) -> impl Iterator<Item = &AbortedTxn> {
        self.0.values().filter_map(|(_, entry)| entry.as_ref())
    }

    /// What the index should be, where `found`, what it holds up to its first fault, is not right.
    /// The last stable offsets in it are not compared: they depend on how batches were appended.
    pub(super) fn corrected(&self, found: &[AbortedTxn], is_whole: bool) -> Option<Vec<u8>> {
        let rises = found
            .windows(2)
            .all(|pair| matches!(pair, [one, other] if one.last_offset < other.last_offset));
        let stays: BTreeMap<Offset, &AbortedTxn> = found
            .iter()
            .filter(|entry| self.may_stay(entry))
            .map(|entry| (entry.last_offset, entry))
            .collect();
        let is_complete = self
            .known()
            .all(|entry| stays.contains_key(&entry.last_offset));
        if is_whole && rises && stays.len() == found.len() && is_complete {
            return None;
        }
        let mut bytes = Vec::new();
        for (at, (_, entry)) in &self.0 {
            if let Some(entry) = entry.as_ref().or_else(|| stays.get(at).copied()) {
                txn_index::encode(entry, &mut bytes);
            }
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn txn(id: i64, first: i64, last: i64) -> AbortedTxn {
        AbortedTxn {
            producer_id: ProducerId(id),
            first_offset: Offset(first),
            last_offset: Offset(last),
            last_stable_offset: Offset(last + 1),
        }
    }

    fn log() -> Aborted {
        let mut log = Aborted::default();
        log.marker(ProducerId(1), Offset(9), Some(txn(1, 4, 9)));
        // Its data is gone.
        log.marker(ProducerId(2), Offset(12), None);
        log
    }

    fn entries(bytes: &[u8]) -> Vec<AbortedTxn> {
        let mut index = txn_index::TxnIndex::new(bytes);
        index.entries().map(|Ok(entry)| entry.unwrap()).collect()
    }

    #[test]
    fn an_index_that_tells_all_stays_also_with_more_than_the_data_shows() {
        assert_eq!(log().corrected(&[txn(1, 4, 9)], true), None);
        let mut elsewhere = txn(1, 4, 9);
        elsewhere.last_stable_offset = Offset(5);
        assert_eq!(log().corrected(&[elsewhere, txn(2, 3, 12)], true), None);
    }

    #[test]
    fn what_is_missing_comes_in_and_what_is_untrue_goes() {
        let built = log().corrected(&[], true).unwrap();
        assert_eq!(entries(&built), [txn(1, 4, 9)]);
        // A transaction without a marker, one that begins too late, one that a cut file hides.
        for wrong in [txn(3, 4, 10), txn(1, 5, 9)] {
            let built = log().corrected(&[wrong, txn(2, 3, 12)], true).unwrap();
            assert_eq!(entries(&built), [txn(1, 4, 9), txn(2, 3, 12)]);
        }
        assert!(log().corrected(&[txn(1, 4, 9)], false).is_some());
    }
}
