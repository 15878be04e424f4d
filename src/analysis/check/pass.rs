//! The one pass over the log of a partition that feeds all who look for something.

mod place;
mod run;

use std::fs;

use super::checker::{CheckedBatch, Checker, Found};
use super::collisions;
use super::finding::{Evidence, Finding};
use super::hanging::{self, Others};
use super::ledger::{Ledger, MOST_WAITING};
use super::look::Look;
use super::neighbours::Neighbours;
use super::producers::Producers;
use super::records::{Records, stored_count};
use super::setting::is_taken_as_closed;
use super::snapshots::Snapshots;
use super::terms::{Depth, Tally, Terms};
use super::walk_damage::{self, Around};
use super::watch::Watch;
use crate::analysis::belief::{Belief, Question, begin, begin_without_snapshot};
use crate::analysis::event_verdict::EventJudge;
use crate::analysis::snapshot_queue::Reached;
use crate::analysis::strands::{self, Strands};
use crate::analysis::witness::is_turn;
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::{Batch, Control, control};
use crate::state::log_end::named_end;
use crate::state::read::{ReadOptions, SegmentFile, batch_at};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::Damage;
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::DirectoryState;
use crate::storage::segment::batch_faults::crc_mismatch;
use crate::storage::segment::contents::{BatchReader, Checksum, Entry};
use crate::storage::segment::control_faults::control_fault;
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};
use run::Reading;
use std::ops::ControlFlow;

/// How many batches lie between two words about how far the reading is.
const PACE: u64 = 1024;
/// So many ids that two writers share are told.
const MOST_COLLISIONS: usize = 100;

/// Checks the log of a partition: walks over each segment once, replays it, and tells `checkers`
/// of what goes by. Findings come as they are met; all of one file only as long as what was read
/// of it can be believed. A segment that cannot be read hides no other: `watch` is told, and its
/// bytes count as skipped.
///
/// # Panics
/// Never, unless bytes were counted wrongly: each is checked, damaged or skipped.
pub fn check_partition(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    terms: &Terms,
    checkers: &mut [&mut dyn Checker],
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Tally {
    let none = Default::default();
    check_opened(none, directory, checkpoints, terms, checkers, watch, found)
}

/// As [`check_partition`], with the first segment open already, an input that can be read once, or
/// with those who know more of transactions.
pub(super) fn check_opened(
    beside: (Option<Source>, Others<'_>),
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
    let name = directory.name.as_ref();
    let judge = EventJudge::new(terms.expiration_ms, name);
    let options = strands::Options {
        expiration_ms: terms.expiration_ms,
        log_start: Some(belief.log_start_offset),
        most_findings: MOST_COLLISIONS,
    };
    let snapshots = Snapshots::new(directory, &belief, &segments, terms);
    let is_clean = is_taken_as_closed(directory, checkpoints);
    let producers = Producers::new(&segments, is_clean, judge, terms.rules);
    let ledger = Ledger::new(&belief.topic_partition, found);
    let mut pass = Pass {
        beside,
        terms,
        belief,
        look: Look::new(checkers, producers, ledger),
        neighbours: Neighbours::new(named_end(directory)),
        records: Records::of(name),
        snapshots,
        strands: Strands::new(options).of(name),
        wanted: Offset(i64::MAX),
        invalid_end: Offset(0),
        tally: Tally {
            partitions: 1,
            ..Tally::default()
        },
        is_all_read: true,
        is_cancelled: false,
    };
    pass.begin(watch);
    for segment in &segments {
        pass.segment(segment, watch);
    }
    let tally = pass.tally;
    pass.end(directory, checkpoints, watch);
    assert!(tally.is_complete(), "{tally:?}");
    tally
}

/// A pass under way.
struct Pass<'p, 'c> {
    /// The next segment, where it is open already, and who knows more of transactions.
    beside: (Option<Source>, Others<'p>),
    terms: &'p Terms,
    belief: Belief,
    look: Look<'p, 'c>,
    neighbours: Neighbours,
    records: Records,
    snapshots: Snapshots,
    strands: Strands,
    /// The least offset at which somebody wants the state; the greatest there is for none.
    wanted: Offset,
    /// The offset behind the last batch with a wrong checksum, as far as its header can be trusted.
    invalid_end: Offset,
    tally: Tally,
    /// No file was left out.
    is_all_read: bool,
    is_cancelled: bool,
}

impl Pass<'_, '_> {
    fn begin(&mut self, watch: &mut dyn Watch) {
        let Self {
            snapshots,
            belief,
            look,
            ..
        } = self;
        let reached = reached(belief, &look.producers);
        snapshots.begin(belief, &reached, &mut look.ledger, watch);
        look.ledger.flush();
    }

    fn segment(&mut self, segment: &SegmentFile, watch: &mut dyn Watch) {
        self.tally.segments += 1;
        self.is_cancelled |= watch.is_cancelled();
        let size = || fs::metadata(&segment.path).map_or(0, |metadata| metadata.len());
        if self.is_cancelled {
            return self.skip(size(), watch);
        }
        let opened = self.beside.0.take().map_or_else(
            || Source::open(&segment.path, self.terms.access),
            Ok::<_, ReadError>,
        );
        let source = match opened {
            Ok(source) => source,
            Err(error) => {
                self.skip(size(), watch);
                self.look.each(|checker, _| checker.skip_segment());
                return watch.unread(error);
            }
        };
        let before = self.tally;
        self.tally.bytes_present += source.len();
        let read = self.read(segment, &source, watch);
        // What waits belongs to this segment, also where that has no end.
        self.belief.state.end_segment(&mut self.look);
        match read.and_then(|()| source.check()) {
            Ok(()) if self.is_cancelled => {}
            Ok(()) => {
                let Self {
                    look, neighbours, ..
                } = self;
                neighbours.end_segment(self.terms.now, &mut look.ledger);
                look.each(|checker, found| checker.end_segment(found));
            }
            Err(error) => {
                self.look.ledger.drop_waiting();
                self.tally = before;
                self.skip(source.len(), watch);
                watch.unread(error);
            }
        }
        self.look.ledger.flush();
    }

    fn skip(&mut self, bytes: u64, watch: &mut dyn Watch) {
        self.is_all_read = false;
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
        let path = &segment.path;
        self.belief.state.begin_segment(segment.base_offset);
        self.neighbours.begin_segment(path, segment.base_offset);
        self.look.producers.begin_segment(path);
        self.look
            .each(|checker, found| checker.begin_segment(segment, found));
        self.look.ask_for_batches();
        self.ask_for_states();
        let mut walk = Walk::new(source);
        let mut reading = Reading {
            segment,
            source,
            mapped: source.as_slice().unwrap_or_default(),
            reader: BatchReader::new(source, self.terms.max_record_bytes),
            inside: Walk::new(source),
        };
        let (mut pieces, mut told) = (0_u64, 0);
        loop {
            let followed = self.run(&mut walk, &reading, PACE - pieces % PACE)?;
            pieces += followed;
            if followed == 0 || !pieces.is_multiple_of(PACE) {
                match walk.next_piece()? {
                    None => break,
                    Some(Piece::Batch(span)) => {
                        let (mapped, base) = (reading.mapped, segment.base_offset);
                        let batch = batch_at(&mut walk, mapped, base, span)?;
                        self.batch(&batch, span, &mut reading, watch)?;
                    }
                    Some(Piece::Damage(damage)) => self.damage(&damage, &reading)?,
                }
                pieces += 1;
            }
            if pieces.is_multiple_of(PACE) {
                watch.advanced(walk.position() - told);
                told = walk.position();
                if watch.is_cancelled() {
                    self.is_cancelled = true;
                    self.is_all_read = false;
                    self.tally.bytes_skipped += source.len() - told;
                    break;
                }
            }
        }
        watch.advanced(source.len() - told);
        Ok(())
    }

    #[cold]
    fn damage(&mut self, damage: &Damage, reading: &Reading<'_>) -> Result<(), ReadError> {
        self.tally.bytes_damaged += damage.size;
        let (segment, producers) = (reading.segment, &self.look.producers);
        let finding = walk_damage::finding(
            damage,
            Around {
                segment,
                source: reading.source,
                next: producers.behind(segment.base_offset),
                is_open: producers.is_open(segment.base_offset),
                before: self.neighbours.before(),
            },
        )?;
        self.look.ledger.add(finding);
        self.look
            .each(|checker, found| checker.damage(damage, found));
        Ok(())
    }

    #[inline]
    fn batch(
        &mut self,
        batch: &Batch,
        span: Span,
        reading: &mut Reading<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(), ReadError> {
        self.tally.batches += 1;
        let depth = self.terms.depth;
        if depth >= Depth::Crc {
            let checksum = reading.reader.load(span)?.checksum()?;
            if !checksum.is_valid() {
                return self.invalid(batch, span, checksum, reading);
            }
        }
        self.tally.bytes_checked += u64::from(span.size);
        let control = match batch.is_control {
            true => Some(self.control(batch, span, reading)?),
            false => None,
        };
        let greatest_timestamp = match depth >= Depth::Records {
            true => self.decode(batch, span, reading)?,
            false => {
                self.tally.records += stored_count(batch);
                None
            }
        };
        let batch = &self.placed(batch, span, reading)?;
        self.neighbours.batch(batch, &mut self.look.ledger);
        if batch.last_offset >= self.wanted {
            self.tell_states(batch.last_offset, watch);
        }
        self.look.batch(&CheckedBatch {
            batch,
            control: control.as_ref(),
            is_valid: true,
            greatest_timestamp,
        });
        self.replay(batch, control.as_ref());
        if self.look.ledger.waiting() >= MOST_WAITING {
            reading.source.check()?;
            self.look.ledger.flush();
        }
        Ok(())
    }

    #[inline]
    fn replay(&mut self, batch: &Batch, control: Option<&Control>) {
        let Self {
            belief,
            look,
            strands,
            ..
        } = self;
        let state = &mut belief.state;
        let is_turn = is_turn(state, batch, control);
        if is_turn {
            state.settle(look);
        }
        let expected = state.next_offset();
        look.producers
            .batch(expected, batch, control, &mut look.ledger);
        strands.batch(batch, control);
        // It never breaks off: all is wanted.
        let _: ControlFlow<()> = state.batch(batch, control, look);
        if is_turn {
            state.settle(look);
        }
    }

    /// A batch whose checksum is wrong is told of and believed in nothing.
    #[cold]
    fn invalid(
        &mut self,
        batch: &Batch,
        span: Span,
        checksum: Checksum,
        reading: &mut Reading<'_>,
    ) -> Result<(), ReadError> {
        self.tally.bytes_damaged += u64::from(span.size);
        if batch.last_offset >= batch.base_offset {
            self.invalid_end = self.invalid_end.max(batch.next_offset());
        }
        let swallowed = reading.inside.swallowed_by(span)?;
        let offsets = (batch.base_offset, batch.last_offset);
        let damage = crc_mismatch(span, offsets, checksum, &swallowed);
        let Checksum { stored, computed } = checksum;
        self.look.ledger.add(
            Finding::of_damage(&reading.segment.path, &damage)
                .spanning(span.size.into())
                .with_offset(batch.base_offset)
                .resting_on(Evidence::values("crc", &stored, &computed)),
        );
        self.look.batch(&CheckedBatch {
            batch,
            control: None,
            is_valid: false,
            greatest_timestamp: None,
        });
        if self.look.ledger.waiting() >= MOST_WAITING {
            reading.source.check()?;
            self.look.ledger.flush();
        }
        Ok(())
    }

    /// What the record of a control batch says. What is wrong with one of a producer with state,
    /// the replay tells.
    fn control(
        &mut self,
        batch: &Batch,
        span: Span,
        reading: &mut Reading<'_>,
    ) -> Result<Control, ReadError> {
        let mut loaded = reading.reader.load(span)?;
        let said = control(&mut loaded)?;
        if !self.terms.rules.keeps_state_of(batch.producer_id) {
            let mut fault = None;
            loaded.entries(&mut |entry: &Entry<'_>| {
                fault = control_fault(span.position, batch.producer_id, entry);
                match fault {
                    None => ControlFlow::Continue(()),
                    Some(_) => ControlFlow::Break(()),
                }
            })?;
            if let Some(fault) = fault {
                let finding = walk_damage::of_control(&fault, batch, &reading.segment.path);
                self.look.ledger.add(finding);
            }
        }
        Ok(said)
    }

    fn decode(
        &mut self,
        batch: &Batch,
        span: Span,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Timestamp>, ReadError> {
        let mut loaded = reading.reader.load(span)?;
        let (path, depth) = (&reading.segment.path, self.terms.depth);
        let ledger = &mut self.look.ledger;
        let seen = self.records.look(batch, &mut loaded, depth, path, ledger)?;
        self.tally.records += seen.count;
        Ok(seen.greatest_timestamp)
    }

    fn ask_for_states(&mut self) {
        let of_checkers = self.look.wants_state_at();
        let wanted = of_checkers.into_iter().chain(self.snapshots.next()).min();
        self.wanted = wanted.unwrap_or(Offset(i64::MAX));
    }

    /// Tells the state in front of the batch that ends at `last`.
    #[cold]
    fn tell_states(&mut self, last: Offset, watch: &mut dyn Watch) {
        let Self {
            belief,
            look,
            snapshots,
            ..
        } = self;
        belief.state.settle(look);
        look.state_at(last, &belief.state);
        let reached = reached(belief, &look.producers);
        snapshots.upto(last, &reached, &mut look.ledger, watch);
        self.ask_for_states();
    }

    /// The log has ended. Where a part was left out, what is missing is not told.
    fn end(self, directory: &PartitionDirectory, checkpoints: &Checkpoints, watch: &mut dyn Watch) {
        let Self {
            belief,
            mut look,
            mut snapshots,
            ..
        } = self;
        if self.is_cancelled {
            return look.ledger.finish();
        }
        let end = belief.log_end_offset().max(self.invalid_end);
        look.state_at(end, &belief.state);
        let at_end = reached(&belief, &look.producers);
        snapshots.upto(end, &at_end, &mut look.ledger, watch);
        let name = directory.name.as_ref();
        let is_deleted = name.is_some_and(|name| name.state == Some(DirectoryState::Deleted));
        if self.is_all_read {
            snapshots.rest(end, &mut look.ledger, watch);
            if checkpoints.is_clean_shutdown && !is_deleted {
                snapshots.missing(end, &belief, &mut look.ledger);
            }
        }
        let is_whole = self.is_all_read && self.tally.bytes_damaged == 0;
        let (producers, ledger) = (&look.producers, &mut look.ledger);
        let beside = (producers, self.beside.1);
        hanging::find(&belief, name, self.terms, is_whole, beside, ledger);
        collisions::tell(&self.strands.into_report(), producers, ledger);
        look.each(|checker, found| checker.end(&belief.state, found));
        look.ledger.finish();
    }
}

fn reached<'a>(belief: &'a Belief, producers: &'a Producers) -> Reached<'a> {
    Reached {
        offset: belief.state.next_offset(),
        producers: belief.state.manager().producers(),
        traces: &producers.traces,
        last_barrier: producers.last_barrier,
    }
}
