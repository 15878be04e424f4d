//! One segment as a load treats it (`LogSegment`): opened, checked, searched, recovered.

use super::LoadOptions;
use super::ahead::Ahead;
use super::files::{Files, name_of};
use super::stop::{Halt, Stop};
use super::stream::{Stream, span};
use crate::format::batch::{HEADER_SIZE, MAGIC};
use crate::format::number::{Offset, to_usize};
use crate::format::offset_index::{self, OffsetIndex};
use crate::format::txn_index::{AbortedTxn, SanityFault, TxnIndex};
use crate::state::append::Append;
use crate::state::batch::{Batch, control};
use crate::state::epochs::LeaderEpochs;
use crate::state::event;
use crate::state::index_build::{IndexBuild, InvalidOffset};
use crate::state::manager::{Applied, Manager};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::Source;
use std::path::PathBuf;

/// A segment of the log.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) base: Offset,
    log: Option<PathBuf>,
    /// Bytes of the log that are still there.
    pub(super) size: u64,
    index: Index,
    /// What the transaction index holds.
    pub(super) aborted: Vec<AbortedTxn>,
    txn_index_name: String,
}

#[derive(Debug)]
enum Index {
    Disk(PathBuf),
    Rebuilt(Vec<u8>),
}

/// What a check finds when a segment is opened (`LogSegment.sanityCheck`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sanity {
    Good,
    NoIndex,
    BadTxnIndex,
}

/// How a recovery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recovered {
    /// This many bytes were cut off.
    Cut(u64),
    /// Offsets do not rise: no index can be made.
    InvalidOffset,
}

impl Segment {
    /// An empty one.
    pub(super) fn empty(base: Offset) -> Self {
        Self {
            base,
            log: None,
            size: 0,
            index: Index::Rebuilt(Vec::new()),
            aborted: Vec::new(),
            txn_index_name: name_of(base, ".txnindex"),
        }
    }

    /// Opens the files of a segment, whose names end with `suffix`.
    pub(super) fn open(
        base: Offset,
        suffix: &str,
        files: &Files,
        options: &LoadOptions,
    ) -> Result<(Self, Sanity), Halt> {
        let path = |kind: &str| {
            files
                .path(&format!("{}{suffix}", name_of(base, kind)))
                .cloned()
        };
        let mut segment = Self::empty(base);
        segment.log = path(".log");
        if let Some(log) = &segment.log {
            segment.size = Source::open(log, options.access)?.len();
        }
        let mut sanity = Sanity::NoIndex;
        if let Some(index) = path(".index") {
            segment.index = Index::Disk(index);
            sanity = Sanity::Good;
        }
        if let Some(index) = path(".txnindex") {
            let source = Source::open(&index, options.access)?;
            let mut entries = TxnIndex::new(source.window());
            match entries.sanity_check(base)? {
                None => {}
                Some(SanityFault::LastOffsetBelowStart { .. }) if sanity == Sanity::Good => {
                    sanity = Sanity::BadTxnIndex;
                }
                Some(SanityFault::LastOffsetBelowStart { .. }) => {}
                // Without an offset index the segment is recovered before anybody looks here.
                Some(_) if sanity == Sanity::NoIndex => {}
                Some(fault) => {
                    let text = fault.stock_text(&index.display());
                    return Err(Stop::new("KafkaException", text).into());
                }
            }
            for entry in entries.entries() {
                match entry? {
                    Ok(entry) => segment.aborted.push(entry),
                    Err(_) => break,
                }
            }
        }
        Ok((segment, sanity))
    }

    /// The bytes of the log.
    pub(super) fn source(&self, options: &LoadOptions) -> Result<Source, Halt> {
        match &self.log {
            Some(path) => Ok(Source::open(path, options.access)?),
            None => Ok(Source::from_bytes(name_of(self.base, ".log"), Vec::new())),
        }
    }

    fn index_bytes(&self, options: &LoadOptions) -> Result<Vec<u8>, Halt> {
        match &self.index {
            Index::Disk(path) => {
                let source = Source::open(path, options.access)?;
                Ok(source.contents()?.into_owned())
            }
            Index::Rebuilt(bytes) => Ok(bytes.clone()),
        }
    }

    /// The batch that holds `target`, or the first behind it (`translateOffset`).
    pub(super) fn translate(
        &self,
        source: &Source,
        target: Offset,
        options: &LoadOptions,
    ) -> Result<Option<Batch>, Halt> {
        let bytes = self.index_bytes(options)?;
        let Ok(found) = OffsetIndex::new(&bytes[..], self.base).lookup(target);
        let from = u64::try_from(found.position).unwrap_or(0);
        let mut stream = Stream::new(source, self.base, from, self.size);
        let mut before: Option<Batch> = None;
        while let Some(batch) = stream.next()? {
            if batch.base_offset == target {
                return Ok(Some(batch));
            }
            if batch.base_offset > target {
                let holder = before.filter(|before| before.last_offset >= target);
                return Ok(Some(holder.unwrap_or(batch)));
            }
            before = Some(batch);
        }
        Ok(before.filter(|before| before.last_offset >= target))
    }

    /// The offset behind the last batch (`readNextOffset`), looked for from the last entry of the
    /// index on.
    pub(super) fn next_offset(&self, options: &LoadOptions) -> Result<Offset, Halt> {
        let bytes = self.index_bytes(options)?;
        let mut index = OffsetIndex::new(&bytes[..], self.base);
        let Ok(last) = match index.file().len().checked_sub(1) {
            Some(last) => index.entry(last),
            None => Ok(None),
        };
        let target = last.map_or(self.base, |entry| entry.offset);
        let source = self.source(options)?;
        let Some(from) = self.translate(&source, target, options)? else {
            return Ok(self.base);
        };
        let from = from.place.position;
        let mut stream = Stream::new(&source, self.base, from, self.size);
        let mut next = self.base;
        while let Some(batch) = stream.next()? {
            next = batch.next_offset();
        }
        Ok(next)
    }

    /// `LogSegment.truncateTo` of the segment's own base offset; gives the bytes cut off.
    pub(super) fn empty_out(&mut self, options: &LoadOptions) -> Result<u64, Halt> {
        let source = self.source(options)?;
        let Some(first) = self.translate(&source, self.base, options)? else {
            return Ok(0);
        };
        let position = first.place.position;
        let cut = self.size.saturating_sub(position);
        self.size = position;
        self.index = Index::Rebuilt(Vec::new());
        self.aborted.retain(|txn| txn.last_offset < self.base);
        Ok(cut)
    }

    /// `LogSegment.recover`: reads every batch, compares its checksum, cuts at the first that is
    /// bad and builds the indexes anew.
    pub(super) fn recover<const N: usize>(
        &mut self,
        manager: &mut Manager<N>,
        epochs: &mut LeaderEpochs,
        options: &LoadOptions,
    ) -> Result<Recovered, Halt> {
        self.aborted.clear();
        let source = self.source(options)?;
        let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
        let mut stream = Stream::new(&source, self.base, 0, self.size);
        let mut ahead = Ahead::new(&source, self.base, 0, self.size);
        let mut build = IndexBuild::new(self.base, options.index_interval_bytes);
        let mut index = Vec::new();
        let mut valid = 0;
        loop {
            ahead.step(|id| manager.producers().find(id));
            let batch = match stream.next() {
                Ok(Some(batch)) => batch,
                Ok(None) => break,
                Err(Halt::Stop(stop)) if stop.class == "CorruptRecordException" => break,
                Err(other) => return Err(other),
            };
            let is_whole = batch.magic < MAGIC || to_usize(batch.place.size) >= HEADER_SIZE;
            if !is_whole || !reader.load(span(&batch))?.checksum()?.is_valid() {
                break;
            }
            if !self.is_in_range(batch.last_offset) {
                self.index = Index::Rebuilt(index);
                return Err(self.overflow(&batch, options));
            }
            let due = build.batch(valid, batch.last_offset, batch.max_timestamp);
            // The range of the offset was asked before.
            let is_taken = due.map(|due| {
                due.is_none_or(|due| {
                    offset_index::encode(due.offset, self.base, &mut index).is_ok()
                })
            });
            if is_taken != Ok(true) {
                self.index = Index::Rebuilt(index);
                return Ok(Recovered::InvalidOffset);
            }
            valid = valid.saturating_add(u64::from(batch.place.size));
            if batch.magic >= MAGIC {
                epochs.read_back(batch.partition_leader_epoch, batch.base_offset);
                if !self.take(&batch, manager, &mut reader)? {
                    break;
                }
            }
        }
        let cut = self.size.saturating_sub(valid);
        self.size = valid;
        self.index = Index::Rebuilt(index);
        match build.end() {
            Ok(_) => Ok(Recovered::Cut(cut)),
            Err(InvalidOffset) => Ok(Recovered::InvalidOffset),
        }
    }

    /// `updateProducerState`; whether the recovery goes on behind the batch.
    fn take<const N: usize>(
        &mut self,
        batch: &Batch,
        manager: &mut Manager<N>,
        reader: &mut BatchReader<'_>,
    ) -> Result<bool, Halt> {
        let how = Append::RECOVERY;
        let control = match manager.needs_control(how, batch) {
            true => Some(control(&mut reader.load(span(batch))?)?),
            false => None,
        };
        let applied = manager.apply(how, batch, control.as_ref(), &mut event::ignore);
        match applied {
            Ok(Applied::Taken {
                finished: Some(finished),
                ..
            }) => {
                if let Some(entry) = finished.index_entry() {
                    self.append_aborted(entry)?;
                }
            }
            Ok(_) => {}
            Err(error) if error.is_cut_by_recovery() => return Ok(false),
            Err(error) => return Err(Stop::of(&error, batch).into()),
        }
        manager.set_map_end_offset(batch.next_offset());
        Ok(true)
    }

    /// `TransactionIndex.append`.
    fn append_aborted(&mut self, entry: AbortedTxn) -> Result<(), Stop> {
        if let Some(last) = self.aborted.last()
            && last.last_offset >= entry.last_offset
        {
            return Err(Stop {
                class: "IllegalArgumentException",
                message: format!(
                    "The last offset of appended transactions must increase sequentially, but {} \
                     is not greater than current last offset {} of index {}",
                    entry.last_offset, last.last_offset, self.txn_index_name
                ),
                segment: Some(self.base),
                position: None,
            });
        }
        self.aborted.push(entry);
        Ok(())
    }

    /// Whether an offset can stand in the segment's index.
    fn is_in_range(&self, offset: Offset) -> bool {
        let distance = offset.0.wrapping_sub(self.base.0);
        (0..=i64::from(i32::MAX)).contains(&distance)
    }

    /// A batch whose offset no index can hold. A broker would now split the segment; that is not
    /// modelled, but for the check that comes first: the segment's end must overflow as well.
    #[cold]
    fn overflow(&self, batch: &Batch, options: &LoadOptions) -> Halt {
        let last = match self.next_offset(options) {
            Ok(next) => next.plus(-1),
            Err(halt) => return halt,
        };
        let (class, message) = if last >= self.base && !self.is_in_range(last) {
            let (offset, base) = (batch.last_offset, self.base);
            (
                "LogSegmentOffsetOverflowException",
                format!(
                    "Detected offset overflow at offset {offset} in segment with base offset {base}"
                ),
            )
        } else {
            let path = self.log.as_deref().unwrap_or(std::path::Path::new(""));
            (
                "IllegalArgumentException",
                format!(
                    "Split operation is only permitted for segments with overflow, and the problem \
                     path is {}",
                    path.display()
                ),
            )
        };
        Halt::Stop(Stop {
            class,
            message,
            segment: Some(self.base),
            position: Some(batch.place.position),
        })
    }
}
