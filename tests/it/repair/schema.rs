//! The JSON of a plan, declared a second time.

use serde::Deserialize;

use super::Copied;
use crate::program::{Run, testdata};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Document {
    schema: i64,
    verb: String,
    topic_partition: String,
    path: String,
    steps: Vec<Step>,
    kept: Kept,
    lost: Vec<Lost>,
    replicas: Option<Replicas>,
    alternatives: Vec<String>,
    warnings: Vec<String>,
    result: Option<Outcome>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Replicas {
    topic_id: String,
    replicas: Vec<i32>,
    isr: Vec<i32>,
    eligible_leader_replicas: Vec<i32>,
    leader: i32,
    leader_epoch: i32,
    metadata_offset: i64,
    broker: Option<i32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Step {
    action: String,
    path: String,
    position: Option<u64>,
    size_in_bytes: Option<u64>,
    offset: Option<i64>,
    detail: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Kept {
    records: u64,
    first_offset: Option<i64>,
    last_offset: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Lost {
    first_offset: Option<i64>,
    last_offset: Option<i64>,
    records: Option<u64>,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Outcome {
    path: String,
    set_aside: Option<String>,
    left: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Several {
    schema: i64,
    plans: Vec<Document>,
}

#[test]
fn one_partition_gives_its_plan() {
    let copied = Copied::new("main/txn-both-0");
    let name = copied.logs()[1].file_name().unwrap().to_owned();
    copied.change(name.to_str().unwrap(), |bytes| bytes[100] ^= 1);
    let run = Run::new([
        "repair",
        "log",
        "--salvage",
        "--dry-run",
        "--format",
        "json",
    ]);
    let dry = run.arg(&copied.path).outcome().ended_with(1);
    let document: Document = serde_json::from_str(dry.text()).unwrap();
    assert_eq!((document.schema, document.verb.as_str()), (1, "log"));
    assert_eq!(document.topic_partition, "txn-both-0");
    assert_eq!(document.path, copied.path.to_str().unwrap());
    let first = &document.steps[0];
    assert_eq!(first.action, "drop");
    assert_eq!((first.position, first.offset.is_some()), (Some(0), true));
    assert!(first.path.ends_with(name.to_str().unwrap()));
    assert!(first.size_in_bytes.is_some() && first.detail.starts_with("crc-mismatch: "));
    assert!(document.kept.records > 10);
    assert_eq!(document.kept.first_offset, Some(0));
    assert!(document.kept.last_offset.is_some());
    let lost = &document.lost[0];
    assert!(lost.first_offset.is_some() && lost.last_offset.is_some());
    assert!(lost.records.is_some());
    assert_eq!(lost.reason, "crc-mismatch");
    assert!(document.alternatives[0].starts_with("if another replica is healthy"));
    assert!(!document.warnings.is_empty());
    assert_eq!(document.replicas, None, "nobody asked the metadata");
    assert!(document.result.is_none());

    let run = Run::new([
        "repair",
        "log",
        "--salvage",
        "--in-place",
        "--format",
        "json",
    ]);
    let done = run
        .arg("--now=2026-12-01")
        .arg(&copied.path)
        .outcome()
        .ended_with(0);
    let done: Document = serde_json::from_str(done.text()).unwrap();
    let result = done.result.unwrap();
    assert_eq!(result.path, document.path);
    assert!(
        result
            .set_aside
            .unwrap()
            .ends_with(".kfsck-repair-txn-both-0")
    );
    assert!(result.left.is_empty());
}

#[test]
fn several_partitions_give_a_list() {
    let run = Run::new(["repair", "index", "--dry-run", "--format", "json"]);
    let run = run
        .arg(testdata("main/idem-0"))
        .arg(testdata("main/idem-1"));
    let outcome = run.outcome().ended_with(0);
    let document: Several = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!((document.schema, document.plans.len()), (1, 2));
}
