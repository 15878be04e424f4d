//! The directory of `__cluster_metadata` that an operand names.

use std::path::Path;

use kfsck::analysis::cluster_log::metadata_partitions;
use kfsck::report::one_line::path_on_one_line;
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::partition_name::CLUSTER_METADATA;

use super::session::Session;

/// Lists what a path names; `None` and an error where it cannot be listed.
pub(super) fn listed(path: &Path, session: &mut Session) -> Option<Operand> {
    match directory::expand(path) {
        Ok(operand) => Some(operand),
        Err(error) => {
            session.read_error(&error);
            None
        }
    }
}

/// The directory itself, or the one inside a log directory; `None` and an error where none is.
pub(super) fn found<'o>(
    path: &Path,
    operand: &'o Operand,
    session: &mut Session,
) -> Option<&'o PartitionDirectory> {
    let found = metadata_partitions(operand).next();
    if found.is_none() {
        session.error(&format!(
            "{}: expected the directory {CLUSTER_METADATA}-0 or a log directory with it, found \
             neither",
            path_on_one_line(path)
        ));
    }
    found
}
