//! The producer snapshots of a partition, entry by entry, also those that a broker would delete.

use super::draft::name_of;
use crate::format::number::Offset;
use crate::format::producer_snapshot::{self, ProducerEntry, Snapshot};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::{Access, ReadError, Source};

/// A snapshot file.
#[derive(Debug)]
pub(super) struct SnapshotFile {
    pub(super) name: String,
    /// The offset that it is named for.
    pub(super) offset: Offset,
    /// What it holds, or what is wrong with it.
    pub(super) snapshot: Result<Snapshot, String>,
}

/// Reads all of them, by rising offset.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn read(
    directory: &PartitionDirectory,
    access: Access,
) -> Result<Vec<SnapshotFile>, ReadError> {
    let mut files = Vec::new();
    for file in directory.files_of(FileKind::ProducerSnapshot) {
        let (None, Some(offset)) = (file.name.suffix, file.name.base_offset) else {
            continue;
        };
        let source = Source::open(&file.path, access)?;
        let snapshot = whole(&source.contents()?);
        source.check()?;
        files.push(SnapshotFile {
            name: name_of(&file.path),
            offset,
            snapshot,
        });
    }
    files.sort_by_key(|file| file.offset);
    Ok(files)
}

/// A snapshot without a fault, or the first fault.
fn whole(bytes: &[u8]) -> Result<Snapshot, String> {
    let snapshot = producer_snapshot::decode(bytes).map_err(|fault| fault.to_string())?;
    match snapshot.faults.first() {
        None => Ok(snapshot),
        Some(fault) => Err(fault.to_string()),
    }
}

impl SnapshotFile {
    /// The entries, of one that can be read.
    pub(super) fn entries(&self) -> &[ProducerEntry] {
        self.snapshot
            .as_ref()
            .map_or(&[], |snapshot| &snapshot.entries)
    }
}
