//! What became of the union of two logs.

use super::{Restored, batches, offsets, side_by_side};
use crate::analysis::compare::restore::{Plan, Refusal};
use crate::analysis::compare::{Difference, Kind, Side};
use crate::format::number::Offset;
use crate::rebuild::partition::Written;
use crate::report::json::{Object, WideIntegers, push_text};
use crate::report::measure::count;
use crate::report::one_line::{on_one_line, path_on_one_line};
use crate::report::paragraph::wrap;
use crate::report::producers::path_text;

/// Stretches that are named in text.
const ROWS: usize = 10;

/// Writes what was restored, or why nothing was.
pub(super) fn write(restored: &Restored, out: &mut String) {
    out.push('\n');
    let plan = &restored.plan;
    if let Some(refusal) = &plan.refusal {
        return refused(refusal, out);
    }
    if let Some(written) = &restored.written {
        let text = format!(
            "RESTORED to {}: {} in {}, log start {}, log end {}. Of these {} were in source \
             alone, {} in dest alone.",
            path_on_one_line(&written.directory),
            count(plan.kept.records, "record"),
            batches(plan.kept.batches),
            restored.start_inside.unwrap_or(written.base_offset),
            written.log_end_offset,
            count(plan.from_source.records, "record"),
            count(plan.from_dest.records, "record"),
        );
        wrap(&text, 0, 2, out);
        checked(restored, written, out);
    }
    if let Some(cut) = plan.cut {
        let text = format!(
            "  It ends at offset {cut}: the logs part there by their leader epochs, and what \
             either has behind that is not in it."
        );
        wrap(&text, 0, 2, out);
    }
    for (first, last) in plan.lost.iter().take(ROWS) {
        let text = match last {
            Some(last) => format!(
                "  Lost in both: offsets {}. The hole stays.",
                offsets(*first, *last)
            ),
            None => format!("  Lost in both: what may have been at offset {first} and behind."),
        };
        wrap(&text, 0, 2, out);
    }
    more(plan.lost.len(), out);
    for (offset, side) in plan.epochs_from.iter().take(ROWS) {
        let text = format!(
            "  Leader epoch of the batch at offset {offset}: that of {}; the other's does not fit \
             between its neighbours.",
            side.name()
        );
        wrap(&text, 0, 2, out);
    }
    more(plan.epochs_from.len(), out);
    for (first, last) in plan.may_revive.iter().take(ROWS) {
        let range = last.map_or_else(|| format!("{first} and on"), |last| offsets(*first, last));
        let text = format!(
            "  Offsets {range} were damaged in one log, and a cleaner was at work: a deletion \
             among them may be forgotten, and an old value of its key come back."
        );
        wrap(&text, 0, 2, out);
    }
    more(plan.may_revive.len(), out);
}

/// What is left to do by hand, and what a check has found.
fn checked(restored: &Restored, written: &Written, out: &mut String) {
    if let Some(start) = restored.start_inside {
        let name = written.directory.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let line = name.rsplit_once('-').map_or_else(
            || name.to_string(),
            |(topic, partition)| format!("{topic} {partition}"),
        );
        let text = format!(
            "  It starts at offset {start}, inside its first segment. The \
             log-start-offset-checkpoint of the log directory that it goes to must have the line \
             \"{} {start}\": without it, what lies below and was deleted comes back.",
            on_one_line(&line)
        );
        wrap(&text, 0, 2, out);
    }
    if restored.left.is_empty() {
        wrap(
            "  Checked: nothing is wrong with it, and a broker keeps every byte.",
            0,
            2,
            out,
        );
    }
    for left in restored.left.iter().take(ROWS) {
        wrap(&format!("  Left: {}", on_one_line(left)), 0, 2, out);
    }
    more(restored.left.len(), out);
}

fn more(length: usize, out: &mut String) {
    if length > ROWS {
        out.push_str(&format!("  and {} more (--format json)\n", length - ROWS));
    }
}

fn refused(refusal: &Refusal, out: &mut String) {
    match refusal {
        Refusal::Conflict {
            offset,
            source,
            dest,
        } => {
            let text = format!(
                "NOT RESTORED: at offset {offset} both logs have a sound batch, and they are not \
                 the same. Nothing was written: which one is right is not for a tool to guess."
            );
            wrap(&text, 0, 2, out);
            side_by_side::write(
                &Difference {
                    offset: *offset,
                    last_offset: Some(*offset),
                    kind: Kind::Content,
                    batches: 1,
                    records: 0,
                    source: source.clone(),
                    dest: dest.clone(),
                },
                "Conflict",
                out,
            );
        }
        Refusal::NoCommonEpoch => wrap(
            "NOT RESTORED: no leader epoch is common to both logs, so nothing says that they are \
             of one partition. Nothing was written.",
            0,
            2,
            out,
        ),
        Refusal::NoName => wrap(
            "NOT RESTORED: neither path lies in a directory that is named for a partition, such \
             as orders-0. Nothing was written.",
            0,
            2,
            out,
        ),
        Refusal::ClusterMetadata => wrap(
            "NOT RESTORED: a replica of __cluster_metadata is more than its log: snapshots of the \
             metadata and the state of its votes. Nothing was written; wipe a replica that is \
             damaged and let it fetch the log from the quorum.",
            0,
            2,
            out,
        ),
        Refusal::OtherTopic {
            source,
            dest,
            names,
        } => {
            // Only of a topic that is there now do the metadata beside it know the name.
            let [source, dest] = [(source, 0), (dest, 1)].map(|(id, side)| match &names[side] {
                Some(name) => format!("{id} ({} by the metadata beside it)", on_one_line(name)),
                None => id.to_string(),
            });
            let text = format!(
                "NOT RESTORED: partition.metadata has topic id {source} in source and {dest} in \
                 dest. They are logs of two topics, though these bear one name. Nothing was \
                 written."
            );
            wrap(&text, 0, 2, out);
        }
    }
}

/// Pushes the object `restored`.
pub(super) fn push(restored: &Restored, wide: WideIntegers, out: &mut Vec<u8>) {
    let plan = &restored.plan;
    let mut object = Object::open(out, wide);
    match &restored.written {
        Some(written) => {
            object.text("path", &path_text(&written.directory));
            let start = restored.start_inside.unwrap_or(written.base_offset);
            object.int("logStartOffset", start.0);
            object.int("logEndOffset", written.log_end_offset.0);
        }
        None => {
            object.null("path");
            object.null("logStartOffset");
            object.null("logEndOffset");
        }
    }
    object.uint("batches", plan.kept.batches);
    object.uint("records", plan.kept.records);
    object.uint("recordsFromSource", plan.from_source.records);
    object.uint("recordsFromDest", plan.from_dest.records);
    object.optional_int("cutAt", plan.cut.map(|cut| cut.0));
    ranges("lost", &plan.lost, wide, &mut object);
    ranges("mayRevive", &plan.may_revive, wide, &mut object);
    epochs(plan, wide, &mut object);
    let left = object.name("left");
    left.push(b'[');
    for (at, text) in restored.left.iter().enumerate() {
        if at > 0 {
            left.push(b',');
        }
        push_text(text, left);
    }
    left.push(b']');
    match &plan.refusal {
        None => object.null("refusal"),
        Some(refusal) => {
            let mut inner = Object::open(object.name("refusal"), wide);
            let (kind, offset) = match refusal {
                Refusal::Conflict { offset, .. } => ("conflict", Some(offset.0)),
                Refusal::NoCommonEpoch => ("no-common-epoch", None),
                Refusal::NoName => ("no-name", None),
                Refusal::ClusterMetadata => ("cluster-metadata", None),
                Refusal::OtherTopic { .. } => ("topic-ids", None),
            };
            inner.text("kind", kind);
            inner.optional_int("offset", offset);
            if let Refusal::Conflict { source, dest, .. } = refusal {
                for (side, shown) in [(Side::Source, source), (Side::Dest, dest)] {
                    match shown {
                        Some(shown) => {
                            super::json::push_shown(shown, wide, inner.name(side.name()));
                        }
                        None => inner.null(side.name()),
                    }
                }
            }
            inner.close();
        }
    }
    object.close();
}

fn ranges(
    name: &str,
    list: &[(Offset, Option<Offset>)],
    wide: WideIntegers,
    object: &mut Object<'_>,
) {
    let out = object.name(name);
    out.push(b'[');
    for (at, (first, last)) in list.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let mut inner = Object::open(out, wide);
        inner.int("firstOffset", first.0);
        inner.optional_int("lastOffset", last.map(|last| last.0));
        inner.close();
    }
    out.push(b']');
}

fn epochs(plan: &Plan, wide: WideIntegers, object: &mut Object<'_>) {
    let out = object.name("leaderEpochsFrom");
    out.push(b'[');
    for (at, (offset, side)) in plan.epochs_from.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let mut inner = Object::open(out, wide);
        inner.int("offset", offset.0);
        inner.text("side", side.name());
        inner.close();
    }
    out.push(b']');
}
