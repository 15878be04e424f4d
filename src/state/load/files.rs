//! The files of a partition by name, as a load finds and changes them; in memory alone.

use super::BETWEEN_SWAPS;
use super::stop::{Halt, Stop};
use crate::format::number::Offset;
use crate::storage::directory::{PartitionDirectory, StrayKind};
use crate::storage::source::{Access, ReadError, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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

/// What a file holds by now.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// What lies on disk.
    Disk(PathBuf),
    /// A stretch of a file on disk, from a byte on so many long.
    Part(PathBuf, u64, u64),
    /// What the load wrote.
    Written(Vec<u8>),
}

/// The names of a partition's directory.
#[derive(Debug, Default)]
pub(super) struct Files {
    names: BTreeMap<String, Content>,
    pub(super) actions: Vec<Action>,
    /// The base offsets of the segments that were read again.
    pub(super) recovered: BTreeSet<Offset>,
    /// Those of the segments that were split.
    pub(super) split: BTreeSet<Offset>,
    /// What of logs is lost.
    pub(super) lost: Vec<Stretch>,
}

/// Bytes of a file on disk that a load takes out of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The base offset of the segment.
    pub segment: Offset,
    /// The file as it lies there before the load.
    pub path: PathBuf,
    /// The first byte.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
    /// Whether the whole segment goes, and why; else its end is cut.
    pub deleted: Option<&'static str>,
}

impl Content {
    /// Where the bytes from `start` to `end` lie on disk.
    pub(super) fn on_disk(&self, start: u64, end: u64) -> Option<(PathBuf, u64, u64)> {
        match self {
            Self::Disk(path) => Some((path.clone(), start, end)),
            Self::Part(path, from, _) => {
                let (start, end) = (from.saturating_add(start), from.saturating_add(end));
                Some((path.clone(), start, end))
            }
            Self::Written(_) => None,
        }
    }

    /// The bytes, under the name of the file.
    pub(super) fn source(&self, name: &str, access: Access) -> Result<Source, Halt> {
        match self {
            Self::Disk(path) => Ok(Source::open(path, access)?),
            Self::Part(path, position, length) => {
                let whole = Source::open(path, access)?;
                let bytes = part(&whole, *position, *length)?;
                whole.check()?;
                Ok(Source::from_bytes(path.with_file_name(name), bytes))
            }
            Self::Written(bytes) => Ok(Source::from_bytes(name, bytes.clone())),
        }
    }
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
            Some((name, Content::Disk(path.clone())))
        });
        Self {
            names: named.collect(),
            ..Self::default()
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    pub(super) fn content(&self, name: &str) -> Option<&Content> {
        self.names.get(name)
    }

    /// Whether there is a file of that name.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// A file is made or gets other contents; nothing is noted.
    pub(super) fn put(&mut self, name: String, content: Content) {
        self.names.insert(name, content);
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

    /// Bytes of a segment's log are lost.
    pub(super) fn lose(
        &mut self,
        segment: Offset,
        content: Option<&Content>,
        (start, end): (u64, u64),
        deleted: Option<&'static str>,
    ) {
        if let Some((path, start, end)) = content.and_then(|content| content.on_disk(start, end)) {
            self.lost.push(Stretch {
                segment,
                path,
                start,
                end,
                deleted,
            });
        }
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
    /// swap files their names. `swaps` are the offsets of each swap file; all from the first to the
    /// last of them goes, also what no swap file has.
    pub(super) fn finish_swaps(
        &mut self,
        swaps: &[Range<i64>],
        access: Access,
    ) -> Result<(), Halt> {
        let least = swaps.iter().map(|swap| swap.start).min();
        let most = swaps.iter().map(|swap| swap.end).max();
        let replaced = least.unwrap_or(i64::MAX)..most.unwrap_or(i64::MIN);
        for name in self.names() {
            let offset = match offset_of(&name) {
                Ok(offset) if replaced.contains(&offset.0) => offset,
                _ => continue,
            };
            if name.ends_with(".swap") {
                continue;
            }
            let is_covered = swaps.iter().any(|swap| swap.contains(&offset.0));
            if name.ends_with(".log") && !is_covered {
                let content = self.names.get(&name).cloned();
                let length = match &content {
                    Some(content) => content.source(&name, access)?.len(),
                    None => 0,
                };
                self.lose(offset, content.as_ref(), (0, length), Some(BETWEEN_SWAPS));
            }
            self.delete(&name, "replaced by a swap file");
        }
        for name in self.names() {
            if let Some(plain) = name.strip_suffix(".swap")
                && let Some(content) = self.names.remove(&name)
            {
                self.names.insert(plain.to_owned(), content);
                self.note(&name, Change::Renamed(plain.to_owned()));
            }
        }
        Ok(())
    }
}

/// Bytes that are read at a time.
const PIECE: u64 = 1 << 20;

fn part(source: &Source, position: u64, length: u64) -> Result<Vec<u8>, ReadError> {
    let end = position.saturating_add(length);
    let (mut window, mut at, mut bytes) = (source.window(), position, Vec::new());
    while at < end {
        let most = end.saturating_sub(at).min(PIECE);
        let piece = window.bytes(at, usize::try_from(most).unwrap_or(usize::MAX))?;
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(piece);
        at = at.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
    }
    Ok(bytes)
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
