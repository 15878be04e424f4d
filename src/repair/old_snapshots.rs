//! The producer snapshots of a partition as they are.

use crate::format::number::Offset;
use crate::format::producer_snapshot::ProducerEntry;
use crate::state::rules::RuleSet;
use crate::state::snapshot::entries_by;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::{Access, ReadError, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The snapshots by offset, each with its path and whether a broker can use it.
#[derive(Debug)]
pub(super) struct OldSnapshots {
    files: BTreeMap<Offset, (PathBuf, bool)>,
    rules: &'static dyn RuleSet,
    access: Access,
}

impl OldSnapshots {
    /// Looks at each of them.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn read(
        directory: &PartitionDirectory,
        rules: &'static dyn RuleSet,
        access: Access,
    ) -> Result<Self, ReadError> {
        let mut files = BTreeMap::new();
        for file in directory.files_of(FileKind::ProducerSnapshot) {
            if let (None, Some(offset)) = (file.name.suffix, file.name.base_offset) {
                let is_usable = entries(&file.path, rules, access)?.is_some();
                files.insert(offset, (file.path.clone(), is_usable));
            }
        }
        Ok(Self {
            files,
            rules,
            access,
        })
    }

    /// The offsets of all files.
    pub(super) fn offsets(&self) -> impl Iterator<Item = Offset> + '_ {
        self.files.keys().copied()
    }

    /// Whether there is one at an offset that a broker can use.
    pub(super) fn is_usable(&self, offset: Offset) -> bool {
        self.files.get(&offset).is_some_and(|(_, usable)| *usable)
    }

    /// What the one at an offset says, if a broker can use it.
    pub(super) fn at(&self, offset: Offset) -> Option<Vec<ProducerEntry>> {
        let (path, _) = self.files.get(&offset).filter(|(_, usable)| *usable)?;
        entries(path, self.rules, self.access).ok().flatten()
    }

    /// The offset of the one before an offset.
    pub(super) fn before(&self, offset: Offset) -> Option<Offset> {
        let mut below = self.files.range(..offset).rev();
        below
            .find(|(_, (_, usable))| *usable)
            .map(|(offset, _)| *offset)
    }

    /// What the newest says that a broker can use and that lies above `start` and not above
    /// `upto`. One that is gone meanwhile says nothing.
    pub(super) fn newest(&self, start: Offset, upto: Offset) -> Vec<ProducerEntry> {
        let mut usable = self
            .files
            .iter()
            .rev()
            .filter(|(offset, (_, usable))| *usable && **offset > start && **offset <= upto);
        let newest = usable.next().map(|(_, (path, _))| path);
        let read = newest.map(|path| entries(path, self.rules, self.access));
        read.and_then(Result::ok).flatten().unwrap_or_default()
    }
}

fn entries(
    path: &Path,
    rules: &'static dyn RuleSet,
    access: Access,
) -> Result<Option<Vec<ProducerEntry>>, ReadError> {
    let source = Source::open(path, access)?;
    let entries = entries_by(rules, &source.contents()?).ok();
    source.check()?;
    Ok(entries)
}
