//! What the transactions of a log have in common: how many ended how, how large they were and how
//! long they took.

use super::distribution::Distribution;
use crate::format::number::Timestamp;
use crate::state::transactions::Transaction;

/// Counts and sizes; the sizes are those of transactions that ended and had data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransactionStats {
    /// How many were committed.
    pub committed: u64,
    /// How many were aborted.
    pub aborted: u64,
    /// How many markers ended nothing: transactions without data here, or repeated markers.
    pub empty: u64,
    /// How many are open.
    pub open: u64,
    /// Records of each.
    pub records: Distribution,
    /// Bytes of the data batches of each.
    pub bytes: Distribution,
    /// Milliseconds from the first record's timestamp to the marker's. With `CreateTime` the two
    /// come from different clocks.
    pub duration_ms: Distribution,
    /// Transactions without a duration: a timestamp is missing, or the end is before the beginning.
    pub without_duration: u64,
}

impl TransactionStats {
    /// Counts a transaction that ended.
    pub fn add(&mut self, transaction: &Transaction) {
        let Some(end) = transaction.end else {
            return;
        };
        let ended = match end.marker.is_abort {
            true => &mut self.aborted,
            false => &mut self.committed,
        };
        *ended = ended.saturating_add(1);
        self.records.add(transaction.records);
        self.bytes.add(transaction.bytes);
        match duration_ms(transaction.first_timestamp, end.marker.timestamp) {
            Some(duration) => self.duration_ms.add(duration),
            None => self.without_duration = self.without_duration.saturating_add(1),
        }
    }

    /// Counts all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.committed = self.committed.saturating_add(other.committed);
        self.aborted = self.aborted.saturating_add(other.aborted);
        self.empty = self.empty.saturating_add(other.empty);
        self.open = self.open.saturating_add(other.open);
        self.records.merge(&other.records);
        self.bytes.merge(&other.bytes);
        self.duration_ms.merge(&other.duration_ms);
        self.without_duration = self.without_duration.saturating_add(other.without_duration);
    }

    /// Whether there was no transaction at all.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.committed == 0 && self.aborted == 0 && self.empty == 0 && self.open == 0
    }
}

fn duration_ms(start: Timestamp, end: Timestamp) -> Option<u64> {
    if start.0 < 0 || end.0 < 0 {
        return None;
    }
    u64::try_from(end.0.checked_sub(start.0)?).ok()
}

#[cfg(test)]
mod tests {
    use super::duration_ms;
    use crate::format::number::Timestamp;

    #[test]
    fn a_duration_needs_two_times_in_order() {
        let ms = |start, end| duration_ms(Timestamp(start), Timestamp(end));
        assert_eq!(ms(5, 12), Some(7));
        assert_eq!(ms(5, 5), Some(0));
        for (start, end) in [(12, 5), (-1, 5), (5, -1), (i64::MIN, i64::MAX)] {
            assert_eq!(ms(start, end), None);
        }
    }
}
