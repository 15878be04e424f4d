//! Whether the transaction index of a segment tells its aborted transactions.

use super::holes::Holes;
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
    fn may_stay(&self, found: &AbortedTxn, known: &Known<'_>) -> bool {
        self.0.get(&found.last_offset).is_some_and(|(id, entry)| {
            *id == found.producer_id
                && entry.is_none_or(|entry| {
                    found.first_offset <= entry.first_offset
                        || known.ends_between(&entry, found.first_offset)
                })
        })
    }

    fn known(&self) -> impl Iterator<Item = &AbortedTxn> {
        self.0.values().filter_map(|(_, entry)| entry.as_ref())
    }

    /// What the index should be, where `found`, what it holds up to its first fault, is not right.
    /// The last stable offsets in it are not compared: they depend on how batches were appended.
    pub(super) fn corrected(
        &self,
        found: &[AbortedTxn],
        is_whole: bool,
        holes: &Holes,
    ) -> Option<Vec<u8>> {
        let known = Known::of(found, is_whole, holes);
        let stays: BTreeMap<Offset, &AbortedTxn> = found
            .iter()
            .filter(|entry| self.may_stay(entry, &known))
            .map(|entry| (entry.last_offset, entry))
            .collect();
        let is_complete = self
            .known()
            .all(|entry| stays.contains_key(&entry.last_offset));
        if known.is_sound && stays.len() == found.len() && is_complete {
            return None;
        }
        let mut bytes = Vec::new();
        for (at, (_, entry)) in &self.0 {
            if let Some(entry) = stays.get(at).copied().or(entry.as_ref()) {
                txn_index::encode(entry, &mut bytes);
            }
        }
        Some(bytes)
    }

    /// What becomes of transactions whose end marker is lost, as far as `found` knows of them; the
    /// log goes up to `end` so far.
    pub(super) fn lost_ends(
        &self,
        found: &[AbortedTxn],
        is_whole: bool,
        holes: &Holes,
        end: Offset,
    ) -> Vec<String> {
        let known = Known::of(found, is_whole, holes);
        let mut told = Vec::new();
        for old in found.iter().filter(|_| known.is_sound) {
            let id = old.producer_id;
            let (first, last) = (old.first_offset, old.last_offset);
            let is_told_still = |entry: &&AbortedTxn| {
                entry.producer_id == id && entry.first_offset <= first && entry.last_offset > last
            };
            match self.0.get(&last) {
                Some((_, Some(entry)))
                    if entry.first_offset < first && self.may_stay(old, &known) =>
                {
                    told.push(format!(
                        "the end marker of a transaction of producer {id} that begins at offset \
                         {} is lost. The transaction index says that the one aborted at {last} \
                         begins at {first}, so the lost marker committed what is in front of that, \
                         and the index keeps saying so; a broker that recovers the segment after a \
                         kill takes all from {} on for aborted",
                        entry.first_offset, entry.first_offset
                    ));
                }
                None if (holes.hold(last) || last >= end)
                    && self.known().find(is_told_still).is_none() =>
                {
                    told.push(format!(
                        "the marker at offset {last} that aborted the transaction of producer {id} \
                         from {first} on is lost: its records become part of that producer's next \
                         transaction, and consumers of committed data read them if that one was \
                         committed"
                    ));
                }
                _ => {}
            }
        }
        told
    }
}

/// What an old index is good for where the log has holes.
struct Known<'a> {
    found: &'a [AbortedTxn],
    holes: &'a Holes,
    /// It can be read to its end, and its entries rise.
    is_sound: bool,
}

impl<'a> Known<'a> {
    fn of(found: &'a [AbortedTxn], is_whole: bool, holes: &'a Holes) -> Self {
        let rises = found
            .windows(2)
            .all(|pair| matches!(pair, [one, other] if one.last_offset < other.last_offset));
        Self {
            found,
            holes,
            is_sound: is_whole && rises,
        }
    }

    /// Whether what a replay takes for the beginning of a transaction is another one in front of
    /// it, whose end was a commit and is lost: else there would be an entry of it as well.
    fn ends_between(&self, shown: &AbortedTxn, first: Offset) -> bool {
        let mut found = self.found.iter();
        let is_aborted = found.any(|old| {
            old.producer_id == shown.producer_id
                && (shown.first_offset..first).contains(&old.last_offset)
        });
        self.is_sound && !is_aborted && self.holes.lie_between(shown.first_offset, first)
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
        assert_eq!(
            log().corrected(&[txn(1, 4, 9)], true, &Holes::default()),
            None
        );
        let mut elsewhere = txn(1, 4, 9);
        elsewhere.last_stable_offset = Offset(5);
        assert_eq!(
            log().corrected(&[elsewhere, txn(2, 3, 12)], true, &Holes::default()),
            None
        );
    }

    #[test]
    fn what_is_missing_comes_in_and_what_is_untrue_goes() {
        let built = log().corrected(&[], true, &Holes::default()).unwrap();
        assert_eq!(entries(&built), [txn(1, 4, 9)]);
        // A transaction without a marker, one that begins too late, one that a cut file hides.
        for wrong in [txn(3, 4, 10), txn(1, 5, 9)] {
            let built = log()
                .corrected(&[wrong, txn(2, 3, 12)], true, &Holes::default())
                .unwrap();
            assert_eq!(entries(&built), [txn(1, 4, 9), txn(2, 3, 12)]);
        }
        assert!(
            log()
                .corrected(&[txn(1, 4, 9)], false, &Holes::default())
                .is_some()
        );
    }

    #[test]
    fn a_lost_commit_does_not_make_two_transactions_one() {
        let mut holes = Holes::default();
        holes.add(Offset(6), Offset(7));
        let (log, old) = (log(), [txn(1, 7, 9)]);
        assert_eq!(log.corrected(&old, true, &holes), None);
        let told = log.lost_ends(&old, true, &holes, Offset(20));
        assert!(
            told.concat().contains("begins at offset 4 is lost"),
            "{told:?}"
        );
        // The hole lies elsewhere; the lost marker was an abort; the index is not whole.
        let mut elsewhere = Holes::default();
        elsewhere.add(Offset(7), Offset(8));
        let both = [txn(1, 4, 6), txn(1, 7, 9)];
        let cases: [(&[AbortedTxn], bool, &Holes); 3] = [
            (&old, true, &elsewhere),
            (&both, true, &holes),
            (&old, false, &holes),
        ];
        for (old, is_whole, holes) in cases {
            let built = log.corrected(old, is_whole, holes).unwrap();
            assert_eq!(entries(&built), [txn(1, 4, 9)]);
            let told = log.lost_ends(old, is_whole, holes, Offset(20));
            assert_eq!(told, [""; 0]);
        }
    }

    #[test]
    fn a_lost_abort_is_told() {
        let mut holes = Holes::default();
        holes.add(Offset(3), Offset(4));
        let lost = [txn(1, 1, 3), txn(1, 4, 9)];
        let told = log().lost_ends(&lost, true, &holes, Offset(20));
        assert!(told.concat().contains("marker at offset 3"), "{told:?}");
        let told = log().lost_ends(&lost, true, &Holes::default(), Offset(20));
        assert_eq!(told, [""; 0]);
    }
}
