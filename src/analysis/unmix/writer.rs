//! What a writer has sent so far, and whether a batch can be its next.
//!
//! A client numbers its batches: the epoch never goes back, within one sequences rise, and it
//! writes inside of transactions all its life or never. Nothing else is taken for impossible.

use super::member::Member;
use crate::analysis::strands::is_ahead;
use crate::format::number::{ProducerEpoch, Sequence, Timestamp};

/// A writer after its last batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Writer {
    epoch: ProducerEpoch,
    /// The sequence that follows; none where only a marker was seen in this epoch.
    next: Sequence,
    /// Whether it writes in transactions.
    is_transactional: bool,
    /// A transaction is open.
    is_open: bool,
    /// The time of its last batch.
    time: Timestamp,
    /// Its last batch, by its place among the id's.
    pub(super) last: usize,
}

/// How a batch comes to be a writer's next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// It is the first of this writer.
    Begins,
    /// Its sequence is the one that follows.
    Follows,
    /// It begins a higher epoch with 0.
    NewEpoch,
    /// Sequences are missing in front of it: they were taken for repeats, refused or lost.
    Skips,
    /// It ends the writer's open transaction.
    Ends,
    /// It is a marker, and the writer has no transaction open here.
    EndsNothing,
    /// It is there before: the same batch, stored twice.
    Repeats,
    /// A client does not do this; it was so decided.
    Decided,
}

impl Link {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begins => "begins",
            Self::Follows => "follows",
            Self::NewEpoch => "new-epoch",
            Self::Skips => "skips",
            Self::Ends => "ends",
            Self::EndsNothing => "ends-nothing",
            Self::Repeats => "repeats",
            Self::Decided => "decided",
        }
    }

    /// What it means, as the end of a sentence about a batch.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Begins => "it would be that writer's first batch here",
            Self::Follows => "its sequence is the next of that writer",
            Self::NewEpoch => "it begins a higher epoch of that writer",
            Self::Skips => {
                "that writer's sequences up to it would be missing: taken for repeats, refused or \
                 lost"
            }
            Self::Ends => "it would end that writer's open transaction",
            Self::EndsNothing => {
                "that writer has no transaction open here, and may have an empty one"
            }
            Self::Repeats => "it is a batch of that writer once more",
            Self::Decided => "it was decided so, against its numbers",
        }
    }

    /// How unlikely it is, beside other ways: tenths of a natural logarithm.
    pub(super) const fn doubt(self) -> u32 {
        match self {
            Self::Follows | Self::Ends | Self::Repeats | Self::Decided => 0,
            Self::NewEpoch => 5,
            Self::Begins => 10,
            Self::EndsNothing => 15,
            Self::Skips => 25,
        }
    }
}

impl Writer {
    /// A writer whose first batch is `member`.
    pub(super) fn begin(member: &Member, place: usize) -> Self {
        let seen = &member.seen;
        let mut writer = Self {
            epoch: seen.producer_epoch,
            next: Sequence::NONE,
            is_transactional: seen.is_transactional,
            is_open: false,
            time: seen.max_timestamp,
            last: place,
        };
        writer.take(member, place);
        writer
    }

    /// Goes on to a batch of its own.
    pub(super) fn take(&mut self, member: &Member, place: usize) {
        let seen = &member.seen;
        if seen.producer_epoch != self.epoch {
            self.epoch = seen.producer_epoch;
            self.next = Sequence::NONE;
        }
        if member.is_data() {
            if seen.base_sequence != Sequence::NONE {
                self.next = seen.last_sequence.plus(1);
            }
            self.is_open = seen.is_transactional;
        } else {
            self.is_open = false;
        }
        self.time = seen.max_timestamp;
        self.last = place;
    }

    /// How `member` could be its next where a mirror may have brought batches in another order; of
    /// what a client does not do, that is what it had done before.
    pub(super) fn link_in_any_order(&self, member: &Member) -> Option<Link> {
        let is_earlier = member.is_data() && self.is_later_than(member);
        let is_alike = member.seen.is_transactional == self.is_transactional;
        let misplaced = (is_earlier && is_alike).then_some(Link::Skips);
        self.link(member).or(misplaced)
    }

    /// How `member` could be its next; `None` where a client does not do that.
    pub(super) fn link(&self, member: &Member) -> Option<Link> {
        let seen = &member.seen;
        if seen.producer_epoch < self.epoch || seen.is_transactional != self.is_transactional {
            return None;
        }
        let is_new = seen.producer_epoch > self.epoch;
        if !member.is_data() {
            return Some(
                match self.is_open && !self.is_bumped_past(seen.producer_epoch) {
                    true => Link::Ends,
                    false => Link::EndsNothing,
                },
            );
        }
        let base = seen.base_sequence;
        Some(match (is_new || self.next == Sequence::NONE, base.0) {
            (true, 0) if !is_new => Link::Follows,
            (true, 0) => Link::NewEpoch,
            (true, _) => Link::Skips,
            (false, _) if base == self.next => Link::Follows,
            (false, _) if is_ahead(base, self.next) => Link::Skips,
            (false, _) => return None,
        })
    }

    /// Whether a marker's epoch is further on than its coordinator goes to end a transaction: the
    /// same, or by version 2 and for a producer that is gone one more.
    fn is_bumped_past(&self, epoch: ProducerEpoch) -> bool {
        i32::from(epoch.0) > i32::from(self.epoch.0) + 1
    }

    /// Whether a batch is older than the last one: clients make theirs one after the other.
    pub(super) fn is_later_than(&self, member: &Member) -> bool {
        member.seen.first_timestamp < self.time
    }
}
