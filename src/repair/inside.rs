//! Sound batches inside damage, between two places that are damaged: those that are the log's own.
//!
//! Reading goes on behind damage where a sound batch leads to another one, so a single one between
//! two damaged ones is passed over. It is kept where no byte shows it to lie in a value
//! ([`Walk::lone_record_set`]), its records decode, and its offsets and its leader epoch lie
//! between those of the sound batches around the damage. Without a batch behind the damage, nor a
//! segment, nothing bounds its offsets, and it stays out.
//!
//! And those that are not: behind a header that is destroyed reading goes on with the first sound
//! batch, be it one of a value ([`Walk::lies_in_a_value`]).

use super::survey::{Bad, Good, Seen, bad_stretch, batch};
use crate::format::batch::MAGIC;
use crate::format::number::{LeaderEpoch, Offset};
use crate::state::batch::{Batch, Place};
use crate::state::read::SegmentFile;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Span, Walk};
use crate::storage::source::{ReadError, Source};

/// Takes damage apart where sound batches lie in it.
pub(super) struct Inside<'a> {
    file: &'a SegmentFile,
    walk: Walk<'a>,
    /// Where the next segment begins.
    limit: Option<Offset>,
    /// The offset behind the last sound batch, its leader epoch and its magic.
    before: (Offset, LeaderEpoch, u8),
    /// Where damage began behind which no batch of the log has come yet.
    damaged_from: Option<u64>,
}

/// Between which offsets and leader epochs a batch must lie.
#[derive(Debug, Clone, Copy)]
struct Room {
    first: Offset,
    upto: Offset,
    epoch: LeaderEpoch,
    last_epoch: LeaderEpoch,
}

impl Room {
    fn has(&self, good: &Good) -> bool {
        let Batch {
            last_offset,
            partition_leader_epoch: epoch,
            ..
        } = good.batch;
        self.first <= good.first
            && last_offset < self.upto
            && self.epoch <= epoch
            && epoch <= self.last_epoch
    }
}

impl<'a> Inside<'a> {
    pub(super) fn new(source: &'a Source, file: &'a SegmentFile, limit: Option<Offset>) -> Self {
        Self {
            file,
            walk: Walk::new(source),
            limit,
            before: (file.base_offset, LeaderEpoch(-1), MAGIC),
            damaged_from: None,
        }
    }

    /// A record set behind damage, if it lies in a value of what was damaged: that goes too.
    ///
    /// # Errors
    /// A read that failed.
    pub(super) fn of_a_value(&mut self, span: Span) -> Result<Option<Seen>, ReadError> {
        let Some(boundary) = self.damaged_from else {
            return Ok(None);
        };
        if !self.walk.lies_in_a_value(boundary, span)? {
            self.damaged_from = None;
            return Ok(None);
        }
        let damage = Damage {
            position: span.position,
            size: span.size.into(),
            code: Code::BadBatchHeader,
            message: "a batch in a value of the damaged one in front of it".to_owned(),
        };
        let bad = bad_stretch(&mut self.walk, &damage)?;
        Ok(Some(Seen::Bad(Bad { claim: None, ..bad })))
    }

    /// A sound batch goes by.
    pub(super) fn pass(&mut self, good: &Good) {
        let batch = &good.batch;
        let next = batch.next_offset();
        self.before = (next, batch.partition_leader_epoch, batch.magic);
    }

    /// Damage, taken apart: what is damaged, and what is not.
    ///
    /// # Errors
    /// A read that failed.
    pub(super) fn apart(
        &mut self,
        reader: &mut BatchReader<'_>,
        damage: &Damage,
    ) -> Result<Vec<Seen>, ReadError> {
        let begin = damage.position;
        let end = begin.saturating_add(damage.size);
        let mut pieces = Vec::new();
        let (mut boundary, mut from) = (begin, begin.saturating_add(1));
        let mut room = match damage.code {
            Code::ZeroTail => None,
            _ => self.room(reader, end)?,
        };
        while let Some(between) = &mut room
            && let Some(span) = self.walk.lone_record_set(boundary, from..end)?
        {
            from = span.end();
            let Seen::Good(good) = batch(reader, self.file, span, true)? else {
                continue;
            };
            if !between.has(&good) {
                continue;
            }
            between.first = good.batch.next_offset();
            between.epoch = good.batch.partition_leader_epoch;
            pieces.push(self.part(damage, boundary..span.position)?);
            pieces.push(Seen::Good(good));
            boundary = span.end();
        }
        self.damaged_from = Some(self.damaged_from.unwrap_or(begin));
        if boundary > begin {
            self.damaged_from = Some(boundary);
        }
        if boundary < end {
            pieces.push(self.part(damage, boundary..end)?);
        }
        Ok(pieces)
    }

    /// A part of damage, or all of it.
    fn part(&mut self, damage: &Damage, range: std::ops::Range<u64>) -> Result<Seen, ReadError> {
        let size = range.end.saturating_sub(range.start);
        if size == damage.size {
            return Ok(Seen::Bad(bad_stretch(&mut self.walk, damage)?));
        }
        let side = match range.start == damage.position {
            true => "in front of",
            false => "behind",
        };
        let part = Damage {
            position: range.start,
            size,
            code: damage.code,
            message: format!(
                "{size} bytes of damage {side} a batch whose checksum is right and whose offsets \
                 fit between those that stay"
            ),
        };
        Ok(Seen::Bad(bad_stretch(&mut self.walk, &part)?))
    }

    /// What the sound batches around damage that reaches up to `end` leave between them.
    fn room(&mut self, reader: &mut BatchReader<'_>, end: u64) -> Result<Option<Room>, ReadError> {
        let (first, epoch, magic) = self.before;
        let behind = match self.walk.sound_at(end)? {
            Some(span) => Some(self.batch(reader, span)?),
            None => None,
        };
        let begins = behind.as_ref().map(|batch| batch.base_offset);
        let upto = begins.into_iter().chain(self.limit).min();
        let last_epoch = match &behind {
            Some(batch) => batch.partition_leader_epoch,
            None => LeaderEpoch(i32::MAX),
        };
        let is_new = magic >= MAGIC && behind.is_none_or(|batch| batch.magic >= MAGIC);
        Ok(upto.filter(|_| is_new).map(|upto| Room {
            first,
            upto,
            epoch,
            last_epoch,
        }))
    }

    fn batch(&self, reader: &mut BatchReader<'_>, span: Span) -> Result<Batch, ReadError> {
        let place = Place {
            segment: self.file.base_offset,
            position: span.position,
            size: span.size,
        };
        Ok(Batch::new(reader.load(span)?.head(), place))
    }
}
