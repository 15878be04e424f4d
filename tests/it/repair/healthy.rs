//! What is sound stays as it is.

use std::fs;

use super::{Copied, Verb, contents, plan_with, repaired, terms, terms_of};
use crate::program::testdata;

/// The partitions of real brokers that stopped cleanly.
pub(super) fn partitions() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["main", "crash/clean", "legacy"] {
        for entry in fs::read_dir(testdata(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let is_own = !name.ends_with("-delete") && !name.ends_with("-stray");
            if entry.path().is_dir() && is_own && name != "__cluster_metadata-0" {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    assert!(found.len() > 40);
    found
}

#[test]
fn nothing_is_to_be_done_to_the_logs_of_healthy_brokers() {
    for partition in partitions() {
        for verb in [Verb::Truncate, Verb::Salvage, Verb::Index] {
            let plan = plan_with(&testdata(&partition), verb, &terms_of(&partition));
            assert!(plan.is_empty(), "{partition} {verb:?}: {:#?}", plan.steps);
            assert!(plan.lost.is_empty() && plan.alternatives.is_empty());
        }
    }
}

#[test]
fn the_result_of_an_empty_plan_is_a_copy() {
    let copied = Copied::new("main/txn-v2-0");
    let (plan, result) = repaired(&copied.path, Verb::Salvage, &terms());
    assert!(plan.is_empty());
    assert_eq!(contents(&result), contents(&copied.path));
    for name in contents(&result).keys() {
        let modified = |directory: &std::path::Path| {
            let metadata = fs::metadata(directory.join(name)).unwrap();
            metadata.modified().unwrap()
        };
        assert_eq!(modified(&result), modified(&copied.path), "{name}");
    }
}
