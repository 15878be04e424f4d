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
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::{Operand, PartitionDirectory, StrayKind};
use crate::storage::file_name::{FileKind, FileName};
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::segment::contents::{
    BatchReader, Checksum, DEFAULT_MAX_RECORD_BYTES, Entry, LoadedBatch,
};
use crate::storage::segment::walk::{self, Walk};
use crate::storage::source::{Access, ReadError, Source};

/// A cluster as its metadata tell it.
#[derive(Debug)]
pub struct ClusterLog {
    /// The cluster.
    pub image: ClusterImage,
    /// The offset behind the last record that is in the image.
    pub end_offset: Offset,
    /// The offset behind the last record that was read: higher where a transaction is open, which
    /// began at `end_offset`.
    pub read_to: Offset,
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
    /// A file or a directory, and what is wrong with it as a whole.
    #[error("{}: {message}", path.display())]
    Whole {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl ClusterFault {
    /// What became of the reading, and what to do next, as the end of a sentence.
    #[must_use]
    pub fn next_step(&self) -> &'static str {
        let path = match self {
            Self::Read(error) => error.path(),
            Self::Place { path, .. } | Self::Whole { path, .. } => path,
        };
        match FileName::of(path).kind {
            FileKind::KraftSnapshot => {
                "passed over for what is older; take the file from another controller"
            }
            _ => {
                "what came behind is not in the answer; read the copy of another controller, or \
                 see the records with kfsck dump-log --cluster-metadata-decoder"
            }
        }
    }
}

/// The directories of `__cluster_metadata` behind a path: itself, or inside a log directory. The
/// topic has one partition; [`is_the_partition`] tells whether a directory is named as that.
pub fn metadata_partitions(operand: &Operand) -> impl Iterator<Item = &PartitionDirectory> {
    let partitions = operand.partitions().iter();
    partitions.filter(|directory| {
        let name = directory.name.as_ref();
        name.is_some_and(|name| name.state.is_none() && name.topic == CLUSTER_METADATA)
    })
}

/// Whether a directory has the one name that a broker looks for: `__cluster_metadata-0`.
#[must_use]
pub fn is_the_partition(directory: &PartitionDirectory) -> bool {
    let expected = format!("{CLUSTER_METADATA}-0");
    let named = |path: &Path| path.file_name().map(|name| *name == *expected);
    // `.` stands for the directory that it names.
    let behind = || named(&std::fs::canonicalize(&directory.path).ok()?);
    named(&directory.path).or_else(behind) == Some(true)
}

impl ClusterLog {
    /// Reads what lies in a log directory; `None` without a directory of that name.
    #[must_use]
    pub fn in_log_directory(log_directory: &Path, access: Access) -> Option<Self> {
        let path = log_directory.join(format!("{CLUSTER_METADATA}-0"));
        let is_there = path.is_dir();
        is_there.then(|| Self::read(&PartitionDirectory::list(&path), access))
    }

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
        let (mut reader, snapshot) = newest_snapshot(directory, at, access, &mut faults);
        let snapshot = snapshot.map(|piece| (piece.path, piece.offset));
        if let Err(fault) = reader.log(directory, snapshot.as_ref(), access) {
            faults.push(fault);
        }
        let (last_timestamp, is_torn) = (reader.last_timestamp, reader.is_torn);
        let read_to = reader.next;
        let (image, end_offset, epoch) = reader.finish();
        Self {
            image,
            end_offset,
            read_to,
            epoch,
            last_timestamp,
            is_torn,
            snapshot: snapshot.map(|(path, _)| path),
            faults,
        }
    }
}

/// Reads the newest snapshot that is whole, and tells those that are not.
fn newest_snapshot(
    directory: &PartitionDirectory,
    at: Option<Offset>,
    access: Access,
    faults: &mut Vec<ClusterFault>,
) -> (Reader, Option<Piece>) {
    let snapshots = pieces(directory, FileKind::KraftSnapshot);
    let newest_first = snapshots.into_iter().rev();
    for piece in newest_first.filter(|piece| at.is_none_or(|at| piece.offset <= at)) {
        let mut reader = Reader::default();
        let read = piece.file().and_then(|path| reader.snapshot(path, access));
        match read {
            Ok(()) => {
                reader.next = piece.offset;
                reader.end = at;
                reader.epoch = piece.epoch.unwrap_or(reader.epoch);
                return (reader, Some(piece));
            }
            Err(fault) => faults.push(fault),
        }
    }
    let reader = Reader {
        end: at,
        ..Reader::default()
    };
    (reader, None)
}

/// An entry that a controller reads, by its name: a segment or a snapshot.
#[derive(Debug)]
struct Piece {
    path: PathBuf,
    /// Where a segment begins, or what a snapshot stands for.
    offset: Offset,
    /// Of a snapshot.
    epoch: Option<LeaderEpoch>,
    /// What it is, where that is no file.
    stray: Option<StrayKind>,
}

impl Piece {
    fn file(&self) -> Result<&Path, ClusterFault> {
        let found = match self.stray {
            None | Some(StrayKind::File) => return Ok(&self.path),
            Some(StrayKind::Special) => "a FIFO, socket or device",
            Some(StrayKind::Directory | StrayKind::RemoteIndexCache) => "a directory",
        };
        Err(ClusterFault::Whole {
            path: self.path.clone(),
            message: format!("expected a file, found {found}"),
        })
    }
}

/// The entries of a kind in the order of their offsets, those too that are no files or cannot be
/// looked at: only who opens them in their place learns what is missing.
fn pieces(directory: &PartitionDirectory, kind: FileKind) -> Vec<Piece> {
    let listing = &directory.listing;
    let files = listing.files.iter().map(|file| (&*file.path, None));
    let strays = listing.strays.iter();
    let strays = strays.map(|stray| (&*stray.path, Some(stray.kind)));
    let unreadable = listing.unreadable.iter().map(|error| (error.path(), None));
    let mut pieces: Vec<_> = files
        .chain(strays)
        .chain(unreadable)
        .filter_map(|(path, stray)| {
            let name = FileName::of(path);
            let offset = name.base_offset?;
            (name.kind == kind && name.suffix.is_none()).then(|| Piece {
                path: path.to_owned(),
                offset,
                epoch: name.epoch,
                stray,
            })
        })
        .collect();
    pieces.sort_by_key(|piece| (piece.offset, piece.epoch));
    pieces
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
    /// Where the log ends, as far as it was looked at.
    log_end: Offset,
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
            log_end: Offset(0),
        }
    }
}

const NOT_BEGUN: &str = "expected its begin before it: a transaction ends that has not begun";

impl Reader {
    fn finish(self) -> (ClusterImage, Offset, LeaderEpoch) {
        let last = (self.image, self.next, self.epoch);
        self.before.unwrap_or(last)
    }

    fn is_at_end(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    /// Reads the segments behind the snapshot that it began with.
    fn log(
        &mut self,
        directory: &PartitionDirectory,
        snapshot: Option<&(PathBuf, Offset)>,
        access: Access,
    ) -> Result<(), ClusterFault> {
        let segments = pieces(directory, FileKind::Log);
        let Some(last) = segments.last() else {
            return Err(ClusterFault::Whole {
                path: directory.path.clone(),
                message: "expected the log behind the snapshots, found no segment".to_owned(),
            });
        };
        for (place, segment) in segments.iter().enumerate() {
            let next = segments.get(place + 1);
            let is_covered = next.is_some_and(|next| next.offset <= self.next);
            if is_covered || self.is_at_end() {
                continue;
            }
            self.log_end = segment.offset;
            self.segment(segment.file()?, access)?;
        }
        match snapshot {
            Some((snapshot, offset)) if !self.is_at_end() && self.log_end < *offset => {
                let name = snapshot.file_name().unwrap_or_default().to_string_lossy();
                Err(ClusterFault::Whole {
                    path: last.path.clone(),
                    message: format!(
                        "expected the log to reach offset {offset}, where {name} was taken, found \
                         its end at offset {}: the tail is lost",
                        self.log_end
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    fn snapshot(&mut self, path: &Path, access: Access) -> Result<(), ClusterFault> {
        self.segment(path, access)?;
        match self.is_whole {
            true => Ok(()),
            false => Err(ClusterFault::Whole {
                path: path.to_owned(),
                message: "expected a footer at the snapshot's end, found none: it was never \
                          finished"
                    .to_owned(),
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
                walk::Piece::Batch(span) => self.batch(&mut reader.load(span)?, path)?,
                // Nothing that was ever acknowledged lies there.
                walk::Piece::Damage(damage) if damage.code == Code::ZeroTail => {}
                walk::Piece::Damage(damage) if damage.code == Code::TruncatedTail => {
                    self.is_torn = true;
                }
                walk::Piece::Damage(damage) => return Err(of_damage(path, damage)),
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
        self.log_end = self.log_end.max(last.plus(1));
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
        let Checksum { stored, computed } = batch.checksum()?;
        if stored != computed {
            return Err(place(format!(
                "expected the batch's checksum {computed}, found {stored}"
            )));
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
                    return Err(
                        "expected the open one's end: a transaction begins inside another"
                            .to_owned(),
                    );
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
