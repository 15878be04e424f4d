//! Takes from a scenario what does not matter to a harm.

use crate::simulate::harm::HarmKind;
use crate::simulate::run::{How, run};
use crate::simulate::scenario::{Scenario, Step};
use std::collections::BTreeSet;

/// The smallest scenario found that still does this kind of harm.
#[must_use]
pub fn shrink(scenario: &Scenario, how: How, kind: HarmKind) -> Scenario {
    let does_harm = |scenario: &Scenario| {
        run(scenario, how).is_ok_and(|run| {
            let mut harms = run.world.harms().iter();
            harms.any(|harm| harm.kind == kind)
        })
    };
    let mut small = scenario.clone();
    loop {
        let before = size(&small);
        drop_steps(&mut small, &does_harm);
        simplify_steps(&mut small, &does_harm);
        drop_unused(&mut small, &does_harm);
        if size(&small) == before {
            return small;
        }
    }
}

/// What shrinks.
fn size(scenario: &Scenario) -> (usize, usize, usize, u64) {
    let weight = |step: &Step| match step {
        Step::Produce(step) => u64::from(step.records) + u64::from(step.batches),
        Step::Mirror(step) => u64::from(step.chunk) + u64::from(step.batches.is_some()),
        _ => 0,
    };
    (
        scenario.steps.len(),
        scenario.writers.len(),
        scenario.clusters.iter().map(|one| one.replicas).sum(),
        scenario.steps.iter().map(weight).sum(),
    )
}

/// Takes steps away, many at a time first.
fn drop_steps(scenario: &mut Scenario, does_harm: &dyn Fn(&Scenario) -> bool) {
    let mut length = scenario.steps.len().div_ceil(2);
    while length > 0 {
        let mut from = 0;
        while from < scenario.steps.len() {
            let mut fewer = scenario.clone();
            let end = (from + length).min(fewer.steps.len());
            fewer.steps.drain(from..end);
            match does_harm(&fewer) {
                true => *scenario = fewer,
                false => from += length,
            }
        }
        length /= 2;
    }
}

/// Tries one record and one batch, all batches of a mirror, one batch a fetch.
fn simplify_steps(scenario: &mut Scenario, does_harm: &dyn Fn(&Scenario) -> bool) {
    for place in 0..scenario.steps.len() {
        for simple in simpler(scenario.steps.get(place)) {
            let mut changed = scenario.clone();
            if let Some(step) = changed.steps.get_mut(place) {
                *step = simple;
            }
            if does_harm(&changed) {
                *scenario = changed;
            }
        }
    }
}

fn simpler(step: Option<&Step>) -> Vec<Step> {
    match step {
        Some(Step::Produce(step)) => {
            let mut one_record = step.clone();
            one_record.records = 1;
            let mut one_batch = one_record.clone();
            one_batch.batches = 1;
            one_batch.ack_lost = false;
            vec![Step::Produce(one_record), Step::Produce(one_batch)]
        }
        Some(Step::Mirror(step)) => {
            let mut all = step.clone();
            all.batches = None;
            let mut single = all.clone();
            single.chunk = 1;
            vec![Step::Mirror(all), Step::Mirror(single)]
        }
        _ => Vec::new(),
    }
}

/// Takes writers and clusters away that no step uses, and replicas.
fn drop_unused(scenario: &mut Scenario, does_harm: &dyn Fn(&Scenario) -> bool) {
    let mut fewer = scenario.clone();
    let used: BTreeSet<String> = fewer
        .steps
        .iter()
        .filter_map(|step| step.named().writer.map(str::to_owned))
        .collect();
    fewer.writers.retain(|writer| used.contains(&writer.name));
    let mut clusters: BTreeSet<String> = fewer
        .steps
        .iter()
        .flat_map(|step| step.named().clusters)
        .map(|(_, name)| name.to_owned())
        .collect();
    clusters.extend(fewer.writers.iter().map(|writer| writer.cluster.clone()));
    fewer.clusters.retain(|one| clusters.contains(&one.name));
    if !fewer.clusters.is_empty() && does_harm(&fewer) {
        *scenario = fewer;
    }
    for place in 0..scenario.clusters.len() {
        let mut fewer = scenario.clone();
        let Some(cluster) = fewer.clusters.get_mut(place) else {
            continue;
        };
        if cluster.replicas > 1 {
            cluster.replicas = 1;
            if does_harm(&fewer) {
                *scenario = fewer;
            }
        }
    }
}
