//! How a walk asks for more of a file that grows: a pipe that is read as far as somebody wants it.
//!
//! A record set is taken by what its own bytes and the head behind it say, so those are all that a
//! walk over sound ones asks for. Damage is told with regard to the end of the file.

use super::resync::{STRIDE, next_plausible};
use super::walk::{Span, Walk};
use crate::format::frame::{Frame, PROBE};
use crate::storage::source::ReadError;

/// What a broker puts into one segment at most, in bytes.
const LARGEST_SEGMENT: u64 = 1 << 31;

impl Walk<'_> {
    /// Whether the file goes on where the walk stands.
    ///
    /// # Errors
    /// A read that failed.
    pub fn has_more(&mut self) -> Result<bool, ReadError> {
        self.holds(self.position.saturating_add(1))
    }

    /// Whether the file has `end` bytes or more.
    #[inline]
    pub(super) fn holds(&mut self, end: u64) -> Result<bool, ReadError> {
        Ok(end <= self.length || (self.grows && self.grow_to(end)?))
    }

    #[cold]
    fn grow_to(&mut self, end: u64) -> Result<bool, ReadError> {
        let source = self.window.source();
        self.grows = source.reaches(end)?;
        self.length = source.len();
        Ok(self.grows)
    }

    /// Has all that a record set at `position` claims.
    #[cold]
    pub(super) fn grow_for(&mut self, position: u64) -> Result<(), ReadError> {
        const HEAD: u64 = 17;
        const _: () = assert!(PROBE == 17);
        self.holds(position.saturating_add(HEAD))?;
        let head = self.window.probe(position)?;
        if let Some(size) = head.and_then(|head| Frame::decode(&head).size()) {
            self.holds(position.saturating_add(size))?;
        }
        Ok(())
    }

    /// Has the whole file, for questions that its end decides; of one that grows, no more than a
    /// segment could hold from here on, and what lies behind is taken for absent.
    pub(super) fn grow_to_end(&mut self) -> Result<(), ReadError> {
        let from = self.stop.min(self.position);
        self.holds(from.saturating_add(LARGEST_SEGMENT))?;
        self.grows = false;
        Ok(())
    }

    /// Looks no further than a record set, where the file may grow meanwhile.
    pub(super) fn end_with(&mut self, span: Span) {
        if self.window.source().is_growing() {
            self.grows = false;
            self.length = span.end();
            self.zeros_from = None;
        }
    }

    /// Whether the damage that begins here reaches beyond what the caller wants, as can be told
    /// without what lies there: nothing frames in front of it, nor does the length lead there.
    pub(super) fn ends_behind_the_stop(&mut self) -> Result<bool, ReadError> {
        let stride = u64::try_from(STRIDE).unwrap_or(u64::MAX);
        if !self.holds(self.stop.saturating_add(stride))? {
            return Ok(false);
        }
        let head = self.window.probe::<PROBE>(self.position)?;
        let size = head.and_then(|head| Frame::decode(&head).claimed_size());
        if size.is_some_and(|size| self.position.saturating_add(size) <= self.stop) {
            return Ok(false);
        }
        let mut base = self.position.saturating_add(1);
        while base <= self.stop {
            let bytes = self.window.bytes(base, STRIDE.saturating_add(PROBE))?;
            if let Some(found) = next_plausible(bytes, 0) {
                let found = u64::try_from(found).unwrap_or(u64::MAX);
                return Ok(base.saturating_add(found) > self.stop);
            }
            base = base.saturating_add(stride);
        }
        Ok(true)
    }
}
