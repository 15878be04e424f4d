//! Runs, and the log directories that they leave.

use std::path::{Path, PathBuf};

use kfsck::simulate::builtin;
use kfsck::simulate::cluster::{Cluster, Partition};
use kfsck::simulate::explore::generate;
use kfsck::simulate::replica::Replica;
use kfsck::simulate::run::{How, Run, run};
use kfsck::simulate::scenario::{Scenario, Snapshots, Step};
use kfsck::simulate::strategy;
use kfsck::simulate::write_logs::write_logs;
use kfsck::state::rules::{self, RuleSet, Stock};

use super::{OTHER, RANDOM};

/// A run whose log directories are written.
pub(super) struct Case {
    scenario: Scenario,
    pub(super) run: Run,
    /// The log directories in the order of clusters and their replicas.
    written: Vec<PathBuf>,
}

/// A replica of a run with its directory.
pub(super) struct Place<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) partition: &'a Partition,
    pub(super) replica: &'a Replica,
    pub(super) number: usize,
    pub(super) directory: PathBuf,
}

impl Case {
    fn new(scenario: Scenario, how: How, root: &Path) -> Self {
        let run = run(&scenario, how).unwrap();
        let place = root.join(how.rules.name());
        let written = write_logs(&run, &place).unwrap();
        Self {
            scenario,
            run,
            written,
        }
    }

    /// What a person needs to run it again.
    pub(super) fn name(&self) -> String {
        let (strategy, rules) = (self.run.strategy().name(), self.run.rules().name());
        format!("{} {strategy} under {rules}", self.scenario.name)
    }

    /// The lines that ask the oracle.
    pub(super) fn rows(&self) -> impl Iterator<Item = String> {
        let now = self.run.world.now().0;
        let written = self.written.iter();
        written.map(move |directory| format!("{now}\t{}\n", directory.display()))
    }

    /// A broker came up without its snapshots and read no log: it forgot what is there.
    pub(super) fn has_lost_snapshots(&self) -> bool {
        let steps = self.scenario.steps.iter();
        steps
            .into_iter()
            .any(|step| matches!(step, Step::Restart(step) if step.snapshots == Snapshots::Lost))
    }

    pub(super) fn places(&self) -> Vec<Place<'_>> {
        let mut directories = self.written.iter();
        let mut found = Vec::new();
        for cluster in self.run.world.clusters() {
            for number in 0..cluster.replicas {
                let directory = directories.next().unwrap();
                for (name, partition) in &cluster.partitions {
                    found.push(Place {
                        cluster,
                        partition,
                        replica: &partition.replicas[number],
                        number,
                        directory: directory.join(name),
                    });
                }
            }
        }
        found
    }
}

/// Every built-in scenario and random ones of a seed, strategy by strategy, under the rules of real
/// Kafka; and some under those that no release has.
pub(super) fn written(seed: u64, root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, _) in builtin::ALL {
        for strategy in strategy::ALL {
            for rules in [&Stock, strategy.own_rules()] {
                let scenario = builtin::by_name(name).unwrap().unwrap();
                let how = how(strategy.name(), rules, seed);
                if rules.name() == Stock.name() || cases.len() % 2 == 0 {
                    cases.push(Case::new(scenario, how, root));
                }
            }
        }
    }
    let strategies = strategy::ALL.iter().cycle();
    for (seed, strategy) in (seed..seed + RANDOM).zip(strategies.clone()) {
        let how = how(strategy.name(), &Stock, seed);
        cases.push(Case::new(generate(seed, how), how, root));
    }
    let others = rules::ALL
        .iter()
        .filter(|rules| rules.name() != Stock.name());
    let others = others.cycle().zip(strategies);
    for (seed, (rules, strategy)) in (seed + RANDOM..seed + RANDOM + OTHER).zip(others) {
        let how = how(strategy.name(), *rules, seed);
        cases.push(Case::new(generate(seed, how), how, root));
    }
    cases
}

fn how(strategy: &str, rules: &'static dyn RuleSet, seed: u64) -> How {
    How {
        strategy: strategy::by_name(strategy).unwrap(),
        rules,
        seed,
        is_traced: false,
    }
}
