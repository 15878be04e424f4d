//! Index entries that the log does not bear out, as damage and as the stock tool tells of them.

use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::{self, OffsetIndexEntry};
use crate::format::time_index::{self, TimeIndexEntry};
use crate::storage::damage::{Code, Damage};

/// An index entry that the log does not bear out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The entry's place in the index, from 0.
    pub(super) number: usize,
    /// What is wrong.
    pub(super) kind: MismatchKind,
}

/// What is wrong with an index entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MismatchKind {
    /// The batch at the entry's position ends with another offset; `None`: there is no batch.
    Offset {
        /// The entry.
        indexed: OffsetIndexEntry,
        /// Last offset of the batch found there.
        found: Option<Offset>,
    },
    /// The batch that ends with the entry's offset has another greatest timestamp.
    Timestamp {
        /// The entry.
        indexed: TimeIndexEntry,
        /// The greatest timestamp of the batch's records; the header's where there is none.
        found: Timestamp,
    },
    /// The entry's timestamp is not above the one before.
    OutOfOrder {
        /// The entry.
        indexed: TimeIndexEntry,
        /// The timestamp before.
        before: Timestamp,
    },
    /// No batch ends with the entry's offset; `None`: none reaches it.
    NotFound {
        /// The entry.
        indexed: TimeIndexEntry,
        /// Last offset of the first batch that reaches it.
        found: Option<Offset>,
    },
}

impl Mismatch {
    /// The mismatch as damage of the index file.
    pub(super) fn damage(&self) -> Damage {
        let (code, entry_size, message) = match self.kind {
            MismatchKind::Offset { indexed, found } => (
                Code::IndexMismatch,
                offset_index::ENTRY_SIZE,
                format!(
                    "expected the batch at position {} of the log to end with offset {}, found {}",
                    indexed.position,
                    indexed.offset,
                    or_none(found)
                ),
            ),
            MismatchKind::Timestamp { indexed, found } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected the batch that ends with offset {} to have the greatest timestamp \
                     {}, found {found}",
                    indexed.offset, indexed.timestamp
                ),
            ),
            MismatchKind::OutOfOrder { indexed, before } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected a timestamp above {before}, found {}",
                    indexed.timestamp
                ),
            ),
            MismatchKind::NotFound { indexed, found } => (
                Code::TimeIndexMismatch,
                time_index::ENTRY_SIZE,
                format!(
                    "expected a batch that ends with offset {}, found {}",
                    indexed.offset,
                    or_none(found)
                ),
            ),
        };
        let position = self.number.saturating_mul(entry_size) as u64;
        Damage {
            position,
            size: 0,
            code,
            message,
        }
    }
}

fn or_none(found: Option<Offset>) -> String {
    found.map_or_else(|| "none".to_owned(), |offset| offset.to_string())
}

/// The mismatches of a file, as many as are worth telling at the end of a run.
#[derive(Debug, Default)]
pub(super) struct Mismatches {
    told: Vec<Mismatch>,
    more: u64,
}

impl Mismatches {
    /// Each entry of a damaged index may be one; memory must not grow with them.
    const MOST: usize = 10_000;

    pub(super) fn take(&mut self, mismatch: Mismatch) {
        if self.told.len() < Self::MOST {
            self.told.push(mismatch);
        } else {
            self.more += 1;
        }
    }

    /// The lines that the stock tool prints on stderr when all files are done.
    pub(super) fn stock_report(&self, path: &str) -> String {
        let mut report = stock_report(path, &self.told);
        if self.more > 0 {
            report += &format!("  and {} more\n", self.more);
        }
        report
    }
}

fn stock_report(path: &str, mismatches: &[Mismatch]) -> String {
    let mut report = String::new();
    let offset_of = |found: Option<Offset>| found.map_or(-1, |offset| offset.0);
    let mut section = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            report += &format!("{title}{path}\n{}", lines.concat());
        }
    };
    // A tree map in reverse order: the greatest offset first.
    section("Mismatches in :".to_owned(), {
        let mut lines: Vec<_> = lines_of(mismatches, |kind| match kind {
            MismatchKind::Offset { indexed, found } => {
                let (indexed, found) = (indexed.offset, offset_of(found));
                Some(format!("  Index offset: {indexed}, log offset: {found}\n"))
            }
            _ => None,
        });
        lines.reverse();
        lines
    });
    section(
        "Found timestamp mismatch in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::Timestamp { indexed, found } => Some(format!(
                "  Index timestamp: {}, log timestamp: {found}\n",
                indexed.timestamp
            )),
            _ => None,
        }),
    );
    section(
        "Found out of order timestamp in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::OutOfOrder { indexed, before } => Some(format!(
                "  Index timestamp: {}, Previously indexed timestamp: {before}\n",
                indexed.timestamp
            )),
            _ => None,
        }),
    );
    section(
        "The following indexed offsets are not found in :".to_owned(),
        lines_of(mismatches, |kind| match kind {
            MismatchKind::NotFound { indexed, found } => Some(format!(
                "Indexed offset: {}, found log offset: {}\n",
                indexed.offset,
                offset_of(found)
            )),
            _ => None,
        }),
    );
    report
}

fn lines_of(mismatches: &[Mismatch], line: impl Fn(MismatchKind) -> Option<String>) -> Vec<String> {
    mismatches
        .iter()
        .filter_map(|mismatch| line(mismatch.kind))
        .collect()
}
