//! What somebody on call does about a finding, now and in which order, and the command that
//! repairs it.
//!
//! An answer depends on the finding's values alone. What a code means in general is told by
//! [`explain`](crate::report::explain).

use super::producer_advice::of_producer;
use super::shown::{
    has_doubled_entry, is_broken_off, is_followed, is_of_a_partition, is_of_log_start,
    is_unfinished_result, names_a_missing_segment,
};
use super::{Place, hanging_advice, repairs};
use crate::analysis::check::code::FindingCode;
use crate::analysis::check::finding::Finding;
use crate::analysis::log_findings::Severity;
use crate::report::one_line::path_on_one_line;
use crate::report::shell_word::shell_word;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// In sentences.
    pub text: String,
    /// The command line that repairs it; `None` where none does.
    pub repair: Option<String>,
}

/// What to do about a finding of a place.
#[must_use]
pub fn of(finding: &Finding, place: &Place<'_>) -> Advice {
    repairs::advice(finding, place, text(finding, place))
}

fn text(finding: &Finding, place: &Place<'_>) -> String {
    if finding.severity == Severity::Note {
        return note(finding).to_owned();
    }
    match of_log(finding, place) {
        Some(text) => text,
        None => beside_the_log(finding),
    }
}

/// Of what is legal, or a guess.
fn note(finding: &Finding) -> &'static str {
    use FindingCode as Code;
    match finding.code {
        Code::LeftoverFile if is_unfinished_result(finding) => {
            "Nothing, or run the command that was writing it again: it begins anew. Or remove it."
        }
        Code::PidCollision | Code::BarrierMissing => {
            "Nothing yet: this is a guess. The evidence says what would decide it; compare with \
             the source of the mirror and with the ids that the controllers gave out."
        }
        Code::LeftoverFile => {
            "Nothing: the broker deals with it at its next start. Remove and rename nothing by \
             hand."
        }
        Code::SnapshotStray | Code::SnapshotMismatch | Code::SnapshotMissing => {
            "Nothing: the broker deals with it at its next start. Delete no snapshot by hand."
        }
        Code::StrayFile => "Nothing: a broker passes over it.",
        Code::InternalRecordUndecodable => "Nothing, if a later release wrote it.",
        Code::ProducerIdNotIssued => "Nothing yet: check again with metadata that are as new.",
        Code::StartBlocked | Code::DuplicatePartition => {
            "Nothing, unless one broker has these directories in its log.dirs: then take one out \
             before it starts."
        }
        _ => "Nothing: legal, or set right by the next start.",
    }
}

/// First a healthy replica, then a repair.
fn fetch_or(finding: &Finding, place: &Place<'_>, repair: &str) -> String {
    // Not where a batch says that it is, but where it belongs.
    let mut evidence = finding.evidence.iter();
    let belongs = evidence.find(|one| one.what == "baseOffset");
    let belongs = belongs.and_then(|one| one.computed.clone());
    let offset = belongs.or_else(|| Some(finding.offset?.to_string()));
    let offset = offset.map_or_else(String::new, |offset| format!(" at offset {offset}"));
    format!("Look at another replica{offset}. {}", fetch(place, repair))
}

fn fetch(place: &Place<'_>, repair: &str) -> String {
    format!(
        "If one is healthy, do not repair: stop this broker, move {} out of the log directory and \
         start it; it fetches the partition from the leader. If this is the last copy, copy the \
         directory first, then repair it: {repair}",
        directory(place)
    )
}

fn directory(place: &Place<'_>) -> String {
    match place.is_partition {
        true => path_on_one_line(place.path),
        false => "the partition's directory".to_owned(),
    }
}

const LEAVES_A_HOLE: &str = "--salvage keeps every good batch before and behind it and leaves a \
                             hole; --truncate cuts here, which suits a follower that can fetch \
                             the rest.";

/// Of a batch that belongs to one offset alone.
const PUT_BACK: &str = "--salvage writes the offset into the batch that it should have, and loses \
                        nothing; --truncate cuts here, which suits a follower that can fetch the \
                        rest.";

/// About batches; `None` for files beside them.
fn of_log(finding: &Finding, place: &Place<'_>) -> Option<String> {
    use FindingCode as Code;
    let salvage = match finding.rests_on("baseOffset") {
        true => PUT_BACK,
        false => LEAVES_A_HOLE,
    };
    let text = match finding.code {
        Code::ZeroTail | Code::TruncatedTail if is_followed(finding) => format!(
            "Do not start a broker on it: no write ends in front of another segment, and a \
             recovery that cuts here deletes all segments behind. {}",
            fetch_or(finding, place, salvage)
        ),
        Code::ZeroTail => {
            "If the broker was killed, start it: recovery cuts the zeros off, and nothing is lost \
             by it. If it stopped cleanly or nextStart says otherwise, move the directory away \
             and let the broker fetch it from a healthy replica; of a last copy, cut the zeros \
             off."
                .to_owned()
        }
        Code::TruncatedTail => {
            "If the broker was killed, start it: recovery cuts here. If this is a copy, compare \
             its size with the original, and copy again. Otherwise take it from a healthy \
             replica; of a last copy, cut it here."
                .to_owned()
        }
        Code::CrcMismatch
        | Code::Garbage
        | Code::BadBatchHeader
        | Code::OffsetRegression
        | Code::OffsetOverflow
        | Code::SegmentOverlap => fetch_or(finding, place, salvage),
        Code::UnknownCodec
        | Code::PayloadUndecodable
        | Code::PayloadTooLarge
        | Code::RecordMalformed
        | Code::RecordCountMismatch => format!(
            "Compare the batch with other replicas. If it is the same there, a producer sent it \
             so: let consumers seek behind it, and mend the producer. {}",
            fetch(place, salvage)
        ),
        Code::MarkerMalformed | Code::BarrierMalformed => format!(
            "Do not start a broker on it before you know what nextStart says. {}",
            fetch_or(finding, place, salvage)
        ),
        Code::NonTransactionalInTransaction | Code::StartBlocked => blocked(finding, place),
        Code::MaxTimestampMismatch => {
            "Nothing to repair. If a segment is kept too long or a search by time goes wrong, \
             this is why; find the producer by its id and mend it."
                .to_owned()
        }
        Code::FutureTimestamp => {
            "Find the producer and mend its clock or its unit of time. If the disk fills, set \
             retention.bytes for the topic, or delete up to an offset with \
             kafka-delete-records.sh: retention by time stops at this segment."
                .to_owned()
        }
        Code::SegmentGap => format!(
            "Look for the missing segment on the other replicas. If one has it, stop this broker, \
             move {} out of the log directory and start it, before this replica leads: a hole is \
             never fetched again by itself.",
            directory(place)
        ),
        Code::LeaderEpochRegression => fetch_or(finding, place, of_epoch(finding)),
        Code::NameMismatch => misnamed(finding, place),
        Code::HangingTransaction => hanging_advice::of(finding, place),
        code => return of_producer(code),
    };
    Some(text)
}

/// What a repair does about a leader epoch.
fn of_epoch(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => {
            "--salvage gives the batch a leader epoch that fits between its neighbours."
        }
        _ => "where epochs fall for more than one batch, no command changes them.",
    }
}

fn blocked(finding: &Finding, place: &Place<'_>) -> String {
    if !place.is_partition && finding.offset.is_none() {
        return "The whole broker does not start with this. Move it out of the log directory, or \
                put it right, before the broker starts; the message says what is expected."
            .to_owned();
    }
    format!(
        "The whole broker ends at this, for all partitions. Move {} out of its log directory, \
         then start it: it fetches the partition from another replica. If this is the last copy, \
         keep a copy of the directory and repair it before you put it back.",
        directory(place)
    )
}

fn misnamed(finding: &Finding, place: &Place<'_>) -> String {
    let mut evidence = finding.evidence.iter();
    let name = evidence.find(|one| one.what == "name");
    match name.and_then(|one| Some((one.stored.as_ref()?, one.computed.as_ref()?))) {
        Some((stored, expected)) => format!(
            "With the broker stopped, give the file back its name: `mv {} {}` in {}, and the files \
             beside it likewise.",
            shell_word(stored),
            shell_word(expected),
            directory(place)
        ),
        None => format!(
            "Look at another replica. If one is healthy, stop this broker, move {} out of the log \
             directory and start it. Of a last copy, copy it first; the repair gives the file its \
             name back where its offsets and the other files leave one alone, and says so.",
            directory(place)
        ),
    }
}

/// About snapshots, indexes, checkpoints and directories.
fn beside_the_log(finding: &Finding) -> String {
    use FindingCode as Code;
    match finding.code {
        Code::SnapshotCorrupt if has_doubled_entry(finding) => "Write the snapshots anew from the \
             log before the broker starts: it loads this one and goes on with the last entry of \
             the producer."
            .to_owned(),
        Code::SnapshotCorrupt => "Leave it where it is: the broker deletes it at its next start \
             and reads the log instead, which costs time and nothing else. Do not delete it by \
             hand: without any snapshot a clean start forgets all producers. To save the time, \
             write it anew."
            .to_owned(),
        Code::SnapshotMissing => "Do not start the broker yet. Write the snapshots anew from the \
             log and put them in place, or remove .kafka_cleanshutdown, so that the broker reads \
             all logs of this directory from their recovery points."
            .to_owned(),
        Code::SnapshotMismatch | Code::SnapshotBeforeBarrier => "Look at both sides with `kfsck \
             inspect-snapshot`. If the log is right, write the snapshots anew before the broker \
             starts: it believes them."
            .to_owned(),
        Code::SnapshotStray => "Ask what cut the log below it. The broker deletes it by itself; \
             do not delete it by hand."
            .to_owned(),
        Code::IndexCorrupt | Code::IndexMismatch | Code::TimeIndexMismatch => "Write the indexes \
             anew before the broker starts: it believes them. If it must start now, move the \
             .index of this segment away, and the broker reads the segment again."
            .to_owned(),
        Code::IndexMissing => "Write the indexes anew, or start the broker if time does not \
             matter: without an .index it reads the segment again. An empty .timeindex stays \
             empty, so of a missing time index move the .index away too."
            .to_owned(),
        Code::TxnIndexMismatch | Code::TxnIndexMissing => "Do not let consumers of committed data \
             read yet: they get aborted records. Write the indexes anew before the broker starts, \
             or move the .index of this segment away, and the broker reads the segment again."
            .to_owned(),
        Code::LeaderEpochCheckpointMismatch => "Write leader-epoch-checkpoint anew from the log \
             before this replica leads or follows again: by it replicas find out where their logs \
             part, and cut there."
            .to_owned(),
        _ => of_directories(finding),
    }
}

/// About checkpoints and directories.
fn of_directories(finding: &Finding) -> String {
    use FindingCode as Code;
    match finding.code {
        Code::CheckpointCorrupt if is_of_a_partition(finding) => {
            "Do not start the broker on it: the log does not load. Write it anew from the log."
                .to_owned()
        }
        Code::CheckpointCorrupt => "Take it from a backup or mend it by hand with the broker \
             stopped: it is text, a version, a count, then a line for each partition. Without it \
             deleted records may come back, and after an unclean stop every segment is read."
            .to_owned(),
        Code::CheckpointMismatch if !is_of_log_start(finding) => "Do not start the broker: the \
             log is shorter than it was, and if this replica leads, its followers cut theirs to \
             its length. Find the files that are gone (a backup, another disk, lost+found). If \
             another replica is healthy, let it lead, move this directory away and let the broker \
             fetch the partition. Leave the checkpoint as it is."
            .to_owned(),
        Code::CheckpointMismatch => "Do not start the broker while nextStart says that it deletes \
             segments. With the broker stopped, correct this partition's line, which is text, or \
             move the partition's directory away and let the broker fetch it."
            .to_owned(),
        Code::PartitionMetadataMismatch => "Ask the cluster for the topic's id (kafka-topics.sh \
             --describe). If the directory is one of a topic that was deleted, move it out of the \
             log directory; if it is this topic's, move it away too and let the broker fetch it. \
             Of a last copy write the file by hand, two lines: `version: 0` and `topic_id: ID`."
            .to_owned(),
        Code::DuplicatePartition => "Do not start the broker on both. `kfsck compare` shows which \
             one is longer and where they part; move the other out of its log directory."
            .to_owned(),
        Code::LeftoverFile if names_a_missing_segment(finding) => {
            "Look for the segment before the \
             broker starts: it removes what is left of it. If others are healthy, let the broker \
             fetch the partition from them, before this replica leads. After a deletion that was \
             broken off nothing is to be done."
                .to_owned()
        }
        Code::LeftoverFile if is_broken_off(finding) => "Start no broker on it. The command \
             finishes what had begun to change files and undoes what had not; then it looks at the \
             indexes as `kfsck repair index` does. Check again afterwards."
            .to_owned(),
        Code::LeftoverFile => "Let the broker finish it at its next start. Copy the directory \
             first if this is the last copy; rename and remove nothing by hand."
            .to_owned(),
        Code::StrayFile => "Move it out of the log directory before the broker starts.".to_owned(),
        _ => "See `kfsck explain` for this code.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::check::finding::Finding;
    use crate::analysis::log_findings::Severity;
    use crate::format::number::{Offset, ProducerId};
    use crate::report::check::Place;
    use crate::report::check::Repairs;
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

    fn finding(code: FindingCode, severity: Severity) -> Finding {
        Finding::new(code, severity, "d/orders-0/0.log", "m")
            .with_offset(Offset(12))
            .with_producer(ProducerId(-7))
    }

    fn repair(code: FindingCode, path: &str) -> String {
        let advice = of(&finding(code, Severity::Error), &place(path));
        advice.repair.unwrap_or_default()
    }

    #[test]
    fn every_code_has_advice_of_its_own_for_what_is_wrong() {
        for code in FindingCode::ALL {
            for severity in [Severity::Error, Severity::Warning] {
                let advice = of(&finding(*code, severity), &place("d/orders-0"));
                let is_for_notes = matches!(
                    code,
                    FindingCode::BatchNotCanonical | FindingCode::BarrierRepeated
                );
                let is_told = advice.text.len() > 50;
                assert!(
                    is_told || is_for_notes || *code == FindingCode::StrayFile,
                    "{code}"
                );
            }
        }
    }

    #[test]
    fn a_note_never_asks_for_a_repair() {
        for code in FindingCode::ALL {
            let advice = of(&finding(*code, Severity::Note), &place("d/orders-0"));
            assert!(
                advice.repair.is_none() && advice.text.starts_with("Nothing"),
                "{code}"
            );
        }
    }

    #[test]
    fn no_advice_deletes_a_snapshot() {
        for code in FindingCode::ALL {
            for severity in [Severity::Error, Severity::Warning, Severity::Note] {
                let text = of(&finding(*code, severity), &place("d/orders-0")).text;
                let deletes = text.to_lowercase().match_indices("delete").count();
                let forbids = text.matches("not delete").count()
                    + text.matches("Delete no snapshot").count()
                    + text.matches("deletes").count()
                    + text.matches("deleted").count()
                    + text.matches("delete-records").count()
                    + text.matches("or delete up to an offset").count();
                assert_eq!(deletes, forbids, "{code}: {text}");
            }
        }
    }

    #[test]
    fn a_repair_is_a_line_that_a_shell_takes() {
        assert_eq!(
            repair(FindingCode::IndexMissing, "a dir/it's-0"),
            "kfsck repair index 'a dir/it'\\''s-0' --output DIR"
        );
        assert_eq!(
            repair(FindingCode::CrcMismatch, "-x-0"),
            "kfsck repair log --salvage ./-x-0 --output DIR"
        );
        assert_eq!(
            repair(FindingCode::PidCollision, "t-0"),
            "kfsck repair pids --split -7 t-0 --output DIR"
        );
        assert_eq!(
            repair(FindingCode::HangingTransaction, "t-0"),
            "kfsck repair abort --producer-id -7 --transaction-log TRANSACTION_LOG \
             --all-replicas-stopped t-0 --output DIR"
        );
        let beside = Place {
            transaction_logs: &["my data".into(), "data 2".into()],
            ..place("my data/t-0")
        };
        let hanging = finding(FindingCode::HangingTransaction, Severity::Warning);
        assert_eq!(
            of(&hanging, &beside).repair.unwrap(),
            "kfsck repair abort --producer-id -7 --transaction-log 'my data' \
             --transaction-log 'data 2' \
             --all-replicas-stopped 'my data/t-0' --output DIR"
        );
        let nobody = Finding::new(FindingCode::PidCollision, Severity::Error, "t-0", "m");
        assert_eq!(of(&nobody, &place("t-0")).repair, None);
    }

    #[test]
    fn only_a_partitions_directory_can_be_repaired() {
        let file = Place {
            is_partition: false,
            ..place("0.log")
        };
        let advice = of(&finding(FindingCode::CrcMismatch, Severity::Error), &file);
        assert_eq!(advice.repair, None);
        assert!(advice.text.contains("the partition's directory"));
    }

    #[test]
    fn what_is_beside_a_partition_is_not_rebuilt_from_its_log() {
        let at = |path: &str| {
            let finding = Finding::new(FindingCode::CheckpointCorrupt, Severity::Error, path, "m");
            of(&finding, &place("d/t-0")).repair
        };
        assert!(at("d/t-0/leader-epoch-checkpoint").is_some());
        assert_eq!(at("d/log-start-offset-checkpoint"), None);
    }
}
