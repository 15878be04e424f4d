//! How many records of a stretch of a file can be read: by the same walk that finds good batches
//! behind damage, where a broker sees none.

use std::ops::ControlFlow;

use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::state::batch::Batch;
use crate::state::load::Stretch;
use crate::state::read::{Item, read_source};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::segment::walk::Span;
use crate::storage::source::{Access, ReadError, Source};

/// What can be read of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Readable {
    /// Records, those of control batches left out.
    pub(super) records: u64,
    /// The base offset of the first good batch.
    pub(super) first: Option<Offset>,
}

impl Readable {
    /// Walks over a stretch, checksums compared.
    pub(super) fn of(stretch: &Stretch, access: Access) -> Result<Self, ReadError> {
        let source = Source::open(&stretch.path, access)?;
        let mut batches = Vec::new();
        let mut found = Self::default();
        let mut visit = |item: Item<'_>| {
            if let Item::Batch(batch, _) = item
                && batch.place.position >= stretch.start
                && batch.place.end() <= stretch.end
            {
                found.first = found.first.or(Some(batch.base_offset));
                match batch.magic >= MAGIC {
                    true if batch.is_control => {}
                    true => found.records += u64::try_from(batch.count).unwrap_or(0),
                    false => batches.push(*batch),
                }
            }
            ControlFlow::Continue(())
        };
        read_source(&source, stretch.segment, true, &mut |_| false, &mut visit)?;
        let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
        for batch in &batches {
            found.records += messages(&mut reader, batch)?;
        }
        source.check()?;
        Ok(found)
    }
}

/// The messages in a batch of an old format.
fn messages(reader: &mut BatchReader<'_>, batch: &Batch) -> Result<u64, ReadError> {
    let span = Span {
        position: batch.place.position,
        size: batch.place.size,
        magic: batch.magic,
    };
    let mut count = 0;
    let _fault = reader.load(span)?.entries(&mut |_| {
        count += 1;
        ControlFlow::Continue(())
    })?;
    Ok(count)
}
