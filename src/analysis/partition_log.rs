//! The log of a partition that a user named: its directory, or one segment by itself.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::belief::{Belief, Question, believe, name_of};
use super::log_bytes::LogBytes;
use crate::format::batch::Header;
use crate::format::number::Offset;
use crate::state::read::{SegmentFile, segments};
use crate::state::replay::Visitor;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{KafkaFile, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::PartitionName;
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, ReadError, Source};

/// A log to be asked.
#[derive(Debug)]
pub struct PartitionLog<'d> {
    /// The partition as `topic-0`, or what the path calls it.
    pub topic_partition: String,
    /// The partition, where a name tells it.
    pub name: Option<PartitionName>,
    /// The directory or the file, beginning as the user gave it.
    pub path: PathBuf,
    /// The segments in the order of their base offsets.
    pub segments: Vec<SegmentFile>,
    origin: Origin<'d>,
}

#[derive(Debug)]
enum Origin<'d> {
    Directory(&'d PartitionDirectory),
    Segment(Source),
}

impl<'d> PartitionLog<'d> {
    /// Whether this is a segment alone: what others say is not known.
    #[must_use]
    pub const fn is_one_segment(&self) -> bool {
        matches!(self.origin, Origin::Segment(_))
    }

    /// The log in a partition's directory.
    #[must_use]
    pub fn of_directory(directory: &'d PartitionDirectory) -> Self {
        Self {
            topic_partition: name_of(directory),
            name: directory.name.clone(),
            path: directory.path.clone(),
            segments: segments(directory),
            origin: Origin::Directory(directory),
        }
    }

    /// One segment as if it were the whole log. Its partition is the one that its directory is
    /// named for; its first offset is its name's, or its first batch's where that is lower or the
    /// name has none.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn of_segment(file: &KafkaFile, access: Access) -> Result<Self, ReadError> {
        let source = Source::open(&file.path, access)?;
        let named = file.name.base_offset;
        let first = first_offset(&source)?.or(named).unwrap_or(Offset(0));
        let base_offset = named.filter(|named| *named <= first).unwrap_or(first);
        let name = named.and_then(|_| directory_name(&file.path));
        let topic_partition = match (&name, file.path.file_name()) {
            (Some(name), _) => name.to_string(),
            (None, Some(name)) => name.to_string_lossy().into_owned(),
            (None, None) => file.path.display().to_string(),
        };
        Ok(Self {
            topic_partition,
            name,
            path: file.path.clone(),
            segments: vec![SegmentFile {
                base_offset,
                path: file.path.clone(),
            }],
            origin: Origin::Segment(source),
        })
    }

    /// The base offset of the first segment.
    #[must_use]
    pub fn first_offset(&self) -> Offset {
        let first = self.segments.first();
        first.map_or(Offset(0), |first| first.base_offset)
    }

    /// The file of the segment that begins at `base_offset`.
    #[must_use]
    pub fn segment_path(&self, base_offset: Offset) -> Option<&Path> {
        let at = self
            .segments
            .binary_search_by_key(&base_offset, |segment| segment.base_offset);
        let segment = self.segments.get(at.ok()?)?;
        Some(&segment.path)
    }

    /// Replays the log.
    ///
    /// # Errors
    /// A file cannot be opened or read, or was changed meanwhile.
    pub fn believe(
        &self,
        checkpoints: &Checkpoints,
        question: &Question,
        visitor: &mut dyn Visitor,
    ) -> Result<Belief, ReadError> {
        match &self.origin {
            Origin::Directory(directory) => believe(directory, checkpoints, question, visitor),
            Origin::Segment(source) => self.believe_segment(source, question, visitor),
        }
    }

    fn believe_segment(
        &self,
        source: &Source,
        question: &Question,
        visitor: &mut dyn Visitor,
    ) -> Result<Belief, ReadError> {
        let first = self.first_offset();
        let name = self.topic_partition.clone();
        // The checkpoints beside the partition speak of its whole log.
        let mut belief = Belief::nothing(name, self.path.clone(), first, question);
        let snapshot = FileKind::ProducerSnapshot.name_at(first);
        let snapshot = self.path.with_file_name(snapshot);
        if question.at.is_none_or(|at| at >= first) && self.name.is_some() && snapshot.is_file() {
            belief.begin_with_snapshot(&snapshot, first, question)?;
        }
        let check_crc = question.read.check_crc;
        belief.state.source(source, first, check_crc, visitor)?;
        Ok(belief)
    }

    /// Its batches, to be read once more.
    #[must_use]
    pub const fn bytes(&self) -> LogBytes<'_> {
        match &self.origin {
            Origin::Directory(_) => LogBytes::Segments(self.segments.as_slice()),
            Origin::Segment(source) => LogBytes::Source(source),
        }
    }
}

/// The base offset of the first batch.
pub(super) fn first_offset(source: &Source) -> Result<Option<Offset>, ReadError> {
    let mut walk = Walk::new(source);
    while let Some(piece) = walk.next_piece()? {
        if let Piece::Batch(span) = piece {
            return Ok(Some(Header::new(&walk.head(span)?).base_offset()));
        }
    }
    Ok(None)
}

/// The partition that the directory of a file is named for.
fn directory_name(file: &Path) -> Option<PartitionName> {
    let parent = file.parent()?;
    match parent.file_name() {
        Some(name) => PartitionName::parse(name),
        None => {
            let parent = match parent.as_os_str() == OsStr::new("") {
                true => Path::new("."),
                false => parent,
            };
            PartitionName::parse(fs::canonicalize(parent).ok()?.file_name()?)
        }
    }
}
