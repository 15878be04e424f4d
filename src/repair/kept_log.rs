//! The log that stays: which bytes of which segment, what a broker believes of it, and what its
//! indexes should say.

use super::copies::{Copy, without_copies};
use super::epoch_line::{OutOfLine, Spot};
use super::gaps::Gaps;
use super::holes::Holes;
use super::index_check::{IndexCheck, Indexed};
use super::ledger::Ledger;
use super::losses::BEHIND;
use super::misnamed::{is_moved, moved_step, placed};
use super::old_indexes::OldIndexes;
use super::old_snapshots::OldSnapshots;
use super::part::{KeptSegment, Part, Stretch, Unsealed};
use super::plan::{Action, Step};
use super::snapshot_truth::SnapshotTruth;
use super::survey::{Bad, Claim, Good, Seen, Surveyed, each_piece, surveys};
use super::terms::{How, Terms};
use super::txn_check::Known;
use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::append::Append;
use crate::state::batch::{Control, control};
use crate::state::entry::Entry;
use crate::state::epochs::LeaderEpochs;
use crate::state::event;
use crate::state::log_end::named_end;
use crate::state::manager::{Applied, Manager};
use crate::state::read::{SegmentFile, segments};
use crate::storage::directory::PartitionDirectory;
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::{ReadError, Source};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The log that stays.
#[derive(Debug)]
pub(super) struct KeptLog {
    pub(super) segments: Vec<KeptSegment>,
    pub(super) ledger: Ledger,
    /// What happens to segments, but for whole files that go or come.
    pub(super) steps: Vec<Step>,
    /// The offset behind the last batch.
    pub(super) end: Offset,
    /// From where on the log is another one.
    pub(super) first_change: Option<Offset>,
    /// What a broker knows of producers at the beginning of the last two segments, and at the end.
    pub(super) producers: Vec<(Offset, Vec<ProducerEntry>)>,
    /// What old snapshots in front of the first change should say, that say something else.
    pub(super) corrected: BTreeMap<Offset, Vec<ProducerEntry>>,
    /// The leader epochs that batches show.
    pub(super) epochs: LeaderEpochs,
    /// Whether leader-epoch-checkpoint says the same of each batch.
    pub(super) epochs_agree: bool,
    /// What is said of holes between segments.
    pub(super) gaps: Vec<String>,
    /// What becomes of transactions whose end marker is lost.
    pub(super) lost_ends: Vec<String>,
    /// Files that go because they are another one once more.
    pub(super) copies: Vec<Copy>,
    pub(super) manager: Manager<1>,
}

/// What a pass begins with.
pub(super) struct Ground<'a> {
    pub(super) directory: &'a PartitionDirectory,
    pub(super) partition: &'a str,
    pub(super) terms: &'a Terms,
    pub(super) how: How,
    /// What leader-epoch-checkpoint says.
    pub(super) epochs: Option<&'a LeaderEpochs>,
    /// The snapshots, where they are asked.
    pub(super) snapshots: Option<&'a OldSnapshots>,
}

/// Reads the whole log.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn kept_log(ground: &Ground<'_>) -> Result<KeptLog, ReadError> {
    let mut copies = Vec::new();
    let mut files = segments(ground.directory);
    if ground.how != How::AsItIs {
        (files, copies) = without_copies(files, ground.terms)?;
        files = placed(files, ground.terms)?;
    }
    let base = files.first().map_or(Offset(0), |file| file.base_offset);
    let mut manager = Manager::new(ground.partition, ground.terms.rules);
    manager.count_all_as_replicated();
    let decodes = ground.how != How::AsItIs;
    let end = named_end(ground.directory);
    let (surveys, out_of_line) = surveys(&files, ground.epochs, end, decodes, ground.terms)?;
    let mut pass = Pass {
        ground,
        out_of_line,
        is_cut: false,
        cut_segment: None,
        truth: SnapshotTruth::new(
            ground.snapshots,
            ground.terms.rules,
            base,
            ground.terms.log_start,
        ),
        holes: Holes::default(),
        gaps: Gaps::default(),
        indexed_upto: None,
        log: KeptLog {
            segments: Vec::new(),
            ledger: Ledger::new(base, ground.terms.log_start),
            steps: Vec::new(),
            end: base,
            first_change: None,
            producers: Vec::new(),
            corrected: BTreeMap::new(),
            epochs: LeaderEpochs::new(),
            epochs_agree: true,
            gaps: Vec::new(),
            lost_ends: Vec::new(),
            copies,
            manager,
        },
    };
    for surveyed in surveys {
        pass.segment(&surveyed)?;
    }
    pass.end();
    pass.log.gaps = pass.gaps.told(ground.terms.log_start);
    pass.log.corrected = pass.truth.corrected;
    Ok(pass.log)
}

pub(super) struct Pass<'a> {
    pub(super) ground: &'a Ground<'a>,
    /// Batches whose leader epoch is wrong, by segment and position.
    pub(super) out_of_line: BTreeMap<Spot, OutOfLine>,
    /// The log ends here: whatever comes is lost.
    pub(super) is_cut: bool,
    /// The base of the segment in which it does.
    pub(super) cut_segment: Option<Offset>,
    truth: SnapshotTruth<'a>,
    holes: Holes,
    pub(super) gaps: Gaps,
    /// The offset behind those that an index leads to behind the end of its file.
    indexed_upto: Option<Offset>,
    pub(super) log: KeptLog,
}

/// The segment that is being read.
pub(super) struct Current<'a> {
    file: &'a SegmentFile,
    pub(super) name: String,
    pub(super) length: u64,
    /// Where the next segment begins that holds a batch.
    pub(super) limit: Option<Offset>,
    pub(super) parts: Vec<Part>,
    /// Where the log was cut.
    pub(super) cut: Option<(u64, Option<Offset>, String)>,
    check: IndexCheck,
}

impl Pass<'_> {
    fn segment(&mut self, surveyed: &Surveyed<'_>) -> Result<(), ReadError> {
        let terms = self.ground.terms;
        let file = surveyed.file;
        let source = Source::open(&file.path, terms.access)?;
        let mut old = OldIndexes::read(self.ground.directory, file.base_offset, terms.access)?;
        self.indexed_upto = old
            .upto_behind(source.len(), file.base_offset)
            .or(self.indexed_upto);
        let check = IndexCheck::new(
            file.base_offset,
            terms.index_interval_bytes,
            old.offsets.take(),
            old.times.take(),
        );
        let name = file.path.file_name().unwrap_or_default();
        let mut current = Current {
            file,
            name: name.to_string_lossy().into_owned(),
            length: source.len(),
            limit: surveyed.limit,
            parts: vec![Part::new(file.base_offset)],
            cut: None,
            check,
        };
        if is_moved(file) && !self.is_cut {
            self.log.steps.push(moved_step(file, source.len()));
        }
        self.pieces(&source, &surveyed.bad, &mut current)?;
        source.check()?;
        self.finish(current, &surveyed.bad, &old);
        Ok(())
    }

    fn pieces(
        &mut self,
        source: &Source,
        bad: &[Bad],
        current: &mut Current<'_>,
    ) -> Result<(), ReadError> {
        let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
        let mut bad = bad.iter().peekable();
        let terms = self.ground.terms;
        let file = (current.file, current.limit);
        each_piece(source, file, false, terms, &mut |seen| {
            let position = match &seen {
                Seen::Bad(bad) => bad.position,
                Seen::Good(good) => good.span.position,
            };
            let bad = bad.next_if(|bad| bad.position == position);
            let righted = match (bad, seen) {
                (None, Seen::Good(good)) => self.put_right(good, None, current),
                (Some(bad), Seen::Good(good)) if self.is_put_back(bad) => {
                    self.put_right(good, Some(bad), current)
                }
                (Some(bad), _) => {
                    self.bad(bad, current);
                    None
                }
                // A batch that was good a moment ago: the file changes, and the check says so.
                (None, Seen::Bad(_)) => None,
            };
            let Some((good, change)) = righted else {
                return Ok(ControlFlow::Continue(()));
            };
            let needs = self
                .log
                .manager
                .needs_control(Append::RECOVERY, &good.batch);
            let control = match needs && !self.is_cut {
                true => Some(control(&mut reader.load(good.span)?)?),
                false => None,
            };
            self.good(&good, change, control.as_ref(), current);
            Ok(ControlFlow::Continue(()))
        })
    }

    /// From the end so far on, the log is another one.
    pub(super) fn changes_here(&mut self) {
        if self.log.first_change.is_some() {
            return;
        }
        let here = self.log.end;
        self.log.first_change = Some(here);
        let log = &mut self.log;
        self.truth.at(here, here, log.manager.producers());
        // Retention may have taken all batches of a producer that a broker still knows.
        for entry in self.truth.beyond_the_log(here, log.manager.producers()) {
            log.manager.load_entry(&Entry::from_snapshot(&entry));
        }
    }

    fn good(
        &mut self,
        good: &Good,
        change: Option<Unsealed>,
        control: Option<&Control>,
        current: &mut Current<'_>,
    ) {
        let batch = &good.batch;
        let claim = Claim {
            first: good.first,
            last: batch.last_offset,
            records: Some(good.records),
        };
        if self.is_cut {
            return self.log.ledger.lose(Some(claim), BEHIND);
        }
        self.begin_part(good, current);
        let (end, name) = (self.log.end, &current.name);
        let holds = current.parts.iter().any(|part| part.has_batch);
        let holds = holds || current.file.base_offset <= end;
        let is_open = self.log.ledger.is_open();
        self.gaps.batch(end, good, holds, name, is_open);
        if good.first > self.log.end && self.log.manager.ongoing().next().is_some() {
            self.holes.add(self.log.end, good.first);
        }
        self.truth.batch(self.log.end, batch, control);
        let mut entry = None;
        if batch.magic >= MAGIC {
            let how = Append::RECOVERY;
            match self
                .log
                .manager
                .apply(how, batch, control, &mut event::ignore)
            {
                Ok(Applied::Taken { finished, .. }) => {
                    entry = finished.and_then(|finished| finished.index_entry());
                }
                Ok(_) => {}
                Err(_) if self.ground.how == How::AsItIs => {
                    self.log.manager.keep_refused(batch);
                }
                Err(error) => {
                    let detail = format!(
                        "a broker that reads this batch ends with {}: {error}",
                        error.class()
                    );
                    return self.refuse(good, claim, detail, current);
                }
            }
            self.epoch(good);
        }
        self.log.ledger.keep(claim);
        self.log.end = self.log.end.max(batch.next_offset());
        self.log.manager.set_map_end_offset(self.log.end);
        current.check.batch(&Indexed {
            position: batch.place.position,
            first: good.first,
            last: batch.last_offset,
            max_timestamp: batch.max_timestamp,
        });
        if let Some(part) = current.parts.last_mut() {
            part.add(batch.place.position, batch.place.size.into(), change);
            part.has_batch = true;
            if let Some(Control::Marker(marker)) = control
                && marker.is_abort
            {
                part.aborted
                    .marker(batch.producer_id, batch.base_offset, entry);
            }
        }
    }

    fn epoch(&mut self, good: &Good) {
        let batch = &good.batch;
        let log = &mut self.log;
        log.epochs
            .read_back(batch.partition_leader_epoch, batch.base_offset);
        let start = self.ground.terms.log_start;
        let is_asked = batch.last_offset >= start
            && batch.partition_leader_epoch.0 >= 0
            && log
                .epochs
                .latest()
                .is_some_and(|latest| latest.leader_epoch == batch.partition_leader_epoch);
        if is_asked && log.epochs_agree {
            let at = batch.base_offset.max(start);
            let said = self.ground.epochs.and_then(|epochs| epochs.at(at));
            log.epochs_agree = said == Some(batch.partition_leader_epoch);
        }
    }

    /// Makes room for a batch: the first of a segment, or one whose offset its index cannot hold.
    fn begin_part(&mut self, good: &Good, current: &mut Current<'_>) {
        let Some(part) = current.parts.last() else {
            return;
        };
        let distance = good.batch.last_offset.0.saturating_sub(part.base.0);
        let overflows = distance > i64::from(i32::MAX) && self.ground.how != How::AsItIs;
        if part.has_batch && !overflows {
            return;
        }
        let mut base = part.base;
        if overflows {
            base = good.first;
            current.parts.push(Part::new(base));
            self.log.steps.push(Step {
                action: Action::Split,
                file: current.name.clone(),
                position: Some(good.span.position),
                size: None,
                offset: Some(base),
                detail: format!(
                    "offset {} lies more than 2147483647 above the segment's base: a segment \
                     begins with it",
                    good.batch.last_offset
                ),
            });
        }
        if self.log.first_change.is_none() {
            let producers = self.log.manager.producers();
            self.truth.at(base, self.log.end, producers);
        }
        self.note_producers(base);
    }

    /// A broker takes a snapshot at the beginning of each of the last two segments.
    fn note_producers(&mut self, base: Offset) {
        let entries = self.log.manager.snapshot_entries().collect();
        if self.log.producers.len() == 2 {
            self.log.producers.remove(0);
        }
        self.log.producers.push((base, entries));
    }

    fn finish(&mut self, current: Current<'_>, bad: &[Bad], old: &OldIndexes) {
        let Current {
            file,
            name,
            length,
            parts,
            cut,
            check,
            ..
        } = current;
        let all = Stretch {
            position: 0,
            length,
            change: None,
        };
        let is_whole = |part: &Part| part.stretches == [all.clone()] || length == 0;
        let as_it_is = self.ground.how == How::AsItIs;
        let is_damaged = as_it_is && bad.iter().any(Bad::is_loss);
        let is_moved = is_moved(file);
        let is_unchanged =
            as_it_is || !is_moved && matches!(parts.as_slice(), [part] if is_whole(part));
        if let Some((position, offset, detail)) = cut {
            self.log.steps.push(Step {
                action: Action::Cut,
                file: name.clone(),
                position: Some(position),
                size: Some(length - position),
                offset,
                detail,
            });
        }
        let faults = match is_unchanged {
            true => check.end(),
            false => (None, None),
        };
        let was = file.base_offset;
        for part in parts {
            let found: &[_] = if part.base == was { &old.aborted } else { &[] };
            let is_readable = part.base != was || old.txn_is_whole;
            let known = Known::of(found, is_readable, &self.holes);
            let told = part.aborted.lost_ends(&known, self.log.end);
            self.log.lost_ends.extend(told);
            self.log.segments.push(KeptSegment {
                base: part.base,
                source: name.clone(),
                is_unchanged,
                is_damaged,
                faults: faults.clone(),
                txn_index: part.aborted.corrected(&known, self.log.end),
                has_batch: part.has_batch,
                stretches: part.stretches,
            });
        }
    }

    /// Segments that lose all their batches go, but for the last. One that was empty is legal.
    fn end(&mut self) {
        let last = self.log.segments.last().map(|segment| segment.base);
        let end = self.log.end.max(last.unwrap_or(self.log.end));
        let epoch = self.ground.epochs.and_then(LeaderEpochs::latest);
        let epoch = epoch.map(|epoch| epoch.start_offset);
        let known = [self.truth.last(), epoch, self.indexed_upto];
        let known = known.into_iter().flatten().max().filter(|last| *last > end);
        let is_asked = self.ground.how != How::AsItIs && self.log.first_change.is_none();
        if let Some(known) = known.filter(|_| is_asked) {
            // What lay between went without a trace, or with nothing but zeros.
            self.changes_here();
            let claim = Claim {
                first: end,
                last: known.plus(-1),
                records: None,
            };
            self.log.ledger.lose(Some(claim), GONE);
        }
        let log = &mut self.log;
        log.ledger.end();
        let entries = log.manager.snapshot_entries().collect();
        if self.ground.how != How::AsItIs {
            let end = log.end;
            // Behind a cut no segment stays: offsets up to its base would never be written.
            let last = match self.is_cut {
                true => self.cut_segment,
                false => log.segments.last().map(|segment| segment.base),
            };
            let is_cut = self.is_cut;
            log.segments.retain(|segment| {
                let is_last = last == Some(segment.base) && segment.base >= end;
                let was_empty = segment.is_unchanged && !(is_cut && segment.base >= end);
                segment.has_batch || is_last || was_empty
            });
            if let Some(segment) = log.segments.last()
                && !segment.has_batch
            {
                log.end = segment.base.max(end);
                let base = segment.base;
                log.producers
                    .push((base, log.manager.snapshot_entries().collect()));
            }
        }
        log.producers.push((log.end, entries));
    }
}

/// Why offsets are lost of which nothing is left.
const GONE: &str =
    "behind the log's end, where a snapshot, an index or leader-epoch-checkpoint knows of them";
