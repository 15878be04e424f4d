//! Finds the next good record set behind damage.
//!
//! The damaged one's own length comes first: when it lands on a record set that frames and
//! checksums, or exactly on the end of the file, that boundary wins over anything inside, since
//! values may well hold record sets of their own. Otherwise the first candidate wins that
//! checksums and whose successor frames or is the end.

use super::walk::{Span, Walk};
use crate::format::batch;
use crate::format::frame::{Frame, PROBE};
use crate::storage::source::ReadError;

/// Candidate positions looked at with one slice of the file.
const STRIDE: usize = 64 << 10;

impl Walk<'_> {
    /// The place of the next good record set behind `begin`, and how it was found.
    pub(super) fn resynchronise(
        &mut self,
        begin: u64,
        head: Option<Frame>,
    ) -> Result<Option<(u64, &'static str)>, ReadError> {
        let size = head.and_then(Frame::claimed_size);
        let own = size.map(|size| begin.saturating_add(size));
        if let Some(own) = own {
            if own < self.length && self.stands_at(own)? {
                return Ok(Some((own, "where the damaged length leads")));
            }
            if own == self.length {
                return Ok(None);
            }
        }
        if let Some(position) = self.first_good(begin.saturating_add(1))? {
            return Ok(Some((position, "the first whose checksum is right")));
        }
        if let Some(own) = own
            && self.is_zero_tail(own)?
        {
            return Ok(Some((own, "where the zeros at the end of the file begin")));
        }
        Ok(None)
    }

    /// A record set frames at `position` and its checksum is right.
    pub(super) fn stands_at(&mut self, position: u64) -> Result<bool, ReadError> {
        match self.framed_at(position)? {
            Some((size, magic)) => self.checksums(Span {
                position,
                size,
                magic,
            }),
            None => Ok(false),
        }
    }

    /// What begins at `position` may be the last record set of the file, cut by the file's end.
    pub(super) fn is_truncated_tail(&mut self, position: u64) -> Result<bool, ReadError> {
        let Some(head) = self.window.probe::<PROBE>(position)? else {
            return Ok(true);
        };
        let left = self.length.saturating_sub(position);
        Ok(Frame::decode(&head).size().is_some_and(|size| size > left))
    }

    /// The first good record set at or behind `from`, remembered: the file is searched once.
    pub(super) fn first_good(&mut self, from: u64) -> Result<Option<u64>, ReadError> {
        if let Some((searched_from, found)) = self.searched
            && searched_from <= from
            && found.is_none_or(|found| found >= from)
        {
            return Ok(found);
        }
        let found = self.search(from)?;
        self.searched = Some((from, found));
        Ok(found)
    }

    /// The first candidate at or behind `from` that checksums and leads somewhere.
    fn search(&mut self, from: u64) -> Result<Option<u64>, ReadError> {
        let mut base = from;
        loop {
            let mut skip = 0;
            let mut length = STRIDE.saturating_add(PROBE);
            loop {
                let bytes = self.window.bytes(base, length)?;
                length = bytes.len();
                let Some(found) = next_plausible(bytes, skip) else {
                    break;
                };
                let position = base.saturating_add(u64::try_from(found).unwrap_or(u64::MAX));
                if self.is_good(position)? {
                    return Ok(Some(position));
                }
                skip = found.saturating_add(1);
            }
            // The last 16 bytes begin no frame here; they are looked at again with what follows.
            let advance = length.saturating_sub(PROBE).saturating_add(1);
            if length < STRIDE.saturating_add(PROBE) {
                return Ok(None);
            }
            base = base.saturating_add(u64::try_from(advance).unwrap_or(u64::MAX));
        }
    }

    fn is_good(&mut self, position: u64) -> Result<bool, ReadError> {
        let Some((size, magic)) = self.framed_at(position)? else {
            return Ok(false);
        };
        let span = Span {
            position,
            size,
            magic,
        };
        if !self.is_as_written(span)? {
            return Ok(false);
        }
        Ok(self.leads_somewhere(span.end())? && self.checksums(span)?)
    }

    /// The end of the file lies at `position`, its last zeros, or the head of a record set, whole
    /// or cut.
    fn leads_somewhere(&mut self, position: u64) -> Result<bool, ReadError> {
        match self.window.probe::<PROBE>(position)? {
            Some(head) if Frame::decode(&head).size().is_some() => Ok(true),
            Some(_) => self.is_zero_tail(position),
            None => Ok(true),
        }
    }

    /// Cheap tests that every record set passes that Kafka wrote: they keep hostile bytes from
    /// costing a checksum at every position.
    fn is_as_written(&mut self, span: Span) -> Result<bool, ReadError> {
        const ATTRIBUTES_AT: u64 = 21;
        if span.magic == batch::MAGIC {
            let attributes = self
                .window
                .probe::<2>(span.position.saturating_add(ATTRIBUTES_AT))?;
            return Ok(attributes.is_some_and(|bytes| {
                !batch::Attributes(i16::from_be_bytes(bytes)).has_unknown_bits()
            }));
        }
        self.is_exact_message(span)
    }

    /// The key and value sizes of a message of magic 0 or 1 add up to its length.
    fn is_exact_message(&mut self, span: Span) -> Result<bool, ReadError> {
        const KEY_SIZE_AT_V0: u64 = 18;
        const KEY_SIZE_AT_V1: u64 = 26;
        let key_size_at = if span.magic == 0 {
            KEY_SIZE_AT_V0
        } else {
            KEY_SIZE_AT_V1
        };
        let mut at = span.position.saturating_add(key_size_at);
        for _ in ["key", "value"] {
            let Some(size) = self.window.probe::<4>(at)? else {
                return Ok(false);
            };
            let size = u64::try_from(i32::from_be_bytes(size)).unwrap_or(0);
            at = at.saturating_add(4).saturating_add(size);
        }
        Ok(at == span.end())
    }
}

/// The first position at or behind `skip` whose 17 bytes frame.
fn next_plausible(bytes: &[u8], skip: usize) -> Option<usize> {
    bytes
        .get(skip..)?
        .windows(PROBE)
        .position(|window| {
            window
                .first_chunk()
                .is_some_and(|head| Frame::decode(head).size().is_some())
        })
        .map(|found| found.saturating_add(skip))
}
