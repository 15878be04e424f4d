//! Slices of a file at any position: of the map without a copy, or of one buffer that slides.

use super::source::{ReadError, Source};

/// A reader of one thread: gives slices of a [`Source`].
///
/// Over a map a slice costs a bounds check. Over plain reads there is one buffer, filled from the
/// position asked for: little after a jump, more with each step forward, as a kernel reads ahead.
#[derive(Debug)]
pub struct Window<'a> {
    source: &'a Source,
    /// All bytes, when the file is mapped; the buffer is then unused.
    mapped: Option<&'a [u8]>,
    buffer: Vec<u8>,
    /// How many bytes of the buffer are bytes of the file.
    filled: usize,
    /// Position in the file of the buffer's first byte.
    start: u64,
    /// How many bytes the next refill reads at least, in bytes.
    ahead: usize,
}

/// Read ahead after a jump.
const SMALLEST_STEP: usize = 8 << 10;
/// Read ahead after a long run forward.
const LARGEST_STEP: usize = 512 << 10;

impl<'a> Window<'a> {
    /// The longest slice that [`Window::bytes`] gives, in bytes: 16 MiB. It bounds the memory of
    /// a plain reader; a longer stretch is read piece by piece, or by [`Source::range`].
    pub const LARGEST: usize = 16 << 20;

    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            mapped: source.as_slice(),
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            ahead: SMALLEST_STEP,
        }
    }

    /// The file that this is a window of.
    #[must_use]
    #[inline]
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// The bytes [`position`, `position` + `length`): fewer only where the file ends, and never
    /// more than [`Window::LARGEST`], mapped or not.
    ///
    /// # Errors
    /// [`ReadError::Read`] and [`ReadError::Shrank`], over plain reads; over a map see
    /// [`Source::check`].
    #[inline]
    pub fn bytes(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        match self.mapped {
            Some(all) => Ok(clip(all, position, length.min(Self::LARGEST))),
            None => self.buffered(position, length),
        }
    }

    /// The `N` bytes at `position`, or `None` where the file ends before the last of them. Leaves
    /// the window where it is, however far away the position.
    ///
    /// # Errors
    /// As [`Window::bytes`].
    #[inline]
    pub fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        match self.mapped {
            Some(all) => Ok(clip(all, position, N).first_chunk().copied()),
            None => self.probe_plain(position),
        }
    }

    fn probe_plain<const N: usize>(&self, position: u64) -> Result<Option<[u8; N]>, ReadError> {
        if self.left(position) < N {
            return Ok(None);
        }
        if let Some(found) = self.held(position, N).and_then(<[u8]>::first_chunk) {
            return Ok(Some(*found));
        }
        let mut found = [0; N];
        self.source.read_exact_at(&mut found, position)?;
        Ok(Some(found))
    }

    fn buffered(&mut self, position: u64, length: usize) -> Result<&[u8], ReadError> {
        let wanted = length.min(Self::LARGEST).min(self.left(position));
        if self.held(position, wanted).is_none() {
            self.refill(position, wanted)?;
        }
        Ok(self.held(position, wanted).unwrap_or_default())
    }

    /// Bytes of the file from `position` on, as far as a slice can count.
    fn left(&self, position: u64) -> usize {
        let left = self.source.len().saturating_sub(position);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Distance of `position` into the filled part of the buffer, its end included.
    fn offset(&self, position: u64) -> Option<usize> {
        let offset = usize::try_from(position.checked_sub(self.start)?).ok()?;
        (offset <= self.filled).then_some(offset)
    }

    fn held(&self, position: u64, length: usize) -> Option<&[u8]> {
        let filled = self.buffer.get(..self.filled)?;
        filled.get(self.offset(position)?..)?.get(..length)
    }

    /// Moves the window to `position` and reads at least `wanted` bytes there, which the file
    /// had when it was opened.
    #[cold]
    fn refill(&mut self, position: u64, wanted: usize) -> Result<(), ReadError> {
        let kept = match self.offset(position) {
            Some(offset) if self.filled > 0 => {
                self.ahead = self.ahead.saturating_mul(2).min(LARGEST_STEP);
                self.buffer.copy_within(offset..self.filled, 0);
                self.filled.saturating_sub(offset)
            }
            _ => {
                self.ahead = SMALLEST_STEP;
                0
            }
        };
        (self.start, self.filled) = (position, kept);
        let most = wanted.max(self.ahead).min(self.left(position));
        // What was only read ahead may fail without harm to what was asked for.
        if most == wanted || self.fill_to(most).is_err() {
            self.fill_to(wanted)?;
        }
        Ok(())
    }

    /// Reads until the buffer holds `target` bytes of the file.
    fn fill_to(&mut self, target: usize) -> Result<(), ReadError> {
        if self.buffer.len() < target {
            self.buffer.resize(target, 0);
        }
        let position = u64::try_from(self.filled).map(|filled| self.start.saturating_add(filled));
        let fresh = self.buffer.get_mut(self.filled..target);
        self.source
            .read_exact_at(fresh.unwrap_or_default(), position.unwrap_or(u64::MAX))?;
        self.filled = target;
        Ok(())
    }
}

#[inline]
fn clip(all: &[u8], position: u64, length: usize) -> &[u8] {
    let rest = usize::try_from(position)
        .ok()
        .and_then(|position| all.get(position..))
        .unwrap_or_default();
    rest.get(..length).unwrap_or(rest)
}
