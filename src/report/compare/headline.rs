//! What a comparison comes to, in one or two sentences.

use super::{View, batches, offsets, range, records_of};
use crate::analysis::compare::{Comparison, Difference, Kind, Relation, Side, Verdict};
use crate::format::number::Offset;
use crate::report::measure::count;
use crate::report::paragraph::wrap;

/// Writes the verdict.
pub(super) fn write(view: &View<'_>, out: &mut String) {
    wrap(&sentence(view.comparison), 0, 0, out);
    let collisions = view.comparison.ids.iter();
    let collisions = collisions
        .filter(|pair| crate::analysis::compare::is_collision(pair))
        .count() as u64;
    if collisions > 0 {
        let text = format!(
            "COLLISION: {} of dest {} to more than one writer; see below.",
            count(collisions, "producer id"),
            if collisions == 1 { "belongs" } else { "belong" }
        );
        wrap(&text, 0, 0, out);
    }
    out.push('\n');
}

fn sentence(comparison: &Comparison) -> String {
    match comparison.verdict() {
        Verdict::Identical => match comparison.equal.first() {
            None => "IDENTICAL: both logs hold nothing.".to_owned(),
            Some(_) => format!(
                "IDENTICAL: {} at offsets {}, byte by byte.",
                count(comparison.totals.equal.records, "record"),
                whole_range(comparison)
            ),
        },
        Verdict::Equal => format!(
            "EQUAL as far as the two may be: {} byte by byte the same{}.",
            batches(comparison.totals.equal.batches),
            legal(comparison)
        ),
        Verdict::Behind => format!(
            "BEHIND: dest is the same up to offset {} and lacks {} that source has behind it{}.",
            comparison.end(Side::Dest).plus(-1),
            count(records_of(comparison, Kind::Lag), "record"),
            legal(comparison)
        ),
        Verdict::Ahead => ahead(comparison),
        Verdict::Missing => missing(comparison),
        Verdict::Damaged => damaged(comparison),
        Verdict::Differs => {
            "DIFFERENT: the records are the same, what is around them is not.".to_owned()
        }
        Verdict::Conflict => {
            let first = comparison.first_difference().map_or(Offset(0), at);
            let kinds = [Kind::Content, Kind::ProducerId].map(|kind| comparison.tally(kind));
            let number = kinds.iter().map(|tally| tally.batches).sum();
            format!(
                "CONFLICT: from offset {first} on {} sound in both logs and not the same, under \
                 the same leader epoch. Replication does not do that.",
                match number {
                    1 => "1 batch is".to_owned(),
                    more => format!("{more} batches are"),
                }
            )
        }
        Verdict::Diverged => diverged(comparison),
    }
}

const fn at(difference: &Difference) -> Offset {
    difference.offset
}

fn whole_range(comparison: &Comparison) -> String {
    match (comparison.equal.first(), comparison.equal.last()) {
        (Some(first), Some(last)) => offsets(first.first_offset, last.last_offset),
        _ => String::new(),
    }
}

/// What else differs that may.
fn legal(comparison: &Comparison) -> String {
    let mut parts = Vec::new();
    for (kind, text) in [
        (Kind::ProducerIdMapped, "with mapped producer ids"),
        (Kind::LeaderEpoch, "under another leader epoch"),
        (Kind::Compacted, "where a cleaner was in one log alone"),
        (Kind::LogStart, "below the other's log start"),
    ] {
        let tally = comparison.tally(kind);
        if tally.batches > 0 {
            parts.push(format!("{} {text}", batches(tally.batches)));
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("; {}", parts.join(", ")),
    }
}

fn ahead(comparison: &Comparison) -> String {
    let records = records_of(comparison, Kind::MissingInSource);
    let end = comparison.end(Side::Source);
    let marks = comparison.tally(Kind::Control).batches;
    match marks {
        0 => format!(
            "AHEAD: dest goes on where source ends, at offset {end}, with {}.",
            count(records, "record")
        ),
        _ => format!(
            "STOPPED MIRROR: dest goes on where source ends, at offset {end}, with {} of the \
             stop and {} of its own.",
            count(marks, "control batch").replace("batchs", "batches"),
            count(records, "record")
        ),
    }
}

fn missing(comparison: &Comparison) -> String {
    let parts: Vec<_> = [Side::Source, Side::Dest]
        .into_iter()
        .filter_map(|side| {
            let records = records_of(comparison, Kind::missing_in(side));
            (records > 0).then(|| format!("{} lacks {}", side.name(), count(records, "record")))
        })
        .collect();
    format!(
        "MISSING: {} that the other has, without a trace of damage or of a cleaner.",
        match parts.is_empty() {
            true => "one log lacks batches".to_owned(),
            false => parts.join(", "),
        }
    )
}

fn damaged(comparison: &Comparison) -> String {
    let totals = &comparison.totals;
    let mut text = "DAMAGED:".to_owned();
    let mut places = Vec::new();
    for (kind, what) in [
        (Kind::DamagedInSource, "source"),
        (Kind::DamagedInDest, "dest"),
        (Kind::DamagedInBoth, "both at the same offsets"),
    ] {
        let number = comparison.tally(kind).stretches;
        if number > 0 {
            let first = comparison.differences.iter().find(|one| one.kind == kind);
            let first = first.map_or_else(String::new, |one| format!(" ({})", range(one)));
            places.push(match number {
                1 => format!("{what} in 1 place{first}"),
                _ => format!("{what} in {number} places, the first{first}"),
            });
        }
    }
    text += &format!(" {}.", places.join("; "));
    let records = totals.restorable_in_source.records + totals.restorable_in_dest.records;
    text += &match comparison.tally(Kind::DamagedInBoth).stretches {
        0 => format!(" The union of both restores {}", count(records, "record")),
        _ => format!(
            " The union of both restores {}; the rest is lost in both",
            count(records, "record")
        ),
    };
    text + " (--restore-to)."
}

fn diverged(comparison: &Comparison) -> String {
    let first = comparison.first_conflict().map_or(Offset(0), at);
    let epochs = comparison.divergence.map_or_else(String::new, |cut| {
        format!(
            " The last leader epoch that both have is {}.",
            cut.leader_epoch
        )
    });
    let mirror = match comparison.relation {
        Relation::Mirror if comparison.controls.iter().any(is_barrier_of_dest) => {
            " The mirror was stopped there."
        }
        _ => "",
    };
    format!(
        "DIVERGED at offset {first}: up to there both logs are one, from there on each goes its \
         own way.{mirror}{epochs}"
    )
}

fn is_barrier_of_dest(one: &crate::analysis::compare::ControlSeen) -> bool {
    let barrier = crate::format::control::ControlType::MirrorPidReset;
    one.only_in == Some(Side::Dest) && one.control_type == barrier
}

/// What the logs are to each other, and how that is known.
pub(super) fn relation(view: &View<'_>) -> String {
    let name = |log: Option<&str>| {
        let id = log.unwrap_or("?");
        crate::report::one_line::on_one_line(id).into_owned()
    };
    let clusters = (
        view.source.cluster_id.as_deref(),
        view.dest.cluster_id.as_deref(),
    );
    match (view.comparison.relation, clusters) {
        (Relation::Replicas, (id, _)) => format!("Replicas: both of cluster {}.", name(id)),
        (Relation::Mirror, (Some(source), Some(dest))) => format!(
            "A mirror: source of cluster {}, dest of cluster {}.",
            name(Some(source)),
            name(Some(dest))
        ),
        (Relation::Mirror, _) => {
            "A mirror, by what it has left in dest: mapped producer ids or a barrier.".to_owned()
        }
        (Relation::Unknown, _) => "Replicas, or a mirror that changes nothing: no \
                                   meta.properties lies beside both directories."
            .to_owned(),
    }
}
