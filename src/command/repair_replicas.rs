//! `--cluster-metadata`: the metadata that name the replicas of what is repaired.

use std::path::Path;

use kfsck::analysis::cluster_log::ClusterFault;
use kfsck::format::number::Offset;
use kfsck::repair::replicas::ClusterMetadata;
use kfsck::report::one_line::on_one_line;
use kfsck::storage::partition_name::CLUSTER_METADATA;

use super::metadata_partition;
use super::session::Session;

/// Reads the metadata behind a path; an error where none lie there.
pub(super) fn read(path: &Path, session: &mut Session) -> Option<ClusterMetadata> {
    let operand = metadata_partition::listed(path, session)?;
    let found = metadata_partition::found(path, &operand, session)?;
    let metadata = ClusterMetadata::read(found, session.access);
    if metadata.log.snapshot.is_none() && metadata.log.end_offset == Offset(0) {
        session.error(&format!(
            "{}: expected the log of {CLUSTER_METADATA} or a snapshot of it, found nothing that \
             can be read",
            on_one_line(&found.path.to_string_lossy())
        ));
        return None;
    }
    for fault in &metadata.log.faults {
        // What is damaged is told in each plan.
        if let ClusterFault::Read(error) = fault {
            session.read_error(error);
        }
    }
    Some(metadata)
}
