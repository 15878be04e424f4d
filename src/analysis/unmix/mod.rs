//! Which batches of a shared producer id are of which writer: every batch of one id gets a writer,
//! and each one that another writer may have written as well is told with both.
//!
//! [`super::strands`] tells that two writers share an id; this tells them apart. It looks at the
//! same things, headers and control records, but takes nothing for proof but what a client never
//! does: its epoch goes back, its sequences of an epoch go back, it writes inside and outside of
//! transactions. Of all ways to share the batches out that need the fewest writers, those without
//! such a contradiction stand beside each other; a batch that has one writer in all of them is
//! certain, every other is ambiguous. Who knows how many share the id says so, and then all ways
//! with so many stand beside each other. Besides, batches that follow each other under one leader
//! are of one writer, once there are more of them than a broker remembers: see `piece`.
//!
//! `docs/collisions.md` tells how often it is right, and what it cannot see.

mod member;
mod paths;
mod piece;
#[cfg(test)]
mod tests;
mod writer;

pub use member::{Member, Members};
pub use paths::MOST_WRITERS;
pub use writer::Link;

use crate::format::number::Offset;
use paths::{Candidate, Known, Ways};
use piece::{Piece, Pieces};
use std::collections::BTreeMap;

/// Batches that are shared out.
#[derive(Debug, Clone, PartialEq)]
pub struct Unmixed {
    /// Who wrote each batch, in the order of the members that were given. Writer 0 wrote the first
    /// one, and a new writer has the next number.
    pub writers: Vec<usize>,
    /// Runs of batches that have one writer whoever that is, in the order of their first batches.
    pub runs: Vec<Run>,
    /// How many writers there are in the likeliest way.
    pub count: usize,
    /// There were too many ways to look at all of them: what seems certain may not be.
    pub is_cut_short: bool,
}

/// Batches of one writer.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Their places among the members, rising.
    pub places: Vec<usize>,
    /// The likeliest writer.
    pub writer: usize,
    /// How its first batch comes to be that writer's.
    pub link: Link,
    /// How sure that is, 0 to 1: 1 where nobody else can have written it.
    pub confidence: f64,
    /// Who else may have.
    pub others: Vec<Other>,
}

/// Another writer of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Other {
    /// Who.
    pub writer: usize,
    /// How the run's first batch would come to be that writer's.
    pub link: Link,
    /// How likely, 0 to 1.
    pub confidence: f64,
}

impl Unmixed {
    /// Nothing contradicts that all batches are of one writer.
    fn of_one_writer(batches: usize) -> Self {
        let run = Run {
            places: (0..batches).collect(),
            writer: 0,
            link: Link::Begins,
            confidence: 1.0,
            others: Vec::new(),
        };
        let (writers, is_cut_short) = (vec![0; batches], false);
        Self {
            writers,
            runs: if batches > 0 { vec![run] } else { Vec::new() },
            count: usize::from(batches > 0),
            is_cut_short,
        }
    }

    /// Whether every batch has one possible writer.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        !self.is_cut_short && !self.runs.iter().any(Run::is_ambiguous)
    }
}

impl Run {
    /// Whether another writer may have written it.
    #[must_use]
    pub const fn is_ambiguous(&self) -> bool {
        !self.others.is_empty()
    }
}

/// What was decided by hand: the writer of the batch that holds an offset.
pub type Decisions = BTreeMap<Offset, usize>;

/// A decision that cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undecidable {
    /// No batch of the id.
    #[error("offset {0}: no batch of this producer id holds it")]
    NoBatch(Offset),
    /// Two decisions for batches that are of one writer.
    #[error("offset {offset}: its batch is of the writer of offset {other}, who was decided")]
    Contradicted {
        /// This one.
        offset: Offset,
        /// Where the other writer was decided for.
        other: Offset,
    },
}

/// Shares the batches of an id out. `writers` may share it, 1 to [`MOST_WRITERS`]: all ways with so
/// many stand beside each other, and more are thought of only where the log needs them. Where it is
/// true, whatever comes out as certain holds for writers too that left no contradiction.
///
/// # Errors
/// A decision for an offset that no batch holds, or two that contradict each other.
pub fn unmix(
    members: &[Member],
    writers: usize,
    decisions: &Decisions,
    expiration_ms: i64,
) -> Result<Unmixed, Undecidable> {
    let pieces = Pieces::cut(members, expiration_ms);
    let are_of_one = || {
        let is_misplaced = || pieces.are_of_one_misplaced_writer(members);
        pieces.are_of_one_writer(members) || is_misplaced()
    };
    if writers < 2 && decisions.is_empty() && are_of_one() {
        return Ok(Unmixed::of_one_writer(members.len()));
    }
    let known = Known {
        writers: writers.clamp(1, MOST_WRITERS),
        decided: decided(members, &pieces, decisions)?,
        in_any_order: false,
    };
    let mut ways = paths::ways(members, &pieces.pieces, &known, expiration_ms);
    let count = ways.likeliest.iter().max().map_or(0, |writer| writer + 1);
    if count > 1 && pieces.may_be_misplaced(members) {
        // Among as many writers, another may have written what seems to be one's for certain.
        let known = Known {
            writers: known.writers.max(count),
            in_any_order: true,
            ..known
        };
        let other = paths::ways(members, &pieces.pieces, &known, expiration_ms);
        ways.doubt_by(other);
    }
    let mut writers = vec![0; members.len()];
    let mut runs = runs(&pieces.pieces, &ways);
    let mut run_of = vec![0; members.len()];
    for (number, run) in runs.iter().enumerate() {
        for place in &run.places {
            set(&mut writers, *place, run.writer);
            set(&mut run_of, *place, number);
        }
    }
    for (place, original) in &pieces.copies {
        let number = run_of.get(*original).copied().unwrap_or(0);
        set(&mut run_of, *place, number);
        if let Some(run) = runs.get_mut(number) {
            set(&mut writers, *place, run.writer);
            run.places.push(*place);
            run.places.sort_unstable();
        }
    }
    Ok(Unmixed {
        writers,
        runs,
        count,
        is_cut_short: ways.is_cut_short,
    })
}

fn set(list: &mut [usize], place: usize, value: usize) {
    if let Some(entry) = list.get_mut(place) {
        *entry = value;
    }
}

/// The decided writers by the pieces that the decisions are for.
fn decided(
    members: &[Member],
    pieces: &Pieces,
    decisions: &Decisions,
) -> Result<BTreeMap<usize, usize>, Undecidable> {
    let mut decided: BTreeMap<usize, (usize, Offset)> = BTreeMap::new();
    for (offset, writer) in decisions {
        let holds = |member: &Member| {
            member.seen.base_offset <= *offset && *offset <= member.seen.last_offset
        };
        let place = members.iter().position(holds);
        let place = place.ok_or(Undecidable::NoBatch(*offset))?;
        let copy = pieces.copies.iter().find(|(copy, _)| *copy == place);
        let place = copy.map_or(place, |(_, original)| *original);
        let has = |piece: &Piece| piece.places.binary_search(&place).is_ok();
        let Some(piece) = pieces.pieces.iter().position(has) else {
            return Err(Undecidable::NoBatch(*offset));
        };
        let known = decided.entry(piece).or_insert((*writer, *offset));
        if known.0 != *writer {
            return Err(Undecidable::Contradicted {
                offset: *offset,
                other: known.1,
            });
        }
    }
    Ok(decided
        .into_iter()
        .map(|(piece, (writer, _))| (piece, writer))
        .collect())
}

fn runs(pieces: &[Piece], ways: &Ways) -> Vec<Run> {
    let known = pieces.iter().zip(&ways.candidates).zip(&ways.likeliest);
    known
        .map(|((piece, candidates), writer)| run(piece, candidates, *writer))
        .collect()
}

fn run(piece: &Piece, candidates: &[Candidate], writer: usize) -> Run {
    let weight = |candidate: &Candidate| (-f64::from(candidate.doubt) / 10.0).exp();
    let whole: f64 = candidates.iter().map(weight).sum();
    let part = |candidate: &Candidate| weight(candidate) / whole;
    let own = candidates.iter().find(|one| one.writer == writer);
    let others = candidates.iter().filter(|one| one.writer != writer);
    Run {
        places: piece.places.clone(),
        writer,
        link: own.map_or(Link::Decided, |own| own.link),
        confidence: own.map_or(0.0, part),
        others: others
            .map(|other| Other {
                writer: other.writer,
                link: other.link,
                confidence: part(other),
            })
            .collect(),
    }
}
