//! Log directories of one broker against each other: whose they are, and partitions that lie in
//! two of them.
//!
//! Directories of several brokers may be checked together, so only those of the same node count.
//! Source: `MetaPropertiesEnsemble.verify`, `LogManager.loadLog`.

use std::collections::BTreeMap;
use std::path::Path;

use super::checker::Found;
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use crate::analysis::log_findings::Severity;
use crate::analysis::topic_names::TopicNames;
use crate::format::malformed::StreamFault;
use crate::format::meta_properties::{Gathered, MetaProperties};
use crate::format::properties;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{LogDirectory, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::DirectoryState;
use crate::storage::source::{Access, ReadError, Source};
use crate::storage::topic_id::topic_id;

/// Whose a log directory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// There is no `meta.properties`.
    Nobody,
    /// It does not say.
    Unknown,
    /// It says.
    Known(MetaProperties),
}

/// Reads `meta.properties` of a log directory and tells what is wrong with it.
pub(super) fn owner(
    directory: &LogDirectory,
    access: Access,
    found: Found<'_>,
) -> Result<Owner, ReadError> {
    let files = directory.listing.files.iter();
    let mut files = files.filter(|file| file.name.kind == FileKind::MetaProperties);
    let Some(file) = files.find(|file| file.name.suffix.is_none()) else {
        return Ok(Owner::Nobody);
    };
    let source = Source::open(&file.path, access)?;
    let mut gathered = Gathered::default();
    let mut fault = None;
    for property in properties::entries(source.range(0, source.len())) {
        match property {
            Ok(property) => gathered.take(&property),
            Err(StreamFault::Malformed(malformed)) => fault = fault.or(Some(malformed)),
            Err(StreamFault::Input(error)) => {
                let path = file.path.clone();
                return Err(error
                    .downcast()
                    .unwrap_or_else(|reason| ReadError::Open { path, reason }));
            }
        }
    }
    source.check()?;
    let read = match fault {
        Some(fault) => Err(fault),
        None => gathered.read(),
    };
    match read {
        Ok(properties) => Ok(Owner::Known(properties)),
        Err(fault) => {
            let message = format!(
                "{fault}; a broker takes the directory off line, and does not start if it is its \
                 only one or holds its metadata"
            );
            let code = FindingCode::StartBlocked;
            let finding = Finding::new(code, Severity::Error, &file.path, message);
            found(
                finding
                    .at(fault.at as u64)
                    .resting_on(Evidence::fault(&fault)),
            );
            Ok(Owner::Unknown)
        }
    }
}

/// Tells what keeps a broker from starting that has all these directories in its `log.dirs`.
pub(super) fn check(
    directories: &[(&LogDirectory, Owner)],
    names: &TopicNames,
    access: Access,
    found: Found<'_>,
) {
    nobodys(directories, found);
    for (at, (one, owner)) in directories.iter().enumerate() {
        for (other, other_owner) in directories.iter().take(at) {
            match relation(owner, other_owner) {
                Relation::Strangers => {}
                Relation::Copies => copies(&one.path, &other.path, found),
                Relation::Siblings(severity) => {
                    let ids = |pair: [&PartitionDirectory; 2]| {
                        ids_apart(pair, [one, other], names, access)
                    };
                    shared(one, other, severity, &ids, found);
                }
                Relation::OfTwoClusters(ours, theirs) => {
                    let message = format!(
                        "expected cluster.id {theirs}, as in {} of the same node, found {ours}: a \
                         broker with both in log.dirs does not start",
                        other.path.display()
                    );
                    let path = one.path.join(FileKind::MetaProperties.name());
                    let code = FindingCode::StartBlocked;
                    found(
                        Finding::new(code, Severity::Note, path, message)
                            .resting_on(Evidence::values("cluster.id", &ours, &theirs)),
                    );
                }
            }
        }
    }
}

/// A broker writes the file anew beside another directory that has one, and does not start without
/// any (`MetaPropertiesEnsemble.verify`). Where no checkpoint lies either, somebody has made the
/// directory of copies.
fn nobodys(directories: &[(&LogDirectory, Owner)], found: Found<'_>) {
    let is_known = |(_, owner): &(&LogDirectory, Owner)| matches!(owner, Owner::Known(_));
    let severity = match directories.iter().any(is_known) {
        true => Severity::Warning,
        false => Severity::Error,
    };
    for (directory, owner) in directories {
        let mut files = directory.listing.files.iter();
        let has_checkpoint = files.any(|file| Checkpoints::KINDS.contains(&file.name.kind));
        if *owner == Owner::Nobody && has_checkpoint {
            let path = directory.path.join(FileKind::MetaProperties.name());
            let message = "expected a file that says whose log directory this is, found none: a \
                           broker does not start with this directory alone";
            let code = FindingCode::StartBlocked;
            found(Finding::new(code, severity, &path, message).resting_on(Evidence::absent(path)));
        }
    }
}

/// How two log directories stand to each other.
#[derive(Debug, PartialEq, Eq)]
enum Relation {
    /// Of two brokers.
    Strangers,
    /// One is a copy of the other: they have one directory id.
    Copies,
    /// Of one broker, or perhaps: then what they share is less certain.
    Siblings(Severity),
    /// Of one node id in two clusters.
    OfTwoClusters(String, String),
}

fn relation(one: &Owner, other: &Owner) -> Relation {
    let (Owner::Known(one), Owner::Known(other)) = (one, other) else {
        return Relation::Siblings(Severity::Warning);
    };
    if one.directory_id.is_some() && one.directory_id == other.directory_id {
        return Relation::Copies;
    }
    if let (Some(ours), Some(theirs)) = (one.node_id, other.node_id)
        && ours != theirs
    {
        return Relation::Strangers;
    }
    match (&one.cluster_id, &other.cluster_id) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Relation::OfTwoClusters(ours.clone(), theirs.clone())
        }
        _ => Relation::Siblings(Severity::Error),
    }
}

fn copies(one: &Path, other: &Path, found: Found<'_>) {
    let message = format!(
        "the directory.id of {}, of which this seems to be a copy: a broker with both in log.dirs \
         does not start",
        other.display()
    );
    let path = one.join(FileKind::MetaProperties.name());
    let code = FindingCode::StartBlocked;
    found(
        Finding::new(code, Severity::Note, path, message).resting_on(Evidence {
            what: "the other directory",
            path: Some(other.to_owned()),
            ..Evidence::default()
        }),
    );
}

/// Partitions that lie in both directories. One of them may be a copy on the way (`-future`);
/// directories on their way out do not count.
fn shared(
    one: &LogDirectory,
    other: &LogDirectory,
    severity: Severity,
    ids_apart: &dyn Fn([&PartitionDirectory; 2]) -> String,
    found: Found<'_>,
) {
    let theirs = partitions(other);
    for (key, directory) in partitions(one) {
        let Some(before) = theirs.get(&key) else {
            continue;
        };
        let (topic, partition, _) = key;
        let doubt = match severity {
            Severity::Error => "",
            _ => ", if both are of one broker",
        };
        let message = format!(
            "expected {topic}-{partition} in one log directory, found it in {} too; a broker does \
             not start with both{doubt}: move away the one that is older or ends earlier{}",
            before.path.display(),
            ids_apart([directory, before])
        );
        let code = FindingCode::DuplicatePartition;
        let mut finding =
            Finding::new(code, severity, &directory.path, message).resting_on(Evidence {
                what: "the other directory",
                path: Some(before.path.clone()),
                ..Evidence::default()
            });
        finding.topic_partition = Some(format!("{topic}-{partition}"));
        found(finding);
    }
}

/// The topic ids of two directories, where they differ: one is then of a topic that was deleted, or
/// of another cluster, and the metadata in either log directory know which.
fn ids_apart(
    pair: [&PartitionDirectory; 2],
    inside: [&LogDirectory; 2],
    names: &TopicNames,
    access: Access,
) -> String {
    // What is wrong with a file is told with its partition.
    let ids = pair.map(|directory| topic_id(directory, access).ok().flatten());
    let [Some(here), Some(there)] = ids else {
        return String::new();
    };
    if here == there {
        return String::new();
    }
    let mut known = inside.iter();
    let known = known.find_map(|directory| names.in_log_directory(&directory.path));
    let [here, there] = [here, there].map(|id| match &known {
        Some(topics) => match topics.get(&id) {
            Some(name) => format!("{id} (in __cluster_metadata topic {name})"),
            None => format!("{id} (in __cluster_metadata no topic)"),
        },
        None => id.to_string(),
    });
    format!("; the topic ids differ, {here} here and {there} there")
}

/// The partitions that a broker would load, by name and whether they are copies on the way.
fn partitions(directory: &LogDirectory) -> BTreeMap<(&str, i32, bool), &PartitionDirectory> {
    let inside = directory.partitions.iter().filter_map(|partition| {
        let name = partition.name.as_ref()?;
        let is_future = match name.state {
            None => false,
            Some(DirectoryState::Future) => true,
            Some(DirectoryState::Deleted | DirectoryState::Stray) => return None,
        };
        let key = (name.topic.as_str(), name.partition, is_future);
        Some((key, partition))
    });
    inside.collect()
}
