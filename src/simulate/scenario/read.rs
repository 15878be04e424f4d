//! Reads scenario files: every error names its line, its field and what is allowed.

use super::{Scenario, Step};
use crate::simulate::harm::HarmKind;
use crate::simulate::strategy;
use crate::state::rules;
use crate::storage::partition_name::PartitionName;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ffi::OsStr;
use std::fmt;

/// Why a scenario cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    /// The line of the file, from 1; `None` for a scenario that is in no file.
    pub line: Option<usize>,
    /// The field, as `steps[3].produce.writer`; empty where the text is no JSON.
    pub field: String,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ScenarioError {}

/// The file with its steps as text.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow, default)]
    steps: Vec<&'a RawValue>,
}

/// Reads a scenario.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn read(text: &str) -> Result<Scenario, ScenarioError> {
    let scenario: Scenario = serde_json::from_str(text).map_err(|error| {
        let line = (error.line() > 0).then_some(error.line());
        ScenarioError {
            line,
            field: String::new(),
            problem: without_place(&error.to_string()),
        }
    })?;
    check(&scenario).map_err(|error| locate(error, text))?;
    Ok(scenario)
}

/// The message without the place that serde puts behind it.
fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message.get(..end).unwrap_or(message).to_owned()
}

/// Adds the line of the field that an error names.
fn locate(mut error: ScenarioError, text: &str) -> ScenarioError {
    let last = error.field.rsplit('.').next().unwrap_or_default();
    let mut from = 0;
    let step = error
        .field
        .strip_prefix("steps[")
        .and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    if let Some(step) = step
        && let Ok(texts) = serde_json::from_str::<Texts<'_>>(text)
        && let Some(raw) = texts.steps.get(step)
    {
        from = raw.get().as_ptr().addr() - text.as_ptr().addr();
    }
    let key = format!("\"{}\"", last.split('[').next().unwrap_or_default());
    let behind = text.get(from..).unwrap_or_default();
    let at = from + behind.find(&key).unwrap_or(0);
    let before = text.get(..at).unwrap_or_default();
    error.line = Some(before.matches('\n').count() + 1);
    error
}

fn wrong(field: impl Into<String>, problem: impl Into<String>) -> ScenarioError {
    ScenarioError {
        line: None,
        field: field.into(),
        problem: problem.into(),
    }
}

/// `found` must be among `allowed`.
fn among<'a>(
    field: &str,
    what: &str,
    found: &str,
    allowed: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ScenarioError> {
    if allowed.clone().any(|name| name == found) {
        return Ok(());
    }
    let allowed: Vec<_> = allowed.collect();
    let problem = format!("\"{found}\" is no {what}; allowed: {}", allowed.join(", "));
    Err(wrong(field, problem))
}

fn within(field: &str, found: i64, least: i64, most: i64) -> Result<(), ScenarioError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let problem = format!("{found} is out of range; allowed: {least} to {most}");
    Err(wrong(field, problem))
}

/// A letter that a name may have.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "._-".contains(letter)
}

/// Whether a scenario makes sense: names are known, numbers in range.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(scenario: &Scenario) -> Result<(), ScenarioError> {
    within("schema", scenario.schema.into(), 1, 1)?;
    let name = &scenario.name;
    if name.is_empty() || name.len() > 100 || !name.chars().all(is_plain) || name.starts_with('.') {
        let allowed = "1 to 100 letters, digits, dots, dashes and underscores, no dot in front";
        return Err(wrong(
            "name",
            format!("\"{name}\" is no name; allowed: {allowed}"),
        ));
    }
    check_clusters(scenario)?;
    for (place, step) in scenario.steps.iter().enumerate() {
        check_step(scenario, &format!("steps[{place}]"), step)?;
    }
    for (place, expectation) in scenario.expect.iter().enumerate() {
        let field = |name: &str| format!("expect[{place}].{name}");
        let strategies = strategy::ALL.iter().map(|one| one.name());
        among(
            &field("strategy"),
            "strategy",
            &expectation.strategy,
            strategies,
        )?;
        for name in &expectation.rules {
            among(
                &field("rules"),
                "rule set",
                name,
                rules::ALL.iter().map(|one| one.name()),
            )?;
        }
        for name in &expectation.harm {
            among(
                &field("harm"),
                "harm",
                name,
                HarmKind::ALL.iter().map(|one| one.name()),
            )?;
        }
    }
    Ok(())
}

fn check_clusters(scenario: &Scenario) -> Result<(), ScenarioError> {
    unique("clusters", scenario.clusters.iter().map(|one| &one.name))?;
    unique("writers", scenario.writers.iter().map(|one| &one.name))?;
    for (place, cluster) in scenario.clusters.iter().enumerate() {
        let field = |name: &str| format!("clusters[{place}].{name}");
        let is_fit = !cluster.name.is_empty() && cluster.name.chars().all(is_plain);
        if !is_fit || cluster.name.starts_with('.') {
            let problem = format!("\"{}\" is no name for a directory", cluster.name);
            return Err(wrong(field("name"), problem));
        }
        let replicas = i64::try_from(cluster.replicas).unwrap_or(i64::MAX);
        within(&field("replicas"), replicas, 1, 5)?;
        within(
            &field("nextProducerId"),
            cluster.next_producer_id,
            0,
            1 << 40,
        )?;
    }
    let clusters = || {
        scenario
            .clusters
            .iter()
            .map(|cluster| cluster.name.as_str())
    };
    for (place, writer) in scenario.writers.iter().enumerate() {
        let field = |name: &str| format!("writers[{place}].{name}");
        among(&field("cluster"), "cluster", &writer.cluster, clusters())?;
        let version = writer.transaction_version.into();
        within(&field("transactionVersion"), version, 1, 2)?;
        within(
            &field("firstSequence"),
            writer.first_sequence.into(),
            0,
            i32::MAX.into(),
        )?;
    }
    Ok(())
}

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a String>) -> Result<(), ScenarioError> {
    let mut seen = Vec::new();
    for (place, name) in names.enumerate() {
        if seen.contains(&name) {
            let problem = format!("\"{name}\" is there twice");
            return Err(wrong(format!("{field}[{place}].name"), problem));
        }
        seen.push(name);
    }
    match seen.is_empty() && field == "clusters" {
        true => Err(wrong(field, "there is none; at least one is needed")),
        false => Ok(()),
    }
}

fn check_step(scenario: &Scenario, place: &str, step: &Step) -> Result<(), ScenarioError> {
    let field = |name: &str| format!("{place}.{}.{name}", step.kind());
    let named = step.named();
    if let Some(writer) = named.writer {
        let writers = scenario.writers.iter().map(|one| one.name.as_str());
        among(&field("writer"), "writer", writer, writers)?;
    }
    for (name, cluster) in &named.clusters {
        let clusters = scenario.clusters.iter().map(|one| one.name.as_str());
        among(&field(name), "cluster", cluster, clusters)?;
        if let Some(replica) = named.replica
            && let Some(found) = scenario.clusters.iter().find(|one| one.name == *cluster)
        {
            let most = i64::try_from(found.replicas.saturating_sub(1)).unwrap_or(0);
            within(
                &field("replica"),
                i64::try_from(replica).unwrap_or(i64::MAX),
                0,
                most,
            )?;
        }
    }
    if let Some(partition) = named.partition
        && PartitionName::parse(OsStr::new(partition)).is_none()
    {
        let problem = format!("\"{partition}\" is no partition; allowed: topic-number");
        return Err(wrong(field("topicPartition"), problem));
    }
    match step {
        Step::Produce(step) => {
            within(&field("records"), step.records.into(), 1, 1000)?;
            within(&field("batches"), step.batches.into(), 1, 1000)
        }
        Step::Mirror(step) => within(&field("chunk"), step.chunk.into(), 1, 1000),
        Step::Wait(step) => within(&field("ms"), step.ms, 0, 315_360_000_000),
        Step::Expect(step) => {
            if let Some(name) = &step.strategy {
                let strategies = strategy::ALL.iter().map(|one| one.name());
                among(&field("strategy"), "strategy", name, strategies)?;
            }
            let Some(name) = &step.rules else {
                return Ok(());
            };
            let sets = rules::ALL.iter().map(|one| one.name());
            among(&field("rules"), "rule set", name, sets)
        }
        _ => Ok(()),
    }
}
