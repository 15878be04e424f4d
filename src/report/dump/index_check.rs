//! Index entries held against the log they speak of (`DumpLogSegments.dumpIndex`,
//! `dumpTimeIndex`).
//!
//! The stock tool collects the rest of the log for each time index entry; here the log is walked
//! once into a table of batches, and an entry costs a search in it.

use std::ops::ControlFlow;

use super::view::AnyHeader;
use crate::format::batch::HEADER_SIZE;
use crate::format::frame::{Frame, PROBE};
use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::{self, OffsetIndex, OffsetIndexEntry};
use crate::format::time_index::{self, TimeIndex, TimeIndexEntry};
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source, Window};

/// An index entry that the log does not bear out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// The entry's place in the index, from 0.
    pub number: usize,
    /// What is wrong.
    pub kind: MismatchKind,
}

/// What is wrong with an index entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MismatchKind {
    /// The batch at the entry's position ends with another offset; `None`: there is no batch.
    Offset {
        /// The entry.
        indexed: OffsetIndexEntry,
        /// Last offset of the batch found there.
        found: Option<Offset>,
    },
    /// The batch that ends with the entry's offset has another greatest timestamp.
    Timestamp {
        /// The entry.
        indexed: TimeIndexEntry,
        /// The greatest timestamp of the batch's records; -1 when it has none.
        found: Timestamp,
    },
    /// The entry's timestamp is not above the one before.
    OutOfOrder {
        /// The entry.
        indexed: TimeIndexEntry,
        /// The timestamp before.
        before: Timestamp,
    },
    /// No batch ends with the entry's offset; `None`: none reaches it.
    NotFound {
        /// The entry.
        indexed: TimeIndexEntry,
        /// Last offset of the first batch that reaches it.
        found: Option<Offset>,
    },
}

/// Checks the entries of an offset index up to its padding.
///
/// # Errors
/// A read of the log that failed.
pub fn offset_index(
    index: &OffsetIndex<'_>,
    log: &Source,
    max_message_size: u64,
) -> Result<Vec<Mismatch>, ReadError> {
    let mut window = log.window();
    let mut mismatches = Vec::new();
    for (number, indexed) in index.before_padding().enumerate() {
        // An index that a broker has made and not yet written to is all zeros; a real entry never
        // points to the first batch.
        if indexed.offset == index.base_offset() && indexed.position == 0 {
            continue;
        }
        let found = batch_at(&mut window, indexed.position)?
            .filter(|(span, _)| u64::from(span.size) <= max_message_size)
            .map(|(span, head)| AnyHeader::of(span, &head).offsets().1);
        if found != Some(indexed.offset) {
            mismatches.push(Mismatch {
                number,
                kind: MismatchKind::Offset { indexed, found },
            });
        }
    }
    Ok(mismatches)
}

/// The record set that frames at a position, with its first bytes.
fn batch_at(
    window: &mut Window<'_>,
    position: i32,
) -> Result<Option<(Span, [u8; HEADER_SIZE])>, ReadError> {
    let Ok(position) = u64::try_from(position) else {
        return Ok(None);
    };
    let left = window.source().len().saturating_sub(position);
    let bytes = window.bytes(position, HEADER_SIZE)?;
    let Some(frame) = bytes.first_chunk::<PROBE>().map(Frame::decode) else {
        return Ok(None);
    };
    let Some(size) = frame.size().filter(|size| *size <= left) else {
        return Ok(None);
    };
    let mut head = [0; HEADER_SIZE];
    head.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    Ok(Some((
        Span {
            position,
            size,
            magic: frame.magic,
        },
        head,
    )))
}

/// Checks the entries of a time index up to its padding. Without an offset index the search for
/// an entry's batch begins at the front of the log, which finds the same in a sound log.
///
/// # Errors
/// A read of the log that failed.
pub fn time_index(
    index: &TimeIndex<'_>,
    offsets: Option<&OffsetIndex<'_>>,
    log: &Source,
    max_record_bytes: u64,
) -> Result<Vec<Mismatch>, ReadError> {
    let table = BatchTable::of(log)?;
    let mut reader = BatchReader::new(log, max_record_bytes);
    let mut mismatches = Vec::new();
    let mut before = Timestamp::NONE;
    // Many entries may point to one batch: it is decoded once.
    let mut decoded: Option<(Span, Timestamp)> = None;
    for (number, indexed) in index.before_padding().enumerate() {
        if indexed.offset == index.base_offset() && indexed.timestamp == Timestamp(0) {
            continue;
        }
        let mut note = |kind| mismatches.push(Mismatch { number, kind });
        let start = offsets.map_or(0, |offsets| offsets.lookup(indexed.offset).position);
        match table.first_reaching(start, indexed.offset) {
            Some((span, last)) if last == indexed.offset => {
                let found = match decoded {
                    Some((known, greatest)) if known == span => greatest,
                    _ => greatest_timestamp(&mut reader, span)?,
                };
                decoded = Some((span, found));
                if found != indexed.timestamp {
                    note(MismatchKind::Timestamp { indexed, found });
                }
                if before >= indexed.timestamp {
                    note(MismatchKind::OutOfOrder { indexed, before });
                }
            }
            other => {
                let found = other.map(|(_, last)| last);
                note(MismatchKind::NotFound { indexed, found });
            }
        }
        before = indexed.timestamp;
    }
    Ok(mismatches)
}

fn greatest_timestamp(reader: &mut BatchReader<'_>, span: Span) -> Result<Timestamp, ReadError> {
    let mut greatest = Timestamp::NONE;
    // A fault among the records is the log's, and a dump of the log tells it.
    reader.load(span)?.entries(&mut |entry| {
        greatest = greatest.max(entry.timestamp);
        ControlFlow::Continue(())
    })?;
    Ok(greatest)
}

/// Where each record set of a log lies and the offset it ends with.
struct BatchTable {
    spans: Vec<Span>,
    last: Vec<Offset>,
    /// The greatest last offset so far: rises even where the log's offsets do not.
    reached: Vec<Offset>,
}

impl BatchTable {
    fn of(log: &Source) -> Result<Self, ReadError> {
        let mut table = Self {
            spans: Vec::new(),
            last: Vec::new(),
            reached: Vec::new(),
        };
        let mut walk = Walk::new(log);
        while let Some(piece) = walk.next_piece()? {
            if let Piece::Batch(span) = piece {
                let last = AnyHeader::of(span, &walk.head(span)?).offsets().1;
                table.spans.push(span);
                table.last.push(last);
                table.reached.push(
                    table
                        .reached
                        .last()
                        .map_or(last, |reached| last.max(*reached)),
                );
            }
        }
        Ok(table)
    }

    /// The first record set from `position` on that reaches `offset`.
    fn first_reaching(&self, position: i32, offset: Offset) -> Option<(Span, Offset)> {
        let position = u64::try_from(position).unwrap_or(0);
        let from = self.spans.partition_point(|span| span.position < position);
        let reaching = self.reached.partition_point(|reached| *reached < offset);
        let found = from.max(reaching);
        Some((*self.spans.get(found)?, *self.last.get(found)?))
    }
}

impl Mismatch {
    /// The mismatch as damage of the index file.
    #[must_use]
    pub fn damage(&self) -> Damage {
        let (code, entry_size, message) = match self.kind {
            MismatchKind::Offset { indexed, found } => (
                Code::IndexMismatch,
                offset_index::ENTRY_SIZE,
                format!(
                    "expected the batch at position {} of the log to end with offset {}, found {}",
                    indexed.position,
                    indexed.offset,
                    or_none(found)
                ),
            ),
            MismatchKind::Timestamp { indexed, found } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected the batch that ends with offset {} to have the greatest timestamp \
                     {}, found {found}",
                    indexed.offset, indexed.timestamp
                ),
            ),
            MismatchKind::OutOfOrder { indexed, before } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected a timestamp above {before}, found {}",
                    indexed.timestamp
                ),
            ),
            MismatchKind::NotFound { indexed, found } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected a batch that ends with offset {}, found {}",
                    indexed.offset,
                    or_none(found)
                ),
            ),
        };
        let position = self.number.saturating_mul(entry_size) as u64;
        Damage {
            position,
            size: 0,
            code,
            message,
        }
    }
}

fn or_none(found: Option<Offset>) -> String {
    found.map_or_else(|| "none".to_owned(), |offset| offset.to_string())
}

/// The lines that the stock tool prints on stderr when all files are done.
#[must_use]
pub fn stock_report(path: &str, mismatches: &[Mismatch]) -> String {
    let mut report = String::new();
    let offset_of = |found: Option<Offset>| found.map_or(-1, |offset| offset.0);
    let mut section = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            report += &format!("{title}{path}\n{}", lines.concat());
        }
    };
    // A tree map in reverse order: the greatest offset first.
    section("Mismatches in :".to_owned(), {
        let mut lines: Vec<_> = lines_of(mismatches, |kind| match kind {
            MismatchKind::Offset { indexed, found } => {
                let (indexed, found) = (indexed.offset, offset_of(found));
                Some(format!("  Index offset: {indexed}, log offset: {found}\n"))
            }
            _ => None,
        });
        lines.reverse();
        lines
    });
    section(
        "Found timestamp mismatch in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::Timestamp { indexed, found } => Some(format!(
                "  Index timestamp: {}, log timestamp: {found}\n",
                indexed.timestamp
            )),
            _ => None,
        }),
    );
    section(
        "Found out of order timestamp in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::OutOfOrder { indexed, before } => Some(format!(
                "  Index timestamp: {}, Previously indexed timestamp: {before}\n",
                indexed.timestamp
            )),
            _ => None,
        }),
    );
    section(
        "The following indexed offsets are not found in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::NotFound { indexed, found } => Some(format!(
                "Indexed offset: {}, found log offset: {}\n",
                indexed.offset,
                offset_of(found)
            )),
            _ => None,
        }),
    );
    report
}

fn lines_of(mismatches: &[Mismatch], line: impl Fn(MismatchKind) -> Option<String>) -> Vec<String> {
    mismatches
        .iter()
        .filter_map(|mismatch| line(mismatch.kind))
        .collect()
}
