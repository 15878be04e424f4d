//! A mirror link of one partition and its states.

use crate::format::number::{LeaderEpoch, Offset};
use crate::simulate::truth::ClusterIndex;

/// Which state machine stops a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// The design document's: remove fetchers, truncate to the last stable offset, persist the last
    /// mirrored offsets, barrier, STOPPED.
    Design,
    /// The prototype's latest: remove fetchers, persist last mirrored epoch and offset, bump the
    /// leader epoch, ABORT open transactions, barrier, STOPPED.
    Latest,
}

/// A state of a mirrored partition (`MirrorPartitionState`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkState {
    /// The destination is cut to what it shares with the source.
    LogAlignment,
    /// The destination's leader epoch is raised above the source's.
    EpochFencing,
    /// The destination is cut to where its epochs agree with the source's.
    UleRecovery,
    /// Batches are fetched; the destination is read-only.
    Mirroring,
    /// Fetchers are being removed for a pause.
    Pausing,
    /// Nothing is fetched; the destination stays read-only.
    Paused,
    /// Fetchers are removed; markers and the barrier are written.
    Stopping,
    /// The destination is writable.
    Stopped,
    /// Something went wrong; the destination stays read-only.
    Failed,
}

impl LinkState {
    /// The name of the constant.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LogAlignment => "LOG_ALIGNMENT",
            Self::EpochFencing => "EPOCH_FENCING",
            Self::UleRecovery => "ULE_RECOVERY",
            Self::Mirroring => "MIRRORING",
            Self::Pausing => "PAUSING",
            Self::Paused => "PAUSED",
            Self::Stopping => "STOPPING",
            Self::Stopped => "STOPPED",
            Self::Failed => "FAILED",
        }
    }
}

/// What a stopped mirror remembers for a failback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastMirrored {
    /// The epoch of the last mirrored batch; -1 for none.
    pub epoch: LeaderEpoch,
    /// The offset behind it.
    pub end: Offset,
}

/// A mirrored partition on its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Where it mirrors from.
    pub source: ClusterIndex,
    /// The state.
    pub state: LinkState,
    /// What is remembered of the last stop.
    pub last_mirrored: Option<LastMirrored>,
}

impl Link {
    /// Clients may not write.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        !matches!(self.state, LinkState::Stopped)
    }
}
