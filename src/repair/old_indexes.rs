//! The index files of a segment as they are.

use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::{self, OffsetIndex, OffsetIndexEntry};
use crate::format::time_index::{self, TimeIndex, TimeIndexEntry};
use crate::format::txn_index::{AbortedTxn, TxnIndex};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::CLUSTER_METADATA;
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
    /// The offset behind the one that the last entry of the offset index leads to, where that lies
    /// behind a file of this length: so far the log went once. One index alone whose entries do
    /// not rise says nothing.
    pub(super) fn upto_behind(&self, length: u64, base: Offset) -> Option<Offset> {
        let entries = self.offsets.as_ref()?;
        let rises = entries.windows(2).all(|pair| {
            matches!(pair, [one, other]
                if one.offset < other.offset && one.position < other.position)
        });
        let last = entries.last().filter(|last| rises && last.offset > base)?;
        let position = u64::try_from(last.position).ok()?;
        (position >= length).then(|| last.offset.plus(1))
    }

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
        // A controller leaves its active segment's indexes as large as they were made, with zeros.
        let name = directory.name.as_ref();
        let preallocates = name.is_some_and(|name| name.topic == CLUSTER_METADATA);
        let mut read = Self {
            txn_is_whole: true,
            ..Self::default()
        };
        if let Some(source) = open(FileKind::OffsetIndex)?
            && is_whole(&source, offset_index::ENTRY_SIZE)
        {
            let mut index = OffsetIndex::new(source.window(), base);
            let mut entries: Vec<_> = index.entries().collect::<Result<_, _>>()?;
            while preallocates && entries.last().is_some_and(|entry| entry.offset == base) {
                entries.pop();
            }
            read.offsets = Some(entries);
            source.check()?;
        }
        if let Some(source) = open(FileKind::TimeIndex)?
            && is_whole(&source, time_index::ENTRY_SIZE)
        {
            let mut index = TimeIndex::new(source.window(), base);
            let mut entries: Vec<_> = index.entries().collect::<Result<_, _>>()?;
            let is_zero = |entry: &TimeIndexEntry| entry.timestamp == Timestamp(0);
            while preallocates && entries.last().is_some_and(is_zero) {
                entries.pop();
            }
            read.times = Some(entries);
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
