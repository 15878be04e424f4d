//! A stretch of a segment that holds no batch, as a finding.

use super::finding::{Evidence, Finding};
use crate::analysis::log_findings::Severity;
use crate::format::batch::HEADER_SIZE;
use crate::format::frame::{Frame, OVERHEAD, PROBE};
use crate::format::number::ProducerId;
use crate::state::batch::Batch;
use crate::state::read::SegmentFile;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::{ReadError, Source};
use std::path::Path;

/// Where a stretch lies.
pub(super) struct Around<'a> {
    /// The segment.
    pub(super) segment: &'a SegmentFile,
    /// Its bytes.
    pub(super) source: &'a Source,
    /// The segment behind it.
    pub(super) next: Option<&'a SegmentFile>,
    /// A broker that was not stopped in order was writing this segment.
    pub(super) is_open: bool,
    /// The batch in front, where there is one in this segment.
    pub(super) before: Option<Evidence>,
}

/// The finding, with what lies there instead of a batch. At the end of a segment that another one
/// follows nothing was being written: the finding names that one.
pub(super) fn finding(damage: &Damage, around: Around<'_>) -> Result<Finding, ReadError> {
    let Around {
        segment,
        source,
        next,
        is_open,
        before,
    } = around;
    let mut finding = Finding::of_damage(&segment.path, damage);
    if damage.code == Code::ZeroTail && is_open {
        // Space that was made ahead of its use: the start cuts it off and loses nothing.
        finding.severity = Severity::Warning;
    }
    let left = source.len().saturating_sub(damage.position);
    if damage.code == Code::ZeroTail {
        finding = finding.resting_on(Evidence::values("zeros", &left, &0));
    } else if let Some(bytes) = source.window().probe::<PROBE>(damage.position)? {
        let frame = Frame::decode(&bytes);
        finding = finding
            .resting_on(Evidence::values(
                "bytes of the batch",
                &(i64::from(frame.length) + i64::try_from(OVERHEAD).unwrap_or(0)),
                &format!("{left} to the end of the file"),
            ))
            .resting_on(Evidence::values("magic", &frame.magic, &"0, 1 or 2"))
            .resting_on(Evidence {
                what: "baseOffset",
                position: Some(damage.position),
                stored: Some(frame.offset.to_string()),
                ..Evidence::default()
            });
    } else {
        finding = finding.resting_on(Evidence::values(
            "bytes of the batch",
            &left,
            &format!("{HEADER_SIZE} or more"),
        ));
    }
    finding.evidence.extend(before);
    let is_at_end = matches!(damage.code, Code::ZeroTail | Code::TruncatedTail);
    if let Some(next) = next.filter(|_| is_at_end) {
        finding = finding.resting_on(Evidence {
            what: NEXT_SEGMENT,
            path: Some(next.path.clone()),
            offset: Some(next.base_offset),
            ..Evidence::default()
        });
    }
    Ok(finding)
}

/// The fault of a control record of a producer without state.
pub(super) fn of_control(fault: &Damage, batch: &Batch, path: &Path) -> Finding {
    let (first, place) = (batch.base_offset, batch.place);
    let mut finding = Finding::of_damage(path, fault)
        .spanning(place.size.into())
        .with_offset(first)
        .resting_on(Evidence::place("batch", first, place.position));
    finding.producer_id = Some(batch.producer_id).filter(|id| *id != ProducerId::NONE);
    finding
}

/// What the evidence is called that names the segment behind.
pub const NEXT_SEGMENT: &str = "next segment";
