//! Counts what the analysis finds against what is true.

use super::judge::{Trace, Truth, truths};
use kfsck::analysis::strands::{Finding, Grade, Options, Report, Strands};
use kfsck::simulate::stored::Stored;
use kfsck::simulate::world::{BEGIN, World};
use std::fmt::Write;
use std::sync::Arc;

/// So many cases, with findings `possible`, `likely`, `certain`.
#[derive(Debug, Default)]
struct Row {
    cases: u64,
    found: [u64; 3],
}

/// What was counted over many logs: each case is an id between two barriers.
#[derive(Debug, Default)]
pub(super) struct Measure {
    runs: u64,
    logs: u64,
    alone: Row,
    displaced: Row,
    untraced: Row,
    gaps: Row,
    contradictions: Row,
    /// What must not be.
    faults: Vec<String>,
}

fn analyse(log: &[Arc<Stored>]) -> Report {
    let mut strands = Strands::new(Options::default());
    for stored in log {
        strands.batch(&stored.batch, stored.control.as_ref());
    }
    strands.into_report()
}

impl Row {
    fn add(&mut self, grade: Option<Grade>) {
        self.cases += 1;
        let counts = grade.map(|grade| match grade {
            Grade::Possible => &mut self.found[0],
            Grade::Likely => &mut self.found[1],
            Grade::Certain => &mut self.found[2],
        });
        if let Some(count) = counts {
            *count += 1;
        }
    }

    fn from(&self, grade: usize) -> u64 {
        self.found[grade..].iter().sum()
    }
}

impl Measure {
    /// Counts the final logs of the leaders of a run.
    pub(super) fn add(&mut self, name: &str, world: &World) {
        self.runs += 1;
        for cluster in world.clusters() {
            for (partition, replicas) in &cluster.partitions {
                let name = format!("{name}, {partition} on {}", cluster.name);
                self.add_log(&name, replicas.leader().log());
            }
        }
    }

    fn add_log(&mut self, name: &str, log: &[Arc<Stored>]) {
        self.logs += 1;
        let report = analyse(log);
        let mut known = 0;
        for ((section, id), truth) in truths(log) {
            let finding = report
                .findings
                .iter()
                .find(|one| one.producer_id == id && one.section.first_offset == section);
            known += usize::from(finding.is_some());
            let grade = finding.map(|one| one.grade);
            let trace = truth.trace();
            let row = match (truth.is_shared(), trace) {
                (true, Trace::None) => &mut self.untraced,
                (true, Trace::Gap) => &mut self.gaps,
                (true, Trace::Contradiction) => &mut self.contradictions,
                (false, _) if truth.is_displaced() => &mut self.displaced,
                (false, _) => &mut self.alone,
            };
            row.add(grade);
            let what = match truth.is_shared() {
                true if trace != Trace::None && grade.is_none() => "missed",
                false if grade > Some(Grade::Possible) => "accused",
                _ => continue,
            };
            self.faults.push(describe(name, what, &truth, finding));
        }
        if known != report.findings.len() || report.left_out > 0 {
            self.faults.push(format!("{name}: findings of nobody"));
        }
    }

    fn table(&self, title: &str) -> String {
        let mut text = format!("{title}: {} runs, {} logs\n", self.runs, self.logs);
        let rows = [
            ("one writer", &self.alone),
            ("one writer, misplaced", &self.displaced),
            ("shared, contradiction", &self.contradictions),
            ("shared, gap alone", &self.gaps),
            ("shared, no trace", &self.untraced),
        ];
        let head = ["cases", "certain", "likely", "possible"];
        let mut line = |name: &str, cells: [String; 4]| {
            let [cases, certain, likely, possible] = cells;
            writeln!(
                text,
                "  {name:<22}{cases:>9}{certain:>9}{likely:>9}{possible:>9}"
            )
            .unwrap();
        };
        line("", head.map(str::to_owned));
        for (name, row) in rows {
            let [possible, likely, certain] = row.found;
            let cells = [row.cases, certain, likely, possible];
            line(name, cells.map(|count| count.to_string()));
        }
        for (name, from) in [("likely or certain", 1), ("all grades", 0)] {
            let traced = self.contradictions.from(from) + self.gaps.from(from);
            let right = traced + self.untraced.from(from);
            let wrong = self.alone.from(from) + self.displaced.from(from);
            let precision = share(right, right + wrong);
            let recall = share(traced, self.contradictions.cases + self.gaps.cases);
            let of_contradictions =
                share(self.contradictions.from(from), self.contradictions.cases);
            writeln!(
                text,
                "  {name}: precision {precision}, recall {recall}, of contradictions \
                 {of_contradictions}"
            )
            .unwrap();
        }
        text
    }

    /// Prints what was counted; nothing may be missed, nobody accused. Gives how many ids
    /// contradict one writer.
    pub(super) fn judge(self, title: &str) -> u64 {
        let table = self.table(title);
        tell(&table);
        let faults = &self.faults[..self.faults.len().min(8)];
        assert!(
            faults.is_empty(),
            "{} faults\n{table}\n{}",
            self.faults.len(),
            faults.join("\n")
        );
        assert!(self.alone.cases > 0, "nothing to judge\n{table}");
        // Few seeds may show no collision. Where there are some, notes alone would be too little.
        let (all, plain) = (self.contradictions.cases, self.contradictions.from(1));
        assert!(
            all < 50 || 2 * plain >= all,
            "few contradictions are likely\n{table}"
        );
        all
    }
}

#[expect(
    clippy::print_stdout,
    reason = "the table is what a measurement is for"
)]
pub(super) fn tell(table: &str) {
    println!("{table}");
}

fn share(part: u64, of: u64) -> String {
    // Per ten thousand, so that nothing is rounded up to all.
    match (part * 10_000).checked_div(of) {
        None => "-".to_owned(),
        Some(parts) => format!("{}.{:02} %", parts / 100, parts % 100),
    }
}

fn describe(name: &str, what: &str, truth: &Truth<'_>, finding: Option<&Finding>) -> String {
    let mut text = format!("{what}: {name}\n");
    for stored in &truth.batches {
        let batch = &stored.batch;
        writeln!(
            text,
            "  {}: id {} epoch {} sequences {}..{} leader {} time {} {} {:?} {:?}",
            batch.base_offset,
            batch.producer_id,
            batch.producer_epoch,
            batch.base_sequence,
            batch.last_sequence,
            batch.partition_leader_epoch,
            batch.first_timestamp.0 - BEGIN.0,
            if batch.is_transactional {
                "txn"
            } else {
                "plain"
            },
            stored.control,
            stored.truth.wrote
        )
        .unwrap();
    }
    if let Some(finding) = finding {
        writeln!(text, "  {} {}", finding.grade, finding.confidence).unwrap();
        for one in &finding.evidence {
            let (earlier, later) = (one.earlier.base_offset, one.later.base_offset);
            let sign = one.sign.name();
            writeln!(text, "  {sign} {:?}: {earlier}, {later}", one.excuse).unwrap();
        }
    }
    text
}
