//! The directory of `__cluster_metadata` that an operand names.

use std::path::Path;

use kfsck::analysis::cluster_log::{is_the_partition, metadata_partitions};
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

/// The directory itself, or the one inside a log directory; `None` and an error where none is, or
/// what is named so cannot be listed.
pub(super) fn found<'o>(
    path: &Path,
    operand: &'o Operand,
    session: &mut Session,
) -> Option<&'o PartitionDirectory> {
    let Some(found) = metadata_partitions(operand).find(|found| is_the_partition(found)) else {
        missed(path, operand, session);
        return None;
    };
    let unreadable = found.listing.unreadable.iter();
    let mut of_itself = unreadable.filter(|error| error.path() == found.path);
    if let Some(error) = of_itself.next() {
        session.read_error(error);
        return None;
    }
    Some(found)
}

/// Tells why the directory is not there.
fn missed(path: &Path, operand: &Operand, session: &mut Session) {
    let mut misnamed = metadata_partitions(operand);
    if let Some(other) = misnamed.next() {
        session.error(&format!(
            "{}: expected the directory {CLUSTER_METADATA}-0, for the topic has this one \
             partition, found another name; rename a copy that is meant",
            path_on_one_line(&other.path)
        ));
        return;
    }
    // A link of the name that leads nowhere.
    let unreadable = operand.listings().flat_map(|listing| &listing.unreadable);
    let name = format!("{CLUSTER_METADATA}-0");
    let mut named = unreadable.filter(|error| error.path().ends_with(&name));
    if let Some(error) = named.next() {
        session.read_error(error);
        return;
    }
    session.error(&format!(
        "{}: expected the directory {CLUSTER_METADATA}-0 or a log directory with it, found \
         neither",
        path_on_one_line(path)
    ));
}
