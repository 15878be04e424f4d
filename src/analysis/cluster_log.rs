//! A partition's directory of `__cluster_metadata`, read to the image of the cluster: the newest
//! snapshot that is whole, and the log behind it.
//!
//! Reading ends at the first thing that cannot be read or applied, as a controller's does: what
//! lies behind would build on what is missing. A record may not be committed by the quorum yet;
//! the files do not tell.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::cluster_image::ClusterImage;
use crate::format::control::{ControlKey, ControlType};
use crate::format::metadata_record::MetadataRecord;
use crate::format::number::{LeaderEpoch, Offset, Timestamp};
use crate::state::read::segments;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::{KafkaFile, Operand, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::segment::contents::{
    BatchReader, DEFAULT_MAX_RECORD_BYTES, Entry, LoadedBatch,
};
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, ReadError, Source};

/// A cluster as its metadata tell it.
#[derive(Debug)]
pub struct ClusterLog {
    /// The cluster.
    pub image: ClusterImage,
    /// The offset behind the last record that is in the image.
    pub end_offset: Offset,
    /// The epoch of the controller that wrote that record.
    pub epoch: LeaderEpoch,
    /// When the last batch was written; -1 without any.
    pub last_timestamp: Timestamp,
    /// Whether a segment ends inside a batch: what it said is not known.
    pub is_torn: bool,
    /// The snapshot that it began with.
    pub snapshot: Option<PathBuf>,
    /// What could not be read, in the order met: snapshots that were passed over, and at last what
    /// ended the reading.
    pub faults: Vec<ClusterFault>,
}

/// Something that could not be read or applied.
#[derive(Debug, thiserror::Error)]
pub enum ClusterFault {
    /// A file, or the rest of it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A place in a file, and what is wrong there.
    #[error("{}: position {position}: {message}", path.display())]
    Place {
        /// The file.
        path: PathBuf,
        /// The byte that the batch or the damage begins at.
        position: u64,
        /// What is wrong.
        message: String,
    },
}

/// The directories of `__cluster_metadata` behind a path: itself, or inside a log directory.
pub fn metadata_partitions(operand: &Operand) -> impl Iterator<Item = &PartitionDirectory> {
    let partitions = operand.partitions().iter();
    partitions.filter(|directory| {
        let name = directory.name.as_ref();
        name.is_some_and(|name| name.state.is_none() && name.topic == CLUSTER_METADATA)
    })
}

impl ClusterLog {
    /// Reads a directory to the end of its log.
    #[must_use]
    pub fn read(directory: &PartitionDirectory, access: Access) -> Self {
        Self::read_to(directory, None, access)
    }

    /// Reads a directory as it was when the log ended at an offset: of a transaction that was open
    /// then nothing counts.
    #[must_use]
    pub fn read_to(directory: &PartitionDirectory, at: Option<Offset>, access: Access) -> Self {
        let mut faults = Vec::new();
        let mut reader = Reader {
            end: at,
            ..Reader::default()
        };
        let mut snapshot = None;
        let is_not_behind = |(_, offset): &(_, Offset)| at.is_none_or(|at| *offset <= at);
        for (file, end_offset) in snapshots(directory).into_iter().filter(is_not_behind) {
            let mut from_snapshot = Reader::default();
            match from_snapshot.snapshot(&file.path, access) {
                Ok(()) => {
                    reader = from_snapshot;
                    reader.next = end_offset;
                    reader.end = at;
                    reader.epoch = file.name.epoch.unwrap_or(reader.epoch);
                    snapshot = Some(file.path.clone());
                    break;
                }
                Err(fault) => faults.push(fault),
            }
        }
        let segments = segments(directory);
        if segments.is_empty() {
            faults.push(ClusterFault::Place {
                path: directory.path.clone(),
                position: 0,
                message: "expected the log behind the snapshots, found no segment".to_owned(),
            });
        }
        for (place, segment) in segments.iter().enumerate() {
            let next = segments.get(place + 1);
            let is_covered = next.is_some_and(|next| next.base_offset <= reader.next);
            if is_covered || reader.is_at_end() {
                continue;
            }
            if let Err(fault) = reader.segment(&segment.path, access) {
                faults.push(fault);
                break;
            }
        }
        let (last_timestamp, is_torn) = (reader.last_timestamp, reader.is_torn);
        let (image, end_offset, epoch) = reader.finish();
        Self {
            image,
            end_offset,
            epoch,
            last_timestamp,
            is_torn,
            snapshot,
            faults,
        }
    }
}

/// The snapshots with the offsets that they stand for, the newest first.
fn snapshots(directory: &PartitionDirectory) -> Vec<(&KafkaFile, Offset)> {
    let files = directory.files_of(FileKind::KraftSnapshot);
    let named = files.filter(|file| file.name.suffix.is_none());
    let mut found: Vec<_> = named
        .filter_map(|file| Some((file, file.name.base_offset?)))
        .collect();
    found.sort_by_key(|(file, offset)| std::cmp::Reverse((*offset, file.name.epoch)));
    found
}

/// An image in the making.
#[derive(Debug)]
struct Reader {
    image: ClusterImage,
    /// The offset of the record that comes next.
    next: Offset,
    /// Where the reading ends, if it ends before the log does.
    end: Option<Offset>,
    /// The leader epoch of the last batch.
    epoch: LeaderEpoch,
    /// Image, offset and epoch before an open transaction: its records count when it has ended.
    before: Option<(ClusterImage, Offset, LeaderEpoch)>,
    /// Whether the last record of a snapshot was met.
    is_whole: bool,
    /// When the last batch was written.
    last_timestamp: Timestamp,
    /// Whether a file ended inside a batch.
    is_torn: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            image: ClusterImage::default(),
            next: Offset(0),
            end: None,
            epoch: LeaderEpoch(0),
            before: None,
            is_whole: false,
            last_timestamp: Timestamp::NONE,
            is_torn: false,
        }
    }
}

const NOT_BEGUN: &str = "a transaction ends that has not begun";

impl Reader {
    fn finish(self) -> (ClusterImage, Offset, LeaderEpoch) {
        let last = (self.image, self.next, self.epoch);
        self.before.unwrap_or(last)
    }

    fn is_at_end(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    fn snapshot(&mut self, path: &Path, access: Access) -> Result<(), ClusterFault> {
        self.segment(path, access)?;
        match self.is_whole {
            true => Ok(()),
            false => Err(ClusterFault::Place {
                path: path.to_owned(),
                position: 0,
                message: "the snapshot has no footer: it was never finished".to_owned(),
            }),
        }
    }

    fn segment(&mut self, path: &Path, access: Access) -> Result<(), ClusterFault> {
        let source = Source::open(path, access)?;
        let mut walk = Walk::new(&source);
        let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
        while let Some(piece) = walk.next_piece()? {
            if self.is_at_end() {
                return Ok(());
            }
            match piece {
                Piece::Batch(span) => self.batch(&mut reader.load(span)?, path)?,
                // Nothing that was ever acknowledged lies there.
                Piece::Damage(damage) if damage.code == Code::ZeroTail => {}
                Piece::Damage(damage) if damage.code == Code::TruncatedTail => self.is_torn = true,
                Piece::Damage(damage) => return Err(of_damage(path, damage)),
            }
        }
        source.check()?;
        Ok(())
    }

    fn batch(&mut self, batch: &mut LoadedBatch<'_>, path: &Path) -> Result<(), ClusterFault> {
        let position = batch.span.position;
        let place = |message: String| ClusterFault::Place {
            path: path.to_owned(),
            position,
            message,
        };
        let header = batch.header();
        let (first, last) = (header.base_offset(), header.last_offset());
        let is_control = header.attributes().is_control();
        if last < self.next {
            return Ok(());
        }
        if first > self.next {
            let expected = self.next;
            return Err(place(format!(
                "expected the record of offset {expected}, found offset {first}: what lies \
                 between is missing"
            )));
        }
        let (epoch, latest) = (header.partition_leader_epoch(), header.max_timestamp());
        if !batch.checksum()?.is_valid() {
            return Err(place("the batch's checksum does not match".to_owned()));
        }
        let mut wrong = None;
        let damage = batch.entries(&mut |entry| {
            if entry.offset < self.next {
                return ControlFlow::Continue(());
            }
            if self.is_at_end() {
                return ControlFlow::Break(());
            }
            match self.record(entry, is_control) {
                Ok(()) => {
                    self.epoch = epoch;
                    ControlFlow::Continue(())
                }
                Err(why) => {
                    wrong = Some(format!("offset {}: {why}", entry.offset));
                    ControlFlow::Break(())
                }
            }
        })?;
        match (wrong, damage) {
            (Some(message), _) => Err(place(message)),
            (None, Some(damage)) => Err(of_damage(path, damage)),
            (None, None) => {
                if !self.is_at_end() {
                    self.next = last.plus(1);
                }
                self.last_timestamp = self.last_timestamp.max(latest);
                Ok(())
            }
        }
    }

    fn record(&mut self, entry: &Entry<'_>, is_control: bool) -> Result<(), String> {
        if is_control {
            let key = ControlKey::decode(entry.key).map_err(|fault| fault.to_string())?;
            self.is_whole |= key.control_type == ControlType::SnapshotFooter;
        } else {
            let record = MetadataRecord::decode(entry.value).map_err(|fault| fault.to_string())?;
            match record.message.shape.name {
                "BeginTransactionRecord" if self.before.is_some() => {
                    return Err("a transaction begins inside another".to_owned());
                }
                "BeginTransactionRecord" => {
                    self.before = Some((self.image.clone(), entry.offset, self.epoch));
                }
                "EndTransactionRecord" => {
                    self.before.take().ok_or(NOT_BEGUN)?;
                }
                "AbortTransactionRecord" => {
                    self.image = self.before.take().ok_or(NOT_BEGUN)?.0;
                }
                _ => {
                    let applied = self.image.apply(&record);
                    applied.map_err(|contradiction| contradiction.to_string())?;
                }
            }
        }
        self.next = entry.offset.plus(1);
        Ok(())
    }
}

fn of_damage(path: &Path, damage: Damage) -> ClusterFault {
    ClusterFault::Place {
        path: path.to_owned(),
        position: damage.position,
        message: damage.message,
    }
}
