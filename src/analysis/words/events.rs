//! Events of a replay as sentences: the batch that shows it, and what was known before.

use super::measure::duration;
use super::read_back::{self, offsets};
use super::utc;
use crate::analysis::event_verdict::Excuse;
use crate::format::number::{Offset, Timestamp};
use crate::state::batch::Batch;
use crate::state::error::Reason;
use crate::state::event::{Kind, Previous};

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

/// What happened, with both batches, and what explains it.
#[must_use]
pub fn message(
    kind: &Kind,
    batch: &Batch,
    previous: Option<&Previous>,
    excuse: Option<Excuse>,
) -> String {
    let what = event(kind, batch, previous);
    match excuse {
        Some(excuse) => format!("{what}; {}", excuse_text(excuse)),
        None => what,
    }
}

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
