//! Where a partition lies and what a broker's next start will do with its files: what is damage in
//! one place is work for the start in another.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::analysis::log_findings::Severity;
use crate::format::number::Offset;
use crate::state::read::{SegmentFile, segments};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::{FileKind, Suffix};
use crate::storage::partition_name::{CLUSTER_METADATA, DirectoryState};
use crate::storage::source::Access;

/// Where a partition lies.
#[derive(Debug)]
pub(super) struct Setting {
    /// Map the files or read them plainly.
    pub(super) access: Access,
    /// Whether the last stop was a clean one.
    pub(super) is_clean: bool,
    /// The directory lies in a log directory that a broker has made its own.
    pub(super) is_at_home: bool,
    /// What became of the directory.
    pub(super) state: Option<DirectoryState>,
    /// The log of the cluster's metadata.
    pub(super) is_metadata: bool,
    /// Whether a broker keeps compacting the log: by its name, or a cleaner has been at it.
    pub(super) is_compacted: bool,
    /// The base offsets of the first and the last segment.
    pub(super) bases: Option<(Offset, Offset)>,
    /// Segments that the next start takes in from `.swap` files.
    pub(super) swapped: Vec<Offset>,
    /// The start reads segments again from the one that begins here on, and makes their indexes
    /// anew; `None` where it does not or nobody knows.
    recovered_from: Option<Offset>,
    companions: HashSet<PathBuf>,
}

impl Setting {
    /// The setting of a partition whose log directory has these checkpoints.
    pub(super) fn of(
        directory: &PartitionDirectory,
        checkpoints: &Checkpoints,
        access: Access,
    ) -> Self {
        let segments = segments(directory);
        let name = directory.name.as_ref();
        let topic = name.map(|name| name.topic.as_str()).unwrap_or_default();
        let is_metadata = topic == CLUSTER_METADATA;
        let point = name.and_then(|name| checkpoints.recovery_point(name));
        let is_cleaned = name.is_some_and(|name| checkpoints.cleaned_up_to(name).is_some());
        let listed = directory.listing.files.iter();
        let companions = listed.filter(|file| {
            let kinds = [
                FileKind::OffsetIndex,
                FileKind::TimeIndex,
                FileKind::TxnIndex,
            ];
            file.name.suffix.is_none() && kinds.contains(&file.name.kind)
        });
        let bases = segments.first().zip(segments.last());
        Self {
            access,
            is_clean: checkpoints.is_clean_shutdown,
            is_at_home: checkpoints.has_meta_properties,
            state: name.and_then(|name| name.state),
            is_metadata,
            is_compacted: is_cleaned
                || ["__consumer_offsets", "__transaction_state"].contains(&topic),
            bases: bases.map(|(first, last)| (first.base_offset, last.base_offset)),
            swapped: swapped(directory),
            recovered_from: recovered_from(
                &segments,
                checkpoints,
                is_metadata,
                point.unwrap_or(Offset(0)),
            ),
            companions: companions.map(|file| file.path.clone()).collect(),
        }
    }

    /// The index of a segment, if it is there.
    pub(super) fn companion(
        &self,
        segment: &SegmentFile,
        kind: FileKind,
    ) -> Result<PathBuf, PathBuf> {
        let path = segment.path.with_extension(kind.name());
        match self.companions.contains(&path) {
            true => Ok(path),
            false => Err(path),
        }
    }

    /// Whether the next start reads the segment again and makes its indexes anew.
    pub(super) fn is_recovered(&self, base_offset: Offset) -> bool {
        self.recovered_from.is_some_and(|from| base_offset >= from)
    }

    /// How bad it is that an index of the segment is wrong.
    pub(super) fn severity(&self, base_offset: Offset) -> Severity {
        if self.state == Some(DirectoryState::Deleted) {
            return Severity::Note;
        }
        match self.is_recovered(base_offset) {
            true => Severity::Warning,
            false => Severity::Error,
        }
    }

    /// What to add to a message on an index that the next start will make anew.
    pub(super) fn outlook(&self, base_offset: Offset) -> &'static str {
        match self.is_recovered(base_offset) {
            true if self.is_metadata => "; each start makes it anew",
            true => "; the next start makes it anew, as the last stop was not a clean one",
            false => "",
        }
    }

    /// Whether a broker has closed the segment: its indexes are complete and hold no padding.
    pub(super) fn is_closed(&self, base_offset: Offset) -> bool {
        let is_last = self.bases.is_none_or(|(_, last)| base_offset >= last);
        !is_last || (self.is_clean && self.state.is_none() && !self.is_metadata)
    }
}

/// Whether the next start takes the last segment as it is: of a copy the stop is taken for a clean
/// one, of a segment alone nothing is known, and the metadata log is recovered after any stop.
pub(super) fn is_taken_as_closed(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
) -> bool {
    let Some(name) = &directory.name else {
        return checkpoints.is_clean_shutdown;
    };
    checkpoints.count_as_clean() && name.topic != CLUSTER_METADATA
}

/// The base offsets of the segments that lie there as `.swap` and that the next start takes in:
/// those below the lowest `.cleaned` file (`LogLoader.removeTempFilesAndCollectSwapFiles`).
pub(super) fn swapped(directory: &PartitionDirectory) -> Vec<Offset> {
    let least = least_cleaned(directory);
    let logs = directory.files_of(FileKind::Log);
    let swaps = logs.filter(|file| file.name.suffix == Some(Suffix::Swap));
    let swaps = swaps.filter_map(|file| file.name.base_offset);
    swaps
        .filter(|base| least.is_none_or(|least| *base < least))
        .collect()
}

/// The lowest base offset of the files that a cleaner had not finished.
pub(super) fn least_cleaned(directory: &PartitionDirectory) -> Option<Offset> {
    let files = directory.listing.files.iter();
    let cleaned = files.filter(|file| file.name.suffix == Some(Suffix::Cleaned));
    cleaned.filter_map(|file| file.name.base_offset).min()
}

fn recovered_from(
    segments: &[SegmentFile],
    checkpoints: &Checkpoints,
    is_metadata: bool,
    point: Offset,
) -> Option<Offset> {
    if !checkpoints.has_meta_properties {
        return None;
    }
    // `KafkaRaftLog` asks for no clean stop and keeps no recovery point.
    if is_metadata {
        return Some(Offset(i64::MIN));
    }
    let below = segments.iter().rev().map(|segment| segment.base_offset);
    let floor = below.clone().find(|base| *base <= point);
    (!checkpoints.is_clean_shutdown).then(|| floor.unwrap_or(Offset(i64::MIN)))
}

/// The last component of a path, for messages.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}
