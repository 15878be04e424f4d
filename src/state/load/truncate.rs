//! What a running broker makes of its producer state when its log is cut: the twin of
//! `UnifiedLog.truncateTo`, as far as that.
//!
//! A follower cuts its log to where it agrees with a new leader; the state of before that offset is
//! then read back from a snapshot and the log.

use super::files::{Files, offset_of};
use super::rebuild::{Ground, Segments, rebuild};
use super::segment::Segment;
use super::snapshots::{Keeper, SnapshotFiles};
use super::stop::{self, Halt};
use super::{LoadOptions, Stop};
use crate::format::number::Offset;
use crate::state::manager::Manager;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::ReadError;

/// Cuts the log in `directory`, whose state at its end is `manager`, to end at `end`; gives the
/// state after that, or the exception that the truncation ends with. The directory is the log
/// before the cut and stays as it is; of the options the rules, the log's start and what decides
/// on expiry matter.
///
/// # Errors
/// A file that we cannot read.
pub fn truncate<const N: usize>(
    directory: &PartitionDirectory,
    manager: Manager<N>,
    end: Offset,
    options: &LoadOptions,
) -> Result<Result<Manager<N>, Stop>, ReadError> {
    match cut(directory, manager, end, options) {
        Ok(manager) => Ok(Ok(manager)),
        Err(Halt::Stop(stop)) => Ok(Err(stop)),
        Err(Halt::Read(error)) => Err(error),
        Err(Halt::Overflow) => Ok(Err(stop::unsplit())),
    }
}

fn cut<const N: usize>(
    directory: &PartitionDirectory,
    manager: Manager<N>,
    end: Offset,
    options: &LoadOptions,
) -> Result<Manager<N>, Halt> {
    if end >= manager.map_end_offset() {
        return Ok(manager);
    }
    let mut files = Files::of(directory);
    let mut disk = SnapshotFiles::find(&files)?;
    let mut segments = Segments::new();
    for name in files.names() {
        if name.ends_with(".log") {
            let base = offset_of(&name)?;
            let (segment, _) = Segment::open(base, "", &files, options)?;
            segments.insert(base, segment);
        }
    }
    let first = segments.keys().next().copied().unwrap_or(end);
    let mut keeper = Keeper::of(manager, &disk);
    if first > end {
        keeper.truncate_fully(end, &mut disk, &mut files);
        return Ok(keeper.manager);
    }
    // A segment that begins behind the cut goes whole.
    segments.retain(|base, _| *base <= end);
    let start = options.log_start_offset.max(first).min(end);
    let mut ground = Ground {
        segments: &segments,
        disk: &mut disk,
        files: &mut files,
        options,
    };
    rebuild(&mut keeper, &mut ground, (start, end), false)?;
    Ok(keeper.manager)
}
