//! What `kfsck check` answers: findings as they come, then the next start of each partition, then
//! how much was looked at.

pub mod advice;
mod hanging_advice;
pub mod json;
mod kept;
mod next_start_text;
mod producer_advice;
mod repair_line;
pub mod repairs;
mod shown;
pub mod text;

use std::path::{Path, PathBuf};

use repairs::Repairs;

use crate::analysis::check::finding::Finding;
use crate::analysis::check::terms::Tally;
use crate::analysis::log_findings::Severity;
use crate::analysis::next_start::NextStart;

/// A partition, a lone segment or a log directory, as far as reports name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The partition as `topic-0`, or what the directory is called.
    pub name: &'a str,
    /// The directory, or the segment's file.
    pub path: &'a Path,
    /// Whether it is a partition's directory: what `kfsck repair` takes.
    pub is_partition: bool,
    /// The log directories of its cluster that hold partitions of `__transaction_state`.
    pub transaction_logs: &'a [PathBuf],
    /// Which repairs of the partition are carried out.
    pub repairs: Repairs,
}

/// How many findings there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

/// What is said at the end, or first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// How much was looked at.
    pub tally: Tally,
    /// How many findings there are.
    pub counts: Counts,
    /// How many files or directories could not be read; what is in them is not judged.
    pub unread: u64,
}

/// An answer under way. What is ready is appended to `out`.
pub trait Report {
    /// Begins.
    fn start(&mut self, out: &mut Vec<u8>);

    /// A finding of a place.
    fn finding(&mut self, place: &Place<'_>, finding: Finding, out: &mut Vec<u8>);

    /// The next start of a partition.
    fn next_start(&mut self, place: &Place<'_>, next: NextStart, out: &mut Vec<u8>);

    /// Ends.
    fn end(&mut self, summary: &Summary, out: &mut Vec<u8>);
}

impl Counts {
    /// Counts so many more.
    pub const fn add(&mut self, severity: Severity, cases: u64) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        };
        *count = count.saturating_add(cases);
    }

    /// Whether anything is wrong: notes never count.
    #[must_use]
    pub const fn is_bad(&self) -> bool {
        self.errors > 0 || self.warnings > 0
    }
}
