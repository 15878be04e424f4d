//! A producer snapshot for people: what it holds, what a broker does with it, and how it stands to
//! the log.

use std::fmt::Write as _;
use std::path::Path;

use super::measure::{count, duration};
use super::one_line::{on_one_line, path_on_one_line};
use super::paragraph::wrap;
use super::producer_table::{self, Extra, from_0, or_dash};
use super::utc;
use crate::analysis::snapshot_comparison::{Cause, Difference, Field, Outcome};
use crate::analysis::snapshot_health::Health;
use crate::analysis::snapshot_replay::Compared;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::{Snapshot, Version};
use crate::state::rules::RuleSet;

/// What is shown of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its offset, by its name.
    pub offset: Option<Offset>,
    /// What its bytes say.
    pub health: &'a Health,
    /// How it stands to the log; `None` where there was none to compare it with.
    pub compared: Option<&'a Compared>,
    /// The partition's directory that it was compared with.
    pub log: Option<&'a Path>,
    /// The rules of the replay.
    pub rules: &'static dyn RuleSet,
    /// Only these producers; all when empty.
    pub ids: &'a [ProducerId],
    /// How many rows at most.
    pub top: Option<usize>,
    /// What a broker takes instead, where it refuses this one.
    pub fallback: &'a Fallback,
}

/// What a broker takes instead of a snapshot that it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fallback {
    /// The partition is not at hand.
    Unknown,
    /// An older snapshot, of this name.
    Snapshot(String),
    /// The log alone.
    Log,
}

impl View<'_> {
    pub(super) fn shows(&self, id: ProducerId) -> bool {
        self.ids.is_empty() || self.ids.contains(&id)
    }
}

/// The snapshot as text.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let mut out = format!("{}\n", path_on_one_line(view.path));
    push_head(view, &mut out);
    push_verdict(view, &mut out);
    let mut out = out.into_bytes();
    if let Some(snapshot) = &view.health.snapshot {
        push_entries(view, snapshot, &mut out);
    }
    if let Some(compared) = view.compared {
        push_comparison(view, compared, &mut out);
    }
    out
}

fn push_head(view: &View<'_>, out: &mut String) {
    let head = view.health.head;
    if let Some(version) = head.version {
        let _ = write!(out, "version {version}, ");
    }
    let _ = write!(out, "{}, ", count(view.health.size, "byte"));
    *out += &match &view.health.snapshot {
        None => "no producer readable".to_owned(),
        Some(snapshot) => {
            let read = snapshot.entries.len();
            let producers = count(read as u64, "producer");
            match usize::try_from(snapshot.count) == Ok(read) {
                true => producers,
                false => format!("{producers} of {} readable", snapshot.count),
            }
        }
    };
    if let Some(offset) = view.offset {
        let _ = write!(out, ", the state before offset {offset}");
    }
    out.push('\n');
    if let (Some(stored), Some(computed)) = (head.stored_crc, head.computed_crc) {
        let snapshot = view.health.snapshot.as_ref();
        let tail = snapshot.and_then(|snapshot| snapshot.stale_tail.as_ref());
        let crc = match (stored == computed, tail) {
            (true, _) => "is right".to_owned(),
            (_, Some(tail)) => format!("is right for the first {} bytes", tail.start),
            _ => format!("is wrong: {computed:#010x} by the bytes"),
        };
        let _ = writeln!(out, "CRC-32C {stored:#010x} {crc}");
    }
}

/// What a broker does with the file, and what nobody should do.
fn push_verdict(view: &View<'_>, out: &mut String) {
    let Some(refusal) = &view.health.refusal else {
        out.push_str("a stock broker takes it\n");
        return;
    };
    if view.health.is_read_by(view.rules) {
        out.push_str("a broker of the bit-field prototype takes it, as these rules have it\n");
    }
    let _ = match view.fallback {
        Fallback::Snapshot(older) => writeln!(
            out,
            "a stock broker deletes it, takes {}\nand reads the log on from there; it says",
            on_one_line(older)
        ),
        Fallback::Log => writeln!(
            out,
            "a stock broker deletes it and reads the log from its start; it says"
        ),
        Fallback::Unknown => writeln!(
            out,
            "a stock broker deletes it, and takes an older one or reads the log; it says"
        ),
    };
    let _ = writeln!(out, "  {refusal}");
    out.push_str(
        "Leave it where it is: where no snapshot is left at all, a broker that was stopped\n\
         cleanly does not read the log, and starts with no producer and no open transaction.\n",
    );
}

fn push_entries(view: &View<'_>, snapshot: &Snapshot, out: &mut Vec<u8>) {
    let shown: Vec<_> = snapshot
        .entries
        .iter()
        .filter(|entry| view.shows(entry.producer_id))
        .collect();
    let count = view.top.unwrap_or(shown.len()).min(shown.len());
    if count > 0 {
        let extra = Extra {
            offset_delta: true,
            source_cluster_id: snapshot.version == Version::V2,
        };
        out.push(b'\n');
        producer_table::write(extra, &shown[..count], out);
    }
    if count < shown.len() {
        let more = shown.len() - count;
        out.extend_from_slice(format!("and {more} more (--top {})\n", shown.len()).as_bytes());
    }
}

fn push_comparison(view: &View<'_>, compared: &Compared, out: &mut Vec<u8>) {
    let log = path_on_one_line(view.log.unwrap_or(Path::new("")));
    let mut text = String::new();
    match compared {
        Compared::Unreadable => return,
        Compared::BehindLogEnd(end) => {
            let _ = writeln!(text, "\nnot compared: the log in {log} ends at {end}");
        }
        Compared::BelowFirstSegment(first) => {
            let _ = writeln!(text, "\nnot compared: the log in {log} begins at {first}");
        }
        Compared::Differences(differences) => {
            let mut shown: Vec<_> = differences
                .iter()
                .filter(|difference| view.shows(difference.producer_id))
                .collect();
            // What nothing explains must not be cut off behind what something does.
            shown.sort_by_key(|difference| difference.is_legal());
            let is = |outcome| shown.iter().filter(|one| one.outcome == outcome).count();
            let entries = view.health.snapshot.iter();
            let mut ids: Vec<_> = entries
                .flat_map(|snapshot| &snapshot.entries)
                .map(|entry| entry.producer_id)
                .filter(|id| view.shows(*id))
                .collect();
            ids.sort_unstable();
            ids.dedup();
            let (missing, extra) = (is(Outcome::Missing), is(Outcome::Extra));
            let differs = is(Outcome::Differs);
            let _ = writeln!(
                text,
                "\nagainst the log in {log} (rules {}):\n{} equal, {missing} missing, {extra} \
                 extra, {differs} different",
                view.rules.name(),
                ids.len() - extra - differs
            );
            let count = view.top.unwrap_or(shown.len()).min(shown.len());
            for difference in shown.iter().take(count) {
                push_difference(difference, &mut text);
            }
            if count < shown.len() {
                let more = shown.len() - count;
                let _ = writeln!(text, "and {more} more (--top {})", shown.len());
            }
        }
    }
    out.extend_from_slice(text.as_bytes());
}

fn push_difference(difference: &Difference, text: &mut String) {
    let Difference {
        producer_id,
        outcome,
        fields,
        cause,
    } = difference;
    let what = match outcome {
        Outcome::Missing => "is missing".to_owned(),
        Outcome::Extra => "is in the snapshot alone".to_owned(),
        Outcome::Differs | Outcome::Equal => {
            let told = fields.iter().map(|field| {
                let (snapshot, log) = (or_dash(field.snapshot), or_dash(field.log));
                format!("{} {snapshot}, by the log {log}", field.name)
            });
            format!("differs: {}", told.collect::<Vec<_>>().join("; "))
        }
    };
    let known = (*outcome == Outcome::Missing).then(|| by_the_log(fields));
    let lines = [
        Some(format!("producer {producer_id} {what}")),
        known,
        cause.map(cause_text),
    ];
    let mut lines = lines.into_iter().flatten().peekable();
    let mut indent = "  ";
    while let Some(mut line) = lines.next() {
        line += if lines.peek().is_some() { ";" } else { "" };
        text.push_str(indent);
        wrap(&line, indent.len(), 4, text);
        indent = "    ";
    }
}

/// The fields of a producer that only the log knows, on one line.
fn by_the_log(fields: &[Field]) -> String {
    let value = |name| {
        let field = fields.iter().find(|field| field.name == name);
        field.and_then(|field| field.log)
    };
    let time = value("timestamp").map_or(Timestamp::NONE, Timestamp);
    let mut text = format!("by the log epoch {}", or_dash(value("producerEpoch")));
    if let Some(offset) = value("lastOffset").and_then(from_0) {
        let sequence = or_dash(value("lastSequence"));
        let _ = write!(text, ", sequence {sequence} at offset {offset}");
    }
    let _ = write!(text, ", {}", utc::text(time));
    if let Some(first) = value("currentTxnFirstOffset") {
        let _ = write!(text, ", open since offset {first}");
    }
    text
}

/// What explains a difference, in words.
#[must_use]
pub fn cause_text(cause: Cause) -> String {
    match cause {
        Cause::BelowLogStart(start) => {
            format!("legal: what tells of it lies below the log's start, {start}")
        }
        Cause::Compacted(first) => {
            format!("legal if compaction did it: offsets are missing in the log from {first} on")
        }
        Cause::RecordsTaken(batch) => format!(
            "legal: compaction took records of the batch at offset {batch}, the latest among them"
        ),
        Cause::MarkerEmptied(marker) => {
            format!("legal: compaction took the record of the marker at offset {marker}")
        }
        Cause::MayHaveExpired(ms) => format!(
            "legal if it had expired: it was silent for {}",
            duration(ms.unsigned_abs())
        ),
        Cause::SilentSince(older) => format!(
            "legal if it had expired: it wrote nothing since the snapshot at offset {older}"
        ),
        Cause::TimesGoBack => "legal if it had expired: times in this log go back by a day or \
                               more, so they do not tell how long it was silent"
            .to_owned(),
        Cause::Expired => "legal: it has expired".to_owned(),
        Cause::Unread => "its entry may lie behind the fault".to_owned(),
        Cause::BeforeBarrier(barrier) => format!(
            "from before the barrier at offset {barrier}, which voids it; a broker of a release \
             does not obey a barrier"
        ),
        Cause::NegativeId => {
            "these rules give no state to ids below 0 (--rules mapped does)".to_owned()
        }
    }
}

/// What a cause says of several producers at once, for one line.
#[must_use]
pub fn summary(differences: &[&Difference]) -> String {
    const NAMED: usize = 10;
    let mut text = String::new();
    let named = differences.len().min(NAMED);
    for (index, difference) in differences.iter().take(named).enumerate() {
        let before = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{before}{}", difference.producer_id);
    }
    let more = differences.len() - named;
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_wrapped() {
        let words = "a difference of many fields ".repeat(9);
        let mut text = "  ".to_owned();
        wrap(words.trim_end(), 2, 4, &mut text);
        assert!(text.starts_with("  a difference"), "{text}");
        let lines: Vec<_> = text.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= 80), "{text}");
        assert_eq!(lines.len(), 4, "{text}");
        assert!(
            lines[1..].iter().all(|line| line.starts_with("    ")),
            "{text}"
        );
        assert_eq!(text.split_whitespace().count(), 45);
        // A word that is too long for a line has one of its own.
        let mut text = String::new();
        wrap(&format!("see {}", "x".repeat(99)), 0, 4, &mut text);
        assert_eq!(text, format!("see\n    {}\n", "x".repeat(99)));
    }
}
