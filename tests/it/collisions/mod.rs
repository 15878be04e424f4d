//! The collision analysis against the ground truth of the simulator: no shared id that leaves a
//! trace is missed, nobody who is alone is accused.
//!
//! `KFSCK_SEED` and `KFSCK_RUNS` choose other random runs than the fifty of always. What is printed
//! is what docs/collisions.md tells.

mod judge;
mod measure;
pub(crate) mod random;
mod real;
mod unmix;

use kfsck::simulate::explore::generate;
use kfsck::simulate::run::{How, run};
use kfsck::simulate::scenario::Scenario;
use kfsck::simulate::world::World;
use kfsck::simulate::{builtin, strategy};
use kfsck::state::rules;
use measure::Measure;
use std::ops::Range;

/// Every strategy under every rule set.
fn every_way(seed: u64) -> impl Iterator<Item = How> {
    let with = move |strategy| {
        rules::ALL.into_iter().map(move |rules| How {
            strategy,
            rules,
            seed,
            is_traced: false,
        })
    };
    strategy::ALL.into_iter().flat_map(with)
}

fn seeds() -> Range<u64> {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap())
    };
    let first = number("KFSCK_SEED").unwrap_or(0);
    first..first + number("KFSCK_RUNS").unwrap_or(50)
}

fn world_of(scenario: &Scenario, how: How) -> World {
    run(scenario, how).unwrap().world
}

/// Runs of the seeds, each every way.
fn measure_random(title: &str, run: impl Fn(u64, How) -> World) -> u64 {
    let mut measure = Measure::default();
    for seed in seeds() {
        for how in every_way(seed) {
            let (strategy, rules) = (how.strategy.name(), how.rules.name());
            let name = format!("seed {seed}, {strategy} under {rules}");
            measure.add(&name, &run(seed, how));
        }
    }
    measure.judge(&format!("{title} from seed {} on", seeds().start))
}

#[test]
fn built_in_scenarios() {
    let mut measure = Measure::default();
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        for how in every_way(1) {
            let name = format!(
                "{name} with {} under {}",
                how.strategy.name(),
                how.rules.name()
            );
            measure.add(&name, &world_of(&scenario, how));
        }
    }
    assert!(measure.judge("built-in scenarios") >= 20);
}

#[test]
fn random_scenarios() {
    measure_random("random scenarios", |seed, how| {
        world_of(&generate(seed, how), how)
    });
}

#[test]
fn wild_runs() {
    let contradictions = measure_random("wild runs", |seed, how| {
        random::run(seed, how.strategy, how.rules)
    });
    assert!(contradictions > 0 || seeds().start > 0);
}

#[test]
fn batches_of_shared_ids_are_told_apart() {
    let (mut random, mut wild) = (unmix::Measure::default(), unmix::Measure::default());
    for seed in seeds() {
        for how in every_way(seed) {
            let name = format!(
                "seed {seed}, {} under {}",
                how.strategy.name(),
                how.rules.name()
            );
            random.add(&name, &world_of(&generate(seed, how), how));
            wild.add(&name, &random::run(seed, how.strategy, how.rules));
        }
    }
    random.judge("random scenarios");
    assert!(wild.judge("wild runs") > 0 || seeds().start > 0);
}
