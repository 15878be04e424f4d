//! Writes the replicas of a run as real log directories: `SCENARIO/STRATEGY/CLUSTER[/REPLICA]`.
//!
//! Each is what a broker leaves after a clean stop. A record's value names its writer and number,
//! so a dump shows who wrote what; nothing else of the truth is written.

use crate::format::batch::Attributes;
use crate::format::batch_draft::{BatchDraft, RecordDraft, encode};
use crate::format::control::{ControlType, EndTxnMarker};
use crate::format::control_batch::{Place, put_end_txn_marker, put_mirror_pid_reset};
use crate::format::crc::crc32c;
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::number::Offset;
use crate::format::uuid::Uuid;
use crate::rebuild::error::WriteError;
use crate::rebuild::log_directory::{LogDirectoryFiles, PartitionOffsets, Stop};
use crate::rebuild::partition::{PartitionOptions, PartitionWriter};
use crate::simulate::cluster::{Cluster, Partition};
use crate::simulate::replica::Replica;
use crate::simulate::run::Run;
use crate::simulate::stored::Stored;
use crate::simulate::world::World;
use crate::state::batch::Control;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::PartitionName;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Indexes are small: a simulated log has few batches.
const INDEX_INTERVAL_BYTES: u32 = 256;

/// Writes all replicas of all clusters below `directory`; gives the log directories.
///
/// # Errors
/// One of them is there already; what the system says.
pub fn write_logs(run: &Run, directory: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let root = directory.join(&run.scenario).join(run.strategy().name());
    let mut written = Vec::new();
    for cluster in run.world.clusters() {
        for replica in 0..cluster.replicas {
            let mut place = root.join(&cluster.name);
            if cluster.replicas > 1 {
                place.push(replica.to_string());
            }
            write_log_directory(&run.world, cluster, replica, &place)?;
            written.push(place);
        }
    }
    Ok(written)
}

fn write_log_directory(
    world: &World,
    cluster: &Cluster,
    number: usize,
    place: &Path,
) -> Result<(), WriteError> {
    let mut offsets = Vec::new();
    for (name, partition) in &cluster.partitions {
        let (Some(replica), Some(parsed)) = (
            partition.replicas.get(number),
            PartitionName::parse(OsStr::new(name)),
        ) else {
            continue;
        };
        offsets.push(PartitionOffsets {
            topic: parsed.topic.clone(),
            partition: parsed.partition,
            first_segment: Offset(0),
            log_start_offset: Offset(0),
            recovery_point: replica.end(),
            high_watermark: partition.high_watermark,
        });
        write_partition(world, (cluster, partition), replica, parsed, place)?;
    }
    let node_id = i32::try_from(number).unwrap_or(0);
    LogDirectoryFiles {
        cluster_id: cluster.id.clone(),
        node_id,
        directory_id: id_of(&format!("directory {} {number}", cluster.id)),
        partitions: offsets,
        stop: Stop::Clean { broker_epoch: 1 },
    }
    .write(place)
}

fn write_partition(
    world: &World,
    (cluster, partition): (&Cluster, &Partition),
    replica: &Replica,
    name: PartitionName,
    place: &Path,
) -> Result<(), WriteError> {
    let topic_id = id_of(&format!("topic {} {}", cluster.id, name.topic));
    let mut writer = PartitionWriter::create(&PartitionOptions {
        topic_id: Some(topic_id),
        index_interval_bytes: INDEX_INTERVAL_BYTES,
        ..PartitionOptions::new(place, name)
    })?;
    let last = replica.snapshot_entries();
    let roll = |writer: &mut PartitionWriter, base: Offset| {
        if !replica.segments().contains(&base) {
            return Ok(());
        }
        let entries = replica.snapshots().get(&base).unwrap_or(&last);
        writer.roll(|| entries.clone())
    };
    let mut aborted = replica.aborted().iter().peekable();
    let mut bytes = Vec::new();
    for stored in replica.log() {
        bytes.clear();
        put_batch(world, stored, &mut bytes)?;
        writer.append(&bytes, Vec::new)?;
        while let Some(txn) = aborted.next_if(|txn| txn.last_offset <= stored.batch.last_offset) {
            writer.add_aborted(txn)?;
        }
        // A segment begins where the one before ends: at no batch, where none came or offsets
        // are missing.
        roll(&mut writer, stored.batch.next_offset())?;
    }
    let leads = std::ptr::eq(partition.leader(), replica);
    if leads && partition.leader_epoch.0 >= 0 && partition.link.is_none() {
        writer.begin_leader_epoch(partition.leader_epoch)?;
    }
    let written = writer.close(&last)?;
    // Where segments begin there are those snapshots alone that the broker has not lost.
    for offset in written.snapshots {
        if offset < replica.end() && !replica.snapshots().contains_key(&offset) {
            let path = written
                .directory
                .join(FileKind::ProducerSnapshot.name_at(offset));
            fs::remove_file(&path).map_err(|reason| WriteError::System { path, reason })?;
        }
    }
    Ok(())
}

/// The bytes of a batch.
fn put_batch(world: &World, stored: &Stored, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let batch = &stored.batch;
    let place = Place {
        offset: batch.base_offset,
        partition_leader_epoch: batch.partition_leader_epoch,
        timestamp: batch.first_timestamp,
    };
    match &stored.control {
        Some(Control::Marker(marker)) => {
            let kind = match marker.is_abort {
                true => ControlType::Abort,
                false => ControlType::Commit,
            };
            let producer = (batch.producer_id, batch.producer_epoch);
            let value = EndTxnMarker::new(marker.coordinator_epoch);
            put_end_txn_marker(place, producer, kind, value, out)?;
        }
        Some(_) => {
            let barrier = match &stored.source_cluster_id {
                None => MirrorPidReset::Bare { version: 0 },
                Some(id) => MirrorPidReset::Sourced {
                    version: 0,
                    source_cluster_id: id.as_bytes().to_vec(),
                    tagged_fields: Vec::new(),
                },
            };
            put_mirror_pid_reset(place, &barrier, out)?;
        }
        None => put_records(world, stored, out)?,
    }
    Ok(())
}

fn put_records(world: &World, stored: &Stored, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let batch = &stored.batch;
    let attributes = match batch.is_transactional {
        true => Attributes::PLAIN.with_transactional(),
        false => Attributes::PLAIN,
    };
    let draft = BatchDraft {
        attributes,
        last_offset_delta: batch.count.saturating_sub(1),
        producer_id: batch.producer_id,
        producer_epoch: batch.producer_epoch,
        base_sequence: batch.base_sequence,
        ..BatchDraft::plain(
            batch.base_offset,
            batch.partition_leader_epoch,
            batch.first_timestamp,
        )
    };
    let values: Vec<String> = stored
        .truth
        .records()
        .map(|record| {
            let writer = world.writers().get(record.writer.0);
            let name = writer.map_or("", |writer| writer.name.as_str());
            format!("{name} {}", record.number)
        })
        .collect();
    let records = (0..).zip(&values).map(|(offset_delta, value)| RecordDraft {
        timestamp: batch.first_timestamp,
        offset_delta,
        key: None,
        value: Some(value.as_bytes()),
        headers: &[],
    });
    encode(&draft, records, out)?;
    Ok(())
}

/// An id that is always the same for the same text.
fn id_of(text: &str) -> Uuid {
    let mut id = [0; 16];
    for (part, salt) in id.as_chunks_mut::<4>().0.iter_mut().zip(b'a'..) {
        let mut salted = vec![salt];
        salted.extend_from_slice(text.as_bytes());
        *part = crc32c(&salted).to_be_bytes();
    }
    Uuid(id)
}
