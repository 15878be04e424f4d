//! Logs of transactions, batch by batch.

use std::fs;
use std::path::Path;

use crate::batches::Batch;

/// When the first batch of a log was written; each offset is a second later.
pub(crate) const START: i64 = 1_700_000_000_000;

/// Batches of one log, one record each.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) bytes: Vec<u8>,
    next_offset: i64,
    /// Milliseconds by which what follows is later.
    shift: i64,
}

impl Log {
    pub(crate) fn at(next_offset: i64) -> Self {
        Self {
            next_offset,
            ..Self::default()
        }
    }

    pub(crate) fn later(self, shift: i64) -> Self {
        Self { shift, ..self }
    }

    fn push(mut self, batch: Batch, key: &[u8], value: &[u8]) -> Self {
        let batch = Batch {
            base_offset: self.next_offset,
            timestamp: START + self.shift + self.next_offset * 1000,
            ..batch
        };
        let batch = batch.record(Some(key), Some(value));
        self.bytes.extend(batch.encode());
        self.next_offset += 1;
        self
    }

    /// A record of a producer's transaction.
    pub(crate) fn data(self, producer_id: i64, producer_epoch: i16) -> Self {
        let batch = Batch {
            attributes: 0x10,
            producer_id,
            producer_epoch,
            base_sequence: i32::try_from(self.next_offset).unwrap(),
            ..Batch::new(0)
        };
        self.push(batch, b"k", b"value")
    }

    /// A record without a producer.
    pub(crate) fn plain(self) -> Self {
        self.push(Batch::new(0), b"k", b"value")
    }

    fn marker(self, producer_id: i64, producer_epoch: i16, kind: u8) -> Self {
        let batch = Batch {
            attributes: 0x30,
            producer_id,
            producer_epoch,
            ..Batch::new(0)
        };
        self.push(batch, &[0, 0, 0, kind], &[0, 0, 0, 0, 0, 7])
    }

    /// A commit with this value.
    pub(crate) fn marker_with(self, producer_id: i64, value: &[u8]) -> Self {
        let batch = Batch {
            attributes: 0x30,
            producer_id,
            producer_epoch: 0,
            ..Batch::new(0)
        };
        self.push(batch, &[0, 0, 0, 1], value)
    }

    /// The end of a transaction, by a coordinator of epoch 7.
    pub(crate) fn abort(self, producer_id: i64, producer_epoch: i16) -> Self {
        self.marker(producer_id, producer_epoch, 0)
    }

    pub(crate) fn commit(self, producer_id: i64, producer_epoch: i16) -> Self {
        self.marker(producer_id, producer_epoch, 1)
    }

    /// MIRROR_PID_RESET without a source cluster.
    pub(crate) fn barrier(self) -> Self {
        let batch = Batch {
            attributes: 0x20,
            ..Batch::new(0)
        };
        self.push(batch, &[0, 0, 0, 7], &[0, 0, 0])
    }

    /// Puts it into a directory as the segment that begins at `base_offset`.
    pub(crate) fn write(&self, directory: &Path, base_offset: i64) {
        fs::create_dir_all(directory).unwrap();
        fs::write(
            directory.join(format!("{base_offset:020}.log")),
            &self.bytes,
        )
        .unwrap();
    }
}

/// A partition of `__transaction_state` with one record: `id`, a producer, its status (0 Empty,
/// 1 Ongoing, 4 CompleteCommit, 6 Dead) and the partitions 0 of some topics.
pub(crate) fn state_partition(id: &str, producer_id: i64, status: u8, topics: &[&str]) -> Vec<u8> {
    state_batch(Batch::new(0), id, producer_id, status, topics)
}

/// That record in a batch.
pub(crate) fn state_batch(
    batch: Batch,
    id: &str,
    producer_id: i64,
    status: u8,
    topics: &[&str],
) -> Vec<u8> {
    let mut key = vec![0, 0, 0, u8::try_from(id.len()).unwrap()];
    key.extend(id.as_bytes());
    let mut value = vec![0, 0];
    value.extend(producer_id.to_be_bytes());
    value.extend([0, 0, 0, 0, 0xea, 0x60, status]);
    value.extend([0, 0, 0, u8::try_from(topics.len()).unwrap()]);
    for topic in topics {
        value.extend([0, u8::try_from(topic.len()).unwrap()]);
        value.extend(topic.as_bytes());
        value.extend([0, 0, 0, 1, 0, 0, 0, 0]);
    }
    value.extend([0; 16]);
    batch.record(Some(&key), Some(&value)).encode()
}
