//! What a finding itself shows that decides on what is to be done.

use crate::analysis::check::coordinator_mismatch::WAS_ABORTED;
use crate::analysis::check::finding::Finding;
use crate::analysis::check::hanging::WAS_COMMITTED;
use crate::analysis::check::leftovers::{BROKEN_OFF, UNFINISHED_RESULT};
use crate::analysis::check::walk_damage::NEXT_SEGMENT;
use crate::analysis::snapshot_health::DOUBLED_ENTRY;

/// Whether another segment lies behind the one that the finding is about.
pub(super) fn is_followed(finding: &Finding) -> bool {
    finding.rests_on(NEXT_SEGMENT)
}

/// Whether a transaction is open here that its coordinator has aborted.
pub(super) fn was_aborted(finding: &Finding) -> bool {
    finding.rests_on(WAS_ABORTED)
}

/// Whether a transaction is open here that its coordinator commits or has committed.
pub(super) fn was_committed(finding: &Finding) -> bool {
    finding.rests_on(WAS_COMMITTED)
}

/// Whether a checkpoint lies in a partition's directory.
pub(super) fn is_of_a_partition(finding: &Finding) -> bool {
    let name = finding.path.file_name();
    name.is_some_and(|name| name == "leader-epoch-checkpoint")
}

/// A checkpoint's line that puts the log's start somewhere; the others only say how far it went.
pub(super) fn is_of_log_start(finding: &Finding) -> bool {
    let name = finding.path.file_name();
    name.is_some_and(|name| name == "log-start-offset-checkpoint")
}

/// An index that is all that is left of a segment.
pub(super) fn names_a_missing_segment(finding: &Finding) -> bool {
    finding.rests_on("segment that is missing")
}

/// A snapshot with two entries of a producer, which a broker loads.
pub(super) fn has_doubled_entry(finding: &Finding) -> bool {
    finding.rests_on(DOUBLED_ENTRY)
}

/// A repair in place that is neither finished nor undone.
pub(super) fn is_broken_off(finding: &Finding) -> bool {
    finding.rests_on(BROKEN_OFF)
}

/// A directory that a run of our own has never finished.
pub(super) fn is_unfinished_result(finding: &Finding) -> bool {
    finding.rests_on(UNFINISHED_RESULT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::check::finding::Evidence;
    use crate::analysis::log_findings::Severity;
    use crate::format::number::Offset;
    use crate::report::check::Place;
    use crate::report::check::Repairs;
    use crate::report::check::advice::of;
    use std::path::Path;

    fn place(path: &str) -> Place<'_> {
        Place {
            name: "orders-0",
            path: Path::new(path),
            is_partition: true,
            transaction_logs: &[],
            repairs: Repairs::default(),
        }
    }

    fn found(code: FindingCode) -> Finding {
        Finding::new(code, Severity::Error, "d/orders-0/0.log", "m").with_offset(Offset(12))
    }

    #[test]
    fn a_tail_in_front_of_other_segments_is_salvaged_and_no_broker_started() {
        for code in [FindingCode::TruncatedTail, FindingCode::ZeroTail] {
            let last = found(code);
            let advice = of(&last, &place("t-0"));
            assert!(advice.repair.unwrap().contains("--truncate"), "{code}");
            let inner = last.resting_on(Evidence {
                what: NEXT_SEGMENT,
                offset: Some(Offset(20)),
                ..Evidence::default()
            });
            let advice = of(&inner, &place("t-0"));
            assert!(advice.repair.unwrap().contains("--salvage"), "{code}");
            assert!(advice.text.starts_with("Do not start"), "{}", advice.text);
        }
    }

    #[test]
    fn a_checkpoint_is_lowered_to_no_log_that_lost_records() {
        let at = |path: &str| {
            let code = FindingCode::CheckpointMismatch;
            of(
                &Finding::new(code, Severity::Error, path, "m"),
                &place("d/t-0"),
            )
            .text
        };
        assert!(at("d/log-start-offset-checkpoint").contains("correct this partition's line"));
        for name in ["replication", "recovery-point"] {
            let text = at(&format!("d/{name}-offset-checkpoint"));
            assert!(text.starts_with("Do not start"), "{text}");
            assert!(text.ends_with("Leave the checkpoint as it is."), "{text}");
        }
    }

    #[test]
    fn a_snapshot_with_two_entries_of_a_producer_is_not_left_to_the_broker() {
        let corrupt = found(FindingCode::SnapshotCorrupt);
        assert!(of(&corrupt, &place("t-0")).text.starts_with("Leave it"));
        let doubled = corrupt.resting_on(Evidence {
            what: DOUBLED_ENTRY,
            ..Evidence::default()
        });
        let text = of(&doubled, &place("t-0")).text;
        assert!(text.starts_with("Write the snapshots anew"), "{text}");
    }
}
