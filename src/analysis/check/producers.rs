//! Findings about producers, transactions and barriers, as a replay comes by them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use crate::analysis::cleaner_traces::CleanerTraces;
use crate::analysis::event_verdict::{EventJudge, Excuse, Severity};
use crate::analysis::words::events;
use crate::format::number::{Offset, ProducerId};
use crate::state::batch::{Batch, Control};
use crate::state::event::{Event, Kind};
use crate::state::read::SegmentFile;
use crate::state::rules::RuleSet;

/// So many ids below -1 are told.
const MOST_NEGATIVE: usize = 4096;

/// Judges what the log shows of producers.
pub(super) struct Producers {
    pub(super) segments: Vec<SegmentFile>,
    /// The broker said that it was stopped in order.
    is_clean: bool,
    pub(super) traces: CleanerTraces,
    /// The last barrier that the rules take for one.
    pub(super) last_barrier: Option<Offset>,
    judge: EventJudge,
    rules: &'static dyn RuleSet,
    /// The segment that is read.
    path: PathBuf,
    /// The batch in front was a barrier: its offset and place.
    barrier_before: Option<(Offset, u64)>,
    negative: HashSet<ProducerId>,
}

impl Producers {
    pub(super) fn new(
        segments: &[SegmentFile],
        is_clean: bool,
        judge: EventJudge,
        rules: &'static dyn RuleSet,
    ) -> Self {
        Self {
            segments: segments.to_vec(),
            is_clean,
            traces: CleanerTraces::default(),
            last_barrier: None,
            judge,
            rules,
            path: PathBuf::new(),
            barrier_before: None,
            negative: HashSet::new(),
        }
    }

    pub(super) fn begin_segment(&mut self, path: &Path) {
        self.path = path.to_owned();
        self.barrier_before = None;
    }

    /// Whether the segment that begins at `base` was being written when the broker ended without
    /// a word.
    pub(super) fn is_open(&self, base: Offset) -> bool {
        let last = self.segments.last();
        !self.is_clean && last.is_some_and(|last| last.base_offset == base)
    }

    /// The segment behind the one that begins at `base`.
    pub(super) fn behind(&self, base: Offset) -> Option<&SegmentFile> {
        let mut segments = self.segments.iter();
        segments.find(|segment| segment.base_offset > base)
    }

    /// The segment that holds an offset, by the names.
    pub(super) fn path_of(&self, offset: Offset) -> &Path {
        let at = self
            .segments
            .partition_point(|segment| segment.base_offset <= offset);
        let segment = self.segments.get(at.saturating_sub(1));
        segment.map_or(&self.path, |segment| &segment.path)
    }

    /// Takes a batch in whose checksum holds or was not asked for, before the replay does, which
    /// expects `expected` next.
    #[inline]
    pub(super) fn batch(
        &mut self,
        expected: Offset,
        batch: &Batch,
        control: Option<&Control>,
        ledger: &mut Ledger<'_>,
    ) {
        self.traces.note(expected, batch, control);
        if batch.producer_id < ProducerId::NONE {
            self.negative(batch, ledger);
        }
        match control {
            Some(Control::MirrorPidReset) => self.barrier(batch, ledger),
            _ => self.barrier_before = None,
        }
    }

    /// Batches have followed that show nothing.
    pub(super) const fn followed(&mut self) {
        self.barrier_before = None;
    }

    #[cold]
    fn negative(&mut self, batch: &Batch, ledger: &mut Ledger<'_>) {
        let id = batch.producer_id;
        if self.negative.len() == MOST_NEGATIVE || !self.negative.insert(id) {
            return;
        }
        // By rules that map ids such ids are what is meant to be there.
        let (severity, says) = match self.rules.keeps_state_of(id) {
            true => (Severity::Note, "by these rules it has state"),
            false => (
                Severity::Warning,
                "brokers take it for no producer: they keep no state of it, and consumers get the \
                 records of its aborted transactions",
            ),
        };
        let text = format!(
            "the first batch of producer {id}, which is {} by its value: {says}",
            id.origin()
        );
        ledger.add(self.of_batch(FindingCode::NegativeProducerId, severity, batch, text));
    }

    fn barrier(&mut self, batch: &Batch, ledger: &mut Ledger<'_>) {
        // Of a producer with state it is an end marker of no known type, and an event says so.
        if self.rules.keeps_state_of(batch.producer_id) {
            return;
        }
        self.last_barrier = Some(batch.base_offset);
        let here = (batch.base_offset, batch.place.position);
        if let Some((offset, position)) = self.barrier_before.replace(here)
            && offset.plus(1) == batch.base_offset
        {
            let text = format!(
                "a barrier right behind the one at offset {offset}: they count as one, a stop that \
                 was written twice leaves them"
            );
            let code = FindingCode::BarrierRepeated;
            let finding = self.of_batch(code, Severity::Note, batch, text);
            ledger.add(finding.resting_on(Evidence::place("barrier before", offset, position)));
        }
    }

    fn of_batch(
        &self,
        code: FindingCode,
        severity: Severity,
        batch: &Batch,
        text: String,
    ) -> Finding {
        let place = batch.place;
        let finding = Finding::new(code, severity, &self.path, text)
            .at(place.position)
            .spanning(place.size.into())
            .with_offset(batch.base_offset)
            .resting_on(Evidence::place("batch", batch.base_offset, place.position));
        match batch.producer_id {
            ProducerId::NONE => finding,
            id => finding.with_producer(id),
        }
    }

    /// A batch does not follow from what was known of its producer.
    pub(super) fn event(&self, event: &Event<'_>, ledger: &mut Ledger<'_>) {
        let Some((severity, excuse)) = self.judge.verdict(event, &self.traces) else {
            return;
        };
        // Compaction leaves as many of them as it takes batches.
        if excuse == Some(Excuse::Hole) {
            return;
        }
        let Some(code) = FindingCode::parse(event.kind.code()) else {
            return;
        };
        let text = events::message(&event.kind, event.batch, event.previous.as_ref(), excuse);
        let mut finding = self.of_batch(code, severity, event.batch, text);
        if let Kind::BarrierOpenTransaction {
            producer_id,
            first_offset,
            ..
        } = &event.kind
        {
            let mut first = Evidence {
                what: "first batch of the transaction",
                offset: Some(*first_offset),
                ..Evidence::default()
            };
            first.path = self.other_path(*first_offset);
            finding = finding.with_producer(*producer_id).resting_on(first);
        }
        finding.evidence.extend(self.before(event));
        finding.evidence.extend(values(event));
        ledger.add(finding);
    }

    /// The producer's batch before.
    fn before(&self, event: &Event<'_>) -> Option<Evidence> {
        let previous = event.previous.filter(|known| known.last_offset.0 >= 0)?;
        Some(Evidence {
            what: "batch before",
            path: self.other_path(previous.first_offset),
            position: previous.position.map(u64::from),
            offset: Some(previous.first_offset),
            ..Evidence::default()
        })
    }

    fn other_path(&self, offset: Offset) -> Option<PathBuf> {
        let path = self.path_of(offset);
        (path != self.path).then(|| path.to_owned())
    }
}

/// The number that is not what it should be.
fn values(event: &Event<'_>) -> Option<Evidence> {
    let (batch, previous) = (event.batch, event.previous);
    match &event.kind {
        Kind::SequenceGap { expected }
        | Kind::SequenceRepeat { expected }
        | Kind::SequenceOverlap { expected } => Some(Evidence::values(
            "baseSequence",
            &batch.base_sequence,
            expected,
        )),
        Kind::EpochRegression | Kind::MarkerOfOldEpoch { .. } => Some(Evidence::values(
            "producerEpoch",
            &batch.producer_epoch,
            &previous?.producer_epoch,
        )),
        Kind::CoordinatorEpochRegression { marker } => Some(Evidence::values(
            "coordinatorEpoch",
            &marker.coordinator_epoch,
            &previous?.coordinator_epoch,
        )),
        _ => None,
    }
}
