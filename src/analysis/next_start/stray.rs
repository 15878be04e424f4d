//! What becomes of a partition behind the load, when the broker has heard which topics there are.

use super::{Action, NextStart};
use crate::format::number::Offset;
use crate::state::read::segments;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::CLUSTER_METADATA;

/// A log directory's partition with `records` and without the id of its topic is taken for a stray
/// (`LogManager.isStrayReplica`): its directory is renamed, and an empty log begins in its place.
#[must_use]
pub fn behind_the_load(
    next: NextStart,
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    records: u64,
) -> NextStart {
    let mut ids = directory.files_of(FileKind::PartitionMetadata);
    let has_id = ids.any(|file| file.name.suffix.is_none());
    let name = directory.name.as_ref();
    let is_served = name.is_some_and(|name| name.state.is_none() && name.topic != CLUSTER_METADATA);
    let is_over = next.action == Action::BrokerFails;
    if has_id || !is_served || is_over || records == 0 || !checkpoints.has_meta_properties {
        return next;
    }
    let first = segments(directory).first().map(|first| first.base_offset);
    let rest = match next.is_uneventful() {
        true => String::new(),
        false => format!("; before that: {}", next.reason),
    };
    NextStart {
        action: Action::DeletesSegments,
        offset: Some(first.unwrap_or(Offset(0))),
        records_lost: records,
        reason: format!(
            "partition.metadata is missing, so the broker takes the partition for a stray once it \
             knows the topics: it renames the directory to `-stray`, where nobody reads it, and \
             begins an empty log{rest}"
        ),
        ..next
    }
}
