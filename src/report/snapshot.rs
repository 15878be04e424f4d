//! A producer snapshot for people: what it holds, what a broker does with it, and how it stands to
//! the log.

use std::fmt::Write as _;
use std::path::Path;

use super::measure::duration;
use super::producers::{from_0, or_dash, plural};
use super::table::{Align, Table};
use super::utc;
use crate::analysis::snapshot_comparison::{Cause, Difference, Field, Outcome};
use crate::analysis::snapshot_health::Health;
use crate::analysis::snapshot_replay::Compared;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::{ProducerEntry, Snapshot, Version};

/// What is shown of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its offset, by its name.
    pub offset: Option<Offset>,
    /// Its size, in bytes.
    pub size: u64,
    /// What its bytes say.
    pub health: &'a Health,
    /// How it stands to the log; `None` where there was none to compare it with.
    pub compared: Option<&'a Compared>,
    /// The partition's directory that it was compared with.
    pub log: Option<&'a Path>,
    /// The rules of the replay.
    pub rules: &'static str,
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
    let mut out = format!("{}\n", view.path.display());
    match &view.health.snapshot {
        Some(snapshot) => push_head(view, snapshot, &mut out),
        None => {
            let _ = writeln!(out, "{} bytes, of which nothing can be read", view.size);
        }
    }
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

fn push_head(view: &View<'_>, snapshot: &Snapshot, out: &mut String) {
    let read = snapshot.entries.len();
    let count = match usize::try_from(snapshot.count) == Ok(read) {
        true => format!("{read} producer{}", plural(read)),
        false => format!(
            "{read} producer{} of {} readable",
            plural(read),
            snapshot.count
        ),
    };
    let _ = write!(
        out,
        "version {}, {} bytes, {count}",
        snapshot.version.number(),
        view.size
    );
    if let Some(offset) = view.offset {
        let _ = write!(out, ", the state before offset {offset}");
    }
    let (stored, computed) = (snapshot.stored_crc, snapshot.computed_crc);
    let crc = match (stored == computed, &snapshot.stale_tail) {
        (true, _) => "is right".to_owned(),
        (_, Some(tail)) => format!("is right for the first {} bytes", tail.start),
        _ => format!("is wrong: {computed:#010x} by the bytes"),
    };
    let _ = writeln!(out, "\nCRC-32C {stored:#010x} {crc}");
}

/// What a broker does with the file, and what nobody should do.
fn push_verdict(view: &View<'_>, out: &mut String) {
    let Some(refusal) = &view.health.refusal else {
        out.push_str("a stock broker takes it\n");
        return;
    };
    let _ = match view.fallback {
        Fallback::Snapshot(older) => writeln!(
            out,
            "a stock broker deletes it, takes {older}\nand reads the log on from there; it says"
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
        out.push(b'\n');
        rows(snapshot.version, shown.iter().take(count).copied()).write(out);
    }
    if count < shown.len() {
        let more = shown.len() - count;
        out.extend_from_slice(format!("and {more} more (--top {})\n", shown.len()).as_bytes());
    }
}

fn rows<'a>(version: Version, entries: impl Iterator<Item = &'a ProducerEntry>) -> Table {
    let mut columns = vec![
        ("producer\nid", Align::Right),
        ("\nepoch", Align::Right),
        ("last\nseq", Align::Right),
        ("last\noffset", Align::Right),
        ("offset\ndelta", Align::Right),
        ("last timestamp\n(UTC)", Align::Left),
        ("coord\nepoch", Align::Right),
        ("txn\nstart", Align::Right),
        ("\norigin", Align::Left),
    ];
    if version == Version::V2 {
        columns.push(("source\ncluster id", Align::Left));
    }
    let mut table = Table::new(&columns);
    for entry in entries {
        let batch = |number: i64| match entry.has_batch() {
            true => number.to_string(),
            false => "-".to_owned(),
        };
        let mut row = vec![
            entry.producer_id.to_string(),
            or_dash(from_0(entry.producer_epoch.0.into())),
            batch(entry.last_sequence.0.into()),
            batch(entry.last_offset.0),
            batch(entry.offset_delta.into()),
            utc::text(entry.timestamp),
            or_dash(from_0(entry.coordinator_epoch.0.into())),
            or_dash(entry.open_txn().map(|offset| offset.0)),
            entry.producer_id.origin().to_owned(),
        ];
        if version == Version::V2 {
            let source = entry.source_cluster_id.as_deref();
            let source = source.map(|id| String::from_utf8_lossy(id).into_owned());
            row.push(source.unwrap_or_else(|| "-".to_owned()));
        }
        table.row(row);
    }
    table
}

fn push_comparison(view: &View<'_>, compared: &Compared, out: &mut Vec<u8>) {
    let log = view.log.unwrap_or(Path::new("")).display();
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
            let shown: Vec<_> = differences
                .iter()
                .filter(|difference| view.shows(difference.producer_id))
                .collect();
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
                view.rules,
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
        Outcome::Missing => format!("is missing; {}", by_the_log(fields)),
        Outcome::Extra => "is in the snapshot alone".to_owned(),
        Outcome::Differs | Outcome::Equal => {
            let told = fields.iter().map(|field| {
                let (snapshot, log) = (or_dash(field.snapshot), or_dash(field.log));
                format!("{} {snapshot}, by the log {log}", field.name)
            });
            format!("differs: {}", told.collect::<Vec<_>>().join("; "))
        }
    };
    let _ = write!(text, "  producer {producer_id} {what}");
    if let Some(cause) = cause {
        let _ = write!(text, ";\n    {}", cause_text(*cause));
    }
    text.push('\n');
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
