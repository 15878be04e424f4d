//! What a stock 4.4.0 broker will do with a partition when it next starts.

use crate::format::number::Offset;

/// What the start does, the worst of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Nothing is cut and nothing is read again.
    CleanLoad,
    /// Segments are read again, and nothing is lost.
    Recovers,
    /// Records of aborted transactions become visible to consumers that read committed data.
    HidesAborts,
    /// What is known of producers is lost.
    LosesProducerState,
    /// A segment is cut.
    Truncates,
    /// Whole segments are deleted.
    DeletesSegments,
    /// The process ends.
    BrokerFails,
}

impl Action {
    /// The spelling in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CleanLoad => "clean-load",
            Self::Recovers => "recovers",
            Self::HidesAborts => "hides-aborts",
            Self::LosesProducerState => "loses-producer-state",
            Self::Truncates => "truncates",
            Self::DeletesSegments => "deletes-segments",
            Self::BrokerFails => "broker-fails",
        }
    }
}

/// The next start of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStart {
    /// The partition as `topic-0`, or its directory's name.
    pub topic_partition: String,
    /// What happens.
    pub action: Action,
    /// Where: the first offset that is lost, the one from which the log is read again, or that of
    /// the batch at which the process ends.
    pub offset: Option<Offset>,
    /// How many records are lost that are there now and can be read.
    pub records_lost: u64,
    /// Why, and what else happens, in words.
    pub reason: String,
}
