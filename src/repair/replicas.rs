//! Which brokers have the partition that is repaired, as the cluster's metadata tell it: a batch
//! that is appended must be the same on each of them.

use std::path::{Path, PathBuf};

use super::plan::Plan;
use crate::analysis::cluster_image::Partition;
use crate::analysis::cluster_log::ClusterLog;
use crate::analysis::transaction_logs::cluster_id;
use crate::format::number::{LeaderEpoch, Offset};
use crate::format::partition_metadata;
use crate::format::uuid::Uuid;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::small_file::{contents, owner};
use crate::storage::source::Access;

/// The replicas of a partition, up to a place in the metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicas {
    /// The topic's id.
    pub topic_id: Uuid,
    /// The brokers that have a replica, the preferred leader first.
    pub brokers: Vec<i32>,
    /// Those of them that are in sync.
    pub isr: Vec<i32>,
    /// Those that may lead without loss when none is in sync.
    pub eligible: Vec<i32>,
    /// The leader; -1 none.
    pub leader: i32,
    /// The epoch of the leader.
    pub leader_epoch: LeaderEpoch,
    /// The offset behind the last record of the metadata that was looked at.
    pub end_offset: Offset,
    /// The broker whose directory this is, by the `meta.properties` beside it.
    pub own: Option<i32>,
}

/// A cluster's metadata, and whose they are.
#[derive(Debug)]
pub struct ClusterMetadata {
    /// What they say.
    pub log: ClusterLog,
    /// The cluster, by the `meta.properties` beside them.
    pub cluster_id: Option<String>,
    /// That file, where it does not tell.
    pub silent: Option<PathBuf>,
}

impl ClusterMetadata {
    /// Reads a directory of `__cluster_metadata`.
    #[must_use]
    pub fn read(directory: &PartitionDirectory, access: Access) -> Self {
        let above = above(directory);
        let cluster_id = cluster_id(&above, access);
        Self {
            log: ClusterLog::read(directory, access),
            silent: silent(&above).filter(|_| cluster_id.is_none()),
            cluster_id,
        }
    }

    /// Tells in a plan which brokers have the partition, and what speaks against this directory.
    pub fn tell(&self, directory: &PartitionDirectory, access: Access, plan: &mut Plan) {
        let end_offset = self.log.end_offset;
        if let Some(fault) = self.log.faults.last() {
            plan.warnings.push(format!(
                "the cluster's metadata were read up to offset {end_offset}: {fault}"
            ));
        }
        let beside = above(directory);
        let owner = owner(&beside, access);
        let theirs = owner.as_ref().and_then(|owner| owner.cluster_id.as_ref());
        if let (Some(theirs), Some(ours)) = (theirs, &self.cluster_id)
            && theirs != ours
        {
            plan.warnings.push(format!(
                "the metadata are those of another cluster, {ours}; this directory is of {theirs}: \
                 they say nothing of it"
            ));
            return;
        }
        let own_silent = silent(&beside).filter(|_| theirs.is_none());
        for path in [&own_silent, &self.silent].into_iter().flatten() {
            plan.warnings.push(format!(
                "{} cannot be read, or does not say whose it is: whether the metadata are those of \
                 this directory's cluster is not known",
                path.display()
            ));
        }
        let Some(name) = &directory.name else {
            return;
        };
        let stored = topic_id(&directory.path, access);
        let topics = self.log.image.topics();
        let topic = match stored {
            Some(id) => topics.get(&id).map(|topic| (id, topic)),
            None => self.log.image.topic(&name.topic),
        };
        let partition = topic.and_then(|(id, topic)| {
            let is_named = topic.name == name.topic;
            let partition = topic.partitions.get(&name.partition);
            partition
                .filter(|_| is_named)
                .map(|partition| (id, partition))
        });
        let Some((topic_id, partition)) = partition else {
            let id = stored.map_or_else(String::new, |id| match topics.get(&id) {
                Some(topic) => format!(", topic id {id}, which is that of {}", topic.name),
                None => format!(", topic id {id}"),
            });
            plan.warnings.push(format!(
                "the cluster's metadata up to offset {end_offset} know no partition \
                 {}-{}{id}: a broker calls its directory stray, or deletes it",
                name.topic, name.partition
            ));
            return;
        };
        let own = owner.and_then(|owner| owner.node_id);
        plan.warnings
            .extend(own.and_then(|own| doubt(own, partition)));
        plan.replicas = Some(Replicas {
            topic_id,
            brokers: partition.replicas.clone(),
            isr: partition.isr.clone(),
            eligible: partition.eligible_leader_replicas.clone(),
            leader: partition.leader,
            leader_epoch: partition.leader_epoch,
            end_offset,
            own,
        });
    }
}

/// What speaks against repairing the directory of this broker.
fn doubt(own: i32, partition: &Partition) -> Option<String> {
    if !partition.replicas.contains(&own) {
        return Some(format!(
            "this directory is broker {own}'s, which has no replica of the partition any more: \
             repair those that have"
        ));
    }
    let safe = match partition.isr.is_empty() {
        true => &partition.eligible_leader_replicas,
        false => &partition.isr,
    };
    (!safe.contains(&own)).then(|| {
        format!(
            "broker {own} is not in sync: its log may end before that of the others, and the batch \
             would take another offset there; repair one that is in sync, and let this one fetch \
             the partition anew"
        )
    })
}

/// The log directory.
fn above(directory: &PartitionDirectory) -> PathBuf {
    match directory.path.parent() {
        Some(above) if !above.as_os_str().is_empty() => above.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The file that should say whose a log directory is, if it is there.
fn silent(log_directory: &Path) -> Option<PathBuf> {
    let path = log_directory.join(FileKind::MetaProperties.name());
    path.symlink_metadata().is_ok().then_some(path)
}

fn topic_id(partition: &Path, access: Access) -> Option<Uuid> {
    let bytes = contents(&partition.join(FileKind::PartitionMetadata.name()), access)?;
    Some(partition_metadata::decode(&bytes).ok()?.topic_id)
}
