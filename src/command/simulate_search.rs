//! `--explore` and `--exhaustive` of `kfsck simulate-chain`: searches for harm.

use clap::Args;
use kfsck::report::simulation::search::Searched;
use kfsck::simulate::explore::{Limits, exhaust, explore, models};
use kfsck::simulate::run::How;

/// Which searches run.
#[derive(Debug, Args)]
pub(super) struct SearchOptions {
    /// Run so many random scenarios of each design, from --seed on, and shrink what does harm
    #[arg(long, value_name = "RUNS", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    explore: Option<u64>,

    /// Run every schedule of up to so many steps of small models, shortest first; 1 to 12
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u8).range(1..=12))]
    #[arg(allow_negative_numbers = true)]
    exhaustive: Option<u8>,
}

/// No search of one model goes further: a minute or two.
const MOST_SCHEDULES: u64 = 20_000_000;

impl SearchOptions {
    /// Whether anything is to be searched.
    pub(super) const fn is_any(&self) -> bool {
        self.explore.is_some() || self.exhaustive.is_some()
    }

    /// Searches under every design.
    pub(super) fn search(&self, designs: &[How]) -> Searched {
        let mut searched = Searched::default();
        if let Some(runs) = self.explore {
            for how in designs {
                searched.explored.push(explore(*how, runs, &mut |_| ()));
            }
        }
        if let Some(depth) = self.exhaustive {
            let limits = Limits {
                depth: usize::from(depth),
                schedules: MOST_SCHEDULES,
            };
            for model in models() {
                for how in designs {
                    searched.exhausted.push(exhaust(&model, *how, limits));
                }
            }
        }
        searched
    }
}
