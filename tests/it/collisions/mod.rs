//! The collision analysis against the ground truth of the simulator: no shared id that leaves a
//! trace is missed, nobody who is alone is accused.
//!
//! `KFSCK_SEED` and `KFSCK_RUNS` choose other random runs than the fifty of always; the table that
//! is printed is that of docs/collisions.md.

mod judge;
mod random;
mod real;

use judge::truths;
use kfsck::analysis::strands::{Finding, Grade, Options, Report, Strands};
use kfsck::simulate::builtin;
use kfsck::simulate::run::{How, run};
use kfsck::simulate::stored::Stored;
use kfsck::simulate::strategy;
use kfsck::simulate::world::World;
use kfsck::state::rules;
use std::fmt::Write;
use std::sync::Arc;

/// What was counted over many logs: pairs of an id and a section.
#[derive(Debug, Default)]
struct Measure {
    runs: u64,
    logs: u64,
    alone: u64,
    displaced: u64,
    shared: u64,
    traced: u64,
    /// Of the traced ones, those with a finding, by grade from `possible` on.
    found: [u64; 3],
    /// Of the shared ones without a trace, the same.
    beyond: [u64; 3],
    /// Of those with one writer, the same.
    wrong: [u64; 3],
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

fn place(grade: Grade) -> usize {
    match grade {
        Grade::Possible => 0,
        Grade::Likely => 1,
        Grade::Certain => 2,
    }
}

impl Measure {
    /// Counts the final logs of the leaders of a run.
    fn add(&mut self, name: &str, world: &World) {
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
            let grade = finding.map(|one| place(one.grade));
            let is_traced = truth.leaves_a_trace();
            let counted = match (truth.is_shared(), is_traced) {
                (false, _) => {
                    self.alone += 1;
                    self.displaced += u64::from(truth.is_displaced());
                    &mut self.wrong
                }
                (true, true) => {
                    self.shared += 1;
                    self.traced += 1;
                    &mut self.found
                }
                (true, false) => {
                    self.shared += 1;
                    &mut self.beyond
                }
            };
            if let Some(grade) = grade {
                counted[grade] += 1;
            }
            let is_missed = truth.is_shared() && is_traced && grade.is_none();
            let is_wrong = !truth.is_shared() && grade.is_some_and(|grade| grade > 0);
            if is_missed || is_wrong {
                let what = if is_missed { "missed" } else { "accused" };
                let fault = describe(name, what, &truth, finding);
                self.faults.push(fault);
            }
        }
        if known != report.findings.len() || report.left_out > 0 {
            self.faults.push(format!("{name}: findings of nobody"));
        }
    }

    fn table(&self) -> String {
        let all = |counts: &[u64; 3], from: usize| counts[from..].iter().sum::<u64>();
        let mut text = format!(
            "{} runs, {} logs; ids between barriers: {} of one writer ({} displaced), {} shared, \
             of which {} leave a trace\n",
            self.runs, self.logs, self.alone, self.displaced, self.shared, self.traced
        );
        for (name, from) in [
            ("certain", 2),
            ("likely or more", 1),
            ("possible or more", 0),
        ] {
            let (found, beyond) = (all(&self.found, from), all(&self.beyond, from));
            let (wrong, right) = (all(&self.wrong, from), found + beyond);
            let share = |part: u64, of: u64| match of {
                0 => "-".to_owned(),
                _ => format!("{:.2} %", part as f64 * 100.0 / of as f64),
            };
            let precision = share(right, right + wrong);
            let recall = share(found, self.traced);
            writeln!(
                text,
                "{name}: {found} traced, {beyond} without a trace, {wrong} of one writer; \
                 precision {precision}, recall {recall}"
            )
            .unwrap();
        }
        text
    }

    fn judge(self) {
        println!("{}", self.table());
        let faults = &self.faults[..self.faults.len().min(8)];
        assert!(
            faults.is_empty(),
            "{} faults\n{}\n{}",
            self.faults.len(),
            self.table(),
            faults.join("\n")
        );
        assert!(self.traced > 0 && self.alone > 0, "nothing to judge");
    }
}

fn describe(name: &str, what: &str, truth: &judge::Truth<'_>, finding: Option<&Finding>) -> String {
    let mut text = format!("{what}: {name}\n");
    for stored in &truth.batches {
        let batch = &stored.batch;
        writeln!(
            text,
            "  {}: id {} epoch {} seq {}..{} leader {} time {} {} {:?} {:?}",
            batch.base_offset,
            batch.producer_id,
            batch.producer_epoch,
            batch.base_sequence,
            batch.last_sequence,
            batch.partition_leader_epoch,
            batch.first_timestamp.0 - kfsck::simulate::world::BEGIN.0,
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

#[test]
fn every_builtin_under_every_strategy_and_rule_set() {
    let mut measure = Measure::default();
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        for strategy in strategy::ALL {
            for rules in rules::ALL {
                let how = How {
                    strategy,
                    rules,
                    seed: 1,
                    is_traced: false,
                };
                let run = run(&scenario, how).unwrap();
                let name = format!("{name} with {} under {}", strategy.name(), rules.name());
                measure.add(&name, &run.world);
            }
        }
    }
    measure.judge();
}

#[test]
fn random_runs() {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap())
    };
    let first = number("KFSCK_SEED").unwrap_or(0);
    let runs = number("KFSCK_RUNS").unwrap_or(50);
    let mut measure = Measure::default();
    for seed in first..first + runs {
        for strategy in strategy::ALL {
            for rules in rules::ALL {
                let name = format!("seed {seed}, {} under {}", strategy.name(), rules.name());
                measure.add(&name, &random::run(seed, strategy, rules));
            }
        }
    }
    measure.judge();
}
