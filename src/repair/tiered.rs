//! Whether segments of a partition lie in remote storage too, as far as disk tells.
//!
//! The setting `remote.storage.enable` is the cluster's metadata's, and no file of a partition has
//! it. What a partition shows: local retention has taken its first segments, and its log starts in
//! front of those that are left, by log-start-offset-checkpoint. Without tiers a log starts no
//! earlier than its first segment. A topic none of whose segments were taken yet shows nothing;
//! then the log directory may show that its broker uses tiers at all.

use crate::format::number::Offset;
use crate::state::read::segments;
use crate::storage::directory::PartitionDirectory;
use std::path::Path;

/// Where a broker keeps indexes of remote segments (`RemoteIndexCache.DIR_NAME`).
const CACHE: &str = "remote-log-index-cache";

/// What the partition shows: that segments of it are elsewhere. `log_start` is its line in
/// `log-start-offset-checkpoint`.
pub(super) fn of_partition(
    directory: &PartitionDirectory,
    log_start: Option<Offset>,
) -> Option<String> {
    let first = segments(directory).first()?.base_offset;
    let start = log_start.filter(|start| *start < first)?;
    Some(format!(
        "the log starts at {start} by log-start-offset-checkpoint, and the first segment here at \
         {first}: what lies between is in remote storage, where producers keep their old ids and \
         followers and consumers go on reading them; --force changes the local segments alone"
    ))
}

/// What the log directory shows: that its broker uses tiers.
pub(super) fn of_log_directory(directory: &PartitionDirectory) -> Option<String> {
    let path = directory.path.parent()?;
    let above = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    above.join(CACHE).is_dir().then(|| {
        format!(
            "this broker uses remote storage ({CACHE}); whether this topic does is not on disk: \
             if it does, what lies there keeps the old ids"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_start_in_front_of_the_first_segment_shows_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("orders-0");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("00000000000000000040.log"), []).unwrap();
        let directory = PartitionDirectory::list(&path);
        for (start, shows) in [
            (None, false),
            (Some(40), false),
            (Some(41), false),
            (Some(39), true),
        ] {
            let found = of_partition(&directory, start.map(Offset));
            assert_eq!(found.is_some(), shows, "{start:?}");
        }
        assert_eq!(of_log_directory(&directory), None);
        fs::create_dir(place.path().join(CACHE)).unwrap();
        assert!(of_log_directory(&directory).is_some());
    }
}
