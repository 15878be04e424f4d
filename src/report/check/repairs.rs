//! Which repairs of a partition `kfsck repair` refuses, and what comes first: no line is shown that
//! is not carried out.

use super::Place;
use super::advice::Advice;
use super::repair_line::{Way, line, way};
use crate::analysis::check::code::FindingCode;
use crate::analysis::check::finding::Finding;
use crate::analysis::log_findings::Severity;
use crate::format::number::Offset;
use crate::repair::internal_topic;
use crate::report::one_line::path_on_one_line;
use crate::state::read::segments;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::Suffix;
use crate::storage::partition_name::{CLUSTER_METADATA, DirectoryState};
use crate::storage::work_directory::unsettled;

/// What of a partition decides on which repairs are carried out. The default stands for one of
/// which nothing is known that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Set when the directory is not the partition's own.
    state: Option<DirectoryState>,
    /// The topic, if brokers write it for themselves.
    internal: Option<&'static str>,
    /// A file waits to take the place of others.
    is_swapping: bool,
    /// Two segments begin at one offset.
    has_twins: bool,
    /// The log starts in front of its first segment: the rest is in remote storage.
    is_tiered: bool,
    /// A repair in place was broken off.
    is_broken_off: bool,
    /// An entry could not be looked at, so it is not known what lies there.
    is_half_listed: bool,
    /// What mends the log, where batches are damaged that every verb reads.
    damage: Option<Way>,
    /// Records are damaged that only those read who build indexes.
    has_bad_records: bool,
    /// A batch of a producer ends a broker that reads it.
    ends_load: bool,
    /// The highest offset from which on batches are missing, also behind the log's end.
    missing_from: Option<Offset>,
}

/// What becomes of a way to repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// It is gone.
    Taken,
    /// Another comes first.
    First(Way),
    /// No command does it.
    Refused(Why),
}

/// Why no command does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    ClusterMetadata,
    NotItsOwn(DirectoryState),
    Internal(&'static str),
    HalfListed,
    Swapping,
    Twins,
    Tiered,
    MayBeEnded,
}

impl Repairs {
    /// What the names of files tell, and the partition's line in `log-start-offset-checkpoint`.
    #[must_use]
    pub fn of(directory: &PartitionDirectory, log_start: Option<Offset>) -> Self {
        let files = segments(directory);
        let mut pairs = files.iter().zip(files.iter().skip(1));
        let first = files.first().map(|file| file.base_offset);
        let mut listed = directory.listing.files.iter();
        Self {
            state: directory.name.as_ref().and_then(|name| name.state),
            internal: internal_topic(directory.name.as_ref()),
            is_swapping: listed.any(|file| file.name.suffix == Some(Suffix::Swap)),
            has_twins: pairs.any(|(one, next)| one.base_offset == next.base_offset),
            is_tiered: matches!((log_start, first), (Some(start), Some(first)) if start < first),
            is_broken_off: unsettled(&directory.path).is_some(),
            is_half_listed: !directory.listing.unreadable.is_empty(),
            ..Self::default()
        }
    }

    /// Takes note of what a finding of the partition says of its log, asked for or not.
    pub fn hear(&mut self, finding: &Finding) {
        use FindingCode as Code;
        if finding.severity == Severity::Note {
            return;
        }
        match finding.code {
            // What is only odd ends no broker.
            Code::NonTransactionalInTransaction => {
                self.ends_load |= finding.severity == Severity::Error;
            }
            Code::MarkerMalformed | Code::BarrierMalformed
                if finding.severity != Severity::Error => {}
            Code::RecordMalformed | Code::RecordCountMismatch | Code::PayloadUndecodable => {
                self.has_bad_records = true;
            }
            Code::SegmentGap => self.missing_from = self.missing_from.max(finding.offset),
            // Above the log's end.
            Code::SnapshotStray => self.missing_from = Some(Offset(i64::MAX)),
            Code::ZeroTail
            | Code::TruncatedTail
            | Code::CrcMismatch
            | Code::Garbage
            | Code::BadBatchHeader
            | Code::UnknownCodec
            | Code::OffsetRegression
            | Code::OffsetOverflow
            | Code::SegmentOverlap
            | Code::NameMismatch
            | Code::MarkerMalformed
            | Code::BarrierMalformed
            | Code::StartBlocked => {
                let way = way(finding);
                // What keeps everything mends what a cut would mend too.
                if self.damage != Some(Way::Salvage) && way != Way::None {
                    self.damage = Some(way);
                }
            }
            _ => {}
        }
    }

    fn answer(self, way: Way) -> Answer {
        let is_of_log = matches!(way, Way::Salvage | Way::Truncate);
        let is_of_files = matches!(way, Way::Index | Way::Snapshot | Way::SnapshotOfBarrier);
        let changes_ids = matches!(way, Way::Split | Way::Unmap | Way::Remap);
        if way == Way::None || way == Way::Settle {
            return Answer::Taken;
        }
        if let Some(state) = self.state {
            return Answer::Refused(Why::NotItsOwn(state));
        }
        match self.internal {
            Some(CLUSTER_METADATA) if !is_of_files => {
                return Answer::Refused(Why::ClusterMetadata);
            }
            Some("__consumer_offsets") if way == Way::Abort => {}
            Some(topic) if !is_of_files && !is_of_log => {
                return Answer::Refused(Why::Internal(topic));
            }
            _ => {}
        }
        if self.is_broken_off {
            return Answer::First(Way::Settle);
        }
        if self.is_half_listed {
            return Answer::Refused(Why::HalfListed);
        }
        if self.is_swapping && way != Way::Index {
            return Answer::Refused(Why::Swapping);
        }
        if self.has_twins && is_of_log {
            return Answer::Refused(Why::Twins);
        }
        if self.is_tiered && changes_ids {
            return Answer::Refused(Why::Tiered);
        }
        if self.is_tiered && way == Way::Truncate {
            return Answer::First(Way::Salvage);
        }
        let damage = self.damage.or_else(|| {
            // To part two writers may mend what ends a broker; whoever plays a load ends with it.
            let is_in_the_way = match way {
                Way::Index => self.has_bad_records,
                _ => self.ends_load && !changes_ids,
            };
            is_in_the_way.then_some(Way::Salvage)
        });
        match damage {
            Some(mends) if !is_of_log => match self.answer(mends) {
                Answer::Taken => Answer::First(mends),
                other => other,
            },
            _ => Answer::Taken,
        }
    }
}

/// The advice of a finding with the line that is carried out, or with why there is none.
pub(super) fn advice(finding: &Finding, place: &Place<'_>, text: String) -> Advice {
    let way = way(finding);
    let repair = |way| line(way, finding, place);
    if repair(way).is_none() {
        return Advice { text, repair: None };
    }
    let repairs = place.repairs;
    // A transaction in front of what is missing may be ended there; a coordinator that has aborted
    // it leaves no doubt how.
    let is_in_doubt = finding.code != FindingCode::CoordinatorMismatch;
    let may_be_ended = way == Way::Abort && is_in_doubt && finding.offset < repairs.missing_from;
    let answer = match repairs.answer(way) {
        Answer::Taken if may_be_ended => Answer::Refused(Why::MayBeEnded),
        answer => answer,
    };
    match answer {
        Answer::Taken => Advice {
            repair: repair(way),
            text,
        },
        Answer::First(Way::Settle) => Advice {
            text:
                "First finish or undo the repair in place that was broken off, then check again: \
                   what is told of the files now is of a log half changed."
                    .to_owned(),
            repair: repair(Way::Settle),
        },
        Answer::First(first) if matches!(way, Way::Salvage | Way::Truncate) => Advice {
            text: format!("{text} Part of the log is in remote storage, so nothing is cut off."),
            repair: repair(first),
        },
        Answer::First(first) => Advice {
            text: format!(
                "{text} The log itself is damaged: first repair that, which writes indexes and \
                 snapshots anew too, then check the result again."
            ),
            repair: repair(first),
        },
        Answer::Refused(why) => Advice {
            text: instead(why, place, &text),
            repair: None,
        },
    }
}

/// What to do where no command helps.
fn instead(why: Why, place: &Place<'_>, text: &str) -> String {
    let directory = path_on_one_line(place.path);
    let healthy = format!(
        "If another replica is healthy, stop this broker, move {directory} out of the log \
         directory and start it; it fetches the partition from the leader."
    );
    match why {
        Why::ClusterMetadata => format!(
            "Do not repair the log of the cluster's metadata: a controller without some records \
             acts on another cluster than its peers. While a quorum of the others is healthy, stop \
             this node, move {directory} out of its log directory and start it: it fetches the log \
             again. If none is, keep copies of all before anything else."
        ),
        Why::NotItsOwn(DirectoryState::Deleted) => format!(
            "Nothing is repaired in a directory that is about to be deleted: the broker loads and \
             removes it. If it keeps the broker from starting, move {directory} away. To get \
             records out of it, copy it elsewhere under the partition's own name, and repair that."
        ),
        Why::NotItsOwn(DirectoryState::Stray) => format!(
            "Nothing is repaired in a stray directory: the cluster has no such partition on this \
             broker, and none serves it. If it is not needed, move {directory} away. To get \
             records out of it, copy it elsewhere under the partition's own name, and repair that."
        ),
        Why::NotItsOwn(DirectoryState::Future) => format!(
            "Nothing is repaired in a copy on its way between log directories: move {directory} \
             away with the broker stopped, and the broker makes it again from the original."
        ),
        Why::Internal(topic) => format!(
            "{text} No command changes the producers of {topic}, which brokers write for \
             themselves: take it from a healthy replica."
        ),
        Why::HalfListed => format!(
            "{text} Nothing is repaired while an entry of {directory} cannot be looked at; stderr \
             names it. Mend or remove that entry, then check again."
        ),
        Why::Swapping => format!(
            "{healthy} Of a last copy nothing is repaired while a compaction stands to be \
             finished: a broker that starts puts .swap files in the place of others. In a copy \
             move these files away, then check again."
        ),
        Why::Twins => format!(
            "{healthy} Of a last copy nothing is repaired while two segments begin at the same \
             offset: in a copy move one of them away, then check again."
        ),
        Why::MayBeEnded => format!(
            "Batches behind this transaction are missing here, and the marker that ends it may be \
             one of them: look for it on the other replicas before anything is aborted. {healthy}"
        ),
        Why::Tiered => format!(
            "{text} Part of the log is in remote storage, where producers keep their ids: \
             `kfsck repair pids` changes the local part with --force alone."
        ),
    }
}
