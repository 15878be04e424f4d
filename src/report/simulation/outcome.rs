//! One run: what its scenario shows, how each writer's id looks on each cluster, what went wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::View;
use super::names::Names;
use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::Region;
use crate::report::measure::count;
use crate::report::one_line::on_one_line;
use crate::report::paragraph::wrap;
use crate::report::table::{Align, Table};
use crate::simulate::cluster::Partition;
use crate::simulate::harm::{Harm, Unmirrored};
use crate::simulate::truth::WriterIndex;

/// The run as text.
#[must_use]
pub fn text(view: &View<'_>) -> Vec<u8> {
    let run = view.run;
    let names = Names::of(run);
    let mut out = format!("{}\n", view.scenario.name);
    if !view.scenario.about.is_empty() {
        wrap(&on_one_line(&view.scenario.about), 0, 0, &mut out);
    }
    out += &format!("{}\n\n", view.terms());
    let mut bytes = out.into_bytes();
    let mut out = String::new();
    ids(view, &names, &mut bytes);
    fields(view, &names, &mut out);
    out.push('\n');
    match run.world.harms() {
        [] => out.push_str("safe: no harm\n"),
        harms => {
            let number = u64::try_from(harms.len()).unwrap_or(u64::MAX);
            out += &format!("unsafe: {}\n", count(number, "harm"));
            for harm in harms {
                out += &sentence(harm, view.scenario.steps.len(), &names);
            }
        }
    }
    out += &losses(run.world.losses(), &names);
    for text in &run.broken {
        out.push('\n');
        wrap(
            &on_one_line(&format!("not as expected: {text}")),
            0,
            2,
            &mut out,
        );
    }
    bytes.extend_from_slice(out.as_bytes());
    bytes
}

/// Each partition of each cluster in a row, each writer in a column.
fn ids(view: &View<'_>, names: &Names<'_>, out: &mut Vec<u8>) {
    let world = &view.run.world;
    let partitions: BTreeSet<&String> = world
        .clusters()
        .iter()
        .flat_map(|cluster| cluster.partitions.keys())
        .collect();
    let writers: Vec<_> = (0..world.writers().len()).map(WriterIndex).collect();
    let heads: Vec<String> = writers
        .iter()
        .map(|writer| names.writer_at_home(*writer))
        .collect();
    let mut columns = vec![
        ("partition", Align::Left),
        ("cluster", Align::Left),
        ("log\nend", Align::Right),
        ("last\nstable", Align::Right),
    ];
    columns.extend(heads.iter().map(|head| (head.as_str(), Align::Left)));
    let mut table = Table::new(&columns);
    for name in partitions {
        for cluster in world.clusters() {
            let Some(partition) = cluster.partitions.get(name) else {
                continue;
            };
            let leader = partition.leader();
            let stable = leader.last_stable_offset(partition.high_watermark);
            let mut row = vec![
                name.clone(),
                cluster.name.clone(),
                leader.end().to_string(),
                stable.to_string(),
            ];
            row.extend(writers.iter().map(|writer| seen(partition, *writer, names)));
            table.row(row);
        }
    }
    table.write(out);
}

/// The ids under which a writer's batches lie in a log, in the order in which they appear.
fn seen(partition: &Partition, writer: WriterIndex, names: &Names<'_>) -> String {
    let mut seen: Vec<ProducerId> = Vec::new();
    for stored in partition.leader().log() {
        let id = stored.batch.producer_id;
        if stored.truth.writer() == Some(writer) && !seen.contains(&id) {
            seen.push(id);
        }
    }
    match seen.is_empty() {
        true => "-".to_owned(),
        false => {
            let seen: Vec<_> = seen.into_iter().map(|id| names.id(id)).collect();
            seen.join(", ")
        }
    }
}

/// What each `F(region,low bits)` of the table is as a number, and whose region that is.
fn fields(view: &View<'_>, names: &Names<'_>, out: &mut String) {
    let mut mapped: BTreeMap<(Region, u32), ProducerId> = BTreeMap::new();
    for cluster in view.run.world.clusters() {
        for partition in cluster.partitions.values() {
            for stored in partition.leader().log() {
                let id = stored.batch.producer_id;
                mapped.extend(names.fields(id).map(|fields| (fields, id)));
            }
        }
    }
    if mapped.is_empty() {
        return;
    }
    out.push('\n');
    for ((region, _), id) in mapped {
        let holders = names.holders(region);
        let whose = match holders.as_slice() {
            [] => format!("region {} is moved by a salt", region.0),
            holders => format!("region {} is that of {}", region.0, holders.join(" and ")),
        };
        *out += &format!("{} = {id}, {whose}\n", names.id(id));
    }
}

/// A harm: its kind and place, the step unless it showed at the end, and below it what happened.
fn sentence(harm: &Harm, steps: usize, names: &Names<'_>) -> String {
    let mut out = format!(
        "\n  {} in {} on {}",
        harm.kind.name(),
        harm.topic_partition,
        names.cluster(harm.cluster)
    );
    if let Some(offset) = harm.offset {
        out += &format!(" at offset {offset}");
    }
    if let Some(id) = harm.producer_id {
        out += &format!(", producer id {}", names.id(id));
    }
    if harm.step < steps {
        out += &format!(", step {}", harm.step);
    }
    out += "\n    ";
    wrap(&format!("{}.", on_one_line(&harm.detail)), 4, 4, &mut out);
    out
}

/// So many are told one by one.
const MOST_LOSSES: usize = 10;

fn losses(losses: &[Unmirrored], names: &Names<'_>) -> String {
    if losses.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    let text = "No harm of the design, but gone: confirmed by a cluster, and cut off when it \
                became a mirror itself.";
    wrap(text, 0, 0, &mut out);
    for loss in losses.iter().take(MOST_LOSSES) {
        out += &format!(
            "  unmirrored: a record of {} in {} on {} at offset {}\n",
            names.writer(loss.record.writer),
            loss.topic_partition,
            names.cluster(loss.cluster),
            loss.offset
        );
    }
    if let Some(more) = losses
        .len()
        .checked_sub(MOST_LOSSES)
        .filter(|more| *more > 0)
    {
        out += &format!("  and {more} more; --format json has all of them\n");
    }
    out
}
