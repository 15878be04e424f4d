//! What a broker makes of a partition's directory when it starts: the twin of `LogLoader.load` and
//! of what it calls.
//!
//! Everything that a broker would delete, cut or write is told and not done. The rules for damage
//! are the broker's own: see `stream`, which does not look behind it.
//!
//! Not modelled: a broker splits a segment whose offsets span more than 31 bits
//! (`LocalLog.splitOverflowedSegment`). Such a load ends here with a
//! `LogSegmentOffsetOverflowException`.
//!
//! Memory: the snapshots that a load writes stay in memory up to its end, 46 bytes a producer each.
//! A recovery writes one for each segment that it reads.

mod ahead;
mod files;
mod rebuild;
mod segment;
mod snapshots;
mod stop;
mod stream;
mod truncate;

pub use files::{Action, Change};
pub use stop::Stop;
pub use truncate::truncate;

use crate::format::leader_epoch_checkpoint::{self, EpochEntry};
use crate::format::number::{Offset, Timestamp};
use crate::format::txn_index::AbortedTxn;
use crate::state::epochs::LeaderEpochs;
use crate::state::manager::Manager;
use crate::state::rules::RuleSet;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::{Access, ReadError, Source};
use files::{Files, offset_of};
use rebuild::{Ground, Segments, base_of, rebuild};
use segment::{Recovered, Sanity, Segment};
use snapshots::{Keeper, SnapshotFiles};
use std::collections::BTreeMap;
use stop::Halt;

/// What a load depends on beside the directory.
#[derive(Debug, Clone, Copy)]
pub struct LoadOptions {
    /// Whose producer state.
    pub rules: &'static dyn RuleSet,
    /// Map the files or read them plainly.
    pub access: Access,
    /// Whether the broker stopped cleanly: `.kafka_cleanshutdown` was there.
    pub clean_shutdown: bool,
    /// The partition's line in `recovery-point-offset-checkpoint`, 0 without one.
    pub recovery_point: Offset,
    /// The partition's line in `log-start-offset-checkpoint`, 0 without one.
    pub log_start_offset: Offset,
    /// The time of the load; without one nothing in a snapshot expires.
    pub now: Option<Timestamp>,
    /// `producer.id.expiration.ms`, in milliseconds.
    pub producer_id_expiration_ms: i64,
    /// `index.interval.bytes` of the topic, in bytes.
    pub index_interval_bytes: u64,
    /// Whether the topic's segments also lie in remote storage.
    pub remote_storage: bool,
}

impl LoadOptions {
    /// A clean stop of a broker with the settings it comes with; nothing expires.
    #[must_use]
    pub const fn new(rules: &'static dyn RuleSet) -> Self {
        Self {
            rules,
            access: Access::Map,
            clean_shutdown: true,
            recovery_point: Offset(0),
            log_start_offset: Offset(0),
            now: None,
            producer_id_expiration_ms: 86_400_000,
            index_interval_bytes: 4096,
            remote_storage: false,
        }
    }
}

/// A segment after the load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSegment {
    /// Its base offset.
    pub base_offset: Offset,
    /// Bytes that are left of its log.
    pub size: u64,
    /// Its transaction index.
    pub aborted: Vec<AbortedTxn>,
}

/// A log as a broker has it after a start.
#[derive(Debug)]
pub struct Loaded<const N: usize> {
    /// The producers and transactions. Ended transactions hold the last stable offset back until
    /// the high watermark has passed them.
    pub manager: Manager<N>,
    /// Where the log begins.
    pub log_start_offset: Offset,
    /// Where it ends.
    pub log_end_offset: Offset,
    /// Up to where it is known to be on disk.
    pub recovery_point: Offset,
    /// The first offset of the first transaction that is open or that waits for the high
    /// watermark, not below the log's start; where that lies inside a batch, as after a trimming,
    /// the batch's base offset, which may lie below the start.
    pub first_unstable_offset: Option<Offset>,
    /// The last stable offset as if the high watermark were the log's end.
    pub last_stable_offset: Offset,
    /// The segments, rising.
    pub segments: Vec<LoadedSegment>,
    /// The leader epochs, rising.
    pub leader_epochs: Vec<EpochEntry>,
    /// The offsets of the snapshots that are left, rising.
    pub snapshots: Vec<Offset>,
    /// Of these, what a broker writes anew: the bytes of the file, with the tail of a longer one
    /// that was there. The order of producers is ours.
    pub written_snapshots: BTreeMap<Offset, Vec<u8>>,
}

/// How a load ends.
#[derive(Debug)]
pub struct Outcome<const N: usize> {
    /// The log, or the exception that the whole broker ends with.
    pub log: Result<Box<Loaded<N>>, Stop>,
    /// What the load does to the files, in its order.
    pub actions: Vec<Action>,
}

/// Loads the directory of the partition `partition` (`topic-number`) as a broker would.
///
/// # Errors
/// A file that we cannot read; what a broker cannot read is [`Outcome::log`]'s error.
pub fn load<const N: usize>(
    directory: &PartitionDirectory,
    partition: &str,
    options: &LoadOptions,
) -> Result<Outcome<N>, ReadError> {
    let mut files = Files::of(directory);
    let name = directory.path.file_name().unwrap_or_default();
    let is_deleted = name.to_string_lossy().ends_with("-delete");
    let log = match Loader::start(&mut files, partition, options)
        .and_then(|loader: Loader<'_, N>| loader.run(is_deleted))
    {
        Ok(loaded) => Ok(Box::new(loaded)),
        Err(Halt::Stop(stop)) => Err(stop),
        Err(Halt::Read(error)) => return Err(error),
    };
    Ok(Outcome {
        log,
        actions: files.actions,
    })
}

struct Loader<'a, const N: usize> {
    partition: &'a str,
    options: &'a LoadOptions,
    files: &'a mut Files,
    disk: SnapshotFiles,
    keeper: Keeper<N>,
    segments: Segments,
    epochs: LeaderEpochs,
}

impl<'a, const N: usize> Loader<'a, N> {
    /// Reads what is there before the loader begins: leader epochs, and the names of snapshots.
    fn start(
        files: &'a mut Files,
        partition: &'a str,
        options: &'a LoadOptions,
    ) -> Result<Self, Halt> {
        let mut epochs = LeaderEpochs::new();
        if let Some(path) = files.path("leader-epoch-checkpoint") {
            let source = Source::open(path, options.access)?;
            let entries = leader_epoch_checkpoint::decode(&source.contents()?).map_err(|_| {
                let message = format!("Error while reading checkpoint file {}", path.display());
                Stop::new("KafkaStorageException", message)
            })?;
            epochs = LeaderEpochs::from_checkpoint(&entries).map_err(|entry| {
                let (epoch, start) = (entry.leader_epoch, entry.start_offset);
                Stop::new(
                    "IllegalArgumentException",
                    format!(
                        "Received invalid partition leader epoch entry \
                         EpochEntry[epoch={epoch}, startOffset={start}]"
                    ),
                )
            })?;
        }
        let disk = SnapshotFiles::find(files)?;
        let keeper = Keeper::new(partition, options.rules, &disk);
        Ok(Self {
            partition,
            options,
            files,
            disk,
            keeper,
            segments: Segments::new(),
            epochs,
        })
    }

    fn run(mut self, is_deleted: bool) -> Result<Loaded<N>, Halt> {
        self.finish_swaps()?;
        self.open_segments()?;
        let (recovery_point, end) = match is_deleted {
            true => {
                self.at_least_one_segment(Offset(0));
                (Offset(0), Offset(0))
            }
            false => self.recover_log()?,
        };
        let checkpoint = self.options.log_start_offset;
        self.epochs.truncate_from_end(end);
        let first = self.segments.keys().next().copied().unwrap_or(checkpoint);
        let start = match self.options.remote_storage {
            true => checkpoint,
            false => checkpoint.max(first),
        };
        self.epochs.truncate_from_start(checkpoint);
        let bases = self.segments.keys().copied().collect();
        self.keeper
            .remove_strays(&bases, &mut self.disk, self.files);
        let mut ground = Ground {
            segments: &self.segments,
            disk: &mut self.disk,
            files: self.files,
            options: self.options,
        };
        let clean = self.options.clean_shutdown;
        rebuild(&mut self.keeper, &mut ground, (start, end), clean)?;
        // The log takes at least the start of its first segment for its own.
        let start = match self.options.remote_storage {
            true => start,
            false => start.max(first),
        };
        self.loaded(start, end, recovery_point)
    }

    fn loaded(self, start: Offset, end: Offset, recovery_point: Offset) -> Result<Loaded<N>, Halt> {
        let manager = self.keeper.manager;
        let (segments, options) = (&self.segments, self.options);
        let batch_of = |first: Offset| base_of(segments, first.max(start), end, options);
        let open = manager.ongoing().next();
        let open = open.map(|open| batch_of(open.first_offset)).transpose()?;
        let unstable = manager.first_unstable_offset().map(batch_of).transpose()?;
        Ok(Loaded {
            log_start_offset: start,
            log_end_offset: end,
            recovery_point,
            first_unstable_offset: unstable,
            last_stable_offset: open.filter(|first| *first < end).unwrap_or(end),
            segments: self
                .segments
                .into_values()
                .map(|segment| LoadedSegment {
                    base_offset: segment.base,
                    size: segment.size,
                    aborted: segment.aborted,
                })
                .collect(),
            leader_epochs: self.epochs.entries().collect(),
            snapshots: self.disk.offsets().into_iter().collect(),
            written_snapshots: self.disk.written(),
            manager,
        })
    }

    /// Ends compactions that the last stop broke off.
    fn finish_swaps(&mut self) -> Result<(), Halt> {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for name in self.files.remove_temporary()? {
            let plain = name.strip_suffix(".swap").unwrap_or_default();
            if plain.ends_with(".log") {
                let base = offset_of(&name)?;
                let (segment, _) = Segment::open(base, ".swap", self.files, self.options)?;
                least = least.min(base.0);
                most = most.max(segment.next_offset(self.options)?.0);
            }
        }
        self.files.finish_swaps(least..most);
        // Snapshots may be among what was replaced. The manager was made before and still knows
        // them, as Kafka's does.
        self.disk = SnapshotFiles::find(self.files)?;
        Ok(())
    }

    /// `loadSegmentFiles`.
    fn open_segments(&mut self) -> Result<(), Halt> {
        for name in self.files.names() {
            let is_index = [".index", ".timeindex", ".txnindex"]
                .iter()
                .any(|kind| name.ends_with(kind));
            if is_index {
                let log = files::name_of(offset_of(&name)?, ".log");
                if self.files.path(&log).is_none() {
                    self.files.delete(&name, "an index without its log");
                }
            } else if name.ends_with(".log") {
                let base = offset_of(&name)?;
                let (mut segment, sanity) = Segment::open(base, "", self.files, self.options)?;
                if sanity != Sanity::Good
                    && self.recover_segment(&mut segment)? == Recovered::InvalidOffset
                {
                    let message = format!("Offsets of segment {base} do not rise");
                    return Err(Stop::new("InvalidOffsetException", message).into());
                }
                self.segments.insert(base, segment);
            }
        }
        Ok(())
    }

    /// `recoverSegment`: the state at its start by a manager of its own, then batch by batch.
    fn recover_segment(&mut self, segment: &mut Segment) -> Result<Recovered, Halt> {
        // Only the last batch of a producer matters: the state is kept as a snapshot alone.
        let mut keeper = Keeper::<1>::new(self.partition, self.options.rules, &self.disk);
        let mut ground = Ground {
            segments: &self.segments,
            disk: &mut self.disk,
            files: self.files,
            options: self.options,
        };
        let range = (self.options.log_start_offset, segment.base);
        rebuild(&mut keeper, &mut ground, range, false)?;
        // A snapshot does not tell what waits for the high watermark.
        keeper.manager.count_all_as_replicated();
        let size = segment.size;
        let recovered = segment.recover(&mut keeper.manager, &mut self.epochs, self.options)?;
        if segment.size < size {
            let log = files::name_of(segment.base, ".log");
            self.files.note(&log, Change::Truncated(segment.size));
        }
        if recovered != Recovered::InvalidOffset {
            keeper.take_snapshot(&mut self.disk, self.files)?;
        }
        Ok(recovered)
    }

    /// `recoverLog`: gives the recovery point and the log's end.
    fn recover_log(&mut self) -> Result<(Offset, Offset), Halt> {
        if !self.options.clean_shutdown {
            self.recover_unflushed()?;
        }
        let end = self.delete_all_below_start()?;
        self.at_least_one_segment(self.options.log_start_offset);
        match end {
            Some(end) if self.options.clean_shutdown => Ok((end, end)),
            _ => {
                let last = self.segments.last_key_value();
                let end = match (end, last) {
                    (Some(end), _) => end,
                    (None, Some((_, last))) => last.next_offset(self.options)?,
                    (None, None) => self.options.log_start_offset,
                };
                Ok((self.options.recovery_point.min(end), end))
            }
        }
    }

    /// Recovers from the segment of the recovery point on; what follows the first that is cut is
    /// deleted.
    fn recover_unflushed(&mut self) -> Result<(), Halt> {
        let point = self.options.recovery_point;
        let floor = self.segments.range(..=point).next_back();
        let first = floor.map_or(Offset(i64::MIN), |(base, _)| *base);
        let bases: Vec<Offset> = self
            .segments
            .range(first..)
            .map(|(base, _)| *base)
            .collect();
        let mut waiting = bases.into_iter();
        while let Some(base) = waiting.next() {
            let Some(mut segment) = self.segments.remove(&base) else {
                continue;
            };
            // The segment stays in the log while it is recovered: its base counts as one of the
            // last two, and nothing of it is read before its own offset.
            let placeholder = Segment::empty(base);
            self.segments.insert(base, placeholder);
            let recovered = self.recover_segment(&mut segment);
            let cut = match recovered {
                Ok(Recovered::Cut(cut)) => Ok(cut),
                Ok(Recovered::InvalidOffset) => segment.empty_out(self.options),
                Err(halt) => Err(halt),
            }?;
            self.segments.insert(base, segment);
            if cut > 0 {
                let why = "behind a segment that was cut";
                self.delete_segments(&waiting.collect::<Vec<_>>(), why);
                return Ok(());
            }
        }
        Ok(())
    }

    /// `deleteSegmentsIfLogStartGreaterThanLogEnd`: gives the log's end where it has one.
    fn delete_all_below_start(&mut self) -> Result<Option<Offset>, Halt> {
        let Some((_, last)) = self.segments.last_key_value() else {
            return Ok(None);
        };
        let end = last.next_offset(self.options)?;
        let start = self.options.log_start_offset;
        if end >= start {
            return Ok(Some(end));
        }
        let bases: Vec<Offset> = self.segments.keys().copied().collect();
        self.delete_segments(&bases, "the log ends before its start");
        self.epochs.clear();
        self.keeper
            .truncate_fully(start, &mut self.disk, self.files);
        Ok(None)
    }

    fn delete_segments(&mut self, bases: &[Offset], why: &'static str) {
        for base in bases {
            self.segments.remove(base);
            for kind in [".log", ".index", ".timeindex", ".txnindex"] {
                self.files.delete(&files::name_of(*base, kind), why);
            }
            // A snapshot that only a recovery has written is not known and stays for now.
            self.keeper.forget(*base, &mut self.disk, self.files, why);
        }
    }

    fn at_least_one_segment(&mut self, base: Offset) {
        if self.segments.is_empty() {
            self.segments.insert(base, Segment::empty(base));
        }
    }
}
