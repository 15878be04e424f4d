//! Walks the record sets of a segment and says what every byte of the file belongs to.
//!
//! On a healthy file only 17 bytes of each record set are looked at, and of a message of magic 0
//! or 1 its two sizes. A record set is taken as it frames when its length leads to
//!
//! - the end of the file, or another one that frames. Where that one is no likely successor, by
//!   its magic, offset or leader epoch, and both checksums are wrong, a good record set that begins
//!   inside says that the length is wrong, unless the records account for it (`reach.rs`);
//! - the zeros that end the file, or a last record set that was cut, with no good record set behind
//!   its records.
//!
//! Otherwise its checksum decides. Where that is wrong too, the walk looks for the next good record
//! set (`resync.rs`) and reports the bytes up to it as one range of damage.

use std::ops::Range;

use super::framed::Framed;
use super::range_crc::RangeCrc;
use super::resync::{Onward, Searched};
use crate::format::batch;
use crate::format::crc::Kind;
use crate::format::frame::{Frame, PROBE};
use crate::format::number::to_usize;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::{ReadError, Source, Window};

/// Sizes of record sets that are worth fetching whole before the walk comes to them: a processor
/// foresees shorter steps by itself, and longer ones skip too much.
const WORTH_WARMING: Range<u32> = 256..4 << 10;
/// How far ahead of the walk, in bytes.
const WARM: u64 = 16 << 10;
/// Bytes that a processor fetches together.
const CACHE_LINE: usize = 64;

/// A record set's place in its file. Nothing behind its frame has been looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it begins, in bytes from the start of the file.
    pub position: u64,
    /// Its whole size in bytes, offset and length fields included.
    pub size: u32,
    /// 0, 1 or 2.
    pub magic: u8,
}

impl Span {
    /// Where the next one begins.
    #[must_use]
    #[inline]
    pub fn end(self) -> u64 {
        self.position.saturating_add(u64::from(self.size))
    }
}

/// What a stretch of the file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A record set that frames; its checksum may still be wrong.
    Batch(Span),
    /// Bytes that belong to no record set.
    Damage(Damage),
}

/// Why the walk ended where it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// At the end of the file, behind a record set or behind damage that is no tail.
    EndOfFile,
    /// The file ends inside a record set.
    TruncatedTail,
    /// Zeros from the last record set to the end of the file.
    ZeroTail,
    /// The caller's limit came first.
    Limit,
}

impl End {
    /// The reason's spelling in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EndOfFile => "end-of-file",
            Self::TruncatedTail => "truncated-tail",
            Self::ZeroTail => "zero-tail",
            Self::Limit => "limit",
        }
    }
}

/// A walk over one file; see the module's head for its rules.
#[derive(Debug)]
pub struct Walk<'s> {
    pub(super) window: Window<'s>,
    /// All bytes, when the file is mapped: the common step is one look at them.
    mapped: Option<&'s [u8]>,
    /// Checksums read here, so that they do not move the window of the walk.
    pub(super) aside: Window<'s>,
    /// Up to where the walk has touched the map ahead of itself.
    warm: u64,
    /// Bytes of the file that are known, all unless it grows.
    pub(super) length: u64,
    /// More may come behind them.
    pub(super) grows: bool,
    pub(super) position: u64,
    /// Up to where the caller wants record sets.
    pub(super) stop: u64,
    /// The record set that reaches beyond that.
    left_out: Option<Span>,
    /// What frames at `position`, when that is known already.
    ahead: Option<Framed>,
    end: Option<End>,
    pub(super) zeros_from: Option<u64>,
    /// The last search for a good record set: from where, and what it found.
    pub(super) searched: Option<Searched>,
    /// Records looked at to tell how far a batch reaches.
    pub(super) records_read: u64,
    /// Bytes searched for what lies across the end of a record, over and over.
    pub(super) searched_again: u64,
    crc32c: RangeCrc,
    crc32: RangeCrc,
}

impl<'s> Walk<'s> {
    /// Begins at the first byte.
    #[must_use]
    pub fn new(source: &'s Source) -> Self {
        Self {
            window: source.window(),
            mapped: source.as_slice(),
            aside: source.window(),
            warm: 0,
            length: source.len(),
            grows: source.is_growing(),
            position: 0,
            stop: u64::MAX,
            left_out: None,
            ahead: None,
            end: None,
            zeros_from: None,
            searched: None,
            records_read: 0,
            searched_again: 0,
            crc32c: RangeCrc::new(Kind::Crc32c),
            crc32: RangeCrc::new(Kind::Crc32),
        }
    }

    /// Ends, with [`End::Limit`], before the first piece that reaches beyond `bytes`.
    #[must_use]
    pub fn stopping_after(mut self, bytes: u64) -> Self {
        self.stop = bytes;
        self
    }

    /// Where the walk stands, in bytes from the start of the file.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// The record set that the limit of [`Walk::stopping_after`] left out.
    #[must_use]
    pub const fn left_out(&self) -> Option<Span> {
        self.left_out
    }

    /// The first bytes of the record set just walked over, zeros behind one that is shorter.
    ///
    /// # Errors
    /// A read that failed.
    pub fn head(&mut self, span: Span) -> Result<[u8; batch::HEADER_SIZE], ReadError> {
        let mut head = [0; batch::HEADER_SIZE];
        let bytes = self.window.bytes(span.position, batch::HEADER_SIZE)?;
        let own = bytes.get(..to_usize(span.size)).unwrap_or(bytes);
        head.iter_mut().zip(own).for_each(|(to, from)| *to = *from);
        Ok(head)
    }

    /// Why the walk ended; `None` while it goes on.
    #[must_use]
    pub const fn end(&self) -> Option<End> {
        self.end
    }

    /// The next piece; `None` at the end, and then for ever.
    ///
    /// # Errors
    /// A read that failed. The walk can be continued only by beginning anew.
    #[inline]
    pub fn next_piece(&mut self) -> Result<Option<Piece>, ReadError> {
        if self.end.is_some() {
            return Ok(None);
        }
        if !self.has_more()? {
            self.end = Some(End::EndOfFile);
            return Ok(None);
        }
        let here = match self.ahead.take() {
            Some(known) => Some(known),
            None => self.framed_at(self.position)?,
        };
        if let Some(framed) = here {
            let span = framed.at(self.position);
            let next = span.end();
            if WORTH_WARMING.contains(&span.size) {
                self.warm_up(next);
            }
            if self.holds(next.saturating_add(1))? {
                self.ahead = self.framed_at(next)?;
            }
            let follows = match self.ahead {
                Some(ahead) => framed.is_followed_by(ahead) || self.bears_out(span, next)?,
                None => next == self.length,
            };
            if follows || self.is_trusted(span)? {
                return Ok(self.advance(next, Piece::Batch(span)));
            }
            self.ahead = None;
        }
        self.damage()
    }

    /// Goes over the next record set where the map shows at a look that it is one, as most are, and
    /// `takes` says yes to it; otherwise stays, and [`Walk::next_piece`] tells more.
    #[inline]
    pub fn step_if(&mut self, takes: impl FnOnce(Span) -> bool) -> bool {
        let (Some(framed), Some(all), false) = (self.ahead, self.mapped, self.grows) else {
            return false;
        };
        let span = framed.at(self.position);
        let next = span.end();
        let head = usize::try_from(next).ok().and_then(|at| all.get(at..));
        let frame = head.and_then(<[u8]>::first_chunk).map(Frame::decode);
        let left = self.length.saturating_sub(next);
        let ahead = frame.and_then(|frame| Framed::of(frame, left));
        let follows = ahead.is_some_and(|ahead| framed.is_followed_by(ahead)) && next <= self.stop;
        if follows && WORTH_WARMING.contains(&span.size) {
            self.warm_up(next);
        }
        if !follows || !takes(span) {
            return false;
        }
        self.ahead = ahead;
        self.position = next;
        true
    }

    /// Brings the bytes in front of the walk into the cache. Each step of a walk depends on the
    /// one before, so it would wait for memory once a record set; these loads wait together.
    #[inline]
    fn warm_up(&mut self, from: u64) {
        if self.warm <= from.saturating_add(WARM / 2)
            && let Some(all) = self.mapped
        {
            let until = from.saturating_add(WARM);
            let bound = |position| {
                usize::try_from(position)
                    .unwrap_or(usize::MAX)
                    .min(all.len())
            };
            let ahead = all.get(bound(self.warm.max(from))..bound(until));
            let lines = ahead.unwrap_or_default().chunks(CACHE_LINE);
            std::hint::black_box(
                lines
                    .filter_map(<[u8]>::first)
                    .fold(0, |sum, byte| sum ^ byte),
            );
            self.warm = until;
        }
    }

    #[inline]
    fn advance(&mut self, to: u64, piece: Piece) -> Option<Piece> {
        if to > self.stop {
            self.end = Some(End::Limit);
            if let Piece::Batch(span) = piece {
                self.left_out = Some(span);
            }
            return None;
        }
        self.position = to;
        Some(piece)
    }

    /// The record set that frames at `position` and lies inside the file.
    #[inline]
    pub(super) fn framed_at(&mut self, position: u64) -> Result<Option<Framed>, ReadError> {
        if self.grows {
            self.grow_for(position)?;
        }
        let head = match self.mapped {
            Some(all) => usize::try_from(position)
                .ok()
                .and_then(|start| all.get(start..)),
            None => Some(self.window.glance(position, PROBE)?),
        };
        let frame = head.and_then(<[u8]>::first_chunk).map(Frame::decode);
        let left = self.length.saturating_sub(position);
        Ok(frame.and_then(|frame| Framed::of(frame, left)))
    }

    /// Whether `position` lies in the zeros that end the file.
    pub(super) fn is_zero_tail(&mut self, position: u64) -> Result<bool, ReadError> {
        Ok(position >= self.zeros_from()? && position < self.length)
    }

    /// Whether the zeros that end the file begin at `position`, or a few bytes in front of it: a
    /// record set may end with zeros of its own. A wrong length hardly hits that place.
    pub(super) fn is_where_zeros_begin(&mut self, position: u64) -> Result<bool, ReadError> {
        const OWN_ZEROS: u64 = 8;
        let own = position.checked_sub(self.zeros_from()?);
        Ok(position < self.length && own.is_some_and(|own| own <= OWN_ZEROS))
    }

    /// Where the zeros begin that end the file; its length when it ends otherwise.
    fn zeros_from(&mut self) -> Result<u64, ReadError> {
        const STEP: u64 = 64 << 10;
        if let Some(known) = self.zeros_from {
            return Ok(known);
        }
        let mut upper = self.length;
        while upper > 0 {
            let lower = upper.saturating_sub(STEP);
            let size = usize::try_from(upper.saturating_sub(lower)).unwrap_or_default();
            let bytes = self.aside.bytes(lower, size)?;
            if let Some(last) = last_of_any(bytes) {
                upper = lower
                    .saturating_add(u64::try_from(last).unwrap_or(0))
                    .saturating_add(1);
                break;
            }
            upper = lower;
        }
        self.zeros_from = Some(upper);
        Ok(upper)
    }

    /// Whether the stored checksum of a record set is that of its bytes.
    pub(super) fn checksums(&mut self, span: Span) -> Result<bool, ReadError> {
        const LEGACY_CRC_AT: u64 = 12;
        const LEGACY_COVERED_FROM: u64 = 16;
        const CRC_AT: u64 = 17;
        const COVERED_FROM: u64 = 21;
        const _: () = assert!(batch::ATTRIBUTES_AT == 21);
        let (crc_at, covered_from, sums) = match span.magic {
            batch::MAGIC => (CRC_AT, COVERED_FROM, &mut self.crc32c),
            _ => (LEGACY_CRC_AT, LEGACY_COVERED_FROM, &mut self.crc32),
        };
        let stored = self
            .window
            .probe::<4>(span.position.saturating_add(crc_at))?;
        let from = span.position.saturating_add(covered_from);
        let computed = sums.of(&mut self.aside, self.position, from, span.end())?;
        Ok(stored.is_some_and(|stored| u32::from_be_bytes(stored) == computed))
    }

    /// Tells the damage that begins here: how far it reaches, and what it is.
    #[cold]
    fn damage(&mut self) -> Result<Option<Piece>, ReadError> {
        let begin = self.position;
        if self.stop < u64::MAX && self.ends_behind_the_stop()? {
            self.end = Some(End::Limit);
            return Ok(None);
        }
        self.grow_to_end()?;
        let left = self.length.saturating_sub(begin);
        if self.is_zero_tail(begin)? {
            let plural = if left == 1 { "" } else { "s" };
            let message = format!(
                "{left} zero{plural} to the end of the file: preallocated space, or a write that \
                 never came; nothing is lost behind them"
            );
            return Ok(self.tail(Code::ZeroTail, End::ZeroTail, message));
        }
        let head = self
            .window
            .bytes(begin, PROBE)?
            .first_chunk()
            .map(Frame::decode);
        let (code, fault) = describe(head, left);
        let Onward { next, passed } = self.resynchronise(begin, head)?;
        let passed = passed.told();
        if let Some((next, why)) = next {
            let size = next.saturating_sub(begin);
            let damage = Damage {
                position: begin,
                size,
                code,
                message: format!(
                    "{fault}; {size} bytes of damage up to position {next}, {why}{passed}"
                ),
            };
            return Ok(self.advance(next, Piece::Damage(damage)));
        }
        if let Some(fault) = self.torn(begin, head, &fault)? {
            let message =
                format!("{fault}; a broker that recovers the log cuts {left} bytes off{passed}");
            return Ok(self.tail(Code::TruncatedTail, End::TruncatedTail, message));
        }
        let message = format!("{fault}; {left} bytes of damage up to the end of the file{passed}");
        Ok(self.tail(code, End::EndOfFile, message))
    }

    /// Whether what begins here is a write that was cut: by the end of the file or by zeros.
    fn torn(
        &mut self,
        begin: u64,
        head: Option<Frame>,
        fault: &str,
    ) -> Result<Option<String>, ReadError> {
        let left = self.length.saturating_sub(begin);
        let Some(frame) = head else {
            return Ok(Some(format!(
                "expected a record set of at least 26 bytes, found the last {left} bytes of the \
                 file"
            )));
        };
        let zeros = self.zeros_from()?;
        let size = frame.size();
        if size.is_some_and(|size| size > left) {
            return Ok(Some(fault.to_owned()));
        }
        let written = zeros.saturating_sub(begin);
        let header = u64::try_from(batch::HEADER_SIZE).unwrap_or(u64::MAX);
        if zeros < self.length && (written < header || size.is_some_and(|size| written < size)) {
            return Ok(Some(format!(
                "a record set of which {written} bytes were written, then zeros to the end of the \
                 file"
            )));
        }
        Ok(None)
    }

    fn tail(&mut self, code: Code, end: End, message: String) -> Option<Piece> {
        let begin = self.position;
        let size = self.length.saturating_sub(begin);
        let damage = Damage {
            position: begin,
            size,
            code,
            message,
        };
        let piece = self.advance(self.length, Piece::Damage(damage));
        // A limit that came first has set its own reason.
        self.end.get_or_insert(end);
        piece
    }
}

/// Where the last byte lies that is not zero. Many are looked at together: preallocated files end
/// with gigabytes of zeros.
fn last_of_any(bytes: &[u8]) -> Option<usize> {
    const TOGETHER: usize = 1 << 10;
    let mut end = bytes.len();
    for part in bytes.rchunks(TOGETHER) {
        let begin = end.saturating_sub(part.len());
        if part.iter().fold(0, |any, byte| any | byte) != 0 {
            let last = part.iter().rposition(|byte| *byte != 0)?;
            return Some(begin.saturating_add(last));
        }
        end = begin;
    }
    None
}

/// What is wrong with the frame where a record set should begin.
fn describe(head: Option<Frame>, left: u64) -> (Code, String) {
    let Some(frame) = head else {
        return (
            Code::TruncatedTail,
            format!("{left} bytes are too few for a record set"),
        );
    };
    let Frame { length, magic, .. } = frame;
    let size = frame.claimed_size();
    match (frame.least_length(), size) {
        (Some(least), _) if i64::from(length) < i64::from(least) => (
            Code::BadBatchHeader,
            format!("expected batchLength of at least {least} (magic {magic}), found {length}"),
        ),
        (Some(_), Some(size)) if size > left => (
            Code::BadBatchHeader,
            format!("batchLength {length} needs {size} bytes, but the file has {left} more"),
        ),
        (Some(_), _) => (
            Code::BadBatchHeader,
            format!(
                "batchLength {length} leads to no sound record set, and the checksum does not match"
            ),
        ),
        (None, Some(size)) if size <= left => (
            Code::BadBatchHeader,
            format!("expected magic 0, 1 or 2, found {magic}"),
        ),
        (None, _) => (
            Code::Garbage,
            format!("expected a record set, found batchLength {length} and magic {magic}"),
        ),
    }
}
