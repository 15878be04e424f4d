//! Finds the next good record set behind damage.
//!
//! The damaged one's own length comes first: when it lands on a record set that frames and
//! checksums, or exactly on the end of the file, that boundary wins over anything inside, since
//! values may well hold record sets of their own. Next comes where its records end by their own
//! sizes (`reach.rs`): what they account for is not searched. Otherwise the first candidate wins
//! that checksums and whose successor frames or is the end. What checksums and does not win is
//! counted, so that the damage can say that it is there.

use std::ops::Range;

use super::reach::BEHIND_NEIGHBOUR;
use super::walk::{Span, Walk};
use crate::format::batch;
use crate::format::frame::{Frame, PROBE};
use crate::storage::source::ReadError;

/// Candidate positions looked at with one slice of the file.
pub(super) const STRIDE: usize = 64 << 10;

/// Where reading goes on behind damage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Onward {
    /// The place, and how it was found; `None` when all that is left is damage.
    pub(super) next: Option<(u64, &'static str)>,
    /// What was passed over on the way.
    pub(super) passed: Passed,
}

/// Record sets, none inside another, with a right checksum, that are not read all the same: they
/// lead to no other, or the length of the damaged one reaches beyond them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passed {
    /// How many.
    count: u64,
    /// Where the first begins.
    first: u64,
    /// Where the last ends.
    end: u64,
    /// How many were worth a checksum, right or wrong.
    weighed: u64,
    /// There were too many to weigh them all.
    is_least: bool,
}

/// A search for a good record set: from where, and what it found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Searched {
    from: u64,
    pub(super) found: Option<u64>,
    passed: Passed,
}

impl Walk<'_> {
    /// Where reading goes on behind the damage that begins at `begin`.
    pub(super) fn resynchronise(
        &mut self,
        begin: u64,
        head: Option<Frame>,
    ) -> Result<Onward, ReadError> {
        let size = head.and_then(Frame::claimed_size);
        let own = size.map(|size| begin.saturating_add(size));
        if let Some(own) = own {
            if own < self.length && self.stands_at(own)? {
                return self.past(begin, own, Some("where its length leads"));
            }
            if own == self.length {
                return self.past(begin, own, None);
            }
            if self.is_where_zeros_begin(own)? {
                let why = "where its length leads and the zeros that end the file begin";
                return self.past(begin, own, Some(why));
            }
        }
        let reach = self.reach(begin)?;
        if let Some(why) = reach.why
            && reach.end < self.length
        {
            return Ok(Onward {
                next: Some((reach.end, why)),
                passed: Passed::default(),
            });
        }
        let behind = begin.saturating_add(1);
        let from = reach.end.max(behind);
        if let Some(own) = own
            && let Some(end) = self.neighbour_leads(begin, own)?
        {
            return Ok(Onward {
                next: (end < self.length).then_some((end, BEHIND_NEIGHBOUR)),
                passed: self.scan(from..own, false)?.passed,
            });
        }
        let Searched { found, passed, .. } = self.first_good_from(from)?;
        if let Some(found) = found {
            let why = "the first record set whose checksum is right and which leads to another or \
                       to the end";
            return Ok(Onward {
                next: Some((found, why)),
                passed,
            });
        }
        if let Some(own) = own
            && self.is_zero_tail(own)?
        {
            return Ok(Onward {
                next: Some((own, "where only zeros follow up to the end of the file")),
                passed,
            });
        }
        if passed.count == 0 && from > behind {
            // What its records seem to account for is told: they may be what is damaged.
            return self.past(begin, self.length, None);
        }
        Ok(Onward { next: None, passed })
    }

    /// Onward past all that lies between `begin` and `end`, with what is sound in there; without a
    /// reason to go on there, all that is left is damage.
    fn past(
        &mut self,
        begin: u64,
        end: u64,
        why: Option<&'static str>,
    ) -> Result<Onward, ReadError> {
        let inside = self.scan(begin.saturating_add(1)..end, false)?;
        Ok(Onward {
            next: why.map(|why| (end, why)),
            passed: inside.passed,
        })
    }

    /// The sound record sets inside one with a wrong checksum that its records do not account for,
    /// as the end of a sentence: its length may be what is wrong, and lead past others.
    ///
    /// A walk that is asked this is moved; it is to be asked in the order of the file.
    ///
    /// # Errors
    /// A read that failed.
    #[cold]
    pub fn swallowed_by(&mut self, span: Span) -> Result<String, ReadError> {
        self.position = span.position;
        self.end_with(span);
        let from = self.behind_records(span)?;
        Ok(self.scan(from..span.end(), false)?.passed.told())
    }

    /// A record set frames at `position` and its checksum is right.
    pub(super) fn stands_at(&mut self, position: u64) -> Result<bool, ReadError> {
        match self.framed_at(position)? {
            Some(framed) => self.checksums(framed.at(position)),
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
        if let Some(Searched {
            from: searched_from,
            found,
            ..
        }) = self.searched
            && searched_from <= from
            && found.is_none_or(|found| found >= from)
        {
            return Ok(found);
        }
        Ok(self.first_good_from(from)?.found)
    }

    /// The same, with what was passed over.
    fn first_good_from(&mut self, from: u64) -> Result<Searched, ReadError> {
        match self.searched {
            Some(known) if known.from == from => Ok(known),
            _ => {
                let searched = self.scan(from..self.length, true)?;
                self.searched = Some(searched);
                Ok(searched)
            }
        }
    }

    /// Looks at every place in a range where a good record set could begin: up to the first, or
    /// counting them all.
    pub(super) fn scan(
        &mut self,
        range: Range<u64>,
        is_search: bool,
    ) -> Result<Searched, ReadError> {
        let Range { start: from, end } = range;
        let mut searched = Searched {
            from,
            found: None,
            passed: Passed::default(),
        };
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
                if position >= end {
                    return Ok(searched);
                }
                if let Some(span) = self.good_at(position, &mut searched)? {
                    if is_search {
                        searched.found = Some(position);
                        return Ok(searched);
                    }
                    searched.passed.add(span);
                }
                skip = found.saturating_add(1);
            }
            // The last 16 bytes begin no frame here; they are looked at again with what follows.
            let advance = length.saturating_sub(PROBE).saturating_add(1);
            base = base.saturating_add(u64::try_from(advance).unwrap_or(u64::MAX));
            if length < STRIDE.saturating_add(PROBE) || base >= end {
                return Ok(searched);
            }
        }
    }

    /// The record set at `position` that checksums and leads somewhere. One that checksums and
    /// leads nowhere is counted.
    fn good_at(
        &mut self,
        position: u64,
        searched: &mut Searched,
    ) -> Result<Option<Span>, ReadError> {
        let Some(span) = self.framed_at(position)?.map(|framed| framed.at(position)) else {
            return Ok(None);
        };
        if !self.is_as_written(span)? {
            return Ok(None);
        }
        if self.leads_somewhere(span.end())? {
            return Ok(self.checksums(span)?.then_some(span));
        }
        let behind = position.saturating_sub(searched.from);
        if searched.passed.may_weigh(behind) && self.checksums(span)? {
            searched.passed.add(span);
        }
        Ok(None)
    }

    /// The end of the file lies at `position`, its last zeros, or the head of a record set, whole
    /// or cut.
    fn leads_somewhere(&mut self, position: u64) -> Result<bool, ReadError> {
        // Through the window that a checksum of what ends here will look through.
        match self.aside.probe::<PROBE>(position)? {
            Some(head) if Frame::decode(&head).size().is_some() => Ok(true),
            Some(_) => self.is_zero_tail(position),
            None => Ok(true),
        }
    }

    /// Cheap tests that every record set passes that Kafka wrote: they keep hostile bytes from
    /// costing a checksum at every position.
    pub(super) fn is_as_written(&mut self, span: Span) -> Result<bool, ReadError> {
        const ATTRIBUTES_AT: u64 = 21;
        if span.magic == batch::MAGIC {
            let attributes = self
                .window
                .probe::<2>(span.position.saturating_add(ATTRIBUTES_AT))?;
            return Ok(attributes.is_some_and(|bytes| {
                !batch::Attributes(i16::from_be_bytes(bytes)).has_unknown_bits()
            }));
        }
        self.is_exact_message(span.position, span.magic, span.size.into())
    }

    /// Whether a length is right although what it leads to is an unlikely successor: a length that
    /// is off by a few bytes may lead to bytes that frame by accident, and would take the head of
    /// the next record set with it.
    #[cold]
    pub(super) fn bears_out(&mut self, span: Span, next: u64) -> Result<bool, ReadError> {
        // A message that says its size twice is no accident.
        if let Some(next) = self.framed_at(next)?.map(|framed| framed.at(next))
            && next.magic != batch::MAGIC
            && self.is_as_written(next)?
        {
            return Ok(true);
        }
        if self.checksums(span)? || self.stands_at(next)? {
            return Ok(true);
        }
        self.grow_to_end()?;
        if self.neighbour_leads(span.position, next)?.is_some() {
            return Ok(true);
        }
        let from = self.behind_records(span)?;
        Ok(self.first_good(from)?.is_none_or(|found| found >= next))
    }

    /// The first place in or behind a record set that its records do not account for.
    fn behind_records(&mut self, span: Span) -> Result<u64, ReadError> {
        Ok(self
            .reach(span.position)?
            .end
            .max(span.position.saturating_add(1)))
    }

    /// Whether a record set stands although no other one follows it.
    #[cold]
    pub(super) fn is_trusted(&mut self, span: Span) -> Result<bool, ReadError> {
        let tail = span.end();
        if self.checksums(span)? {
            return Ok(true);
        }
        self.grow_to_end()?;
        if !self.is_zero_tail(tail)? && !self.is_truncated_tail(tail)? {
            return Ok(false);
        }
        if self.is_where_zeros_begin(tail)? {
            return Ok(true);
        }
        // A wrong length leads to such a tail as easily as a right one, past good record sets.
        let from = self.behind_records(span)?;
        match self.first_good(from)? {
            // Those behind the head of a record set that was cut lie in its values.
            Some(found) => Ok(found >= tail && self.is_cut_at(tail)?),
            None => Ok(true),
        }
    }
}

impl Passed {
    /// Whether one more may cost a checksum, after this many bytes of searching: as many as there
    /// could be record sets, and not one at every byte.
    pub(super) fn may_weigh(&mut self, searched: u64) -> bool {
        const SOME: u64 = 64;
        const LEAST_SIZE: u64 = 61;
        let most = searched.div_euclid(LEAST_SIZE).saturating_add(SOME);
        self.is_least |= self.weighed >= most;
        self.weighed = self.weighed.saturating_add(1).min(most);
        !self.is_least
    }

    /// Counts one more; what lies inside another is not the log's own.
    fn add(&mut self, span: Span) {
        if self.count == 0 {
            self.first = span.position;
        }
        if span.position >= self.end {
            self.count = self.count.saturating_add(1);
            self.end = span.end();
        }
    }

    /// What a message says of them, as the end of a sentence.
    pub(super) fn told(self) -> String {
        let Self { count, first, .. } = self;
        let least = if self.is_least { "at least " } else { "" };
        let (sets, have) = match count {
            0 => return String::new(),
            1 => ("record set", "has"),
            _ => ("record sets", "have"),
        };
        let byte = first.saturating_add(1);
        format!(
            "; inside, {least}{count} {sets} {have} a right checksum, the first at position \
             {first}: `tail -c +{byte}` cuts it out"
        )
    }
}

/// The first position at or behind `skip` whose 17 bytes frame.
pub(super) fn next_plausible(bytes: &[u8], skip: usize) -> Option<usize> {
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
