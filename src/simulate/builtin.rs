//! The scenarios that come with the program; their files lie in `testdata/scenarios`.

use crate::simulate::scenario::{Scenario, ScenarioError, read};

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in scenario: those of the contract first.
        pub const ALL: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../testdata/scenarios/", $name, ".json")))),*
        ];
    };
}

builtins![
    "chain-negation",
    "chain-local-producer",
    "same-epoch-wrong-sequence",
    "different-epochs",
    "transaction-interleave",
    "source-reassignment",
    "hash-collision",
    "active-passive",
    "failback",
    "fan-out",
    "fan-in",
    "chain",
    "open-transaction-at-stop",
    "barrier-same-chunk",
    "unclean-recovery",
    "missing-barrier",
    "retry-across-stop",
    "salt-after-expiry",
    "salt-after-election",
    "salt-false-collision",
    "salt-unseen-collision",
    "failed-abort-at-stop",
    "truncated-barrier",
    "negative-ids-on-stock",
    "split-transaction",
    "abort-after-commit",
    "repeated-barrier",
    "free-text-cluster-id",
    "replaced-source",
    "copied-back",
];

/// The built-in scenario of a name; `None` where there is none.
#[must_use]
pub fn by_name(name: &str) -> Option<Result<Scenario, ScenarioError>> {
    let (_, text) = ALL.iter().find(|(one, _)| *one == name)?;
    Some(read(text))
}
