//! Kafka's messages as JSON, as its generated `*JsonConverter` classes and Jackson write them.
//!
//! Fields stand in the order of the schema, those alone that the version has; a tagged field that
//! has its default is left out, and so are unknown ones. Ids are texts, bytes base64, numbers
//! without a point stay numbers whatever their width.

use crate::format::java_text::push_java_double;
use crate::format::schema::{Field, Struct, Value};
use crate::report::control_json::push_json_string;
use crate::report::json::{self, WideIntegers};

/// Writes the value of a field of a structure in a way of its own, or says false.
pub type Beside<'b> = &'b dyn Fn(&Struct<'_>, &Field, &Value<'_>, &mut Vec<u8>) -> bool;

/// Appends a message, or a structure inside one, that is stored in a version.
pub fn push_message(body: &Struct<'_>, version: i16, wide: WideIntegers, out: &mut Vec<u8>) {
    push_message_beside(body, version, wide, &|_, _, _, _| false, out);
}

/// Appends a message of which some fields are shown otherwise.
pub fn push_message_beside(
    body: &Struct<'_>,
    version: i16,
    wide: WideIntegers,
    beside: Beside<'_>,
    out: &mut Vec<u8>,
) {
    let writer = Writer {
        version,
        wide,
        beside,
    };
    writer.structure(body, out);
}

#[derive(Clone, Copy)]
struct Writer<'b> {
    version: i16,
    wide: WideIntegers,
    beside: Beside<'b>,
}

impl Writer<'_> {
    fn structure(self, body: &Struct<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        for (field, value) in body.fields() {
            let is_shown = field.versions.contain(self.version)
                && !(field.tagged.contain(self.version) && field.has_default(value));
            if is_shown {
                out.extend_from_slice(b",\"");
                out.extend_from_slice(field.name.as_bytes());
                out.extend_from_slice(b"\":");
                if !(self.beside)(body, field, value, out) {
                    self.value(value, out);
                }
            }
        }
        // The first comma was one too many.
        match out.get_mut(start) {
            Some(comma) => *comma = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
    }

    fn value(self, value: &Value<'_>, out: &mut Vec<u8>) {
        match value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            Value::Int(number) => json::push_int(*number, self.wide, out),
            Value::Float(number) if number.is_finite() => push_java_double(*number, out),
            // JSON has no such numbers; Jackson writes them as texts.
            Value::Float(number) => quoted(out, |out| push_java_double(*number, out)),
            Value::Uuid(id) => quoted(out, |out| out.extend_from_slice(id.to_string().as_bytes())),
            Value::Text(text) => push_json_string(text, out),
            Value::Bytes(bytes) => quoted(out, |out| json::base64(bytes, out)),
            Value::List(list) => {
                out.push(b'[');
                for (number, value) in list.iter().enumerate() {
                    if number > 0 {
                        out.push(b',');
                    }
                    self.value(value, out);
                }
                out.push(b']');
            }
            Value::Struct(body) => self.structure(body, out),
        }
    }
}

fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}
