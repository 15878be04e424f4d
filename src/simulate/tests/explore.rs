//! Random and exhaustive search: the same seed gives the same, what is found is harm and small,
//! and designs come out as their documents and their reviewers say.

use crate::simulate::explore::{Limits, exhaust, explore, generate, models};
use crate::simulate::harm::HarmKind;
use crate::simulate::run::{How, run};
use crate::simulate::scenario::{self, Scenario};
use crate::simulate::strategy;
use crate::state::rules;

fn how(strategy: &str, rule_set: &str, seed: u64) -> How {
    How {
        strategy: strategy::by_name(strategy).unwrap(),
        rules: rules::by_name(rule_set).unwrap(),
        seed,
        is_traced: false,
    }
}

fn text(scenario: &Scenario) -> String {
    serde_json::to_string_pretty(scenario).unwrap()
}

/// The fingerprints of two seeds hold the draws in place: other bytes mean that an upgrade of a
/// library, or a change here, makes old seeds worthless.
#[test]
fn a_seed_gives_the_same_scenario_for_ever() {
    let fingerprint = |seed| {
        let scenario = generate(seed, how("barrier", "barrier", seed));
        crate::format::crc::crc32c(text(&scenario).as_bytes())
    };
    assert_eq!(fingerprint(1), fingerprint(1));
    assert_eq!(
        [fingerprint(1), fingerprint(40)],
        [3_915_571_610, 1_358_819_694]
    );
}

#[test]
fn a_generated_scenario_can_be_written_and_read() {
    for seed in 0..50 {
        let how = how("bit-field-salt", "mapped", seed);
        let scenario = generate(seed, how);
        let again = scenario::read(&text(&scenario)).unwrap();
        assert_eq!(again, scenario);
        let (first, second) = (run(&scenario, how).unwrap(), run(&again, how).unwrap());
        assert_eq!(first.world.harms(), second.world.harms());
    }
}

#[test]
fn what_is_left_still_does_the_harm_and_needs_every_step() {
    let how = how("verbatim", "barrier", 1);
    let explored = explore(how, 150, &mut |_| ());
    assert!(explored.found.contains_key(&HarmKind::RejectedWrite));
    for (kind, found) in &explored.found {
        let how = How {
            seed: found.seed,
            ..how
        };
        let does_harm =
            |scenario: &Scenario| run(scenario, how).is_ok_and(|run| run.kinds().contains(kind));
        assert!(does_harm(&found.smallest), "{}", text(&found.smallest));
        for place in 0..found.smallest.steps.len() {
            let mut fewer = found.smallest.clone();
            fewer.steps.remove(place);
            assert!(!does_harm(&fewer), "{}", text(&found.smallest));
        }
    }
}

#[test]
fn the_shortest_harm_of_storing_batches_as_they_are_has_four_steps() {
    let limits = Limits {
        depth: 5,
        schedules: 1_000_000,
    };
    let pair = &models()[0];
    let exhausted = exhaust(pair, how("verbatim", "barrier", 1), limits);
    let kinds: Vec<_> = exhausted
        .shortest
        .unwrap()
        .steps
        .iter()
        .map(|one| one.kind())
        .collect();
    assert_eq!(kinds, ["produce", "mirror", "stop", "produce"]);
}

/// The barrier as it is meant does no harm in any schedule of these models, the prototype does.
#[test]
fn barriers_hold_in_every_schedule_and_the_prototypes_do_not() {
    let limits = Limits {
        depth: 5,
        schedules: 1_000_000,
    };
    for model in models() {
        let name = model.scenario.name.as_str();
        let meant = exhaust(&model, how("barrier", "barrier", 1), limits);
        assert!(meant.shortest.is_none(), "{name}: {:?}", meant.shortest);
        assert!(!meant.is_cut_short);
        if name == "faults" {
            let prototype = exhaust(&model, how("barrier", "fork", 1), limits);
            assert!(prototype.shortest.is_some());
        }
    }
}

#[test]
fn a_limit_on_schedules_is_kept_and_told() {
    let limits = Limits {
        depth: 6,
        schedules: 10,
    };
    let exhausted = exhaust(&models()[0], how("barrier", "barrier", 1), limits);
    assert_eq!((exhausted.schedules, exhausted.is_cut_short), (10, true));
    assert!(exhausted.shortest.is_none());
}
