//! Many random scenarios, and the smallest for each kind of harm.

use super::generate::generate;
use super::shrink::shrink;
use crate::simulate::harm::HarmKind;
use crate::simulate::run::{How, run};
use crate::simulate::scenario::Scenario;
use std::collections::BTreeMap;

/// A kind of harm that random scenarios showed.
#[derive(Debug, Clone)]
pub struct Found {
    /// How many of them.
    pub runs: u64,
    /// The seed of the first.
    pub seed: u64,
    /// What is left of the first when all that does not matter is gone.
    pub smallest: Scenario,
}

/// What random scenarios showed of one strategy under one rule set.
#[derive(Debug, Clone)]
pub struct Explored {
    /// How they ran, but for their seeds.
    pub how: How,
    /// How many.
    pub runs: u64,
    /// How many had any harm.
    pub harmful: u64,
    /// What was found, by kind.
    pub found: BTreeMap<HarmKind, Found>,
}

/// Runs the scenarios of `runs` seeds from `how.seed` on; `on_run` hears of each.
pub fn explore(how: How, runs: u64, on_run: &mut dyn FnMut(u64)) -> Explored {
    let mut explored = Explored {
        how,
        runs,
        harmful: 0,
        found: BTreeMap::new(),
    };
    for number in 0..runs {
        let seed = how.seed.wrapping_add(number);
        let how = How {
            seed,
            is_traced: false,
            ..how
        };
        let scenario = generate(seed, how);
        // Each step was tried under the same strategy, rules and seed.
        if let Ok(run) = run(&scenario, how) {
            let kinds = run.kinds();
            explored.harmful += u64::from(!kinds.is_empty());
            for kind in kinds {
                let found = explored.found.entry(kind).or_insert_with(|| Found {
                    runs: 0,
                    seed,
                    smallest: name(shrink(&scenario, how, kind), kind, how),
                });
                found.runs += 1;
            }
        }
        on_run(number + 1);
    }
    explored
}

fn name(mut scenario: Scenario, kind: HarmKind, how: How) -> Scenario {
    let (strategy, rules) = (how.strategy.name(), how.rules.name());
    scenario.name = format!("{strategy}-{rules}-{}", kind.name());
    scenario.about = format!(
        "Found with seed {} for {strategy} under {rules}: {}.",
        how.seed,
        kind.name()
    );
    scenario
}
