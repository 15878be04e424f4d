//! Which producers of a partition are shown, and in which order.
//!
//! A partition may have millions: what is gathered here is a key each, not the entries.

use crate::format::number::{ProducerId, Timestamp};
use crate::state::entry::Entry;
use crate::state::table::Table;

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Producers with an open transaction, the one that has been open longest first; then the
    /// others, the latest to write first.
    #[default]
    OpenFirst,
    /// The lowest producer id.
    ProducerId,
    /// The highest producer epoch.
    Epoch,
    /// The highest last offset.
    LastOffset,
    /// The latest time.
    LastTimestamp,
}

/// A choice among the producers of a partition.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// What comes first.
    pub order: Order,
    /// How many at most; all without it.
    pub top: Option<usize>,
    /// Only these; all when empty.
    pub ids: Vec<ProducerId>,
    /// Without those that have no open transaction and were silent for so many milliseconds or
    /// longer at this time.
    pub expiry: Option<(Timestamp, i64)>,
}

/// The producers that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The first ones, in order.
    pub ids: Vec<ProducerId>,
    /// How many there are with those behind them.
    pub of: usize,
}

impl Choice {
    /// Chooses.
    #[must_use]
    pub fn of(&self, producers: &Table<1>) -> Chosen {
        let wanted = |entry: &Entry<1>| {
            (self.ids.is_empty() || self.ids.contains(&entry.producer_id))
                && !is_expired(entry, self.expiry)
        };
        let mut keys: Vec<_> = producers
            .iter()
            .filter(wanted)
            .map(|entry| (self.key(&entry), entry.producer_id))
            .collect();
        let of = keys.len();
        let shown = self.top.unwrap_or(of).min(of);
        if shown > 0 && shown < of {
            keys.select_nth_unstable(shown - 1);
        }
        keys.truncate(shown);
        keys.sort_unstable();
        Chosen {
            ids: keys.into_iter().map(|(_, id)| id).collect(),
            of,
        }
    }

    /// Lower keys come first.
    fn key(&self, entry: &Entry<1>) -> (bool, i64) {
        let last_offset = entry.batches.last().map_or(-1, |batch| batch.last_offset.0);
        match self.order {
            Order::OpenFirst => match entry.current_txn_first_offset {
                Some(first) => (false, first.0),
                None => (true, !entry.last_timestamp.0),
            },
            Order::ProducerId => (false, entry.producer_id.0),
            // The complement turns the order round and leaves no number out.
            Order::Epoch => (false, !i64::from(entry.producer_epoch.0)),
            Order::LastOffset => (false, !last_offset),
            Order::LastTimestamp => (false, !entry.last_timestamp.0),
        }
    }
}

/// `ProducerStateManager.isProducerExpired`.
#[must_use]
pub fn is_expired(entry: &Entry<1>, expiry: Option<(Timestamp, i64)>) -> bool {
    expiry.is_some_and(|(now, after)| {
        entry.current_txn_first_offset.is_none()
            && now.0.saturating_sub(entry.last_timestamp.0) >= after
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::{Offset, ProducerEpoch};

    fn table() -> Table<1> {
        let mut table = Table::new();
        for (id, epoch, time, open) in [
            (5, 3, 100, None),
            (-7, 9, 300, None),
            (8, 0, 200, Some(40)),
            (2, 1, 400, Some(60)),
        ] {
            table.add(&Entry {
                producer_epoch: ProducerEpoch(epoch),
                last_timestamp: Timestamp(time),
                current_txn_first_offset: open.map(Offset),
                ..Entry::empty(ProducerId(id))
            });
        }
        table
    }

    fn ids(choice: &Choice) -> (Vec<i64>, usize) {
        let chosen = choice.of(&table());
        (chosen.ids.iter().map(|id| id.0).collect(), chosen.of)
    }

    #[test]
    fn each_order_and_a_limit() {
        for (order, all) in [
            (Order::OpenFirst, [8, 2, -7, 5]),
            (Order::ProducerId, [-7, 2, 5, 8]),
            (Order::Epoch, [-7, 5, 2, 8]),
            (Order::LastTimestamp, [2, -7, 8, 5]),
        ] {
            for top in 0..=5 {
                let choice = Choice {
                    order,
                    top: Some(top),
                    ..Choice::default()
                };
                assert_eq!(ids(&choice), (all[..top.min(4)].to_vec(), 4), "{order:?}");
            }
        }
    }

    #[test]
    fn ids_and_expiry() {
        let choice = Choice {
            ids: vec![ProducerId(5), ProducerId(8), ProducerId(77)],
            ..Choice::default()
        };
        assert_eq!(ids(&choice), (vec![8, 5], 2));
        // At the very moment a producer is expired; an open transaction keeps it.
        let choice = Choice {
            expiry: Some((Timestamp(350), 50)),
            ..Choice::default()
        };
        assert_eq!(ids(&choice), (vec![8, 2], 2));
        let choice = Choice {
            expiry: Some((Timestamp(349), 50)),
            ..Choice::default()
        };
        assert_eq!(ids(&choice), (vec![8, 2, -7], 3));
    }
}
