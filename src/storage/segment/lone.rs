//! Sound record sets inside damage, which lead to no other one: between two damaged places.
//!
//! Values may hold record sets of their own, so a right checksum alone says little. What bytes can
//! tell against one is asked here; whether its offsets fit, the caller knows.

use std::ops::Range;

use super::reach::Part;
use super::resync::{Passed, STRIDE, next_plausible};
use super::walk::{Span, Walk};
use crate::format::batch::{HEADER_SIZE, MAGIC};
use crate::format::frame::{Frame, PROBE};
use crate::storage::source::ReadError;

impl Walk<'_> {
    /// The first record set of magic 2 in a range of damage with a right checksum that no byte
    /// shows to lie in a value. At `boundary`, in front of the range or where it begins, a damaged
    /// record set begins.
    ///
    /// It lies in a value where the length of the damaged one leads past it, or records behind the
    /// place of its header account for it, whatever is left of that header; and where what follows
    /// it goes on as a record does behind its value. What lies in it is never given.
    ///
    /// A walk that is asked this is moved; it is to be asked in the order of the file.
    ///
    /// # Errors
    /// A read that failed.
    #[cold]
    pub fn lone_record_set(
        &mut self,
        boundary: u64,
        range: Range<u64>,
    ) -> Result<Option<Span>, ReadError> {
        self.position = boundary;
        let accounted = self.accounted_for(boundary, range.end)?;
        let mut from = range.start.max(accounted);
        while let Some(span) = self.sound_in(from..range.end)? {
            if !self.goes_on_as_a_record(span.end(), range.end)? {
                return Ok(Some(span));
            }
            from = span.end();
        }
        Ok(None)
    }

    /// Whether a sound record set behind damage, which begins at `boundary`, lies in a value of
    /// what was damaged there: records without their header account for it, or what follows it
    /// and those behind it goes on as a record does behind its value.
    ///
    /// # Errors
    /// A read that failed.
    #[cold]
    pub fn lies_in_a_value(&mut self, boundary: u64, span: Span) -> Result<bool, ReadError> {
        /// Whatever so many follow is no value.
        const MOST: usize = 64;
        self.position = boundary;
        let records = self.records_without_header(boundary, self.length)?;
        if span.end() <= records && (records == self.length || self.stands_at(records)?) {
            return Ok(true);
        }
        let mut end = span.end();
        for _ in 0..MOST {
            match self.sound_at(end)? {
                Some(next) => end = next.end(),
                None => {
                    let is_tail = self.is_zero_tail(end)?;
                    return Ok(!is_tail && self.goes_on_as_a_record(end, self.length)?);
                }
            }
        }
        Ok(false)
    }

    /// The record set that stands at a place with a right checksum.
    ///
    /// # Errors
    /// A read that failed.
    #[cold]
    pub fn sound_at(&mut self, position: u64) -> Result<Option<Span>, ReadError> {
        let span = self.framed_at(position)?.map(|framed| framed.at(position));
        Ok(match self.stands_at(position)? {
            true => span,
            false => None,
        })
    }

    /// Up to where what begins at `boundary` accounts for the bytes, as far as it tells.
    fn accounted_for(&mut self, boundary: u64, end: u64) -> Result<u64, ReadError> {
        let head = self.window.probe::<PROBE>(boundary)?;
        let size = head.and_then(|head| Frame::decode(&head).claimed_size());
        // A length that leads behind the damage is wrong: there stands what is sound.
        let own = size.map(|size| boundary.saturating_add(size));
        let own = own.filter(|own| *own <= end).unwrap_or(boundary);
        let reach = self.reach(boundary)?.end;
        let records = self.records_without_header(boundary, end)?;
        Ok(own.max(reach).max(records))
    }

    /// Where the records end that lie behind the place of a header at `position`, or begin in front
    /// of `end`, one behind the other: of a batch whose header is destroyed, if it is not
    /// compressed. `position` where there are none.
    fn records_without_header(&mut self, position: u64, end: u64) -> Result<u64, ReadError> {
        let size = u64::try_from(HEADER_SIZE).unwrap_or(u64::MAX);
        let (mut at, mut behind) = (position.saturating_add(size), position);
        while at < end && self.may_read_a_record() {
            let Some(record) = self.record_frame(at)? else {
                break;
            };
            at = record.end;
            behind = at;
        }
        Ok(behind)
    }

    /// Whether what begins at `at` looks like the end of a record behind its value: headers, and
    /// then another record, a sound record set, or `end`. The log's own record sets begin with a
    /// zero, and what follows that is none of these.
    fn goes_on_as_a_record(&mut self, at: u64, end: u64) -> Result<bool, ReadError> {
        let Some((headers, length)) = self.size_at(at)? else {
            return Ok(false);
        };
        let mut at = at.saturating_add(length);
        // A key and a value each.
        for _ in 0..headers.saturating_mul(2) {
            if at >= end || !self.may_read_a_record() {
                return Ok(false);
            }
            match self.part(at, end)? {
                Part::Ends(next) => at = next,
                _ => return Ok(false),
            }
        }
        if at >= end {
            return Ok(at == end);
        }
        Ok(self.stands_at(at)? || self.record_frame(at)?.is_some())
    }

    /// The first record set of magic 2 in a range whose checksum is right.
    fn sound_in(&mut self, range: Range<u64>) -> Result<Option<Span>, ReadError> {
        let Range { start, end } = range;
        let mut weighed = Passed::default();
        let mut from = start;
        while let Some(position) = self.next_plausible_in(from..end)? {
            from = position.saturating_add(1);
            let framed = self.framed_at(position)?;
            let Some(span) = framed.map(|framed| framed.at(position)) else {
                continue;
            };
            if span.magic == MAGIC
                && span.end() <= end
                && self.is_as_written(span)?
                && weighed.may_weigh(position.saturating_sub(start))
                && self.checksums(span)?
            {
                return Ok(Some(span));
            }
        }
        Ok(None)
    }

    fn next_plausible_in(&mut self, range: Range<u64>) -> Result<Option<u64>, ReadError> {
        let Range { start, end } = range;
        let mut base = start;
        while base < end {
            let bytes = self.window.bytes(base, STRIDE.saturating_add(PROBE))?;
            if let Some(found) = next_plausible(bytes, 0) {
                let position = base.saturating_add(u64::try_from(found).unwrap_or(u64::MAX));
                return Ok(Some(position).filter(|position| *position < end));
            }
            // The last 16 bytes begin no frame here; they are looked at again with what follows.
            let Some(advance) = bytes.len().checked_sub(PROBE) else {
                break;
            };
            let advance = u64::try_from(advance).unwrap_or(u64::MAX);
            base = base.saturating_add(advance).saturating_add(1);
        }
        Ok(None)
    }
}
