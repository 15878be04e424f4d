//! What a replay found, in words and as JSON objects.

use super::json::{Object, WideIntegers};
use super::measure::duration;
use super::read_back::{self, offsets};
use super::utc;
use crate::analysis::log_findings::{Case, Excuse, Finding, Severity};
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::Batch;
use crate::state::error::Reason;
use crate::state::event::{Kind, Previous};

/// A severity, as JSON has it.
#[must_use]
pub const fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Where the first case lies in its file, in bytes.
#[must_use]
pub const fn position(finding: &Finding) -> u64 {
    match &finding.first {
        Case::Damage(damage) => damage.position,
        Case::EndBelowStart { .. } => 0,
        Case::Barrier(batch) | Case::Event { batch, .. } => batch.place.position,
    }
}

/// The finding as a sentence: the first case, and how many there are.
#[must_use]
pub fn message(finding: &Finding) -> String {
    let first = match &finding.first {
        Case::Damage(damage) => damage.message.clone(),
        Case::Barrier(batch) => read_back::barrier(batch),
        Case::EndBelowStart { start, end } => format!(
            "log-start-offset-checkpoint has the start {start}, and the log ends at {end}: a \
             broker that starts deletes all segments and begins an empty log at {start}"
        ),
        Case::Event {
            kind,
            batch,
            previous,
            excuse,
        } => {
            let what = event(kind, batch, previous.as_ref());
            match excuse {
                Some(excuse) => format!("{what}; {}", excuse_text(*excuse)),
                None => what,
            }
        }
    };
    match finding.count {
        1 => first,
        count => format!("{first}; the first of {count}"),
    }
}

const fn excuse_of_hole() -> &'static str {
    "offsets between the two are missing as well, so compaction has taken batches away: legal"
}

fn excuse_text(excuse: Excuse) -> String {
    match excuse {
        Excuse::Hole => excuse_of_hole().to_owned(),
        Excuse::Silence(ms) => format!(
            "it was silent for {} between the two, after which a broker has forgotten it \
             (producer.id.expiration.ms): legal if it had",
            duration(ms.unsigned_abs())
        ),
    }
}

/// What happened, with both batches.
fn event(kind: &Kind, batch: &Batch, previous: Option<&Previous>) -> String {
    let id = batch.producer_id;
    let here = offsets(batch.base_offset, batch.last_offset);
    let data = format!("the batch at {here}");
    let before = previous.map_or_else(
        || "nothing was known of it before".to_owned(),
        |previous| before(previous, batch),
    );
    match kind {
        Kind::EpochRegression => format!(
            "producer {id}: {data} has epoch {}; {before}; a leader refuses such a batch, who \
             copies or reloads the log goes back to the lower epoch",
            batch.producer_epoch
        ),
        Kind::MarkerOfOldEpoch { .. } => format!(
            "producer {id}: the marker at {here} has epoch {}; {before}; a leader refuses such a \
             marker, who copies or reloads the log goes back to the lower epoch",
            batch.producer_epoch
        ),
        Kind::CoordinatorEpochRegression { marker } => format!(
            "producer {id}: the marker at {here} is of coordinator epoch {}, the one before of {}: \
             a coordinator that was replaced has written on; a leader refuses such a marker, who \
             copies or reloads the log takes it and the lower epoch",
            marker.coordinator_epoch,
            previous.map_or(-1, |previous| previous.coordinator_epoch.0)
        ),
        Kind::SequenceGap { expected } => format!(
            "producer {id}: {data} begins with sequence {}, expected {expected}: what lay between \
             is not in this log; {before}",
            batch.base_sequence
        ),
        Kind::SequenceRepeat { expected } => format!(
            "producer {id}: {data} has the sequences {} to {}, expected {expected}: they were \
             there before; {before}",
            batch.base_sequence, batch.last_sequence
        ),
        Kind::SequenceOverlap { expected } => format!(
            "producer {id}: {data} has the sequences {} to {}, expected {expected}: some were \
             there before; {before}",
            batch.base_sequence, batch.last_sequence
        ),
        Kind::BarrierOpenTransaction {
            producer_id,
            first_offset,
            fate,
        } => read_back::open_at_barrier(batch.base_offset, *producer_id, *first_offset, *fate),
        Kind::WouldStop(error) => {
            let known = match error.reason {
                Reason::ExpectedTransactional => format!("; {before}"),
                _ => String::new(),
            };
            format!("producer {id}: {}{known}", read_back::stop(batch, error))
        }
        other => format!("producer {id}: {data}: {}; {before}", other.code()),
    }
}

fn before(previous: &Previous, batch: &Batch) -> String {
    let mut text = match previous.last_offset {
        Offset(-1) => "before, only a marker was seen".to_owned(),
        last => format!(
            "before, the batch at {}",
            offsets(previous.first_offset, last)
        ),
    };
    // The position is one in that batch's own segment.
    if let Some(position) = previous.position
        && previous.first_offset >= batch.place.segment
    {
        text += &format!(" (position {position})");
    }
    text += &format!(" had epoch {}", previous.producer_epoch);
    if previous.last_sequence.0 >= 0 {
        text += &format!(
            ", sequences {} to {}",
            previous.first_sequence, previous.last_sequence
        );
    }
    if previous.last_timestamp != Timestamp::NONE {
        text += &format!(", {} UTC", utc::text(previous.last_timestamp));
    }
    if let Some(first) = previous.current_txn_first_offset {
        text += &format!(", its transaction open since offset {first}");
    }
    text
}

/// The finding as an object of a `findings` array.
pub fn push_object(finding: &Finding, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("code", finding.code);
    object.text("severity", severity_name(finding.severity));
    object.uint("count", finding.count);
    object.text("path", &finding.path.to_string_lossy());
    object.uint("position", position(finding));
    match &finding.first {
        Case::Damage(_) => {
            object.null("offset");
            object.null("producerId");
        }
        Case::EndBelowStart { end, .. } => {
            object.int("offset", end.0);
            object.null("producerId");
        }
        Case::Barrier(batch) => {
            object.int("offset", batch.base_offset.0);
            object.null("producerId");
        }
        Case::Event { kind, batch, .. } => {
            object.int("offset", batch.base_offset.0);
            object.producer_id(match kind {
                Kind::BarrierOpenTransaction { producer_id, .. } => producer_id.0,
                _ => batch.producer_id.0,
            });
        }
    }
    object.text("message", &message(finding));
    object.close();
}
