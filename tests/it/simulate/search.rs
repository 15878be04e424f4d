//! `--explore` and `--exhaustive`.

use serde::Deserialize;
use serde_json::Value;

use super::{simulate, simulated};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    schema: i64,
    seed: u64,
    runs: Vec<Value>,
    explored: Vec<Explored>,
    exhausted: Vec<Exhausted>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Explored {
    strategy: String,
    rules: String,
    runs: u64,
    harmful: u64,
    found: Vec<Found>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Found {
    kind: String,
    runs: u64,
    seed: u64,
    scenario: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Exhausted {
    model: String,
    strategy: String,
    rules: String,
    schedules: u64,
    depth: u64,
    is_cut_short: bool,
    scenario: Option<Value>,
}

fn document(args: &[&str]) -> Document {
    let outcome = simulate(args).arg("--format").arg("json").outcome();
    serde_json::from_str(outcome.ended_with(0).text()).unwrap()
}

#[test]
fn random_scenarios_are_counted_and_the_smallest_can_be_replayed() {
    let found = document(&["--explore", "60", "--strategy", "verbatim"]);
    assert_eq!((found.schema, found.seed), (1, 1));
    assert!(found.exhausted.is_empty());
    let [explored] = &found.explored[..] else {
        panic!("one design was asked for");
    };
    assert_eq!(
        (explored.strategy.as_str(), explored.rules.as_str()),
        ("verbatim", "barrier")
    );
    assert_eq!(explored.runs, 60);
    assert!(explored.harmful > 0 && explored.harmful <= 60);
    assert_eq!(found.runs.len(), explored.found.len());
    for (run, found) in found.runs.iter().zip(&explored.found) {
        assert!(found.runs >= 1 && found.runs <= explored.harmful);
        let kinds = run["harm"].as_array().unwrap();
        assert!(kinds.iter().any(|harm| harm["kind"] == *found.kind));
        // The scenario itself, fed back, does that harm.
        let again = simulate(&["-", "--strategy", "verbatim", "--format", "json", "--seed"])
            .arg(found.seed.to_string())
            .outcome_with(found.scenario.to_string().into_bytes());
        let again: Value = serde_json::from_str(again.ended_with(0).text()).unwrap();
        assert_eq!(again["runs"][0]["harm"], run["harm"]);
    }
}

#[test]
fn the_same_seed_finds_the_same_and_another_one_something_else() {
    let explored = |seed: &str| {
        let args = ["--explore", "40", "--strategy", "negate", "--seed", seed];
        simulated(&args).ended_with(0).text().to_owned()
    };
    assert_eq!(explored("40"), explored("40"));
    assert_ne!(explored("40"), explored("400"));
}

#[test]
fn every_schedule_is_tried_or_the_shortest_harm_shown() {
    let found = document(&["--exhaustive", "4", "--strategy", "verbatim,barrier"]);
    assert_eq!(found.exhausted.len(), 12);
    for one in &found.exhausted {
        let steps = one
            .scenario
            .as_ref()
            .map(|one| one["steps"].as_array().unwrap().len());
        let is_harmed =
            one.strategy == "verbatim" && ["pair", "chain", "faults"].contains(&&*one.model);
        assert_eq!(
            steps,
            is_harmed.then_some(4),
            "{} {}",
            one.model,
            one.strategy
        );
        assert!(one.schedules > 100 && one.depth == 4 && !one.is_cut_short);
        assert_eq!(one.rules, "barrier");
    }
    let args = [
        "--exhaustive",
        "4",
        "--strategy",
        "barrier",
        "--expect",
        "safe",
    ];
    simulated(&args).ended_with(0);
    let args = [
        "--exhaustive",
        "4",
        "--strategy",
        "verbatim",
        "--expect",
        "safe",
    ];
    let outcome = simulated(&args).ended_with(1);
    assert!(
        outcome.stderr.contains("expected none (--expect)"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.text().contains("a writes 1 record to orders-0"));
    assert!(
        outcome
            .text()
            .lines()
            .all(|line| line.chars().count() <= 80 || line.contains('{'))
    );
}
