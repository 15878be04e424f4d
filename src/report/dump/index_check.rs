//! Index entries held against the log they speak of (`DumpLogSegments.dumpIndex`,
//! `dumpTimeIndex`).
//!
//! The stock tool collects the rest of the log for each time index entry; here the log is walked
//! once for many entries. Memory grows with neither the log nor the index.

use std::ops::ControlFlow;

use super::mismatch::{Mismatch, MismatchKind};
use super::output::Refused;
use super::view::AnyHeader;
use crate::format::batch::{self, HEADER_SIZE};
use crate::format::frame::{Frame, PROBE};
use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::{OffsetIndex, OffsetIndexEntry};
use crate::format::time_index::TimeIndexEntry;
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source, Window};

/// Checks the entries of an offset index.
pub(super) struct OffsetCheck<'s> {
    window: Window<'s>,
    base_offset: Offset,
    max_message_size: u64,
}

impl<'s> OffsetCheck<'s> {
    /// Entries are held against `log`; a batch above `max_message_size` bytes counts as none.
    pub(super) fn new(log: &'s Source, base_offset: Offset, max_message_size: u64) -> Self {
        Self {
            window: log.window(),
            base_offset,
            max_message_size,
        }
    }

    /// What is wrong with an entry.
    pub(super) fn entry(
        &mut self,
        indexed: OffsetIndexEntry,
    ) -> Result<Option<MismatchKind>, ReadError> {
        // An index that a broker has made and not yet written to is all zeros; a real entry never
        // points to the first batch.
        if indexed.offset == self.base_offset && indexed.position == 0 {
            return Ok(None);
        }
        let found = batch_at(&mut self.window, indexed.position)?
            .filter(|(span, _)| u64::from(span.size) <= self.max_message_size)
            .map(|(span, head)| AnyHeader::of(span, &head).offsets().1);
        let is_right = found == Some(indexed.offset);
        Ok((!is_right).then_some(MismatchKind::Offset { indexed, found }))
    }
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

/// Checks the entries of a time index, many at a time, in the order of the file.
pub(super) struct TimeCheck<'s> {
    log: &'s Source,
    offsets: Option<OffsetIndex<Window<'s>>>,
    base_offset: Offset,
    reader: BatchReader<'s>,
    /// Entries checked before.
    number: usize,
    /// The timestamp of the last of them.
    before: Timestamp,
    /// Many entries may point to one batch: it is decoded once.
    decoded: Option<(Span, Timestamp)>,
}

impl<'s> TimeCheck<'s> {
    /// Entries are held against `log`. Without an offset index the search for an entry's batch
    /// begins at the front of the log, which finds the same in a sound log.
    pub(super) fn new(
        log: &'s Source,
        offsets: Option<&'s Source>,
        base_offset: Offset,
        max_record_bytes: u64,
    ) -> Self {
        Self {
            log,
            offsets: offsets.map(|source| OffsetIndex::new(source.window(), base_offset)),
            base_offset,
            reader: BatchReader::new(log, max_record_bytes),
            number: 0,
            before: Timestamp::NONE,
            decoded: None,
        }
    }

    /// Checks the next entries.
    pub(super) fn entries(
        &mut self,
        lot: &[TimeIndexEntry],
        tell: &mut dyn FnMut(Mismatch) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut wanted = Vec::with_capacity(lot.len());
        for entry in lot {
            let start = match &mut self.offsets {
                Some(offsets) => offsets.lookup(entry.offset)?.position,
                None => 0,
            };
            wanted.push((u64::try_from(start).unwrap_or(0), entry.offset));
        }
        for (indexed, found) in lot.iter().zip(first_reaching(self.log, &wanted)?) {
            for kind in self.entry(*indexed, found)?.into_iter().flatten() {
                let number = self.number;
                tell(Mismatch { number, kind })?;
            }
            self.number += 1;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        indexed: TimeIndexEntry,
        found: Option<Ended>,
    ) -> Result<[Option<MismatchKind>; 2], ReadError> {
        // As zero padding reads, where it is the first entry.
        if indexed.offset == self.base_offset && indexed.timestamp == Timestamp(0) {
            return Ok([None; 2]);
        }
        let before = std::mem::replace(&mut self.before, indexed.timestamp);
        let span = match found {
            Some(Ended { span, last }) if last == indexed.offset => span,
            other => {
                let found = other.map(|Ended { last, .. }| last);
                return Ok([Some(MismatchKind::NotFound { indexed, found }), None]);
            }
        };
        let found = match self.decoded {
            Some((known, greatest)) if known == span => greatest,
            _ => greatest_timestamp(&mut self.reader, span)?,
        };
        self.decoded = Some((span, found));
        let is_other = found != indexed.timestamp;
        let is_early = before >= indexed.timestamp;
        Ok([
            is_other.then_some(MismatchKind::Timestamp { indexed, found }),
            is_early.then_some(MismatchKind::OutOfOrder { indexed, before }),
        ])
    }
}

fn greatest_timestamp(reader: &mut BatchReader<'_>, span: Span) -> Result<Timestamp, ReadError> {
    let mut batch = reader.load(span)?;
    // The log cleaner keeps the header of a batch whose records are gone, and indexes it by that.
    if span.magic == batch::MAGIC && batch.header().count() == 0 {
        return Ok(batch.header().max_timestamp());
    }
    let mut greatest = Timestamp::NONE;
    // A fault among the records is the log's, and a dump of the log tells it.
    batch.entries(&mut |entry| {
        greatest = greatest.max(entry.timestamp);
        ControlFlow::Continue(())
    })?;
    Ok(greatest)
}

/// A record set and the offset it ends with.
#[derive(Debug, Clone, Copy)]
struct Ended {
    span: Span,
    last: Offset,
}

/// For each position and offset the first record set from that position on at which the log has
/// reached that offset, all in one walk.
///
/// Both conditions stay true once they are, and so the answer is the later of two record sets: the
/// first at or behind the position, and the first at which the offset is reached. Each of the two
/// is found by a walk through the questions in rising order.
fn first_reaching(log: &Source, wanted: &[(u64, Offset)]) -> Result<Vec<Option<Ended>>, ReadError> {
    let mut by_position: Vec<usize> = (0..wanted.len()).collect();
    let mut by_offset = by_position.clone();
    by_position.sort_by_key(|number| wanted[*number].0);
    by_offset.sort_by_key(|number| wanted[*number].1);
    let mut positions = by_position.into_iter().peekable();
    let mut offsets = by_offset.into_iter().peekable();
    // How many of the two conditions hold, and where the last of them came true.
    let mut answers: Vec<(u8, Option<Ended>)> = vec![(0, None); wanted.len()];
    let mut reached: Option<Offset> = None;
    let mut walk = Walk::new(log);
    while positions.peek().is_some() || offsets.peek().is_some() {
        let Some(piece) = walk.next_piece()? else {
            break;
        };
        let Piece::Batch(span) = piece else {
            continue;
        };
        let last = AnyHeader::of(span, &walk.head(span)?).offsets().1;
        // Rises even where the log's offsets do not.
        let so_far = reached.map_or(last, |reached| reached.max(last));
        reached = Some(so_far);
        let mut holds = |number: usize| {
            answers[number] = (answers[number].0 + 1, Some(Ended { span, last }));
        };
        while let Some(number) = positions.next_if(|number| wanted[*number].0 <= span.position) {
            holds(number);
        }
        while let Some(number) = offsets.next_if(|number| wanted[*number].1 <= so_far) {
            holds(number);
        }
    }
    let answers = answers.into_iter();
    Ok(answers
        .map(|(conditions, ended)| ended.filter(|_| conditions == 2))
        .collect())
}
