//! One of the two logs of a comparison: its segments, and what its directory and the files beside
//! it say.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analysis::belief::name_of;
use crate::analysis::partition_log::first_offset;
use crate::format::leader_epoch_checkpoint;
use crate::format::number::Offset;
use crate::format::offset_checkpoint;
use crate::format::uuid::Uuid;
use crate::state::epochs::LeaderEpochs;
use crate::state::log_end::named_end;
use crate::state::read::{SegmentFile, segments};
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{KafkaFile, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::listener::Listener;
use crate::storage::partition_name::PartitionName;
use crate::storage::small_file::{contents, owner};
use crate::storage::source::{Access, ReadError, Source};
use crate::storage::topic_id::topic_id;

/// Which of the two logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The mirror's source, the leader, or the first replica.
    Source,
    /// The mirror, the follower, or the other replica.
    Dest,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Source => Self::Dest,
            Self::Dest => Self::Source,
        }
    }

    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Dest => "dest",
        }
    }
}

/// A log to be compared.
#[derive(Debug)]
pub struct ComparedLog {
    /// The partition as `topic-0`, or what the path calls it.
    pub topic_partition: String,
    /// The partition, where a name tells it.
    pub name: Option<PartitionName>,
    /// The directory or the file, beginning as the user gave it.
    pub path: PathBuf,
    /// The segments in the order of their base offsets.
    pub segments: Vec<SegmentFile>,
    /// Where the log starts: by the checkpoint beside it, or with its first segment.
    pub start: Offset,
    /// The topic's id of `partition.metadata`.
    pub topic_id: Option<Uuid>,
    /// The cluster of the `meta.properties` beside the partition.
    pub cluster_id: Option<String>,
    /// The leader epochs of its checkpoint file; `None` where that is missing or cannot be read.
    pub checkpoint: Option<LeaderEpochs>,
    /// The `cleaner-offset-checkpoint` beside it names the partition: the log is compacted.
    pub is_compacted: bool,
    /// The snapshot at the first segment's base offset.
    pub first_snapshot: Option<PathBuf>,
    /// Who hears how far the reading is; a union is read three times.
    pub listener: Option<Arc<dyn Listener>>,
    /// Where the log ended once, by the names of files.
    pub(super) named_end: Option<Offset>,
    /// How to read.
    pub(super) access: Access,
    /// The only file, where it is one: it may be a stream that can be read once.
    pub(super) alone: Option<Arc<Source>>,
}

impl ComparedLog {
    /// The log in a partition's directory.
    #[must_use]
    pub fn of_directory(
        directory: &PartitionDirectory,
        checkpoints: &Checkpoints,
        log_directory: &Path,
        access: Access,
    ) -> Self {
        let segments = segments(directory);
        let first = segments.first().map_or(Offset(0), |one| one.base_offset);
        let name = directory.name.clone();
        let start = name
            .as_ref()
            .and_then(|name| checkpoints.log_start_offset(name));
        let contents = |kind: FileKind| {
            let file = directory.files_of(kind).find(|one| is_current(one))?;
            contents(&file.path, access)
        };
        let snapshots = directory.files_of(FileKind::ProducerSnapshot);
        let mut at_first =
            snapshots.filter(|file| is_current(file) && file.name.base_offset == Some(first));
        Self {
            topic_partition: name_of(directory),
            path: directory.path.clone(),
            start: start.map_or(first, |start| start.max(first)),
            topic_id: topic_id(directory, access).ok().flatten(),
            cluster_id: owner(log_directory, access).and_then(|owner| owner.cluster_id),
            checkpoint: contents(FileKind::LeaderEpochCheckpoint)
                .filter(|bytes| !bytes.is_empty())
                .and_then(|bytes| leader_epoch_checkpoint::decode(&bytes).ok())
                .and_then(|entries| LeaderEpochs::from_checkpoint(&entries).ok()),
            is_compacted: name
                .as_ref()
                .is_some_and(|name| is_cleaned(name, log_directory, access)),
            first_snapshot: at_first.next().map(|file| file.path.clone()),
            segments,
            name,
            named_end: named_end(directory),
            listener: None,
            access,
            alone: None,
        }
    }

    /// One segment as if it were the whole log; nothing beside it is looked at.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn of_segment(file: &KafkaFile, access: Access) -> Result<Self, ReadError> {
        let source = Source::open(&file.path, access)?;
        let named = file.name.base_offset;
        let first = first_offset(&source)?.or(named).unwrap_or(Offset(0));
        let base_offset = named.filter(|named| *named <= first).unwrap_or(first);
        let directory = file.path.parent().and_then(Path::file_name);
        let name = directory.and_then(PartitionName::parse);
        let path = file.path.clone();
        Ok(Self {
            topic_partition: match &name {
                Some(name) => name.to_string(),
                None => path.display().to_string(),
            },
            name,
            segments: vec![SegmentFile {
                base_offset,
                path: path.clone(),
            }],
            path,
            start: base_offset,
            topic_id: None,
            cluster_id: None,
            checkpoint: None,
            is_compacted: false,
            first_snapshot: None,
            named_end: None,
            listener: None,
            access,
            alone: Some(Arc::new(source)),
        })
    }

    /// The base offset of the first segment.
    #[must_use]
    pub fn first_base(&self) -> Offset {
        let first = self.segments.first();
        first.map_or(Offset(0), |first| first.base_offset)
    }

    /// The base offset of the last segment; it may be empty.
    #[must_use]
    pub fn last_base(&self) -> Offset {
        let last = self.segments.last();
        last.map_or(Offset(0), |last| last.base_offset)
    }

    /// Opens a segment.
    pub(super) fn open(&self, segment: &SegmentFile) -> Result<Arc<Source>, ReadError> {
        match &self.alone {
            Some(source) => Ok(Arc::clone(source)),
            None => Ok(Arc::new(Source::open(&segment.path, self.access)?)),
        }
    }
}

const fn is_current(file: &KafkaFile) -> bool {
    file.name.suffix.is_none()
}

fn is_cleaned(name: &PartitionName, log_directory: &Path, access: Access) -> bool {
    let bytes = contents(&log_directory.join("cleaner-offset-checkpoint"), access);
    let entries = bytes.and_then(|bytes| offset_checkpoint::decode(&bytes).ok());
    let is_own = |entry: &offset_checkpoint::OffsetEntry| {
        entry.topic == name.topic && entry.partition == name.partition
    };
    entries.is_some_and(|entries| entries.iter().any(is_own))
}
