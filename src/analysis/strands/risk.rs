//! Collisions that leave no trace: which ids a fresh allocator must not give out.
//!
//! A broker that takes another writer's batch for a repeat confirms it and appends nothing, so no
//! log shows the loss. What a log does tell is which ids it knows: where mirroring stops, and ids
//! are given out anew from 0, all of them up to the highest are at risk.

use super::seen::Seen;
use crate::format::number::{LeaderEpoch, Offset, ProducerId};
use crate::state::batch::Batch;

/// So many boundaries of each kind are kept.
const MOST_BOUNDARIES: usize = 64;
/// The least rise of the leader epoch that counts as a sign of a stop. An election raises it by 1,
/// a mirror keeps its own 3 above the source's at least, by steps of 10.
const LEAST_RISE: i32 = 2;

/// The highest id from 0 up, and its last batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highest {
    /// The id.
    pub producer_id: ProducerId,
    /// Its last batch.
    pub last: Seen,
}

impl Highest {
    /// The first id that no producer of the log can have.
    #[must_use]
    pub const fn next_safe_id(&self) -> ProducerId {
        ProducerId(self.producer_id.0.saturating_add(1))
    }
}

/// What may be the stop of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A barrier: it is one.
    Barrier,
    /// The leader epoch rose by 2 or more: it may be one, or elections without a write between.
    LeaderEpochRise {
        /// The epoch before.
        from: LeaderEpoch,
        /// The epoch now.
        to: LeaderEpoch,
    },
}

/// A place where mirroring stopped, or may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// What shows it.
    pub stop: Stop,
    /// The offset of the batch that does.
    pub offset: Offset,
    /// The highest id in front, since the log's first batch: what a broker knows that passes over
    /// barriers.
    pub below: Option<Highest>,
    /// The same since the barrier before: what a broker knows that obeys them.
    pub since_barrier: Option<Highest>,
}

/// Which ids are at risk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Risk {
    /// Where mirroring stopped or may have, in the order of the log; the first 64 barriers and the
    /// first 64 rises.
    pub boundaries: Vec<Boundary>,
    /// How many barriers there are.
    pub barriers: u64,
    /// How many rises there are.
    pub rises: u64,
    /// The highest id of the whole log.
    pub highest: Option<Highest>,
    /// The highest id behind the last barrier.
    pub since_barrier: Option<Highest>,
    leader_epoch: Option<LeaderEpoch>,
}

impl Risk {
    /// Takes the leader epoch of a batch in.
    pub(super) fn leader_epoch(&mut self, batch: &Batch) {
        let epoch = batch.partition_leader_epoch;
        if epoch > LeaderEpoch(-1) {
            if let Some(from) = self.leader_epoch
                && epoch.0.saturating_sub(from.0) >= LEAST_RISE
            {
                self.rises = self.rises.saturating_add(1);
                let stop = Stop::LeaderEpochRise { from, to: epoch };
                self.add(stop, batch.base_offset, self.rises);
            }
            self.leader_epoch = Some(epoch);
        }
    }

    /// Takes the producer of a batch in.
    #[inline]
    pub(super) fn producer(&mut self, batch: &Batch) {
        let id = batch.producer_id;
        if id > ProducerId::NONE {
            for highest in [&mut self.highest, &mut self.since_barrier] {
                if highest.as_ref().is_none_or(|known| known.producer_id <= id) {
                    *highest = Some(Highest {
                        producer_id: id,
                        last: Seen::of(batch),
                    });
                }
            }
        }
    }

    /// Takes a barrier in, as a batch already.
    pub(super) fn barrier(&mut self, offset: Offset) {
        self.barriers = self.barriers.saturating_add(1);
        self.add(Stop::Barrier, offset, self.barriers);
        self.since_barrier = None;
    }

    fn add(&mut self, stop: Stop, offset: Offset, count: u64) {
        if count <= MOST_BOUNDARIES as u64 {
            self.boundaries.push(Boundary {
                stop,
                offset,
                below: self.highest,
                since_barrier: self.since_barrier,
            });
        }
    }
}
