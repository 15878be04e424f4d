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

    /// What the index should be, where `found`, what it holds up to its first fault, is not right;
    /// the segment ends at `end`. The last stable offsets in it are not compared, as they depend on
    /// how batches were appended, but none may hide another entry: a broker that looks for aborted
    /// transactions below an offset ends with the first entry that was stable up to there.
    pub(super) fn corrected(
        &self,
        found: &[AbortedTxn],
        is_whole: bool,
        end: Offset,
    ) -> Option<Vec<u8>> {
        let rises = found
            .windows(2)
            .all(|pair| matches!(pair, [one, other] if one.last_offset < other.last_offset));
        let stays: BTreeMap<Offset, AbortedTxn> = found
            .iter()
            .filter(|entry| self.may_stay(entry))
            .map(|entry| (entry.last_offset, *entry))
            .collect();
        let is_complete = self
            .known()
            .all(|entry| stays.contains_key(&entry.last_offset));
        let mut whole: Vec<_> = found.to_vec();
        let hides = unhide(&mut whole, end);
        if is_whole && rises && !hides && stays.len() == found.len() && is_complete {
            return None;
        }
        let markers = self.0.iter();
        let mut built: Vec<_> = markers
            .filter_map(|(at, (_, entry))| entry.or_else(|| stays.get(at).copied()))
            .collect();
        unhide(&mut built, end);
        let mut bytes = Vec::new();
        for entry in &built {
            txn_index::encode(entry, &mut bytes);
        }
        Some(bytes)
    }
}

/// Lowers last stable offsets to where the segment ends and the entries behind begin; says whether
/// one was higher.
fn unhide(entries: &mut [AbortedTxn], end: Offset) -> bool {
    let (mut highest, mut hides) = (end, false);
    for entry in entries.iter_mut().rev() {
        hides |= entry.last_stable_offset > highest;
        entry.last_stable_offset = entry.last_stable_offset.min(highest);
        highest = highest.min(entry.first_offset);
    }
    hides
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

    const END: Offset = Offset(20);

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
        assert_eq!(log().corrected(&[txn(1, 4, 9)], true, END), None);
        let mut elsewhere = txn(1, 4, 9);
        elsewhere.last_stable_offset = Offset(3);
        assert_eq!(
            log().corrected(&[elsewhere, txn(2, 3, 12)], true, END),
            None
        );
    }

    #[test]
    fn an_entry_that_would_hide_others_is_put_right() {
        for (stable, right) in [(4, 4), (10, 10), (13, 10), (1 << 40, 10)] {
            let mut first = txn(1, 4, 9);
            first.last_stable_offset = Offset(stable);
            let built = log().corrected(&[first, txn(2, 11, 12)], true, END);
            let built = built.map(|built| entries(&built));
            first.last_stable_offset = Offset(right);
            let expected = (stable != right).then(|| vec![first, txn(2, 11, 12)]);
            assert_eq!(built, expected);
        }
        // Nothing in the segment, but entries of the next.
        let mut last = txn(2, 11, 12);
        last.last_stable_offset = Offset(21);
        let built = log().corrected(&[txn(1, 4, 9), last], true, END).unwrap();
        last.last_stable_offset = END;
        assert_eq!(entries(&built), [txn(1, 4, 9), last]);
    }

    #[test]
    fn what_is_missing_comes_in_and_what_is_untrue_goes() {
        let built = log().corrected(&[], true, END).unwrap();
        assert_eq!(entries(&built), [txn(1, 4, 9)]);
        // A transaction without a marker, one that begins too late, one that a cut file hides.
        for wrong in [txn(3, 4, 10), txn(1, 5, 9)] {
            let built = log().corrected(&[wrong, txn(2, 3, 12)], true, END).unwrap();
            let mut first = txn(1, 4, 9);
            // The other was open then.
            first.last_stable_offset = Offset(3);
            assert_eq!(entries(&built), [first, txn(2, 3, 12)]);
        }
        assert!(log().corrected(&[txn(1, 4, 9)], false, END).is_some());
    }
}
