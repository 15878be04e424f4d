//! Names beside the ids of topics, where the cluster's metadata lie in the same log directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::batches::Batch;
use crate::cluster_log::{record, write};
use crate::corpus;
use crate::program::{Run, copy_tree, dump_jsonl};
use kfsck::format::schema;
use kfsck::format::uuid::Uuid;

/// Names by ids, as `kfsck cluster` tells them.
fn topics(log_directory: &Path) -> BTreeMap<String, String> {
    let run = Run::new(["cluster", "--format", "json"]).arg(log_directory);
    let cluster: Value = serde_json::from_str(run.outcome().ended_with(0).text()).unwrap();
    let text = |topic: &Value, name: &str| topic[name].as_str().unwrap().to_owned();
    { cluster["topics"].as_array().unwrap().iter() }
        .map(|topic| (text(topic, "topicId"), text(topic, "name")))
        .collect()
}

fn records(partition: &Path) -> Vec<Value> {
    let run = dump_jsonl([partition]).arg("--print-data-log");
    run.outcome().of_type("record")
}

/// Key and value are what they are without the metadata; the goldens say the same of the text.
#[test]
fn records_have_the_names_of_their_ids_in_a_field_of_their_own() {
    let whole = corpus::directory().join("main");
    let ids = topics(&whole);
    let mut named = 0;
    for entry in fs::read_dir(&whole).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with("__consumer_offsets-") {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let alone = place.path().join(&name);
        copy_tree(&whole.join(&name), &alone);
        let (with, without) = (records(&whole.join(&name)), records(&alone));
        let log = dump_jsonl([whole.join(&name)]).outcome().ended_with(0);
        assert!(with.len() == without.len() && !log.of_type("batch").is_empty());
        for (mut with, without) in with.into_iter().zip(without) {
            let names = with.as_object_mut().unwrap().remove("topicNames");
            assert_eq!(with, without);
            let text = with.to_string();
            let has = |id: &str| text.contains(&format!("\"topicId\":\"{id}\""));
            let there: Map<_, _> = { ids.iter() }
                .filter(|(id, _)| has(id) && !text.contains("\"topicName\":"))
                .map(|(id, name)| (id.clone(), name.clone().into()))
                .collect();
            named += there.len();
            assert_eq!(
                names,
                (!there.is_empty()).then_some(Value::Object(there)),
                "{text}"
            );
        }
    }
    assert!(named > 0);
}

/// A group's member, a share partition, a partition of the cluster: whatever record has an id. One
/// that names its topic itself needs no help, and of an id that nobody knows nothing is said.
#[test]
fn ids_deep_inside_and_in_keys_are_named() {
    let place = tempfile::tempdir().unwrap();
    let [known, unknown] = [[7; 16], [8; 16]];
    let topic = record(
        "TopicRecord",
        &[
            ("name", schema::Value::Text(b"orders")),
            ("topicId", schema::Value::Uuid(Uuid(known))),
        ],
    );
    let partition = record(
        "PartitionRecord",
        &[("topicId", schema::Value::Uuid(Uuid(known)))],
    );
    let metadata = write(place.path(), &[topic, partition]);
    let names = |object: &Value| object.get("topicNames").cloned();
    let orders = |id: &str| Some(serde_json::json!({ id: "orders" }));
    let id = "BwcHBwcHBwcHBwcHBwcHBw";
    let told: Vec<_> = records(&metadata).iter().map(names).collect();
    assert_eq!(told, [None, orders(id)]);

    // ConsumerGroupTargetAssignmentMember: one topic with partition 0; ShareSnapshot: gone.
    let member = |topic: [u8; 16]| [&[0, 0, 2][..], &topic, &[2, 0, 0, 0, 0, 0, 0]].concat();
    let key = |record_type: u8, more: &[u8]| [&[0, record_type, 0, 1, b'g'][..], more].concat();
    let share = [&[0, 0, 0, 1, b'g'][..], &known, &[0; 4]].concat();
    let target = key(7, &[0, 1, b'm']);
    let offsets = Batch::new(0)
        .record(Some(&target), Some(&member(known)))
        .record(Some(&target), Some(&member(unknown)));
    let state = Batch::new(0).record(Some(&share), None);
    for (name, batch, expected) in [
        ("__consumer_offsets-0", offsets, vec![orders(id), None]),
        ("__share_group_state-0", state, vec![orders(id)]),
    ] {
        let partition = place.path().join(name);
        fs::create_dir(&partition).unwrap();
        fs::write(partition.join("00000000000000000000.log"), batch.encode()).unwrap();
        let told: Vec<_> = records(&partition).iter().map(names).collect();
        assert_eq!(told, expected, "{name}");
    }
}
