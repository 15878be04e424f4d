//! One segment with its indexes while batches are appended to it: the twin of the writing half of
//! `LogSegment`, `OffsetIndex`, `TimeIndex` and `TransactionIndex` 4.4.0.

use super::appended::Facts;
use super::error::WriteError;
use super::new_file::NewFile;
use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::{self, OffsetIndexEntry};
use crate::format::time_index::{self, TimeIndexEntry};
use crate::format::txn_index::{self, AbortedTxn};
use std::path::{Path, PathBuf};

/// What bounds a segment and its indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// `segment.bytes`.
    pub(super) segment_bytes: u32,
    /// `index.interval.bytes`.
    pub(super) index_interval_bytes: u32,
    /// `segment.index.bytes`.
    pub(super) segment_index_bytes: u32,
}

impl Bounds {
    /// Room for whole entries in an index, in bytes.
    fn index_size(self, entry_size: usize) -> u64 {
        let entry_size = u64::try_from(entry_size).unwrap_or(1);
        let room = u64::from(self.segment_index_bytes);
        room.saturating_sub(room.checked_rem(entry_size).unwrap_or(0))
    }
}

/// An index file with the number of its entries.
#[derive(Debug)]
struct Index {
    file: NewFile,
    entry_size: usize,
    entries: u64,
}

impl Index {
    fn create(path: PathBuf, entry_size: usize) -> Result<Self, WriteError> {
        Ok(Self {
            file: NewFile::create(path)?,
            entry_size,
            entries: 0,
        })
    }

    fn append(&mut self, entry: &[u8]) -> Result<(), WriteError> {
        self.entries = self.entries.saturating_add(1);
        self.file.append(entry)
    }

    /// Whether no more entries have room when `spare` places are left alone.
    fn is_full(&self, bounds: Bounds, spare: u64) -> bool {
        let most = bounds.index_size(self.entry_size);
        let most = most.checked_div(u64::try_from(self.entry_size).unwrap_or(1));
        self.entries.saturating_add(spare) >= most.unwrap_or(0)
    }
}

/// A time index keeps the last place for the entry of its end.
const SPARE_TIMES: u64 = 1;

/// A segment that is being written.
#[derive(Debug)]
pub(super) struct Segment {
    directory: PathBuf,
    base_offset: Offset,
    bounds: Bounds,
    log: NewFile,
    size: u64,
    offset_index: Index,
    time_index: Index,
    /// Made with the first aborted transaction.
    txn_index: Option<NewFile>,
    last_aborted: Option<Offset>,
    since_entry: u64,
    /// The last entry of the time index.
    last_time: TimeIndexEntry,
    /// The greatest timestamp, and the end of the first batch that has it.
    greatest: TimeIndexEntry,
}

/// The path of a file of a partition that is named for an offset.
pub(super) fn path_of(directory: &Path, offset: Offset, extension: &str) -> PathBuf {
    directory.join(format!("{offset:020}.{extension}"))
}

/// Whether the indexes of a segment can name an offset.
pub(super) fn can_name(segment: Offset, offset: Offset) -> bool {
    let distance = offset.0.checked_sub(segment.0);
    distance.is_some_and(|distance| (0..=i64::from(i32::MAX)).contains(&distance))
}

impl Segment {
    /// Makes the files of an empty segment.
    pub(super) fn create(
        directory: &Path,
        base_offset: Offset,
        bounds: Bounds,
    ) -> Result<Self, WriteError> {
        let path = |extension| path_of(directory, base_offset, extension);
        let none = TimeIndexEntry {
            timestamp: Timestamp::NONE,
            offset: base_offset,
        };
        Ok(Self {
            directory: directory.to_owned(),
            base_offset,
            bounds,
            log: NewFile::create(path("log"))?,
            size: 0,
            offset_index: Index::create(path("index"), offset_index::ENTRY_SIZE)?,
            time_index: Index::create(path("timeindex"), time_index::ENTRY_SIZE)?,
            txn_index: None,
            last_aborted: None,
            since_entry: 0,
            last_time: none,
            greatest: none,
        })
    }

    pub(super) const fn base_offset(&self) -> Offset {
        self.base_offset
    }

    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Whether an append of `size` bytes up to `last_offset` goes to a new segment
    /// (`LogSegment.shouldRoll`, but for `segment.ms`).
    pub(super) fn is_full_for(&self, size: u64, last_offset: Offset) -> bool {
        self.size.saturating_add(size) > u64::from(self.bounds.segment_bytes)
            || self.offset_index.is_full(self.bounds, 0)
            || self.time_index.is_full(self.bounds, SPARE_TIMES)
            || !can_name(self.base_offset, last_offset)
    }

    /// Appends batches. Before each batch that begins more than `index.interval.bytes` behind the
    /// last one with an entry, both indexes get one.
    pub(super) fn append(&mut self, bytes: &[u8], batches: &[Facts]) -> Result<(), WriteError> {
        self.log.append(bytes)?;
        for batch in batches {
            if batch.max_timestamp > self.greatest.timestamp {
                self.greatest = TimeIndexEntry {
                    timestamp: batch.max_timestamp,
                    offset: batch.last_offset,
                };
            }
            if self.since_entry > u64::from(self.bounds.index_interval_bytes) {
                self.add_entries(batch.last_offset)?;
                self.since_entry = 0;
            }
            self.size = self.size.saturating_add(batch.size);
            self.since_entry = self.since_entry.saturating_add(batch.size);
        }
        Ok(())
    }

    fn add_entries(&mut self, offset: Offset) -> Result<(), WriteError> {
        let is_full = self.offset_index.is_full(self.bounds, 0)
            || self.time_index.is_full(self.bounds, SPARE_TIMES);
        let Ok(position) = i32::try_from(self.size) else {
            return Err(self.index_full());
        };
        if is_full {
            return Err(self.index_full());
        }
        let mut entry = Vec::with_capacity(offset_index::ENTRY_SIZE);
        offset_index::encode(
            OffsetIndexEntry { offset, position },
            self.base_offset,
            &mut entry,
        )?;
        self.offset_index.append(&entry)?;
        self.add_time()
    }

    /// The entry of the greatest timestamp, unless the last one says the same.
    fn add_time(&mut self) -> Result<(), WriteError> {
        if self.greatest.timestamp <= self.last_time.timestamp {
            return Ok(());
        }
        let mut entry = Vec::with_capacity(time_index::ENTRY_SIZE);
        time_index::encode(self.greatest, self.base_offset, &mut entry)?;
        self.time_index.append(&entry)?;
        self.last_time = self.greatest;
        Ok(())
    }

    const fn index_full(&self) -> WriteError {
        let segment = self.base_offset;
        WriteError::IndexFull { segment }
    }

    /// Adds an entry to the transaction index.
    pub(super) fn add_aborted(&mut self, txn: &AbortedTxn) -> Result<(), WriteError> {
        let found = txn.last_offset;
        if let Some(before) = self.last_aborted
            && found <= before
        {
            return Err(WriteError::TransactionOrder { before, found });
        }
        self.last_aborted = Some(found);
        let file = match self.txn_index.take() {
            Some(file) => file,
            None => NewFile::create(path_of(&self.directory, self.base_offset, "txnindex"))?,
        };
        let mut entry = Vec::with_capacity(txn_index::ENTRY_SIZE);
        txn_index::encode(txn, &mut entry);
        self.txn_index.insert(file).append(&entry)
    }

    /// The broker stops cleanly and comes back: the time index ends with the greatest timestamp,
    /// and the distance to the last entry is forgotten.
    pub(super) fn restart(&mut self) -> Result<(), WriteError> {
        self.add_time()?;
        self.greatest = self.last_time;
        self.since_entry = 0;
        Ok(())
    }

    /// No more batches come (`onBecomeInactiveSegment`).
    pub(super) fn close(mut self) -> Result<(), WriteError> {
        self.add_time()?;
        self.log.finish()?;
        self.offset_index.file.finish()?;
        self.time_index.file.finish()?;
        self.txn_index.map_or(Ok(()), NewFile::finish)
    }

    /// The broker is gone: indexes are as long as they may ever get, and the time index lacks its
    /// last entry.
    pub(super) fn kill(self) -> Result<(), WriteError> {
        self.log.finish()?;
        for index in [self.offset_index, self.time_index] {
            let length = self.bounds.index_size(index.entry_size);
            index.file.finish_at(length)?;
        }
        self.txn_index.map_or(Ok(()), NewFile::finish)
    }
}
