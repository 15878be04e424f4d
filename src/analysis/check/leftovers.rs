//! Files and directories that are no part of a log: leftovers of a compaction, a deletion or a
//! split that was broken off, and what is none of Kafka's. What a broker does with each at its next
//! start follows `LogLoader.load` and `LogManager.loadLogs`.

use std::path::Path;

use super::checker::Found;
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::setting::{file_name, least_cleaned, swapped};
use crate::analysis::log_findings::Severity;
use crate::format::number::Offset;
use crate::storage::directory::{KafkaFile, Listing, LogDirectory, PartitionDirectory, StrayKind};
use crate::storage::file_name::{FileKind, Suffix};
use crate::storage::partition_name::{CLUSTER_METADATA, DirectoryState};
use crate::storage::unfinished::is_left_beside;
use crate::storage::work_directory::{STAGED, is_decided, unsettled};

/// Tells what lies in a partition's directory beside its log.
pub(super) fn check_partition(directory: &PartitionDirectory, found: Found<'_>) {
    let state = directory.name.as_ref().and_then(|name| name.state);
    let is_deleted = state == Some(DirectoryState::Deleted);
    let mut tell = |mut finding: Finding| {
        // A broker loads a deleted partition before it removes it.
        if is_deleted && finding.code != FindingCode::StartBlocked {
            finding.severity = Severity::Note;
        }
        found(finding);
    };
    let unsettled = unsettled(&directory.path);
    if let Some(work) = &unsettled {
        tell(broken_off(directory, work));
    }
    let look = Look::at(directory);
    for file in &directory.listing.files {
        if let Some(finding) = look.file(file) {
            tell(finding);
        }
    }
    strays(&directory.listing, &mut |path, kind| {
        let name = file_name(path);
        if unsettled.is_some() && is_staged(&name, kind) {
            // Told with the repair that it is of.
            return;
        }
        let ends_with = |suffix: Suffix| kind == StrayKind::File && name.ends_with(suffix.as_str());
        let is_read = ends_with(Suffix::Swap) || ends_with(Suffix::Cleaned);
        tell(if ends_with(Suffix::Deleted) {
            leftover(
                path,
                Severity::Note,
                "a deleted file: the next start removes it",
            )
        } else if is_read && !begins_with_offset(&name) {
            nameless(path)
        } else {
            stray(path, kind)
        });
    });
}

/// What a finding about a repair that was broken off rests on.
pub const BROKEN_OFF: &str = "repair that was broken off";
/// What a finding about a directory rests on that was never finished.
pub const UNFINISHED_RESULT: &str = "result that was never finished";

/// A repair in place that is neither finished nor undone.
fn broken_off(directory: &PartitionDirectory, work: &Path) -> Finding {
    let strays = directory.listing.strays.iter();
    let staged = strays.filter(|stray| is_staged(&file_name(&stray.path), stray.kind));
    let (severity, message) = match is_decided(work) {
        true => (
            Severity::Error,
            "a repair in place was broken off while new files took the place of old ones: some are \
             of the log as it was, others of the log as it will be, so a broker must not start",
        ),
        false => (
            Severity::Warning,
            "a repair in place was broken off before it changed anything; what it has prepared \
             lies here, and no other repair is made before it is undone",
        ),
    };
    Finding::new(
        FindingCode::LeftoverFile,
        severity,
        &directory.path,
        message,
    )
    .resting_on(Evidence {
        what: BROKEN_OFF,
        path: Some(work.to_owned()),
        ..Evidence::default()
    })
    .resting_on(Evidence {
        what: "new files without their names",
        stored: Some(staged.count().to_string()),
        ..Evidence::default()
    })
}

fn is_staged(name: &str, kind: StrayKind) -> bool {
    kind == StrayKind::File && name.starts_with(STAGED)
}

/// What was being written elsewhere than to a broker's own log directory, where it would keep the
/// broker from starting as any directory does that is no partition's.
fn unfinished(path: &Path) -> Finding {
    let message = "a result of kfsck that was never finished: no partition, and nothing in it was \
                   looked at";
    let code = FindingCode::LeftoverFile;
    Finding::new(code, Severity::Note, path, message).resting_on(Evidence {
        what: UNFINISHED_RESULT,
        path: Some(path.to_owned()),
        ..Evidence::default()
    })
}

/// Tells what lies in a log directory beside its partitions.
pub(super) fn check_log_directory(directory: &LogDirectory, found: Found<'_>) {
    for file in &directory.listing.files {
        let is_bootstrap = file_name(&file.path) == "bootstrap.checkpoint";
        if file.name.kind.is_of_a_partition() && !is_bootstrap {
            found(Finding::new(
                FindingCode::StrayFile,
                Severity::Note,
                &file.path,
                "a file of a partition, and not in a partition's directory: a broker does not \
                 look at it",
            ));
        } else if file.name.suffix.is_some() {
            let message = "a file that was being written and was never finished: a broker writes \
                           over it";
            found(leftover(&file.path, Severity::Note, message));
        }
    }
    strays(&directory.listing, &mut |path, kind| {
        found(match kind {
            StrayKind::Directory if is_left_beside(directory, path) => unfinished(path),
            StrayKind::Directory => Finding::new(
                FindingCode::StartBlocked,
                Severity::Error,
                path,
                "expected a name like topic-0, found one that is no partition's: a broker that \
                 finds this directory here does not start",
            )
            .resting_on(name_of(path, "topic-0")),
            _ => stray(path, kind),
        });
    });
}

fn strays(listing: &Listing, tell: &mut dyn FnMut(&Path, StrayKind)) {
    for stray in &listing.strays {
        if stray.kind != StrayKind::RemoteIndexCache {
            tell(&stray.path, stray.kind);
        }
    }
}

fn stray(path: &Path, kind: StrayKind) -> Finding {
    let message = match kind {
        StrayKind::Directory => "a directory, and a broker makes none here: it does not look at it",
        StrayKind::Special => "no file but a FIFO, socket or device: a broker does not look at it",
        StrayKind::File | StrayKind::RemoteIndexCache => {
            "a name that no broker gives: it does not look at the file"
        }
    };
    Finding::new(FindingCode::StrayFile, Severity::Note, path, message)
}

fn leftover(path: &Path, severity: Severity, message: impl Into<String>) -> Finding {
    let name = file_name(path);
    Finding::new(FindingCode::LeftoverFile, severity, path, message).resting_on(Evidence {
        what: "name",
        stored: Some(name),
        ..Evidence::default()
    })
}

/// The files of a partition as far as one tells what becomes of another.
struct Look<'d> {
    directory: &'d PartitionDirectory,
    /// Segments by base offset, rising.
    logs: Vec<Offset>,
    /// The lowest offset of a `.cleaned` file.
    least_cleaned: Option<Offset>,
    /// Those of whole segments that wait to be taken in.
    swapped: Vec<Offset>,
    is_metadata: bool,
}

impl<'d> Look<'d> {
    fn at(directory: &'d PartitionDirectory) -> Self {
        let files = || directory.listing.files.iter();
        let logs = files().filter(|file| file.name.kind == FileKind::Log);
        let logs = logs.filter(|file| file.name.suffix.is_none());
        let mut logs: Vec<_> = logs.filter_map(|file| file.name.base_offset).collect();
        logs.sort_unstable();
        let name = directory.name.as_ref();
        Self {
            directory,
            logs,
            swapped: swapped(directory),
            least_cleaned: least_cleaned(directory),
            is_metadata: name.is_some_and(|name| name.topic == CLUSTER_METADATA),
        }
    }

    fn file(&self, file: &KafkaFile) -> Option<Finding> {
        let path = &file.path;
        if let Some(finding) = self.without_offset(file) {
            return Some(finding);
        }
        match file.name.suffix {
            Some(Suffix::Deleted) => {
                let message = "a deleted file: a broker removes it in a minute, or when it starts";
                Some(leftover(path, Severity::Note, message))
            }
            Some(Suffix::Cleaned) => {
                let message = "written by a compaction or a split that was broken off: a broker \
                               removes it when it starts, and nothing is lost";
                Some(leftover(path, Severity::Note, message))
            }
            Some(Suffix::Swap) => Some(self.swap(file)),
            Some(Suffix::Temporary) => {
                let message = "a file that was being written and was never finished: a broker \
                               writes over it";
                Some(leftover(path, Severity::Note, message))
            }
            Some(Suffix::Partial) => {
                let message = "a metadata snapshot that was being written or fetched: a broker \
                               removes it when it starts";
                Some(leftover(path, Severity::Note, message))
            }
            None => self.plain(file),
        }
    }

    fn swap(&self, file: &KafkaFile) -> Finding {
        let is_void = match (self.least_cleaned, file.name.base_offset) {
            (Some(cleaned), Some(own)) => own >= cleaned,
            _ => false,
        };
        let (severity, message) = match is_void {
            true => (
                Severity::Note,
                "made by a compaction or a split that was broken off, as a .cleaned file says: a \
                 broker removes it when it starts, and nothing is lost",
            ),
            false => (
                Severity::Warning,
                "made by a compaction or a split, complete, and not yet in its place: a broker \
                 that starts deletes the segments that it replaces and takes it in",
            ),
        };
        leftover(&file.path, severity, message)
    }

    fn plain(&self, file: &KafkaFile) -> Option<Finding> {
        let kind = file.name.kind;
        let is_index = matches!(
            kind,
            FileKind::OffsetIndex | FileKind::TimeIndex | FileKind::TxnIndex
        );
        if is_index
            && let Some(offset) = file.name.base_offset
            && self.logs.binary_search(&offset).is_err()
        {
            if self.swapped.contains(&offset) {
                let message = "an index of a segment that is not there, but for a .swap file: a \
                               broker that starts takes that in";
                return Some(leftover(&file.path, Severity::Note, message));
            }
            let message = "an index of a segment that is not there: a broker removes it when it \
                           starts; if the segment should be there, its records are lost here";
            let mut finding = leftover(&file.path, Severity::Warning, message);
            let log = file.path.with_file_name(FileKind::Log.name_at(offset));
            finding = finding.with_offset(offset).resting_on(Evidence {
                what: "segment that is missing",
                path: Some(log),
                offset: Some(offset),
                ..Evidence::default()
            });
            return Some(finding);
        }
        let is_of_metadata = matches!(kind, FileKind::KraftSnapshot | FileKind::QuorumState);
        let is_out_of_place = match is_of_metadata {
            // A partition that is named by nobody may be the metadata log's.
            true => !self.is_metadata && self.directory.name.is_some() && !self.logs.is_empty(),
            false => !kind.is_of_a_partition(),
        };
        is_out_of_place.then(|| {
            let message = "a broker keeps no such file in this directory, and does not look at it";
            Finding::new(FindingCode::StrayFile, Severity::Note, &file.path, message)
        })
    }

    /// A broker reads an offset off the name of each such file, and ends where there is none.
    fn without_offset(&self, file: &KafkaFile) -> Option<Finding> {
        let is_read = match file.name.kind {
            FileKind::Log | FileKind::OffsetIndex | FileKind::TimeIndex | FileKind::TxnIndex => {
                matches!(
                    file.name.suffix,
                    None | Some(Suffix::Cleaned | Suffix::Swap)
                )
            }
            FileKind::ProducerSnapshot => {
                matches!(file.name.suffix, Some(Suffix::Cleaned | Suffix::Swap))
            }
            _ => false,
        };
        let is_nameless = is_read && !begins_with_offset(&file_name(&file.path));
        is_nameless.then(|| nameless(&file.path))
    }
}

/// As `LogFileUtils.offsetFromFileName` reads a name.
fn begins_with_offset(name: &str) -> bool {
    let digits = name.split_once('.').map(|(digits, _)| digits);
    digits.is_some_and(|digits| digits.parse::<i64>().is_ok())
}

fn nameless(path: &Path) -> Finding {
    let message = "expected a name that begins with an offset and a dot, found none: a broker that \
                   finds this file does not start";
    Finding::new(FindingCode::StartBlocked, Severity::Error, path, message)
        .resting_on(name_of(path, "digits, a dot and a kind"))
}

fn name_of(path: &Path, expected: &str) -> Evidence {
    Evidence::values("name", &file_name(path), &expected)
}
