//! One segment as a load treats it (`LogSegment`): opened, checked, searched, recovered.

use super::LoadOptions;
use super::ahead::Ahead;
use super::files::{Content, Files, name_of};
use super::stop::{Halt, Stop};
use super::stream::{Stream, span};
use super::wrapper::check_wrapper;
use crate::format::batch::{HEADER_SIZE, MAGIC};
use crate::format::number::{Offset, to_usize};
use crate::format::offset_index::{self, OffsetIndex};
use crate::format::txn_index::{AbortedTxn, SanityFault, TxnIndex};
use crate::state::append::Append;
use crate::state::batch::{Batch, Place, control};
use crate::state::epochs::LeaderEpochs;
use crate::state::event;
use crate::state::index_build::{IndexBuild, InvalidOffset};
use crate::state::manager::{Applied, Manager};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::Source;

/// A segment of the log.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) base: Offset,
    pub(super) log: Option<Content>,
    /// Bytes of the log that are still there.
    pub(super) size: u64,
    pub(super) index: Content,
    /// What the transaction index holds.
    pub(super) aborted: Vec<AbortedTxn>,
    txn_index_name: String,
}

/// The longest log that a broker opens, in bytes.
const GREATEST_SIZE: u64 = 2_147_483_647;

/// `FileRecords` refuses a file.
#[cold]
fn too_large(source: &Source) -> Stop {
    let (path, size) = (source.path().display(), source.len());
    Stop::new(
        "KafkaException",
        format!(
            "The size of segment {path} ({size}) is larger than the maximum allowed segment size \
             of {GREATEST_SIZE}"
        ),
    )
}

/// What a check finds when a segment is opened (`LogSegment.sanityCheck`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sanity {
    Good,
    NoIndex,
    BadTxnIndex,
}

/// Where a segment ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogEnd {
    /// The offset behind the last batch; the base offset where there is none.
    pub(super) offset: Offset,
    /// The last batch.
    pub(super) last_batch: Option<Place>,
    /// The greatest base offset of any batch that was come by.
    pub(super) greatest: Offset,
}

impl LogEnd {
    const fn empty(base: Offset) -> Self {
        Self {
            offset: base,
            last_batch: None,
            greatest: base,
        }
    }
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
            index: Content::Written(Vec::new()),
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
        let content = |kind: &str| {
            let name = format!("{}{suffix}", name_of(base, kind));
            Some((files.content(&name)?.clone(), name))
        };
        let mut segment = Self::empty(base);
        if let Some((log, name)) = content(".log") {
            let source = log.source(&name, options.access)?;
            segment.size = source.len();
            if segment.size > GREATEST_SIZE {
                return Err(too_large(&source).into());
            }
            segment.log = Some(log);
        }
        let mut sanity = Sanity::NoIndex;
        if let Some((index, _)) = content(".index") {
            segment.index = index;
            sanity = Sanity::Good;
        }
        if let Some((index, name)) = content(".txnindex") {
            let source = index.source(&name, options.access)?;
            let index = source.path();
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
        let name = name_of(self.base, ".log");
        match &self.log {
            Some(content) => content.source(&name, options.access),
            None => Ok(Source::from_bytes(name, Vec::new())),
        }
    }

    fn index(&self, options: &LoadOptions) -> Result<Source, Halt> {
        let name = name_of(self.base, ".index");
        self.index.source(&name, options.access)
    }

    /// The batch that holds `target`, or the first behind it (`translateOffset`).
    pub(super) fn translate(
        &self,
        source: &Source,
        target: Offset,
        options: &LoadOptions,
    ) -> Result<Option<Batch>, Halt> {
        let index = self.index(options)?;
        let Ok(found) = OffsetIndex::new(&*index.contents()?, self.base).lookup(target);
        let from = u64::try_from(found.position).unwrap_or(0);
        let mut stream = Stream::new(source, self.base, from, self.size);
        let mut before: Option<Batch> = None;
        while let Some(batch) = stream.next()? {
            check_wrapper(source, &batch, stream.magic)?;
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
        Ok(self.end(options)?.offset)
    }

    /// The end of the segment as `readNextOffset` finds it.
    pub(super) fn end(&self, options: &LoadOptions) -> Result<LogEnd, Halt> {
        let index = self.index(options)?;
        let bytes = index.contents()?;
        let mut index = OffsetIndex::new(&*bytes, self.base);
        let Ok(last) = match index.file().len().checked_sub(1) {
            Some(last) => index.entry(last),
            None => Ok(None),
        };
        let target = last.map_or(self.base, |entry| entry.offset);
        let source = self.source(options)?;
        let Some(from) = self.translate(&source, target, options)? else {
            return Ok(LogEnd::empty(self.base));
        };
        let from = from.place.position;
        let mut stream = Stream::new(&source, self.base, from, self.size);
        let mut end = LogEnd::empty(self.base);
        while let Some(batch) = stream.next()? {
            end.offset = batch.next_offset();
            end.last_batch = Some(batch.place);
            end.greatest = end.greatest.max(batch.base_offset);
        }
        Ok(end)
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
        self.index = Content::Written(Vec::new());
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
        let mut build = OffsetIndexBuild::new(self.base, options.index_interval_bytes);
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
                self.index = Content::Written(build.bytes);
                return Err(Halt::Overflow);
            }
            if !build.batch(&batch, valid) {
                self.index = Content::Written(build.bytes);
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
        let may_end = build.build.end().is_ok();
        self.index = Content::Written(build.bytes);
        match may_end {
            true => Ok(Recovered::Cut(cut)),
            false => Ok(Recovered::InvalidOffset),
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
    pub(super) fn is_in_range(&self, offset: Offset) -> bool {
        let distance = offset.0.wrapping_sub(self.base.0);
        (0..=i64::from(i32::MAX)).contains(&distance)
    }
}

/// The offset index as a recovery builds it, and what can refuse an entry.
pub(super) struct OffsetIndexBuild {
    base: Offset,
    build: IndexBuild,
    /// The index so far.
    pub(super) bytes: Vec<u8>,
}

impl OffsetIndexBuild {
    pub(super) const fn new(base: Offset, interval: u64) -> Self {
        Self {
            base,
            build: IndexBuild::new(base, interval),
            bytes: Vec::new(),
        }
    }

    /// Adds the entry that is due in front of a batch at `position`; `false` where Kafka throws an
    /// `InvalidOffsetException`.
    pub(super) fn batch(&mut self, batch: &Batch, position: u64) -> bool {
        let due = self
            .build
            .batch(position, batch.last_offset, batch.max_timestamp);
        match due {
            Ok(None) => true,
            // The range of the offset was asked before.
            Ok(Some(due)) => offset_index::encode(due.offset, self.base, &mut self.bytes).is_ok(),
            Err(InvalidOffset) => false,
        }
    }
}
