//! Directories that a broker takes for its own: where nothing foreign may lie.

use super::file_name::{FileKind, FileName};
use super::partition_name::PartitionName;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that show a log directory. Not among them are partitions: copies of those lie anywhere.
const SHOWING: [&str; 6] = [
    FileKind::LOCK_NAME,
    FileKind::CLEAN_SHUTDOWN_NAME,
    FileKind::MetaProperties.name(),
    FileKind::RecoveryPointCheckpoint.name(),
    FileKind::ReplicationOffsetCheckpoint.name(),
    FileKind::LogStartOffsetCheckpoint.name(),
];

/// The nearest directory that is a broker's log directory or a partition's own, and that a path
/// lies in or names. The path need not be there yet.
#[must_use]
pub fn around(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find_map(|above| {
        let is_here = above.as_os_str().is_empty();
        fs::canonicalize(if is_here { Path::new(".") } else { above }).ok()
    })?;
    let mut above = there.ancestors();
    let found = above.find(|above| is_log_directory(above) || is_partition(above));
    found.map(Path::to_owned)
}

fn is_log_directory(directory: &Path) -> bool {
    SHOWING.iter().any(|name| directory.join(name).exists())
}

/// Others than partitions are named so too; they hold no segments.
fn is_partition(directory: &Path) -> bool {
    let is_named = directory.file_name().and_then(PartitionName::parse);
    let is_shown = |name: &OsStr| {
        let kind = FileName::parse(name).kind;
        matches!(kind, FileKind::Log | FileKind::PartitionMetadata)
    };
    let mut entries = fs::read_dir(directory).into_iter().flatten().flatten();
    is_named.is_some() && entries.any(|entry| is_shown(&entry.file_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_partition_or_a_log_directory_is_a_brokers() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for directory in ["data/orders-0", "incident-42/copies/orders-0"] {
            fs::create_dir_all(place.join(directory)).unwrap();
            let segment = place.join(directory).join("00000000000000000000.log");
            fs::write(segment, "").unwrap();
        }
        fs::write(place.join("data/meta.properties"), "").unwrap();
        let around = |path: &str| around(&place.join(path));
        for path in ["data", "data/new", "data/new/deep"] {
            assert_eq!(around(path), Some(place.join("data")), "{path}");
        }
        let partition = place.join("data/orders-0");
        assert_eq!(around("data/orders-0/new"), Some(partition));
        let copy = place.join("incident-42/copies/orders-0");
        assert_eq!(around("incident-42/copies/orders-0/new"), Some(copy));
        for path in ["", "new", "incident-42", "incident-42/copies/new/deep"] {
            assert_eq!(around(path), None, "{path}");
        }
    }
}
