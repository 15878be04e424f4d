//! The names of the topics whose ids a record of an internal topic has.
//!
//! They stand in a field of their own, so that key and value stay what Kafka's JSON makes of them.

use std::collections::BTreeMap;

use crate::analysis::topic_names::Topics;
use crate::format::internal_record::InternalRecord;
use crate::format::schema::{Struct, Value};
use crate::format::uuid::Uuid;
use crate::report::json::{Object, WideIntegers};

/// The field of Kafka's messages that holds a topic's id.
const TOPIC_ID: &str = "topicId";
/// The field beside it where the message names the topic itself, and that of the topic's record.
const ITS_NAMES: [&str; 2] = ["topicName", "name"];

/// Appends `topicNames`, the name of each id of the record that is known; nothing where none is.
pub(super) fn push_names(
    topics: &Topics,
    record: &InternalRecord<'_>,
    wide: WideIntegers,
    object: &mut Object<'_>,
) {
    let mut names = BTreeMap::new();
    match record {
        InternalRecord::Metadata(record) => gather(&record.body, topics, &mut names),
        InternalRecord::Coordinator(_, record) => {
            gather(&record.key, topics, &mut names);
            if let Some((_, value)) = &record.value {
                gather(value, topics, &mut names);
            }
        }
        // Their records have the names of topics beside the ids, or no ids.
        InternalRecord::RemoteLog(_) | InternalRecord::Mirror(_) => {}
    }
    if names.is_empty() {
        return;
    }
    let mut shown = Object::open(object.name("topicNames"), wide);
    for (id, name) in names {
        shown.text(&id.to_string(), name);
    }
    shown.close();
}

fn gather<'t>(body: &Struct<'_>, topics: &'t Topics, names: &mut BTreeMap<Uuid, &'t str>) {
    for (field, value) in body.fields() {
        match value {
            Value::Uuid(id) if field.name == TOPIC_ID => {
                let is_named = || ITS_NAMES.iter().any(|name| body.get(name).is_some());
                if let Some(name) = topics.get(id).filter(|_| !is_named()) {
                    names.insert(*id, name);
                }
            }
            Value::Struct(inner) => gather(inner, topics, names),
            Value::List(list) => {
                for value in list {
                    match value {
                        Value::Struct(inner) => gather(inner, topics, names),
                        // A list of numbers has no ids behind the first, either.
                        _ => break,
                    }
                }
            }
            _ => {}
        }
    }
}
