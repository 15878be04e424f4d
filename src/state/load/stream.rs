//! A segment's batches as a broker iterates over them (`FileLogInputStream`): by their sizes alone,
//! ending without a word where the last one is not all there.
//!
//! Unlike a walk it never looks for the next batch behind damage: what a broker makes of damage is
//! the question here.

use super::stop::{Halt, Stop};
use crate::format::batch::{HEADER_SIZE, MAGIC};
use crate::format::frame::{Frame, LEAST_LENGTH_V0, OVERHEAD, PROBE};
use crate::format::number::Offset;
use crate::state::batch::{Batch, Place};
use crate::storage::segment::walk::Span;
use crate::storage::source::{Source, Window};

/// Batches of [`Stream::new`]'s range, one after the other.
pub(super) struct Stream<'s> {
    window: Window<'s>,
    segment: Offset,
    position: u64,
    end: u64,
    /// The magic of the last batch as it stands in the file.
    pub(super) magic: u8,
}

/// Bytes of a frame, as a file counts them.
const PROBE_BYTES: u64 = 17;
const _: () = assert!(PROBE == 17);

impl<'s> Stream<'s> {
    /// Iterates from `position` up to `end`, bytes from the start of the file.
    pub(super) fn new(source: &'s Source, segment: Offset, position: u64, end: u64) -> Self {
        Self {
            window: source.window(),
            segment,
            position,
            end,
            magic: MAGIC,
        }
    }

    /// The next batch, as a broker sees its header; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, Halt> {
        let position = self.position;
        if position.saturating_add(PROBE_BYTES) >= self.end {
            return Ok(None);
        }
        let Some(probe) = self.window.probe::<PROBE>(position)? else {
            return Ok(None);
        };
        let frame = Frame::decode(&probe);
        let least = i64::from(LEAST_LENGTH_V0);
        let Ok(length) = u32::try_from(frame.length) else {
            return Err(self.too_small(frame.length));
        };
        if i64::from(length) < least {
            return Err(self.too_small(frame.length));
        }
        let size = u64::from(length).saturating_add(OVERHEAD);
        if position.saturating_add(size) > self.end {
            return Ok(None);
        }
        let mut head = [0; HEADER_SIZE];
        // Java compares the magic as a signed byte.
        let is_legacy = frame.magic.cast_signed() < MAGIC.cast_signed();
        let bytes = self.window.bytes(position, HEADER_SIZE)?;
        if bytes.len() < HEADER_SIZE && !is_legacy {
            return Err(self.stop(
                "KafkaException",
                format!("Failed to load record batch at position {position} from FileRecords"),
            ));
        }
        head.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        self.position = position.saturating_add(size);
        self.magic = frame.magic;
        let place = Place {
            segment: self.segment,
            position,
            size: u32::try_from(size).unwrap_or(u32::MAX),
        };
        let mut batch = Batch::new(&head, place);
        batch.magic = if is_legacy { 0 } else { MAGIC };
        Ok(Some(batch))
    }

    #[cold]
    fn too_small(&self, found: i32) -> Halt {
        let path = self.window.source().path().display();
        let message = format!(
            "Found record size {found} smaller than minimum record overhead (14) in file {path}."
        );
        self.stop("CorruptRecordException", message)
    }

    fn stop(&self, class: &'static str, message: String) -> Halt {
        Halt::Stop(Stop {
            class,
            message,
            segment: Some(self.segment),
            position: Some(self.position),
        })
    }
}

/// The place of a batch for the reader of its records.
pub(super) fn span(batch: &Batch) -> Span {
    Span {
        position: batch.place.position,
        size: batch.place.size,
        magic: batch.magic,
    }
}
