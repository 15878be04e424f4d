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

    /// What the index should be, where what is known of it is not right; the segment ends at
    /// `end`. The last stable offsets in it are not compared, as they depend on how batches were
    /// appended, but none may hide another entry: a broker that looks for aborted transactions
    /// below an offset ends with the first entry that was stable up to there.
    pub(super) fn corrected(&self, known: &Known<'_>, end: Offset) -> Option<Vec<u8>> {
        let found = known.found;
        let stays: BTreeMap<Offset, AbortedTxn> = found
            .iter()
            .filter(|entry| self.may_stay(entry, known))
            .map(|entry| (entry.last_offset, *entry))
            .collect();
        let is_complete = self
            .known()
            .all(|entry| stays.contains_key(&entry.last_offset));
        let hides = unhide(&mut found.to_vec(), end);
        if known.is_sound && !hides && stays.len() == found.len() && is_complete {
            return None;
        }
        let markers = self.0.iter();
        let mut built: Vec<_> = markers
            .filter_map(|(at, (_, entry))| match (stays.get(at), entry) {
                (Some(old), Some(entry)) => Some(AbortedTxn {
                    first_offset: old.first_offset,
                    ..*entry
                }),
                (old, entry) => old.copied().or(*entry),
            })
            .collect();
        unhide(&mut built, end);
        let mut bytes = Vec::new();
        for entry in &built {
            txn_index::encode(entry, &mut bytes);
        }
        Some(bytes)
    }

    /// What becomes of transactions whose end marker is lost, as far as the old index knows of
    /// them; the log goes up to `end` so far.
    pub(super) fn lost_ends(&self, known: &Known<'_>, end: Offset) -> Vec<String> {
        let mut told = Vec::new();
        for old in known.found.iter().filter(|_| known.is_sound) {
            let id = old.producer_id;
            let (first, last) = (old.first_offset, old.last_offset);
            let is_told_still = |entry: &&AbortedTxn| {
                entry.producer_id == id && entry.first_offset <= first && entry.last_offset > last
            };
            match self.0.get(&last) {
                Some((_, Some(entry)))
                    if entry.first_offset < first && self.may_stay(old, known) =>
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
                None if (known.holes.hold(last) || last >= end)
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
pub(super) struct Known<'a> {
    /// What it holds up to its first fault.
    found: &'a [AbortedTxn],
    holes: &'a Holes,
    /// It can be read to its end, and its entries rise.
    is_sound: bool,
}

impl<'a> Known<'a> {
    pub(super) fn of(found: &'a [AbortedTxn], is_whole: bool, holes: &'a Holes) -> Self {
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
        assert_eq!(
            log().corrected(&Known::of(&[txn(1, 4, 9)], true, &Holes::default()), END),
            None
        );
        let mut elsewhere = txn(1, 4, 9);
        elsewhere.last_stable_offset = Offset(3);
        assert_eq!(
            log().corrected(
                &Known::of(&[elsewhere, txn(2, 3, 12)], true, &Holes::default()),
                END
            ),
            None
        );
    }

    #[test]
    fn an_entry_that_would_hide_others_is_put_right() {
        for (stable, right) in [(4, 4), (10, 10), (13, 10), (1 << 40, 10)] {
            let mut first = txn(1, 4, 9);
            first.last_stable_offset = Offset(stable);
            let built = log().corrected(
                &Known::of(&[first, txn(2, 11, 12)], true, &Holes::default()),
                END,
            );
            let built = built.map(|built| entries(&built));
            first.last_stable_offset = Offset(right);
            let expected = (stable != right).then(|| vec![first, txn(2, 11, 12)]);
            assert_eq!(built, expected);
        }
        // Nothing in the segment, but entries of the next.
        let mut last = txn(2, 11, 12);
        last.last_stable_offset = Offset(21);
        let built = log()
            .corrected(
                &Known::of(&[txn(1, 4, 9), last], true, &Holes::default()),
                END,
            )
            .unwrap();
        last.last_stable_offset = END;
        assert_eq!(entries(&built), [txn(1, 4, 9), last]);
    }

    #[test]
    fn what_is_missing_comes_in_and_what_is_untrue_goes() {
        let built = log()
            .corrected(&Known::of(&[], true, &Holes::default()), END)
            .unwrap();
        assert_eq!(entries(&built), [txn(1, 4, 9)]);
        // A transaction without a marker, one that begins too late, one that a cut file hides.
        for wrong in [txn(3, 4, 10), txn(1, 5, 9)] {
            let built = log()
                .corrected(
                    &Known::of(&[wrong, txn(2, 3, 12)], true, &Holes::default()),
                    END,
                )
                .unwrap();
            let mut first = txn(1, 4, 9);
            // The other was open then.
            first.last_stable_offset = Offset(3);
            assert_eq!(entries(&built), [first, txn(2, 3, 12)]);
        }
        assert!(
            log()
                .corrected(&Known::of(&[txn(1, 4, 9)], false, &Holes::default()), END)
                .is_some()
        );
    }

    #[test]
    fn a_lost_commit_does_not_make_two_transactions_one() {
        let mut holes = Holes::default();
        holes.add(Offset(6), Offset(7));
        let (log, old) = (log(), [txn(1, 7, 9)]);
        assert_eq!(log.corrected(&Known::of(&old, true, &holes), END), None);
        let told = log.lost_ends(&Known::of(&old, true, &holes), END);
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
            let built = log
                .corrected(&Known::of(old, is_whole, holes), END)
                .unwrap();
            assert_eq!(entries(&built), [txn(1, 4, 9)]);
            let told = log.lost_ends(&Known::of(old, is_whole, holes), END);
            assert_eq!(told, [""; 0]);
        }
    }

    #[test]
    fn a_lost_abort_is_told() {
        let mut holes = Holes::default();
        holes.add(Offset(3), Offset(4));
        let lost = [txn(1, 1, 3), txn(1, 4, 9)];
        let told = log().lost_ends(&Known::of(&lost, true, &holes), END);
        assert!(told.concat().contains("marker at offset 3"), "{told:?}");
        let told = log().lost_ends(&Known::of(&lost, true, &Holes::default()), END);
        assert_eq!(told, [""; 0]);
    }
}
