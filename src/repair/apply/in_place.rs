//! A plan carried out in the partition's own directory.
//!
//! What will be done is written down first, in the work directory, which lies beside the log
//! directory and never in it. New files are made whole beside the old ones, under names that mean
//! nothing to a broker. Old files that will go or be replaced get a second name in the work
//! directory. Then what was written down becomes the journal; from then on the repair is finished,
//! whatever happens, and before it is undone: each is the affair of the next run ([`settle`]). What
//! is left to do behind the journal is renaming and removing, and to do that twice does no harm.
//! Nothing is undone that was not written down.

use super::disk::Disk;
use super::journal::{Before, Change, Journal};
use super::staging::{make, system};
use crate::repair::error::ApplyError;
use crate::repair::plan::Plan;
use crate::storage::lock::{Claim, Lock, claim, take};
use crate::storage::source::Access;
use crate::storage::work_directory::{
    ABANDONED, BEGUN, DONE, JOURNAL, STAGED, UNFINISHED_BEGUN, free_work_directory, log_directory,
    remains, unsettled,
};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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
    let _alone = alone(&plan.directory)?;
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
    if unsettled(partition).is_none() {
        return Ok(Settled::Nothing);
    }
    let _alone = alone(partition)?;
    // Another run may just have ended.
    let Some(work) = unsettled(partition) else {
        return Ok(Settled::Nothing);
    };
    let path = work.join(JOURNAL);
    if !path.exists() {
        undo(disk, partition, &work)?;
        return Ok(Settled::Undone);
    }
    let journal = read_journal(&path)?;
    finish(disk, partition, &work, &journal)?;
    Ok(Settled::Finished)
}

/// Keeps brokers and other runs away.
#[derive(Debug)]
struct Alone {
    _lock: Lock,
    _claim: Claim,
}

/// Takes the lock of the log directory, and claims the partition's for this process: copies have no
/// lock.
fn alone(partition: &Path) -> Result<Alone, ApplyError> {
    let log_directory = log_directory(partition);
    let lock = match system(&log_directory, take(&log_directory))? {
        Lock::Held(path) => return Err(ApplyError::Locked { path }),
        free @ Lock::Free(_) => free,
    };
    match system(partition, claim(partition))? {
        Some(claim) => Ok(Alone {
            _lock: lock,
            _claim: claim,
        }),
        None => Err(ApplyError::Claimed {
            path: partition.to_owned(),
        }),
    }
}

/// All that can be done without a change to what is there.
fn prepare(
    disk: &mut dyn Disk,
    plan: &Plan,
    work: &Path,
    access: Access,
) -> Result<Journal, ApplyError> {
    let directory = &plan.directory;
    let journal = Journal::new(
        plan.verb.as_str(),
        directory.to_string_lossy().into_owned(),
        changes(plan)?,
    );
    let (bytes, new) = (journal.encode(), work.join(UNFINISHED_BEGUN));
    let written = disk.write(&new, None, &mut |out| out.write_all(&bytes));
    system(&new, written)?;
    let begun = work.join(BEGUN);
    system(&new, disk.rename(&new, &begun))?;
    system(work, disk.sync_directory(work))?;
    // What a repair that was given up may have left.
    remove_staged(disk, directory)?;
    let staged_name = |log: &str| {
        let mut changes = journal.changes.iter();
        let change = changes.find(|change| change.name == log);
        change.and_then(|change| change.staged.as_deref())
    };
    let finished = |log: &str| directory.join(staged_name(log).unwrap_or(log));
    let planned = plan.files.iter().filter(|file| file.content.is_change());
    for (file, change) in planned.zip(&journal.changes) {
        if let Some(staged) = &change.staged {
            let path = directory.join(staged);
            make(disk, plan, file, &path, &finished, access)?;
        }
        if change.before.is_some() {
            let old = directory.join(&file.name);
            set_aside(disk, &old, &work.join(&file.name))?;
        }
    }
    system(directory, disk.sync_directory(directory))?;
    system(work, disk.sync_directory(work))?;
    system(&begun, disk.rename(&begun, &work.join(JOURNAL)))?;
    system(work, disk.sync_directory(work))?;
    Ok(journal)
}

/// What will happen to the files that a plan changes, in its order.
fn changes(plan: &Plan) -> Result<Vec<Change>, ApplyError> {
    let changed = plan.files.iter().filter(|file| file.content.is_change());
    let changes = changed.enumerate().map(|(index, file)| {
        let old = plan.directory.join(&file.name);
        let before = match fs::metadata(&old) {
            Ok(metadata) => Some(Before::of(&metadata)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(reason) => return Err(ApplyError::System { path: old, reason }),
        };
        Ok(Change {
            name: file.name.clone(),
            staged: (file.content.is_kept()).then(|| format!("{STAGED}{index}")),
            before,
        })
    });
    changes.collect()
}

/// Gives an old file a second name; where the work directory lies in another file system, a copy.
fn set_aside(disk: &mut dyn Disk, old: &Path, aside: &Path) -> Result<(), ApplyError> {
    match disk.link(old, aside) {
        Ok(()) => Ok(()),
        Err(error) if is_of_another_kind(error.kind()) => {
            let like = system(old, fs::metadata(old))?;
            let mut from = system(old, File::open(old))?;
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

/// Takes away what a repair has made that has no journal yet: nothing else was changed. Second
/// names of files go where the files themselves are as they were; all else that lies in the work
/// directory stays.
fn undo(disk: &mut dyn Disk, partition: &Path, work: &Path) -> Result<(), ApplyError> {
    let (journal, begun) = (work.join(JOURNAL), work.join(BEGUN));
    // It may be there and not be known to be on the disk: what it speaks of is about to go.
    if journal.exists() {
        system(&journal, disk.rename(&journal, &begun))?;
        system(work, disk.sync_directory(work))?;
    }
    remove_staged(disk, partition)?;
    if begun.exists() {
        for change in read_journal(&begun)?.changes {
            let now = fs::metadata(partition.join(&change.name)).ok();
            let aside = work.join(&change.name);
            let is_as_it_was = now.is_some_and(|now| change.before == Some(Before::of(&now)));
            if is_as_it_was && fs::symlink_metadata(&aside).is_ok_and(|found| found.is_file()) {
                system(&aside, disk.remove_file(&aside))?;
            }
        }
        if !remains(work).iter().all(|name| name == BEGUN) {
            let abandoned = work.join(ABANDONED);
            system(&begun, disk.rename(&begun, &abandoned))?;
            return system(work, disk.sync_directory(work));
        }
        system(&begun, disk.remove_file(&begun))?;
    }
    let unfinished = work.join(UNFINISHED_BEGUN);
    if unfinished.exists() {
        system(&unfinished, disk.remove_file(&unfinished))?;
    }
    system(work, disk.remove_directory(work))?;
    let beside = work.parent().map_or_else(PathBuf::new, Path::to_owned);
    system(&beside, disk.sync_directory(&beside))
}

fn read_journal(path: &Path) -> Result<Journal, ApplyError> {
    let bytes = system(path, fs::read(path))?;
    Journal::decode(&bytes).map_err(|reason| ApplyError::Journal {
        path: path.to_owned(),
        reason,
    })
}
