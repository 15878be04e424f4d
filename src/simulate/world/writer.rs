//! A writer as its application sees it.

use crate::format::number::{ProducerEpoch, ProducerId, Sequence, Timestamp};
use crate::simulate::scenario::{WriterKind, WriterSpec};
use crate::simulate::stored::Numbered;
use crate::simulate::truth::{ClusterIndex, RecordId, TransactionIndex};
use std::collections::BTreeMap;

/// The id that a writer was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Producer {
    /// The id.
    pub id: ProducerId,
    /// Its epoch now.
    pub epoch: ProducerEpoch,
}

/// A batch that a writer has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Its header's numbers.
    pub numbered: Numbered,
    /// Its first record.
    pub first: RecordId,
    /// How many.
    pub count: u32,
    /// The transaction that it is part of.
    pub transaction: Option<TransactionIndex>,
    /// The time of its records: when it was made, however often it is sent.
    pub timestamp: Timestamp,
}

/// A writer.
#[derive(Debug, Clone)]
pub struct Writer {
    /// Its name.
    pub name: String,
    /// The cluster that gives it its id.
    pub home: ClusterIndex,
    /// What kind of producer.
    pub kind: WriterKind,
    /// The version of its transactions.
    pub transaction_version: i16,
    /// Where its sequences begin.
    pub first_sequence: Sequence,
    /// Its id, once it has one.
    pub producer: Option<Producer>,
    /// The next sequence, by partition.
    pub sequences: BTreeMap<String, Sequence>,
    /// How many records it has written.
    pub written: u64,
    /// Its open transaction.
    pub open: Option<TransactionIndex>,
    /// The last batch, by partition.
    pub last_sent: BTreeMap<String, Sent>,
}

impl Writer {
    /// A writer that has written nothing.
    #[must_use]
    pub fn new(spec: &WriterSpec, home: ClusterIndex) -> Self {
        Self {
            name: spec.name.clone(),
            home,
            kind: spec.kind,
            transaction_version: spec.transaction_version,
            first_sequence: Sequence(spec.first_sequence),
            producer: None,
            sequences: BTreeMap::new(),
            written: 0,
            open: None,
            last_sent: BTreeMap::new(),
        }
    }

    /// The next epoch would be the last that there is, which no producer gets
    /// (`TransactionMetadata.isEpochExhausted`).
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let epoch = self.producer.map_or(0, |producer| producer.epoch.0);
        epoch >= i16::MAX.saturating_sub(1)
    }

    /// The next epoch: sequences begin again.
    pub fn bump(&mut self) {
        if let Some(producer) = &mut self.producer {
            producer.epoch = ProducerEpoch(producer.epoch.0.saturating_add(1));
        }
        self.first_sequence = Sequence(0);
        self.sequences.clear();
        self.last_sent.clear();
    }
}
