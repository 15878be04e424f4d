//! A producer state manager with its snapshot files, as a load uses several of them on one
//! directory: each knows the files that were there when it was made, and its own.

use super::LoadOptions;
use super::files::{Change, Content, Files, name_of};
use super::stop::{Halt, Stop};
use crate::format::number::{Offset, Timestamp};
use crate::format::producer_snapshot::{self, Version};
use crate::state::manager::Manager;
use crate::state::rules::RuleSet;
use crate::state::snapshot::entries_by;
use crate::storage::source::Access;
use std::collections::{BTreeMap, BTreeSet};

/// The snapshot files of a directory.
#[derive(Debug, Default)]
pub(super) struct SnapshotFiles {
    files: BTreeMap<Offset, SnapshotFile>,
}

#[derive(Debug)]
struct SnapshotFile {
    name: String,
    content: Content,
}

impl SnapshotFile {
    fn bytes(&self, access: Access) -> Result<Vec<u8>, Halt> {
        let source = self.content.source(&self.name, access)?;
        Ok(source.contents()?.into_owned())
    }
}

impl SnapshotFiles {
    /// The snapshots among the names of a directory.
    pub(super) fn find(files: &Files) -> Result<Self, Stop> {
        let mut found = Self::default();
        for name in files.names() {
            if name.ends_with(".snapshot") {
                let offset = super::files::offset_of(&name)?;
                if let Some(content) = files.content(&name) {
                    let content = content.clone();
                    found.files.insert(offset, SnapshotFile { name, content });
                }
            }
        }
        Ok(found)
    }

    pub(super) fn offsets(&self) -> BTreeSet<Offset> {
        self.files.keys().copied().collect()
    }

    /// The bytes of those that are not on disk yet.
    pub(super) fn written(&self) -> BTreeMap<Offset, Vec<u8>> {
        let written = self
            .files
            .iter()
            .filter_map(|(offset, file)| match &file.content {
                Content::Disk(_) | Content::Part(..) => None,
                Content::Written(bytes) => Some((*offset, bytes.clone())),
            });
        written.collect()
    }

    pub(super) fn delete(&mut self, offset: Offset, files: &mut Files, why: &'static str) {
        if let Some(file) = self.files.remove(&offset) {
            files.note(&file.name, Change::Deleted(why));
        }
    }

    /// Writes a snapshot, over what is there: a longer file keeps its tail.
    fn write(&mut self, offset: Offset, fresh: Vec<u8>, files: &mut Files) -> Result<(), Halt> {
        let name = name_of(offset, ".snapshot");
        let mut bytes = fresh;
        if let Some(old) = self.files.get(&offset) {
            let old = old.bytes(Access::Plain)?;
            bytes.extend_from_slice(old.get(bytes.len()..).unwrap_or_default());
        }
        files.note(&name, Change::Written);
        let content = Content::Written(bytes);
        self.files.insert(offset, SnapshotFile { name, content });
        Ok(())
    }
}

/// A manager and the snapshots that it knows.
#[derive(Debug)]
pub(super) struct Keeper<const N: usize> {
    pub(super) manager: Manager<N>,
    pub(super) known: BTreeSet<Offset>,
    last_snapshot: Offset,
    /// How the state came to be.
    pub(super) origin: Origin,
}

/// How a load comes to its producer state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A snapshot at the log's end told all of it, or there was nothing to tell.
    Snapshot,
    /// The log was read from this offset on, behind a snapshot or without one.
    Log(Offset),
    /// After a clean stop no snapshot was there: nothing was read, and nothing is known.
    Nothing,
}

impl<const N: usize> Keeper<N> {
    pub(super) fn new(
        partition: &str,
        rules: &'static dyn RuleSet,
        snapshots: &SnapshotFiles,
    ) -> Self {
        Self::of(Manager::new(partition, rules), snapshots)
    }

    /// A manager that is running, on a directory with these snapshots.
    pub(super) fn of(manager: Manager<N>, snapshots: &SnapshotFiles) -> Self {
        Self {
            manager,
            known: snapshots.offsets(),
            last_snapshot: Offset(0),
            origin: Origin::Snapshot,
        }
    }

    pub(super) fn forget(
        &mut self,
        offset: Offset,
        disk: &mut SnapshotFiles,
        files: &mut Files,
        why: &'static str,
    ) {
        if self.known.remove(&offset) {
            disk.delete(offset, files, why);
        }
    }

    /// `takeSnapshot`.
    pub(super) fn take_snapshot(
        &mut self,
        disk: &mut SnapshotFiles,
        files: &mut Files,
    ) -> Result<(), Halt> {
        let offset = self.manager.map_end_offset();
        if offset <= self.last_snapshot {
            return Ok(());
        }
        let entries: Vec<_> = self.manager.snapshot_entries().collect();
        // Only more than 2^31 entries could be refused, and no table holds that many.
        let bytes = producer_snapshot::encode(Version::V1, &entries).unwrap_or_default();
        disk.write(offset, bytes, files)?;
        self.known.insert(offset);
        self.last_snapshot = offset;
        Ok(())
    }

    /// `truncateAndReload`.
    pub(super) fn truncate_and_reload(
        &mut self,
        (log_start, log_end): (Offset, Offset),
        disk: &mut SnapshotFiles,
        files: &mut Files,
        options: &LoadOptions,
    ) -> Result<(), Halt> {
        for offset in self.known.clone() {
            if offset > log_end {
                self.forget(offset, disk, files, "behind the log's end");
            } else if offset <= log_start {
                self.forget(offset, disk, files, "not behind the log's start");
            }
        }
        if log_end == self.manager.map_end_offset() {
            self.manager.on_log_start_offset_incremented(log_start);
            self.last_snapshot = self.known.last().copied().unwrap_or(log_start);
            return Ok(());
        }
        let offset = self.manager.map_end_offset();
        self.manager.truncate_fully_and_start_at(offset);
        self.load_newest(log_start, disk, files, options)
    }

    /// `loadFromSnapshot`.
    fn load_newest(
        &mut self,
        log_start: Offset,
        disk: &mut SnapshotFiles,
        files: &mut Files,
        options: &LoadOptions,
    ) -> Result<(), Halt> {
        while let Some(offset) = self.known.last().copied() {
            let Some(file) = disk.files.get(&offset) else {
                // Another manager has deleted it meanwhile: reading fails.
                let name = name_of(offset, ".snapshot");
                return Err(Stop::new("NoSuchFileException", name).into());
            };
            if let Ok(entries) = entries_by(options.rules, &file.bytes(options.access)?) {
                let (now, expiration) = match options.now {
                    Some(now) => (now, options.producer_id_expiration_ms),
                    None => (Timestamp(0), i64::MAX),
                };
                self.manager
                    .load_snapshot(&entries, offset, now, expiration);
                self.last_snapshot = offset;
                return Ok(());
            }
            self.forget(offset, disk, files, "a snapshot that does not read");
        }
        self.last_snapshot = log_start;
        self.manager.set_map_end_offset(log_start);
        Ok(())
    }

    /// `truncateFullyAndStartAt`.
    pub(super) fn truncate_fully(
        &mut self,
        offset: Offset,
        disk: &mut SnapshotFiles,
        files: &mut Files,
    ) {
        for known in self.known.clone() {
            self.forget(known, disk, files, "the whole log is deleted");
        }
        self.manager.truncate_fully_and_start_at(offset);
        self.last_snapshot = Offset(0);
    }

    /// `removeStraySnapshots`: of the snapshots that are not at the beginning of a segment only the
    /// highest stays, and that only if it is not below the last segment.
    pub(super) fn remove_strays(
        &mut self,
        bases: &BTreeSet<Offset>,
        disk: &mut SnapshotFiles,
        files: &mut Files,
    ) {
        self.known = disk.offsets();
        let why = "not at the beginning of a segment";
        let strays: Vec<_> = self.known.difference(bases).copied().collect();
        if let Some((highest, lower)) = strays.split_last() {
            for offset in lower {
                self.forget(*offset, disk, files, why);
            }
            if bases.last().is_some_and(|last| highest < last) {
                self.forget(*highest, disk, files, why);
            }
        }
    }
}
