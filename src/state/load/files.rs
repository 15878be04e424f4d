//! The files of a partition by name, as a load finds and changes them; in memory alone.

use super::stop::Stop;
use crate::format::number::Offset;
use crate::storage::directory::{PartitionDirectory, StrayKind};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a load does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The file's name.
    pub name: String,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is deleted, at once or after `file.delete.delay.ms`.
    Deleted(&'static str),
    /// It loses its second suffix and takes the place of what bears that name.
    Renamed(String),
    /// It is cut to this many bytes.
    Truncated(u64),
    /// It is written, anew or over what was there.
    Written,
}

/// The names of a partition's directory.
#[derive(Debug, Default)]
pub(super) struct Files {
    names: BTreeMap<String, PathBuf>,
    pub(super) actions: Vec<Action>,
}

impl Files {
    pub(super) fn of(directory: &PartitionDirectory) -> Self {
        let listing = &directory.listing;
        let strays = listing.strays.iter();
        let strays = strays.filter(|stray| stray.kind == StrayKind::File);
        let paths = listing.files.iter().map(|file| &file.path);
        let paths = paths.chain(strays.map(|stray| &stray.path));
        let named = paths.filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, path.clone()))
        });
        Self {
            names: named.collect(),
            actions: Vec::new(),
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    pub(super) fn path(&self, name: &str) -> Option<&PathBuf> {
        self.names.get(name)
    }

    pub(super) fn delete(&mut self, name: &str, why: &'static str) {
        if self.names.remove(name).is_some() {
            self.note(name, Change::Deleted(why));
        }
    }

    pub(super) fn note(&mut self, name: &str, change: Change) {
        self.actions.push(Action {
            name: name.to_owned(),
            change,
        });
    }

    /// `LogLoader.removeTempFilesAndCollectSwapFiles`: gives the swap files that count.
    pub(super) fn remove_temporary(&mut self) -> Result<Vec<String>, Stop> {
        let (mut swaps, mut cleaned) = (Vec::new(), Vec::new());
        let mut least_cleaned = i64::MAX;
        for name in self.names() {
            if name.ends_with(".deleted") && !name.ends_with(".checkpoint.deleted") {
                self.delete(&name, "left over from a deletion");
            } else if name.ends_with(".cleaned") {
                least_cleaned = least_cleaned.min(offset_of(&name)?.0);
                cleaned.push(name);
            } else if name.ends_with(".swap") {
                swaps.push(name);
            }
        }
        let mut valid = Vec::new();
        for name in swaps {
            if offset_of(&name)?.0 >= least_cleaned {
                self.delete(&name, "a swap file of a compaction that did not end");
            } else {
                valid.push(name);
            }
        }
        for name in cleaned {
            self.delete(&name, "written by a compaction that did not end");
        }
        Ok(valid)
    }

    /// Deletes the segments that swap files replace, by the offsets in their names, and gives the
    /// swap files their names.
    pub(super) fn finish_swaps(&mut self, replaced: std::ops::Range<i64>) {
        for name in self.names() {
            let is_swap = name.ends_with(".swap");
            if !is_swap && offset_of(&name).is_ok_and(|offset| replaced.contains(&offset.0)) {
                self.delete(&name, "replaced by a swap file");
            }
        }
        for name in self.names() {
            if let Some(plain) = name.strip_suffix(".swap")
                && let Some(path) = self.names.remove(&name)
            {
                self.names.insert(plain.to_owned(), path);
                self.note(&name, Change::Renamed(plain.to_owned()));
            }
        }
    }
}

/// The name of a segment's file.
pub(super) fn name_of(offset: Offset, suffix: &str) -> String {
    format!("{:020}{suffix}", offset.0)
}

/// The offset that a name begins with (`LogFileUtils.offsetFromFile`).
pub(super) fn offset_of(name: &str) -> Result<Offset, Stop> {
    let Some((digits, _)) = name.split_once('.') else {
        let length = name.chars().count();
        return Err(Stop::new(
            "StringIndexOutOfBoundsException",
            format!("begin 0, end -1, length {length}"),
        ));
    };
    digits.parse().map(Offset).map_err(|_| {
        Stop::new(
            "NumberFormatException",
            format!("For input string: \"{digits}\""),
        )
    })
}
