//! What a file of the result is made of: a recipe, carried out piece by piece.
//!
//! A recipe names ranges of old files instead of holding their bytes, so the plan of a partition of
//! any size stays small.

use crate::format::malformed::Malformed;
use std::fmt::Debug;
use std::sync::Arc;

/// What becomes of a file.
#[derive(Debug, Clone)]
pub enum Content {
    /// It stays as it is; in another directory it is a copy.
    Unchanged,
    /// It goes.
    Removed,
    /// It is these bytes.
    Bytes(Vec<u8>),
    /// It is these pieces, one behind the other.
    Pieces(Vec<Piece>),
    /// It is the offset index that a recovery builds of a finished segment.
    OffsetIndex(IndexOf),
    /// It is the time index that a recovery builds of a finished segment.
    TimeIndex(IndexOf),
}

/// A segment of the result that an index is built of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexOf {
    /// The name of the segment's log, a file of the same plan.
    pub log: String,
    /// `index.interval.bytes`: the least distance between the batches of two entries, in bytes.
    pub interval: u64,
}

/// A stretch of a new file.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Bytes of an old file, as they are.
    Range(Range),
    /// Whole batches of an old file, each changed on its way.
    Edited(Range, Arc<dyn BatchEdit>),
    /// Bytes that no old file holds.
    Bytes(Vec<u8>),
}

/// A stretch of an old file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The file's name in the partition's directory.
    pub file: String,
    /// Where it begins, in bytes from the start of the file.
    pub position: u64,
    /// How long it is, in bytes.
    pub length: u64,
}

/// A change to whole batches of magic 2. What it does to a batch depends on that batch alone.
pub trait BatchEdit: Debug + Send + Sync {
    /// Changes one batch, all its bytes from the first to the last; its size may change too.
    /// Checksums are the edit's own affair: those of
    /// [`BatchInPlace`](crate::format::batch_in_place::BatchInPlace) compute theirs.
    ///
    /// # Errors
    /// A batch that it cannot change. Nothing is then written.
    fn edit(&self, batch: &mut Vec<u8>) -> Result<(), Malformed>;
}

impl Content {
    /// Whether a file is there afterwards.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        !matches!(self, Self::Removed)
    }

    /// Whether it is made of another file of the result.
    #[must_use]
    pub const fn is_built(&self) -> bool {
        matches!(self, Self::OffsetIndex(_) | Self::TimeIndex(_))
    }

    /// Whether anything happens to the file.
    #[must_use]
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::Unchanged)
    }
}

impl Piece {
    /// Bytes of the old file that it reads or of the new one that it holds; a batch that an edit
    /// makes longer is not foreseen.
    #[must_use]
    pub fn length(&self) -> u64 {
        match self {
            Self::Range(range) | Self::Edited(range, _) => range.length,
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        }
    }
}
