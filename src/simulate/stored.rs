//! A batch as a replica's log holds it: what producer state sees of it, and what it means.

use crate::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::simulate::truth::Truth;
use crate::state::batch::{Batch, Control, Marker, Place};
use std::sync::Arc;

/// A batch in a log; copies of it on other replicas are the same one.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// What its header says.
    pub batch: Batch,
    /// What its record says, of a control batch.
    pub control: Option<Control>,
    /// The source that a barrier names (layout A).
    pub source_cluster_id: Option<String>,
    /// What it means.
    pub truth: Truth,
}

/// The producer's part of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// The producer, -1 for none.
    pub producer_id: ProducerId,
    /// Its epoch.
    pub producer_epoch: ProducerEpoch,
    /// The sequence of the first record.
    pub base_sequence: Sequence,
}

impl Numbered {
    /// No producer.
    pub const NONE: Self = Self {
        producer_id: ProducerId::NONE,
        producer_epoch: ProducerEpoch(-1),
        base_sequence: Sequence::NONE,
    };
}

/// Where and when a batch is appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Its first offset.
    pub offset: Offset,
    /// The epoch of the leader.
    pub leader_epoch: LeaderEpoch,
    /// The time of its records.
    pub timestamp: Timestamp,
}

impl Stored {
    /// Records of a producer.
    #[must_use]
    pub fn data(at: At, who: Numbered, count: u32, is_transactional: bool, truth: Truth) -> Self {
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        let mut batch = header(at, who, count);
        batch.is_transactional = is_transactional;
        if who.base_sequence != Sequence::NONE {
            batch.last_sequence = who.base_sequence.plus(count.saturating_sub(1));
        }
        Self {
            batch,
            control: None,
            source_cluster_id: None,
            truth,
        }
    }

    /// The end of a transaction.
    #[must_use]
    pub fn marker(
        at: At,
        (producer_id, producer_epoch): (ProducerId, ProducerEpoch),
        (is_abort, coordinator_epoch): (bool, CoordinatorEpoch),
        truth: Truth,
    ) -> Self {
        let who = Numbered {
            producer_id,
            producer_epoch,
            base_sequence: Sequence::NONE,
        };
        let mut batch = header(at, who, 1);
        batch.is_transactional = true;
        batch.is_control = true;
        let control = Control::Marker(Marker {
            is_abort,
            version: 0,
            coordinator_epoch,
            timestamp: at.timestamp,
        });
        Self {
            batch,
            control: Some(control),
            source_cluster_id: None,
            truth,
        }
    }

    /// A barrier.
    #[must_use]
    pub fn barrier(at: At, source_cluster_id: Option<String>, truth: Truth) -> Self {
        let mut batch = header(at, Numbered::NONE, 1);
        batch.is_control = true;
        Self {
            batch,
            control: Some(Control::MirrorPidReset),
            source_cluster_id,
            truth,
        }
    }

    /// The same batch under another producer id and leader epoch, as a design that maps ids
    /// stores it.
    #[must_use]
    pub fn rewritten(&self, producer_id: ProducerId, leader_epoch: LeaderEpoch) -> Arc<Self> {
        let mut copy = self.clone();
        copy.batch.producer_id = producer_id;
        copy.batch.partition_leader_epoch = leader_epoch;
        Arc::new(copy)
    }

    /// Whether it is a barrier.
    #[must_use]
    pub fn is_barrier(&self) -> bool {
        self.control == Some(Control::MirrorPidReset)
    }
}

fn header(at: At, who: Numbered, count: i32) -> Batch {
    Batch {
        place: Place {
            segment: Offset(0),
            position: 0,
            size: 0,
        },
        magic: 2,
        base_offset: at.offset,
        last_offset: at.offset.plus(i64::from(count.saturating_sub(1))),
        partition_leader_epoch: at.leader_epoch,
        first_timestamp: at.timestamp,
        max_timestamp: at.timestamp,
        producer_id: who.producer_id,
        producer_epoch: who.producer_epoch,
        base_sequence: who.base_sequence,
        last_sequence: who.base_sequence,
        count,
        is_transactional: false,
        is_control: false,
    }
}
