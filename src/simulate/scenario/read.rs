//! Reads scenario files: every error names its line, its field and what is allowed.

use super::named::KINDS;
use super::place::{self, locate, stray_list};
use super::{Scenario, Step};
use crate::simulate::harm::HarmKind;
use crate::simulate::strategy;
use crate::state::rules;
use crate::storage::partition_name::PartitionName;
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

/// Reads a scenario.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn read(text: &str) -> Result<Scenario, ScenarioError> {
    if let Some(field) = stray_list(text) {
        let problem = "a list in brackets stands where an object or a single value belongs";
        return Err(locate(wrong(field, problem), text));
    }
    if text.starts_with('\u{feff}') {
        let problem = "a byte order mark stands in front: save the file as UTF-8 without it";
        return Err(locate(wrong("", problem), text));
    }
    let scenario: Scenario = serde_json::from_str(text).map_err(|error| {
        let line = (error.line() > 0).then_some(error.line());
        let field = place::field_at(text, error.line(), error.column());
        let problem = in_plain_words(&error.to_string());
        in_a_step(&field, &problem)
            .map(|error| ScenarioError { line, ..error })
            .unwrap_or(ScenarioError {
                line,
                field,
                problem,
            })
    })?;
    check(&scenario).map_err(|error| locate(error, text))?;
    Ok(scenario)
}

/// So many records are written in all, at most: more would take hours.
const MOST_RECORDS: u64 = 1_000_000;
/// So many steps there are at most.
const MOST_STEPS: i64 = 10_000;

/// A scenario comes to its end in a while.
fn check_size(scenario: &Scenario) -> Result<(), ScenarioError> {
    let steps = i64::try_from(scenario.steps.len()).unwrap_or(i64::MAX);
    if steps > MOST_STEPS {
        let problem = format!("{steps} steps are too many; allowed: up to {MOST_STEPS}");
        return Err(wrong("steps", problem));
    }
    let records = scenario.steps.iter().map(|step| match step {
        Step::Produce(step) => u64::from(step.records) * u64::from(step.batches),
        _ => 0,
    });
    let records: u64 = records.sum();
    if records > MOST_RECORDS {
        let problem = format!("{records} records are too many; allowed: up to {MOST_RECORDS}");
        return Err(wrong("steps", problem));
    }
    Ok(())
}

/// An error about a step that has no name, or more than one: serde only misses a value there.
fn in_a_step(field: &str, problem: &str) -> Option<ScenarioError> {
    let inside = field.strip_prefix("steps[")?;
    let (place, _) = inside.split_once(']')?;
    (problem == "expected value").then(|| ScenarioError {
        line: None,
        field: format!("steps[{place}]"),
        problem: format!(
            "a step is an object with one name, and what belongs to it; allowed: {}",
            KINDS.join(", ")
        ),
    })
}

/// The message without the place that serde puts behind it, and without Rust's names of types.
fn in_plain_words(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    let message = message.get(..end).unwrap_or(message);
    let Some((found, wanted)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let wanted = match wanted {
        "i64" => "a whole number of up to 63 bits and a sign",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i16" => "a whole number from -32768 to 32767",
        "u32" => "a whole number from 0 to 4294967295",
        "usize" => "a whole number from 0 up",
        "a boolean" => "true or false",
        "a sequence" => "a list in brackets",
        other if other.starts_with("struct ") => "an object in braces",
        "string or map" => "an object in braces with one name",
        other => other,
    };
    format!("{found}, expected {wanted}")
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

/// The name of a partition's directory as a broker makes it.
fn is_partition(name: &str) -> bool {
    let parsed = PartitionName::parse(OsStr::new(name));
    let is_own = parsed.is_some_and(|one| one.state.is_none() && one.to_string() == name);
    is_own && name.len() <= 255 && name.chars().all(is_plain) && !name.starts_with('.')
}

/// A name of which a directory will be called.
fn fit_for_directory(field: &str, name: &str) -> Result<(), ScenarioError> {
    let is_fit = (1..=100).contains(&name.len()) && name.chars().all(is_plain);
    if is_fit && !name.starts_with('.') {
        return Ok(());
    }
    let allowed = "1 to 100 letters, digits, dots, dashes and underscores, no dot in front";
    Err(wrong(
        field,
        format!("\"{name}\" is no name; allowed: {allowed}"),
    ))
}

/// Whether a scenario makes sense: names are known, numbers in range.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(scenario: &Scenario) -> Result<(), ScenarioError> {
    within("schema", scenario.schema.into(), 1, 1)?;
    fit_for_directory("name", &scenario.name)?;
    check_clusters(scenario)?;
    check_size(scenario)?;
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
    for (place, cluster) in scenario.clusters.iter().enumerate() {
        let mut others = scenario.clusters.iter().take(place);
        if cluster.id.is_empty() || others.any(|other| other.id == cluster.id) {
            let problem = format!("\"{}\" is empty or there twice", cluster.id);
            return Err(wrong(format!("clusters[{place}].id"), problem));
        }
    }
    unique("writers", scenario.writers.iter().map(|one| &one.name))?;
    for (place, cluster) in scenario.clusters.iter().enumerate() {
        let field = |name: &str| format!("clusters[{place}].{name}");
        fit_for_directory(&field("name"), &cluster.name)?;
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
        if writer.name.is_empty() {
            return Err(wrong(
                field("name"),
                "it is empty; at least a letter is needed",
            ));
        }
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
        && !is_partition(partition)
    {
        let allowed = "topic-number, the topic in letters, digits, dots, dashes and underscores, \
                       no dot in front";
        let problem = format!("\"{partition}\" is no partition; allowed: {allowed}");
        return Err(wrong(field("topicPartition"), problem));
    }
    match step {
        Step::Produce(step) => {
            within(&field("records"), step.records.into(), 1, 1000)?;
            within(&field("batches"), step.batches.into(), 1, 1000)
        }
        Step::Fetch(step) => {
            let chunk = step
                .chunk
                .map_or(1, |chunk| i64::try_from(chunk).unwrap_or(i64::MAX));
            within(&field("chunk"), chunk, 1, 1000)
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
