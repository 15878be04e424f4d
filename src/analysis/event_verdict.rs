//! How bad an event of a replay is, and what makes it legal.
//!
//! A broker that reads a log back complains of none of them but what ends it. Much of it is legal
//! in some log: compaction takes batches away, and with them sequences and as many offsets; a
//! producer that was silent for a day is forgotten (`producer.id.expiration.ms`), and may begin
//! anew. Where one of the two explains a case, it is a note. In any other log sequences follow each
//! other, but where a group coordinator writes for producers.

use super::cleaner_traces::CleanerTraces;
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::Batch;
use crate::state::event::{Event, Kind};
use crate::storage::partition_name::PartitionName;

/// Kafka's default of `producer.id.expiration.ms`: a day.
pub const DEFAULT_EXPIRATION_MS: i64 = 86_400_000;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Legal, or explained by something that is.
    Note,
    /// Nothing that a broker stops at, and nothing that it writes by itself.
    Warning,
    /// Bytes are damaged, or a broker ends here.
    Error,
}

impl Severity {
    /// The name in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What makes a case legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excuse {
    /// Offsets are missing between the two batches, so batches are: compaction took them. As many
    /// sequences as are missing have room there.
    Hole,
    /// The producer was silent for so many milliseconds, long enough to be forgotten.
    Silence(i64),
}

/// Judges the events of one partition.
#[derive(Debug, Clone, Copy)]
pub struct EventJudge {
    expiration_ms: i64,
    /// The group coordinator writes here for producers, each batch with sequence 0.
    is_of_coordinator: bool,
}

impl EventJudge {
    /// A producer is forgotten after `expiration_ms` milliseconds of silence. A group coordinator
    /// writes offsets on behalf of producers, every batch with the sequences from 0 on; nobody else
    /// writes so (`AppendOrigin.COORDINATOR` is not asked for sequences), and only the topic's name
    /// tells.
    #[must_use]
    pub fn new(expiration_ms: i64, partition: Option<&PartitionName>) -> Self {
        Self {
            expiration_ms,
            is_of_coordinator: partition.is_some_and(|name| name.topic == "__consumer_offsets"),
        }
    }

    /// After how many milliseconds of silence a producer is forgotten.
    #[must_use]
    pub const fn expiration_ms(&self) -> i64 {
        self.expiration_ms
    }

    /// How bad an event is, and what explains it; `None` where it is nothing odd. `traces` are
    /// those of the batches up to the event's own.
    #[must_use]
    pub fn verdict(
        &self,
        event: &Event<'_>,
        traces: &CleanerTraces,
    ) -> Option<(Severity, Option<Excuse>)> {
        // A transaction without records in this partition is nothing odd.
        if event.kind.is_note() {
            return None;
        }
        let is_of_sequence = matches!(
            event.kind,
            Kind::SequenceGap { .. } | Kind::SequenceRepeat { .. } | Kind::SequenceOverlap { .. }
        );
        if is_of_sequence && self.is_of_coordinator {
            return None;
        }
        Some(match &event.kind {
            Kind::WouldStop(_) => (Severity::Error, None),
            Kind::BarrierOpenTransaction { .. } => (Severity::Warning, None),
            _ => match self.excuse(event, traces) {
                Some(excuse) => (Severity::Note, Some(excuse)),
                None => (Severity::Warning, None),
            },
        })
    }

    fn excuse(&self, event: &Event<'_>, traces: &CleanerTraces) -> Option<Excuse> {
        let previous = event.previous?;
        if explains_sequences(&event.kind, event.batch, previous.last_offset, traces) {
            return Some(Excuse::Hole);
        }
        let silence = match (event.batch.max_timestamp, previous.last_timestamp) {
            (Timestamp(now), Timestamp(then)) if then >= 0 => now.saturating_sub(then),
            _ => 0,
        };
        (silence >= self.expiration_ms).then_some(Excuse::Silence(silence))
    }
}

/// Whether compaction took what lay between the batch that ends at `last_offset` and this one.
/// Sequences wrap: what looks like a step back may be a long way ahead.
fn explains_sequences(
    kind: &Kind,
    batch: &Batch,
    last_offset: Offset,
    traces: &CleanerTraces,
) -> bool {
    let (Kind::SequenceGap { expected }
    | Kind::SequenceRepeat { expected }
    | Kind::SequenceOverlap { expected }) = kind
    else {
        return false;
    };
    let missing = i64::from(batch.base_sequence.minus(expected.0).0);
    let between = batch.base_offset.0.saturating_sub(last_offset.0) - 1;
    missing <= between && traces.hole_from(last_offset.plus(1)).is_some()
}
