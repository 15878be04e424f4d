//! What a replay found, in words and as JSON objects.

use super::json::{Object, WideIntegers};
use super::read_back;
use crate::analysis::log_findings::{Case, Finding};
use crate::analysis::words::events;
use crate::format::number::Offset;

/// Where the first case lies in its file, in bytes.
#[must_use]
pub const fn position(finding: &Finding) -> u64 {
    match &finding.first {
        Case::Damage(damage) => damage.position,
        Case::EndBelowStart { .. } => 0,
        Case::Barrier(batch) | Case::Event { batch, .. } => batch.place.position,
    }
}

/// What becomes of a log that ends below its start, as a sentence.
#[must_use]
pub fn end_below_start(start: Offset, end: Offset) -> String {
    format!(
        "log-start-offset-checkpoint has the start {start}, and the log ends at {end}: a broker \
         that starts deletes all segments and begins an empty log at {start}"
    )
}

/// The finding as a sentence: the first case, and how many there are.
#[must_use]
pub fn message(finding: &Finding) -> String {
    let first = match &finding.first {
        Case::Damage(damage) => damage.message.clone(),
        Case::Barrier(batch) => read_back::barrier(batch),
        Case::EndBelowStart { start, end } => end_below_start(*start, *end),
        Case::Event {
            kind,
            batch,
            previous,
            excuse,
        } => events::message(kind, batch, previous.as_ref(), *excuse),
    };
    match finding.count {
        1 => first,
        count => format!("{first}; the first of {count}"),
    }
}

/// The finding as an object of a `findings` array.
pub fn push_object(finding: &Finding, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("code", finding.code);
    object.text("severity", finding.severity.name());
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
            object.producer_id(kind.producer_id(batch).0);
        }
    }
    object.text("message", &message(finding));
    object.close();
}
