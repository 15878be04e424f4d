//! Small files of names and values: `partition.metadata`, `meta.properties`, `quorum-state` and
//! `.kafka_cleanshutdown`. What a broker refuses is damage, though its lines can be shown.

use super::Companion;
use crate::format::json::{self, Object};
use crate::format::malformed::{Malformed, Problem};
use crate::format::meta_properties::Gathered;
use crate::format::{clean_shutdown, partition_metadata, properties, quorum_state};
use crate::report::dump::output::{Portions, Refused};
use crate::report::dump::rows::Value;
use crate::report::dump::style::Style;
use crate::storage::damage::Code;

/// Bytes at the front of a file that are looked at where all of it makes one value. Such files
/// have some hundred bytes.
const FRONT: usize = 256 << 10;

pub(super) fn topic_id(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    let mut window = file.source.window();
    match partition_metadata::decode(window.bytes(0, FRONT)?) {
        Ok(metadata) => {
            let topic_id = metadata.topic_id.to_string();
            // The file's own spelling, or that of all JSON here. The text is the file's alone.
            let (name, topic) = match file.style {
                Style::Kafka => ("topic_id", None),
                Style::Jsonl(_) => {
                    let names = file.topic_names;
                    let topic = names.beside(file.source.path(), metadata.topic_id);
                    ("topicId", topic)
                }
            };
            let fields = [
                ("version", Value::Int(metadata.version.into())),
                (name, Value::Text(&topic_id)),
                (
                    "topicName",
                    Value::Bytes(topic.as_deref().map(str::as_bytes)),
                ),
            ];
            out.row("partitionMetadata", &fields)
        }
        Err(fault) => out.malformed(Code::CheckpointCorrupt, &fault, ""),
    }
}

pub(super) fn meta_properties(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    let mut gathered = Gathered::default();
    for property in properties::entries(file.stream()) {
        let property = match property {
            Ok(property) => property,
            Err(fault) => return file.refused(fault, out),
        };
        push_property(
            file.style,
            &property.name,
            Value::Text(&property.value),
            out,
        )?;
        gathered.take(&property);
    }
    match gathered.read() {
        Ok(_) => Ok(()),
        Err(fault) => out.malformed(Code::CheckpointCorrupt, &fault, ""),
    }
}

pub(super) fn quorum_state(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    let mut window = file.source.window();
    let front = window.bytes(0, FRONT)?;
    let line = front.split(|byte| matches!(byte, b'\n' | b'\r')).next();
    let line = line.unwrap_or_default();
    let shown = members(file, json::decode_front(line), out)?;
    match quorum_state::decode(front) {
        Err(fault) if shown => out.malformed(Code::CheckpointCorrupt, &fault, ""),
        _ => Ok(()),
    }
}

pub(super) fn clean_shutdown(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    // The file was empty before Kafka 3.7.
    if file.source.is_empty() {
        return Ok(());
    }
    let mut window = file.source.window();
    let front = window.bytes(0, FRONT)?;
    let shown = members(file, json::decode_front(front), out)?;
    let then = "; a broker knows no epoch then, and skips recovery all the same";
    match clean_shutdown::decode(front) {
        Err(fault) if shown => out.malformed(Code::CheckpointCorrupt, &fault, then),
        _ => Ok(()),
    }
}

/// Shows the members of an object, or tells why there is none; whether they were shown.
fn members(
    file: &Companion<'_>,
    decoded: Result<Object, Malformed>,
    out: &mut Portions<'_>,
) -> Result<bool, Refused> {
    let object = match decoded {
        Ok(object) => object,
        Err(fault) => {
            let fault = of_the_front(fault, file.source.len());
            return out
                .malformed(Code::CheckpointCorrupt, &fault, "")
                .map(|()| false);
        }
    };
    for (name, value) in &object.0 {
        let mut text = String::new();
        let value = match value {
            json::Value::Null => Value::Bytes(None),
            json::Value::Text(text) => Value::Text(text),
            other => {
                json::put_value(other, &mut text);
                text.parse().map_or(Value::Text(&text), Value::Int)
            }
        };
        push_property(file.style, name, value, out)?;
    }
    Ok(true)
}

/// The fault of an object that goes on behind what is looked at.
fn of_the_front(fault: Malformed, size: u64) -> Malformed {
    let limit = FRONT as u64;
    if size <= limit || fault.at < FRONT {
        return fault;
    }
    let problem = Problem::TooLarge { size, limit };
    Malformed { problem, ..fault }
}

/// One name and value: `name: value`, or an object with both.
fn push_property(
    style: Style,
    name: &str,
    value: Value<'_>,
    out: &mut Portions<'_>,
) -> Result<(), Refused> {
    match style {
        Style::Kafka => out.row("", &[(name, value)]),
        Style::Jsonl(_) => {
            let fields = [("name", Value::Text(name)), ("value", value)];
            out.row("property", &fields)
        }
    }
}
