//! The records of one batch of magic 2 as they come out of its bytes, and why they end early.

use std::io::BufRead;
use std::ops::ControlFlow;

use super::contents::Entry;
use crate::format::batch::Header;
use crate::format::number::{Offset, Sequence, Timestamp};
use crate::format::record::{Record, RecordError, RecordReader, Stored};

/// Why the records of a batch ended early.
pub(super) struct RecordFault {
    /// Bytes of the record section in front of the faulty place.
    pub(super) position: u64,
    /// Records read before.
    pub(super) index: u32,
    pub(super) reason: Reason,
}

pub(super) enum Reason {
    /// The count is below 0.
    Count(i32),
    /// The records end before the count does.
    Missing(u32),
    /// The count ends before the records do: another one follows.
    More,
    /// The count ends before the bytes do, and no record follows.
    Trailing,
    Record(RecordError),
}

pub(super) fn walk_records<R: BufRead>(
    header: Header<'_>,
    reader: &mut RecordReader<R>,
    visit: &mut impl FnMut(&Entry<'_>, &Stored<'_>) -> ControlFlow<()>,
) -> Result<(), RecordFault> {
    let stored = header.count();
    let Ok(count) = u32::try_from(stored) else {
        return Err(RecordFault {
            position: 0,
            index: 0,
            reason: Reason::Count(stored),
        });
    };
    let shared = Shared::of(header);
    for index in 0..count {
        match reader.next_stored() {
            Ok(stored) => {
                if visit(&shared.entry(&stored.record), &stored).is_break() {
                    return Ok(());
                }
            }
            Err(error) => return Err(early_end(reader, index, count, error)),
        }
    }
    match reader.is_at_end() {
        Ok(true) => Ok(()),
        Ok(false) => {
            let position = reader.position();
            let reason = match reader.next_stored() {
                Ok(_) => Reason::More,
                Err(_) => Reason::Trailing,
            };
            Err(RecordFault {
                position,
                index: count,
                reason,
            })
        }
        Err(error) => Err(RecordFault {
            position: reader.position(),
            index: count,
            reason: Reason::Record(error.into()),
        }),
    }
}

#[cold]
fn early_end<R: BufRead>(
    reader: &mut RecordReader<R>,
    index: u32,
    count: u32,
    error: RecordError,
) -> RecordFault {
    let position = reader.position();
    if let RecordError::Malformed(fault) = &error {
        let at = u64::try_from(fault.at).unwrap_or(u64::MAX);
        let ended = fault.field == "recordSize" && reader.is_at_end().unwrap_or(false);
        let reason = if ended {
            Reason::Missing(count)
        } else {
            Reason::Record(error)
        };
        return RecordFault {
            position: position.saturating_add(at),
            index,
            reason,
        };
    }
    RecordFault {
        position,
        index,
        reason: Reason::Record(error),
    }
}

/// What every record of a batch takes from the header, read once.
struct Shared {
    base_offset: Offset,
    base_timestamp: i64,
    append_time: Option<Timestamp>,
    base_sequence: Sequence,
}

impl Shared {
    fn of(header: Header<'_>) -> Self {
        Self {
            base_offset: header.base_offset(),
            base_timestamp: header.base_timestamp().0,
            append_time: header
                .attributes()
                .is_log_append_time()
                .then(|| header.max_timestamp()),
            base_sequence: header.base_sequence(),
        }
    }

    #[inline]
    fn entry<'r>(&self, record: &Record<'r>) -> Entry<'r> {
        let created = self.base_timestamp.wrapping_add(record.timestamp_delta);
        Entry {
            offset: self.base_offset.plus(i64::from(record.offset_delta)),
            timestamp: self.append_time.unwrap_or(Timestamp(created)),
            sequence: match self.base_sequence {
                base if base.0 < 0 => Sequence::NONE,
                base => base.plus(record.offset_delta),
            },
            key: record.key,
            value: record.value,
            headers: record.headers,
            checksum: None,
        }
    }
}
