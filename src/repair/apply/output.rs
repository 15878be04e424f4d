//! A plan carried out into a new directory: the input is only read.

use super::disk::Disk;
use super::staging::{make, system};
use crate::repair::error::ApplyError;
use crate::repair::plan::Plan;
use crate::storage::broker_directory::around;
use crate::storage::lock::{Lock, claim, probe};
use crate::storage::source::Access;
use crate::storage::unfinished::{Left, left_in, missing, taken_by, unfinished_name};
use crate::storage::work_directory::log_directory;
use std::fs;
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Debug)]
pub struct Output {
    /// The directory of the result.
    pub path: PathBuf,
    /// Whether it took the place of what an earlier run had left unfinished.
    pub replaced: bool,
}

/// Writes the result of a plan to `output`, which is made if it is not there, as the directory of
/// the partition: a whole copy, with what the plan changes. It bears another name until all of it
/// is on the disk. What an earlier run has left under that name is replaced.
///
/// # Errors
/// A place that is taken or that lies in a log directory, a lock that is held, an old file that
/// cannot be read, and what the system says.
pub fn write(
    disk: &mut dyn Disk,
    plan: &Plan,
    output: &Path,
    access: Access,
) -> Result<Output, ApplyError> {
    let log_directory = log_directory(&plan.directory);
    if let Lock::Held(path) = system(&log_directory, probe(&log_directory))? {
        return Err(ApplyError::Locked { path });
    }
    refuse_inside(output)?;
    let target = output.join(&plan.topic_partition);
    if let Some(found) = system(&target, taken_by(&target))? {
        let path = target;
        return Err(ApplyError::Occupied { path, found });
    }
    make_directories(disk, output)?;
    let partial = output.join(unfinished_name(&plan.topic_partition));
    if fs::symlink_metadata(&partial).is_err() {
        system(&partial, disk.create_directory(&partial))?;
    }
    let Some(_claim) = system(&partial, claim(&partial))? else {
        return Err(ApplyError::Claimed { path: partial });
    };
    let replaced = clear(disk, plan, &partial)?;
    if let Err(error) = fill(disk, plan, &partial, access) {
        take_back(disk, plan, &partial);
        return Err(error);
    }
    let like = system(&plan.directory, fs::metadata(&plan.directory))?;
    system(&partial, disk.dress(&partial, &like))?;
    system(&partial, disk.sync_directory(&partial))?;
    system(&target, disk.rename(&partial, &target))?;
    system(output, disk.sync_directory(output))?;
    Ok(Output {
        path: target,
        replaced,
    })
}

/// Makes a directory with those that it lies in, each so that it lasts.
fn make_directories(disk: &mut dyn Disk, path: &Path) -> Result<(), ApplyError> {
    for (directory, above) in missing(path) {
        let made = disk.create_directory(directory);
        made.map_err(|reason| ApplyError::Unmade {
            path: directory.to_owned(),
            reason,
        })?;
        system(above, disk.sync_directory(above))?;
    }
    Ok(())
}

/// Removes what an earlier run has left: files of a partition, and nothing else. Whether there
/// were any.
fn clear(disk: &mut dyn Disk, plan: &Plan, partial: &Path) -> Result<bool, ApplyError> {
    let is_planned = |name: &str| plan.files.iter().any(|file| file.name == name);
    let left = match system(partial, left_in(partial, &is_planned))? {
        Left::Files(left) => left,
        Left::Foreign(found) => {
            let path = partial.to_owned();
            return Err(ApplyError::Occupied { path, found });
        }
    };
    for path in &left {
        system(path, disk.remove_file(path))?;
    }
    Ok(!left.is_empty())
}

fn fill(
    disk: &mut dyn Disk,
    plan: &Plan,
    partial: &Path,
    access: Access,
) -> Result<(), ApplyError> {
    let finished = |log: &str| partial.join(log);
    let mut kept = plan.files.iter().filter(|file| file.content.is_kept());
    kept.try_for_each(|file| {
        let path = partial.join(&file.name);
        make(disk, plan, file, &path, &finished, access)
    })
}

/// Removes what was written so far, as far as that goes: the error before it is the one to tell.
fn take_back(disk: &mut dyn Disk, plan: &Plan, partial: &Path) {
    for file in &plan.files {
        let _removed = disk.remove_file(&partial.join(&file.name));
    }
    let _removed = disk.remove_directory(partial);
}

/// A foreign directory in a log directory keeps a broker from starting.
fn refuse_inside(output: &Path) -> Result<(), ApplyError> {
    match around(output) {
        Some(around) => Err(ApplyError::InLogDirectory {
            path: output.to_owned(),
            around,
        }),
        None => Ok(()),
    }
}
