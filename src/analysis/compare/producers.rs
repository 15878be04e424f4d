//! Which producer ids stay, which are mapped, and which come to lie on each other.

use std::collections::{HashMap, HashSet};

use super::content::Mapped;
use super::reading::Seen;
use crate::analysis::strands::{Finding, Grade};
use crate::format::number::{Offset, ProducerId};

/// How an id of one log stands to the other log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is the same in both.
    Same,
    /// Dest has it under an id that a draft makes of it.
    Mapped(Mapped),
    /// Source has it under an id that a draft makes of dest's: dest was the source before, as
    /// after a failback.
    MappedBack(Mapped),
    /// Dest has it under another id.
    Changed,
    /// Batches that source alone has.
    SourceOnly,
    /// Batches that dest alone has.
    DestOnly,
}

impl Relation {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Mapped(_) => "mapped",
            Self::MappedBack(_) => "mapped-back",
            Self::Changed => "changed",
            Self::SourceOnly => "source-only",
            Self::DestOnly => "dest-only",
        }
    }
}

/// Why an id of dest belongs to more than one writer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Collision {
    /// Ids of source that differ became this one; so many.
    ManyToOne(usize),
    /// Batches under it are of two writers, as far as they show it.
    TwoWriters {
        /// How sure that is.
        grade: Grade,
        /// The same as a number, 0 to 1.
        confidence: f64,
        /// The batch that shows it.
        offset: Offset,
    },
}

/// A producer id in both logs, or in one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdPair {
    /// In source.
    pub source: Option<ProducerId>,
    /// In dest.
    pub dest: Option<ProducerId>,
    /// How they stand to each other.
    pub relation: Relation,
    /// So many batches.
    pub batches: u64,
    /// The first offset of the first.
    pub first_offset: Offset,
    /// The last offset of the last.
    pub last_offset: Offset,
    /// Another writer has the id of dest too.
    pub collision: Option<Collision>,
}

/// Gathers pairs of ids.
#[derive(Debug, Default)]
pub(super) struct IdPairs {
    pairs: HashMap<(Option<ProducerId>, Option<ProducerId>), IdPair>,
}

impl IdPairs {
    /// Takes in batches that are the same, or one that only one log has.
    pub(super) fn note(&mut self, source: Option<&Seen>, dest: Option<&Seen>) {
        let Some(seen) = source.or(dest) else {
            return;
        };
        let id = |seen: Option<&Seen>| {
            seen.map(|seen| seen.batch.producer_id)
                .filter(|id| *id != ProducerId::NONE)
        };
        let key = (id(source), id(dest));
        let relation = match key {
            (None, None) => return,
            (Some(_), None) => Relation::SourceOnly,
            (None, Some(_)) => Relation::DestOnly,
            (Some(one), Some(other)) if one == other => Relation::Same,
            (Some(one), Some(other)) => {
                let forth = Mapped::between(one, other).map(Relation::Mapped);
                let back = || Mapped::between(other, one).map(Relation::MappedBack);
                forth.or_else(back).unwrap_or(Relation::Changed)
            }
        };
        let pair = self.pairs.entry(key).or_insert(IdPair {
            source: key.0,
            dest: key.1,
            relation,
            batches: 0,
            first_offset: seen.batch.base_offset,
            last_offset: seen.batch.last_offset,
            collision: None,
        });
        pair.batches += 1;
        pair.last_offset = pair.last_offset.max(seen.batch.last_offset);
    }

    /// The pairs in the order in which they appear, with what of dest collides.
    pub(super) fn into_list(self, findings: &[Finding]) -> Vec<IdPair> {
        let mut sources: HashMap<ProducerId, usize> = HashMap::new();
        for (source, dest) in self.pairs.keys() {
            if let (Some(_), Some(dest)) = (source, dest) {
                *sources.entry(*dest).or_default() += 1;
            }
        }
        let shared: HashMap<ProducerId, &Finding> = findings
            .iter()
            .rev()
            .map(|finding| (finding.producer_id, finding))
            .collect();
        let both = self.pairs.keys().filter(|(_, dest)| dest.is_some());
        let known: HashSet<ProducerId> = both.filter_map(|(source, _)| *source).collect();
        // Of an id that dest has as well more batches in source tell nothing new.
        let tells = |pair: &IdPair| {
            let is_known = pair.source.is_some_and(|id| known.contains(&id));
            pair.relation != Relation::SourceOnly || !is_known
        };
        let mut list: Vec<IdPair> = self.pairs.values().copied().filter(tells).collect();
        for pair in &mut list {
            let Some(dest) = pair.dest else {
                continue;
            };
            let two = shared.get(&dest).map(|finding| Collision::TwoWriters {
                grade: finding.grade,
                confidence: finding.confidence,
                offset: finding.offset(),
            });
            let many = sources.get(&dest).copied().filter(|count| *count > 1);
            pair.collision = many.map(Collision::ManyToOne).or(two);
        }
        list.sort_by_key(|pair| (pair.first_offset, pair.source, pair.dest));
        list
    }
}
