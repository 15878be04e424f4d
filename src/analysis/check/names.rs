//! The names of segments against the offsets that they hold, and against each other.
//!
//! Legal: holes that compaction left, also between segments, and segments that it or retention
//! emptied. A hole between two segments of a log that shows no other trace of compaction is where
//! a segment was lost.

use std::path::PathBuf;
use std::sync::Arc;

use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::setting::{Setting, file_name};
use crate::analysis::log_findings::Severity;
use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::state::read::SegmentFile;
use crate::state::replay::Replay;
use crate::storage::damage::Damage;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::DirectoryState;

/// Holds the segments of a log against their names.
#[derive(Debug)]
pub(super) struct NameCheck {
    setting: Arc<Setting>,
    /// Batches in front of the log's start count no more.
    log_start: Option<Offset>,
    current: Option<Span>,
    before: Option<Span>,
    /// Holes between segments: what they mean is known at the end.
    gaps: Vec<Gap>,
    more_gaps: u64,
    /// Compaction has left a trace inside a segment.
    is_thinned: bool,
}

/// The offsets of a segment.
#[derive(Debug, Clone)]
struct Span {
    base_offset: Offset,
    path: PathBuf,
    /// The offset behind the last batch.
    next_offset: Offset,
    is_empty: bool,
    is_damaged: bool,
    is_at_its_end: bool,
}

#[derive(Debug)]
struct Gap {
    before: Span,
    base_offset: Offset,
    path: PathBuf,
}

/// Each gap is a finding; no more are kept.
const MOST_GAPS: usize = 1000;

impl NameCheck {
    pub(super) const fn new(setting: Arc<Setting>, log_start: Option<Offset>) -> Self {
        Self {
            setting,
            log_start,
            current: None,
            before: None,
            gaps: Vec::new(),
            more_gaps: 0,
            is_thinned: false,
        }
    }

    fn severity(&self, severity: Severity) -> Severity {
        match self.setting.state {
            Some(DirectoryState::Deleted) => Severity::Note,
            _ => severity,
        }
    }

    fn name(&self, segment: &SegmentFile, found: Found<'_>) {
        let expected = FileKind::Log.name_at(segment.base_offset);
        let name = file_name(&segment.path);
        if name != expected {
            let message = format!(
                "expected the name {expected} for base offset {}, found {name}; a broker that \
                 starts looks for the first and makes it, empty, so nothing of this file is in \
                 the log",
                segment.base_offset
            );
            let severity = self.severity(Severity::Error);
            let finding = Finding::new(FindingCode::NameMismatch, severity, &segment.path, message);
            found(
                finding
                    .with_offset(segment.base_offset)
                    .resting_on(Evidence::values("name", &name, &expected)),
            );
        }
    }

    fn first(&self, checked: &CheckedBatch<'_>, current: &Span, found: Found<'_>) {
        let (batch, base) = (checked.batch, current.base_offset);
        // Of a message of magic 0 or 1 that wraps others only the last offset is known.
        let first = match batch.magic >= MAGIC {
            true => batch.base_offset,
            false => batch.last_offset,
        };
        if checked.is_valid && first < base {
            let message = format!(
                "expected offsets from {base} on, as the name says, found {first} in the first \
                 batch; a broker finds it by no offset below {base}, and an index cannot name it"
            );
            let severity = self.severity(Severity::Error);
            let code = FindingCode::NameMismatch;
            found(
                Finding::new(code, severity, &current.path, message)
                    .at(batch.place.position)
                    .with_offset(first)
                    .resting_on(Evidence::values("base offset", &base, &first)),
            );
        }
    }

    /// The segment that begins at `base_offset` against the one before.
    fn joint(&mut self, segment: &SegmentFile, found: Found<'_>) {
        let Some(before) = self.before.take().filter(|before| before.is_at_its_end) else {
            return;
        };
        let base = segment.base_offset;
        if before.next_offset > base {
            let last = before.next_offset.plus(-1);
            let message = format!(
                "expected offsets below {base}, where the next segment begins, found offsets up \
                 to {last}; a broker reads those from {base} on in the next segment alone"
            );
            let severity = self.severity(Severity::Error);
            let code = FindingCode::SegmentOverlap;
            found(
                Finding::new(code, severity, &before.path, message)
                    .with_offset(base)
                    .resting_on(Evidence {
                        what: "next segment",
                        path: Some(segment.path.clone()),
                        offset: Some(base),
                        ..Evidence::default()
                    }),
            );
        } else if before.next_offset < base {
            if self.gaps.len() < MOST_GAPS {
                self.gaps.push(Gap {
                    before,
                    base_offset: base,
                    path: segment.path.clone(),
                });
            } else {
                self.more_gaps += 1;
            }
        }
    }

    fn is_swapped(&self, first: Offset, last: Offset) -> bool {
        let mut swaps = self.setting.swapped.iter();
        swaps.any(|base| (first..=last).contains(base))
    }

    fn gap(&self, gap: &Gap) -> Finding {
        let (first, last) = (gap.before.next_offset, gap.base_offset.plus(-1));
        let is_below_start = self.log_start.is_some_and(|start| last < start);
        let reason = if gap.before.is_damaged {
            Some("what lay there may be the damage at the end of the segment in front")
        } else if is_below_start {
            Some("the log starts behind it")
        } else if self.is_swapped(first, last) {
            Some("what lay there lies in a .swap file, and the next start takes it in")
        } else if self.setting.is_compacted {
            Some("the log is compacted")
        } else if self.is_thinned {
            Some("the log has more holes, as compaction leaves them")
        } else {
            None
        };
        let empty = match gap.before.is_empty {
            true => ", which holds nothing",
            false => "",
        };
        let name = file_name(&gap.before.path);
        let (severity, end) = match reason {
            Some(reason) => (Severity::Note, reason),
            None => (
                self.severity(Severity::Warning),
                "nothing else in the log looks compacted, so a segment may be lost",
            ),
        };
        let message = format!(
            "expected offset {first}, behind {name}{empty}, found {}: offsets {first} to {last} \
             are missing; {end}",
            gap.base_offset
        );
        Finding::new(FindingCode::SegmentGap, severity, &gap.path, message)
            .with_offset(first)
            .resting_on(Evidence {
                what: "segment in front",
                path: Some(gap.before.path.clone()),
                offset: Some(first.plus(-1)),
                ..Evidence::default()
            })
    }
}

impl Checker for NameCheck {
    fn skip_segment(&mut self) {
        // What it holds may reach from the segment in front to the one behind.
        self.current = None;
    }

    fn begin_segment(&mut self, segment: &SegmentFile, found: Found<'_>) {
        // What was not read to its end tells nothing.
        self.before = self.current.take();
        self.name(segment, found);
        self.joint(segment, found);
        self.current = Some(Span {
            base_offset: segment.base_offset,
            path: segment.path.clone(),
            next_offset: segment.base_offset,
            is_empty: true,
            is_damaged: false,
            is_at_its_end: false,
        });
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, found: Found<'_>) {
        let batch = checked.batch;
        let Some(current) = &self.current else {
            return;
        };
        if current.is_empty {
            self.first(checked, current, found);
        }
        let Some(current) = &mut self.current else {
            return;
        };
        let is_hole = !current.is_empty && batch.base_offset > current.next_offset;
        let span = batch.last_offset.0.saturating_sub(batch.base_offset.0);
        let is_thin = batch.magic >= MAGIC && i64::from(batch.count) <= span;
        self.is_thinned |= checked.is_valid && (is_hole || is_thin) && !current.is_damaged;
        current.is_empty = false;
        current.is_damaged = !checked.is_valid;
        if checked.is_valid {
            current.next_offset = batch.next_offset().max(current.next_offset);
        }
    }

    fn damage(&mut self, _: &Damage, _: Found<'_>) {
        if let Some(current) = &mut self.current {
            current.is_damaged = true;
        }
    }

    fn end_segment(&mut self, _: Found<'_>) {
        if let Some(current) = &mut self.current {
            current.is_at_its_end = true;
        }
    }

    fn end(&mut self, _: &Replay<1>, found: Found<'_>) {
        for gap in std::mem::take(&mut self.gaps) {
            let mut finding = self.gap(&gap);
            if std::mem::take(&mut self.more_gaps) > 0 {
                finding.message += "; the log has more such gaps than are told";
            }
            found(finding);
        }
    }
}
