//! `repair pids --split`: the batches of one id, shared out among its writers.

use super::error::PlanError;
use super::new_ids::{self, Known};
use super::plan::{Action, Step};
use super::sound;
use super::terms::Terms;
use crate::analysis::log_findings::DEFAULT_EXPIRATION_MS;
use crate::analysis::unmix::{Decisions, Member, Members, Run, Undecidable, Unmixed, unmix};
use crate::format::number::{Offset, ProducerId};
use crate::storage::directory::PartitionDirectory;
use std::collections::{BTreeMap, BTreeSet};

/// So many ambiguous runs are told in full.
const MOST_TOLD: usize = 20;
/// So many runs make steps of their own.
const MOST_STEPS: usize = 200;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The id that several writers share.
    pub producer_id: ProducerId,
    /// The id of the second writer; one from the reserved range without it.
    pub new_id: Option<ProducerId>,
    /// How many writers may share the id, up to
    /// [`MOST_WRITERS`](crate::analysis::unmix::MOST_WRITERS); 1 where nobody knows: as few as the
    /// log needs.
    pub writers: usize,
    /// Writers that are known, by an offset of theirs.
    pub decisions: Decisions,
}

/// How the batches are shared out.
#[derive(Debug)]
pub(super) struct Splitting {
    /// The batches that get another id, by base offset.
    pub(super) new: BTreeMap<Offset, ProducerId>,
    /// What there is to say.
    pub(super) words: Vec<String>,
    /// Who wrote what, run by run.
    pub(super) steps: Vec<Step>,
}

impl Splitting {
    /// Everything stays.
    fn nothing(why: String) -> Self {
        Self {
            new: BTreeMap::new(),
            words: vec![why],
            steps: Vec::new(),
        }
    }
}

/// So many batches, in words.
pub(super) fn batches(count: usize) -> String {
    match count {
        1 => "1 batch".to_owned(),
        count => format!("{count} batches"),
    }
}

/// The batches of an id.
///
/// # Errors
/// A file that cannot be read, a log that is not sound.
pub(super) fn members(
    directory: &PartitionDirectory,
    id: ProducerId,
    terms: &Terms,
) -> Result<Vec<Member>, PlanError> {
    let mut members = Members::new(id);
    sound::read(directory, terms, &mut |item| {
        members.batch(item.batch, item.control);
        Ok(())
    })?;
    Ok(members.into_members())
}

impl Split {
    /// Shares the batches out.
    ///
    /// # Errors
    /// Why not, in words: batches that several may have written, a new id that will not do.
    pub(super) fn decide(
        &self,
        members: &[Member],
        in_use: &BTreeSet<ProducerId>,
        known: Known<'_>,
    ) -> Result<Splitting, String> {
        let id = self.producer_id;
        if members.is_empty() {
            return Ok(Splitting::nothing(format!(
                "producer {id}: no batch of it is in this log"
            )));
        }
        let decisions = self.open_decisions(members, in_use)?;
        let writers = match self.was_split(in_use) {
            true => 1,
            false => self.writers,
        };
        let found = unmix(members, writers, &decisions, DEFAULT_EXPIRATION_MS)
            .map_err(|error: Undecidable| format!("producer {id}: {error}"))?;
        if let Some(text) = not_followed(members, &decisions, &found) {
            return Err(format!("producer {id}: {text}"));
        }
        if found.count < 2 && found.is_certain() {
            return Ok(Splitting::nothing(format!(
                "producer {id}: one writer may have written all that it has here, {}; where you \
                 know that there were more, --writers tells what each may have written, and \
                 --assign OFFSET=1 says who wrote a batch",
                batches(members.len())
            )));
        }
        if let Some(text) = self.ambiguities(members, &found) {
            return Err(text);
        }
        let ids = self.new_ids(found.count, in_use, known)?;
        let mut new = BTreeMap::new();
        for (member, writer) in members.iter().zip(&found.writers) {
            if let Some(id) = writer.checked_sub(1).and_then(|place| ids.get(place)) {
                new.insert(member.seen.base_offset, *id);
            }
        }
        let mut words = vec![format!(
            "producer {id}: {} writers by its sequences, epochs and kinds of batches; one more \
             that contradicts none of them {}",
            found.count,
            match writers {
                1 => "would not show: --writers says how many there may be".to_owned(),
                writers => format!("was looked for among {writers}"),
            }
        )];
        words.extend(self.foreign_ends(members, &found, &ids));
        Ok(Splitting {
            new,
            words,
            steps: self.steps(members, &found, &ids),
        })
    }

    /// Whether a run before has given the other writers their ids.
    fn was_split(&self, in_use: &BTreeSet<ProducerId>) -> bool {
        in_use.contains(&self.new_id.unwrap_or(new_ids::RESERVED))
    }

    /// Decisions but for those that a run before has followed: their batches have another id.
    fn open_decisions(
        &self,
        members: &[Member],
        in_use: &BTreeSet<ProducerId>,
    ) -> Result<Decisions, String> {
        let is_here = |offset: &Offset| {
            members.iter().any(|member| {
                member.seen.base_offset <= *offset && *offset <= member.seen.last_offset
            })
        };
        let was_split = self.was_split(in_use);
        let mut open = Decisions::new();
        for (offset, writer) in &self.decisions {
            if is_here(offset) {
                open.insert(*offset, *writer);
            } else if *writer == 0 || !was_split {
                return Err(format!(
                    "offset {offset}: no batch of producer {} holds it",
                    self.producer_id
                ));
            }
        }
        Ok(open)
    }

    fn new_ids(
        &self,
        writers: usize,
        in_use: &BTreeSet<ProducerId>,
        known: Known<'_>,
    ) -> Result<Vec<ProducerId>, String> {
        if let Some(new) = self.new_id {
            if writers > 2 {
                return Err(format!(
                    "producer {}: {writers} writers, and --new-id names the id of one: leave it \
                     away",
                    self.producer_id
                ));
            }
            new_ids::check(new, in_use, known)?;
            return Ok(vec![new]);
        }
        let mut taken = in_use.clone();
        let mut ids = Vec::new();
        for _ in 1..writers {
            let id = new_ids::choose(&taken, known).ok_or("no producer id is free")?;
            taken.insert(id);
            ids.push(id);
        }
        Ok(ids)
    }

    /// Every run that several may have written, in words.
    fn ambiguities(&self, members: &[Member], found: &Unmixed) -> Option<String> {
        let id = self.producer_id;
        if found.is_cut_short {
            return Some(format!(
                "producer {id}: there are too many ways to share its batches out; decide some with \
                 --assign OFFSET=WRITER"
            ));
        }
        let runs: Vec<&Run> = found.runs.iter().filter(|run| run.is_ambiguous()).collect();
        if runs.is_empty() {
            return None;
        }
        let count: usize = runs.iter().map(|run| run.places.len()).sum();
        let mut told: Vec<String> = runs
            .iter()
            .take(MOST_TOLD)
            .map(|run| ambiguity(members, run))
            .collect();
        if runs.len() > MOST_TOLD {
            told.push(format!("and {} more places", runs.len() - MOST_TOLD));
        }
        Some(format!(
            "producer {id}: who wrote {count} of its {} batches is not certain; decide each with \
             --assign OFFSET=WRITER: {}",
            members.len(),
            told.join("; ")
        ))
    }

    /// Who wrote what.
    fn steps(&self, members: &[Member], found: &Unmixed, ids: &[ProducerId]) -> Vec<Step> {
        let runs = found.runs.iter();
        let changed = runs.filter(|run| run.writer > 0);
        let steps = changed.take(MOST_STEPS).map(|run| {
            let new = run.writer.checked_sub(1).and_then(|place| ids.get(place));
            Step {
                action: Action::Change,
                file: String::new(),
                position: None,
                size: None,
                offset: first_of(members, run).map(|member| member.seen.base_offset),
                detail: format!(
                    "writer {}, now producer {}: {} ({}, confidence {:.2})",
                    run.writer,
                    new.unwrap_or(&self.producer_id),
                    place_of(members, run),
                    run.link.name(),
                    run.confidence
                ),
            }
        });
        steps.collect()
    }

    /// Markers that have ended the transaction of another writer.
    fn foreign_ends(&self, members: &[Member], found: &Unmixed, ids: &[ProducerId]) -> Vec<String> {
        let mut open: Option<(usize, Offset)> = None;
        let mut said = Vec::new();
        let name = |writer: usize| match writer.checked_sub(1).and_then(|place| ids.get(place)) {
            Some(id) => format!("producer {id}"),
            None => format!("producer {}", self.producer_id),
        };
        for (member, writer) in members.iter().zip(&found.writers) {
            let at = member.seen.base_offset;
            let Some(marker) = member.marker else {
                if member.seen.is_transactional && member.is_data() {
                    open.get_or_insert((*writer, at));
                }
                continue;
            };
            if let Some((opener, first)) = open.take()
                && opener != *writer
            {
                let mut behind = members.iter().zip(&found.writers);
                let own = behind.find(|(member, writer)| {
                    **writer == opener && member.marker.is_some() && member.seen.base_offset > at
                });
                let end = match own {
                    Some((own, _)) => format!(
                        "ends with its own marker at offset {} now, and its records count as that \
                         says",
                        own.seen.base_offset
                    ),
                    None => "has no marker of its own and is open now".to_owned(),
                };
                said.push(format!(
                    "the {} at offset {at}, of {}, has ended the transaction of {} from offset \
                     {first} on: that one {end}",
                    if marker.is_abort { "ABORT" } else { "COMMIT" },
                    name(*writer),
                    name(opener)
                ));
            }
        }
        said
    }
}

/// A decision that did not come to be: writers have their numbers by their first batches.
fn not_followed(members: &[Member], decisions: &Decisions, found: &Unmixed) -> Option<String> {
    let all = members.iter().zip(&found.writers);
    decisions.iter().find_map(|(offset, asked)| {
        let holds = |(member, _): &(&Member, &usize)| {
            member.seen.base_offset <= *offset && *offset <= member.seen.last_offset
        };
        let (_, writer) = all.clone().find(holds)?;
        (writer != asked).then(|| {
            format!(
                "offset {offset}: expected its batch to be of writer {asked}, as --assign says, \
                 found writer {writer}: writer 0 wrote the first batch of the id, and each further \
                 one has the next number"
            )
        })
    })
}

fn first_of<'m>(members: &'m [Member], run: &Run) -> Option<&'m Member> {
    members.get(*run.places.first()?)
}

/// The offsets and numbers of a run's batches.
fn place_of(members: &[Member], run: &Run) -> String {
    let first = first_of(members, run);
    let last = run.places.last().and_then(|place| members.get(*place));
    let Some((first, last)) = first.zip(last) else {
        return String::new();
    };
    let numbers = match first.is_data() {
        true => format!("sequences from {}", first.seen.base_sequence),
        false => "a marker first".to_owned(),
    };
    format!(
        "{}, offsets {} to {}, epoch {}, {numbers}",
        batches(run.places.len()),
        first.seen.base_offset,
        last.seen.last_offset,
        first.seen.producer_epoch,
    )
}

fn ambiguity(members: &[Member], run: &Run) -> String {
    let own = (run.writer, run.link, run.confidence);
    let others = run.others.iter();
    let others = others.map(|other| (other.writer, other.link, other.confidence));
    let ways: Vec<String> = [own]
        .into_iter()
        .chain(others)
        .map(|(writer, link, confidence)| {
            format!("writer {writer} ({confidence:.2}: {})", link.meaning())
        })
        .collect();
    format!("{}: {}", place_of(members, run), ways.join(" or "))
}
