//! The command line that repairs what was found.

use super::Place;
use super::shown::{is_broken_off, is_followed, is_of_a_partition, was_aborted, was_committed};
use crate::analysis::check::code::FindingCode;
use crate::analysis::check::finding::Finding;
use crate::analysis::log_findings::Severity;
use crate::report::shell_word::shell_path;
use std::path::Path;

/// The way to repair that fits a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Bad batches leave the log, and what is good behind them stays; leader-epoch-checkpoint says
    /// what the batches say.
    Salvage,
    /// The log ends in front of it.
    Truncate,
    /// Indexes are written anew.
    Index,
    /// Snapshots are written anew.
    Snapshot,
    /// Snapshots are written anew by the rules of the barrier design.
    SnapshotOfBarrier,
    /// Two writers under one id are parted.
    Split,
    /// Mapped ids get back what they were.
    Unmap,
    /// An id is replaced.
    Remap,
    /// An open transaction is aborted.
    Abort,
    /// A barrier is appended.
    Barrier,
    /// A repair in place that was broken off is finished or undone.
    Settle,
    /// No command repairs it.
    None,
}

/// What stands for a directory that nobody has named: without coordinators nothing tells whether
/// they still hold the transaction.
const UNKNOWN_LOG: &str = "TRANSACTION_LOG";

/// The range that no controller reaches begins here: new ids come from there, one for each.
const FIRST_RESERVED: i64 = 1 << 62;

/// The way that fits a finding, whatever stands in its way.
pub(super) fn way(finding: &Finding) -> Way {
    use FindingCode as Code;
    if finding.severity == Severity::Note {
        return Way::None;
    }
    match finding.code {
        // To cut in front of other segments loses them.
        Code::ZeroTail | Code::TruncatedTail if is_followed(finding) => Way::Salvage,
        Code::ZeroTail | Code::TruncatedTail => Way::Truncate,
        Code::CrcMismatch
        | Code::Garbage
        | Code::BadBatchHeader
        | Code::UnknownCodec
        | Code::PayloadUndecodable
        | Code::PayloadTooLarge
        | Code::RecordMalformed
        | Code::RecordCountMismatch
        | Code::OffsetRegression
        | Code::OffsetOverflow
        | Code::SegmentOverlap
        | Code::MarkerMalformed
        | Code::BarrierMalformed
        | Code::LeaderEpochCheckpointMismatch => Way::Salvage,
        // A name of other digits; one without its 20 digits needs `mv` alone.
        Code::NameMismatch if finding.rests_on("base offset") => Way::Salvage,
        Code::IndexCorrupt
        | Code::IndexMismatch
        | Code::IndexMissing
        | Code::TimeIndexMismatch
        | Code::TxnIndexMismatch
        | Code::TxnIndexMissing => Way::Index,
        Code::LeaderEpochRegression if finding.severity == Severity::Error => Way::Salvage,
        Code::CheckpointCorrupt if is_of_a_partition(finding) => Way::Salvage,
        Code::SnapshotCorrupt | Code::SnapshotMissing | Code::SnapshotMismatch => Way::Snapshot,
        Code::SnapshotStray => Way::Snapshot,
        Code::SnapshotBeforeBarrier => Way::SnapshotOfBarrier,
        Code::SequenceRepeat
        | Code::SequenceOverlap
        | Code::EpochRegression
        | Code::NonTransactionalInTransaction
        | Code::PidCollision => Way::Split,
        Code::NegativeProducerId => Way::Unmap,
        // A note says that the id may well be the cluster's own.
        Code::ProducerIdNotIssued if finding.severity != Severity::Note => Way::Remap,
        // To abort what is committed elsewhere is no repair.
        Code::HangingTransaction if was_committed(finding) => Way::None,
        Code::HangingTransaction | Code::BarrierOpenTransaction => Way::Abort,
        // To abort what may have been committed is no repair.
        Code::CoordinatorMismatch if was_aborted(finding) => Way::Abort,
        Code::BarrierMissing => Way::Barrier,
        Code::LeftoverFile if is_broken_off(finding) => Way::Settle,
        Code::StartBlocked if finding.position.is_some() && finding.offset.is_some() => {
            Way::Truncate
        }
        _ => Way::None,
    }
}

/// The command line of a way; `None` where nothing is to be repaired, or by no command.
pub(super) fn line(way: Way, finding: &Finding, place: &Place<'_>) -> Option<String> {
    let producer = finding.producer_id;
    let verb = match way {
        Way::None => return None,
        Way::Salvage => "log --salvage".to_owned(),
        Way::Truncate => "log --truncate".to_owned(),
        Way::Index => "index".to_owned(),
        Way::Snapshot => "snapshot --rebuild".to_owned(),
        Way::SnapshotOfBarrier => "snapshot --rebuild --rules barrier".to_owned(),
        Way::Split => format!("pids --split {}", producer?),
        Way::Unmap => match producer?.origin() {
            "negated" => "pids --unmap negate".to_owned(),
            _ => "pids --unmap bit-field".to_owned(),
        },
        Way::Remap => {
            let old = producer?;
            format!("pids --remap {old}={}", old.0.checked_add(FIRST_RESERVED)?)
        }
        Way::Abort => format!(
            "abort --producer-id {} {} --all-replicas-stopped",
            producer?,
            transaction_logs(place)
        ),
        Way::Barrier => "barrier --layout b --all-replicas-stopped".to_owned(),
        // Each verb settles first; what this one then does is harmless.
        Way::Settle => "index".to_owned(),
    };
    if !place.is_partition {
        return None;
    }
    let place = operand(place.path);
    Some(match way {
        Way::Settle => format!("kfsck repair {verb} --in-place {place}"),
        _ => format!("kfsck repair {verb} {place} --output DIR"),
    })
}

/// The options that name the log directories of the coordinators, as a shell takes them.
pub(super) fn transaction_logs(place: &Place<'_>) -> String {
    let logs = place.transaction_logs.iter().map(|log| operand(log));
    let mut logs: Vec<_> = logs.collect();
    if logs.is_empty() {
        logs.push(UNKNOWN_LOG.to_owned());
    }
    let options = logs.iter().map(|log| format!("--transaction-log {log}"));
    options.collect::<Vec<_>>().join(" ")
}

/// A path as a shell takes it.
pub(super) fn operand(path: &Path) -> String {
    // What begins like an option is a path all the same.
    match path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => shell_path(&Path::new(".").join(path)),
        false => shell_path(path),
    }
}
