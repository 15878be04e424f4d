//! Partitions of real brokers, written again from nothing but their batches.
//!
//! A request of a Java client brings one batch a partition, and a coordinator one marker, so each
//! batch was an append of its own. A new leader epoch is a new start of the broker: a start leaves
//! traces in indexes and snapshots. The sizes are those that `oracle/` gives its topics.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::batch::Header;
use kfsck::format::leader_epoch_checkpoint::{self, EpochEntry};
use kfsck::format::number::Offset;
use kfsck::format::partition_metadata;
use kfsck::format::producer_snapshot::{self, ProducerEntry};
use kfsck::rebuild::partition::PartitionOptions;
use kfsck::rebuild::replayed::ReplayedPartition;
use kfsck::state::entry::BATCHES_OF_A_BROKER;
use kfsck::state::rules::Stock;
use kfsck::storage::partition_name::PartitionName;

use super::{differences, files_of};
use crate::batches::split;
use crate::corpus;

/// `internal.segment.bytes` of a topic; 0 for one that is no pure work of appends: cleaned,
/// trimmed, expired or of another kind of log.
fn segment_bytes(topic: &str) -> u32 {
    match topic {
        "plain" => 9000,
        "codec-mixed" => 3000,
        "lat" | "my.topic-3" => 2500,
        "idem" => 3500,
        "epochs_of-leaders" => 1500,
        "crash-prealloc" => 4096,
        _ if topic.starts_with("txn-") => 3500,
        _ if topic.starts_with("crash") => 5000,
        "__cluster_metadata" | "compact-horizon" | "compact_gone" | "expired_all" => 0,
        _ if topic.starts_with("trimmed") => 0,
        _ => 1 << 30,
    }
}

fn index_bytes(topic: &str) -> u32 {
    match topic.starts_with("crash") {
        true => 1200,
        false => 4096,
    }
}

/// The partitions that nothing but appends and clean stops made.
fn partitions() -> Vec<(PathBuf, PartitionName, u32)> {
    let mut found = Vec::new();
    for log_directory in ["main", "crash/clean"] {
        for entry in fs::read_dir(corpus::directory().join(log_directory)).unwrap() {
            let path = entry.unwrap().path();
            let Some(name) = PartitionName::parse(path.file_name().unwrap()) else {
                continue;
            };
            let bytes = segment_bytes(&name.topic);
            if path.is_dir() && name.state.is_none() && bytes > 0 {
                found.push((path, name, bytes));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_real_brokers_wrote_is_written_again_to_the_byte() {
    let (mut several, mut snapshots, mut forgetful) = (0, 0, 0);
    let mut found = Vec::new();
    let partitions = partitions();
    for (path, name, segment_bytes) in &partitions {
        let real = files_of(path);
        several += usize::from(real.keys().filter(|name| name.ends_with(".log")).count() > 1);
        let place = tempfile::tempdir().unwrap();
        let ours = write_again(path, name, *segment_bytes, place.path());
        let mut ours = files_of(&ours);
        let starts = leader_epoch_checkpoint::decode(&real["leader-epoch-checkpoint"]).unwrap();
        for (name, bytes) in &real {
            if !name.ends_with(".snapshot") {
                continue;
            }
            snapshots += 1;
            if only_forgets(bytes, &ours[name], start_before(name, &starts)) {
                ours.insert(name.clone(), bytes.clone());
                forgetful += 1;
            }
        }
        for difference in differences(&real, &ours) {
            found.push(format!("{}: {difference}", path.display()));
        }
    }
    assert!(
        found.is_empty(),
        "{} differ\n{}",
        found.len(),
        found.join("\n")
    );
    assert!(partitions.len() > 20, "{} partitions", partitions.len());
    assert!(
        forgetful * 4 < snapshots,
        "{forgetful} of {snapshots} snapshots lack who expired"
    );
    assert!(several > 1, "{several} partitions of several segments");
}

/// The last start before a snapshot.
fn start_before(snapshot: &str, starts: &[EpochEntry]) -> Offset {
    let offset = snapshot.strip_suffix(".snapshot").unwrap().parse().unwrap();
    let mut offsets = starts.iter().map(|entry| entry.start_offset);
    offsets.rfind(|start| *start < Offset(offset)).unwrap()
}

/// Whether a real snapshot lacks nothing but producers from before a start: their records are years
/// old by their timestamps, and a start forgets who was silent for a day.
fn only_forgets(real: &[u8], ours: &[u8], start: Offset) -> bool {
    let [real, ours] = [real, ours].map(|bytes| producer_snapshot::decode(bytes).unwrap().entries);
    let is_before = |entry: &ProducerEntry| entry.last_offset < start;
    let (missing, kept): (Vec<_>, Vec<_>) =
        ours.into_iter().partition(|entry| !real.contains(entry));
    kept == real && !missing.is_empty() && missing.iter().all(is_before)
}

fn write_again(real: &Path, name: &PartitionName, segment_bytes: u32, place: &Path) -> PathBuf {
    let read = |name: &str| fs::read(real.join(name)).unwrap();
    let metadata = partition_metadata::decode(&read("partition.metadata")).unwrap();
    let options = PartitionOptions {
        topic_id: Some(metadata.topic_id),
        segment_bytes,
        index_interval_bytes: 1024,
        segment_index_bytes: index_bytes(&name.topic),
        ..PartitionOptions::new(place, name.clone())
    };
    let mut epochs = leader_epoch_checkpoint::decode(&read("leader-epoch-checkpoint"))
        .unwrap()
        .into_iter()
        .peekable();
    let mut writer = ReplayedPartition::<BATCHES_OF_A_BROKER>::create(&options, &Stock).unwrap();
    let mut begin = |writer: &mut ReplayedPartition<BATCHES_OF_A_BROKER>, offset: i64| {
        while let Some(EpochEntry { leader_epoch, .. }) =
            epochs.next_if(|entry| entry.start_offset.0 <= offset)
        {
            writer.restart(&mut ()).unwrap();
            writer.begin_leader_epoch(leader_epoch).unwrap();
        }
    };
    let logs = corpus::files(real).into_iter();
    for path in logs.filter(|path| path.extension().is_some_and(|end| end == "log")) {
        for (_, batch) in split(&fs::read(path).unwrap()) {
            let base_offset = Header::at_front_of(batch).unwrap().base_offset();
            begin(&mut writer, base_offset.0);
            writer.append(batch, &mut ()).unwrap();
        }
    }
    begin(&mut writer, i64::MAX);
    writer.close(&mut ()).unwrap().0.directory
}
