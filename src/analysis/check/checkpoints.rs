//! The checkpoints of a log directory against the log of one partition: where it starts, up to
//! where it was flushed, up to where it was committed.

use std::path::PathBuf;
use std::sync::Arc;

use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::setting::Setting;
use crate::analysis::log_findings::Severity;
use crate::format::number::Offset;
use crate::state::read::SegmentFile;
use crate::state::replay::Replay;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;

/// Holds the lines of a partition in the checkpoint files against its log.
#[derive(Debug)]
pub(super) struct CheckpointCheck {
    setting: Arc<Setting>,
    log_start: Line,
    recovery_point: Line,
    high_watermark: Line,
    /// The base offset of the segment that is being read, and the offset behind its last batch.
    current: Option<(Offset, Offset)>,
    /// The same of the last one that was read to its end.
    ended: Option<(Offset, Offset)>,
}

/// A line of a checkpoint file.
#[derive(Debug)]
struct Line {
    path: PathBuf,
    offset: Option<Offset>,
}

impl CheckpointCheck {
    pub(super) fn new(
        directory: &PartitionDirectory,
        checkpoints: &Checkpoints,
        setting: Arc<Setting>,
    ) -> Self {
        let name = directory.name.as_ref();
        let line = |kind, of: fn(&Checkpoints, &_) -> Option<Offset>| Line {
            path: checkpoints.path(kind),
            offset: name.and_then(|name| of(checkpoints, name)),
        };
        Self {
            setting,
            log_start: line(
                FileKind::LogStartOffsetCheckpoint,
                Checkpoints::log_start_offset,
            ),
            recovery_point: line(
                FileKind::RecoveryPointCheckpoint,
                Checkpoints::recovery_point,
            ),
            high_watermark: line(
                FileKind::ReplicationOffsetCheckpoint,
                Checkpoints::high_watermark,
            ),
            current: None,
            ended: None,
        }
    }

    fn start(&self, end: Offset, found: Found<'_>) {
        let Some(start) = self.log_start.offset.filter(|start| end < *start) else {
            return;
        };
        let message = format!(
            "expected a log that reaches its start {start}, found its end at {end}; a broker that \
             starts deletes every segment of it and begins an empty log at {start}"
        );
        self.tell(&self.log_start, Severity::Error, message, end, found);
    }

    fn recovery(&self, end: Offset, found: Found<'_>) {
        let Some(point) = self.recovery_point.offset else {
            return;
        };
        if point > end {
            let message = format!(
                "expected a log that reaches {point}, up to where it was flushed, found its end \
                 at {end}; offsets {end} to {} are lost",
                point.plus(-1)
            );
            // What was flushed is there after any stop.
            self.tell(&self.recovery_point, Severity::Error, message, end, found);
        } else if point < end && self.setting.is_clean {
            let message = format!(
                "expected the log's end {end}, as a clean stop writes it, found {point}; the log \
                 was changed since, or this file is another stop's"
            );
            self.tell(&self.recovery_point, Severity::Note, message, end, found);
        }
    }

    fn committed(&self, end: Offset, found: Found<'_>) {
        let Some(mark) = self.high_watermark.offset.filter(|mark| *mark > end) else {
            return;
        };
        let message = format!(
            "expected a log that reaches the high watermark {mark}, found its end at {end}; \
             committed records are lost here, a broker that starts takes {end} for the high \
             watermark, and as leader it makes its followers cut theirs off too"
        );
        // A broker that was killed with its machine may not have had them on disk; it fetches them.
        let may_be_unflushed = !self.setting.is_clean && self.setting.bases.is_some();
        let severity = match may_be_unflushed {
            true => Severity::Warning,
            false => Severity::Error,
        };
        self.tell(&self.high_watermark, severity, message, end, found);
    }

    fn tell(
        &self,
        line: &Line,
        severity: Severity,
        message: String,
        end: Offset,
        found: Found<'_>,
    ) {
        let finding = Finding::new(
            FindingCode::CheckpointMismatch,
            severity,
            &line.path,
            message,
        );
        let stored = line.offset.unwrap_or(end);
        found(
            finding
                .with_offset(end)
                .resting_on(Evidence::values("offset", &stored, &end)),
        );
    }
}

impl Checker for CheckpointCheck {
    fn begin_segment(&mut self, segment: &SegmentFile, _: Found<'_>) {
        self.current = Some((segment.base_offset, segment.base_offset));
        self.ended = None;
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        // A start after a clean stop asks for no checksum.
        if let Some((_, end)) = &mut self.current {
            *end = checked.batch.next_offset();
        }
    }

    fn end_segment(&mut self, _: Found<'_>) {
        self.ended = self.current.take();
    }

    fn end(&mut self, _: &Replay<1>, found: Found<'_>) {
        let end = match (self.setting.bases, self.ended) {
            // A broker begins an empty log.
            (None, _) => Some(self.log_start.offset.unwrap_or(Offset(0))),
            (Some((_, last)), Some((base, end))) if base == last => Some(end),
            // Of a last segment that could not be read the end is not known.
            _ => None,
        };
        if let Some(end) = end {
            self.start(end, found);
            self.recovery(end, found);
            self.committed(end, found);
        }
    }
}
