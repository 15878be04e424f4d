//! What a log shows while it is replayed: damage, barriers, and what a broker passes over or ends
//! at. Each kind is counted, and its first case kept as evidence.

use std::path::{Path, PathBuf};

use super::belief::Belief;
use super::cleaner_traces::CleanerTraces;
use super::event_verdict::EventJudge;
use super::witness::Witness;
use crate::format::number::{Offset, ProducerId};
use crate::state::batch::{Batch, Control};
use crate::state::event::{Event, Kind, Previous};
use crate::state::read::SegmentFile;
use crate::state::replay::{Replay, Visitor};
use crate::storage::damage::Damage;
use crate::storage::partition_name::PartitionName;

pub use super::event_verdict::{DEFAULT_EXPIRATION_MS, Excuse, Severity};

/// One kind of finding in one log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code, as machine-readable output spells it.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How many cases there are.
    pub count: u64,
    /// The file in which the first one lies.
    pub path: PathBuf,
    /// The first one.
    pub first: Case,
}

/// A case of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// Bytes that hold no batch, a batch with a wrong checksum, or what is wrong with the snapshot
    /// that the replay begins with.
    Damage(Damage),
    /// The log ends below its start.
    EndBelowStart {
        /// Where it starts by its checkpoint.
        start: Offset,
        /// Where it ends.
        end: Offset,
    },
    /// A barrier of cluster mirroring (control type 7).
    Barrier(Batch),
    /// A batch that does not follow from what was known of its producer.
    Event {
        /// What it is.
        kind: Kind,
        /// The batch.
        batch: Batch,
        /// What was known of the producer.
        previous: Option<Previous>,
        /// What explains it.
        excuse: Option<Excuse>,
    },
}

/// Gathers findings while a partition is replayed.
pub struct LogFindings<'t> {
    path: PathBuf,
    told: &'t mut dyn FnMut(&Path, &Damage),
    findings: Vec<Finding>,
    traces: CleanerTraces,
    last_barrier: Option<Offset>,
    judge: EventJudge,
    only: &'t [ProducerId],
}

impl<'t> LogFindings<'t> {
    /// Nothing found yet. Damage is given to `told` as it comes; a producer is forgotten after
    /// `expiration_ms` milliseconds of silence.
    pub fn new(expiration_ms: i64, told: &'t mut dyn FnMut(&Path, &Damage)) -> Self {
        Self {
            path: PathBuf::new(),
            told,
            findings: Vec::new(),
            traces: CleanerTraces::default(),
            last_barrier: None,
            judge: EventJudge::new(expiration_ms, None),
            only: &[],
        }
    }

    /// Of what concerns producers, only these are told of; all, if none are named. What ends a
    /// broker that reads the log is told of any.
    #[must_use]
    pub const fn about(mut self, only: &'t [ProducerId]) -> Self {
        self.only = only;
        self
    }

    /// Names the partition.
    #[must_use]
    pub fn of(mut self, partition: Option<&PartitionName>) -> Self {
        self.judge = EventJudge::new(self.judge.expiration_ms(), partition);
        self
    }

    /// What was found, in the order of the first cases.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// The traces of compaction so far.
    #[must_use]
    pub const fn traces(&self) -> &CleanerTraces {
        &self.traces
    }

    /// The offset of the last barrier so far.
    #[must_use]
    pub const fn last_barrier(&self) -> Option<Offset> {
        self.last_barrier
    }

    fn add(&mut self, code: &'static str, severity: Severity, first: impl FnOnce() -> Case) {
        let mut known = self.findings.iter_mut();
        match known.find(|known| known.code == code && known.severity == severity) {
            Some(known) => known.count = known.count.saturating_add(1),
            None => self.findings.push(Finding {
                code,
                severity,
                count: 1,
                path: self.path.clone(),
                first: first(),
            }),
        }
    }
}

impl Visitor for LogFindings<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let ends_broker = matches!(event.kind, Kind::WouldStop(_));
        let producer_id = event.kind.producer_id(event.batch);
        let is_asked = self.only.is_empty() || self.only.contains(&producer_id);
        if !is_asked && !ends_broker {
            return;
        }
        let Some((severity, excuse)) = self.judge.verdict(event, &self.traces) else {
            return;
        };
        self.add(event.kind.code(), severity, || Case::Event {
            kind: event.kind.clone(),
            batch: *event.batch,
            previous: event.previous,
            excuse,
        });
    }

    fn damage(&mut self, _: Offset, damage: &Damage) {
        (self.told)(&self.path, damage);
        self.add(damage.code.as_str(), Severity::Error, || {
            Case::Damage(damage.clone())
        });
    }
}

impl Witness for LogFindings<'_> {
    fn begin(&mut self, belief: &Belief) {
        let refused = belief.refused.as_ref().map(|(path, _)| path);
        if let Some(path) = refused.or(belief.began_with.as_ref()) {
            self.path.clone_from(path);
        }
        for damage in &belief.snapshot_damage {
            self.damage(belief.log_start_offset, damage);
        }
    }

    fn end(&mut self, belief: &Belief) {
        if belief.ends_below_its_start() {
            self.path.clone_from(&belief.path);
            self.add("checkpoint-mismatch", Severity::Error, || {
                Case::EndBelowStart {
                    start: belief.log_start_offset,
                    end: belief.log_end_offset(),
                }
            });
        }
    }

    fn segment(&mut self, segment: &SegmentFile) {
        self.path.clone_from(&segment.path);
    }

    fn before(&mut self, state: &Replay<1>, batch: &Batch, control: Option<&Control>) {
        self.traces.note(state.next_offset(), batch, control);
        let holds_reset = control == Some(&Control::MirrorPidReset);
        // Of a producer with state it is an end marker of no known type, and an event says so.
        if holds_reset && !state.manager().rules().keeps_state_of(batch.producer_id) {
            self.last_barrier = Some(batch.base_offset);
            self.add("mirror-pid-reset", Severity::Note, || Case::Barrier(*batch));
        }
    }
}
