//! Runs a scenario from its first step to the judgement.

use crate::simulate::harm::HarmKind;
use crate::simulate::scenario::{Scenario, ScenarioError, Verdict};
use crate::simulate::strategy::Strategy;
use crate::simulate::world::World;
use crate::state::rules::RuleSet;
use std::collections::BTreeSet;

/// A run that came to its end.
#[derive(Debug, Clone)]
pub struct Run {
    /// The scenario's name.
    pub scenario: String,
    /// The clusters as they are now.
    pub world: World,
    /// Expectations that do not hold.
    pub broken: Vec<String>,
}

impl Run {
    /// Whether there was harm.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.world.harms().is_empty() {
            true => Verdict::Safe,
            false => Verdict::Unsafe,
        }
    }

    /// The kinds of harm that there were.
    #[must_use]
    pub fn kinds(&self) -> BTreeSet<HarmKind> {
        self.world.harms().iter().map(|harm| harm.kind).collect()
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> &'static dyn Strategy {
        self.world.strategy
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &'static dyn RuleSet {
        self.world.rules
    }
}

/// How to run.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// The design.
    pub strategy: &'static dyn Strategy,
    /// The producer state of all brokers.
    pub rules: &'static dyn RuleSet,
    /// For what is random.
    pub seed: u64,
    /// Whether to keep what happens.
    pub is_traced: bool,
}

/// Runs a scenario.
///
/// # Errors
/// A step makes no sense where it stands.
pub fn run(scenario: &Scenario, how: How) -> Result<Run, ScenarioError> {
    let mut world = World::new(scenario, how.strategy, how.rules, how.seed);
    if how.is_traced {
        world = world.traced();
    }
    for (place, step) in scenario.steps.iter().enumerate() {
        world.step(step).map_err(|problem| ScenarioError {
            line: None,
            field: format!("steps[{place}].{}", step.kind()),
            problem,
        })?;
    }
    world.judge_end();
    let mut run = Run {
        scenario: scenario.name.clone(),
        broken: world.broken().to_vec(),
        world,
    };
    run.broken.extend(broken_expectations(scenario, &run));
    Ok(run)
}

fn broken_expectations(scenario: &Scenario, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let (strategy, rules) = (run.strategy().name(), run.rules().name());
    for expectation in &scenario.expect {
        let is_meant = expectation.strategy == strategy
            && (expectation.rules.is_empty() || expectation.rules.iter().any(|one| one == rules));
        if !is_meant {
            continue;
        }
        let verdict = run.verdict();
        if verdict != expectation.verdict {
            let name = |verdict| match verdict {
                Verdict::Safe => "safe",
                Verdict::Unsafe => "unsafe",
            };
            broken.push(format!(
                "the verdict is {}, expected {}",
                name(verdict),
                name(expectation.verdict)
            ));
        }
        let kinds = run.kinds();
        for wanted in &expectation.harm {
            if !kinds.iter().any(|kind| kind.name() == wanted) {
                broken.push(format!("there is no {wanted}, expected one"));
            }
        }
    }
    broken
}
