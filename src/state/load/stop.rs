//! What ends a load: the broker's exception, or a file that we could not read.

use crate::format::malformed::{Malformed, Problem};
use crate::format::number::Offset;
use crate::state::batch::Batch;
use crate::state::error::StateError;
use crate::storage::source::ReadError;
use std::fmt;
use std::path::Path;

/// The exception that a broker ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The simple name of its class.
    pub class: &'static str,
    /// Its message.
    pub message: String,
    /// The segment, where it is about one.
    pub segment: Option<Offset>,
    /// The byte of the segment's file, where it is about one.
    pub position: Option<u64>,
}

impl Stop {
    /// An exception that is about no place.
    pub(super) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            segment: None,
            position: None,
        }
    }

    /// What the producer state says of a batch.
    pub(super) fn of(error: &StateError, batch: &Batch) -> Self {
        Self {
            class: error.class(),
            message: error.to_string(),
            segment: Some(batch.place.segment),
            position: Some(batch.place.position),
        }
    }
}

/// What a faulty `leader-epoch-checkpoint` ends with: `CheckpointFile.read` turns what it finds
/// into an `IOException` of its own, but not a number in an entry, nor a count below 0.
pub(super) fn of_leader_epochs(fault: &Malformed, path: &Path) -> Stop {
    let text = fault.to_string();
    match (fault.field, &fault.problem) {
        ("epoch" | "startOffset", _) => Stop::new("NumberFormatException", text),
        ("count", Problem::OutOfRange { .. }) => Stop::new("IllegalArgumentException", text),
        _ => {
            let message = format!("Error while reading checkpoint file {}", path.display());
            Stop::new(STORAGE, message)
        }
    }
}

/// What a load ends with that asks a faulty `partition.metadata` of so many bytes.
#[must_use]
pub fn of_partition_metadata(fault: &Malformed, length: u64, path: &Path) -> Stop {
    let text = fault.to_string();
    let is_id = fault.field == "topic_id";
    match &fault.problem {
        // The line is not there at all.
        Problem::Text { found, .. }
            if found.is_empty() && u64::try_from(fault.at).is_ok_and(|at| at >= length) =>
        {
            Stop::new("NullPointerException", text)
        }
        Problem::Text { expected, .. } if is_id && *expected == "an id that is not zero" => {
            of_unread_metadata(path)
        }
        Problem::Text { expected, .. } if is_id && expected.starts_with('`') => {
            of_unread_metadata(path)
        }
        _ if is_id => Stop::new("IllegalArgumentException", text),
        _ => of_unread_metadata(path),
    }
}

fn of_unread_metadata(path: &Path) -> Stop {
    let path = path.display();
    let message = format!("Error while reading partition metadata file {path}");
    Stop::new(STORAGE, message)
}

/// The class of what Kafka makes of an `IOException` when it has taken the directory offline.
const STORAGE: &str = "KafkaStorageException";

impl Stop {
    /// Whether the log directory goes offline, and with it the process if it has no other one:
    /// that is how a start ends on an `IOException`. Anything else ends the process at once.
    #[must_use]
    pub fn is_of_the_disk(&self) -> bool {
        [STORAGE, "IOException", "NoSuchFileException"].contains(&self.class)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// An overflow that nothing came of: splitting went on for too long, or it showed where nothing is
/// recovered.
pub(super) fn unsplit() -> Stop {
    Stop::new(
        "LogSegmentOffsetOverflowException",
        "Detected offset overflow",
    )
}

/// Why a step of a load did not come to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The broker ends.
    Stop(Stop),
    /// A file could not be read.
    Read(ReadError),
    /// A segment must be split, and the step begun anew.
    Overflow,
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}
