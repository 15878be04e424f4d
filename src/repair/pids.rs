//! `repair pids`: other producer ids for batches, transaction indexes and snapshots, together.
//!
//! The log as it will be is replayed: what indexes and snapshots say of the ids that change is what
//! it shows; all else that they say stays.

use super::content::{Content, Piece, Range};
use super::draft::{Draft, name_of, topic_partition};
use super::error::{PlanError, Refusal};
use super::old_indexes::OldIndexes;
use super::plan::{Action, Plan, Step, Verb};
use super::producer_files::{self, Revised};
use super::renumbering::Renumbering;
use super::snapshot_files;
use super::sound::{self, Item, Sound, internal_topic};
use super::split::{self, Splitting};
use super::terms::Terms;
use super::tiered;
use super::which_ids;
use crate::format::number::{Offset, ProducerId};
use crate::state::append::Append;
use crate::state::batch::Control;
use crate::state::event;
use crate::state::manager::{Applied, Manager};
use crate::state::read::{SegmentFile, segments};
use crate::storage::directory::PartitionDirectory;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use super::split::Split;
pub use super::which_ids::{Known, Which};

/// What is asked for.
#[derive(Debug, Clone)]
pub enum Pids {
    /// Ids become others.
    Which(Which),
    /// The batches of one id are of two writers.
    Split(Split),
}

/// Plans to change producer ids. `log_start` is the partition's line in
/// `log-start-offset-checkpoint`, if it has one.
///
/// # Errors
/// A file that cannot be read; an internal topic, a log that is not sound, an id that will not do,
/// batches of which it is not known who wrote them, a result that no broker would take.
pub fn plan(
    directory: &PartitionDirectory,
    pids: &Pids,
    known: Known<'_>,
    log_start: Option<Offset>,
    terms: &Terms,
) -> Result<Plan, PlanError> {
    let refused = |refusal| PlanError::Refused {
        path: directory.path.clone(),
        refusal,
    };
    if let Some(topic) = internal_topic(directory.name.as_ref()) {
        return Err(refused(Refusal::Internal(topic)));
    }
    let producers = |why| refused(Refusal::Producers(why));
    if !known.force
        && let Some(why) = tiered::of_partition(directory, log_start)
    {
        return Err(producers(why));
    }
    let mut draft = Draft::of(directory)?;
    draft.refuse_swaps()?;
    let (renumbering, said) = match pids {
        Pids::Which(which) => {
            let in_use = which_ids::in_use(directory, terms)?;
            let pairs = which.pairs(&in_use, known).map_err(producers)?;
            (Renumbering::ById(pairs), which.consequences(&in_use))
        }
        Pids::Split(split) => {
            let in_use = which_ids::in_use(directory, terms)?;
            let members = split::members(directory, split.producer_id, terms)?;
            let Splitting { new, words, steps } =
                split.decide(&members, &in_use, known).map_err(producers)?;
            draft.steps.extend(in_their_segments(directory, steps));
            let old = split.producer_id;
            (Renumbering::ByOffset { old, new }, words)
        }
    };
    let partition = topic_partition(directory);
    if renumbering.is_empty() {
        let sound = sound::read(directory, terms, &mut |_| Ok(()))?;
        draft.steps.clear();
        draft.warnings.extend(said);
        return Ok(draft.finish(Verb::Pids, partition, sound.kept));
    }
    let work = Work::carried_out(directory, &partition, renumbering, terms)?;
    work.write(&mut draft, directory, terms)?;
    draft.warnings.extend(said);
    draft.warnings.extend(work.left_open(terms));
    draft.warnings.extend(tiered::of_log_directory(directory));
    Ok(draft.finish(Verb::Pids, partition, work.sound.kept))
}

/// Names the file of each step.
fn in_their_segments(directory: &PartitionDirectory, steps: Vec<Step>) -> Vec<Step> {
    let files = segments(directory);
    let steps = steps.into_iter().map(|mut step| {
        let begins = |file: &&SegmentFile| step.offset >= Some(file.base_offset);
        if let Some(file) = files.iter().rev().find(begins) {
            step.file = name_of(&file.path);
        }
        step
    });
    steps.collect()
}

/// The log as it will be.
struct Work {
    renumbering: Arc<Renumbering>,
    sound: Sound,
    /// Of each segment.
    changed: Vec<Changed>,
    revised: Revised,
    manager: Manager<1>,
}

/// What changes in a segment.
#[derive(Debug, Default)]
struct Changed {
    pieces: Vec<Piece>,
    /// How many batches, by their old and new ids, with the first offset.
    batches: BTreeMap<(ProducerId, ProducerId), (usize, Offset)>,
}

impl Work {
    fn carried_out(
        directory: &PartitionDirectory,
        partition: &str,
        renumbering: Renumbering,
        terms: &Terms,
    ) -> Result<Self, PlanError> {
        let renumbering = Arc::new(renumbering);
        let files = snapshot_files::read(directory, terms.access)?;
        let asked: BTreeSet<Offset> = files.iter().map(|file| file.offset).collect();
        let affected = renumbering.affected();
        let mut manager = Manager::<1>::new(partition.to_owned(), terms.rules);
        manager.count_all_as_replicated();
        let mut revised = Revised::new(affected, asked);
        let mut changed: Vec<Changed> = Vec::new();
        let sound = sound::read(directory, terms, &mut |item| {
            revised.before(&item, &manager);
            changed.resize_with(changed.len().max(item.segment + 1), Changed::default);
            let id = item.batch.producer_id;
            let new = renumbering.of(id, item.batch.base_offset);
            if let Some(changed) = changed.get_mut(item.segment) {
                changed.add(&item, new, &renumbering);
            }
            let mut batch = *item.batch;
            batch.producer_id = new.unwrap_or(id);
            let applied = manager.apply(Append::LOAD, &batch, item.control, &mut event::ignore);
            let entry = match applied {
                Ok(Applied::Taken { finished, .. }) => finished.and_then(|one| one.index_entry()),
                Ok(_) => None,
                Err(error) => {
                    let class = error.class();
                    let what = format!("as it would be ends with {class}: {error}");
                    return Err(PlanError::Refused {
                        path: directory.path.clone(),
                        refusal: Refusal::Producers(format!("a broker that loads the log {what}")),
                    });
                }
            };
            if let Some(Control::Marker(marker)) = item.control
                && marker.is_abort
            {
                revised.aborted(item.segment, &batch, entry);
            }
            Ok(())
        })?;
        revised.end(&manager);
        changed.resize_with(sound.segments.len(), Changed::default);
        let mut work = Self {
            renumbering,
            sound,
            changed,
            revised,
            manager,
        };
        work.name_pieces();
        Ok(work)
    }

    /// The segments' names are known when all is read.
    fn name_pieces(&mut self) {
        for (segment, changed) in self.sound.segments.iter().zip(&mut self.changed) {
            for piece in &mut changed.pieces {
                if let Piece::Range(range) | Piece::Edited(range, _) = piece {
                    range.file.clone_from(&segment.file);
                }
            }
        }
    }

    fn write(
        &self,
        draft: &mut Draft<'_>,
        directory: &PartitionDirectory,
        terms: &Terms,
    ) -> Result<(), PlanError> {
        let first = self.sound.segments.first();
        let first = first.map_or(Offset(0), |segment| segment.base);
        for (place, (segment, changed)) in self.sound.segments.iter().zip(&self.changed).enumerate()
        {
            changed.write(draft, &segment.file);
            let old = OldIndexes::read(directory, segment.base, terms.access)?;
            if !old.txn_is_whole {
                return Err(PlanError::Refused {
                    path: directory.path.clone(),
                    refusal: Refusal::Producers(format!(
                        "the transaction index of segment {} is damaged: `kfsck repair index` \
                         first",
                        segment.base
                    )),
                });
            }
            let keeps = |id| terms.rules.keeps_state_of(id);
            let new = self.revised.index(place, &old.aborted, first, &keeps);
            producer_files::write_index(draft, segment, &old.aborted, &new);
        }
        for file in snapshot_files::read(directory, terms.access)? {
            let Ok(snapshot) = &file.snapshot else {
                draft.warnings.push(format!(
                    "{} cannot be read and stays as it is: `kfsck repair snapshot --rebuild`",
                    file.name
                ));
                continue;
            };
            let keeps = |id| terms.rules.keeps_state_of(id);
            let new = self
                .revised
                .snapshot(file.offset, snapshot, &self.renumbering, &keeps);
            producer_files::write_snapshot(draft, &file.name, snapshot, &new);
        }
        Ok(())
    }

    /// Transactions of the ids that changed which nothing ends.
    fn left_open(&self, terms: &Terms) -> Vec<String> {
        let affected = self.renumbering.affected();
        let open = self.manager.ongoing();
        let open = open.filter(|open| affected.contains(&open.producer_id));
        let mut said: Vec<String> = open
            .map(|open| {
                let id = open.producer_id;
                format!(
                    "a transaction of producer {id} is open from offset {} on, and consumers of \
                     committed records wait there: where no marker of its own is to come, append \
                     an ABORT to the result (`kfsck repair abort --producer-id {id} --force`)",
                    open.first_offset
                )
            })
            .collect();
        if affected.iter().any(|id| !terms.rules.keeps_state_of(*id)) {
            said.push(
                "a broker keeps no state of ids below 0: it checks no sequences of theirs, their \
                 transactions hold nothing back, and consumers of committed records read what \
                 was aborted"
                    .to_owned(),
            );
        }
        said
    }
}

impl Changed {
    fn add(&mut self, item: &Item<'_>, new: Option<ProducerId>, edit: &Arc<Renumbering>) {
        let place = item.batch.place;
        let size = u64::from(place.size);
        if let Some(new) = new {
            let ids = (item.batch.producer_id, new);
            let counted = self.batches.entry(ids);
            counted.or_insert((0, item.batch.base_offset)).0 += 1;
        }
        match (self.pieces.last_mut(), new) {
            (Some(Piece::Range(range)), None) | (Some(Piece::Edited(range, _)), Some(_)) => {
                range.length += size;
                return;
            }
            _ => {}
        }
        let range = Range {
            file: String::new(),
            position: place.position,
            length: size,
        };
        self.pieces.push(match new {
            None => Piece::Range(range),
            Some(_) => Piece::Edited(range, Arc::<Renumbering>::clone(edit)),
        });
    }

    fn write(&self, draft: &mut Draft<'_>, file: &str) {
        if self.batches.is_empty() {
            return;
        }
        for ((old, new), (count, first)) in &self.batches {
            draft.steps.push(Step {
                action: Action::Change,
                file: file.to_owned(),
                position: None,
                size: None,
                offset: Some(*first),
                detail: format!("producer {old} becomes {new} in {}", split::batches(*count)),
            });
        }
        draft.put(file, Content::Pieces(self.pieces.clone()), file);
    }
}
