//! The open transactions of a manager by first offset, the twin of `ongoingTxns`.
//!
//! Transactions begin at rising offsets and end in any order, so they lie in a queue: those that
//! ended in its midst are struck out, and a ticket tells where one lies. What does not rise, as a
//! snapshot or a damaged log may have it, lies in a tree beside the queue. No offset is in both.

use crate::format::number::{Offset, ProducerId};
use std::collections::{BTreeMap, VecDeque};

/// An open transaction, as `ongoingTxns` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenTxn {
    /// Whose.
    pub producer_id: ProducerId,
    /// The first offset of its first batch.
    pub first_offset: Offset,
}

#[derive(Debug, Clone, Copy)]
struct Queued {
    txn: OpenTxn,
    is_open: bool,
}

/// Open transactions by first offset; one at an offset.
#[derive(Debug, Clone, Default)]
pub(super) struct Ongoing {
    /// Offsets rise; the first one and the last one are open.
    queue: VecDeque<Queued>,
    /// How many of the queue are open.
    open: usize,
    /// How many have left the front of the queue.
    left: u64,
    others: BTreeMap<Offset, OpenTxn>,
}

/// The ticket of what was never given one.
pub(super) const NO_TICKET: u64 = u64::MAX;

/// So many that are struck out are never worth the clearing up.
const FEW: usize = 64;
/// The queue is at most so many times as long as what is open.
const MOST_TIMES: usize = 8;

impl Ongoing {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The ticket of the next one that begins behind all others.
    #[inline]
    pub(super) fn next_ticket(&self) -> u64 {
        let length = u64::try_from(self.queue.len()).unwrap_or(u64::MAX);
        self.left.wrapping_add(length)
    }

    /// Adds one, in the place of one with the same first offset.
    #[inline]
    pub(super) fn insert(&mut self, txn: OpenTxn) {
        let rises = self
            .queue
            .back()
            .is_none_or(|last| last.txn.first_offset < txn.first_offset);
        if rises {
            if !self.others.is_empty() {
                self.others.remove(&txn.first_offset);
            }
            self.queue.push_back(Queued { txn, is_open: true });
            self.open = self.open.saturating_add(1);
        } else {
            self.insert_between(txn);
        }
    }

    #[cold]
    fn insert_between(&mut self, txn: OpenTxn) {
        match self.place(txn.first_offset) {
            Some(place) if place.is_open => place.txn = txn,
            _ => {
                self.others.insert(txn.first_offset, txn);
            }
        }
    }

    fn place(&mut self, first_offset: Offset) -> Option<&mut Queued> {
        let at = self
            .queue
            .binary_search_by_key(&first_offset, |queued| queued.txn.first_offset)
            .ok()?;
        self.queue.get_mut(at)
    }

    /// Takes out the one at an offset. A ticket may be out of date or another's: the offset counts.
    #[inline]
    pub(super) fn remove(&mut self, first_offset: Offset, ticket: u64) -> Option<OpenTxn> {
        let at = usize::try_from(ticket.wrapping_sub(self.left)).unwrap_or(usize::MAX);
        let is_there = |queued: &&mut Queued| queued.txn.first_offset == first_offset;
        let place = match self.queue.get_mut(at).filter(is_there) {
            None => self.place(first_offset),
            // The borrow checker cannot follow a value that is given back from one arm alone.
            Some(_) => self.queue.get_mut(at),
        };
        let Some(place) = place.filter(|place| place.is_open) else {
            return self.others.remove(&first_offset);
        };
        place.is_open = false;
        let txn = place.txn;
        self.open = self.open.saturating_sub(1);
        self.clear_up();
        Some(txn)
    }

    /// Lets go of what is struck out at both ends, and in the midst where it is much more than what
    /// is open: tickets are out of date then.
    #[inline]
    fn clear_up(&mut self) {
        while self.queue.front().is_some_and(|first| !first.is_open) {
            self.queue.pop_front();
            self.left = self.left.wrapping_add(1);
        }
        while self.queue.back().is_some_and(|last| !last.is_open) {
            self.queue.pop_back();
        }
        if self.queue.len() > self.open.saturating_mul(MOST_TIMES).saturating_add(FEW) {
            self.queue.retain(|queued| queued.is_open);
        }
    }

    /// The first offset of all.
    pub(super) fn first(&self) -> Option<Offset> {
        self.iter().next().map(|open| open.first_offset)
    }

    /// All, by first offset.
    pub(super) fn iter(&self) -> impl Iterator<Item = OpenTxn> + '_ {
        let queued = self.queue.iter().filter(|queued| queued.is_open);
        let mut queued = queued.map(|queued| queued.txn).peekable();
        let mut others = self.others.values().copied().peekable();
        std::iter::from_fn(move || match (queued.peek(), others.peek()) {
            (Some(one), Some(other)) if other.first_offset < one.first_offset => others.next(),
            (Some(_), _) => queued.next(),
            (None, _) => others.next(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn txn(producer: i64, offset: i64) -> OpenTxn {
        OpenTxn {
            producer_id: ProducerId(producer),
            first_offset: Offset(offset),
        }
    }

    /// Whatever the order of offsets and the tickets, it is the tree that `ongoingTxns` is.
    #[test]
    fn it_is_a_sorted_map() {
        let mut random = 7_u64;
        let mut pick = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        let (mut ongoing, mut tree) = (Ongoing::default(), BTreeMap::new());
        let mut tickets = BTreeMap::new();
        let (mut next, mut longest) = (0, 0);
        for step in 0..40_000 {
            let offset = match pick(8) {
                0 => pick(500),
                _ => {
                    next += 1;
                    next
                }
            } as i64;
            // Now and then many are open, and again few.
            if pick(16) < 7 + 2 * (step / 5000 % 2) {
                tickets.insert(offset, ongoing.next_ticket());
                ongoing.insert(txn(step as i64, offset));
                tree.insert(Offset(offset), txn(step as i64, offset));
            } else {
                let some = tree.keys().nth(pick(tree.len() as u64 + 1) as usize);
                let gone = some.copied().unwrap_or(Offset(offset));
                let ticket = tickets.get(&gone.0).copied().unwrap_or(pick(9));
                assert_eq!(ongoing.remove(gone, ticket), tree.remove(&gone));
            }
            assert_eq!(ongoing.first(), tree.keys().next().copied());
            if step % 100 == 0 {
                assert!(ongoing.iter().eq(tree.values().copied()));
                assert!(ongoing.queue.len() <= MOST_TIMES * ongoing.open + FEW);
                longest = longest.max(tree.len());
            }
        }
        assert!(longest > 300, "{longest}");
    }
}
