//! The short way for most batches: each follows on the one before, under the same leader epoch, and
//! says nothing new but what its producer has of it. Nobody who looks for something learns more of
//! a run of them than its end tells.

use super::{MOST_WAITING, Pass};
use crate::analysis::check::checker::CheckedBatch;
use crate::analysis::check::terms::Depth;
use crate::format::batch::{self, HEADER_SIZE, Header, MAGIC};
use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp, to_usize};
use crate::state::batch::{Batch, Control, Marker, Place, usual_marker};
use crate::state::read::{SegmentFile, batch_at};
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Span, Walk};
use crate::storage::source::{ReadError, Source};

/// The segment that is being read.
pub(super) struct Reading<'s> {
    pub(super) segment: &'s SegmentFile,
    pub(super) source: &'s Source,
    /// All its bytes, or none where it is not mapped.
    pub(super) mapped: &'s [u8],
    pub(super) reader: BatchReader<'s>,
    /// Looks into batches with a wrong checksum.
    pub(super) inside: Walk<'s>,
}

/// What the next batch of a run must be like, and what was of those so far.
struct Run {
    next_offset: Offset,
    leader_epoch: LeaderEpoch,
    /// Below this all offsets must lie.
    bound: Offset,
    checks_crc: bool,
    count: u64,
    bytes: u64,
    records: u64,
    last: Option<Span>,
    before: Option<Span>,
    /// The greatest timestamp of the segment, and the first batch of the run that has it, if one
    /// does.
    greatest: Timestamp,
    latest: Option<Span>,
}

impl Run {
    /// Whether a batch with this header belongs to the run, its checksum aside.
    #[inline]
    fn is_continued_by(&self, batch: &Batch) -> bool {
        let (first, last) = (batch.base_offset, batch.last_offset);
        batch.magic == MAGIC
            && batch.producer_id >= ProducerId::NONE
            && batch.partition_leader_epoch == self.leader_epoch
            && first == self.next_offset
            && last >= first
            && last < self.bound
            && i64::from(batch.count) > last.0.wrapping_sub(first.0)
    }

    #[inline]
    fn take(&mut self, batch: &Batch, span: Span) {
        self.next_offset = batch.next_offset();
        self.count += 1;
        self.bytes += u64::from(span.size);
        self.records += u64::from(batch.count.cast_unsigned());
        self.before = self.last.replace(span);
        if batch.max_timestamp > self.greatest {
            self.greatest = batch.max_timestamp;
            self.latest = Some(span);
        }
    }
}

impl Pass<'_, '_> {
    /// Takes batches in as long as they are such, `most` of them at most; gives how many.
    pub(super) fn run(
        &mut self,
        walk: &mut Walk<'_>,
        reading: &Reading<'_>,
        most: u64,
    ) -> Result<u64, ReadError> {
        let Some(mut run) = self.begin_run(reading) else {
            return Ok(0);
        };
        while run.count < most
            && self.look.ledger.waiting() < MOST_WAITING
            && walk.step_if(|span| self.follow(&mut run, span, reading).is_some())
        {}
        if run.count > 0 {
            self.end_run(&run, walk, reading)?;
        }
        Ok(run.count)
    }

    fn begin_run(&self, reading: &Reading<'_>) -> Option<Run> {
        let next_offset = self.belief.state.next_offset();
        let (last, leader_epoch) = self.neighbours.last()?;
        let base = reading.segment.base_offset;
        let beyond_index = base.0.saturating_add(i64::from(i32::MAX)).saturating_add(1);
        let may_begin = !reading.mapped.is_empty()
            && self.terms.depth < Depth::Records
            && leader_epoch >= LeaderEpoch(0)
            && next_offset > last
            && next_offset >= Offset(0)
            && self.strands.may_be_followed(next_offset)
            && self.belief.state.may_be_followed();
        may_begin.then_some(Run {
            next_offset,
            leader_epoch,
            bound: self.wanted.min(Offset(beyond_index)),
            checks_crc: self.terms.depth >= Depth::Crc,
            count: 0,
            bytes: 0,
            records: 0,
            last: None,
            before: None,
            greatest: self.neighbours.greatest()?,
            latest: None,
        })
    }

    /// Takes a batch in where it belongs to the run.
    #[inline]
    fn follow(&mut self, run: &mut Run, span: Span, reading: &Reading<'_>) -> Option<()> {
        let start = usize::try_from(span.position).ok()?;
        let end = start.checked_add(to_usize(span.size))?;
        let bytes = reading.mapped.get(start..end)?;
        let head: &[u8; HEADER_SIZE] = bytes.first_chunk()?;
        let batch = Batch::new(
            head,
            Place {
                segment: reading.segment.base_offset,
                position: span.position,
                size: span.size,
            },
        );
        if !run.is_continued_by(&batch) {
            return None;
        }
        let has_producer = batch.producer_id != ProducerId::NONE;
        let marker = match batch.is_control {
            true if has_producer => Some(usual_marker(bytes)?),
            true => return None,
            false => None,
        };
        if run.checks_crc && batch::computed_crc(bytes) != Header::new(head).stored_crc() {
            return None;
        }
        run.take(&batch, span);
        if self.look.tells_batches() {
            self.tell(batch, marker);
        }
        if has_producer {
            self.strands.follow(&batch, marker);
            self.belief.state.follow(batch, marker, &mut self.look);
        }
        Some(())
    }

    /// The copy is made here, so that a batch of which nobody is told never lies in memory.
    #[inline(never)]
    fn tell(&mut self, batch: Batch, marker: Option<Marker>) {
        let control = marker.map(Control::Marker);
        self.look.batch(&CheckedBatch {
            batch: &batch,
            control: control.as_ref(),
            is_valid: true,
            greatest_timestamp: None,
        });
    }

    /// Hands on what its batches have in common.
    fn end_run(
        &mut self,
        run: &Run,
        walk: &mut Walk<'_>,
        reading: &Reading<'_>,
    ) -> Result<(), ReadError> {
        self.tally.batches += run.count;
        self.tally.bytes_checked += run.bytes;
        self.tally.records += run.records;
        let base = reading.segment.base_offset;
        let mut batch = |span: Option<Span>| {
            span.map(|span| batch_at(walk, reading.mapped, base, span))
                .transpose()
        };
        let (before, last, latest) = (batch(run.before)?, batch(run.last)?, batch(run.latest)?);
        let told = [before.as_ref(), last.as_ref(), latest.as_ref()];
        self.neighbours.followed(told);
        self.look.producers.followed();
        self.strands.followed(run.next_offset);
        if let Some(last) = &last {
            self.belief.state.followed(run.count, last);
        }
        if self.look.ledger.waiting() >= MOST_WAITING {
            reading.source.check()?;
            self.look.ledger.flush();
        }
        Ok(())
    }
}
