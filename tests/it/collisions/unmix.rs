//! Batches of a shared id told apart, against who wrote them: no batch that counts as certain is
//! given to the wrong writer.

use super::measure::tell;
use super::seeds;
use kfsck::analysis::unmix::{Decisions, Members, Unmixed, unmix};
use kfsck::format::number::ProducerId;
use kfsck::simulate::stored::Stored;
use kfsck::simulate::truth::WriterIndex;
use kfsck::simulate::world::{BEGIN, World};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// A day.
const EXPIRATION_MS: i64 = 86_400_000;

/// What was counted of ids of one kind.
#[derive(Debug, Default)]
struct Row {
    ids: u64,
    /// Ids of which every batch is certain.
    whole: u64,
    batches: u64,
    /// Those that can be of one of several writers alone.
    certain: u64,
    /// Certain ones that are given to the wrong writer.
    wrong: u64,
    /// Ambiguous ones whose likeliest writer is the right one.
    likely: u64,
}

/// What was counted over many logs.
#[derive(Debug, Default)]
pub(super) struct Measure {
    rows: BTreeMap<&'static str, Row>,
    /// What must not be.
    faults: Vec<String>,
}

/// Ids that do not show all their writers, once more, with the number of these.
const HIDDEN_BUT_TOLD: &str = "hidden, but told of";

/// How many writers there are and how many the log shows.
const fn kind(writers: usize, found: &Unmixed) -> &'static str {
    match (writers, found.count) {
        (1, 1) => "one writer",
        (1, _) => "one, shows as more",
        (_, 1) => "more, shown as one",
        (2, 2) => "two writers",
        (writers, shown) if writers > shown => "three, shown as two",
        _ => "other",
    }
}

impl Measure {
    pub(super) fn add(&mut self, name: &str, world: &World) {
        for cluster in world.clusters() {
            for (partition, replicas) in &cluster.partitions {
                let name = format!("{name}, {partition} on {}", cluster.name);
                self.add_log(&name, replicas.leader().log());
            }
        }
    }

    fn add_log(&mut self, name: &str, log: &[Arc<Stored>]) {
        let ids: BTreeSet<_> = log.iter().map(|stored| stored.batch.producer_id).collect();
        for id in ids.into_iter().filter(|id| *id != ProducerId::NONE) {
            let mut members = Members::new(id);
            for stored in log {
                members.batch(&stored.batch, stored.control.as_ref());
            }
            let own = log.iter().filter(|stored| stored.batch.producer_id == id);
            let own: Vec<&Stored> = own.map(AsRef::as_ref).collect();
            let members = members.into_members();
            let found = unmix(&members, 1, &Decisions::new(), EXPIRATION_MS).unwrap();
            assert!(!found.is_cut_short, "{name}: too many ways");
            let truth: BTreeSet<_> = own.iter().filter_map(|one| one.truth.writer()).collect();
            self.add_id(name, kind(truth.len(), &found), &own, &found);
            if truth.len() > found.count {
                let told = unmix(&members, truth.len(), &Decisions::new(), EXPIRATION_MS).unwrap();
                self.add_id(name, HIDDEN_BUT_TOLD, &own, &told);
            }
        }
    }

    fn add_id(&mut self, name: &str, kind: &'static str, own: &[&Stored], found: &Unmixed) {
        let truth: Vec<WriterIndex> = own.iter().filter_map(|one| one.truth.writer()).collect();
        assert_eq!((truth.len(), found.writers.len()), (own.len(), own.len()));
        let row = self.rows.entry(kind).or_default();
        row.ids += 1;
        row.whole += u64::from(found.is_certain());
        // Who a writer is, its first certain batch tells.
        let mut names: BTreeMap<usize, WriterIndex> = BTreeMap::new();
        let mut wrong = 0;
        for run in &found.runs {
            row.batches += run.places.len() as u64;
            let is_sure = !found.is_cut_short && !run.is_ambiguous();
            let says = is_sure && (found.count > 1 || kind == HIDDEN_BUT_TOLD);
            for place in run.places.iter().filter(|_| says) {
                row.certain += 1;
                let name = *names.entry(run.writer).or_insert(truth[*place]);
                wrong += u64::from(name != truth[*place]);
            }
        }
        let people: BTreeSet<_> = names.values().collect();
        wrong += (names.len() - people.len()) as u64;
        row.wrong += wrong;
        for run in found.runs.iter().filter(|run| run.is_ambiguous()) {
            let right = |place: &&usize| names.get(&run.writer) == Some(&truth[**place]);
            row.likely += run.places.iter().filter(right).count() as u64;
        }
        // Whoever left no contradiction is not seen, unless their number is known: what is certain
        // is so among those that are seen.
        if wrong > 0 && kind != "three, shown as two" {
            self.faults
                .push(format!("{name}\n{}", describe(own, found)));
        }
    }

    fn table(&self, title: &str) -> String {
        let mut text = format!("{title}, ids of whole logs\n");
        let mut line = |cells: [&str; 7]| {
            let [name, ids, whole, batches, certain, wrong, likely] = cells;
            writeln!(
                text,
                "  {name:<20}{ids:>9}{whole:>9}{batches:>9}{certain:>9}{wrong:>9}{likely:>9}"
            )
            .unwrap();
        };
        line(["", "ids", "whole", "batches", "certain", "wrong", "likely"]);
        for (kind, row) in &self.rows {
            let counts = [
                row.ids,
                row.whole,
                row.batches,
                row.certain,
                row.wrong,
                row.likely,
            ];
            let counts = counts.map(|count| count.to_string());
            let [ids, whole, batches, certain, wrong, likely] = counts.each_ref().map(|one| &**one);
            line([kind, ids, whole, batches, certain, wrong, likely]);
        }
        text
    }

    /// Prints what was counted; nothing certain may be wrong. Gives how many ids of two writers
    /// there were.
    pub(super) fn judge(&self, title: &str) -> u64 {
        let table = self.table(title);
        tell(&table);
        let faults = &self.faults[..self.faults.len().min(8)];
        assert!(
            faults.is_empty(),
            "{} faults\n{table}\n{}",
            self.faults.len(),
            faults.join("\n")
        );
        let two = self.rows.get("two writers");
        // The designs share their logs, so of seeds that nobody has seen a few say little.
        let few = if seeds().start == 0 { 0 } else { 10_000 };
        assert!(
            two.is_none_or(|row| row.batches < few || 2 * row.certain > row.batches),
            "little is certain\n{table}"
        );
        two.map_or(0, |row| row.ids)
    }
}

fn describe(own: &[&Stored], found: &Unmixed) -> String {
    let mut text = String::new();
    for (place, stored) in own.iter().enumerate() {
        let batch = &stored.batch;
        let run = found.runs.iter().find(|run| run.places.contains(&place));
        let kind = match batch.is_transactional {
            true => "txn",
            false => "plain",
        };
        writeln!(
            text,
            "  {}: epoch {} sequences {}..{} leader {} time {} {kind} {:?} of {:?}: {run:?}",
            batch.base_offset,
            batch.producer_epoch,
            batch.base_sequence,
            batch.last_sequence,
            batch.partition_leader_epoch,
            batch.first_timestamp.0 - BEGIN.0,
            stored.control,
            stored.truth,
        )
        .unwrap();
    }
    text
}
