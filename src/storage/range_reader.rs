//! A stretch of a file as a stream, for what is longer than a window.

use std::io::{BufRead, ErrorKind, Read, Result, Seek, SeekFrom};

use super::source::Source;

/// Streams a range of a [`Source`]: the whole slice at once when the file is mapped, pieces of
/// 128 KiB by plain reads.
///
/// An error of `std::io` that comes out of it holds a [`super::source::ReadError`]:
/// `io::Error::downcast` tells it from the errors of a decoder that stands between.
#[derive(Debug)]
pub struct RangeReader<'a> {
    source: &'a Source,
    /// What is left of a mapped range.
    mapped: Option<&'a [u8]>,
    /// The piece at hand of a plain range.
    piece: Vec<u8>,
    /// How much of the piece is consumed.
    consumed: usize,
    /// Where the next piece begins.
    next: u64,
    start: u64,
    end: u64,
}

/// Bytes of a plain range that are read at a time.
const PIECE: u64 = 128 << 10;

impl<'a> RangeReader<'a> {
    pub(super) fn new(source: &'a Source, start: u64, length: u64) -> Self {
        let end = start.saturating_add(length).min(source.len());
        let next = start.min(end);
        let mapped = source.as_slice().map(|all| {
            // A mapped file is no longer than usize can count.
            let bound = |position| usize::try_from(position).unwrap_or(usize::MAX);
            all.get(bound(next)..bound(end)).unwrap_or_default()
        });
        Self {
            source,
            mapped,
            piece: Vec::new(),
            consumed: 0,
            next,
            start: next,
            end,
        }
    }

    /// The same place in a range that begins at `start`.
    fn beginning(mut self, start: u64) -> Self {
        self.start = start;
        self
    }

    fn unread(&self) -> &[u8] {
        self.piece.get(self.consumed..).unwrap_or_default()
    }

    #[cold]
    fn next_piece(&mut self) -> Result<()> {
        let length = self.end.saturating_sub(self.next).min(PIECE);
        self.piece.resize(usize::try_from(length).unwrap_or(0), 0);
        // A failed read leaves nothing that looks like a byte of the file.
        self.consumed = self.piece.len();
        self.source.read_exact_at(&mut self.piece, self.next)?;
        self.consumed = 0;
        self.next = self.next.saturating_add(length);
        Ok(())
    }
}

impl BufRead for RangeReader<'_> {
    #[inline]
    fn fill_buf(&mut self) -> Result<&[u8]> {
        if let Some(rest) = self.mapped {
            return Ok(rest);
        }
        if self.unread().is_empty() && self.next < self.end {
            self.next_piece()?;
        }
        Ok(self.unread())
    }

    #[inline]
    fn consume(&mut self, amount: usize) {
        match &mut self.mapped {
            Some(rest) => *rest = rest.get(amount..).unwrap_or_default(),
            None => self.consumed = self.consumed.saturating_add(amount),
        }
    }
}

/// Positions count from the start of the range.
impl Seek for RangeReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let length = self.end.saturating_sub(self.start);
        let unread = match self.mapped {
            Some(rest) => rest.len(),
            None => self.unread().len(),
        };
        let ahead = match self.mapped {
            Some(_) => 0,
            None => self.end.saturating_sub(self.next),
        };
        let left = ahead.saturating_add(u64::try_from(unread).unwrap_or(u64::MAX));
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => length.saturating_sub(left).checked_add_signed(by),
            SeekFrom::End(by) => length.checked_add_signed(by),
        };
        let target = target.ok_or(ErrorKind::InvalidInput)?.min(length);
        let next = self.start.saturating_add(target);
        *self = Self::new(self.source, next, self.end.saturating_sub(next)).beginning(self.start);
        Ok(target)
    }
}

impl Read for RangeReader<'_> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
