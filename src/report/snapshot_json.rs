//! Producer snapshots as a JSON document that is written while it is made.

use super::json::{Object, WideIntegers, array, push_int};
use super::pieces::{Pieces, Write};
use super::producers::path_text;
use super::snapshot::{View, cause_text};
use crate::analysis::snapshot_comparison::{Difference, Field, Outcome};
use crate::analysis::snapshot_replay::Compared;
use crate::format::number::ProducerId;
use crate::format::producer_snapshot::ProducerEntry;
use crate::storage::damage::Damage;

/// What stands before the first snapshot of the document.
pub const HEAD: &[u8] = b"{\"schema\":1,\"snapshots\":[";
/// What stands behind the last one.
pub const TAIL: &[u8] = b"]}\n";

/// Writes a snapshot as an object; `is_first` says whether another stands before it.
///
/// # Errors
/// The writer's.
pub fn json(
    view: &View<'_>,
    is_first: bool,
    wide: WideIntegers,
    write: Write<'_>,
) -> std::io::Result<()> {
    let mut out = Vec::new();
    if !is_first {
        out.push(b',');
    }
    push_head(view, wide, &mut out);
    let mut pieces = Pieces::behind(out, wide, write);
    let snapshot = view.health.snapshot.as_ref();
    let entries = snapshot.map_or([].as_slice(), |snapshot| &snapshot.entries);
    let shown = || entries.iter().filter(|entry| view.shows(entry.producer_id));
    let rows = view.top.unwrap_or(usize::MAX);
    pieces.array("entries", shown().take(rows), push_entry)?;
    pieces.array("damage", view.health.damage.iter(), push_damage)?;
    let differences: &[Difference] = match view.compared {
        Some(Compared::Differences(differences)) => differences,
        _ => &[],
    };
    let told = differences
        .iter()
        .filter(|difference| view.shows(difference.producer_id));
    let mut unequal: Vec<_> = differences.iter().map(|told| told.producer_id).collect();
    unequal.sort_unstable();
    let is_compared = matches!(view.compared, Some(Compared::Differences(_)));
    let mut equal: Vec<_> = shown()
        .filter(|_| is_compared)
        .map(|entry| entry.producer_id)
        .filter(|id| unequal.binary_search(id).is_err())
        .collect();
    equal.sort_unstable();
    equal.dedup();
    let items = told
        .map(Item::Unequal)
        .chain(equal.into_iter().map(Item::Equal));
    pieces.array("comparison", items, push_item)?;
    pieces.close()
}

fn push_head(view: &View<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let head = view.health.head;
    let mut object = Object::open(out, wide);
    object.text("path", &path_text(view.path));
    object.optional_int("offset", view.offset.map(|offset| offset.0));
    object.optional_int("version", head.version);
    object.optional_int("crc", head.stored_crc);
    object.optional_int("crcComputed", head.computed_crc);
    object.boolean("isValid", view.health.is_valid());
    object.uint("sizeInBytes", view.health.size);
    object.optional_int("count", head.count);
    match &view.health.refusal {
        Some(refusal) => object.text("stockRefusal", refusal),
        None => object.null("stockRefusal"),
    }
    match (view.log, view.compared) {
        (Some(log), Some(Compared::Differences(_))) => {
            object.text("comparedWith", &path_text(log));
        }
        _ => object.null("comparedWith"),
    }
}

fn push_entry(entry: &ProducerEntry, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.producer_id(entry.producer_id.0);
    object.int("producerEpoch", entry.producer_epoch.0);
    object.int("lastSequence", entry.last_sequence.0);
    object.int("lastOffset", entry.last_offset.0);
    object.int("offsetDelta", entry.offset_delta);
    object.int("timestamp", entry.timestamp.0);
    object.int("coordinatorEpoch", entry.coordinator_epoch.0);
    let open = entry.open_txn().map(|offset| offset.0);
    object.optional_int("currentTxnFirstOffset", open);
    object.bytes("sourceClusterId", entry.source_cluster_id.as_deref());
    object.text("origin", entry.producer_id.origin());
    object.close();
}

fn push_damage(damage: &Damage, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.uint("position", damage.position);
    object.uint("sizeInBytes", damage.size);
    object.text("code", damage.code.as_str());
    object.text("message", &damage.message);
    object.close();
}

#[derive(Clone, Copy)]
enum Item<'a> {
    Unequal(&'a Difference),
    Equal(ProducerId),
}

fn push_item(item: Item<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let (id, outcome, fields, cause): (_, _, &[Field], _) = match item {
        Item::Unequal(told) => (told.producer_id, told.outcome, &told.fields, told.cause),
        Item::Equal(id) => (id, Outcome::Equal, &[], None),
    };
    let mut object = Object::open(out, wide);
    object.producer_id(id.0);
    object.text("result", outcome.name());
    array(object.name("fields"), fields, |field, out| {
        push_field(*field, wide, out);
    });
    match cause {
        Some(cause) => {
            object.boolean("isLegal", cause.is_legal());
            object.text("cause", &cause_text(cause));
        }
        None => {
            object.boolean("isLegal", outcome == Outcome::Equal);
            object.null("cause");
        }
    }
    object.close();
}

fn push_field(field: Field, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("name", field.name);
    for (name, value) in [("snapshot", field.snapshot), ("log", field.log)] {
        match value {
            Some(value) => push_int(value, wide, object.name(name)),
            None => object.null(name),
        }
    }
    object.close();
}
