//! Keeps count of what stays and what is lost, offset range by offset range.

use super::plan::{Kept, Lost};
use super::survey::Claim;
use crate::format::number::Offset;

/// The account of a log, told in its order.
#[derive(Debug)]
pub(super) struct Ledger {
    /// Nobody can read what lies below.
    log_start: Offset,
    pub(super) kept: Kept,
    pub(super) lost: Vec<Lost>,
    /// Lost since the last batch that stays: how far they reach is known with the next one.
    open: Vec<Open>,
    /// The offset that would follow the last batch that stays.
    next: Offset,
}

/// A loss in a gap that is still open.
#[derive(Debug)]
struct Open {
    claim: Option<Claim>,
    reason: String,
}

impl Ledger {
    /// Of a log whose first segment begins at `base` and that can be read from `log_start` on.
    pub(super) fn new(base: Offset, log_start: Offset) -> Self {
        Self {
            log_start,
            kept: Kept::default(),
            lost: Vec::new(),
            open: Vec::new(),
            next: base,
        }
    }

    /// A batch stays.
    pub(super) fn keep(&mut self, batch: Claim) {
        self.close(Some(batch.first));
        self.next = batch.last.plus(1);
        if batch.last < self.log_start {
            return;
        }
        let kept = &mut self.kept;
        kept.records = kept.records.saturating_add(batch.records.unwrap_or(0));
        kept.first_offset
            .get_or_insert(batch.first.max(self.log_start));
        kept.last_offset = Some(batch.last);
    }

    /// Something is lost. One loss behind another for the same reason makes one.
    pub(super) fn lose(&mut self, claim: Option<Claim>, reason: &str) {
        if let Some(last) = self.open.last_mut()
            && last.reason == reason
        {
            match (&mut last.claim, claim) {
                (Some(one), Some(other)) if other.first > one.last => {
                    one.last = other.last;
                    one.records = one
                        .records
                        .zip(other.records)
                        .map(|(one, other)| one.saturating_add(other));
                    return;
                }
                (None, None) => return,
                _ => {}
            }
        }
        self.open.push(Open {
            claim,
            reason: reason.to_owned(),
        });
    }

    /// Whether something is lost behind the last batch that stays.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The log has ended.
    pub(super) fn end(&mut self) {
        self.close(None);
    }

    /// The next batch that stays begins at `upto`.
    fn close(&mut self, upto: Option<Offset>) {
        let (start, before) = (self.next, upto.map(|upto| upto.plus(-1)));
        let mut open = std::mem::take(&mut self.open);
        // A header that contradicts what stays around it, or what comes behind it, says nothing.
        let mut limit = before;
        for one in open.iter_mut().rev() {
            one.claim = one.claim.filter(|claim| {
                claim.first >= start && limit.is_none_or(|limit| claim.last <= limit)
            });
            limit = one.claim.map(|claim| claim.first.plus(-1)).or(limit);
        }
        let mut from = start;
        let mut rest = open.into_iter().peekable();
        while let Some(Open { claim, reason }) = rest.next() {
            let next = rest.peek().and_then(|open| open.claim);
            let upto = next.map(|next| next.first.plus(-1)).or(before);
            let is_gap = upto.is_none_or(|upto| from <= upto);
            let (first, last, records) = match claim {
                Some(claim) => (Some(claim.first), Some(claim.last), claim.believable()),
                None if is_gap => (Some(from), upto, None),
                None => (None, None, None),
            };
            from = last.map_or(from, |last| from.max(last.plus(1)));
            if last.is_none_or(|last| last >= self.log_start) {
                self.name(Lost {
                    first_offset: first,
                    last_offset: last,
                    records,
                    reason,
                });
            }
        }
    }

    /// Neighbours that were lost for one reason make one.
    fn name(&mut self, lost: Lost) {
        if let Some(before) = self.lost.last_mut()
            && before.reason == lost.reason
            && let (Some(last), Some(first)) = (before.last_offset, lost.first_offset)
            && last.plus(1) == first
        {
            let records = before.records.zip(lost.records);
            before.records = records.map(|(one, other)| one.saturating_add(other));
            before.last_offset = lost.last_offset;
            return;
        }
        self.lost.push(lost);
    }
}

impl Claim {
    /// Its records, unless there are more than offsets.
    fn believable(&self) -> Option<u64> {
        let span = self.last.0.checked_sub(self.first.0)?;
        let offsets = u64::try_from(span).ok()?.saturating_add(1);
        self.records.filter(|records| *records <= offsets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(first: i64, last: i64) -> Claim {
        Claim {
            first: Offset(first),
            last: Offset(last),
            records: Some((last - first + 1).unsigned_abs()),
        }
    }

    fn lost(ledger: &Ledger) -> Vec<(Option<i64>, Option<i64>, Option<u64>)> {
        let number = |offset: Option<Offset>| offset.map(|offset| offset.0);
        let lost = ledger.lost.iter();
        lost.map(|lost| {
            (
                number(lost.first_offset),
                number(lost.last_offset),
                lost.records,
            )
        })
        .collect()
    }

    #[test]
    fn what_a_header_says_counts_where_it_fits_between_its_neighbours() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        ledger.keep(claim(0, 4));
        ledger.lose(Some(claim(5, 7)), "crc");
        ledger.keep(claim(10, 11));
        ledger.lose(Some(claim(900, 901)), "crc");
        ledger.keep(claim(13, 13));
        ledger.lose(None, "torn");
        ledger.end();
        assert_eq!(
            lost(&ledger),
            [
                (Some(5), Some(7), Some(3)),
                (Some(12), Some(12), None),
                (Some(14), None, None)
            ]
        );
        assert_eq!(ledger.kept.records, 8);
        assert_eq!(ledger.kept.last_offset, Some(Offset(13)));
    }

    #[test]
    fn losses_in_a_row_for_one_reason_are_one() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        for first in [3, 4, 5] {
            ledger.lose(Some(claim(first, first)), "behind");
        }
        ledger.lose(Some(claim(6, 6)), "crc");
        ledger.end();
        assert_eq!(
            lost(&ledger),
            [(Some(3), Some(5), Some(3)), (Some(6), Some(6), Some(1))]
        );
    }

    #[test]
    fn a_loss_without_a_header_ends_where_the_next_one_begins() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        ledger.keep(claim(0, 4));
        ledger.lose(None, "garbage");
        ledger.lose(Some(claim(7, 9)), "behind");
        ledger.lose(None, "garbage");
        ledger.end();
        assert_eq!(
            lost(&ledger),
            [
                (Some(5), Some(6), None),
                (Some(7), Some(9), Some(3)),
                (Some(10), None, None)
            ]
        );
    }

    #[test]
    fn what_comes_behind_contradicts_a_header_too() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        ledger.keep(claim(0, 43));
        ledger.lose(Some(claim(2_097_196, 2_097_200)), "crc");
        ledger.lose(Some(claim(49, 50)), "behind");
        ledger.end();
        let expected = [(Some(44), Some(48), None), (Some(49), Some(50), Some(2))];
        assert_eq!(lost(&ledger), expected);
    }

    #[test]
    fn no_more_records_are_lost_than_offsets() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        ledger.lose(
            Some(Claim {
                records: Some(3),
                ..claim(0, 1)
            }),
            "crc",
        );
        ledger.end();
        assert_eq!(lost(&ledger), [(Some(0), Some(1), None)]);
    }

    #[test]
    fn where_no_offset_is_missing_none_is_named() {
        let mut ledger = Ledger::new(Offset(0), Offset(0));
        ledger.keep(claim(0, 4));
        ledger.lose(None, "garbage");
        ledger.keep(claim(5, 5));
        assert_eq!(lost(&ledger), [(None, None, None)]);
    }

    #[test]
    fn below_the_logs_start_nothing_is_kept_and_nothing_lost() {
        let mut ledger = Ledger::new(Offset(0), Offset(10));
        ledger.keep(claim(0, 4));
        ledger.lose(Some(claim(5, 7)), "crc");
        ledger.keep(claim(8, 12));
        ledger.end();
        assert_eq!(lost(&ledger), []);
        assert_eq!(ledger.kept.first_offset, Some(Offset(10)));
    }
}
