//! A plan while it is drawn up: which files change, and what is said of each.

use super::content::{Content, IndexOf};
use super::error::{PlanError, Refusal};
use super::plan::{Action, FilePlan, Kept, Plan, Step, Verb};
use crate::format::number::Offset;
use crate::storage::directory::{PartitionDirectory, StrayKind};
use crate::storage::file_name::{FileKind, Suffix};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a partition, all of them unchanged at first.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    directory: &'a PartitionDirectory,
    files: BTreeMap<String, FilePlan>,
    pub(super) steps: Vec<Step>,
    pub(super) warnings: Vec<String>,
}

impl<'a> Draft<'a> {
    /// Begins with what is there.
    ///
    /// # Errors
    /// A directory that cannot be listed, or that is not a partition's own any more.
    pub(super) fn of(directory: &'a PartitionDirectory) -> Result<Self, PlanError> {
        let refused = |refusal| PlanError::Refused {
            path: directory.path.clone(),
            refusal,
        };
        let listing = &directory.listing;
        if let Some(error) = listing.unreadable.first() {
            return Err(refused(Refusal::Unlisted(error.to_string())));
        }
        if let Some(state) = directory.name.as_ref().and_then(|name| name.state) {
            return Err(refused(Refusal::NotItsOwn(state.as_str())));
        }
        let mut warnings = Vec::new();
        let mut names: Vec<_> = listing
            .files
            .iter()
            .map(|file| file.path.as_path())
            .collect();
        for stray in &listing.strays {
            match stray.kind {
                StrayKind::File => names.push(&stray.path),
                _ => warnings.push(format!(
                    "{} is no regular file and stays out of the result",
                    name_of(&stray.path)
                )),
            }
        }
        let files = names
            .into_iter()
            .map(name_of)
            .map(|name| (name.clone(), FilePlan::new(name, Content::Unchanged)));
        Ok(Self {
            directory,
            files: files.collect(),
            steps: Vec::new(),
            warnings,
        })
    }

    /// Refuses a partition in which a compaction stands to be finished.
    pub(super) fn refuse_swaps(&self) -> Result<(), PlanError> {
        let mut files = self.directory.listing.files.iter();
        match files.find(|file| file.name.suffix == Some(Suffix::Swap)) {
            None => Ok(()),
            Some(file) => Err(PlanError::Refused {
                path: self.directory.path.clone(),
                refusal: Refusal::UnfinishedSwap(name_of(&file.path)),
            }),
        }
    }

    /// Whether a file is there now.
    pub(super) fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// The name that a file of this kind has now, or would have.
    pub(super) fn name(&self, kind: FileKind, offset: Offset) -> String {
        let mut files = self.directory.files_of(kind);
        let found =
            files.find(|file| file.name.suffix.is_none() && file.name.base_offset == Some(offset));
        match found {
            Some(file) => name_of(&file.path),
            None => kind.name_at(offset),
        }
    }

    /// Gives a file its content, and says why, unless it has that content already.
    pub(super) fn write(&mut self, name: &str, content: Content, like: &str, detail: String) {
        if let Content::Bytes(bytes) = &content
            && self.holds(name, bytes)
        {
            return;
        }
        let size = match &content {
            Content::Bytes(bytes) => u64::try_from(bytes.len()).ok(),
            Content::Pieces(pieces) => Some(pieces.iter().map(super::content::Piece::length).sum()),
            _ => None,
        };
        let offset = offset_in(name);
        self.step(Action::Write, name, size, offset, detail);
        self.put(name, content, like);
    }

    /// Whether a file that is to stay as it is has these bytes.
    fn holds(&self, name: &str, bytes: &[u8]) -> bool {
        let is_kept = (self.files.get(name)).is_some_and(|file| !file.content.is_change());
        // One that cannot be read is written anew, and tells then what is wrong.
        is_kept && fs::read(self.directory.path.join(name)).is_ok_and(|found| found == bytes)
    }

    /// As [`Draft::write`], where steps say already what happens.
    pub(super) fn put(&mut self, name: &str, content: Content, like: &str) {
        let file = FilePlan::new(name, content).like(like);
        self.files.insert(name.to_owned(), file);
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&mut self, name: &str, detail: &str) {
        if let Some(file) = self.files.get_mut(name) {
            file.content = Content::Removed;
            self.step(
                Action::Remove,
                name,
                None,
                offset_in(name),
                detail.to_owned(),
            );
        }
    }

    /// Has the offset or the time index of a segment built anew.
    pub(super) fn build(&mut self, kind: FileKind, base: Offset, of: IndexOf, why: String) {
        let name = self.name(kind, base);
        let like = of.log.clone();
        let content = match kind {
            FileKind::OffsetIndex => Content::OffsetIndex(of),
            _ => Content::TimeIndex(of),
        };
        self.write(&name, content, &like, why);
    }

    fn step(
        &mut self,
        action: Action,
        name: &str,
        size: Option<u64>,
        offset: Option<Offset>,
        detail: String,
    ) {
        self.steps.push(Step {
            action,
            file: name.to_owned(),
            position: None,
            size,
            offset,
            detail,
        });
    }

    /// The plan. Files that are built of others come last.
    pub(super) fn finish(self, verb: Verb, topic_partition: String, kept: Kept) -> Plan {
        let (built, plain): (Vec<_>, Vec<_>) = self
            .files
            .into_values()
            .partition(|file| file.content.is_built());
        Plan {
            verb,
            topic_partition,
            directory: self.directory.path.clone(),
            steps: self.steps,
            files: plain.into_iter().chain(built).collect(),
            kept,
            lost: Vec::new(),
            replicas: None,
            alternatives: Vec::new(),
            warnings: self.warnings,
        }
    }
}

/// The last component of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn offset_in(name: &str) -> Option<Offset> {
    let (digits, _) = name.split_once('.')?;
    digits.parse().ok().map(Offset)
}

/// The partition as `topic-0`: the directory's name, also where that is none of a partition.
pub(super) fn topic_partition(directory: &PartitionDirectory) -> String {
    match &directory.name {
        Some(name) => name.to_string(),
        None => name_of(&directory.path),
    }
}
