//! Who wrote what, and what became of it in the eyes of the writer: never shown to the producer
//! state under test.

use crate::format::number::Offset;
use std::collections::BTreeSet;
use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    };
}

index! {
    /// A cluster, by its place in the scenario.
    ClusterIndex
}

index! {
    /// A writer, by its place in the scenario: one logical producer.
    WriterIndex
}

index! {
    /// A transaction, by its place in the order in which they began.
    TransactionIndex
}

/// A record, whatever copies of it there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// Who wrote it.
    pub writer: WriterIndex,
    /// How many records the writer had written before.
    pub number: u64,
}

/// What a batch means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// Records of a writer, numbered from the first on.
    Data {
        /// The first record.
        first: RecordId,
        /// How many.
        count: u32,
        /// The transaction that they are part of.
        transaction: Option<TransactionIndex>,
    },
    /// The end of a transaction.
    Marker {
        /// Whose transaction.
        writer: WriterIndex,
        /// Which.
        transaction: TransactionIndex,
        /// Whether it was aborted.
        is_abort: bool,
        /// The mirror wrote it at its stop, not the coordinator.
        by_mirror: bool,
    },
    /// The barrier that a mirror wrote at its stop.
    Barrier,
}

/// The meaning of a batch, the same for each copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// Where it was written first.
    pub origin: ClusterIndex,
    /// What.
    pub wrote: Wrote,
}

impl Truth {
    /// Whose batch it is; a barrier is of nobody.
    #[must_use]
    pub const fn writer(&self) -> Option<WriterIndex> {
        match self.wrote {
            Wrote::Data { first, .. } => Some(first.writer),
            Wrote::Marker { writer, .. } => Some(writer),
            Wrote::Barrier => None,
        }
    }

    /// The records in it.
    pub fn records(&self) -> impl Iterator<Item = RecordId> + use<> {
        let (writer, numbers) = match self.wrote {
            Wrote::Data { first, count, .. } => {
                let end = first.number.saturating_add(u64::from(count));
                (first.writer, first.number..end)
            }
            _ => (WriterIndex(0), 0..0),
        };
        numbers.map(move |number| RecordId { writer, number })
    }
}

/// How a transaction ended where it was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Not yet.
    Open,
    /// With a commit.
    Committed,
    /// With an abort.
    Aborted,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Committed => "committed",
            Self::Aborted => "aborted",
        })
    }
}

/// A transaction as its writer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Whose.
    pub writer: WriterIndex,
    /// The cluster whose coordinator knows it.
    pub cluster: ClusterIndex,
    /// The partitions written to.
    pub partitions: BTreeSet<String>,
    /// How it ended there.
    pub outcome: Outcome,
}

/// A write that a cluster has confirmed to its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// Who confirmed.
    pub cluster: ClusterIndex,
    /// Where.
    pub topic_partition: String,
    /// The first record.
    pub first: RecordId,
    /// How many records.
    pub count: u32,
    /// The offset of the first record that the client was told.
    pub base_offset: Offset,
    /// The step that did it, from 0.
    pub step: usize,
}
