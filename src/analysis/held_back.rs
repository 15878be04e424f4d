//! What lies between a log's last stable offset and its end: consumers that read committed data
//! get none of it, whoever wrote it.

use std::ops::ControlFlow;

use crate::format::number::Offset;
use crate::state::batch::Batch;
use crate::state::read::{Item, ReadOptions, SegmentFile, read_segment, read_source};
use crate::storage::source::{ReadError, Source};

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
    fn add(&mut self, batch: &Batch) {
        self.batches = self.batches.saturating_add(1);
        self.bytes = self.bytes.saturating_add(batch.place.size.into());
        if !batch.is_control {
            let records = u64::try_from(batch.count).unwrap_or(0);
            self.records = self.records.saturating_add(records);
        }
    }

    /// Adds up the batches of segments that hold `from` or lie behind it.
    ///
    /// # Errors
    /// A file cannot be opened or read, or was changed meanwhile.
    pub fn in_segments(
        segments: &[SegmentFile],
        from: Offset,
        options: ReadOptions,
    ) -> Result<Self, ReadError> {
        let mut held = Self::default();
        let first = segments
            .iter()
            .rposition(|segment| segment.base_offset <= from);
        for segment in segments.iter().skip(first.unwrap_or(0)) {
            let visit = &mut |item: Item<'_>| held.visit(from, &item);
            read_segment(segment, options, &mut |_| false, visit)?;
        }
        Ok(held)
    }

    /// The same of a file that is open.
    ///
    /// # Errors
    /// A read that failed.
    pub fn in_source(source: &Source, from: Offset, check_crc: bool) -> Result<Self, ReadError> {
        let mut held = Self::default();
        let visit = &mut |item: Item<'_>| held.visit(from, &item);
        read_source(source, Offset(0), check_crc, &mut |_| false, visit)?;
        source.check()?;
        Ok(held)
    }

    fn visit(&mut self, from: Offset, item: &Item<'_>) -> ControlFlow<()> {
        match item {
            Item::Batch(batch, _) if batch.last_offset >= from => self.add(batch),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
