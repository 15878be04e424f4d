//! `partition.metadata`: the id of the topic that a partition's directory belongs to.
//!
//! A broker takes a directory without an id, or with one that the cluster does not know, for a
//! stray and renames it when it starts (`BrokerMetadataPublisher.initializeManagers`,
//! `LogManager.isStrayReplica`).

use std::collections::BTreeMap;
use std::path::Path;

use super::checker::Found;
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use crate::analysis::log_findings::Severity;
use crate::analysis::topic_names::TopicNames;
use crate::format::partition_metadata;
use crate::format::uuid::Uuid;
use crate::state::load::of_partition_metadata;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::source::{Access, ReadError, Source};

const CODE: FindingCode = FindingCode::PartitionMetadataMismatch;

/// What a partition's file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TopicId {
    /// There is no file.
    Absent,
    /// The file does not parse.
    Unreadable,
    /// The id.
    Known(Uuid),
}

/// Reads the file of a partition and tells what is wrong with it. `is_at_home` says that the
/// directory lies in a log directory of a broker.
pub(super) fn check(
    directory: &PartitionDirectory,
    is_at_home: bool,
    access: Access,
    found: Found<'_>,
) -> Result<TopicId, ReadError> {
    let mut files = directory.files_of(FileKind::PartitionMetadata);
    let Some(file) = files.find(|file| file.name.suffix.is_none()) else {
        if is_at_home {
            found(missing(directory));
        }
        return Ok(TopicId::Absent);
    };
    let source = Source::open(&file.path, access)?;
    let read = partition_metadata::decode(&source.contents()?);
    source.check()?;
    match read {
        Ok(metadata) => Ok(TopicId::Known(metadata.topic_id)),
        Err(fault) => {
            // Asked for once the log is loaded, in a directory on its way in or out too.
            let size = source.len();
            let stop = of_partition_metadata(&fault, size, &file.path);
            let end = match stop.is_of_the_disk() {
                true => "takes the log directory off line, and ends if it has no other one",
                false => "ends",
            };
            let message = format!("{fault}; a broker that starts {end}");
            let finding = Finding::new(CODE, Severity::Error, &file.path, message);
            found(
                finding
                    .at(fault.at as u64)
                    .resting_on(Evidence::fault(&fault)),
            );
            Ok(TopicId::Unreadable)
        }
    }
}

/// The file is written before the first record is.
fn missing(directory: &PartitionDirectory) -> Finding {
    let holds_records = directory.files_of(FileKind::Log).any(|file| {
        let size = std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
        file.name.suffix.is_none() && size > 0
    });
    let name = directory.name.as_ref();
    let is_metadata = name.is_some_and(|name| name.topic == CLUSTER_METADATA);
    let path = directory.path.join(FileKind::PartitionMetadata.name());
    let (worst, message) = match holds_records && !is_metadata {
        true => (
            Severity::Error,
            "expected the id of the topic, found no such file; a broker that starts takes the \
             partition for a stray, renames its directory and begins an empty log",
        ),
        false => (
            Severity::Note,
            "no such file; a broker writes it before the first record",
        ),
    };
    Finding::new(CODE, severity(directory, worst), &path, message)
        .resting_on(Evidence::absent(path))
}

/// In a directory that is not the partition's own, or no more, nobody asks for the id.
fn severity(directory: &PartitionDirectory, worst: Severity) -> Severity {
    let state = directory.name.as_ref().and_then(|name| name.state);
    match state {
        Some(_) => Severity::Note,
        None => worst,
    }
}

/// Tells the partitions whose topic id is not that of the others of the topic: of the one that the
/// cluster's metadata know, where such lie in `log_directory`, else of most.
pub(super) fn compare(
    partitions: &[(&PartitionDirectory, TopicId)],
    log_directory: &Path,
    names: &TopicNames,
    found: Found<'_>,
) {
    let mut topics: BTreeMap<&str, Vec<(&PartitionDirectory, Uuid)>> = BTreeMap::new();
    for (directory, id) in partitions {
        let current = directory.name.as_ref().filter(|name| name.state.is_none());
        if let (Some(name), TopicId::Known(id)) = (current, id) {
            let topic = topics.entry(name.topic.as_str()).or_default();
            topic.push((directory, *id));
        }
    }
    for (topic, ids) in topics {
        let common = most_common(&ids);
        if ids.iter().all(|(_, id)| *id == common) {
            continue;
        }
        let of_cluster = names.in_log_directory(log_directory).and_then(|topics| {
            let known = |id: &Uuid| topics.get(id).is_some_and(|name| name == topic);
            ids.iter().map(|(_, id)| *id).find(known)
        });
        let usual = of_cluster.unwrap_or(common);
        for (directory, id) in ids.iter().filter(|(_, id)| *id != usual) {
            let message = format!(
                "expected topic id {usual}, as other partitions of {topic} here have it, found \
                 {id}; a broker takes the partition of the id that the cluster does not know for a \
                 stray and renames its directory{}",
                by_the_cluster(log_directory, names, [usual, *id])
            );
            let path = directory.path.join(FileKind::PartitionMetadata.name());
            let mut finding = Finding::new(CODE, Severity::Error, path, message)
                .resting_on(Evidence::values("topic id", id, &usual));
            finding.topic_partition = directory.name.as_ref().map(ToString::to_string);
            found(finding);
        }
    }
}

/// What the cluster says of the ids: who reads it knows which of the directories is the old one.
fn by_the_cluster(log_directory: &Path, names: &TopicNames, ids: [Uuid; 2]) -> String {
    let Some(topics) = names.in_log_directory(log_directory) else {
        return String::new();
    };
    let [usual, id] = ids.map(|id| match topics.get(&id) {
        Some(name) => format!("{id} is topic {name}"),
        None => format!("{id} is no topic"),
    });
    format!("; by {CLUSTER_METADATA}-0 beside it {usual}, and {id}")
}

/// The id of most partitions; of two that are as many, the one that comes first.
fn most_common(ids: &[(&PartitionDirectory, Uuid)]) -> Uuid {
    let mut counts: Vec<(Uuid, usize)> = Vec::new();
    for (_, id) in ids {
        match counts.iter_mut().find(|(known, _)| known == id) {
            Some((_, count)) => *count += 1,
            None => counts.push((*id, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    let first = counts.iter().find(|(_, count)| Some(*count) == most);
    first.map_or(Uuid::ZERO, |(id, _)| *id)
}
