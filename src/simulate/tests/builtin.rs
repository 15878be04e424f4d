//! Every built-in scenario comes out as it says under every strategy and rule set.

use crate::simulate::builtin;
use crate::simulate::run::{How, run};
use crate::simulate::strategy;
use crate::state::rules;

#[test]
fn every_builtin_comes_out_as_it_says() {
    let mut broken = Vec::new();
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap();
        let scenario = scenario.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scenario.name, *name);
        for strategy in strategy::ALL {
            for rules in rules::ALL {
                let how = How {
                    strategy,
                    rules,
                    seed: 1,
                    is_traced: false,
                };
                let run = run(&scenario, how).unwrap_or_else(|error| panic!("{name}: {error}"));
                for text in &run.broken {
                    broken.push(format!("{name}: {}: {text}", strategy.name()));
                    for harm in run.world.harms() {
                        broken.push(format!("    {}: {}", harm.kind.name(), harm.detail));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
