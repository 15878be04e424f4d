//! The one pass over the log of a partition that feeds all who look for something.

use std::fs;
use std::ops::ControlFlow;

use super::checker::{CheckedBatch, Checker, Found};
use super::finding::Finding;
use super::terms::{Depth, Tally, Terms};
use super::watch::Watch;
use crate::analysis::belief::{Belief, Question, begin, begin_without_snapshot};
use crate::format::number::Offset;
use crate::format::txn_index::AbortedTxn;
use crate::state::batch::{Batch, Control, control};
use crate::state::read::{ReadOptions, SegmentFile, batch_at};
use crate::state::replay::Visitor;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::Damage;
use crate::storage::directory::PartitionDirectory;
use crate::storage::segment::contents::BatchReader;
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};

/// How many batches lie between two words about how far the reading is.
const PACE: u64 = 1024;

/// Checks the log of a partition: walks over each segment once, replays it, and tells `checkers`
/// of what goes by. Findings come as they are met; all of one file only as long as what was read
/// of it can be believed. A segment that cannot be read hides no other: `watch` is told, and its
/// bytes count as skipped.
pub fn check_partition(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    terms: &Terms,
    checkers: &mut [&mut dyn Checker],
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Tally {
    let question = Question {
        rules: terms.rules,
        at: None,
        read: ReadOptions {
            access: terms.access,
            check_crc: terms.depth >= Depth::Crc,
        },
        expiry: None,
    };
    let (belief, segments) = match begin(directory, checkpoints, &question) {
        Ok(begun) => begun,
        Err(error) => {
            watch.unread(error);
            begin_without_snapshot(directory, checkpoints, &question)
        }
    };
    let mut pass = Pass {
        terms,
        belief,
        look: Look {
            checkers,
            found,
            topic_partition: String::new(),
            pending: Vec::new(),
        },
        tally: Tally {
            partitions: 1,
            ..Tally::default()
        },
    };
    pass.look
        .topic_partition
        .clone_from(&pass.belief.topic_partition);
    for segment in &segments {
        pass.segment(segment, watch);
    }
    pass.end();
    debug_assert!(pass.tally.is_complete(), "{:?}", pass.tally);
    pass.tally
}

/// A pass under way.
struct Pass<'p, 'c> {
    terms: &'p Terms,
    belief: Belief,
    look: Look<'p, 'c>,
    tally: Tally,
}

/// Those who look, and what they have found.
struct Look<'p, 'c> {
    checkers: &'p mut [&'c mut dyn Checker],
    found: Found<'p>,
    topic_partition: String,
    /// Findings of the segment that is being read: to be told when its bytes can be believed.
    pending: Vec<Finding>,
}

impl Look<'_, '_> {
    fn each(&mut self, mut tell: impl FnMut(&mut dyn Checker, Found<'_>)) {
        let Self {
            checkers, pending, ..
        } = self;
        for checker in checkers.iter_mut() {
            tell(*checker, &mut |finding| pending.push(finding));
        }
    }

    fn flush(&mut self) {
        for mut finding in self.pending.drain(..) {
            let name = &self.topic_partition;
            finding.topic_partition.get_or_insert_with(|| name.clone());
            (self.found)(finding);
        }
    }
}

impl Visitor for Look<'_, '_> {
    fn aborted(&mut self, _: Offset, aborted: &AbortedTxn) {
        self.each(|checker, found| checker.aborted(aborted, found));
    }
}

impl Pass<'_, '_> {
    fn segment(&mut self, segment: &SegmentFile, watch: &mut dyn Watch) {
        self.tally.segments += 1;
        let source = match Source::open(&segment.path, self.terms.access) {
            Ok(source) => source,
            Err(error) => {
                let size = fs::metadata(&segment.path).map_or(0, |metadata| metadata.len());
                self.skip(size, watch);
                watch.unread(error);
                return;
            }
        };
        let before = self.tally;
        self.tally.bytes_present += source.len();
        let read = self.read(segment, &source, watch);
        if let Err(error) = read.and_then(|()| source.check()) {
            self.look.pending.clear();
            self.tally = before;
            self.skip(source.len(), watch);
            watch.unread(error);
        }
        self.look.flush();
    }

    fn skip(&mut self, bytes: u64, watch: &mut dyn Watch) {
        self.tally.bytes_present += bytes;
        self.tally.bytes_skipped += bytes;
        watch.advanced(bytes);
    }

    fn read(
        &mut self,
        segment: &SegmentFile,
        source: &Source,
        watch: &mut dyn Watch,
    ) -> Result<(), ReadError> {
        let state = &mut self.belief.state;
        state.begin_segment(segment.base_offset);
        self.look
            .each(|checker, found| checker.begin_segment(segment, found));
        let mapped = source.as_slice().unwrap_or_default();
        let mut walk = Walk::new(source);
        let mut reader = BatchReader::new(source, self.terms.max_record_bytes);
        let mut told = 0;
        while let Some(piece) = walk.next_piece()? {
            match piece {
                Piece::Batch(span) => {
                    let batch = batch_at(&mut walk, mapped, segment.base_offset, span)?;
                    self.batch(&batch, span, &mut reader)?;
                }
                Piece::Damage(damage) => {
                    self.tally.bytes_damaged += damage.size;
                    self.damage(segment, &damage);
                }
            }
            if self.tally.batches.is_multiple_of(PACE) {
                watch.advanced(walk.position() - told);
                told = walk.position();
            }
        }
        watch.advanced(source.len() - told);
        self.belief.state.end_segment(&mut self.look);
        self.look.each(|checker, found| checker.end_segment(found));
        Ok(())
    }

    fn damage(&mut self, segment: &SegmentFile, damage: &Damage) {
        let finding = Finding::of_damage(&segment.path, damage);
        self.look.pending.push(finding);
        self.look
            .each(|checker, found| checker.damage(damage, found));
    }

    fn batch(
        &mut self,
        batch: &Batch,
        span: Span,
        reader: &mut BatchReader<'_>,
    ) -> Result<(), ReadError> {
        self.tally.batches += 1;
        let is_valid = match self.terms.depth >= Depth::Crc {
            true => reader.load(span)?.checksum()?.is_valid(),
            false => true,
        };
        if !is_valid {
            self.tally.bytes_damaged += u64::from(span.size);
            self.tell(batch, None, false);
            return Ok(());
        }
        self.tally.bytes_checked += u64::from(span.size);
        self.tally.records += u64::try_from(batch.count).unwrap_or(0);
        let control: Option<Control> = match batch.is_control {
            true => Some(control(&mut reader.load(span)?)?),
            false => None,
        };
        self.tell(batch, control.as_ref(), true);
        let state = &mut self.belief.state;
        let _: ControlFlow<()> = state.batch(batch, control.as_ref(), &mut self.look);
        Ok(())
    }

    fn tell(&mut self, batch: &Batch, control: Option<&Control>, is_valid: bool) {
        let checked = CheckedBatch {
            batch,
            control,
            is_valid,
            greatest_timestamp: None,
        };
        self.look
            .each(|checker, found| checker.batch(&checked, found));
    }

    fn end(&mut self) {
        let state = &self.belief.state;
        self.look.each(|checker, found| checker.end(state, found));
        self.look.flush();
    }
}
