//! Why something could not be written: what was given, or what the system said.

use crate::format::malformed::Malformed;
use crate::format::number::{LeaderEpoch, Offset};
use crate::storage::source::ReadError;
use std::io;
use std::path::PathBuf;

/// Why a partition or a log directory could not be written. What was written before stays there
/// and is of no use.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something lies where new files should go.
    #[error(
        "{path}: holds {found} already; expected no directory or an empty one: choose another \
         place, or remove what lies there if nobody needs it"
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// The name of one thing in it.
        found: String,
    },
    /// Another run writes there.
    #[error("{path}: another run of kfsck writes there")]
    Claimed {
        /// The directory.
        path: PathBuf,
    },
    /// The name of a partition is no name of a directory.
    #[error("{name:?}: expected a topic without a path in it and a partition of 0 or more")]
    Name {
        /// The name.
        name: String,
    },
    /// A setting that no log can have.
    #[error("{setting}: expected {expected}, found {found}")]
    Setting {
        /// Kafka's name of it.
        setting: &'static str,
        /// What would do, in words.
        expected: &'static str,
        /// What was given.
        found: u32,
    },
    /// The system refused.
    #[error("{path}: {reason}")]
    System {
        /// The file or directory.
        path: PathBuf,
        /// What it said.
        reason: io::Error,
    },
    /// What was given cannot be put into bytes, or is no batch.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The batches were read again, and that failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A batch does not lie behind those before it (`OffsetsOutOfOrderException`,
    /// `UnexpectedAppendOffsetException`).
    #[error("offset {found}: expected {expected} or more, the offset behind the batch before")]
    Order {
        /// The least offset that could follow.
        expected: Offset,
        /// The batch's base offset, or a last offset that lies below it.
        found: Offset,
    },
    /// One append takes more than a segment (`RecordBatchTooLargeException`).
    #[error("an append of {size} bytes, more than segment.bytes, {limit}")]
    TooLarge {
        /// Size of the append in bytes.
        size: usize,
        /// `segment.bytes`.
        limit: u32,
    },
    /// An offset that no index of the segment can name
    /// (`LogSegmentOffsetOverflowException`).
    #[error("offset {offset}: more than 2147483647 above {segment}, where its segment begins")]
    Overflow {
        /// The segment's base offset.
        segment: Offset,
        /// The last offset of the append.
        offset: Offset,
    },
    /// One append needs more entries than an index has room for.
    #[error("the indexes of segment {segment}: full within one append; segment.index.bytes is low")]
    IndexFull {
        /// The segment's base offset.
        segment: Offset,
    },
    /// A batch without the epoch of a leader.
    #[error("offset {offset}: expected a partition leader epoch of 0 or more, found {epoch}")]
    LeaderEpoch {
        /// The batch's base offset.
        offset: Offset,
        /// Its leader epoch.
        epoch: LeaderEpoch,
    },
    /// An aborted transaction that ends no later than the one before in its segment's index.
    #[error("an aborted transaction that ends at offset {found}: expected more than {before}")]
    TransactionOrder {
        /// Where the one before ends.
        before: Offset,
        /// Where this one ends.
        found: Offset,
    },
}
