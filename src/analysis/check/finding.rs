//! One thing that is wrong, or odd, with its place and the values on both sides.

use super::code::FindingCode;
use crate::analysis::log_findings::Severity;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{Offset, ProducerId};
use crate::storage::damage::Damage;
use std::fmt::Display;
use std::path::PathBuf;

/// A finding. What to do about it is told by the floor above, from these values alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// The partition as `topic-0`; `None` for what concerns a whole log directory.
    pub topic_partition: Option<String>,
    /// The file or directory.
    pub path: PathBuf,
    /// Where it begins, in bytes from the start of the file.
    pub position: Option<u64>,
    /// How many bytes it concerns.
    pub size: Option<u64>,
    /// The offset that it concerns, or the first of several.
    pub offset: Option<Offset>,
    /// The producer that it concerns.
    pub producer_id: Option<ProducerId>,
    /// How many cases it stands for: more than 1 where only the first of many is told.
    pub cases: u64,
    /// What was expected and what was found, in one sentence without a full stop.
    pub message: String,
    /// What it rests on: both batches, stored and computed values.
    pub evidence: Vec<Evidence>,
}

/// A value or a batch that a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// What this is, in a few words: `batch`, `batch before`, `index entry`, `crc`.
    pub what: &'static str,
    /// The file, where it is another one than the finding's.
    pub path: Option<PathBuf>,
    /// Where it lies, in bytes from the start of the file.
    pub position: Option<u64>,
    /// Its offset.
    pub offset: Option<Offset>,
    /// The value that is stored, as text.
    pub stored: Option<String>,
    /// The value as it follows from elsewhere, as text.
    pub computed: Option<String>,
}

impl Finding {
    /// A finding in a file that says no more yet than what, where and how bad.
    #[must_use]
    pub fn new(
        code: FindingCode,
        severity: Severity,
        path: impl Into<PathBuf>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            topic_partition: None,
            path: path.into(),
            position: None,
            size: None,
            offset: None,
            producer_id: None,
            cases: 1,
            message: message.into(),
            evidence: Vec::new(),
        }
    }

    /// Damage in a file: always an error.
    #[must_use]
    pub fn of_damage(path: impl Into<PathBuf>, damage: &Damage) -> Self {
        let (code, message) = (damage.code.into(), damage.message.clone());
        let finding = Self::new(code, Severity::Error, path, message).at(damage.position);
        match damage.size {
            // A fault inside of something has no bytes of its own.
            0 => finding,
            size => finding.spanning(size),
        }
    }

    /// Says where it begins, in bytes.
    #[must_use]
    pub const fn at(mut self, position: u64) -> Self {
        self.position = Some(position);
        self
    }

    /// Says how many bytes it concerns.
    #[must_use]
    pub const fn spanning(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// Names the offset.
    #[must_use]
    pub const fn with_offset(mut self, offset: Offset) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Names the producer.
    #[must_use]
    pub const fn with_producer(mut self, producer_id: ProducerId) -> Self {
        self.producer_id = Some(producer_id);
        self
    }

    /// Whether evidence of this name is among what it rests on.
    #[must_use]
    pub fn rests_on(&self, what: &str) -> bool {
        self.evidence.iter().any(|one| one.what == what)
    }

    /// Adds what it rests on.
    #[must_use]
    pub fn resting_on(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }
}

impl Evidence {
    /// A file that should be there and is not.
    #[must_use]
    pub fn absent(path: PathBuf) -> Self {
        Self {
            what: "file that is missing",
            path: Some(path),
            ..Self::default()
        }
    }

    /// A stored value and what it should be.
    #[must_use]
    pub fn values(what: &'static str, stored: &dyn Display, computed: &dyn Display) -> Self {
        Self {
            what,
            stored: Some(stored.to_string()),
            computed: Some(computed.to_string()),
            ..Self::default()
        }
    }

    /// The field that does not decode: what is stored, and what was expected.
    #[must_use]
    pub fn fault(fault: &Malformed) -> Self {
        let (stored, computed) = match &fault.problem {
            Problem::Truncated { needed, left } => {
                (format!("{left} bytes"), format!("{needed} bytes"))
            }
            Problem::OutOfRange { stored, expected } => {
                (stored.to_string(), (*expected).to_owned())
            }
            Problem::Mismatch { stored, computed } => (stored.to_string(), computed.to_string()),
            Problem::EndlessVarint { limit } => (
                format!("more than {limit} bytes"),
                format!("{limit} bytes or less"),
            ),
            Problem::Trailing { bytes } => (format!("{bytes} bytes"), "0 bytes".to_owned()),
            Problem::Text { found, expected } => (found.clone(), (*expected).to_owned()),
            Problem::Null => ("nothing".to_owned(), "a value".to_owned()),
            Problem::Undecodable { reason } => (reason.clone(), "what decodes".to_owned()),
            Problem::TooLarge { size, limit } => {
                (format!("{size} bytes"), format!("{limit} bytes or less"))
            }
        };
        Self {
            what: fault.field,
            position: Some(fault.at as u64),
            stored: Some(stored),
            computed: Some(computed),
            ..Self::default()
        }
    }

    /// Something at an offset and a position of the finding's file.
    #[must_use]
    pub fn place(what: &'static str, offset: Offset, position: u64) -> Self {
        Self {
            what,
            offset: Some(offset),
            position: Some(position),
            ..Self::default()
        }
    }
}
