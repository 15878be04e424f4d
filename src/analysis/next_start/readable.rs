//! How many records of a stretch of a file can be read: by the same walk that finds good batches
//! behind damage, where a broker sees none. And whether there is anything that it does not see.

use std::ops::ControlFlow;
use std::path::Path;

use crate::format::batch::MAGIC;
use crate::format::frame::{Frame, PROBE};
use crate::format::number::Offset;
use crate::state::batch::{Batch, Place};
use crate::state::load::Stretch;
use crate::state::read::{Item, SegmentFile, read_source};
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
        Self::within(&stretch.path, stretch.segment, access, |batch| {
            batch.place.position >= stretch.start && batch.place.end() <= stretch.end
        })
    }

    /// Walks over a whole file.
    pub(super) fn in_file(segment: &SegmentFile, access: Access) -> Result<Self, ReadError> {
        Self::within(&segment.path, segment.base_offset, access, |_| true)
    }

    /// The batches with offsets at `end` or above in the first `size` bytes of a segment.
    pub(super) fn above(
        segment: &SegmentFile,
        size: u64,
        end: Offset,
        access: Access,
    ) -> Result<Self, ReadError> {
        Self::within(&segment.path, segment.base_offset, access, |batch| {
            batch.place.position < size && batch.base_offset >= end
        })
    }

    /// The good batches of a file that begins at `base` of which `counts` says so.
    fn within(
        path: &Path,
        base: Offset,
        access: Access,
        counts: impl Fn(&Batch) -> bool,
    ) -> Result<Self, ReadError> {
        let mut found = Self::default();
        good_batches(path, base, access, |batch, records| {
            if counts(batch) {
                found.add(batch, records);
            }
        })?;
        Ok(found)
    }

    /// Walks over the first `size` bytes of the last segment of a log that ends at `end` for its
    /// broker: the batches with offsets at `end` or above that the segment ends with. The last one
    /// may be below them all, as the one that the log ends with: then they count if they go on from
    /// what is in front. An offset far too high in front of good ones is no end.
    pub(super) fn behind(
        segment: &SegmentFile,
        size: u64,
        end: Offset,
        access: Access,
    ) -> Result<Self, ReadError> {
        let (mut run, mut before) = (Self::default(), Self::default());
        let (mut is_above, mut goes_on, mut next) = (true, true, None);
        good_batches(
            &segment.path,
            segment.base_offset,
            access,
            |batch, records| {
                if batch.place.position >= size {
                    return;
                }
                is_above = batch.base_offset >= end;
                match is_above {
                    true => {
                        if run.first.is_none() {
                            goes_on = next.is_none_or(|next| next == batch.base_offset);
                        }
                        run.add(batch, records);
                    }
                    // Nothing of the segment is reached: the whole of it counts.
                    false if end <= segment.base_offset => is_above = true,
                    false => before = std::mem::take(&mut run),
                }
                next = Some(batch.next_offset());
            },
        )?;
        Ok(match is_above {
            true => run,
            false if goes_on => before,
            false => Self::default(),
        })
    }

    fn add(&mut self, batch: &Batch, records: u64) {
        self.first = self.first.or(Some(batch.base_offset));
        self.records += records;
    }

    /// Both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            records: self.records + other.records,
            first: match (self.first, other.first) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

/// The offset of the batch that begins at `position`, or that one should begin with where damage
/// does; `None` inside a batch or a stretch of damage.
pub(super) fn offset_at(
    segment: &SegmentFile,
    position: u64,
    access: Access,
) -> Result<Option<Offset>, ReadError> {
    let (mut next, mut found) = (segment.base_offset, None);
    let mut visit = |item: Item<'_>| {
        let (begin, offset) = match item {
            Item::Batch(batch, _) => (batch.place.position, batch.base_offset),
            Item::Damage(damage) => (damage.position, next),
        };
        if let Item::Batch(batch, _) = item {
            next = batch.next_offset();
        }
        if begin == position {
            found = Some(offset).filter(|offset| offset.0 >= 0);
        }
        match begin < position {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let source = Source::open(&segment.path, access)?;
    read_source(
        &source,
        segment.base_offset,
        false,
        &mut |_| false,
        &mut visit,
    )?;
    source.check()?;
    Ok(found)
}

/// Whether the checksum of a batch is wrong: its length may be so too, and hide what follows.
pub(super) fn is_damaged(
    segment: &SegmentFile,
    place: Place,
    access: Access,
) -> Result<bool, ReadError> {
    let source = Source::open(&segment.path, access)?;
    let Some(probe) = source.window().probe::<PROBE>(place.position)? else {
        return Ok(true);
    };
    let span = Span {
        position: place.position,
        size: place.size,
        magic: Frame::decode(&probe).magic,
    };
    if span.magic > MAGIC {
        return Ok(true);
    }
    let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
    let checksum = reader.load(span)?.checksum()?;
    Ok(!checksum.is_valid())
}

/// The good batches of a file that begins at `base`, with the number of their data records.
fn good_batches(
    path: &Path,
    base: Offset,
    access: Access,
    mut take: impl FnMut(&Batch, u64),
) -> Result<(), ReadError> {
    let source = Source::open(path, access)?;
    let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
    let mut failed = Ok(());
    let mut visit = |item: Item<'_>| {
        let Item::Batch(batch, _) = item else {
            return ControlFlow::Continue(());
        };
        let records = match batch.magic >= MAGIC {
            true if batch.is_control => Ok(0),
            true => Ok(u64::try_from(batch.count).unwrap_or(0)),
            false => messages(&mut reader, batch),
        };
        match records {
            Ok(records) => {
                take(batch, records);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        }
    };
    read_source(&source, base, true, &mut |_| false, &mut visit)?;
    failed?;
    source.check()
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
