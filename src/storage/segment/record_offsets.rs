//! Whether the offsets of a batch's records lie where its header says.
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

/// Looks at one batch's offsets and remembers the first that is out of place.
#[derive(Debug)]
pub struct RecordOffsets {
    span: Span,
    first: Offset,
    last: Offset,
    strays: u64,
    example: Option<Offset>,
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
            example: None,
        }
    }

    /// Takes the offset of one of its records.
    #[inline]
    pub fn take(&mut self, offset: Offset) {
        if offset < self.first || offset > self.last {
            self.count(offset);
        }
    }

    #[cold]
    fn count(&mut self, stray: Offset) {
        self.strays = self.strays.saturating_add(1);
        self.example.get_or_insert(stray);
    }

    /// Whether an offset was out of place.
    #[must_use]
    #[inline]
    pub const fn has_strays(&self) -> bool {
        self.strays > 0
    }

    /// What is wrong with the offsets taken, once a batch: [`Code::OffsetOverflow`] where the
    /// first that is out of place has no 64 bits to lie in, else [`Code::RecordMalformed`].
    #[must_use]
    pub fn damage(self) -> Option<Damage> {
        let Self {
            first,
            last,
            strays,
            example: Some(stray),
            ..
        } = self
        else {
            return None;
        };
        // What was added to the base offset, which may have wrapped.
        let delta = stray.0.wrapping_sub(first.0);
        let (code, what) = match first.0.checked_add(delta) {
            Some(_) => (Code::RecordMalformed, format!("found {stray}")),
            None => (
                Code::OffsetOverflow,
                format!("found {first} + {delta}, which wraps to {stray}"),
            ),
        };
        let more = match strays {
            1 => String::new(),
            _ => format!(", the first of {strays}"),
        };
        Some(Damage {
            position: self.span.position,
            size: 0,
            code,
            message: format!(
                "expected records with offsets {first} to {last}, {what}{more}; consumers see the \
                 offsets as they are shown"
            ),
        })
    }
}
