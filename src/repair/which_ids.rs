//! Which producer ids become which: by pairs, or by the mappings of mirroring drafts (KIP-1279) and
//! back.

use super::error::PlanError;
use super::new_ids;
use super::old_indexes::OldIndexes;
use super::snapshot_files;
use super::sound;
use super::terms::Terms;
use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::{Mapping, Reading, Region};
use crate::storage::directory::PartitionDirectory;
use std::collections::{BTreeMap, BTreeSet};

pub use super::new_ids::Known;

/// The ids that become others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// Pairs of old and new.
    Pairs(BTreeMap<ProducerId, ProducerId>),
    /// Every id from 0 up, as a draft maps the ids of a source.
    Map(Mapping),
    /// Every negated id becomes what it was.
    UnmapNegated,
    /// Every bit-field id becomes its low 31 bits; of one region alone, if it is given.
    UnmapBitField(Option<Region>),
}

/// Every producer id in a partition, of batches, transaction indexes and snapshots.
///
/// # Errors
/// A file that cannot be read, a log that is not sound.
pub(super) fn in_use(
    directory: &PartitionDirectory,
    terms: &Terms,
) -> Result<BTreeSet<ProducerId>, PlanError> {
    let mut ids = BTreeSet::new();
    let sound = sound::read(directory, terms, &mut |item| {
        ids.insert(item.batch.producer_id);
        Ok(())
    })?;
    for segment in &sound.segments {
        let old = OldIndexes::read(directory, segment.base, terms.access)?;
        ids.extend(old.aborted.iter().map(|entry| entry.producer_id));
    }
    for file in snapshot_files::read(directory, terms.access)? {
        ids.extend(file.entries().iter().map(|entry| entry.producer_id));
    }
    ids.remove(&ProducerId::NONE);
    Ok(ids)
}

impl Which {
    /// What becomes of the ids that are in use.
    ///
    /// # Errors
    /// A new id that will not do, in words.
    pub(super) fn pairs(
        &self,
        in_use: &BTreeSet<ProducerId>,
        known: Known<'_>,
    ) -> Result<BTreeMap<ProducerId, ProducerId>, String> {
        if let Self::Pairs(given) = self {
            if let Some(new) = given.values().find(|new| new.0 < 0) {
                new_ids::check(*new, in_use, known)?;
            }
            let here = given.iter().filter(|(old, _)| in_use.contains(old));
            let here: BTreeMap<_, _> = here.map(|(old, new)| (*old, *new)).collect();
            for new in here.values() {
                new_ids::check(*new, in_use, known)?;
            }
            return Ok(here);
        }
        let mut pairs = BTreeMap::new();
        let mut taken = BTreeMap::new();
        for old in in_use {
            let Some(new) = self.mapped(*old).filter(|new| new != old) else {
                continue;
            };
            if new == ProducerId::NONE {
                return Err(format!(
                    "producer id {old}: becomes -1, which stands for no producer"
                ));
            }
            if in_use.contains(&new) {
                return Err(format!(
                    "producer id {old}: becomes {new}, which is in use in this partition already, \
                     and two producers would become one; `--remap {old}=NEW` first"
                ));
            }
            if let Some(other) = taken.insert(new, *old) {
                return Err(format!(
                    "producer ids {other} and {old}: both become {new}, and two producers would \
                     become one; `--remap` one of them first"
                ));
            }
            pairs.insert(*old, new);
        }
        Ok(pairs)
    }

    fn mapped(&self, id: ProducerId) -> Option<ProducerId> {
        let is_mapped = id < ProducerId::NONE;
        match self {
            Self::Pairs(_) => None,
            Self::Map(mapping) => (id.0 >= 0).then(|| mapping.map(id)),
            Self::UnmapNegated => is_mapped.then(|| Mapping::Negate.map(id)),
            Self::UnmapBitField(only) => {
                let mut readings = Reading::all_of(id).into_iter().filter(|_| is_mapped);
                readings.find_map(|reading| match reading {
                    Reading::BitField { region, low_bits } => only
                        .is_none_or(|only| only == region)
                        .then_some(ProducerId(low_bits.into())),
                    _ => None,
                })
            }
        }
    }

    /// What there is to say; `in_use` are the ids of the partition.
    pub(super) fn consequences(&self, in_use: &BTreeSet<ProducerId>) -> Vec<String> {
        match self {
            Self::Pairs(given) => given
                .keys()
                .filter(|old| !in_use.contains(old))
                .map(|old| {
                    format!(
                        "producer {old}: no batch, no transaction index and no snapshot has it here"
                    )
                })
                .collect(),
            Self::Map(_) => vec![
                "bit-field keeps the low 31 bits of an id: the way back is for ids below \
                 2147483648 alone"
                    .to_owned(),
            ],
            Self::UnmapNegated | Self::UnmapBitField(_) => vec![
                "ids from 0 up are those that this cluster's own controller gives out: where it \
                 has given one of these to another producer, the two meet as soon as that one \
                 writes here"
                    .to_owned(),
            ],
        }
    }
}
