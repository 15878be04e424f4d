//! `repair snapshot`: producer snapshots written anew from the log ([`super::snapshot_rebuild`]),
//! or changed entry by entry.

use super::content::Content;
use super::draft::{Draft, topic_partition};
use super::error::{PlanError, Refusal};
use super::new_ids::{self, Known};
use super::plan::{Plan, Verb};
use super::snapshot_files::{self, SnapshotFile};
use super::sound;
use super::terms::Terms;
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_snapshot::{self, ProducerEntry, Version};
use crate::storage::directory::PartitionDirectory;
use std::collections::{BTreeMap, BTreeSet};

/// What is done to the entries of every snapshot.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Producers that go.
    pub dropped: BTreeSet<ProducerId>,
    /// Producers that get another id, old to new.
    pub remapped: BTreeMap<ProducerId, ProducerId>,
    /// The version to be written.
    pub version: Option<Version>,
    /// The clusters that producers were mirrored from; free text.
    pub sources: BTreeMap<ProducerId, Vec<u8>>,
    /// Ids that a controller gives out are taken all the same.
    pub force: bool,
}

/// Plans to change the snapshots of a partition.
///
/// # Errors
/// A file that cannot be read; a producer with an open transaction that should go, a new id that
/// will not do, a source for a file of version 1.
pub fn plan(
    directory: &PartitionDirectory,
    changes: &Changes,
    terms: &Terms,
) -> Result<Plan, PlanError> {
    let refused = |why: String| PlanError::Refused {
        path: directory.path.clone(),
        refusal: Refusal::Producers(why),
    };
    let mut draft = Draft::of(directory)?;
    let files = snapshot_files::read(directory, terms.access)?;
    changes.check(&files).map_err(refused)?;
    let mut met = BTreeSet::new();
    for file in &files {
        let Ok(snapshot) = &file.snapshot else {
            draft.warnings.push(format!(
                "{} cannot be read and stays as it is: --rebuild writes it anew",
                file.name
            ));
            continue;
        };
        let Applied {
            entries,
            mut words,
            kept,
        } = changes.applied(&snapshot.entries, &mut met);
        for (id, first) in kept {
            draft.warnings.push(format!(
                "{} keeps producer {id}: its transaction from offset {first} on is open there, and \
                 a broker that reads the log from there needs it",
                file.name
            ));
        }
        let version = changes.version.unwrap_or(snapshot.version);
        if version != snapshot.version {
            words.insert(0, format!("version {}", version.number()));
        }
        if version == snapshot.version && entries == snapshot.entries {
            continue;
        }
        let bytes = encoded(version, entries).map_err(refused)?;
        draft.write(
            &file.name,
            Content::Bytes(bytes),
            &file.name,
            words.join(", "),
        );
    }
    for id in changes.asked().filter(|id| !met.contains(id)) {
        draft
            .warnings
            .push(format!("no snapshot has producer {id}"));
    }
    let sound = sound::read(directory, terms, &mut |_| Ok(()))?;
    let mut plan = draft.finish(Verb::Snapshot, topic_partition(directory), sound.kept);
    if !plan.is_empty() {
        plan.warnings.extend(changes.consequences());
    }
    Ok(plan)
}

/// What becomes of the entries of one snapshot.
struct Applied {
    entries: Vec<ProducerEntry>,
    /// What happens, in words.
    words: Vec<String>,
    /// Producers that stay as they are, for their transaction is open, with its first offset.
    kept: Vec<(ProducerId, Offset)>,
}

fn encoded(version: Version, mut entries: Vec<ProducerEntry>) -> Result<Vec<u8>, String> {
    if version == Version::V1 {
        for entry in &mut entries {
            entry.source_cluster_id = None;
        }
    }
    producer_snapshot::encode(version, &entries).map_err(|fault| fault.to_string())
}

impl Changes {
    /// The producers that are spoken of.
    fn asked(&self) -> impl Iterator<Item = &ProducerId> {
        let ids = self.dropped.iter().chain(self.remapped.keys());
        ids.chain(self.sources.keys())
    }

    fn check(&self, files: &[SnapshotFile]) -> Result<(), String> {
        let mut in_use: BTreeSet<ProducerId> = BTreeSet::new();
        for file in files {
            for entry in file.entries() {
                in_use.insert(entry.producer_id);
                let id = entry.producer_id;
                let is_newest = files.last().is_some_and(|last| last.offset == file.offset);
                if let Some(first) = entry.open_txn().filter(|_| is_newest) {
                    let why = if self.dropped.contains(&id) {
                        "without its entry a broker forgets the transaction, and consumers of \
                         committed records read it"
                    } else if self.remapped.contains_key(&id) {
                        "under another id nothing ends the transaction: its marker comes under \
                         the old one"
                    } else {
                        continue;
                    };
                    return Err(format!(
                        "producer {id} has a transaction open from offset {first} on, by {}: \
                         {why}; `kfsck repair abort` first, or --rebuild where the log ends it",
                        file.name
                    ));
                }
            }
            let version = file.snapshot.as_ref().map(|snapshot| snapshot.version);
            if let Ok(version) = version
                && self.version.unwrap_or(version) == Version::V1
                && !self.sources.is_empty()
            {
                return Err(format!(
                    "{}: version 1 has no place for a source cluster: --to-version 2",
                    file.name
                ));
            }
        }
        let known = Known {
            coordinator: None,
            force: self.force,
        };
        let entries = files.iter().flat_map(SnapshotFile::entries);
        let ended = entries.filter(|entry| entry.open_txn().is_none());
        let ended: BTreeSet<ProducerId> = ended.map(|entry| entry.producer_id).collect();
        let remapped = self.remapped.iter();
        let mut here = remapped.filter(|(old, _)| ended.contains(old));
        here.try_for_each(|(_, new)| new_ids::check(*new, &in_use, known))
    }

    /// What becomes of a snapshot's entries; `met` hears of producers that are spoken of.
    fn applied(&self, old: &[ProducerEntry], met: &mut BTreeSet<ProducerId>) -> Applied {
        let (mut entries, mut words, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for entry in old {
            let id = entry.producer_id;
            let mut entry = entry.clone();
            let is_touched = self.dropped.contains(&id) || self.remapped.contains_key(&id);
            if let Some(first) = entry.open_txn().filter(|_| is_touched) {
                met.insert(id);
                kept.push((id, first));
                entries.push(entry);
                continue;
            }
            if self.dropped.contains(&id) {
                met.insert(id);
                words.push(format!("producer {id} goes"));
                continue;
            }
            if let Some(source) = self.sources.get(&id) {
                met.insert(id);
                let name = String::from_utf8_lossy(source);
                words.push(format!("producer {id} is of cluster {name:?}"));
                entry.source_cluster_id = Some(source.clone());
            }
            if let Some(new) = self.remapped.get(&id) {
                met.insert(id);
                words.push(format!("producer {id} becomes {new}"));
                entry.producer_id = *new;
            }
            entries.push(entry);
        }
        Applied {
            entries,
            words,
            kept,
        }
    }

    fn consequences(&self) -> Vec<String> {
        let mut said = Vec::new();
        if !self.dropped.is_empty() || !self.remapped.is_empty() {
            said.push(
                "the log still has the batches of these producers: a broker that reads it from \
                 before a snapshot knows them again (`kfsck repair pids` changes the log too)"
                    .to_owned(),
            );
        }
        match self.version {
            Some(Version::V2) => said.push(
                "a broker of any release deletes a snapshot of version 2 and reads the log \
                 instead; only a fork of the bit-field design reads it"
                    .to_owned(),
            ),
            Some(Version::V1) => {
                said.push("version 1 does not tell the clusters that version 2 named".to_owned());
            }
            None => {}
        }
        said
    }
}
