//! `docs/scenario.schema.json` takes every scenario that there is, and refuses what it should.
//!
//! The validator below knows the keywords that the file uses, and no others: an unknown one fails.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::HOSTILE;

pub(super) fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenario.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What a `$ref` stands for, or the node itself.
pub(super) fn resolved<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    match node.get("$ref").and_then(Value::as_str) {
        Some(name) => {
            let pointer = name.strip_prefix('#').expect("a reference inside the file");
            resolved(root, root.pointer(pointer).expect(name))
        }
        None => node,
    }
}

/// What is wrong with an instance, each with its place.
pub(super) fn complaints(root: &Value, node: &Value, instance: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, wanted) in node.as_object().expect("a schema") {
        let mut expect = |is_right: bool| {
            if !is_right {
                found.push(format!("{at}: {keyword} {wanted}, found {instance}"));
            }
        };
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => {}
            "$ref" => found.extend(complaints(root, resolved(root, node), instance, at)),
            "type" => expect(match wanted.as_str().unwrap() {
                "object" => instance.is_object(),
                "array" => instance.is_array(),
                "string" => instance.is_string(),
                "boolean" => instance.is_boolean(),
                "integer" => instance.is_i64(),
                other => panic!("type {other}"),
            }),
            "enum" => expect(wanted.as_array().unwrap().contains(instance)),
            "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "minProperties"
            | "maxProperties" => expect(is_within(keyword, wanted, instance)),
            "pattern" => {
                let pattern = Pattern::new(wanted.as_str().unwrap());
                expect(instance.as_str().is_none_or(|text| pattern.matches(text)));
            }
            "required" => {
                let names = wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap());
                let object = instance.as_object();
                let has = |name| object.is_none_or(|object| object.contains_key(name));
                expect(names.into_iter().all(has));
            }
            "additionalProperties" => {
                assert_eq!(*wanted, Value::Bool(false));
                let known = node["properties"].as_object().unwrap();
                let mut names = instance
                    .as_object()
                    .into_iter()
                    .flat_map(|object| object.keys());
                expect(names.all(|name| known.contains_key(name)));
            }
            "properties" => {
                for (name, value) in instance.as_object().into_iter().flatten() {
                    if let Some(node) = wanted.get(name) {
                        found.extend(complaints(root, node, value, &format!("{at}/{name}")));
                    }
                }
            }
            "items" => {
                for (place, value) in instance.as_array().into_iter().flatten().enumerate() {
                    found.extend(complaints(root, wanted, value, &format!("{at}/{place}")));
                }
            }
            other => panic!("{at}: this validator knows no {other}"),
        }
    }
    found
}

/// Whether a number, a length or a count keeps to its bound; other kinds of values have none.
fn is_within(keyword: &str, bound: &Value, instance: &Value) -> bool {
    let count = |count: usize| i64::try_from(count).unwrap();
    let measured = match &keyword[3..] {
        "imum" => instance.as_i64(),
        "Length" => instance.as_str().map(|text| count(text.chars().count())),
        "Items" => instance.as_array().map(|items| count(items.len())),
        "Properties" => instance.as_object().map(|object| count(object.len())),
        other => panic!("{other}"),
    };
    let bound = bound.as_i64().unwrap();
    measured.is_none_or(|measured| match keyword.starts_with("min") {
        true => measured >= bound,
        false => measured <= bound,
    })
}

/// Classes of letters in a row, each once or any number of times: as much of regular expressions
/// as the file uses.
struct Pattern(Vec<(Vec<(char, char)>, bool)>);

impl Pattern {
    fn new(text: &str) -> Self {
        let body = text
            .strip_prefix('^')
            .and_then(|text| text.strip_suffix('$'));
        let mut letters = body.expect("a pattern for whole texts").chars().peekable();
        let mut classes = Vec::new();
        while let Some(letter) = letters.next() {
            let mut class = Vec::new();
            if letter == '[' {
                let inside: Vec<_> = letters.by_ref().take_while(|one| *one != ']').collect();
                let mut rest = inside.as_slice();
                while let [first, behind @ ..] = rest {
                    (class, rest) = match behind {
                        ['-', last, behind @ ..] => {
                            ([&class[..], &[(*first, *last)]].concat(), behind)
                        }
                        behind => ([&class[..], &[(*first, *first)]].concat(), behind),
                    };
                }
            } else {
                assert!(letter.is_ascii_alphanumeric() || letter == '-', "{text}");
                class.push((letter, letter));
            }
            let is_many = match letters.next_if(|one| "*+".contains(*one)) {
                Some('+') => {
                    classes.push((class.clone(), false));
                    true
                }
                sign => sign.is_some(),
            };
            classes.push((class, is_many));
        }
        Self(classes)
    }

    fn matches(&self, text: &str) -> bool {
        matches_from(&self.0, &text.chars().collect::<Vec<_>>())
    }
}

fn matches_from(classes: &[(Vec<(char, char)>, bool)], text: &[char]) -> bool {
    let Some(((class, is_many), behind)) = classes.split_first() else {
        return text.is_empty();
    };
    let is_in = |letter: &char| class.iter().any(|(from, to)| (from..=to).contains(&letter));
    match (is_many, text.split_first()) {
        (true, Some((first, rest))) if is_in(first) => {
            matches_from(classes, rest) || matches_from(behind, text)
        }
        (true, _) => matches_from(behind, text),
        (false, Some((first, rest))) => is_in(first) && matches_from(behind, rest),
        (false, None) => false,
    }
}

#[test]
fn every_scenario_is_as_the_schema_says() {
    let schema = schema();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scenarios");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let scenario: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let found = complaints(&schema, &schema, &scenario, "");
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        count += 1;
    }
    assert!(count >= 24);
    let hostile: Value = serde_json::from_str(HOSTILE).unwrap();
    assert_eq!(complaints(&schema, &schema, &hostile, ""), [""; 0]);
}

#[test]
fn the_validator_finds_what_it_should() {
    let schema = schema();
    let sound = json!({
        "name": "x",
        "clusters": [{"name": "A", "id": "a"}],
        "writers": [{"name": "a", "cluster": "A"}],
        "steps": [{"produce": {"writer": "a"}}]
    });
    assert_eq!(complaints(&schema, &schema, &sound, ""), [""; 0]);
    for (pointer, value, keyword) in [
        ("/name", json!(""), "pattern"),
        ("/name", json!(".x"), "pattern"),
        ("/name", json!("a b"), "pattern"),
        ("/name", json!("x".repeat(101)), "maxLength"),
        ("/name", json!(1), "type"),
        ("/clusters", json!([]), "minItems"),
        ("/clusters/0", json!({"name": "A"}), "required"),
        (
            "/clusters/0",
            json!({"name": "A", "id": "a", "replicas": 0}),
            "minimum",
        ),
        (
            "/clusters/0",
            json!({"name": "A", "id": "a", "replicas": 6}),
            "maximum",
        ),
        (
            "/clusters/0",
            json!({"name": "A", "id": "a", "replicas": 1.5}),
            "type",
        ),
        (
            "/clusters/0",
            json!({"name": "A", "id": "a", "x": 1}),
            "additionalProperties",
        ),
        ("/writers/0/name", json!(""), "minLength"),
        (
            "/writers/0",
            json!({"name": "a", "cluster": "A", "kind": "x"}),
            "enum",
        ),
        ("/steps/0", json!({}), "minProperties"),
        (
            "/steps/0",
            json!({"wait": {"ms": 1}, "roll": {"cluster": "A"}}),
            "maxProperties",
        ),
        ("/steps/0", json!({"nope": {}}), "additionalProperties"),
        (
            "/steps/0/produce",
            json!({"writer": "a", "topicPartition": "x"}),
            "pattern",
        ),
        (
            "/steps/0/produce",
            json!({"writer": "a", "topicPartition": "../x-0"}),
            "pattern",
        ),
    ] {
        let mut wrong = sound.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        let found = complaints(&schema, &schema, &wrong, "");
        let told = found
            .iter()
            .any(|text| text.contains(&format!(": {keyword} ")));
        assert!(told, "{wrong}: {found:?}");
    }
}

#[test]
fn patterns_match_whole_texts() {
    for (pattern, text, is_match) in [
        ("^[a-c_-]+-[0-9]+$", "a-b-12", true),
        ("^[a-c_-]+-[0-9]+$", "a-b-", false),
        ("^[a-c_-]+-[0-9]+$", "-1", false),
        ("^[a-c][.-]*$", "a", true),
        ("^[a-c][.-]*$", "a-.x", false),
    ] {
        assert_eq!(
            Pattern::new(pattern).matches(text),
            is_match,
            "{pattern} {text}"
        );
    }
}

#[test]
#[should_panic(expected = "this validator knows no oneOf")]
fn a_keyword_that_is_not_known_is_no_keyword_that_is_met() {
    let schema = json!({"oneOf": []});
    complaints(&schema, &schema, &json!({}), "");
}
