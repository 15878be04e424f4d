//! Every schedule of a small model up to a depth, the short ones first.

use super::model::Model;
use crate::simulate::run::How;
use crate::simulate::scenario::{Scenario, Step};
use crate::simulate::world::World;
use std::ops::ControlFlow;

/// What all schedules of a model showed of one strategy under one rule set.
#[derive(Debug, Clone)]
pub struct Exhausted {
    /// The model's name.
    pub model: String,
    /// How they ran.
    pub how: How,
    /// How many schedules were tried: each a sequence of steps that make sense.
    pub schedules: u64,
    /// How many steps the longest had.
    pub depth: usize,
    /// A shortest schedule with harm; `None` when no schedule has any.
    pub shortest: Option<Scenario>,
    /// The limit on schedules was met before all were tried.
    pub is_cut_short: bool,
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest schedules.
    pub depth: usize,
    /// At most so many schedules.
    pub schedules: u64,
}

struct Search<'a> {
    model: &'a Model,
    limits: Limits,
    schedules: u64,
    is_cut_short: bool,
    path: Vec<Step>,
}

/// Tries every schedule of a model, shortest first, up to the first with harm.
#[must_use]
pub fn exhaust(model: &Model, how: How, limits: Limits) -> Exhausted {
    let mut search = Search {
        model,
        limits,
        schedules: 0,
        is_cut_short: false,
        path: Vec::new(),
    };
    let world = World::new(&model.scenario, how.strategy, how.rules, how.seed);
    let mut shortest = None;
    let mut reached = 0;
    for depth in 1..=limits.depth {
        reached = depth;
        if search.extend(&world, depth).is_break() {
            break;
        }
    }
    if !search.path.is_empty() {
        let mut scenario = model.scenario.clone();
        scenario.steps.clone_from(&search.path);
        let (strategy, rules) = (how.strategy.name(), how.rules.name());
        scenario.name = format!("{}-{strategy}-{rules}", model.scenario.name);
        scenario.about = format!("The shortest harm of {strategy} under {rules} in this model.");
        shortest = Some(scenario);
    }
    Exhausted {
        model: model.scenario.name.clone(),
        how,
        schedules: search.schedules,
        depth: reached,
        shortest,
        is_cut_short: search.is_cut_short,
    }
}

impl Search<'_> {
    /// Tries all schedules of `left` more steps; breaks off at a harm, with its path kept.
    fn extend(&mut self, world: &World, left: usize) -> ControlFlow<()> {
        for step in &self.model.steps {
            let mut next = world.clone();
            if next.step(step).is_err() {
                continue;
            }
            self.path.push(step.clone());
            if left > 1 {
                self.extend(&next, left - 1)?;
            } else {
                self.schedules += 1;
                next.judge_end();
                if !next.harms().is_empty() {
                    return ControlFlow::Break(());
                }
                if self.schedules >= self.limits.schedules {
                    self.is_cut_short = true;
                    self.path.clear();
                    return ControlFlow::Break(());
                }
            }
            self.path.pop();
        }
        ControlFlow::Continue(())
    }
}
