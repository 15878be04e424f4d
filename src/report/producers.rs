//! The producers of a partition: a table for people, or an object of a JSON document that is
//! written while it is made, however many producers there are.

use std::path::Path;

use super::json::{Object, WideIntegers};
use super::log_findings;
use super::table::{Align, Table};
use super::utc;
use crate::analysis::belief::Belief;
use crate::analysis::log_findings::Finding;
use crate::analysis::producer_order::Chosen;
use crate::format::number::{CoordinatorEpoch, Offset, Sequence};
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::entry::Entry;

/// What is shown of a partition.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The partition, `topic-0`; `None` where nothing tells.
    pub topic_partition: Option<&'a str>,
    /// What its files say.
    pub belief: &'a Belief,
    /// Which producers.
    pub chosen: &'a Chosen,
    /// What was found on the way.
    pub findings: &'a [Finding],
    /// One segment, read without the rest of its partition.
    pub is_alone: bool,
}

/// Takes bytes of a document.
pub type Write<'w> = &'w mut dyn FnMut(&[u8]) -> std::io::Result<()>;

/// Bytes that are gathered before they are written.
const PIECE: usize = 64 << 10;

/// The partition as text: a heading, then the table.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let belief = view.belief;
    let mut out = format!(
        "{}\nlog start {}, last stable offset {}, high watermark {}, log end {}\n",
        belief.path.display(),
        belief.log_start_offset,
        belief.last_stable_offset(),
        or_dash(belief.high_watermark.map(|offset| offset.0)),
        belief.log_end_offset(),
    );
    let table = belief.state.manager().producers();
    let open = belief.state.manager().ongoing().count();
    out += &match (view.chosen.of, open) {
        (0, 0) => "no producers".to_owned(),
        (1, _) => "1 producer".to_owned(),
        (count, _) => format!("{count} producers"),
    };
    if open > 0 {
        out += &format!("; {open} open transaction{}", plural(open));
    }
    if view.is_alone {
        out += "; read from this segment alone";
    }
    if let Some(path) = &belief.began_with {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        out += &format!("; began with {name}");
    }
    out.push('\n');
    let mut out = out.into_bytes();
    if !view.chosen.ids.is_empty() {
        out.push(b'\n');
        let entries = view.chosen.ids.iter().filter_map(|id| table.get(*id));
        rows(entries).write(&mut out);
    }
    let more = view.chosen.of - view.chosen.ids.len();
    if more > 0 {
        out.extend_from_slice(format!("and {more} more (--top {})\n", view.chosen.of).as_bytes());
    }
    out
}

/// Two lines of names: numbers decide how wide a column is, not words.
fn rows(entries: impl Iterator<Item = Entry<1>>) -> Table {
    let mut table = Table::new(&[
        ("producer\nid", Align::Right),
        ("\nepoch", Align::Right),
        ("last\nsequence", Align::Right),
        ("last\noffset", Align::Right),
        ("last timestamp\n(UTC)", Align::Left),
        ("coord\nepoch", Align::Right),
        ("txn\nstart", Align::Right),
        ("\norigin", Align::Left),
    ]);
    for entry in entries {
        let stored = entry.to_snapshot();
        table.row([
            stored.producer_id.to_string(),
            or_dash(from_0(stored.producer_epoch.0.into())),
            or_dash(from_0(stored.last_sequence.0.into())),
            or_dash(from_0(stored.last_offset.0)),
            utc::text(stored.timestamp),
            or_dash(from_0(stored.coordinator_epoch.0.into())),
            or_dash(stored.open_txn().map(|offset| offset.0)),
            stored.producer_id.origin().to_owned(),
        ]);
    }
    table
}

/// Numbers below 0 stand for none.
pub(super) fn from_0(number: i64) -> Option<i64> {
    (number >= 0).then_some(number)
}

pub(super) fn or_dash(number: Option<i64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

pub(super) const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// What stands before the first partition of the document.
pub const JSON_HEAD: &[u8] = b"{\"schema\":1,\"partitions\":[";
/// What stands behind the last one.
pub const JSON_TAIL: &[u8] = b"]}\n";

/// Writes the partition as an object; `is_first` says whether another stands before it.
///
/// # Errors
/// The writer's.
pub fn json(
    view: &View<'_>,
    is_first: bool,
    wide: WideIntegers,
    write: Write<'_>,
) -> std::io::Result<()> {
    let belief = view.belief;
    let mut out = Vec::new();
    if !is_first {
        out.push(b',');
    }
    let mut object = Object::open(&mut out, wide);
    match view.topic_partition {
        Some(name) => object.text("topicPartition", name),
        None => object.null("topicPartition"),
    }
    object.text("path", &path_text(&belief.path));
    object.int("logStartOffset", belief.log_start_offset.0);
    object.int("lastStableOffset", belief.last_stable_offset().0);
    let high_watermark = belief.high_watermark.map(|offset| offset.0);
    object.optional_int("highWatermark", high_watermark);
    object.int("logEndOffset", belief.log_end_offset().0);
    object.name("producers").push(b'[');
    let table = belief.state.manager().producers();
    let entries = view.chosen.ids.iter().filter_map(|id| table.get(*id));
    for (index, entry) in entries.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        producer(&entry.to_snapshot(), wide, &mut out);
        if out.len() >= PIECE {
            write(&out)?;
            out.clear();
        }
    }
    out.extend_from_slice(b"],\"producerCount\":");
    out.extend_from_slice(view.chosen.of.to_string().as_bytes());
    out.extend_from_slice(b",\"beganWith\":");
    match &belief.began_with {
        Some(path) => super::json::push_text(&path_text(path), &mut out),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"findings\":[");
    for (index, finding) in view.findings.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        log_findings::push_object(finding, wide, &mut out);
    }
    out.extend_from_slice(b"]}");
    write(&out)
}

/// Appends producers as an array.
pub(super) fn array(
    entries: impl Iterator<Item = ProducerEntry>,
    wide: WideIntegers,
    out: &mut Vec<u8>,
) {
    out.push(b'[');
    for (index, entry) in entries.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        producer(&entry, wide, out);
    }
    out.push(b']');
}

fn producer(entry: &ProducerEntry, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.producer_id(entry.producer_id.0);
    object.int("producerEpoch", entry.producer_epoch.0);
    let Sequence(last_sequence) = entry.last_sequence;
    object.int("lastSequence", last_sequence);
    object.int("lastOffset", entry.last_offset.0);
    object.int("lastTimestamp", entry.timestamp.0);
    let CoordinatorEpoch(coordinator_epoch) = entry.coordinator_epoch;
    object.int("coordinatorEpoch", coordinator_epoch);
    let open = entry.open_txn().map(|Offset(offset)| offset);
    object.optional_int("currentTxnFirstOffset", open);
    object.text("origin", entry.producer_id.origin());
    object.close();
}

/// A path as JSON has it: bytes that are no UTF-8 are replaced.
pub(super) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
