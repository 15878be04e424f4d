//! What a broker makes of a partition's directory when it starts: the twin of `LogLoader.load` and
//! of what it calls.
//!
//! Everything that a broker would delete, cut or write is told and not done. The rules for damage
//! are the broker's own: see `stream`, which does not look behind it.
//!
//! Not modelled: `index.interval.bytes` and `segment.index.bytes` of topics that have their own,
//! remote storage but for where the log starts, the check of the topic's id against the cluster's
//! metadata, and that a segment which is split twice in one load leaves entries of its transaction
//! index twice.
//!
//! Memory: the snapshots that a load writes stay in memory up to its end, 46 bytes a producer each.
//! A recovery writes one for each segment that it reads.

mod ahead;
mod files;
mod rebuild;
mod recover_log;
mod segment;
mod snapshots;
mod split;
mod stop;
mod stream;
mod truncate;
mod wrapper;

pub use files::{Action, Change, Stretch};
pub use snapshots::Origin;
pub use stop::{Stop, of_partition_metadata};
pub use truncate::truncate;

use crate::format::leader_epoch_checkpoint::{self, EpochEntry};
use crate::format::number::{Offset, Timestamp};
use crate::format::partition_metadata;
use crate::format::txn_index::AbortedTxn;
use crate::state::batch::Place;
use crate::state::epochs::LeaderEpochs;
use crate::state::manager::Manager;
use crate::state::rules::RuleSet;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::{Access, ReadError};
use files::{Content, Files, offset_of};
use rebuild::{Ground, Segments, base_of, rebuild};
use segment::{Recovered, Sanity, Segment};
use snapshots::{Keeper, SnapshotFiles};
use std::collections::{BTreeMap, BTreeSet};
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
    /// The batch that the log ends with, if the last segment has any: bytes behind it were not
    /// seen. Of a directory that is on its way out it is not looked for.
    pub last_batch: Option<Place>,
    /// The greatest base offset of any batch that was come by on the way there; below the log's end
    /// unless offsets go back.
    pub greatest_offset: Offset,
    /// How the producers became known.
    pub origin: Origin,
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
    /// The base offsets of the segments that were read again (`LogSegment.recover`).
    pub recovered: BTreeSet<Offset>,
    /// Those of the segments that were split, as their offsets span more than 31 bits.
    pub split: BTreeSet<Offset>,
    /// What of the logs is cut off or deleted, in the order of the load. What a compaction has
    /// replaced is not lost.
    pub lost: Vec<Stretch>,
}

/// Why segments are deleted.
pub const BEHIND_A_CUT: &str = "behind a segment that was cut";
/// Why segments are deleted: two swap files lie around them.
pub const BETWEEN_SWAPS: &str = "between two swap files";
/// Why segments are deleted.
pub const END_BELOW_START: &str = "the log ends before its start";

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
        Err(Halt::Overflow) => Err(stop::unsplit()),
    };
    Ok(Outcome {
        log,
        actions: files.actions,
        recovered: files.recovered,
        split: files.split,
        lost: files.lost,
    })
}

/// Splits that are made before a load counts as one without an end.
const MOST_SPLITS: u32 = 10_000;

/// Where a log ends.
struct End {
    offset: Offset,
    last_batch: Option<Place>,
    greatest: Offset,
    recovery_point: Offset,
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
        const EPOCHS: &str = "leader-epoch-checkpoint";
        if let Some(content) = files.content(EPOCHS) {
            let source = content.source(EPOCHS, options.access)?;
            let entries = leader_epoch_checkpoint::decode(&source.contents()?)
                .map_err(|fault| stop::of_leader_epochs(&fault, source.path()))?;
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
        self.retrying(Self::open_segments)?;
        let (recovery_point, end) = match is_deleted {
            true => {
                self.at_least_one_segment(Offset(0));
                (Offset(0), Offset(0))
            }
            false => self.retrying(Self::recover_log)?,
        };
        let last = self.segments.last_key_value().map(|(_, last)| last);
        let found = match (last, is_deleted) {
            (Some(last), false) => Some(last.end(self.options)?),
            _ => None,
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
        self.read_partition_metadata()?;
        let end = End {
            offset: end,
            last_batch: found.and_then(|found| found.last_batch),
            greatest: found.map_or(end, |found| found.greatest),
            recovery_point,
        };
        self.loaded(start, &end)
    }

    /// `retryOnOffsetOverflow`, after each split.
    fn retrying<T>(
        &mut self,
        step: impl Fn(&mut Self) -> Result<Option<T>, Halt>,
    ) -> Result<T, Halt> {
        for _ in 0..MOST_SPLITS {
            if let Some(done) = step(self)? {
                return Ok(done);
            }
        }
        Err(Halt::Overflow)
    }

    /// The topic's id, which a log asks for once it is loaded.
    fn read_partition_metadata(&self) -> Result<(), Halt> {
        const NAME: &str = "partition.metadata";
        if let Some(content) = self.files.content(NAME) {
            let source = content.source(NAME, self.options.access)?;
            let bytes = source.contents()?;
            partition_metadata::decode(&bytes)
                .map_err(|fault| of_partition_metadata(&fault, source.len(), source.path()))?;
        }
        Ok(())
    }

    fn loaded(self, start: Offset, at: &End) -> Result<Loaded<N>, Halt> {
        let end = at.offset;
        let manager = self.keeper.manager;
        let (segments, options) = (&self.segments, self.options);
        let batch_of = |first: Offset| base_of(segments, first.max(start), end, options);
        // Where damage has put a marker behind the log's end, no high watermark passes it.
        let waiting = manager.unreplicated().filter(|(_, marker)| *marker >= end);
        let waiting = waiting.map(|(ended, _)| ended.first_offset).next();
        let open = manager.ongoing().next().map(|open| open.first_offset);
        let open = open.into_iter().chain(waiting).min();
        let open = open.map(batch_of).transpose()?;
        let unstable = manager.first_unstable_offset().map(batch_of).transpose()?;
        Ok(Loaded {
            log_start_offset: start,
            log_end_offset: end,
            recovery_point: at.recovery_point,
            last_batch: at.last_batch,
            greatest_offset: at.greatest,
            origin: self.keeper.origin,
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
        let mut swaps = Vec::new();
        for name in self.files.remove_temporary()? {
            let plain = name.strip_suffix(".swap").unwrap_or_default();
            if plain.ends_with(".log") {
                let base = offset_of(&name)?;
                let (segment, _) = Segment::open(base, ".swap", self.files, self.options)?;
                let index = files::name_of(base, ".index.swap");
                if !self.files.holds(&index) {
                    // Whoever looks for the segment's end makes an index of zeros.
                    self.files.put(index, Content::Written(Vec::new()));
                }
                swaps.push(base.0..segment.next_offset(self.options)?.0);
            }
        }
        self.files.finish_swaps(&swaps, self.options.access)?;
        // Snapshots may be among what was replaced. The manager was made before and still knows
        // them, as Kafka's does.
        self.disk = SnapshotFiles::find(self.files)?;
        Ok(())
    }

    /// `loadSegmentFiles`; nothing where a segment was split.
    fn open_segments(&mut self) -> Result<Option<()>, Halt> {
        self.segments.clear();
        for name in self.files.names() {
            let is_index = [".index", ".timeindex", ".txnindex"]
                .iter()
                .any(|kind| name.ends_with(kind));
            if is_index {
                let log = files::name_of(offset_of(&name)?, ".log");
                if !self.files.holds(&log) {
                    self.files.delete(&name, "an index without its log");
                }
            } else if name.ends_with(".log") {
                let base = offset_of(&name)?;
                let (mut segment, sanity) = Segment::open(base, "", self.files, self.options)?;
                if sanity != Sanity::Good {
                    match self.recover_segment(&mut segment) {
                        Ok(Recovered::Cut(_)) => {}
                        Ok(Recovered::InvalidOffset) => {
                            let message = format!("Offsets of segment {base} do not rise");
                            return Err(Stop::new("InvalidOffsetException", message).into());
                        }
                        Err(Halt::Overflow) => {
                            self.split(&segment)?;
                            return Ok(None);
                        }
                        Err(halt) => return Err(halt),
                    }
                }
                self.segments.insert(base, segment);
            }
        }
        Ok(Some(()))
    }

    /// `recoverSegment`: the state at its start by a manager of its own, then batch by batch.
    fn recover_segment(&mut self, segment: &mut Segment) -> Result<Recovered, Halt> {
        // Only the last batch of a producer matters: the state is kept as a snapshot alone.
        let mut keeper = Keeper::<1>::new(self.partition, self.options.rules, &self.disk);
        self.files.recovered.insert(segment.base);
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
            let cut = (segment.size, size);
            self.files
                .lose(segment.base, segment.log.as_ref(), cut, None);
        }
        if recovered != Recovered::InvalidOffset {
            keeper.take_snapshot(&mut self.disk, self.files)?;
        }
        Ok(recovered)
    }
}
