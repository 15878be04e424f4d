//! The batches of one producer id, in the order of the log.

use crate::analysis::strands::Seen;
use crate::format::number::{LeaderEpoch, Offset, ProducerId};
use crate::state::batch::{Batch, Control, Marker};
use crate::storage::partition_name::PartitionName;

/// A batch of the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What its header says.
    pub seen: Seen,
    /// What it ends, of a marker; `None` of data.
    pub marker: Option<Marker>,
    /// A hole or a barrier lies between the batch of the id before and this one, or the log begins
    /// with it and lacks what was in front.
    pub is_apart: bool,
}

/// Gathers the batches of one id from a log.
#[derive(Debug)]
pub struct Members {
    producer_id: ProducerId,
    members: Vec<Member>,
    end: Option<Offset>,
    is_apart: bool,
}

impl Members {
    /// Nothing seen yet of `producer_id`.
    #[must_use]
    pub const fn new(producer_id: ProducerId) -> Self {
        Self {
            producer_id,
            members: Vec::new(),
            end: None,
            is_apart: false,
        }
    }

    /// Whether batches of a partition can be told apart: where coordinators write for producers,
    /// nothing is numbered.
    #[must_use]
    pub fn has_sequences(partition: Option<&PartitionName>) -> bool {
        partition.is_none_or(|name| name.topic != "__consumer_offsets")
    }

    /// Takes the next batch of the log, with what its record says if it is a control batch.
    pub fn batch(&mut self, batch: &Batch, control: Option<&Control>) {
        let expected = self.end.unwrap_or(Offset(0));
        self.is_apart |= batch.base_offset != expected;
        self.end = Some(batch.next_offset());
        if control == Some(&Control::MirrorPidReset) {
            self.is_apart = true;
        }
        if batch.producer_id != self.producer_id {
            return;
        }
        let marker = match control {
            Some(Control::Marker(marker)) => Some(*marker),
            _ => None,
        };
        self.members.push(Member {
            seen: Seen::of(batch),
            marker,
            is_apart: std::mem::take(&mut self.is_apart),
        });
    }

    /// All of them.
    #[must_use]
    pub fn into_members(self) -> Vec<Member> {
        self.members
    }
}

impl Member {
    /// Whether it lies under another leader than `before`, the batch of the id in front, or
    /// something else parts them: what held for that one says nothing of this one.
    #[must_use]
    pub fn is_elsewhere(&self, before: &Self, expiration_ms: i64) -> bool {
        let silence = self.seen.first_timestamp.0 - before.seen.max_timestamp.0;
        self.is_apart
            || self.leader_epoch() != before.leader_epoch()
            || before.seen.max_timestamp.0 >= 0 && silence >= expiration_ms
    }

    /// The reign that it was appended in.
    #[must_use]
    pub const fn leader_epoch(&self) -> LeaderEpoch {
        self.seen.partition_leader_epoch
    }

    /// Whether it is the same batch as another, stored once more.
    #[must_use]
    pub fn is_copy_of(&self, other: &Self) -> bool {
        let numbers = |member: &Self| {
            let seen = &member.seen;
            (
                (seen.producer_epoch, seen.base_sequence, seen.last_sequence),
                (seen.first_timestamp, seen.is_transactional),
            )
        };
        self.is_data() && other.is_data() && numbers(self) == numbers(other)
    }

    /// Whether it holds records of a client.
    #[must_use]
    pub const fn is_data(&self) -> bool {
        !self.seen.is_control
    }
}
