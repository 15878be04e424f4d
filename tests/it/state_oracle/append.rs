//! Our judgement of a case's appends.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use kfsck::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};
use kfsck::state::append::Append;
use kfsck::state::batch::{Batch, Control};
use kfsck::state::chunk::Chunk;
use kfsck::state::entry::{BATCHES_OF_A_BROKER, BatchMetadata};
use kfsck::state::error::{Origin, StateError};
use kfsck::state::event;
use kfsck::state::manager::{Finished, Manager};
use kfsck::state::read::{Item, read_source};
use kfsck::state::rules::{self, Stock};
use kfsck::storage::source::Source;
use serde::{Deserialize, Serialize};

use super::answer::{self, Fault, Log, Producer};
use super::load;
use crate::corpus;

/// The answer as it is written; what lies in the directory at the end is another test's affair.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    through_log: bool,
    expiration: i64,
    pub(super) steps: Vec<Step>,
}

/// A step: what was asked, and what was believed after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) operation: String,
    now: i64,
    pub(super) error: Option<Fault>,
    // Of a chunk.
    origin: Option<String>,
    #[serde(default)]
    transaction_version: i16,
    #[serde(default)]
    leader_epoch: i32,
    #[serde(default)]
    is_verified: bool,
    #[serde(default)]
    pub(super) records: String,
    #[serde(default)]
    duplicate: bool,
    first_offset: Option<i64>,
    last_offset: Option<i64>,
    completed: Option<Vec<Completed>>,
    // Of other steps.
    pub(super) to: Option<i64>,
    #[serde(default)]
    producer_id: i64,
    #[serde(default)]
    sequence: i32,
    #[serde(default)]
    epoch: i16,
    #[serde(default)]
    bump: bool,
    // The state after it.
    high_watermark: Option<i64>,
    log: Option<Log>,
    manager: Option<State>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Completed {
    producer_id: i64,
    first_offset: i64,
    last_offset: i64,
    aborted: bool,
    last_stable_offset: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct State {
    map_end_offset: i64,
    first_unstable_offset: Option<i64>,
    producers: Vec<Producer>,
}

/// What is compared of a step.
#[derive(Debug, PartialEq, Serialize)]
struct View {
    error: Option<Fault>,
    duplicate: Option<(i64, i64)>,
    completed: Option<Vec<Completed>>,
    first_unstable_offset: Option<i64>,
    last_stable_offset: Option<i64>,
    producers: Vec<Producer>,
}

impl View {
    /// A log looks a first unstable offset up that lies below its start: it becomes the offset of
    /// the batch that holds the start, which may lie below the start again.
    fn look_up(&mut self, appended: &[(Offset, Offset)], step: &Step) {
        let (log_start, high_watermark) = (log_start(step), step.high_watermark);
        let is_below = |first: &i64| log_start.is_some_and(|start| *first <= start);
        let Some(first) = self.first_unstable_offset.filter(is_below) else {
            return;
        };
        let batch = appended.iter().find(|(_, last)| last.0 >= first);
        let found = batch.map_or(first, |(base, _)| base.0);
        self.last_stable_offset = high_watermark.map(|mark| mark.min(found));
        self.first_unstable_offset = Some(found);
    }
}

pub(super) type Twin = Manager<BATCHES_OF_A_BROKER>;

/// A chunk that is over: the old batch it repeats, or the transactions that ended.
pub(super) type Ended = Result<(Option<BatchMetadata>, Vec<Finished>), StateError>;

pub(super) fn differences(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case.join("answer.json")).unwrap();
    let written: Written = serde_json::from_str(&text).unwrap();
    let mut twin = Twin::new("topic-0", &Stock);
    let mut appended = Vec::new();
    for (number, step) in written.steps.iter().enumerate() {
        if step.error.as_ref().is_some_and(is_beside_producers) {
            continue;
        }
        let mut ours = take(&mut twin, step, &written);
        if step.operation == "chunk" && ours.error.is_none() && ours.duplicate.is_none() {
            let places = given(step, &written);
            appended.extend(places.map(|(batch, _)| (batch.base_offset, batch.last_offset)));
        }
        ours.look_up(&appended, step);
        let found = answer::differences(&real(step), &ours);
        if !found.is_empty() {
            let place = format!("step {number}, {}: ", step.operation);
            return found
                .into_iter()
                .map(|line| place.clone() + &line)
                .collect();
        }
    }
    Vec::new()
}

/// What the log says of records and offsets, before it asks who wrote them.
fn is_beside_producers(error: &Fault) -> bool {
    let class = error.class.rsplit('.').next().unwrap();
    // Of records a producer's state knows only markers.
    if class == "InvalidRecordException" && !error.message.starts_with("Invalid version found") {
        return true;
    }
    let of_records = [
        "UnexpectedAppendOffsetException",
        "OffsetsOutOfOrderException",
        "OffsetOutOfRangeException",
        "CorruptRecordException",
    ];
    of_records.contains(&class)
}

fn real(step: &Step) -> View {
    let (log, manager) = (step.log.as_ref(), step.manager.as_ref());
    let producers = log
        .map(|log| &log.producers)
        .or(manager.map(|state| &state.producers));
    View {
        error: step.error.clone().map(Fault::simple),
        duplicate: step
            .duplicate
            .then(|| (step.first_offset.unwrap(), step.last_offset.unwrap())),
        completed: step
            .completed
            .as_ref()
            .map(|ended| ended.iter().map(copy_of).collect()),
        first_unstable_offset: match (log, manager) {
            (Some(log), _) => log.first_unstable_offset,
            (None, state) => state.unwrap().first_unstable_offset,
        },
        last_stable_offset: log.map(|log| log.last_stable_offset),
        producers: producers.unwrap().iter().map(copy_of).collect(),
    }
}

fn copy_of<T: Serialize + for<'a> Deserialize<'a>>(view: &T) -> T {
    serde_json::from_value(serde_json::to_value(view).unwrap()).unwrap()
}

/// Lets ours take the step.
fn take(twin: &mut Twin, step: &Step, written: &Written) -> View {
    let now = Timestamp(step.now);
    let mut ended: Ended = Ok((None, Vec::new()));
    match step.operation.as_str() {
        "chunk" => ended = append(twin, step, written),
        "verify" if step.error.is_none() => verify(twin, step),
        "expire" => twin.remove_expired(now, written.expiration),
        "highwatermark" => twin.on_high_watermark_updated(Offset(step.to.unwrap())),
        "start" if Some(step.to.unwrap()) == log_start(step) => {
            twin.on_log_start_offset_incremented(Offset(step.to.unwrap()));
        }
        _ => {}
    }
    let start = Offset(log_start(step).unwrap_or(0));
    let is_chunk = step.operation == "chunk" && !written.through_log;
    let completes = is_chunk
        && ended
            .as_ref()
            .is_ok_and(|(duplicate, _)| duplicate.is_none());
    let unstable = twin.first_unstable_offset().map(|first| first.max(start).0);
    View {
        error: match (&ended, step.operation.as_str()) {
            (Err(error), _) => Some(Fault {
                class: error.class().to_owned(),
                message: error.to_string(),
            }),
            // A look that changes nothing: what it refuses is refused again by the append.
            (Ok(_), "verify") => step.error.clone().map(Fault::simple),
            (Ok(_), _) => None,
        },
        duplicate: ended
            .as_ref()
            .ok()
            .and_then(|(duplicate, _)| *duplicate)
            .map(|old| (old.first_offset().0, old.last_offset.0)),
        completed: completes.then(|| ended.unwrap().1.iter().map(completed).collect()),
        first_unstable_offset: unstable,
        last_stable_offset: step
            .high_watermark
            .map(|mark| twin.last_stable_offset(start, Offset(mark)).0),
        producers: load::producers(twin.producers().iter()),
    }
}

fn log_start(step: &Step) -> Option<i64> {
    step.log.as_ref().map(|log| log.log_start_offset)
}

fn completed(finished: &Finished) -> Completed {
    Completed {
        producer_id: finished.txn.producer_id.0,
        first_offset: finished.txn.first_offset.0,
        last_offset: finished.txn.last_offset.0,
        aborted: finished.txn.is_aborted,
        last_stable_offset: finished.last_stable_offset.0,
    }
}

pub(super) fn append(twin: &mut Twin, step: &Step, written: &Written) -> Ended {
    let origin = match step.origin.as_deref().unwrap() {
        "CLIENT" => Origin::Client,
        "COORDINATOR" => Origin::Coordinator,
        "REPLICATION" => Origin::Replication,
        other => panic!("no such origin: {other}"),
    };
    let how = Append {
        path: rules::Path::Append(origin),
        transaction_version: step.transaction_version,
        is_verified: step.is_verified,
    };
    let mut chunk = Chunk::new(how);
    for (batch, control) in given(step, written) {
        let duplicate = chunk.add(twin, &batch, control.as_ref(), &mut event::ignore)?;
        if duplicate.is_some() {
            return Ok((duplicate, Vec::new()));
        }
    }
    Ok((None, chunk.commit(twin)?))
}

/// The batches of a chunk. A replica takes nothing from a leader that it does not know of, nor
/// what follows.
fn given(step: &Step, written: &Written) -> impl Iterator<Item = (Batch, Option<Control>)> {
    let skips = written.through_log && step.origin.as_deref() == Some("REPLICATION");
    let known = LeaderEpoch(step.leader_epoch);
    let batches = batches(&step.records).into_iter();
    batches.take_while(move |(batch, _)| !skips || batch.partition_leader_epoch <= known)
}

fn batches(records: &str) -> Vec<(Batch, Option<Control>)> {
    let source = Source::from_bytes("chunk.log", corpus::bytes_of(records));
    let mut found = Vec::new();
    let mut take = |item: Item<'_>| {
        match item {
            Item::Batch(batch, control) => found.push((*batch, control.cloned())),
            Item::Damage(damage) => panic!("{damage:?}"),
        }
        ControlFlow::Continue(())
    };
    read_source(&source, Offset(0), true, &mut |_| true, &mut take).unwrap();
    found
}

/// The request waits for the coordinator's word: only what names a producer counts.
fn verify(twin: &mut Twin, step: &Step) {
    let known = twin.producers().get(ProducerId(step.producer_id));
    let epoch = ProducerEpoch(step.epoch);
    let is_ongoing = known.is_some_and(|entry| {
        entry.current_txn_first_offset.is_some() && entry.producer_epoch == epoch
    });
    if is_ongoing {
        return;
    }
    let place = kfsck::state::batch::Place {
        segment: Offset(0),
        position: 0,
        size: 0,
    };
    let mut batch = Batch::new(&[0; kfsck::format::batch::HEADER_SIZE], place);
    batch.producer_id = ProducerId(step.producer_id);
    batch.producer_epoch = epoch;
    batch.base_sequence = Sequence(step.sequence);
    twin.await_verification(&batch, step.bump, Timestamp(step.now));
}
