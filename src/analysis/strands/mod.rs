//! Which producer ids of a log two writers share: told from headers and control records alone.
//!
//! Two clusters give out the same ids. Where mirroring (KIP-1279) brings both into one partition
//! and nothing parts them, batches of two writers lie under one id. A leader takes an id's batches
//! in the order of epoch and sequence, so batches of one writer make one *strand*; a second writer
//! shows as a second one. Not every disorder is a collision: `docs/collisions.md` tells what is
//! evidence and what explains it, and how often the analysis is right.
//!
//! Batches are given in the order of the log, as a replay comes by them. Of each id a record of
//! fixed size is kept, of one with more strands a few of them and a dozen signs.

mod evidence;
mod finding;
mod risk;
mod seen;
mod strand;
#[cfg(test)]
mod tests;
mod trail;

pub use evidence::{Evidence, Excuse, Grade, Sign, confidence, grade};
pub use finding::{Finding, Section};
pub use risk::{Boundary, Highest, Risk, Stop};
pub use seen::Seen;
pub use strand::Strand;
pub(super) use strand::is_ahead;

use super::log_findings::DEFAULT_EXPIRATION_MS;
use super::witness::Witness;
use crate::format::number::{Offset, ProducerId};
use crate::state::batch::{Batch, Control, Marker};
use crate::state::replay::{Replay, Visitor};
use crate::state::slot_index::SlotIndex;
use crate::storage::partition_name::PartitionName;
use trail::{Scene, Trail};

/// What the analysis must be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// After how many milliseconds of silence brokers forget an id (`producer.id.expiration.ms`).
    pub expiration_ms: i64,
    /// Where the log starts by its checkpoint; batches below may be there nevertheless.
    pub log_start: Option<Offset>,
    /// How many findings are kept.
    pub most_findings: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            expiration_ms: DEFAULT_EXPIRATION_MS,
            log_start: None,
            most_findings: 1000,
        }
    }
}

/// What a log shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Ids that two writers share or seem to, in the order in which it shows.
    pub findings: Vec<Finding>,
    /// How many findings were left out because there are too many.
    pub left_out: u64,
    /// What can be said of collisions that leave no trace.
    pub risk: Risk,
}

/// How many batches wait at most.
const WAITING: usize = 32;

/// An id and its trail, the part in front that each batch changes.
#[derive(Debug)]
#[repr(C, align(64))]
struct Known {
    id: ProducerId,
    trail: Trail,
}

/// Data that waits, or a marker.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    id: ProducerId,
    seen: Seen,
    marker: Option<Marker>,
}

/// Gathers the strands of a partition.
#[derive(Debug)]
pub struct Strands {
    options: Options,
    /// The place of each id's trail.
    index: SlotIndex,
    trails: Vec<Known>,
    /// What waits to be taken in: there is no hole between, and no control batch but markers.
    waiting: Vec<Waiting>,
    scene: Scene,
    section: Option<Section>,
    follows_barrier: bool,
    findings: Vec<Finding>,
    left_out: u64,
    risk: Risk,
}

impl Strands {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            index: SlotIndex::new(),
            trails: Vec::new(),
            waiting: Vec::with_capacity(WAITING),
            scene: Scene {
                expiration_ms: options.expiration_ms,
                log_start: options.log_start,
                behind_hole: None,
                is_whole: false,
                has_sequences: true,
            },
            section: None,
            follows_barrier: false,
            findings: Vec::new(),
            left_out: 0,
            risk: Risk::default(),
        }
    }

    /// Names the partition: where the group coordinator writes for producers, each batch has
    /// sequence 0.
    #[must_use]
    pub fn of(mut self, partition: Option<&PartitionName>) -> Self {
        self.scene.has_sequences = partition.is_none_or(|name| name.topic != "__consumer_offsets");
        self
    }

    /// Takes the next batch of the log in, with what its record says if it is a control batch.
    pub fn batch(&mut self, batch: &Batch, control: Option<&Control>) {
        let is_behind_hole = self
            .section
            .is_none_or(|section| batch.base_offset > section.end_offset);
        let is_end = matches!(control, Some(Control::Marker(_)));
        if is_behind_hole || batch.is_control && !is_end {
            self.settle();
        }
        self.enter(batch);
        self.risk.leader_epoch(batch);
        if batch.producer_id == ProducerId::NONE {
            if control == Some(&Control::MirrorPidReset) {
                self.risk.barrier(batch.base_offset);
                self.end_section(true);
            }
            return;
        }
        match control {
            _ if !batch.is_control => self.follow(batch, None),
            Some(Control::Marker(marker)) => self.follow(batch, Some(*marker)),
            // A marker whose record a cleaner took, or none that ends a transaction.
            _ => self.risk.producer(batch),
        }
    }

    /// Whether the next batch may be given by [`Strands::follow`]: it begins at `next`, where the
    /// one before ends, under the same leader epoch.
    pub(super) fn may_be_followed(&self, next: Offset) -> bool {
        self.section
            .is_some_and(|section| section.end_offset == next)
    }

    /// Takes in a batch of a producer, data or a marker, of which all but this was told.
    #[inline]
    pub(super) fn follow(&mut self, batch: &Batch, marker: Option<Marker>) {
        self.risk.producer(batch);
        self.waiting.push(Waiting {
            id: batch.producer_id,
            seen: Seen::of(batch),
            marker,
        });
        if self.waiting.len() == WAITING {
            self.settle();
        }
    }

    /// Batches have followed, the last of which ends in front of `next`.
    pub(super) fn followed(&mut self, next: Offset) {
        if let Some(section) = &mut self.section {
            section.end_offset = next;
        }
    }

    /// Takes in what waits. First all trails are looked up and touched, and only then the first is
    /// changed, so that the processor waits for memory once for many of them.
    fn settle(&mut self) {
        let mut places = [None; WAITING];
        let mut touched = 0;
        for (place, waiting) in places.iter_mut().zip(&self.waiting) {
            *place = self.index.likely(waiting.id.0.cast_unsigned());
        }
        for place in places.iter().flatten() {
            let known = self.trails.get(*place as usize);
            touched ^= known.map_or(0, |known| known.trail.touch());
        }
        std::hint::black_box(touched);
        let mut waiting = std::mem::take(&mut self.waiting);
        for (Waiting { id, seen, marker }, place) in waiting.iter().zip(places) {
            let is_its = |place: &u32| self.is_in(*place, *id);
            let place = place.filter(is_its).or_else(|| self.find(*id));
            let known = place.and_then(|place| self.trails.get_mut(place as usize));
            match (known, marker) {
                (Some(known), None) => known.trail.data(seen, &self.scene),
                (Some(known), Some(marker)) => known.trail.marker(seen, *marker, &self.scene),
                (None, marker) => self.begin_trail(*id, seen, *marker),
            }
        }
        waiting.clear();
        self.waiting = waiting;
    }

    #[inline]
    fn find(&self, id: ProducerId) -> Option<u32> {
        let is_in = |place: u32| self.is_in(place, id);
        self.index.find(id.0.cast_unsigned(), is_in)
    }

    #[inline]
    fn is_in(&self, place: u32, id: ProducerId) -> bool {
        let known = self.trails.get(place as usize);
        known.is_some_and(|known| known.id == id)
    }

    fn begin_trail(&mut self, id: ProducerId, seen: &Seen, marker: Option<Marker>) {
        let mut trail = Trail::new(seen);
        if let Some(marker) = marker {
            trail.marker(seen, marker, &self.scene);
        }
        let place = self.trails.len() as u32;
        self.trails.push(Known { id, trail });
        let trails = &self.trails;
        let id_in = |place: u32| Some(trails.get(place as usize)?.id.0.cast_unsigned());
        self.index.add(place, id.0.cast_unsigned(), id_in);
    }

    /// Goes on to a batch: begins a section with it where none is open.
    fn enter(&mut self, batch: &Batch) {
        let offset = batch.base_offset;
        let section = self.section.get_or_insert(Section {
            first_offset: offset,
            end_offset: offset,
            begins_with_barrier: self.follows_barrier,
            ends_with_barrier: false,
        });
        if section.end_offset == section.first_offset {
            self.scene.is_whole = self.follows_barrier || offset == Offset(0);
        }
        if offset > section.end_offset {
            self.scene.behind_hole = Some(offset);
        }
        section.end_offset = batch.next_offset();
    }

    fn end_section(&mut self, ends_with_barrier: bool) {
        self.settle();
        self.index.clear();
        self.follows_barrier = ends_with_barrier;
        let Some(mut section) = self.section.take() else {
            return;
        };
        section.ends_with_barrier = ends_with_barrier;
        let found = self
            .trails
            .drain(..)
            .filter_map(|known| Finding::of(known.id, section, known.trail));
        let mut found: Vec<Finding> = found.collect();
        Finding::count_companions(&mut found);
        found.sort_by_key(|finding| (finding.offset(), finding.producer_id));
        let room = self
            .options
            .most_findings
            .saturating_sub(self.findings.len());
        self.left_out += found.len().saturating_sub(room) as u64;
        self.findings.extend(found.into_iter().take(room));
    }

    /// The log is at its end.
    #[must_use]
    pub fn into_report(mut self) -> Report {
        self.end_section(false);
        Report {
            findings: self.findings,
            left_out: self.left_out,
            risk: self.risk,
        }
    }
}

/// Nothing that a replay meets matters; its batches do.
impl Visitor for Strands {}

impl Witness for Strands {
    fn before(&mut self, _: &Replay<1>, batch: &Batch, control: Option<&Control>) {
        self.batch(batch, control);
    }
}
