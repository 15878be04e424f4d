//! A comparison as one JSON document.

use super::{View, restored};
use crate::analysis::compare::{
    Collision, ComparedLog, ControlSeen, Difference, Divergence, IdPair, IdRelation, Mapped, Shown,
    ShownBatch, Side, Sum,
};
use crate::analysis::log_findings::Severity;
use crate::format::batch::{Header, MAGIC};
use crate::format::compression::Codec;
use crate::report::json::{Object, WideIntegers};
use crate::report::pieces::{Pieces, Write};
use crate::report::producers::path_text;

/// Writes the document.
///
/// # Errors
/// The writer's.
pub fn json(view: &View<'_>, wide: WideIntegers, write: Write<'_>) -> std::io::Result<()> {
    let comparison = view.comparison;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.int("schema", 1);
    object.text("verdict", comparison.verdict().name());
    object.text("relation", comparison.relation.name());
    for side in [Side::Source, Side::Dest] {
        log(view, side, wide, object.name(side.name()));
    }
    match comparison.divergence {
        Some(cut) => divergence(view, cut, wide, object.name("divergence")),
        None => object.null("divergence"),
    }
    match comparison.keep.side() {
        Some(side) => object.text("keep", side.name()),
        None => object.null("keep"),
    }
    match view.restored {
        Some(restored) => restored::push(restored, wide, object.name("restored")),
        None => object.null("restored"),
    }
    object.uint("equalLeftOut", comparison.equal_left_out);
    object.uint("differencesLeftOut", comparison.differences_left_out);
    object.uint("barriersLeftOut", comparison.controls_left_out);
    let mut pieces = Pieces::behind(out, wide, write);
    let mut kinds = comparison.tallies.clone();
    kinds.retain(|(_, tally)| tally.stretches > 0);
    pieces.array("counts", kinds.iter(), |(kind, tally), wide, out| {
        let mut object = Object::open(out, wide);
        object.text("kind", kind.name());
        object.text("severity", comparison.severity(*kind).name());
        object.uint("stretches", tally.stretches);
        object.uint("batches", tally.batches);
        object.uint("records", tally.records);
        object.close();
    })?;
    pieces.array("equal", comparison.equal.iter(), |equal, wide, out| {
        let mut object = Object::open(out, wide);
        object.int("firstOffset", equal.first_offset.0);
        object.int("lastOffset", equal.last_offset.0);
        object.close();
    })?;
    pieces.array(
        "differences",
        comparison.differences.iter(),
        |one, wide, out| difference(one, comparison.severity(one.kind), wide, out),
    )?;
    pieces.array("barriers", comparison.controls.iter(), control)?;
    pieces.array("producerIds", comparison.ids.iter(), id)?;
    pieces.close()
}

fn log(view: &View<'_>, side: Side, wide: WideIntegers, out: &mut Vec<u8>) {
    let (comparison, log): (_, &ComparedLog) = (view.comparison, view.log(side));
    let totals = &comparison.totals;
    let (sum, (damages, bytes)) = match side {
        Side::Source => (totals.source, totals.damaged_in_source),
        Side::Dest => (totals.dest, totals.damaged_in_dest),
    };
    let restorable = match side {
        Side::Source => totals.restorable_in_source,
        Side::Dest => totals.restorable_in_dest,
    };
    let mut object = Object::open(out, wide);
    object.text("path", &path_text(&log.path));
    object.text("topicPartition", &log.topic_partition);
    match &log.cluster_id {
        Some(id) => object.text("clusterId", id),
        None => object.null("clusterId"),
    }
    object.int("logStartOffset", log.start.0);
    object.int("logEndOffset", comparison.end(side).0);
    sums(&mut object, sum);
    object.uint("damages", damages);
    object.uint("bytesDamaged", bytes);
    object.uint("recordsRestorable", restorable.records);
    object.close();
}

fn sums(object: &mut Object<'_>, sum: Sum) {
    object.uint("batches", sum.batches);
    object.uint("records", sum.records);
    object.uint("bytes", sum.bytes);
}

fn divergence(view: &View<'_>, cut: Divergence, wide: WideIntegers, out: &mut Vec<u8>) {
    let comparison = view.comparison;
    let [source, dest] = comparison.behind;
    let mut object = Object::open(out, wide);
    object.int("leaderEpoch", cut.leader_epoch.0);
    object.int("endOffset", cut.end_offset.0);
    object.boolean("isParting", cut.is_parting);
    object.boolean("rewritesEpochs", comparison.rewrites_epochs);
    object.uint("sourceRecords", source.records);
    object.uint("destRecords", dest.records);
    object.close();
}

fn difference(one: &Difference, severity: Severity, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.int("offset", one.offset.0);
    object.optional_int("lastOffset", one.last_offset.map(|last| last.0));
    object.text("kind", one.kind.name());
    object.text("severity", severity.name());
    object.uint("batches", one.batches);
    object.uint("records", one.records);
    for side in [Side::Source, Side::Dest] {
        match one.shown(side) {
            None => object.null(side.name()),
            Some(shown) => push_shown(shown, wide, object.name(side.name())),
        }
    }
    object.close();
}

pub(super) fn push_shown(shown: &Shown, wide: WideIntegers, out: &mut Vec<u8>) {
    match shown {
        Shown::Batch(batch) => push_batch(batch, wide, out),
        Shown::Damage {
            path,
            damage,
            count,
            bytes,
        } => {
            let mut object = Object::open(out, wide);
            object.text("type", "damage");
            object.text("path", &path_text(path));
            object.uint("position", damage.position);
            object.uint("sizeInBytes", damage.size);
            object.text("code", damage.code.as_str());
            object.text("message", &damage.message);
            object.uint("damages", *count);
            object.uint("bytesDamaged", *bytes);
            object.close();
        }
    }
}

fn push_batch(shown: &ShownBatch, wide: WideIntegers, out: &mut Vec<u8>) {
    let batch = &shown.batch;
    let mut object = Object::open(out, wide);
    object.text("type", "batch");
    object.text("path", &path_text(&shown.path));
    object.uint("position", batch.place.position);
    object.int("sizeInBytes", batch.place.size);
    object.int("baseOffset", batch.base_offset.0);
    object.int("lastOffset", batch.last_offset.0);
    object.int("magic", batch.magic);
    if batch.magic >= MAGIC {
        let header = Header::new(&shown.head);
        object.int("count", batch.count);
        let codec = Codec::from_attributes(header.attributes().0);
        object.text("compression", codec.map_or("unknown", Codec::name));
        object.int("maxTimestamp", batch.max_timestamp.0);
        object.producer_id(batch.producer_id.0);
        object.int("producerEpoch", batch.producer_epoch.0);
        object.int("baseSequence", batch.base_sequence.0);
        object.int("lastSequence", batch.last_sequence.0);
        object.int("partitionLeaderEpoch", batch.partition_leader_epoch.0);
        object.boolean("isTransactional", batch.is_transactional);
        object.boolean("isControl", batch.is_control);
        match shown.control_type {
            Some(control_type) => object.text("controlType", &control_type.to_string()),
            None => object.null("controlType"),
        }
        object.int("crc", header.stored_crc());
    }
    object.close();
}

fn control(one: &ControlSeen, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.int("offset", one.offset.0);
    object.text("controlType", &one.control_type.to_string());
    object.text("in", one.only_in.map_or("both", Side::name));
    object.producer_id(one.producer_id.0);
    object.int("partitionLeaderEpoch", one.leader_epoch.0);
    match &one.source_cluster_id {
        Some(id) => object.text("sourceClusterId", id),
        None => object.null("sourceClusterId"),
    }
    object.close();
}

fn id(pair: &IdPair, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    for (name, id) in [("producerId", pair.source), ("destProducerId", pair.dest)] {
        match id {
            Some(id) => object.wide_id(name, id.0),
            None => object.null(name),
        }
    }
    object.text("relation", pair.relation.name());
    let mapped = match pair.relation {
        IdRelation::Mapped(mapped) | IdRelation::MappedBack(mapped) => Some(mapped),
        _ => None,
    };
    match mapped {
        Some(mapped) => object.text("mapping", mapped.name()),
        None => object.null("mapping"),
    }
    match mapped {
        Some(Mapped::BitField(region)) => object.int("region", region.0),
        _ => object.null("region"),
    }
    object.uint("batches", pair.batches);
    object.int("firstOffset", pair.first_offset.0);
    object.int("lastOffset", pair.last_offset.0);
    match pair.collision {
        None => object.null("collision"),
        Some(Collision::ManyToOne(sources)) => {
            let mut inner = Object::open(object.name("collision"), wide);
            inner.text("kind", "many-to-one");
            inner.uint("sources", sources as u64);
            inner.close();
        }
        Some(Collision::TwoWriters {
            grade,
            confidence,
            offset,
        }) => {
            let mut inner = Object::open(object.name("collision"), wide);
            inner.text("kind", "two-writers");
            inner.text("grade", grade.name());
            inner.decimal("confidence", confidence);
            inner.int("offset", offset.0);
            inner.close();
        }
    }
    object.close();
}
