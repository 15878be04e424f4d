//! What the partitions of a cluster's own topics tell those who check its other partitions, read
//! once for all log directories of the cluster.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::analysis::cluster_log::ClusterLog;
use crate::analysis::transaction_coordinator::{
    StatePartition, TRANSACTION_STATE_TOPIC, TransactionCoordinator,
};
use crate::analysis::transaction_logs::partition_count_by;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::{CLUSTER_METADATA, PartitionName};
use crate::storage::source::Access;

/// What is known of a cluster. The default stands for nothing.
#[derive(Debug, Default)]
pub struct KnownCluster {
    /// Which producer ids it has given out, where its metadata could be read whole.
    pub issued: Option<Issued>,
    /// Its transaction coordinators, as far as their partitions are at hand.
    pub coordinators: Option<Coordinators>,
}

/// How far a cluster has given out producer ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// The first id of the next block.
    pub next: ProducerId,
    /// The directory that says so.
    pub path: PathBuf,
    /// The end of its log.
    pub end_offset: Offset,
    /// When the last batch of it was written; an active controller writes one every half second.
    pub last_timestamp: Timestamp,
}

/// Transaction coordinators, and where their partitions lie.
#[derive(Debug)]
pub struct Coordinators {
    /// What they remember.
    pub known: TransactionCoordinator,
    /// The directory of each partition.
    pub paths: BTreeMap<u32, PathBuf>,
}

impl KnownCluster {
    /// Reads the partitions in log directories of one cluster. Of two copies of one the longer
    /// counts: it knows more. What cannot be read is told where the partitions themselves are
    /// checked; here it only says less.
    #[must_use]
    pub fn read(log_directories: &[PathBuf], access: Access) -> Self {
        let mut metadata: Option<Metadata> = None;
        let mut states: BTreeMap<u32, (PathBuf, StatePartition)> = BTreeMap::new();
        let named = log_directories.iter().flat_map(|log_directory| {
            let checkpoints = Rc::new(Checkpoints::read(log_directory, access));
            let named = internal(log_directory).into_iter();
            named.map(move |(name, path)| (name, path, Rc::clone(&checkpoints)))
        });
        for (name, path, checkpoints) in named {
            let directory = PartitionDirectory::list(&path);
            if name.topic == CLUSTER_METADATA {
                let log = ClusterLog::read(&directory, access);
                let is_longer = |known: &Metadata| known.log.end_offset < log.end_offset;
                if metadata.as_ref().is_none_or(is_longer) {
                    metadata = Some(Metadata { path, log });
                }
            } else if let Ok(number) = u32::try_from(name.partition) {
                let partition = StatePartition::read(&directory, &checkpoints, access);
                choose(&mut states, number, path, partition);
            }
        }
        let count = metadata
            .as_ref()
            .and_then(|one| partition_count_by(&one.log));
        Self {
            issued: metadata.and_then(Metadata::issued),
            coordinators: Coordinators::of(states, count),
        }
    }
}

/// Of two copies of a partition the one of the later leader, and what the other may know beside it.
fn choose(
    states: &mut BTreeMap<u32, (PathBuf, StatePartition)>,
    number: u32,
    path: PathBuf,
    mut partition: StatePartition,
) {
    match states.get_mut(&number) {
        None => {
            states.insert(number, (path, partition));
        }
        Some((_, known)) if known.rank() >= partition.rank() => known.leave_out(&partition),
        Some(known) => {
            partition.leave_out(&known.1);
            *known = (path, partition);
        }
    }
}

struct Metadata {
    path: PathBuf,
    log: ClusterLog,
}

impl Metadata {
    /// Nothing where a part is missing or torn: the next block may be behind then. A controller
    /// that has given out none yet begins with 0 (`ProducerIdsBlock.EMPTY`).
    fn issued(self) -> Option<Issued> {
        let Self { path, log } = self;
        let is_whole = log.faults.is_empty() && !log.is_torn && log.end_offset > Offset(0);
        is_whole.then(|| Issued {
            next: log.image.next_producer_id().unwrap_or(ProducerId(0)),
            path,
            end_offset: log.end_offset,
            last_timestamp: log.last_timestamp,
        })
    }
}

impl Coordinators {
    fn of(
        states: BTreeMap<u32, (PathBuf, StatePartition)>,
        count: Option<NonZeroU32>,
    ) -> Option<Self> {
        if states.is_empty() {
            return None;
        }
        let (mut paths, mut partitions) = (BTreeMap::new(), BTreeMap::new());
        for (number, (path, partition)) in states {
            paths.insert(number, path);
            partitions.insert(number, partition);
        }
        let known = TransactionCoordinator::new(partitions, count);
        Some(Self { known, paths })
    }
}

/// The partitions of the two topics in a log directory, by the names alone.
fn internal(log_directory: &Path) -> Vec<(PartitionName, PathBuf)> {
    let entries = fs::read_dir(log_directory).into_iter().flatten();
    let named = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = PartitionName::parse(&entry.file_name())?;
        let is_asked = [CLUSTER_METADATA, TRANSACTION_STATE_TOPIC].contains(&name.topic.as_str());
        (is_asked && name.state.is_none()).then(|| (name, log_directory.join(entry.file_name())))
    });
    let mut found: Vec<_> = named.collect();
    found.sort_by(|(_, one), (_, other)| one.cmp(other));
    found
}
