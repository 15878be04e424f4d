//! The producers of a partition: a table for people, or an object of a JSON document that is
//! written while it is made, however many producers there are.

use std::path::Path;

use super::json::{Object, WideIntegers};
use super::log_findings;
use super::measure::count;
use super::one_line::{on_one_line, path_on_one_line};
use super::pieces::{Pieces, Write};
use super::producer_table::{self, Extra, or_dash};
use crate::analysis::belief::Belief;
use crate::analysis::log_findings::Finding;
use crate::analysis::producer_order::Chosen;
use crate::format::number::{CoordinatorEpoch, Offset, Sequence};
use crate::format::producer_snapshot::ProducerEntry;

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

/// The partition as text: a heading, then the table.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let belief = view.belief;
    let mut out = format!(
        "{}\nlog start {}, last stable offset {}, high watermark {}, log end {}\n",
        path_on_one_line(&belief.path),
        belief.log_start_offset,
        belief.last_stable_offset(),
        or_dash(belief.high_watermark.map(|offset| offset.0)),
        belief.log_end_offset(),
    );
    let table = belief.state.manager().producers();
    let open = belief.state.manager().ongoing().count();
    out += &match view.chosen.of {
        0 => "no producers".to_owned(),
        of => count(of as u64, "producer"),
    };
    if open > 0 {
        out += &format!("; {}", count(open as u64, "open transaction"));
    }
    if view.is_alone {
        out += "; read from this segment alone";
    }
    if let Some(path) = &belief.began_with {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        out += &format!("; began with {}", on_one_line(&name));
    }
    out.push('\n');
    let mut out = out.into_bytes();
    if !view.chosen.ids.is_empty() {
        out.push(b'\n');
        let entries = view.chosen.ids.iter().filter_map(|id| table.get(*id));
        let entries: Vec<_> = entries.map(|entry| entry.to_snapshot()).collect();
        let rows: Vec<_> = entries.iter().collect();
        producer_table::write(Extra::default(), &rows, &mut out);
    }
    let more = view.chosen.of - view.chosen.ids.len();
    if more > 0 {
        out.extend_from_slice(format!("and {more} more (--top {})\n", view.chosen.of).as_bytes());
    }
    out
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
    let table = belief.state.manager().producers();
    let entries = view.chosen.ids.iter().filter_map(|id| table.get(*id));
    let entries = entries.map(|entry| entry.to_snapshot());
    let mut pieces = Pieces::behind(out, wide, write);
    pieces.array("producers", entries, |entry, wide, out| {
        producer(&entry, wide, out);
    })?;
    let out = &mut pieces.out;
    out.extend_from_slice(b",\"producerCount\":");
    out.extend_from_slice(view.chosen.of.to_string().as_bytes());
    out.extend_from_slice(b",\"beganWith\":");
    match &belief.began_with {
        Some(path) => super::json::push_text(&path_text(path), out),
        None => out.extend_from_slice(b"null"),
    }
    pieces.array("findings", view.findings.iter(), log_findings::push_object)?;
    pieces.close()
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
