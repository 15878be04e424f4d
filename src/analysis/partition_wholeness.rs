//! What shows that a partition of a coordinator's topic is not here as a whole.
//!
//! Whoever concludes something from the absence of a transactional id or a commit has to know that
//! nothing is missing. These topics are compacted, so holes between offsets say nothing: cleaning
//! takes records away. But it keeps the first segment's base offset, which is 0, and everything at
//! the log's end that is not cleaned yet. And each segment has its indexes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::format::number::Offset;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{PartitionDirectory, StrayKind};
use crate::storage::file_name::{FileKind, FileName, Suffix};

/// Something that is missing from a partition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// Its directory, or something in it, could not be looked at.
    #[error("its directory could not be looked through")]
    Listing,
    /// Where its directory should be, something else is.
    #[error("it is no directory")]
    Directory,
    /// No segment is here.
    #[error("no segment is here")]
    Segments,
    /// A segment is no file.
    #[error("{} is no file", name(.0))]
    NoFile(PathBuf),
    /// The last start of a broker did not put a cleaned segment in its place.
    #[error("{} waits to be put in its place", name(.0))]
    Swap(PathBuf),
    /// The indexes of a segment are here without it.
    #[error("{} is here without its segment", name(.0))]
    Segment(PathBuf),
    /// The log begins behind offset 0, where one that is compacted begins.
    #[error("it begins at offset {0}, not at 0")]
    Beginning(Offset),
    /// A segment ends inside a batch, or in zero bytes although others follow.
    #[error("{} ends before its last batch does", name(.0))]
    Batch(PathBuf),
    /// The log went further.
    #[error("it ends at offset {end}, and {} tells of offset {known}", name(.by))]
    End {
        /// Where it ends.
        end: Offset,
        /// How far it went at least.
        known: Offset,
        /// The file that tells so.
        by: PathBuf,
    },
    /// What was known at the time that is asked for, if cleaning has taken it away since.
    #[error("what it knew then may have been cleaned away")]
    Earlier,
    /// Another copy, which may go further, was left out.
    #[error("another copy of it may go further, and is not whole")]
    Copy,
}

/// The file's own name; paths are for whoever tells in which directory it lies.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// What the names in a partition's directory show to be missing.
pub(super) fn by_names(directory: &PartitionDirectory) -> Vec<Missing> {
    let mut missing = Vec::new();
    if !directory.listing.unreadable.is_empty() {
        missing.push(Missing::Listing);
    }
    for stray in &directory.listing.strays {
        let name = FileName::of(&stray.path);
        if stray.kind != StrayKind::File
            && name.kind == FileKind::Log
            && name.base_offset.is_some()
            && name.suffix.is_none()
        {
            missing.push(Missing::NoFile(stray.path.clone()));
        }
    }
    let mut bases = BTreeSet::new();
    for file in directory.files_of(FileKind::Log) {
        match file.name.suffix {
            None => bases.extend(file.name.base_offset),
            Some(Suffix::Swap) => missing.push(Missing::Swap(file.path.clone())),
            Some(_) => {}
        }
    }
    match bases.first() {
        None if missing.is_empty() => missing.push(Missing::Segments),
        Some(first) if first.0 > 0 => missing.push(Missing::Beginning(*first)),
        _ => {}
    }
    let mut told = BTreeSet::new();
    for kind in [FileKind::OffsetIndex, FileKind::TimeIndex] {
        for file in directory.files_of(kind) {
            let base = file.name.base_offset.filter(|base| !bases.contains(base));
            if file.name.suffix.is_none()
                && let Some(base) = base
                && told.insert(base)
            {
                missing.push(Missing::Segment(file.path.clone()));
            }
        }
    }
    missing
}

/// The furthest offset that a log reached for certain, and the file that tells so: the high
/// watermark and the recovery point beside it, and the snapshots of its producers, each taken at
/// its end.
pub(super) fn reached(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
) -> Option<(Offset, PathBuf)> {
    let of_checkpoints = directory.name.as_ref().map(|name| {
        [
            (
                checkpoints.high_watermark(name),
                FileKind::ReplicationOffsetCheckpoint,
            ),
            (
                checkpoints.recovery_point(name),
                FileKind::RecoveryPointCheckpoint,
            ),
        ]
    });
    let of_checkpoints = of_checkpoints.into_iter().flatten();
    let of_checkpoints =
        of_checkpoints.filter_map(|(offset, kind)| Some((offset?, checkpoints.path(kind))));
    let snapshots = directory.files_of(FileKind::ProducerSnapshot);
    let of_snapshots = snapshots
        .filter(|file| file.name.suffix.is_none())
        .filter_map(|file| Some((file.name.base_offset?, file.path.clone())));
    of_checkpoints
        .chain(of_snapshots)
        .max_by_key(|(offset, _)| *offset)
}
