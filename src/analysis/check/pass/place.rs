//! A batch that lies at another offset than it says: no checksum covers that field, so a bit that
//! flipped there shows in the batches around it alone.

use super::Pass;
use super::run::Reading;
use crate::format::batch::{HEADER_SIZE, Header, MAGIC};
use crate::format::frame::OVERHEAD;
use crate::state::batch::{Batch, Place};
use crate::storage::segment::walk::Span;
use crate::storage::source::ReadError;

impl Pass<'_, '_> {
    /// The batch at the offset that both its neighbours leave to it; behind the last one of a log
    /// the name of a file stands for one. Where that is another offset than it says, the batch is
    /// told, and whoever looks for something is shown the log as it was: leader epochs, snapshots
    /// and indexes that fit that one are not wrong.
    pub(super) fn placed(
        &mut self,
        batch: &Batch,
        span: Span,
        reading: &mut Reading<'_>,
    ) -> Result<Batch, ReadError> {
        if self.neighbours.is_continued_by(batch) {
            return Ok(*batch);
        }
        let placed = match behind(span, reading)? {
            Some(behind) => self.neighbours.placed(batch, &behind),
            None if span.end() == reading.source.len() => {
                let next = self.look.producers.behind(reading.segment.base_offset);
                self.neighbours.placed_last(batch, next)
            }
            None => None,
        };
        let Some((placed, finding)) = placed else {
            return Ok(*batch);
        };
        self.look.ledger.add(finding);
        Ok(placed)
    }
}

/// What the batch that follows at once says of itself, if one does.
fn behind(span: Span, reading: &mut Reading<'_>) -> Result<Option<Batch>, ReadError> {
    let position = span.end();
    let left = reading.source.len().saturating_sub(position);
    let at = |size| Span {
        position,
        size,
        magic: MAGIC,
    };
    let Ok(whole) = u32::try_from(HEADER_SIZE) else {
        return Ok(None);
    };
    if left < u64::from(whole) {
        return Ok(None);
    }
    let head = reading.inside.head(at(whole))?;
    let header = Header::new(&head);
    let size = i64::from(header.batch_length()).saturating_add(OVERHEAD.cast_signed());
    let fits = |size: &u32| *size >= whole && u64::from(*size) <= left;
    let size = u32::try_from(size).ok().filter(fits);
    let size = size.filter(|_| header.magic() == MAGIC);
    Ok(size.map(|size| {
        let place = Place {
            segment: reading.segment.base_offset,
            position,
            size,
        };
        Batch::new(&head, place)
    }))
}
