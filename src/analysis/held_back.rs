//! What lies between a log's last stable offset and its end: consumers that read committed data
//! get none of it, whoever wrote it.

use crate::state::batch::Batch;

/// Sizes of a stretch of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeldBack {
    /// Batches, of every kind.
    pub batches: u64,
    /// Records, those of control batches left out.
    pub records: u64,
    /// Bytes of the batches.
    pub bytes: u64,
}

impl HeldBack {
    pub(super) fn add(&mut self, batch: &Batch) {
        self.batches = self.batches.saturating_add(1);
        self.bytes = self.bytes.saturating_add(batch.place.size.into());
        if !batch.is_control {
            let records = u64::try_from(batch.count).unwrap_or(0);
            self.records = self.records.saturating_add(records);
        }
    }
}
