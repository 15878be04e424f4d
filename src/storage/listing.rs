//! What lies in one directory, each entry claimed by its name or called stray.

use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::file_name::{FileKind, FileName};
use super::partition_name::PartitionName;
use super::read_error::ReadError;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KafkaFile {
    /// The path, beginning as the user gave it.
    pub path: PathBuf,
    /// What its name says; [`FileKind::Unknown`] only for a file that the user named.
    pub name: FileName,
}

/// The entries of one directory, each list in name order (bytes).
#[derive(Debug, Default)]
pub struct Listing {
    /// Files with a name that a broker gives.
    pub files: Vec<KafkaFile>,
    /// Everything else. A stray is never opened.
    pub strays: Vec<Stray>,
    /// Entries that could not be looked at; the directory itself, when it could not be listed.
    pub unreadable: Vec<ReadError>,
}

/// An entry that is not Kafka's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// The path, beginning as the user gave it.
    pub path: PathBuf,
    /// What it is.
    pub kind: StrayKind,
}

/// What a stray entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StrayKind {
    /// A file of a name that no broker gives.
    File,
    /// A directory where a broker keeps none, or not of that name. In a log directory, a broker
    /// that finds it does not start.
    Directory,
    /// `remote-log-index-cache` in a log directory: a broker's own, and no partition.
    RemoteIndexCache,
    /// A FIFO, socket or device, whatever its name.
    Special,
}

impl Listing {
    /// Sorts entries into files and strays.
    pub(super) fn claim(&mut self, entries: Vec<Entry>) {
        for Entry { path, kind } in entries {
            let name = FileName::of(&path);
            let kind = match kind {
                EntryKind::File if name.kind != FileKind::Unknown => {
                    self.files.push(KafkaFile { path, name });
                    continue;
                }
                EntryKind::File => StrayKind::File,
                EntryKind::Directory => StrayKind::Directory,
                EntryKind::Special => StrayKind::Special,
            };
            self.strays.push(Stray { path, kind });
        }
    }
}

/// An entry of a directory, links followed.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) kind: EntryKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Directory,
    Special,
}

impl Entry {
    pub(super) fn is_partition(&self) -> bool {
        self.kind == EntryKind::Directory && name_of(&self.path).is_some()
    }
}

/// The entries of a directory in name order; those that cannot be looked at go to `unreadable`.
pub(super) fn entries(
    path: &Path,
    unreadable: &mut Vec<ReadError>,
) -> Result<Vec<Entry>, ReadError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|reason| open_error(path, reason))? {
        let entry = match entry {
            Ok(entry) => entry,
            Err(reason) => {
                unreadable.push(open_error(path, reason));
                continue;
            }
        };
        let path = entry.path();
        // Only a link costs a look at its target: the listing itself tells the other types.
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => fs::metadata(&path).map(|target| target.file_type()),
            other => other,
        };
        match kind {
            Ok(kind) => found.push(Entry {
                path,
                kind: entry_kind(kind),
            }),
            Err(reason) => unreadable.push(open_error(&path, reason)),
        }
    }
    found.sort_by(|one, other| one.path.file_name().cmp(&other.path.file_name()));
    unreadable.sort_by(|one, other| one.path().cmp(other.path()));
    Ok(found)
}

fn entry_kind(kind: FileType) -> EntryKind {
    if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Directory
    } else {
        EntryKind::Special
    }
}

pub(super) fn name_of(path: &Path) -> Option<PartitionName> {
    path.file_name().and_then(PartitionName::parse)
}

pub(super) fn open_error(path: &Path, reason: io::Error) -> ReadError {
    let path = path.to_owned();
    ReadError::Open { path, reason }
}
