//! What happens in a run, step by step: for traces and diagrams.

use crate::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};
use crate::simulate::harm::Harm;
use crate::simulate::link::LinkState;
use crate::simulate::stored::Stored;
use crate::simulate::truth::{ClusterIndex, WriterIndex};
use std::sync::Arc;

/// By whom a batch came to a leader or a follower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// A writer's request.
    Client,
    /// A transaction coordinator.
    Coordinator,
    /// A mirror, from this cluster.
    Mirror(ClusterIndex),
    /// The mirror's own markers and barrier at its stop.
    MirrorStop,
    /// A follower's fetch from the leader.
    Follower,
}

/// Where something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The cluster.
    pub cluster: ClusterIndex,
    /// The partition.
    pub topic_partition: String,
    /// The broker.
    pub replica: usize,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A step of the scenario begins.
    Step(usize),
    /// A writer was given an id.
    IdGiven {
        /// By whom.
        cluster: ClusterIndex,
        /// To whom.
        writer: WriterIndex,
        /// The id.
        producer_id: ProducerId,
        /// Its epoch.
        producer_epoch: ProducerEpoch,
    },
    /// Batches came to a log together.
    Appended {
        /// Where.
        site: Site,
        /// By whom.
        by: By,
        /// The batches as they are stored.
        batches: Vec<Arc<Stored>>,
    },
    /// A client was told of a success.
    Acknowledged {
        /// By whom.
        site: Site,
        /// To whom.
        writer: WriterIndex,
        /// At which offset.
        base_offset: Offset,
        /// Nothing was appended: the batch counted as a repeat.
        is_duplicate: bool,
    },
    /// Batches were refused.
    Refused {
        /// By whom.
        site: Site,
        /// Who brought them.
        by: By,
        /// Whose.
        writer: Option<WriterIndex>,
        /// The exception.
        error: String,
    },
    /// A mirror's state.
    Link {
        /// The destination.
        site: Site,
        /// The source.
        source: ClusterIndex,
        /// The new state.
        state: LinkState,
    },
    /// A log was cut.
    Truncated {
        /// Where.
        site: Site,
        /// Where it ended.
        from: Offset,
        /// Where it ends now.
        to: Offset,
    },
    /// A replica leads from now on, or its epoch was raised.
    Led {
        /// Which.
        site: Site,
        /// The epoch.
        leader_epoch: LeaderEpoch,
    },
    /// A broker came up.
    Restarted {
        /// The cluster.
        cluster: ClusterIndex,
        /// The broker.
        replica: usize,
        /// Its stop was clean.
        is_clean: bool,
    },
    /// A collision of mapped ids was seen and avoided.
    Salted {
        /// Where.
        site: Site,
        /// The id before.
        original_id: ProducerId,
        /// The id now.
        producer_id: ProducerId,
        /// The salt.
        salt: i64,
    },
    /// Something went wrong.
    Harm(Harm),
}
