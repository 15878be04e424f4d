//! A comparison of two logs: sentences and tables for people, or one JSON document.

mod advice;
mod headline;
mod json;
mod restored;
mod side_by_side;

pub use json::json;

use std::path::Path;

use super::measure::count;
use super::one_line::path_on_one_line;
use super::paragraph::wrap;
use super::table::{Align, Table};
use crate::analysis::compare::restore::Plan;
use crate::analysis::compare::{
    ComparedLog, Comparison, ControlSeen, Difference, IdPair, IdRelation, Kind, Mapped, Side,
    is_collision,
};
use crate::format::control::ControlType;
use crate::format::number::{Offset, ProducerId};
use crate::rebuild::partition::Written;

/// Rows of a table in text.
const ROWS: usize = 20;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The first log.
    pub source: &'a ComparedLog,
    /// The second log.
    pub dest: &'a ComparedLog,
    /// What they are to each other.
    pub comparison: &'a Comparison,
    /// What became of their union, where it was asked for.
    pub restored: Option<&'a Restored>,
}

/// What became of a union.
#[derive(Debug)]
pub struct Restored {
    /// What it is.
    pub plan: Plan,
    /// Where it was written; `None` where it was not.
    pub written: Option<Written>,
    /// Where it starts, where that is inside its first segment.
    pub start_inside: Option<Offset>,
    /// What is not as it should be with what was written; a sentence each.
    pub left: Vec<String>,
}

impl<'a> View<'a> {
    const fn log(&self, side: Side) -> &'a ComparedLog {
        match side {
            Side::Source => self.source,
            Side::Dest => self.dest,
        }
    }
}

/// The comparison as text: what it comes to, the first difference side by side, then all of it.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let comparison = view.comparison;
    let mut out = String::new();
    headline::write(view, &mut out);
    for side in [Side::Source, Side::Dest] {
        log_line(view, side, &mut out);
    }
    wrap(&headline::relation(view), 0, 0, &mut out);
    if let Some(first) = comparison.first_difference() {
        side_by_side::write(first, "First difference", &mut out);
    }
    differences(comparison, &mut out);
    advice::write(view, &mut out);
    if let Some(restored) = view.restored {
        restored::write(restored, &mut out);
    }
    controls(&comparison.controls, &mut out);
    ids(&comparison.ids, &mut out);
    out.into_bytes()
}

fn log_line(view: &View<'_>, side: Side, out: &mut String) {
    let log = view.log(side);
    let totals = &view.comparison.totals;
    let (sum, (damages, _)) = match side {
        Side::Source => (totals.source, totals.damaged_in_source),
        Side::Dest => (totals.dest, totals.damaged_in_dest),
    };
    let name = format!("{:6}  ", side.name());
    let mut text = format!(
        "{}: log start {}, log end {}; {} in {}",
        path_on_one_line(&log.path),
        log.start,
        view.comparison.end(side),
        count(sum.records, "record"),
        batches(sum.batches),
    );
    if damages > 0 {
        text += &format!("; {}", count(damages, "damage"));
    }
    out.push_str(&name);
    wrap(&text, name.len(), name.len(), out);
}

fn batches(number: u64) -> String {
    match number {
        1 => "1 batch".to_owned(),
        _ => format!("{number} batches"),
    }
}

fn differences(comparison: &Comparison, out: &mut String) {
    if comparison.differences.is_empty() {
        return;
    }
    out.push_str("\nDifferences:\n");
    let mut table = Table::new(&[
        ("offsets", Align::Left),
        ("kind", Align::Left),
        ("batches", Align::Right),
        ("records", Align::Right),
        ("severity", Align::Left),
    ]);
    for difference in comparison.differences.iter().take(ROWS) {
        table.row([
            range(difference),
            difference.kind.name().to_owned(),
            difference.batches.to_string(),
            difference.records.to_string(),
            comparison.severity(difference.kind).name().to_owned(),
        ]);
    }
    push_table(&table, out);
    let more = comparison.differences.len().saturating_sub(ROWS) as u64;
    more_rows(more + comparison.differences_left_out, out);
    let mut kinds: Vec<_> = comparison.tallies.iter().map(|(kind, _)| *kind).collect();
    kinds.retain(|kind| comparison.tally(*kind).stretches > 0);
    for kind in kinds {
        let name = format!("  {}: ", kind.name());
        out.push_str(&name);
        wrap(advice::meaning(kind), name.len(), 4, out);
    }
}

fn range(difference: &Difference) -> String {
    match difference.last_offset {
        Some(last) => offsets(difference.offset, last),
        None => format!("{} and on", difference.offset),
    }
}

fn offsets(first: Offset, last: Offset) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    }
}

fn push_table(table: &Table, out: &mut String) {
    for line in table.lines() {
        out.push_str("  ");
        out.push_str(&line);
        out.push('\n');
    }
}

fn more_rows(more: u64, out: &mut String) {
    if more > 0 {
        out.push_str(&format!("  and {more} more (--format json)\n"));
    }
}

fn controls(controls: &[ControlSeen], out: &mut String) {
    if controls.is_empty() {
        return;
    }
    out.push_str("\nBarriers, and end markers that one log alone has:\n");
    let mut table = Table::new(&[
        ("offset", Align::Right),
        ("type", Align::Left),
        ("in", Align::Left),
        ("producer", Align::Right),
        ("leader epoch", Align::Right),
        ("source cluster", Align::Left),
    ]);
    for one in controls.iter().take(ROWS) {
        let is_barrier = one.control_type == ControlType::MirrorPidReset;
        table.row([
            one.offset.to_string(),
            one.control_type.to_string(),
            one.only_in.map_or("both", Side::name).to_owned(),
            match is_barrier {
                true => "-".to_owned(),
                false => one.producer_id.to_string(),
            },
            one.leader_epoch.to_string(),
            super::one_line::on_one_line(one.source_cluster_id.as_deref().unwrap_or("-"))
                .into_owned(),
        ]);
    }
    push_table(&table, out);
    more_rows(controls.len().saturating_sub(ROWS) as u64, out);
}

/// The ids that tell something: all but those that stay, which are counted.
fn ids(ids: &[IdPair], out: &mut String) {
    if ids.is_empty() {
        return;
    }
    let tells = |pair: &&IdPair| pair.relation != IdRelation::Same || is_collision(pair);
    let same = ids.iter().filter(|pair| !tells(pair)).count();
    let told: Vec<_> = ids.iter().filter(tells).collect();
    out.push_str(&format!("\nProducer ids: {same} stay as they are\n"));
    if told.is_empty() {
        return;
    }
    let mut table = Table::new(&[
        ("source", Align::Right),
        ("dest", Align::Right),
        ("batches", Align::Right),
        ("offsets", Align::Left),
        ("", Align::Left),
    ]);
    for pair in told.iter().take(ROWS) {
        let id = |id: Option<ProducerId>| id.map_or_else(|| "-".to_owned(), |id| id.to_string());
        table.row([
            id(pair.source),
            id(pair.dest),
            pair.batches.to_string(),
            offsets(pair.first_offset, pair.last_offset),
            relation(pair),
        ]);
    }
    push_table(&table, out);
    more_rows(told.len().saturating_sub(ROWS) as u64, out);
}

fn relation(pair: &IdPair) -> String {
    let what = match pair.relation {
        IdRelation::Mapped(mapped) => design(mapped),
        IdRelation::MappedBack(mapped) => format!("back from {}", design(mapped)),
        other => other.name().to_owned(),
    };
    match is_collision(pair) {
        true => format!("{what}; COLLIDES"),
        false => what,
    }
}

fn design(mapped: Mapped) -> String {
    match mapped {
        Mapped::BitField(region) => format!("{}, region {}", mapped.name(), region.0),
        _ => mapped.name().to_owned(),
    }
}

/// The last part of a path.
fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) => path_on_one_line(Path::new(name)),
        None => path_on_one_line(path),
    }
}

/// How many records a kind concerns.
fn records_of(comparison: &Comparison, kind: Kind) -> u64 {
    comparison.tally(kind).records
}
