//! The index files of a segment as they are.

use crate::format::number::Offset;
use crate::format::offset_index::{self, OffsetIndex, OffsetIndexEntry};
use crate::format::time_index::{self, TimeIndex, TimeIndexEntry};
use crate::format::txn_index::{AbortedTxn, TxnIndex};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::{Access, ReadError, Source};

/// No segment needs a larger index: 2^31 bytes give one entry of 12 bytes in 4096 at most, unless
/// a topic asks for more.
const MOST_BYTES: u64 = 64 << 20;

/// What the indexes of a segment hold. A list is absent where its file is, or is no list of whole
/// entries.
#[derive(Debug, Default)]
pub(super) struct OldIndexes {
    pub(super) offsets: Option<Vec<OffsetIndexEntry>>,
    pub(super) times: Option<Vec<TimeIndexEntry>>,
    /// The aborted transactions up to the first fault.
    pub(super) aborted: Vec<AbortedTxn>,
    /// Whether there was none.
    pub(super) txn_is_whole: bool,
}

impl OldIndexes {
    /// Reads those of the segment that begins at `base`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn read(
        directory: &PartitionDirectory,
        base: Offset,
        access: Access,
    ) -> Result<Self, ReadError> {
        let open = |kind| {
            let mut files = directory.files_of(kind);
            let file = files
                .find(|file| file.name.suffix.is_none() && file.name.base_offset == Some(base));
            file.map(|file| Source::open(&file.path, access))
                .transpose()
        };
        let is_whole = |source: &Source, entry: usize| {
            let entry = u64::try_from(entry).unwrap_or(1);
            source.len().is_multiple_of(entry) && source.len() <= MOST_BYTES
        };
        let mut read = Self {
            txn_is_whole: true,
            ..Self::default()
        };
        if let Some(source) = open(FileKind::OffsetIndex)?
            && is_whole(&source, offset_index::ENTRY_SIZE)
        {
            let mut index = OffsetIndex::new(source.window(), base);
            read.offsets = Some(index.entries().collect::<Result<_, _>>()?);
            source.check()?;
        }
        if let Some(source) = open(FileKind::TimeIndex)?
            && is_whole(&source, time_index::ENTRY_SIZE)
        {
            let mut index = TimeIndex::new(source.window(), base);
            read.times = Some(index.entries().collect::<Result<_, _>>()?);
            source.check()?;
        }
        if let Some(source) = open(FileKind::TxnIndex)? {
            for entry in TxnIndex::new(source.window()).entries() {
                match entry? {
                    Ok(entry) => read.aborted.push(entry),
                    Err(_) => read.txn_is_whole = false,
                }
            }
            source.check()?;
        }
        Ok(read)
    }
}
