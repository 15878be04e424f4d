//! Whether the offsets of a batch's records lie where its header says, and rise.
//!
//! Kafka's classes add a record's delta to the base offset and ask no more: a broker that appends
//! gives the offsets anew, but one that copies a batch, or reads it, believes it.

use super::walk::Span;
use crate::format::batch::{self, HEADER_SIZE, Header};
use crate::format::number::Offset;
use crate::storage::damage::{Code, Damage};

/// The last offset by the header; the last there is where that does not fit.
fn last_offset(header: Header<'_>) -> Offset {
    let delta = i64::from(header.last_offset_delta());
    Offset(header.base_offset().0.saturating_add(delta))
}

/// Looks at one batch's offsets and remembers the first that is out of place or does not rise.
#[derive(Debug)]
pub struct RecordOffsets {
    span: Span,
    first: Offset,
    last: Offset,
    strays: u64,
    stray: Option<Offset>,
    /// The offset of the last record that was in place.
    before: Option<Offset>,
    falls: u64,
    /// The first that does not rise, behind the one in front of it.
    fall: Option<(Offset, Offset)>,
}

impl RecordOffsets {
    /// For the record set at `span`, of which `head` holds the first bytes. Messages of magic 0
    /// and 1 have no range that their records could leave.
    #[must_use]
    #[inline]
    pub fn new(span: Span, head: &[u8; HEADER_SIZE]) -> Self {
        let header = Header::new(head);
        let (first, last) = match span.magic {
            // A range that 64 bits cannot hold ends where they do.
            batch::MAGIC => (header.base_offset(), last_offset(header)),
            _ => (Offset(i64::MIN), Offset(i64::MAX)),
        };
        Self {
            span,
            first,
            last,
            strays: 0,
            stray: None,
            before: None,
            falls: 0,
            fall: None,
        }
    }

    /// Takes the offset of one of its records.
    #[inline]
    pub fn take(&mut self, offset: Offset) {
        if offset < self.first || offset > self.last || Some(offset) <= self.before {
            self.count(offset);
        } else {
            self.before = Some(offset);
        }
    }

    #[cold]
    fn count(&mut self, offset: Offset) {
        match self.before {
            Some(before) if offset >= self.first && offset <= self.last => {
                self.falls = self.falls.saturating_add(1);
                self.fall.get_or_insert((before, offset));
                self.before = Some(offset);
            }
            // What it would rise or fall from is no offset of this batch.
            _ => {
                self.strays = self.strays.saturating_add(1);
                self.stray.get_or_insert(offset);
            }
        }
    }

    /// Whether all offsets lay in the batch's range and rose.
    #[must_use]
    #[inline]
    pub const fn are_sound(&self) -> bool {
        self.strays == 0 && self.falls == 0
    }

    /// What is wrong with the offsets taken: of those out of place one damage, and one of those
    /// that do not rise.
    pub fn damage(&self) -> impl Iterator<Item = Damage> {
        [self.out_of_place(), self.not_rising()]
            .into_iter()
            .flatten()
    }

    /// [`Code::OffsetOverflow`] where the first that is out of place has no 64 bits to lie in, else
    /// [`Code::RecordMalformed`].
    fn out_of_place(&self) -> Option<Damage> {
        let Self { first, last, .. } = *self;
        let stray = self.stray?;
        // What was added to the base offset, which may have wrapped.
        let delta = stray.0.wrapping_sub(first.0);
        let (code, what) = match first.0.checked_add(delta) {
            Some(_) => (Code::RecordMalformed, format!("found {stray}")),
            None => (
                Code::OffsetOverflow,
                format!("found {first} + {delta}, which wraps to {stray}"),
            ),
        };
        let expected = format!("records with offsets {first} to {last}, {what}");
        Some(self.told(code, &expected, self.strays))
    }

    fn not_rising(&self) -> Option<Damage> {
        let (before, offset) = self.fall?;
        let how = if offset == before { "repeats" } else { "falls" };
        let expected = format!("offsets that rise, found {offset} behind {before}: it {how}");
        Some(self.told(Code::RecordMalformed, &expected, self.falls))
    }

    fn told(&self, code: Code, expected: &str, count: u64) -> Damage {
        let more = match count {
            1 => String::new(),
            _ => format!(", the first of {count}"),
        };
        Damage {
            position: self.span.position,
            size: 0,
            code,
            message: format!(
                "expected {expected}{more}; consumers see the offsets as they are shown"
            ),
        }
    }
}
