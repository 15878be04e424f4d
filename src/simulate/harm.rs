//! What can go wrong, and where it did.

use crate::format::number::{Offset, ProducerId};
use crate::simulate::truth::{ClusterIndex, RecordId, WriterIndex};

/// A kind of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HarmKind {
    /// One producer id stands for two writers in one partition, with no barrier between.
    PidCollision,
    /// One writer's batch replaced the producer state of another in silence.
    SilentOverwrite,
    /// The same, and the epoch went back; a broker only warns.
    SilentEpochRegression,
    /// A transaction does not count as its writer ended it.
    TransactionCorruption,
    /// A write was confirmed and is not in the log.
    LostWrite,
    /// A write in order was refused.
    RejectedWrite,
    /// A record is in the log twice.
    DuplicateWrite,
    /// A writer whom nobody replaced was fenced.
    FencedProducer,
    /// The last stable offset waits for a transaction that nobody will end.
    StuckLso,
    /// A writer's producer id in a partition is not what it was.
    IdentityChange,
    /// Replicas of one partition believe different things of the same log.
    ReplicaDivergence,
}

impl HarmKind {
    /// All kinds, in the order in which the contract names them.
    pub const ALL: [Self; 11] = [
        Self::PidCollision,
        Self::SilentOverwrite,
        Self::SilentEpochRegression,
        Self::TransactionCorruption,
        Self::LostWrite,
        Self::RejectedWrite,
        Self::DuplicateWrite,
        Self::FencedProducer,
        Self::StuckLso,
        Self::IdentityChange,
        Self::ReplicaDivergence,
    ];

    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PidCollision => "pid-collision",
            Self::SilentOverwrite => "silent-overwrite",
            Self::SilentEpochRegression => "silent-epoch-regression",
            Self::TransactionCorruption => "transaction-corruption",
            Self::LostWrite => "lost-write",
            Self::RejectedWrite => "rejected-write",
            Self::DuplicateWrite => "duplicate-write",
            Self::FencedProducer => "fenced-producer",
            Self::StuckLso => "stuck-lso",
            Self::IdentityChange => "identity-change",
            Self::ReplicaDivergence => "replica-divergence",
        }
    }
}

/// One harm with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harm {
    /// What.
    pub kind: HarmKind,
    /// Where.
    pub cluster: ClusterIndex,
    /// In which partition.
    pub topic_partition: String,
    /// At which offset; `None` where there is none.
    pub offset: Option<Offset>,
    /// Of which producer id; `None` where there is none.
    pub producer_id: Option<ProducerId>,
    /// The writers that it happened to.
    pub writers: Vec<WriterIndex>,
    /// What happened, in a sentence's words.
    pub detail: String,
    /// The step at which it showed, from 0.
    pub step: usize,
}

/// A confirmed write that a planned failback cut off: no harm of a design, but gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmirrored {
    /// Where it was confirmed and is gone.
    pub cluster: ClusterIndex,
    /// In which partition.
    pub topic_partition: String,
    /// The offset that it had.
    pub offset: Offset,
    /// The record.
    pub record: RecordId,
}

/// The harms of a run, each told once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Harms {
    found: Vec<Harm>,
}

impl Harms {
    /// Notes a harm, unless the same has been told: of this kind, in this partition, of this id
    /// and these writers.
    pub fn add(&mut self, harm: Harm) {
        let is_known = self.found.iter().any(|known| {
            known.kind == harm.kind
                && known.cluster == harm.cluster
                && known.topic_partition == harm.topic_partition
                && known.producer_id == harm.producer_id
                && known.writers == harm.writers
        });
        if !is_known {
            self.found.push(harm);
        }
    }

    /// All of them, in the order in which they showed.
    #[must_use]
    pub fn as_slice(&self) -> &[Harm] {
        &self.found
    }

    /// None so far.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}
