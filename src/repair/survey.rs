//! What of a segment cannot stay: stretches that hold no batch, batches that cannot be read, and
//! batches whose offsets do not rise.

use super::epoch_line::{EpochLine, OutOfLine, Spot};
use super::inside::Inside;
use super::order::{LastBatch, out_of_order};
use super::terms::Terms;
use crate::format::batch::{HEADER_SIZE, Header, MAGIC};
use crate::format::frame::OVERHEAD;
use crate::format::number::{Offset, to_usize};
use crate::state::batch::{Batch, Place};
use crate::state::epochs::LeaderEpochs;
use crate::state::read::SegmentFile;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// No record is larger; whatever a header says, memory holds what is there.
const MOST_RECORD_BYTES: u64 = 1 << 31;

/// Bytes that are read before somebody is told.
const PACE: u64 = 1 << 20;

/// A stretch of a segment that cannot stay.
#[derive(Debug, Clone)]
pub(super) struct Bad {
    /// Its first byte.
    pub(super) position: u64,
    /// Its bytes.
    pub(super) size: u64,
    /// What is wrong, as findings call it.
    pub(super) code: Code,
    /// What is wrong, in words.
    pub(super) message: String,
    /// What its header says, if one is there. Nothing vouches for it.
    pub(super) claim: Option<Claim>,
    /// Whether it is as long as that header says: else it holds more than one batch, or less.
    pub(super) is_one_batch: bool,
    /// The one offset at which a sound batch belongs that bears another.
    pub(super) belongs: Option<Offset>,
}

/// What a batch says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) first: Offset,
    pub(super) last: Offset,
    pub(super) records: Option<u64>,
}

/// A batch that can be read, with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Good {
    pub(super) span: Span,
    pub(super) batch: Batch,
    /// The offset of its first record: compressed messages of old formats bear only the last.
    pub(super) first: Offset,
    pub(super) records: u64,
}

/// A segment that was looked at.
pub(super) struct Surveyed<'a> {
    pub(super) file: &'a SegmentFile,
    /// Where the next segment begins that holds a batch.
    pub(super) limit: Option<Offset>,
    /// What of it cannot stay, by rising position.
    pub(super) bad: Vec<Bad>,
}

/// Looks at all segments of a log: what is wrong with one may show in the next. Of batches whose
/// leader epoch is wrong it gives the place; `epochs` is what leader-epoch-checkpoint says, and
/// `end` where the log ended once by the names of files.
///
/// # Errors
/// A read that failed.
pub(super) fn surveys<'a>(
    files: &'a [SegmentFile],
    epochs: Option<&LeaderEpochs>,
    end: Option<Offset>,
    decodes: bool,
    terms: &Terms,
) -> Result<(Vec<Surveyed<'a>>, BTreeMap<Spot, OutOfLine>), ReadError> {
    let mut line = EpochLine::new(epochs);
    let mut surveys = Vec::new();
    let mut rest = files;
    while let Some((file, behind)) = rest.split_first() {
        let source = Source::open(&file.path, terms.access)?;
        let limit = limit(behind, terms)?;
        let ends = Ends { limit, named: end };
        let bad = survey(&source, file, ends, decodes, terms, &mut line)?;
        surveys.push(Surveyed { file, limit, bad });
        rest = behind;
    }
    let out_of_line = match decodes {
        true => line.end(),
        false => BTreeMap::new(),
    };
    Ok((surveys, out_of_line))
}

/// Where the next segment begins that holds a batch.
fn limit(behind: &[SegmentFile], terms: &Terms) -> Result<Option<Offset>, ReadError> {
    for file in behind {
        if has_batch(&Source::open(&file.path, terms.access)?, file, terms)? {
            return Ok(Some(file.base_offset));
        }
    }
    Ok(None)
}

/// Where a segment ends, or may.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// Where the next segment begins that holds a batch: its offsets must lie below.
    limit: Option<Offset>,
    /// Where the log ended once by the names of files.
    named: Option<Offset>,
}

/// Looks at a segment: what of it cannot stay, by rising position. Records are decoded if `decodes`
/// says so. Every batch that can be read is shown to `line`.
///
/// # Errors
/// A read that failed.
fn survey(
    source: &Source,
    file: &SegmentFile,
    Ends { limit, named }: Ends,
    decodes: bool,
    terms: &Terms,
    line: &mut EpochLine<'_>,
) -> Result<Vec<Bad>, ReadError> {
    let mut found = Vec::new();
    let mut last = file.base_offset.plus(-1);
    let mut rises = true;
    let mut end = LastBatch::behind(last);
    each_piece(source, (file, limit), decodes, terms, &mut |seen| {
        end.piece(&seen, rises);
        match seen {
            Seen::Bad(bad) => found.push(bad),
            Seen::Good(good) => {
                if good.batch.magic >= MAGIC {
                    line.batch(&good.batch);
                }
                rises &= good.first > last && is_below(good.batch.last_offset, limit);
                last = good.batch.last_offset;
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if let (None, Some(moved)) = (limit, end.moved(named)) {
        found.push(moved);
        found.sort_by_key(|bad| bad.position);
    } else if !rises {
        found.extend(out_of_order(source, file, limit, decodes, terms)?);
        found.sort_by_key(|bad| bad.position);
    }
    source.check()?;
    Ok(found)
}

/// Whether a segment holds a batch that can be read.
///
/// # Errors
/// A read that failed.
fn has_batch(source: &Source, file: &SegmentFile, terms: &Terms) -> Result<bool, ReadError> {
    let mut found = false;
    each_piece(source, (file, None), false, terms, &mut |seen| {
        found = matches!(seen, Seen::Good(_));
        Ok(match found {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    Ok(found)
}

pub(super) fn is_below(offset: Offset, limit: Option<Offset>) -> bool {
    limit.is_none_or(|limit| offset < limit)
}

/// What a piece of a segment turned out to be.
pub(super) enum Seen {
    Bad(Bad),
    Good(Good),
}

/// Gives every piece of a segment that ends below `limit`, in order; batches by themselves,
/// whatever their neighbours say, but for those that lie inside damage.
pub(super) fn each_piece(
    source: &Source,
    (file, limit): (&SegmentFile, Option<Offset>),
    decodes: bool,
    terms: &Terms,
    visit: &mut dyn FnMut(Seen) -> Result<ControlFlow<()>, ReadError>,
) -> Result<(), ReadError> {
    let mut told = 0;
    let mut walk = Walk::new(source);
    let mut reader = BatchReader::new(source, MOST_RECORD_BYTES);
    let mut inside = Inside::new(source, file, limit);
    while let Some(piece) = walk.next_piece()? {
        let (Piece::Damage(Damage { position, .. }) | Piece::Batch(Span { position, .. })) = piece;
        if position >= told + PACE {
            terms.tell_read(position - told);
            told = position;
        }
        let (pieces, one) = match piece {
            Piece::Damage(damage) => (inside.apart(&mut reader, &damage)?, None),
            Piece::Batch(span) => match inside.of_a_value(span)? {
                None => (Vec::new(), Some(batch(&mut reader, file, span, decodes)?)),
                inner => (Vec::new(), inner),
            },
        };
        for seen in pieces.into_iter().chain(one) {
            if let Seen::Good(good) = &seen {
                inside.pass(good);
            }
            if visit(seen)?.is_break() {
                return Ok(());
            }
        }
    }
    terms.tell_read(source.len() - told);
    Ok(())
}

/// A stretch that holds no batch, with what its first bytes say of one.
///
/// # Errors
/// A read that failed.
pub(super) fn bad_stretch(walk: &mut Walk<'_>, damage: &Damage) -> Result<Bad, ReadError> {
    let span = Span {
        position: damage.position,
        size: u32::try_from(damage.size).unwrap_or(u32::MAX),
        magic: MAGIC,
    };
    let head = walk.head(span)?;
    let claim = claim_of(&head, damage.size);
    let length = Header::new(&head).batch_length();
    let frame = u64::try_from(length).ok().map(|length| length + OVERHEAD);
    Ok(Bad::of(damage, claim, frame == Some(damage.size)))
}

/// What a record set that frames turns out to be.
///
/// # Errors
/// A read that failed.
pub(super) fn batch(
    reader: &mut BatchReader<'_>,
    file: &SegmentFile,
    span: Span,
    decodes: bool,
) -> Result<Seen, ReadError> {
    let mut loaded = reader.load(span)?;
    let place = Place {
        segment: file.base_offset,
        position: span.position,
        size: span.size,
    };
    let batch = Batch::new(loaded.head(), place);
    let is_legacy = span.magic < MAGIC;
    let records = u64::try_from(batch.count).ok().filter(|_| !is_legacy);
    let claim = Claim {
        first: batch.base_offset,
        last: batch.last_offset,
        records,
    };
    let bad = |code, message| {
        Seen::Bad(Bad {
            position: span.position,
            size: span.size.into(),
            code,
            message,
            claim: Some(claim).filter(|claim| claim.first <= claim.last),
            is_one_batch: true,
            belongs: None,
        })
    };
    let checksum = loaded.checksum()?;
    if !checksum.is_valid() {
        let (stored, computed) = (checksum.stored, checksum.computed);
        let message = format!("stored checksum {stored:#010x}, computed {computed:#010x}");
        return Ok(bad(Code::CrcMismatch, message));
    }
    let (mut first, mut count) = (batch.base_offset, records.unwrap_or(0));
    if decodes || is_legacy {
        (first, count) = (batch.last_offset, 0);
        let fault = loaded.entries(&mut |entry| {
            first = first.min(entry.offset);
            count += 1;
            ControlFlow::Continue(())
        })?;
        if let Some(fault) = fault {
            return Ok(bad(fault.code, fault.message));
        }
        if !is_legacy {
            first = batch.base_offset;
        }
    }
    if batch.last_offset < first || first.0 < 0 {
        let message = format!(
            "offsets {first} to {}, which do not rise",
            batch.last_offset
        );
        return Ok(bad(Code::OffsetOverflow, message));
    }
    Ok(Seen::Good(Good {
        span,
        batch,
        first,
        records: count,
    }))
}

impl Bad {
    fn of(damage: &Damage, claim: Option<Claim>, is_one_batch: bool) -> Self {
        Self {
            position: damage.position,
            size: damage.size,
            code: damage.code,
            message: damage.message.clone(),
            claim: claim.filter(|_| damage.code != Code::ZeroTail),
            is_one_batch,
            belongs: None,
        }
    }

    /// The offsets that are lost with it, as far as it tells.
    pub(super) fn loss(&self) -> Option<Claim> {
        self.claim.filter(|_| self.is_one_batch)
    }

    /// Whether records may have been here.
    pub(super) fn is_loss(&self) -> bool {
        self.code != Code::ZeroTail
    }
}

/// What the header says where a batch should begin.
fn claim_of(head: &[u8; HEADER_SIZE], size: u64) -> Option<Claim> {
    let header = Header::new(head);
    let records = u64::try_from(header.count()).ok()?;
    let (first, last) = (header.base_offset(), header.last_offset());
    let span = last.0.checked_sub(first.0)?;
    let is_likely = to_usize(u32::try_from(size).unwrap_or(u32::MAX)) >= HEADER_SIZE
        && header.magic() == MAGIC
        && first.0 >= 0
        && u64::try_from(span).is_ok_and(|span| records <= span.saturating_add(1));
    is_likely.then_some(Claim {
        first,
        last,
        records: Some(records),
    })
}
