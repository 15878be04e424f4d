//! Which directories hold partitions of `__transaction_state`, and to which cluster they belong.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use super::cluster_log::ClusterLog;
use super::transaction_coordinator::TRANSACTION_STATE_TOPIC;
use crate::format::properties;
use crate::storage::directory::{Operand, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::PartitionName;
use crate::storage::source::{Access, ReadError, Source};

/// The partitions of `__transaction_state` behind a path, with their numbers; directories on their
/// way out are left out.
pub fn state_partitions(operand: &Operand) -> impl Iterator<Item = (u32, &PartitionDirectory)> {
    let partitions = operand.partitions().iter();
    partitions.filter_map(|directory| {
        let number = number_of(directory.name.as_ref()?)?;
        Some((number, directory))
    })
}

/// What is named like a partition of `__transaction_state` in a log directory and is no directory
/// that can be looked at, such as a link that leads nowhere: the numbers and paths.
pub fn unread_partitions(operand: &Operand) -> impl Iterator<Item = (u32, &Path)> {
    let listing = match operand {
        Operand::Log(log) => Some(&log.listing),
        Operand::Partition(_) | Operand::File(_) => None,
    };
    let paths = listing.into_iter().flat_map(|listing| {
        let strays = listing.strays.iter().map(|stray| stray.path.as_path());
        strays.chain(listing.unreadable.iter().map(ReadError::path))
    });
    paths.filter_map(|path| Some((state_partition(path)?, path)))
}

/// The number of the partition of `__transaction_state` that a path is named after.
#[must_use]
pub fn state_partition(path: &Path) -> Option<u32> {
    number_of(&PartitionName::parse(path.file_name()?)?)
}

fn number_of(name: &PartitionName) -> Option<u32> {
    let is_current = name.state.is_none() && name.topic == TRANSACTION_STATE_TOPIC;
    let number = u32::try_from(name.partition).ok()?;
    is_current.then_some(number)
}

/// Whether partitions of `__transaction_state` lie in a directory, by the names alone; one that
/// cannot be listed holds none.
#[must_use]
pub fn holds_coordinators(log_directory: &Path) -> bool {
    let entries = fs::read_dir(log_directory).into_iter().flatten();
    let mut names = entries.filter_map(|entry| PartitionName::parse(&entry.ok()?.file_name()));
    names.any(|name| name.state.is_none() && name.topic == TRANSACTION_STATE_TOPIC)
}

/// The cluster that a log directory belongs to, as its `meta.properties` says; `None` without one
/// that can be read.
#[must_use]
pub fn cluster_id(log_directory: &Path, access: Access) -> Option<String> {
    let path = log_directory.join(FileKind::MetaProperties.name());
    if !path.is_file() {
        return None;
    }
    let source = Source::open(&path, access).ok()?;
    let properties = properties::decode(&source.contents().ok()?).ok()?;
    source.check().ok()?;
    properties.get("cluster.id").map(str::to_owned)
}

/// Of how many partitions the topic is by the cluster's metadata in a log directory; `None` where
/// none lie there that can be read whole.
#[must_use]
pub fn partition_count(log_directory: &Path, access: Access) -> Option<NonZeroU32> {
    partition_count_by(&ClusterLog::in_log_directory(log_directory, access)?)
}

/// The same of metadata that were read.
#[must_use]
pub fn partition_count_by(metadata: &ClusterLog) -> Option<NonZeroU32> {
    let mut topics = metadata.image.topics().values();
    let topic = topics.find(|topic| topic.name == TRANSACTION_STATE_TOPIC)?;
    let count = NonZeroU32::new(topic.partitions.len().try_into().ok()?);
    count.filter(|_| metadata.faults.is_empty())
}
