//! The schema, the document and the code know the same fields, names, bounds and defaults.
//!
//! Every part of a scenario that has all fields there are is made wrong in turn, and what the
//! code then says is compared with the schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kfsck::simulate::scenario::{Scenario, read};
use serde_json::{Value, json};

use super::builtin;
use super::schema_file::{complaints, resolved, schema};

/// A scenario in which every field stands. It need not make sense as a run.
fn with_every_field() -> Value {
    json!({
        "schema": 1,
        "name": "whole",
        "about": "all fields",
        "form": "design",
        "barrierLayout": "a",
        "clusters": [
            {"name": "A", "id": "a", "replicas": 2, "nextProducerId": 5},
            {"name": "B", "id": "b"}
        ],
        "writers": [
            {
                "name": "a", "cluster": "A", "kind": "transactional", "transactionVersion": 2,
                "firstSequence": 3
            }
        ],
        "steps": [
            {"produce": {
                "writer": "a", "cluster": "A", "topicPartition": "x-1", "records": 2, "batches": 3,
                "ackLost": true
            }},
            {"retry": {"writer": "a", "cluster": "A", "topicPartition": "x-1"}},
            {"begin": {"writer": "a"}},
            {"commit": {"writer": "a"}},
            {"abort": {"writer": "a"}},
            {"bumpEpoch": {"writer": "a"}},
            {"mirror": {
                "from": "A", "to": "B", "topicPartition": "x-1", "batches": 2, "chunk": 3,
                "isolation": "readCommitted", "lateFencing": true
            }},
            {"stop": {
                "cluster": "B", "topicPartition": "x-1", "barrier": "skipped", "aborts": "failed"
            }},
            {"failOver": {
                "cluster": "B", "topicPartition": "x-1", "barrier": "repeated", "aborts": "failed"
            }},
            {"failBack": {"from": "B", "to": "A", "topicPartition": "x-1"}},
            {"reassign": {"from": "B", "to": "A", "topicPartition": "x-1"}},
            {"pause": {"cluster": "A"}},
            {"resume": {"cluster": "A"}},
            {"restart": {"cluster": "A", "replica": 1, "stop": "unclean", "snapshots": "lost"}},
            {"elect": {"cluster": "A", "replica": 1, "topicPartition": "x-1"}},
            {"lag": {"cluster": "A", "replica": 1, "topicPartition": "x-1"}},
            {"fetch": {"cluster": "A", "replica": 1, "topicPartition": "x-1", "chunk": 2}},
            {"roll": {"cluster": "A"}},
            {"wait": {"ms": 7}},
            {"expect": {
                "cluster": "A", "topicPartition": "x-1", "strategy": "barrier", "rules": "stock",
                "logEndOffset": 3, "lastStableOffset": 2, "producerIds": [5], "producers": 1
            }}
        ],
        "expect": [
            {"strategy": "barrier", "rules": ["fork"], "verdict": "safe", "harm": ["stuck-lso"]}
        ]
    })
}

/// A place in the scenario and what the schema has for it.
struct Part<'a> {
    pointer: String,
    /// The schema of the place, references followed.
    node: &'a Value,
    /// The schema where it is named, whose `default` counts.
    named: &'a Value,
}

fn parts<'a>(root: &'a Value, named: &'a Value, at: &Value, pointer: &str) -> Vec<Part<'a>> {
    let node = resolved(root, named);
    let mut found = vec![Part {
        pointer: pointer.to_owned(),
        node,
        named,
    }];
    for (name, value) in at.as_object().into_iter().flatten() {
        let inner = &node["properties"][name];
        assert!(inner.is_object(), "{pointer}/{name} is not in the schema");
        found.extend(parts(root, inner, value, &format!("{pointer}/{name}")));
    }
    for (place, value) in at.as_array().into_iter().flatten().enumerate() {
        found.extend(parts(
            root,
            &node["items"],
            value,
            &format!("{pointer}/{place}"),
        ));
    }
    found
}

fn parsed(scenario: &Value) -> Result<Scenario, String> {
    read(&scenario.to_string()).map_err(|error| error.to_string())
}

/// The error of the scenario with something else at a place.
fn refusal(pointer: &str, value: &Value) -> String {
    let mut wrong = with_every_field();
    *wrong.pointer_mut(pointer).expect(pointer) = value.clone();
    let error = parsed(&wrong).err();
    error.unwrap_or_else(|| panic!("{pointer} may be {value}"))
}

/// The names that an error allows: in backquotes behind `expected`, or behind `allowed: `.
fn allowed(error: &str) -> BTreeSet<String> {
    if let Some((_, names)) = error.split_once("; allowed: ") {
        return names.split(", ").map(str::to_owned).collect();
    }
    let (_, names) = error.rsplit_once("expected ").expect(error);
    names
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn names_of(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

fn strings(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_whole_scenario_is_sound_and_has_all_there_is() {
    let (schema, whole) = (schema(), with_every_field());
    assert_eq!(complaints(&schema, &schema, &whole, ""), [""; 0]);
    parsed(&whole).unwrap();
    for part in parts(&schema, &schema, &whole, "") {
        let is_step = part.node.get("maxProperties").is_some();
        if part.node.get("properties").is_some() && !is_step {
            let here = names_of(whole.pointer(&part.pointer).unwrap());
            // The second cluster has no more than it needs.
            if part.pointer != "/clusters/1" {
                assert_eq!(here, names_of(&part.node["properties"]), "{}", part.pointer);
            }
        }
    }
    let steps: BTreeSet<_> = (0..20)
        .flat_map(|place| names_of(&whole["steps"][place]))
        .collect();
    assert_eq!(steps, names_of(&schema["$defs"]["step"]["properties"]));
}

#[test]
fn fields_are_the_same() {
    let (schema, whole) = (schema(), with_every_field());
    let mut count = 0;
    for part in parts(&schema, &schema, &whole, "") {
        let Some(properties) = part.node.get("properties") else {
            continue;
        };
        let mut object = whole.pointer(&part.pointer).unwrap().clone();
        let in_order = Value::Array(object.as_object().unwrap().values().cloned().collect());
        if !part.pointer.is_empty() {
            let error = refusal(&part.pointer, &in_order);
            assert!(
                error.contains("a list in brackets stands where an object"),
                "{error}"
            );
        }
        if part.node.get("maxProperties").is_some() {
            let error = refusal(&part.pointer, &json!({"nope": {}}));
            assert_eq!(allowed(&error), names_of(properties), "{error}");
            continue;
        }
        count += 1;
        object["nope"] = json!(1);
        let error = refusal(&part.pointer, &object);
        assert_eq!(allowed(&error), names_of(properties), "{error}");
        object.as_object_mut().unwrap().remove("nope");
        let required = strings(&part.node["required"]);
        for name in names_of(&object) {
            let mut less = object.clone();
            less.as_object_mut().unwrap().remove(&name);
            let mut scenario = whole.clone();
            *scenario.pointer_mut(&part.pointer).unwrap() = less;
            match (parsed(&scenario), required.contains(&name)) {
                (Err(error), true) => {
                    assert!(
                        error.contains(&format!("missing field `{name}`")),
                        "{error}"
                    );
                }
                // Steps refer to a second replica.
                (Err(error), false) => assert!(error.contains("0 to 0"), "{name}: {error}"),
                (Ok(_), true) => panic!("{}: {name} may be missing", part.pointer),
                (Ok(_), false) => {}
            }
        }
    }
    assert_eq!(count, 1 + 2 + 1 + 20 + 1);
}

#[test]
fn names_of_kinds_are_the_same() {
    let (schema, whole) = (schema(), with_every_field());
    let mut count = 0;
    for part in parts(&schema, &schema, &whole, "") {
        if let Some(names) = part.node.get("enum") {
            let error = refusal(&part.pointer, &json!("nope"));
            assert_eq!(allowed(&error), strings(names), "{}: {error}", part.pointer);
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn bounds_are_the_same() {
    let (schema, whole) = (schema(), with_every_field());
    let mut count = 0;
    for part in parts(&schema, &schema, &whole, "") {
        for (bound, step) in [("minimum", -1), ("maximum", 1)] {
            let Some(last) = part.node.get(bound).and_then(Value::as_i64) else {
                continue;
            };
            refusal(&part.pointer, &json!(last + step));
            let mut scenario = whole.clone();
            *scenario.pointer_mut(&part.pointer).unwrap() = json!(last);
            if let Err(error) = parsed(&scenario) {
                // Fewer replicas than steps refer to.
                assert!(error.contains("0 to 0"), "{}: {error}", part.pointer);
            }
            count += 1;
        }
        if part.node["type"] == "integer" {
            refusal(&part.pointer, &json!(1.5));
            refusal(&part.pointer, &json!("1"));
        }
        if part.node.get("pattern").is_some() {
            for text in ["", ".x-0", "a b-0", "../x-0", "\u{e9}-0", &"x".repeat(256)] {
                refusal(&part.pointer, &json!(text));
            }
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn defaults_are_the_same() {
    let (schema, whole) = (schema(), with_every_field());
    let mut count = 0;
    for part in parts(&schema, &schema, &whole, "") {
        let Some(default) = part.named.get("default") else {
            continue;
        };
        let (above, name) = part.pointer.rsplit_once('/').unwrap();
        let mut said = whole.clone();
        *said.pointer_mut(&part.pointer).unwrap() = default.clone();
        let mut unsaid = whole.clone();
        let object = unsaid.pointer_mut(above).and_then(Value::as_object_mut);
        object.unwrap().remove(name);
        match (parsed(&said), parsed(&unsaid)) {
            (Ok(said), Ok(unsaid)) => assert_eq!(said, unsaid, "{}", part.pointer),
            (Err(said), Err(unsaid)) => assert_eq!(said, unsaid, "{}", part.pointer),
            (said, unsaid) => panic!("{}: {said:?}, {unsaid:?}", part.pointer),
        }
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn the_document_names_every_field_and_shows_the_example_as_it_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenarios.md");
    let document = fs::read_to_string(path).unwrap();
    let quoted: BTreeSet<_> = document.split('`').collect();
    let schema = schema();
    for part in parts(&schema, &schema, &with_every_field(), "") {
        let names = part
            .node
            .get("properties")
            .map(names_of)
            .unwrap_or_default();
        let values = part.node.get("enum").map(strings).unwrap_or_default();
        for name in names.into_iter().chain(values) {
            let is_rule_set = ["stock", "mapped", "fork", "barrier"].contains(&name.as_str());
            assert!(is_rule_set || quoted.contains(name.as_str()), "{name}");
        }
    }
    let (_, behind) = document.split_once("```json\n").unwrap();
    let (example, _) = behind.split_once("```\n").unwrap();
    assert_eq!(example, builtin("failback"));
}
