//! The directory beside a log directory in which a repair in place keeps its journal and what it
//! has set aside: its name, and by what one of ours is known. Whoever only reads a partition looks
//! for it too: a repair that was broken off comes first.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// In front of the number of a second repair's work directory: no name of a partition has it, so
/// that of no other partition is taken for one.
const NUMBERED: &str = "+";
/// What new files are called in the partition's directory before they get their names.
pub const STAGED: &str = "kfsck-staged-";
/// What is about to be done; nothing of the partition was changed yet.
pub const BEGUN: &str = "begun.json";
/// The same, while it is written.
pub const UNFINISHED_BEGUN: &str = "begun.json.new";
/// The same, when all is prepared.
pub const JOURNAL: &str = "journal.json";
/// What the journal is called when all of it is done.
pub const DONE: &str = "done.json";
/// What it is called when it cannot be done any more, or when more lies there than was undone.
pub const ABANDONED: &str = "abandoned.json";

/// The work directory of a repair of this partition that was broken off. A directory of that name
/// in which no run has written down what it does is none, whatever else lies in it.
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
        .filter(|(_, work)| work.is_dir() && is_broken_off(work))
        .collect();
    ours.sort();
    ours.into_iter().map(|(_, work)| work).next()
}

fn is_broken_off(work: &Path) -> bool {
    let holds = |name: &str| work.join(name).is_file();
    if holds(DONE) || holds(ABANDONED) {
        return false;
    }
    // Nothing, or nothing but what was being written when a run was broken off at once.
    let is_bare =
        || fs::read_dir(work).is_ok() && remains(work).iter().all(|name| name == UNFINISHED_BEGUN);
    holds(JOURNAL) || holds(BEGUN) || is_bare()
}

/// Whether the repair of a work directory stands to be finished: files of the partition may have
/// been replaced already. Else it has changed nothing yet, and is undone.
#[must_use]
pub fn is_decided(work: &Path) -> bool {
    work.join(JOURNAL).is_file()
}

/// The names of what lies in a work directory.
#[must_use]
pub fn remains(work: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(work).into_iter().flatten();
    entries.flatten().map(|entry| entry.file_name()).collect()
}

/// The first name that nothing bears.
#[must_use]
pub fn free_work_directory(partition: &Path) -> PathBuf {
    let mut free = work_directories(partition).filter(|work| fs::symlink_metadata(work).is_err());
    free.next().unwrap_or_default()
}

/// The directory that holds a partition's.
#[must_use]
pub fn log_directory(partition: &Path) -> PathBuf {
    match fs::canonicalize(partition) {
        Ok(path) => path.parent().map_or(path.clone(), Path::to_owned),
        Err(_) => partition.join(".."),
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
