//! The aborted transactions that a log shows, by the segments of their markers: what transaction
//! indexes should say, and how many records stand behind each entry.

use std::collections::{BTreeMap, HashMap};

use crate::analysis::check::checker::{CheckedBatch, Checker, Found};
use crate::format::number::{Offset, ProducerId};
use crate::state::batch::{Batch, Control};
use crate::state::read::{Item, ReadOptions, read_segment, segments};
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::ReadError;
use std::ops::ControlFlow;

/// An aborted transaction with records in this log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort {
    /// Whose it is.
    pub producer_id: ProducerId,
    /// The offset of its first batch here.
    pub first_offset: Offset,
    /// The offset of its marker.
    pub last_offset: Offset,
    /// Its data records.
    pub records: u64,
}

/// Gathers aborted transactions while a log goes by. Memory: 32 bytes each, and an entry for each
/// producer whose transaction is open.
#[derive(Debug, Clone, Default)]
pub struct Aborts {
    by_segment: BTreeMap<Offset, Vec<Abort>>,
    /// First offset and records of what is open.
    open: HashMap<ProducerId, (Offset, u64)>,
}

impl Aborts {
    /// Reads all headers of a log for them.
    ///
    /// # Errors
    /// A file cannot be opened or read, or was changed meanwhile.
    pub fn read(directory: &PartitionDirectory, options: ReadOptions) -> Result<Self, ReadError> {
        let mut found = Self::default();
        for segment in segments(directory) {
            let visit = &mut |item: Item<'_>| {
                if let Item::Batch(batch, control) = item {
                    found.take(batch, control);
                }
                ControlFlow::Continue(())
            };
            read_segment(&segment, options, &mut |_| true, visit)?;
        }
        Ok(found)
    }

    /// Those whose markers lie in the segment that begins at `base`.
    #[must_use]
    pub fn in_segment(&self, base: Offset) -> &[Abort] {
        self.by_segment.get(&base).map_or(&[], Vec::as_slice)
    }

    fn take(&mut self, batch: &Batch, control: Option<&Control>) {
        if batch.producer_id.0 < 0 {
            return;
        }
        if let Some(Control::Marker(marker)) = control {
            let open = self.open.remove(&batch.producer_id);
            if let Some((first_offset, records)) = open.filter(|_| marker.is_abort) {
                let aborted = self.by_segment.entry(batch.place.segment).or_default();
                aborted.push(Abort {
                    producer_id: batch.producer_id,
                    first_offset,
                    last_offset: batch.last_offset,
                    records,
                });
            }
        } else if batch.is_transactional && !batch.is_control {
            let open = self.open.entry(batch.producer_id);
            let (_, records) = open.or_insert((batch.base_offset, 0));
            *records += u64::try_from(batch.count).unwrap_or(0);
        }
    }
}

impl Checker for Aborts {
    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        if checked.is_valid {
            self.take(checked.batch, checked.control);
        }
    }
}
