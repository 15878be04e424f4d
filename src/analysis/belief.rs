//! What the files of one partition say of its producers and transactions.
//!
//! Replays the log from its first segment on. What lay in front of that and was deleted lives in
//! the snapshot at that segment's base offset only, so the replay begins with that snapshot where
//! there is a usable one.

use std::path::{Path, PathBuf};

use super::producer_order::is_expired;
use super::snapshot_health::repeated;
use crate::format::number::{Offset, Timestamp};
use crate::format::producer_snapshot::{self, Head, ProducerEntry, Version};
use crate::state::entry::Entry;
use crate::state::read::{ReadOptions, SegmentFile, segments};
use crate::state::replay::{Replay, Visitor, replay};
use crate::state::rules::RuleSet;
use crate::state::snapshot::entries_by;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::source::{ReadError, Source};

/// What to ask of a partition.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Whose rules.
    pub rules: &'static dyn RuleSet,
    /// The state before this offset; the whole log without one.
    pub at: Option<Offset>,
    /// How to read.
    pub read: ReadOptions,
    /// Entries of the snapshot that the replay begins with expire as on a broker that starts at
    /// this time with `producer.id.expiration.ms` of so many milliseconds.
    pub expiry: Option<(Timestamp, i64)>,
}

/// What the files of a partition say.
#[derive(Debug)]
pub struct Belief {
    /// The partition as `topic-0`: its name, or its directory's where that names none.
    pub topic_partition: String,
    /// The directory, beginning as the user gave it.
    pub path: PathBuf,
    /// Where the log begins: by the checkpoint beside the partition, or with its first segment.
    pub log_start_offset: Offset,
    /// The high watermark of the checkpoint beside the partition; `None` without one.
    pub high_watermark: Option<Offset>,
    /// The snapshot that the replay began with.
    pub began_with: Option<PathBuf>,
    /// Why a snapshot at the log's first offset was left out.
    pub refused: Option<(PathBuf, String)>,
    /// What is wrong with the snapshot that the replay began with, or should have begun with.
    pub snapshot_damage: Vec<Damage>,
    /// The state at the end.
    pub state: Replay<1>,
    /// The base offset of the last segment, where the log was read to its end.
    last_base: Option<Offset>,
}

impl Belief {
    /// The log's end: the offset behind the last batch that was taken in, or where the last segment
    /// begins if it is still empty.
    #[must_use]
    pub fn log_end_offset(&self) -> Offset {
        let next = self.state.next_offset();
        self.last_base.map_or(next, |base| base.max(next))
    }

    /// The last stable offset as if the high watermark were the log's end.
    #[must_use]
    pub fn last_stable_offset(&self) -> Offset {
        let stable = self.state.last_stable_offset();
        match stable == self.state.next_offset() {
            true => self.log_end_offset(),
            false => stable,
        }
    }

    /// Whether the log is known to end below its start. A broker that starts deletes all segments
    /// then and begins an empty log at its start
    /// (`LogLoader.deleteSegmentsIfLogStartGreaterThanLogEnd`).
    #[must_use]
    pub fn ends_below_its_start(&self) -> bool {
        self.last_base.is_some() && self.log_end_offset() < self.log_start_offset
    }
}

/// Replays a partition.
///
/// # Errors
/// A file cannot be opened or read, or was changed meanwhile.
pub fn believe(
    partition: &PartitionDirectory,
    checkpoints: &Checkpoints,
    question: &Question,
    visitor: &mut dyn Visitor,
) -> Result<Belief, ReadError> {
    let (mut belief, segments) = begin(partition, checkpoints, question)?;
    belief.state = replay(belief.state, &segments, question.read, visitor)?;
    Ok(belief)
}

/// What is known before the first batch, and the segments to read from there on.
pub(super) fn begin(
    partition: &PartitionDirectory,
    checkpoints: &Checkpoints,
    question: &Question,
) -> Result<(Belief, Vec<SegmentFile>), ReadError> {
    let (mut belief, segments) = begin_without_snapshot(partition, checkpoints, question);
    let first = belief.state.next_offset();
    if question.at.is_none_or(|at| at >= first)
        && let Some(path) = snapshot_at(partition, first)
    {
        belief.begin_with_snapshot(path, first, question)?;
    }
    Ok((belief, segments))
}

/// As [`begin`], with nothing known of what lies in front of the first segment.
pub(super) fn begin_without_snapshot(
    partition: &PartitionDirectory,
    checkpoints: &Checkpoints,
    question: &Question,
) -> (Belief, Vec<SegmentFile>) {
    let topic_partition = name_of(partition);
    let segments = segments(partition);
    let first = segments
        .first()
        .map_or(Offset(0), |first| first.base_offset);
    let name = partition.name.as_ref();
    let checkpoint = name.and_then(|name| checkpoints.log_start_offset(name));
    let mut belief = Belief::nothing(topic_partition, partition.path.clone(), first, question);
    belief.log_start_offset = checkpoint.map_or(first, |start| start.max(first));
    belief.state = belief.state.log_start(belief.log_start_offset);
    let last = segments.last().map(|last| last.base_offset);
    belief.last_base = last.filter(|_| question.at.is_none());
    belief.high_watermark = name.and_then(|name| checkpoints.high_watermark(name));
    (belief, segments)
}

impl Belief {
    /// Nothing known yet of a log that begins at `first`.
    pub(super) fn nothing(
        topic_partition: String,
        path: PathBuf,
        first: Offset,
        question: &Question,
    ) -> Self {
        let mut state = Replay::new(topic_partition.as_str(), question.rules, first);
        if let Some(at) = question.at {
            state = state.upto(at);
        }
        Self {
            topic_partition,
            path,
            log_start_offset: first,
            high_watermark: None,
            began_with: None,
            refused: None,
            snapshot_damage: Vec::new(),
            state,
            last_base: None,
        }
    }

    /// Takes in the snapshot at the first segment's base offset.
    pub(super) fn begin_with_snapshot(
        &mut self,
        path: &Path,
        first: Offset,
        question: &Question,
    ) -> Result<(), ReadError> {
        let source = Source::open(path, question.read.access)?;
        let bytes = source.contents()?;
        source.check()?;
        match entries_by(question.rules, &bytes) {
            Ok(entries) => {
                let version = Head::of(&bytes).version;
                self.snapshot_damage = repeated(version, &entries);
                let lives = |entry: &ProducerEntry| {
                    !is_expired(&Entry::<1>::from_snapshot(entry), question.expiry)
                };
                let entries: Vec<_> = entries.into_iter().filter(lives).collect();
                self.state.start_from_snapshot(&entries, first);
                self.began_with = Some(path.to_owned());
            }
            Err(why) => {
                self.snapshot_damage = vec![refusal(&bytes, &why)];
                self.refused = Some((path.to_owned(), why));
            }
        }
        Ok(())
    }
}

fn refusal(bytes: &[u8], why: &str) -> Damage {
    let is_of_prototype = Head::of(bytes).version == Some(Version::V2.number());
    let hint = match is_of_prototype && producer_snapshot::verify(bytes).is_ok() {
        true => "; by --rules mapped it is read",
        false => "",
    };
    Damage {
        position: 0,
        size: bytes.len() as u64,
        code: Code::SnapshotCorrupt,
        message: format!(
            "a broker says \"{why}\" and deletes the file; the replay begins with nothing \
             known{hint}"
        ),
    }
}

/// The partition's name, or its directory's where that names none.
#[must_use]
pub fn name_of(partition: &PartitionDirectory) -> String {
    match (&partition.name, partition.path.file_name()) {
        (Some(name), _) => format!("{}-{}", name.topic, name.partition),
        (None, Some(directory)) => directory.to_string_lossy().into_owned(),
        (None, None) => partition.path.display().to_string(),
    }
}

fn snapshot_at(partition: &PartitionDirectory, offset: Offset) -> Option<&Path> {
    partition
        .files_of(FileKind::ProducerSnapshot)
        .find(|file| file.name.suffix.is_none() && file.name.base_offset == Some(offset))
        .map(|file| file.path.as_path())
}
