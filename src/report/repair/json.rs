//! The plan as an object of a JSON document.

use super::{Outcome, View};
use crate::format::number::Offset;
use crate::repair::plan::{Lost, Plan, Step};
use crate::repair::replicas::Replicas;
use crate::report::json::{Object, WideIntegers, array, push_int, push_text};
use crate::report::producers::path_text;

/// The version of the document.
const SCHEMA: i64 = 1;

/// What stands before the first plan of a document of several.
pub const JSON_HEAD: &[u8] = b"{\"schema\":1,\"plans\":[";
/// What stands behind the last one.
pub const JSON_TAIL: &[u8] = b"]}";

/// Appends the plan as an object.
pub fn json(view: &View<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let plan = view.plan;
    let mut object = Object::open(out, wide);
    object.int("schema", SCHEMA);
    object.text("verb", plan.verb.as_str());
    object.text("topicPartition", &plan.topic_partition);
    object.text("path", &path_text(&plan.directory));
    array(object.name("steps"), &plan.steps, |one, out| {
        step(plan, one, wide, out);
    });
    let kept = plan.kept;
    let mut inner = Object::open(object.name("kept"), wide);
    inner.uint("records", kept.records);
    offset(&mut inner, "firstOffset", kept.first_offset);
    offset(&mut inner, "lastOffset", kept.last_offset);
    inner.close();
    array(object.name("lost"), &plan.lost, |one, out| {
        lost(one, wide, out);
    });
    match &plan.replicas {
        Some(known) => replicas(known, wide, object.name("replicas")),
        None => object.null("replicas"),
    }
    array(
        object.name("alternatives"),
        &plan.alternatives,
        |one, out| {
            push_text(one, out);
        },
    );
    array(object.name("warnings"), &plan.warnings, |one, out| {
        push_text(one, out);
    });
    match &view.outcome {
        Some(outcome) => result(outcome, wide, object.name("result")),
        None => object.null("result"),
    }
    object.close();
}

fn step(plan: &Plan, step: &Step, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("action", step.action.as_str());
    object.text("path", &path_text(&plan.directory.join(&step.file)));
    optional_uint(&mut object, "position", step.position);
    optional_uint(&mut object, "sizeInBytes", step.size);
    offset(&mut object, "offset", step.offset);
    object.text("detail", &step.detail);
    object.close();
}

fn lost(lost: &Lost, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    offset(&mut object, "firstOffset", lost.first_offset);
    offset(&mut object, "lastOffset", lost.last_offset);
    optional_uint(&mut object, "records", lost.records);
    object.text("reason", &lost.reason);
    object.close();
}

fn replicas(known: &Replicas, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("topicId", &known.topic_id.to_string());
    for (name, brokers) in [
        ("replicas", &known.brokers),
        ("isr", &known.isr),
        ("eligibleLeaderReplicas", &known.eligible),
    ] {
        array(object.name(name), brokers, |id, out| {
            push_int((*id).into(), wide, out);
        });
    }
    object.int("leader", known.leader);
    object.int("leaderEpoch", known.leader_epoch.0);
    object.int("metadataOffset", known.end_offset.0);
    object.optional_int("broker", known.own);
    object.close();
}

fn result(outcome: &Outcome<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("path", &path_text(outcome.path));
    match outcome.set_aside {
        Some(path) => object.text("setAside", &path_text(path)),
        None => object.null("setAside"),
    }
    array(object.name("left"), outcome.left, |one, out| {
        push_text(one, out);
    });
    object.close();
}

fn offset(object: &mut Object<'_>, name: &str, offset: Option<Offset>) {
    object.optional_int(name, offset.map(|offset| offset.0));
}

fn optional_uint(object: &mut Object<'_>, name: &str, value: Option<u64>) {
    match value {
        Some(value) => object.uint(name, value),
        None => object.null(name),
    }
}
