//! A plan carried out in the partition's own directory.
//!
//! New files are made whole beside the old ones, under names that mean nothing to a broker. Old
//! files that will go or be replaced get a second name in the work directory, which lies beside the
//! log directory and never in it. Then a journal is written there; from then on the repair is
//! finished, whatever happens, and before it is undone: each is the affair of the next run
//! ([`settle`]). What is left to do behind the journal is renaming and removing, and to do that
//! twice does no harm.

use super::disk::Disk;
use super::journal::{Before, Change, Journal};
use super::output::log_directory;
use super::staging::{make, system};
use crate::repair::error::ApplyError;
use crate::repair::plan::Plan;
use crate::storage::lock::{Lock, take};
use crate::storage::source::Access;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What files are called in the partition's directory before they get their names.
const STAGED: &str = "kfsck-staged-";
/// In front of the number of a second repair's work directory: no name of a partition has it, so
/// that of no other partition is taken for one.
const NUMBERED: &str = "+";
const JOURNAL: &str = "journal.json";
const UNFINISHED_JOURNAL: &str = "journal.json.new";
/// What the journal is called when all of it is done.
const DONE: &str = "done.json";
/// What it is called when it cannot be done any more.
const ABANDONED: &str = "abandoned.json";

/// What became of a repair that was broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// There was none.
    Nothing,
    /// It had changed nothing yet, and what it had made is gone.
    Undone,
    /// It is finished now.
    Finished,
}

/// Carries a plan out in the partition's directory; gives the directory with the old files.
///
/// # Errors
/// A lock that is held, an old file that cannot be read, and what the system says. Where it fails
/// in front of the journal everything is as before, but for files that [`settle`] takes away.
pub fn apply(disk: &mut dyn Disk, plan: &Plan, access: Access) -> Result<PathBuf, ApplyError> {
    let _lock = locked(&plan.directory)?;
    let work = free_work_directory(&plan.directory);
    let beside = work.parent().map_or_else(PathBuf::new, Path::to_owned);
    system(&work, disk.create_directory(&work))?;
    system(&beside, disk.sync_directory(&beside))?;
    let prepared = prepare(disk, plan, &work, access);
    let journal = match prepared {
        Ok(journal) => journal,
        Err(error) => {
            // Should that fail too, the next run does it.
            let _undone = undo(disk, &plan.directory, &work);
            return Err(error);
        }
    };
    finish(disk, &plan.directory, &work, &journal)?;
    Ok(work)
}

/// Finishes or undoes a repair of this partition that was broken off.
///
/// # Errors
/// A lock that is held, files that changed meanwhile ([`ApplyError::Changed`]), a journal that
/// does not read, and what the system says.
pub fn settle(disk: &mut dyn Disk, partition: &Path) -> Result<Settled, ApplyError> {
    let Some(work) = unsettled(partition) else {
        return Ok(Settled::Nothing);
    };
    let _lock = locked(partition)?;
    let path = work.join(JOURNAL);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            undo(disk, partition, &work)?;
            return Ok(Settled::Undone);
        }
        Err(reason) => return Err(ApplyError::System { path, reason }),
    };
    let journal = Journal::decode(&bytes).map_err(|reason| ApplyError::Journal { path, reason })?;
    finish(disk, partition, &work, &journal)?;
    Ok(Settled::Finished)
}

/// The work directory of a repair of this partition that was broken off.
#[must_use]
pub fn unsettled(partition: &Path) -> Option<PathBuf> {
    let (beside, own) = place(partition);
    let entries = fs::read_dir(&beside).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    // A name of ours, or that with a number; older ones may have been removed by hand.
    let mut ours: Vec<_> = names
        .filter_map(|name| {
            let number = match name.strip_prefix(&own)? {
                "" => 1,
                rest => rest.strip_prefix(NUMBERED)?.parse::<u64>().ok()?,
            };
            Some((number, beside.join(name)))
        })
        .filter(|(_, work)| work.is_dir())
        .collect();
    ours.sort();
    let mut ours = ours.into_iter().map(|(_, work)| work);
    ours.find(|work| !work.join(DONE).exists() && !work.join(ABANDONED).exists())
}

/// Takes the lock of the log directory.
fn locked(partition: &Path) -> Result<Lock, ApplyError> {
    let log_directory = log_directory(partition);
    match system(&log_directory, take(&log_directory))? {
        Lock::Held(path) => Err(ApplyError::Locked { path }),
        free @ Lock::Free(_) => Ok(free),
    }
}

/// The directory around the log directory, and the name there of a work directory:
/// `<log directory>.kfsck-repair-<partition>`.
fn place(partition: &Path) -> (PathBuf, String) {
    let partition = fs::canonicalize(partition).unwrap_or_else(|_| partition.to_owned());
    let log_directory = log_directory(&partition);
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let own = format!("{}.kfsck-repair-{}", name(&log_directory), name(&partition));
    let beside = log_directory.parent().map(Path::to_owned);
    (beside.unwrap_or(log_directory), own)
}

/// That name, then the same with a number behind it.
fn work_directories(partition: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let (beside, own) = place(partition);
    (1_u64..).map(move |number| {
        beside.join(match number {
            1 => own.clone(),
            number => format!("{own}{NUMBERED}{number}"),
        })
    })
}

fn free_work_directory(partition: &Path) -> PathBuf {
    let mut free = work_directories(partition).filter(|work| fs::symlink_metadata(work).is_err());
    free.next().unwrap_or_default()
}

/// All that can be done without a change to what is there.
fn prepare(
    disk: &mut dyn Disk,
    plan: &Plan,
    work: &Path,
    access: Access,
) -> Result<Journal, ApplyError> {
    let directory = &plan.directory;
    let changed = || plan.files.iter().filter(|file| file.content.is_change());
    let staged_name = |name: &str| {
        let index = changed().position(|file| file.name == name);
        index.map(|index| format!("{STAGED}{index}"))
    };
    let finished = |log: &str| directory.join(staged_name(log).unwrap_or_else(|| log.to_owned()));
    // What a repair that was given up may have left.
    remove_staged(disk, directory)?;
    let mut changes = Vec::new();
    for file in changed() {
        let staged = staged_name(&file.name).filter(|_| file.content.is_kept());
        if let Some(staged) = &staged {
            let path = directory.join(staged);
            make(disk, plan, file, &path, &finished, access)?;
        }
        let old = directory.join(&file.name);
        let before = match fs::metadata(&old) {
            Ok(metadata) => Some(Before::of(&metadata)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(reason) => return Err(ApplyError::System { path: old, reason }),
        };
        if before.is_some() {
            set_aside(disk, &old, &work.join(&file.name))?;
        }
        changes.push(Change {
            name: file.name.clone(),
            staged,
            before,
        });
    }
    system(directory, disk.sync_directory(directory))?;
    system(work, disk.sync_directory(work))?;
    let directory = directory.to_string_lossy().into_owned();
    let journal = Journal::new(plan.verb.as_str(), directory, changes);
    let (bytes, new) = (journal.encode(), work.join(UNFINISHED_JOURNAL));
    system(
        &new,
        disk.write(&new, None, &mut |out| out.write_all(&bytes)),
    )?;
    system(&new, disk.rename(&new, &work.join(JOURNAL)))?;
    system(work, disk.sync_directory(work))?;
    Ok(journal)
}

/// Gives an old file a second name; where the work directory lies in another file system, a copy.
fn set_aside(disk: &mut dyn Disk, old: &Path, aside: &Path) -> Result<(), ApplyError> {
    match disk.link(old, aside) {
        Ok(()) => Ok(()),
        Err(error) if is_of_another_kind(error.kind()) => {
            let like = system(old, fs::metadata(old))?;
            let mut from = system(old, fs::File::open(old))?;
            let copied = disk.write(aside, Some(&like), &mut |out| {
                std::io::copy(&mut from, out).map(|_| ())
            });
            system(aside, copied)
        }
        Err(reason) => Err(ApplyError::System {
            path: aside.to_owned(),
            reason,
        }),
    }
}

/// Whether a file system cannot give second names, or not there.
fn is_of_another_kind(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::CrossesDevices
            | ErrorKind::Unsupported
            | ErrorKind::PermissionDenied
            | ErrorKind::TooManyLinks
    )
}

/// Does what the journal says, or what is left of it.
fn finish(
    disk: &mut dyn Disk,
    partition: &Path,
    work: &Path,
    journal: &Journal,
) -> Result<(), ApplyError> {
    for change in &journal.changes {
        refuse_changed(disk, partition, work, change)?;
    }
    for change in &journal.changes {
        let name = partition.join(&change.name);
        match &change.staged {
            Some(staged) => {
                let staged = partition.join(staged);
                if staged.exists() {
                    system(&name, disk.rename(&staged, &name))?;
                }
            }
            None if name.exists() => system(&name, disk.remove_file(&name))?,
            None => {}
        }
    }
    system(partition, disk.sync_directory(partition))?;
    let done = work.join(DONE);
    system(&done, disk.rename(&work.join(JOURNAL), &done))?;
    system(work, disk.sync_directory(work))
}

/// A file that waits to be replaced or removed must still be the one that was set aside.
fn refuse_changed(
    disk: &mut dyn Disk,
    partition: &Path,
    work: &Path,
    change: &Change,
) -> Result<(), ApplyError> {
    let name = partition.join(&change.name);
    let is_waiting = match &change.staged {
        Some(staged) => partition.join(staged).exists(),
        None => true,
    };
    let now = fs::metadata(&name)
        .ok()
        .map(|metadata| Before::of(&metadata));
    let is_gone = change.staged.is_none() && now.is_none();
    if !is_waiting || is_gone || now == change.before {
        return Ok(());
    }
    // First the journal: without the files that it speaks of it must not be followed. The old
    // files stay where they are.
    let (journal, abandoned) = (work.join(JOURNAL), work.join(ABANDONED));
    system(&abandoned, disk.rename(&journal, &abandoned))?;
    system(work, disk.sync_directory(work))?;
    remove_staged(disk, partition)?;
    Err(ApplyError::Changed {
        path: name,
        work: work.to_owned(),
    })
}

fn remove_staged(disk: &mut dyn Disk, partition: &Path) -> Result<(), ApplyError> {
    let mut is_changed = false;
    for entry in system(partition, fs::read_dir(partition))? {
        let entry = system(partition, entry)?;
        let is_ours = entry.file_name().to_string_lossy().starts_with(STAGED);
        if is_ours {
            let path = entry.path();
            system(&path, disk.remove_file(&path))?;
            is_changed = true;
        }
    }
    match is_changed {
        true => system(partition, disk.sync_directory(partition)),
        false => Ok(()),
    }
}

/// Takes away what a repair has made that has no journal yet: nothing else was changed.
fn undo(disk: &mut dyn Disk, partition: &Path, work: &Path) -> Result<(), ApplyError> {
    // It may be there and not be known to be on the disk: what it speaks of is about to go.
    let journal = work.join(JOURNAL);
    if journal.exists() {
        system(&journal, disk.remove_file(&journal))?;
        system(work, disk.sync_directory(work))?;
    }
    remove_staged(disk, partition)?;
    for entry in system(work, fs::read_dir(work))? {
        let path = system(work, entry)?.path();
        system(&path, disk.remove_file(&path))?;
    }
    system(work, disk.remove_directory(work))?;
    let beside = work.parent().map_or_else(PathBuf::new, Path::to_owned);
    system(&beside, disk.sync_directory(&beside))
}
