//! The offset and time index of a segment as a recovery builds them (`LogSegment.recover`): what
//! is due in front of each batch, and where Kafka refuses.

use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::OffsetIndexEntry;
use crate::format::time_index::TimeIndexEntry;

/// Offsets that do not rise: Kafka throws an `InvalidOffsetException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidOffset;

/// What the indexes get in front of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The entry of the offset index.
    pub offset: OffsetIndexEntry,
    /// The entry of the time index, where the greatest timestamp has risen.
    pub time: Option<TimeIndexEntry>,
}

/// Indexes that grow with the batches of their segment.
#[derive(Debug, Clone)]
pub struct IndexBuild {
    interval: u64,
    last: Option<Offset>,
    last_at: u64,
    /// The greatest timestamp so far and the offset of its batch.
    greatest: TimeIndexEntry,
    last_time: Option<TimeIndexEntry>,
}

impl IndexBuild {
    /// Those of a segment that begins at `base`; `interval` is `index.interval.bytes`, in bytes.
    #[must_use]
    pub const fn new(base: Offset, interval: u64) -> Self {
        Self {
            interval,
            last: None,
            last_at: 0,
            greatest: TimeIndexEntry {
                timestamp: Timestamp(-1),
                offset: base,
            },
            last_time: None,
        }
    }

    /// Takes a batch that begins `position` bytes behind the segment's start; gives the entries
    /// that are due in front of it.
    ///
    /// # Errors
    /// Offsets that no index takes.
    pub fn batch(
        &mut self,
        position: u64,
        last_offset: Offset,
        max_timestamp: Timestamp,
    ) -> Result<Option<Due>, InvalidOffset> {
        if max_timestamp > self.greatest.timestamp {
            self.greatest = TimeIndexEntry {
                timestamp: max_timestamp,
                offset: last_offset,
            };
        }
        if position.saturating_sub(self.last_at) <= self.interval {
            return Ok(None);
        }
        if self.last.is_some_and(|last| last_offset <= last) {
            return Err(InvalidOffset);
        }
        let time = self.end()?;
        self.last = Some(last_offset);
        self.last_at = position;
        let offset = OffsetIndexEntry {
            offset: last_offset,
            position: i32::try_from(position).unwrap_or(i32::MAX),
        };
        Ok(Some(Due { offset, time }))
    }

    /// The segment has ended: the last entry of the time index, where the greatest timestamp has
    /// risen (`TimeIndex.maybeAppend`, which refuses an offset below the last one).
    ///
    /// # Errors
    /// Offsets that no index takes.
    pub fn end(&mut self) -> Result<Option<TimeIndexEntry>, InvalidOffset> {
        let last = self.last_time;
        if last.is_some_and(|last| self.greatest.offset < last.offset) {
            return Err(InvalidOffset);
        }
        let before = last.map_or(Timestamp(-1), |last| last.timestamp);
        if self.greatest.timestamp <= before {
            return Ok(None);
        }
        self.last_time = Some(self.greatest);
        Ok(self.last_time)
    }
}
