//! What can be said of log directories without reading a log: whose they are, what lies in them,
//! and how the files of their partitions stand to each other.

use std::collections::HashSet;

use super::checker::Found;
use super::code::FindingCode;
use super::duplicates::{self, Owner};
use super::finding::{Evidence, Finding};
use super::{leftovers, partition_metadata};
use crate::analysis::log_findings::Severity;
use crate::analysis::next_start::NextStart;
use crate::analysis::next_start::log_directory::fails;
use crate::analysis::next_start::together::Placed;
use crate::analysis::topic_names::TopicNames;
use crate::format::malformed::Malformed;
use crate::storage::checkpoints::{CheckpointFault, Checkpoints};
use crate::storage::directory::LogDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::DirectoryState;
use crate::storage::source::{Access, ReadError};

/// Checks the log directories that were given together, each against its own files and against
/// the others; gives the files that could not be read. What concerns one partition alone is for
/// [`super::companions::check_companions_of`].
pub fn check_log_directories(
    directories: &[(&LogDirectory, &Checkpoints)],
    access: Access,
    found: Found<'_>,
) -> Vec<ReadError> {
    let mut unread = Vec::new();
    let mut owners = Vec::new();
    let names = TopicNames::new(access);
    for (directory, checkpoints) in directories {
        let place = (*directory, *checkpoints);
        let owner = check_log_directory(place, &names, access, found, &mut unread);
        owners.push((*directory, owner));
    }
    duplicates::check(&owners, &names, access, found);
    unread
}

/// What a finding about log directories means for the start, where it keeps the broker from
/// starting and what lies beside partitions does not tell it already: each directory that it is
/// about.
#[must_use]
pub fn of_finding(finding: &Finding) -> Vec<Placed> {
    let is_owner = finding.code == FindingCode::StartBlocked
        && finding.path.ends_with(FileKind::MetaProperties.name());
    let is_double = finding.code == FindingCode::DuplicatePartition;
    if finding.severity != Severity::Error || !(is_owner || is_double) {
        return Vec::new();
    }
    let others = finding.evidence.iter().filter(|_| is_double);
    let others = others.filter_map(|evidence| evidence.path.as_ref());
    let paths = std::iter::once(&finding.path).chain(others);
    let placed = paths.map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Placed {
            path: path.clone(),
            next: NextStart {
                is_of_directory: is_owner,
                ..fails(&name, finding.message.clone())
            },
        }
    });
    placed.collect()
}

fn check_log_directory(
    (directory, checkpoints): (&LogDirectory, &Checkpoints),
    names: &TopicNames,
    access: Access,
    found: Found<'_>,
    unread: &mut Vec<ReadError>,
) -> Owner {
    leftovers::check_log_directory(directory, found);
    checkpoint_files(checkpoints, found);
    nobodys_lines(directory, checkpoints, found);
    let ids: Vec<_> = directory
        .partitions
        .iter()
        .filter_map(|partition| {
            // A file that is wrong is told with its partition.
            let id = partition_metadata::check(partition, false, access, &mut |_| {});
            Some((partition, id.ok()?))
        })
        .collect();
    partition_metadata::compare(&ids, &directory.path, names, found);
    duplicates::owner(directory, access, found).unwrap_or_else(|error| {
        unread.push(error);
        Owner::Unknown
    })
}

/// Checkpoints that a broker cannot read either.
pub fn checkpoint_files(checkpoints: &Checkpoints, found: Found<'_>) {
    for fault in &checkpoints.faults {
        let CheckpointFault::Malformed { path, fault } = fault else {
            continue;
        };
        let kind = Checkpoints::KINDS
            .into_iter()
            .find(|kind| *path == checkpoints.path(*kind));
        let (severity, effect) = effect(kind, fault);
        let message = format!("{fault}; {effect}");
        let finding = Finding::new(FindingCode::CheckpointCorrupt, severity, path, message);
        found(
            finding
                .at(fault.at as u64)
                .resting_on(Evidence::fault(fault)),
        );
    }
}

/// What a broker does with a file that it cannot read (`CheckpointFileWithFailureHandler.read`).
fn effect(kind: Option<FileKind>, fault: &Malformed) -> (Severity, &'static str) {
    // A word that is no number is none of the faults for which the directory is given up.
    let is_number = ["partition", "offset"].contains(&fault.field);
    match kind {
        Some(FileKind::CleanerOffsetCheckpoint) if is_number => (
            Severity::Warning,
            "the log cleaner does not go on in this log directory",
        ),
        Some(FileKind::RecoveryPointCheckpoint) if is_number => (
            Severity::Warning,
            "a broker that starts takes nothing for flushed, and reads every segment again after a \
             stop that was not a clean one",
        ),
        Some(FileKind::LogStartOffsetCheckpoint) if is_number => (
            Severity::Error,
            "a broker that starts takes each log to begin with its first segment, and records that \
             were deleted come back",
        ),
        // Nobody catches it where partitions are taken up (`ReplicaManager.applyDelta`); it is
        // logged as an error of publishing the metadata.
        Some(FileKind::ReplicationOffsetCheckpoint) if is_number => (
            Severity::Error,
            "a broker that starts loads its logs, but becomes leader or follower of none from the \
             first one on that needs this file, and only logs the error",
        ),
        Some(FileKind::CleanerOffsetCheckpoint) => (
            Severity::Error,
            "the log cleaner takes the log directory off line as soon as it looks for work",
        ),
        _ => (
            Severity::Error,
            "a broker that starts takes the log directory off line",
        ),
    }
}

/// Lines of partitions that are not here: a partition that went away, or a directory that was lost.
fn nobodys_lines(directory: &LogDirectory, checkpoints: &Checkpoints, found: Found<'_>) {
    let names = directory.partitions.iter().filter_map(|partition| {
        let name = partition.name.as_ref()?;
        let is_loaded = matches!(name.state, None | Some(DirectoryState::Future));
        is_loaded.then_some((name.topic.as_str(), name.partition))
    });
    let names: HashSet<_> = names.collect();
    for kind in Checkpoints::KINDS {
        let lines = checkpoints.names(kind);
        let mut absent: Vec<_> = lines.filter(|line| !names.contains(line)).collect();
        absent.sort_unstable();
        let Some((topic, partition)) = absent.first() else {
            continue;
        };
        let more = match absent.len() {
            1 => String::new(),
            count => format!(" and of {} more", count - 1),
        };
        let message = format!(
            "a line of {topic}-{partition}{more}, and no such partition in this log directory"
        );
        let code = FindingCode::CheckpointMismatch;
        let path = checkpoints.path(kind);
        let finding = Finding::new(code, Severity::Note, path, message);
        found(finding.resting_on(Evidence::values(
            "lines of absent partitions",
            &absent.len(),
            &0,
        )));
    }
}
