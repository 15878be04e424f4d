//! What `kfsck simulate-chain` answers: one run in full, many runs side by side, a run step by
//! step, a run as a drawing, or all of them as a JSON document.

pub mod builtins;
pub mod comparison;
pub mod diagram;
mod happening_words;
pub mod json;
mod names;
pub mod outcome;
pub mod search;
mod step_words;
pub mod trace;

use crate::simulate::run::Run;
use crate::simulate::scenario::Scenario;

/// A run, and how to repeat it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// What was run.
    pub scenario: &'a Scenario,
    /// What came of it.
    pub run: &'a Run,
    /// The seed of what is random.
    pub seed: u64,
    /// The command line that repeats it.
    pub replay: &'a str,
}

impl View<'_> {
    /// Strategy, rules and seed.
    fn terms(&self) -> String {
        format!(
            "strategy {}, rules {}, seed {}",
            self.run.strategy().name(),
            self.run.rules().name(),
            self.seed
        )
    }
}
