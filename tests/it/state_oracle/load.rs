//! Our load of a case's directory.

use std::fs;
use std::path::Path;

use kfsck::format::number::{Offset, Timestamp};
use kfsck::format::producer_snapshot::ProducerEntry;
use kfsck::state::entry::{BATCHES_OF_A_BROKER, Entry};
use kfsck::state::load::{LoadOptions, Loaded, Outcome, load};
use kfsck::state::rules::Stock;
use kfsck::state::snapshot::usable_entries;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

use super::answer::{
    self, Aborted, Answer, Batch, Epoch, Fault, Log, Producer, Snapshot, StoredProducer,
};
use super::cases;

pub(super) fn differences(case: &Path) -> Vec<String> {
    answer::differences(&Answer::of_real(case), &twin_answer(case))
}

/// What we make of the directory of a case.
fn twin_answer(case: &Path) -> Answer {
    let script = cases::script(case);
    let setting = |name: &str| cases::setting(&script, "load", name);
    let number = |name, otherwise| setting(name).map_or(otherwise, |text| text.parse().unwrap());
    let options = LoadOptions {
        access: Access::Plain,
        clean_shutdown: setting("clean").is_none_or(|clean| clean == "true"),
        recovery_point: Offset(number("recovery", 0)),
        log_start_offset: Offset(number("start", 0)),
        now: Some(Timestamp(number("now", 1_700_000_000_000))),
        producer_id_expiration_ms: number("expiration", 86_400_000),
        ..LoadOptions::new(&Stock)
    };
    answer_of(&case.join("topic-0"), &options)
}

/// What a load makes of a partition's directory.
pub(super) fn answer_of(directory: &Path, options: &LoadOptions) -> Answer {
    let listed = PartitionDirectory::list(directory);
    let name = directory.file_name().unwrap().to_str().unwrap();
    let outcome = load::<BATCHES_OF_A_BROKER>(&listed, name, options).unwrap();
    of_outcome(outcome, directory)
}

/// The outcome of a load of this directory.
pub(crate) fn of_outcome(outcome: Outcome<BATCHES_OF_A_BROKER>, directory: &Path) -> Answer {
    let parent = directory.parent().unwrap().to_str().unwrap();
    let mut answer = match outcome.log {
        Ok(loaded) => of_log(&loaded, directory),
        Err(stop) => Answer {
            error: Some(Fault {
                class: stop.class.to_owned(),
                message: stop.message.replace(parent, "/CWD"),
            }),
            ..Answer::default()
        },
    };
    answer.settle();
    answer
}

fn of_log(loaded: &Loaded<BATCHES_OF_A_BROKER>, directory: &Path) -> Answer {
    // The high watermark has passed all markers in front of the log's end, so only an open
    // transaction is unstable; below the end it is the last stable offset.
    let (end, stable) = (loaded.log_end_offset, loaded.last_stable_offset);
    let waiting = loaded.manager.unreplicated();
    let waiting = waiting.filter(|(_, marker)| *marker >= end);
    let waiting = waiting.map(|(ended, _)| ended.first_offset);
    let open = loaded.manager.ongoing().map(|open| open.first_offset);
    let open = open.chain(waiting).min().map(|first| match stable < end {
        true => stable.0,
        false => first.max(end).0,
    });
    let log = Log {
        log_start_offset: loaded.log_start_offset.0,
        log_end_offset: loaded.log_end_offset.0,
        first_unstable_offset: open,
        last_stable_offset: loaded.last_stable_offset.0,
        producers: producers(loaded.manager.producers().iter()),
        leader_epochs: epochs(&loaded.leader_epochs),
    };
    let name = |offset: Offset, kind: &str| format!("{:020}.{kind}", offset.0);
    let segments = loaded.segments.iter();
    let snapshots = loaded.snapshots.iter();
    Answer {
        error: None,
        log: Some(log),
        segments: segments
            .clone()
            .map(|segment| (name(segment.base_offset, "log"), segment.size))
            .collect(),
        aborted: segments
            .map(|segment| {
                let entries = segment.aborted.iter().map(|txn| Aborted {
                    producer_id: txn.producer_id.0,
                    first_offset: txn.first_offset.0,
                    last_offset: txn.last_offset.0,
                    last_stable_offset: txn.last_stable_offset.0,
                });
                (name(segment.base_offset, "txnindex"), entries.collect())
            })
            .collect(),
        snapshots: snapshots
            .map(|offset| {
                let name = name(*offset, "snapshot");
                let bytes = match loaded.written_snapshots.get(offset) {
                    Some(written) => written.clone(),
                    None => fs::read(directory.join(&name)).unwrap(),
                };
                (name, snapshot(&bytes))
            })
            .collect(),
    }
}

pub(crate) fn snapshot(bytes: &[u8]) -> Snapshot {
    match usable_entries(bytes) {
        Ok(entries) => Snapshot {
            error: None,
            entries: entries.iter().map(stored).collect(),
        },
        Err(message) => Snapshot {
            error: Some(message),
            entries: Vec::new(),
        },
    }
}

pub(super) fn stored(entry: &ProducerEntry) -> StoredProducer {
    StoredProducer {
        producer_id: entry.producer_id.0,
        epoch: entry.producer_epoch.0,
        last_sequence: entry.last_sequence.0,
        last_offset: entry.last_offset.0,
        offset_delta: entry.offset_delta,
        timestamp: entry.timestamp.0,
        coordinator_epoch: entry.coordinator_epoch.0,
        current_txn_first_offset: entry.current_txn_first_offset.0,
    }
}

/// Producers by id, as an answer has them.
pub(super) fn producers<const N: usize>(entries: impl Iterator<Item = Entry<N>>) -> Vec<Producer> {
    let mut producers: Vec<Producer> = entries.map(|entry| producer(&entry)).collect();
    producers.sort_by_key(|producer| producer.producer_id);
    producers
}

fn producer<const N: usize>(entry: &Entry<N>) -> Producer {
    let batches = entry.batches.as_slice().iter().map(|batch| Batch {
        last_seq: batch.last_sequence.0,
        last_offset: batch.last_offset.0,
        offset_delta: batch.offset_delta,
        timestamp: batch.timestamp.0,
    });
    Producer {
        producer_id: entry.producer_id.0,
        epoch: entry.producer_epoch.0,
        coordinator_epoch: entry.coordinator_epoch.0,
        last_timestamp: entry.last_timestamp.0,
        current_txn_first_offset: entry.current_txn_first_offset.map(|first| first.0),
        batches: batches.collect(),
    }
}

pub(super) fn epochs(entries: &[kfsck::format::leader_epoch_checkpoint::EpochEntry]) -> Vec<Epoch> {
    let views = entries.iter().map(|entry| Epoch {
        epoch: entry.leader_epoch.0,
        start_offset: entry.start_offset.0,
    });
    views.collect()
}
