//! What ends a load: the broker's exception, or a file that we could not read.

use crate::format::number::Offset;
use crate::state::batch::Batch;
use crate::state::error::StateError;
use crate::storage::source::ReadError;
use std::fmt;

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

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// Why a step of a load did not come to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The broker ends.
    Stop(Stop),
    /// A file could not be read.
    Read(ReadError),
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
