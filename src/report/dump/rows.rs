//! Lines of named values: what both output formats make of the entries of small files.

use super::style::Style;
use crate::format::number::{Offset, ProducerId};
use crate::report::digits;
use crate::report::json::Object;
use crate::report::one_line::on_one_line;

/// A named value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// An integer.
    Int(i64),
    /// An offset or number that may be missing, as Java prints an `OptionalLong`; null in JSON.
    Optional(Option<i64>),
    /// A text.
    Text(&'a str),
    /// A producer id, with its hexadecimal form in JSON where a double would round it.
    Producer(ProducerId),
    /// A text of any bytes, or null; nothing in the stock text when null.
    Bytes(Option<&'a [u8]>),
}

impl From<Offset> for Value<'_> {
    fn from(offset: Offset) -> Self {
        Self::Int(offset.0)
    }
}

/// Appends one line: `name: value name: value`, or an object of the given type.
pub(super) fn push(style: Style, kind: &str, fields: &[(&str, Value<'_>)], out: &mut Vec<u8>) {
    let Style::Jsonl(wide) = style else {
        return push_kafka(fields, out);
    };
    let mut object = Object::open(out, wide);
    object.text("type", kind);
    for (name, value) in fields {
        match value {
            Value::Int(value) => object.int(name, *value),
            Value::Optional(value) => object.optional_int(name, *value),
            Value::Text(value) => object.text(name, value),
            Value::Producer(id) => object.producer_id(id.0),
            Value::Bytes(value) => object.bytes(name, *value),
        }
    }
    object.close_line();
}

fn push_kafka(fields: &[(&str, Value<'_>)], out: &mut Vec<u8>) {
    let mut first = true;
    for (name, value) in fields {
        if matches!(value, Value::Bytes(None)) {
            continue;
        }
        if !first {
            out.push(b' ');
        }
        first = false;
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        match value {
            Value::Int(value) | Value::Producer(ProducerId(value)) => {
                digits::push_i64(*value, out);
            }
            Value::Optional(Some(value)) => {
                out.extend_from_slice(b"OptionalLong[");
                digits::push_i64(*value, out);
                out.push(b']');
            }
            Value::Optional(None) => out.extend_from_slice(b"OptionalLong.empty"),
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            // No release prints such a text, so nothing binds us to its control characters.
            Value::Bytes(Some(bytes)) => {
                let text = String::from_utf8_lossy(bytes);
                out.extend_from_slice(on_one_line(&text).as_bytes());
            }
            Value::Bytes(None) => {}
        }
    }
    out.push(b'\n');
}
