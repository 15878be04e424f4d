//! The union of two damaged replicas: each good batch of either where the other has none.
//!
//! Both logs are read twice more. The first time each choice is made and nothing is written: where
//! both have a good batch and they are not the same, nothing ever is. Nothing is taken from behind
//! the offset where the logs part by their leader epochs.

use std::collections::BTreeMap;
use std::path::Path;

use super::content::{Likeness, likeness};
use super::difference::Shown;
use super::epochs::Lineage;
use super::pairing::{Meeting, Pairs};
use super::reading::Seen;
use super::side::{ComparedLog, Side};
use super::verdict::{Comparison, Sum};
use crate::analysis::topic_names::TopicNames;
use crate::format::leader_epoch_checkpoint::EpochEntry;
use crate::format::number::{LeaderEpoch, Offset};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::uuid::Uuid;
use crate::rebuild::copied::CopiedPartition;
use crate::rebuild::error::WriteError;
use crate::rebuild::partition::{PartitionOptions, Written};
use crate::rebuild::unfinished::Unfinished;
use crate::state::epochs::LeaderEpochs;
use crate::state::rules::Stock;
use crate::state::snapshot::usable_entries;
use crate::storage::partition_name::{CLUSTER_METADATA, PartitionName};
use crate::storage::source::{ReadError, Source};

/// What becomes of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What is written.
    pub kept: Sum,
    /// What of it source alone has, or had to give.
    pub from_source: Sum,
    /// What of it dest alone has, or had to give.
    pub from_dest: Sum,
    /// Offsets that damage has taken in both; `None` where nobody knows how far it reached.
    pub lost: Vec<(Offset, Option<Offset>)>,
    /// Where the union ends because the logs part there.
    pub cut: Option<Offset>,
    /// Leader epochs that were not the same, and whose was taken because the other does not fit
    /// between its neighbours.
    pub epochs_from: Vec<(Offset, Side)>,
    /// A log that was compacted has no batch there, the other is damaged: a deletion may be
    /// forgotten.
    pub may_revive: Vec<(Offset, Option<Offset>)>,
    /// Why nothing is written.
    pub refusal: Option<Refusal>,
}

/// Why there is no union.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Both have a good batch there, and they are not the same.
    Conflict {
        /// Where.
        offset: Offset,
        /// What source has.
        source: Option<Shown>,
        /// What dest has.
        dest: Option<Shown>,
    },
    /// No leader epoch is common to both.
    NoCommonEpoch,
    /// A name that tells the partition is needed for the directory to write.
    NoName,
    /// The log of the cluster's metadata: a quorum keeps more than a log.
    ClusterMetadata,
    /// The topics bear other ids: one was deleted and made anew, or both are of other clusters.
    OtherTopic {
        /// That of source.
        source: Uuid,
        /// That of dest.
        dest: Uuid,
        /// What the metadata beside source and beside dest call the topic, where they know it.
        names: [Option<String>; 2],
    },
}

/// Where a stretch of damage or of other cases is kept, so many are.
const MOST: usize = 1000;

fn keep_some<T>(list: &mut Vec<T>, item: T) {
    if list.len() < MOST {
        list.push(item);
    }
}

/// Chooses from what meets.
struct Chooser {
    plan: Plan,
    cut: Option<Offset>,
    last_epoch: LeaderEpoch,
    /// A log shows the work of a cleaner, so what it lacks may be deleted.
    is_compacted: bool,
}

impl Chooser {
    fn new(comparison: &Comparison, is_compacted: bool) -> Self {
        let cut = comparison.divergence.filter(|cut| cut.is_parting);
        Self {
            plan: Plan {
                kept: Sum::default(),
                from_source: Sum::default(),
                from_dest: Sum::default(),
                lost: Vec::new(),
                cut: None,
                epochs_from: Vec::new(),
                may_revive: Vec::new(),
                refusal: None,
            },
            cut: cut.map(|cut| cut.end_offset),
            last_epoch: LeaderEpoch(-1),
            is_compacted,
        }
    }

    /// The batch to write of what meets, if any.
    fn choose<'m>(
        &mut self,
        meeting: &'m Meeting,
        pairs: &Pairs,
    ) -> Result<Option<&'m Seen>, ReadError> {
        if self.plan.refusal.is_some() {
            return Ok(None);
        }
        let is_behind = |seen: &Seen| self.cut.is_some_and(|cut| seen.batch.last_offset >= cut);
        let is_past = match meeting {
            Meeting::Both(seen, _) | Meeting::Alone(_, seen, _) => is_behind(seen),
            Meeting::Overlap(one, other) => {
                one.iter().any(is_behind) || other.iter().any(is_behind)
            }
            Meeting::Lost(_, lost, _) => self.cut.is_some_and(|cut| lost.first >= cut),
        };
        if is_past {
            self.plan.cut = self.cut;
            return Ok(None);
        }
        let chosen = match meeting {
            Meeting::Both(source, dest) => match self.of_both(source, dest, pairs)? {
                Some(Side::Source) => source,
                Some(Side::Dest) => dest,
                None => return self.refuse(Some(source), Some(dest)),
            },
            Meeting::Overlap(source, dest) => {
                return self.refuse(source.as_ref(), dest.as_ref());
            }
            Meeting::Alone(side, seen, _) => {
                match side {
                    Side::Source => self.plan.from_source.add(seen),
                    Side::Dest => self.plan.from_dest.add(seen),
                }
                seen
            }
            Meeting::Lost(_, lost, beside) => {
                let range = (lost.first, lost.end.map(|end| end.plus(-1)));
                let takes_offsets = lost.end != Some(lost.first);
                if takes_offsets && beside.batches == 0 {
                    let is_known = self.plan.lost.last() == Some(&range);
                    if !is_known {
                        keep_some(&mut self.plan.lost, range);
                    }
                }
                if takes_offsets && self.is_compacted {
                    keep_some(&mut self.plan.may_revive, range);
                }
                return Ok(None);
            }
        };
        self.plan.kept.add(chosen);
        self.last_epoch = self.last_epoch.max(chosen.batch.partition_leader_epoch);
        Ok(Some(chosen))
    }

    fn refuse<'m>(
        &mut self,
        source: Option<&Seen>,
        dest: Option<&Seen>,
    ) -> Result<Option<&'m Seen>, ReadError> {
        let base = |seen: Option<&Seen>| seen.map(|seen| seen.batch.base_offset);
        let offset = base(source).into_iter().chain(base(dest)).min();
        self.plan.refusal = Some(Refusal::Conflict {
            offset: offset.unwrap_or(Offset(0)),
            source: source.map(Shown::batch).transpose()?,
            dest: dest.map(Shown::batch).transpose()?,
        });
        Ok(None)
    }

    /// Whose batch to take; `None` where they are not the same.
    fn of_both(
        &mut self,
        source: &Seen,
        dest: &Seen,
        pairs: &Pairs,
    ) -> Result<Option<Side>, ReadError> {
        Ok(match likeness(source, dest)? {
            Likeness::Same => Some(Side::Source),
            Likeness::Cleaned { fuller } => Some(fuller),
            Likeness::LeaderEpoch => {
                let fits = |seen: &Seen, next: Option<&Seen>| {
                    let epoch = seen.batch.partition_leader_epoch;
                    let next = next.map(|next| next.batch.partition_leader_epoch);
                    epoch >= self.last_epoch && next.is_none_or(|next| epoch <= next)
                };
                let next = (pairs.source.upcoming(), pairs.dest.upcoming());
                let side = match (fits(source, next.0), fits(dest, next.1)) {
                    (true, false) => Some(Side::Source),
                    (false, true) => Some(Side::Dest),
                    _ => None,
                };
                if let Some(side) = side {
                    keep_some(&mut self.plan.epochs_from, (source.batch.base_offset, side));
                }
                side
            }
            Likeness::ProducerId | Likeness::Encoding | Likeness::Other => None,
        })
    }
}

/// Says what the union would be.
///
/// # Errors
/// A file cannot be opened or read, or was changed meanwhile.
pub fn plan(
    source: &ComparedLog,
    dest: &ComparedLog,
    comparison: &Comparison,
) -> Result<Plan, ReadError> {
    let mut chooser = Chooser::new(comparison, is_compacted([source, dest], comparison));
    chooser.plan.refusal = refusal(source, dest, comparison);
    if chooser.plan.refusal.is_some() {
        return Ok(chooser.plan);
    }
    super::meet(source, dest, &mut |meeting, pairs| {
        chooser.choose(&meeting, pairs)?;
        Ok(())
    })?;
    Ok(chooser.plan)
}

/// Why there is no union, as far as no batch needs to be read for it.
fn refusal(source: &ComparedLog, dest: &ComparedLog, comparison: &Comparison) -> Option<Refusal> {
    let mut names = [source, dest]
        .into_iter()
        .filter_map(|log| log.name.as_ref());
    if names.clone().next().is_none() {
        return Some(Refusal::NoName);
    }
    if names.any(|name| name.topic == CLUSTER_METADATA) {
        return Some(Refusal::ClusterMetadata);
    }
    if let (Some(one), Some(other)) = (source.topic_id, dest.topic_id)
        && one != other
    {
        return Some(Refusal::OtherTopic {
            source: one,
            dest: other,
            names: [named(source, one), named(dest, other)],
        });
    }
    let is_led = |lineage: &Lineage| lineage.latest().is_some();
    let is_parted = comparison.divergence.is_none() && comparison.lineages.iter().all(is_led);
    is_parted.then_some(Refusal::NoCommonEpoch)
}

fn named(log: &ComparedLog, id: Uuid) -> Option<String> {
    let segment = log.segments.first()?;
    TopicNames::new(log.access).beside(&segment.path, id)
}

fn is_compacted(logs: [&ComparedLog; 2], comparison: &Comparison) -> bool {
    logs.iter().any(|log| log.is_compacted)
        || comparison.tally(super::Kind::Compacted).stretches > 0
}

/// Where the union starts, where that is inside its first segment: what lies below is deleted, and
/// only the line of the partition in `log-start-offset-checkpoint` tells.
#[must_use]
pub fn start_inside(source: &ComparedLog, dest: &ComparedLog) -> Option<Offset> {
    let logs = [source, dest];
    let begun = logs.into_iter().filter(|log| !log.segments.is_empty());
    let start = begun.map(|log| log.start).min()?;
    (start > first_of(logs).first_base()).then_some(start)
}

/// Writes the union into `directory`; its plan must have no refusal. It bears another name until
/// all of it is on the disk.
///
/// # Errors
/// Something lies there already; files that cannot be read or written.
pub fn write(
    source: &ComparedLog,
    dest: &ComparedLog,
    comparison: &Comparison,
    directory: &Path,
) -> Result<Written, WriteError> {
    let logs = [source, dest];
    let mut chooser = Chooser::new(comparison, is_compacted(logs, comparison));
    let first = first_of(logs);
    let name = name_of(logs)?;
    let unfinished = Unfinished::begin(directory, &name.to_string())?;
    let options = PartitionOptions {
        is_unfinished: true,
        topic_id: source.topic_id.or(dest.topic_id),
        base_offset: first.first_base(),
        segment_bytes: i32::MAX.unsigned_abs(),
        ..PartitionOptions::new(directory, name)
    };
    let known = match &first.first_snapshot {
        Some(path) => entries(path, first)?,
        None => None,
    };
    let mut partition = CopiedPartition::create(&options, &Stock, known.as_deref())?;
    let mut bases: BTreeMap<Offset, ()> = BTreeMap::new();
    for segment in logs.iter().flat_map(|log| &log.segments) {
        bases.insert(segment.base_offset, ());
    }
    let mut of_batches = LeaderEpochs::new();
    let mut failed = None;
    let read = super::meet(source, dest, &mut |meeting, pairs| {
        if let Some(seen) = chooser.choose(&meeting, pairs)?
            && failed.is_none()
        {
            let epoch = seen.batch.partition_leader_epoch;
            if epoch > LeaderEpoch(-1) {
                of_batches.read_back(epoch, seen.batch.base_offset);
            }
            failed = append(&mut partition, &mut bases, seen).err();
        }
        Ok(())
    });
    read?;
    if let Some(failed) = failed {
        return Err(failed);
    }
    let end = partition.log_end_offset();
    let is_whole = chooser.plan.cut.is_none();
    // A segment that begins at the end is the active one, still empty.
    if is_whole && bases.contains_key(&end) {
        partition.begin_segment(end)?;
    }
    // An epoch that begins at the end is that of a leader that wrote nothing; behind a cut it is
    // one of those that part.
    let last_start = if is_whole { end } else { end.plus(-1) };
    let written = partition.close(epochs_of(comparison, &of_batches, last_start))?;
    Ok(Written {
        directory: unfinished.finish()?,
        ..written
    })
}

fn append(
    partition: &mut CopiedPartition,
    bases: &mut BTreeMap<Offset, ()>,
    seen: &Seen,
) -> Result<(), WriteError> {
    let batch = &seen.batch;
    // Of segments that hold nothing of the union only the last is made.
    let behind = bases.split_off(&batch.base_offset.plus(1));
    let passed = std::mem::replace(bases, behind);
    if let Some((base, ())) = passed.last_key_value() {
        partition.begin_segment((*base).max(partition.log_end_offset()))?;
    }
    partition.append(&seen.bytes()?, batch, seen.control.as_ref())
}

/// The log that begins first.
fn first_of([source, dest]: [&ComparedLog; 2]) -> &ComparedLog {
    match (source.segments.is_empty(), dest.segments.is_empty()) {
        (false, false) if dest.first_base().0 < source.first_base().0 => dest,
        (true, false) => dest,
        _ => source,
    }
}

fn name_of(logs: [&ComparedLog; 2]) -> Result<PartitionName, WriteError> {
    let name = logs.iter().find_map(|log| log.name.clone());
    let mut name = name.ok_or_else(|| WriteError::Name {
        name: String::new(),
    })?;
    name.state = None;
    Ok(name)
}

/// The producers of a snapshot; `None` for one that a broker would refuse.
fn entries(path: &Path, log: &ComparedLog) -> Result<Option<Vec<ProducerEntry>>, ReadError> {
    let file = Source::open(path, log.access)?;
    let bytes = file.contents()?;
    file.check()?;
    Ok(usable_entries(&bytes).ok())
}

/// The leader epochs of the union: those of both that begin at `last` or before.
fn epochs_of(comparison: &Comparison, of_batches: &LeaderEpochs, last: Offset) -> LeaderEpochs {
    let mut starts: BTreeMap<LeaderEpoch, Offset> = BTreeMap::new();
    let lineages = comparison.lineages.iter().map(|lineage| &lineage.epochs);
    for epochs in lineages.chain([of_batches]) {
        for EpochEntry {
            leader_epoch,
            start_offset,
        } in epochs.entries()
        {
            let start = starts.entry(leader_epoch).or_insert(start_offset);
            *start = (*start).min(start_offset);
        }
    }
    let mut epochs = LeaderEpochs::new();
    for (epoch, start) in starts.into_iter().filter(|(_, start)| *start <= last) {
        epochs.assign(epoch, start);
    }
    epochs
}
