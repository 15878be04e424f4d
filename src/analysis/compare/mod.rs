//! Two logs of one partition side by side: a mirror and its source, or two replicas.
//!
//! Both are read front to back once, each on a thread of its own, and compared by offset, whatever
//! their segments are. What is kept: stretches of offsets that are the same or differ in one way,
//! so many of each at most, and a record of fixed size for each producer id.

mod barriers;
mod content;
mod difference;
mod epochs;
mod judge;
mod pairing;
mod producers;
mod reading;
pub mod restore;
mod side;
mod stretches;
mod verdict;

pub use barriers::ControlSeen;
pub use content::Mapped;
pub use difference::{Difference, Kind, Shown, ShownBatch, Tally};
pub use epochs::{Divergence, Lineage};
pub use judge::Equal;
pub use producers::{Collision, IdPair, Relation as IdRelation};
pub use side::{ComparedLog, Side};
pub use verdict::{Behind, Comparison, Keep, Relation, Sum, Totals, Verdict, is_collision};

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::thread::{self, Scope};

use super::strands::{Options, Strands};
use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::state::read::{Item, SegmentFile, read_source};
use crate::storage::source::ReadError;
use judge::Judge;
use pairing::{Front, Meeting, Pairs};
use stretches::Stretches;

/// Compares two logs.
///
/// # Errors
/// A file cannot be opened or read, or was changed meanwhile.
pub fn compare(source: &ComparedLog, dest: &ComparedLog) -> Result<Comparison, ReadError> {
    let options = Options {
        log_start: Some(dest.start),
        ..Options::default()
    };
    let mut judge = Judge::new(Strands::new(options).of(dest.name.as_ref()));
    let ends = meet(source, dest, &mut |meeting, pairs| {
        judge.take(&meeting, pairs)
    })?;
    conclude([source, dest], ends, judge)
}

/// Reads both logs and gives what meets what, with the batches that come next; gives where the logs
/// end.
fn meet(
    source: &ComparedLog,
    dest: &ComparedLog,
    take: &mut dyn FnMut(Meeting, &Pairs) -> Result<(), ReadError>,
) -> Result<[Offset; 2], ReadError> {
    thread::scope(|scope| {
        let mut pairs = Pairs {
            source: front(scope, source)?,
            dest: front(scope, dest)?,
        };
        while let Some(meeting) = pairs.next_meeting()? {
            take(meeting, &pairs)?;
        }
        Ok([
            pairs.source.end().max(source.last_base()),
            pairs.dest.end().max(dest.last_base()),
        ])
    })
}

/// Begins to read a log. Its thread ends when nobody takes its portions any more.
fn front<'s>(scope: &'s Scope<'s, '_>, log: &'s ComparedLog) -> Result<Front, ReadError> {
    let (sender, portions) = sync_channel(reading::WAITING);
    let begun = thread::Builder::new().spawn_scoped(scope, move || reading::read(log, &sender));
    begun.map_err(|reason| ReadError::Open {
        path: log.path.clone(),
        reason,
    })?;
    let stretches = Stretches::new(portions, log.first_base(), log.named_end);
    Ok(Front::new(stretches, log.start))
}

fn conclude(
    logs: [&ComparedLog; 2],
    ends: [Offset; 2],
    judge: Judge,
) -> Result<Comparison, ReadError> {
    let Judge {
        equal,
        equal_left_out,
        mut differences,
        ids,
        controls,
        strands,
        totals,
        epochs,
        cleaned,
        ..
    } = judge;
    let [source, dest] = logs;
    differences.settle_holes(|side| match side {
        Side::Source => source.is_compacted || cleaned[0],
        Side::Dest => dest.is_compacted || cleaned[1],
    });
    let (differences, tallies, differences_left_out) = differences.into_parts();
    let (controls, controls_left_out) = controls.into_parts();
    let ids = ids.into_list(&strands.into_report().findings);
    let [of_source, of_dest] = epochs;
    let lineage = |log: &ComparedLog, batches, end| {
        Lineage::of(log.checkpoint.as_ref(), batches, (log.start, end))
    };
    let lineages = [
        lineage(source, of_source, ends[0]),
        lineage(dest, of_dest, ends[1]),
    ];
    let divergence = epochs::divergence(&lineages[0], &lineages[1]);
    let mut behind = [Behind::default(); 2];
    if let Some(cut) = divergence {
        for ((log, end), behind) in logs.into_iter().zip(ends).zip(&mut behind) {
            *behind = behind_of(log, cut.end_offset, end)?;
        }
    }
    let clusters = logs.map(|log| log.cluster_id.as_deref());
    let relation = verdict::relation(clusters, &ids, &controls);
    let has = |kind| tallies.iter().any(|(one, _)| *one == kind);
    let rewrites_epochs =
        relation == Relation::Mirror && (has(Kind::LeaderEpoch) || has(Kind::ProducerIdMapped));
    let mut comparison = Comparison {
        equal,
        equal_left_out,
        differences,
        differences_left_out,
        tallies,
        divergence,
        behind,
        lineages,
        controls,
        controls_left_out,
        ids,
        totals,
        relation,
        rewrites_epochs,
        keep: Keep::Undecided,
    };
    comparison.keep = verdict::keep(&comparison);
    Ok(comparison)
}

/// What a log that ends at `end` has at `from` and behind it.
fn behind_of(log: &ComparedLog, from: Offset, end: Offset) -> Result<Behind, ReadError> {
    let mut behind = Behind::default();
    if end <= from {
        return Ok(behind);
    }
    let holds = |segment: &SegmentFile| segment.base_offset <= from;
    let first = log.segments.iter().rposition(holds).unwrap_or(0);
    for segment in log.segments.iter().skip(first) {
        let file = log.open(segment)?;
        let visit = &mut |item: Item<'_>| {
            if let Item::Batch(batch, _) = item
                && batch.last_offset >= from
            {
                behind.batches += 1;
                behind.records += match (batch.is_control, batch.magic < MAGIC) {
                    (true, _) => 0,
                    (_, true) => 1,
                    _ => u64::try_from(batch.count).unwrap_or(0),
                };
            }
            ControlFlow::Continue(())
        };
        read_source(&file, segment.base_offset, true, &mut |_| false, visit)?;
        file.check()?;
    }
    Ok(behind)
}
