//! A scenario: clusters, writers and timed steps, as a JSON file has them.
//!
//! Field names are the input's own; `docs/scenarios.md` and the JSON Schema beside it tell of each.

mod named;
mod place;
mod read;
mod step;
mod write;

pub use named::Named;
pub use place::locate;
pub use read::{ScenarioError, check, read};
pub use step::{
    Aborts, BarrierWrite, ClusterStep, ExpectStep, FetchStep, Isolation, LinkStep, MirrorStep,
    ProduceStep, ReplicaStep, RestartStep, RetryStep, Snapshots, Step, Stop, StopStep, WaitStep,
    WriterStep,
};

pub use write::write;

use crate::simulate::link::Form;
use serde::{Deserialize, Serialize};

/// The partition that steps mean when they name none.
pub const DEFAULT_PARTITION: &str = "orders-0";

/// A scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The version of the file's form, 1.
    #[serde(default = "one")]
    pub schema: u32,
    /// Its name, part of directory names: letters, digits, dots, dashes, underscores.
    pub name: String,
    /// What it shows, in a sentence or two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The state machine of the mirrors, where it is not the strategy's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<FormName>,
    /// Which layout a barrier has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub barrier_layout: BarrierLayout,
    /// The clusters.
    pub clusters: Vec<ClusterSpec>,
    /// The writers.
    pub writers: Vec<WriterSpec>,
    /// What happens, in this order.
    pub steps: Vec<Step>,
    /// What must come out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClusterSpec {
    /// Its name in the scenario.
    pub name: String,
    /// Its cluster id: 22 characters of URL-safe base 64, or free text that no mapping can use.
    pub id: String,
    /// How many brokers; each has a replica of every partition. 1 to 5.
    #[serde(default = "one_usize", skip_serializing_if = "is_one")]
    pub replicas: usize,
    /// The first producer id that it gives out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub next_producer_id: i64,
}

/// What kind of producer a writer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WriterKind {
    /// It has an id and sequences.
    #[default]
    Idempotent,
    /// It writes in transactions.
    Transactional,
    /// It has no id.
    Plain,
}

/// A writer: one logical producer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriterSpec {
    /// Its name in the scenario.
    pub name: String,
    /// The cluster that gives it its id and coordinates its transactions.
    pub cluster: String,
    /// What kind of producer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: WriterKind,
    /// The version of its transactions, 1 or 2 (each end bumps the epoch).
    #[serde(default = "one_i16", skip_serializing_if = "is_one_i16")]
    pub transaction_version: i16,
    /// The sequence that it begins with in each partition: near 2147483647 to see it wrap.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first_sequence: i32,
}

/// A [`Form`] as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FormName {
    /// [`Form::Design`].
    Design,
    /// [`Form::Latest`].
    Latest,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Design => Self::Design,
            FormName::Latest => Self::Latest,
        }
    }
}

/// The layouts of a barrier's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BarrierLayout {
    /// With the source's cluster id.
    A,
    /// Without it.
    #[default]
    B,
}

/// A verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// No harm.
    Safe,
    /// Some.
    Unsafe,
}

/// What must come out of the runs with this strategy and these rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// The strategy.
    pub strategy: String,
    /// The rule sets; all of them when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Safe or unsafe.
    pub verdict: Verdict,
    /// Kinds of harm that must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harm: Vec<String>,
}

const fn one() -> u32 {
    1
}

const fn one_usize() -> usize {
    1
}

const fn one_i16() -> i16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_one(value: &usize) -> bool {
    *value == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_one_i16(value: &i16) -> bool {
    *value == 1
}

/// Whether a field may be left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
