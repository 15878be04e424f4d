//! All runs as one JSON document, a run at a time.

use super::View;
use super::names::Names;
use crate::report::json::{Object, WideIntegers, push_text};
use crate::simulate::cluster::{Cluster, Partition};
use crate::simulate::harm::{Harm, Unmirrored};
use crate::simulate::scenario::Verdict;
use crate::simulate::stored::Stored;
use crate::state::batch::Control;

/// The version of the documents.
pub(super) const SCHEMA: i64 = 1;

/// What stands before the first run.
#[must_use]
pub fn head(seed: u64, wide: WideIntegers) -> Vec<u8> {
    let mut out = Vec::new();
    let mut document = Object::open(&mut out, wide);
    document.int("schema", SCHEMA);
    document.uint("seed", seed);
    document.name("runs").push(b'[');
    out
}

/// What stands behind the last run.
pub const TAIL: &[u8] = b"]}\n";

/// A run as an object.
#[must_use]
pub fn run(view: &View<'_>, wide: WideIntegers) -> Vec<u8> {
    let run = view.run;
    let names = Names::of(run);
    let mut out = Vec::new();
    let mut object = Object::open(&mut out, wide);
    object.text("scenario", &run.scenario);
    object.text("strategy", run.strategy().name());
    object.text("rules", run.rules().name());
    let verdict = match run.verdict() {
        Verdict::Safe => "safe",
        Verdict::Unsafe => "unsafe",
    };
    object.text("verdict", verdict);
    let world = &run.world;
    let partitions = world.clusters().iter().flat_map(|cluster| {
        let partitions = cluster.partitions.iter();
        partitions.map(move |(name, partition)| (cluster, name, partition))
    });
    list(object.name("clusters"), partitions, |one, out| {
        push_partition(one, &names, wide, out);
    });
    list(object.name("harm"), world.harms(), |harm, out| {
        push_harm(harm, &names, wide, out);
    });
    list(object.name("losses"), world.losses(), |loss, out| {
        push_loss(loss, view, wide, out);
    });
    list(object.name("broken"), &run.broken, |text, out| {
        push_text(text, out);
    });
    object.text("replay", view.replay);
    object.close();
    out
}

/// A list of objects.
pub(super) fn list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(b']');
}

fn push_partition(
    (cluster, name, partition): (&Cluster, &String, &Partition),
    names: &Names<'_>,
    wide: WideIntegers,
    out: &mut Vec<u8>,
) {
    let leader = partition.leader();
    let mut object = Object::open(out, wide);
    object.text("name", &cluster.name);
    object.text("topicPartition", name);
    object.int("logEndOffset", leader.end().0);
    let stable = leader.last_stable_offset(partition.high_watermark);
    object.int("lastStableOffset", stable.0);
    list(object.name("batches"), leader.log(), |stored, out| {
        push_batch(stored, names, wide, out);
    });
    object.close();
}

fn push_batch(stored: &Stored, names: &Names<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let batch = &stored.batch;
    let mut object = Object::open(out, wide);
    object.int("baseOffset", batch.base_offset.0);
    object.int("lastOffset", batch.last_offset.0);
    object.producer_id(batch.producer_id.0);
    object.int("producerEpoch", batch.producer_epoch.0);
    object.int("baseSequence", batch.base_sequence.0);
    object.boolean("isTransactional", batch.is_transactional);
    object.boolean("isControl", batch.is_control);
    match &stored.control {
        Some(Control::MirrorPidReset) => object.text("controlType", "MIRROR_PID_RESET"),
        Some(Control::Marker(marker)) if marker.is_abort => object.text("controlType", "ABORT"),
        Some(Control::Marker(_)) => object.text("controlType", "COMMIT"),
        _ => object.null("controlType"),
    }
    match stored.truth.writer() {
        Some(writer) => object.text("writer", names.plain_writer(writer)),
        None => object.null("writer"),
    }
    object.text("originCluster", names.cluster(stored.truth.origin));
    object.close();
}

fn push_harm(harm: &Harm, names: &Names<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("kind", harm.kind.name());
    object.text("cluster", names.cluster(harm.cluster));
    object.text("topicPartition", &harm.topic_partition);
    object.optional_int("offset", harm.offset.map(|offset| offset.0));
    match harm.producer_id {
        Some(id) => object.producer_id(id.0),
        None => object.null("producerId"),
    }
    list(object.name("writers"), &harm.writers, |writer, out| {
        push_text(names.plain_writer(*writer), out);
    });
    object.text("detail", &harm.detail);
    object.uint("step", u64::try_from(harm.step).unwrap_or(u64::MAX));
    object.close();
}

fn push_loss(loss: &Unmirrored, view: &View<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let names = Names::of(view.run);
    let mut object = Object::open(out, wide);
    object.text("kind", "unmirrored");
    object.text("cluster", names.cluster(loss.cluster));
    object.text("topicPartition", &loss.topic_partition);
    object.int("offset", loss.offset.0);
    object.text("writer", names.plain_writer(loss.record.writer));
    object.close();
}
