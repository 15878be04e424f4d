//! Values to bytes, as Kafka's generated writers put them.

use super::value::{Struct, Value};
use super::{Field, Kind, Message};
use crate::format::flexible::{self, TaggedField};
use crate::format::inflexible;

/// A value that a message has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct Misfit {
    /// The name of the field.
    pub field: &'static str,
    /// What is wrong with its value.
    pub problem: &'static str,
}

impl Message {
    /// Appends the message in a version.
    ///
    /// # Errors
    /// [`Misfit`] when the values are not those of this message, a number or text is too large for
    /// its field, null stands where it may not, or a field that the version does not have and may
    /// not lose has other than its default.
    pub fn encode(
        &'static self,
        version: i16,
        body: &Struct<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Misfit> {
        if !std::ptr::eq(body.shape(), &raw const self.shape) {
            return Err(Misfit {
                field: self.shape.name,
                problem: "the values are those of another message",
            });
        }
        let writer = Writer {
            version,
            flexible: self.flexible.contain(version),
        };
        writer.structure(body, out)
    }
}

#[derive(Debug, Clone, Copy)]
struct Writer {
    version: i16,
    flexible: bool,
}

impl Writer {
    fn structure(self, body: &Struct<'_>, out: &mut Vec<u8>) -> Result<(), Misfit> {
        let mut tagged = Vec::new();
        for (field, value) in body.fields() {
            if !field.versions.contain(self.version) {
                if !field.ignorable && !field.has_default(value) {
                    return Err(field.misfit("the version does not have the field"));
                }
            } else if !field.tagged.contain(self.version) {
                self.field(field, value, out)?;
            } else if !field.has_default(value) {
                let mut data = Vec::new();
                self.field(field, value, &mut data)?;
                let tag = field.tag;
                tagged.push(TaggedField { tag, data });
            }
        }
        if self.flexible {
            tagged.extend(body.unknown.iter().map(|unknown| TaggedField {
                tag: unknown.tag,
                data: unknown.data.to_vec(),
            }));
            tagged.sort_by_key(|field| field.tag);
            flexible::put_tagged_fields(&tagged, out);
        }
        Ok(())
    }

    fn field(self, field: &Field, value: &Value<'_>, out: &mut Vec<u8>) -> Result<(), Misfit> {
        let nullable = field.nullable.contain(self.version);
        if *value == Value::Null && !nullable {
            return Err(field.misfit("null may not be"));
        }
        if nullable && matches!(field.kind, Kind::Struct(_)) {
            let is_null = *value == Value::Null;
            out.push(match (is_null, field.is_tagged(self.version)) {
                (false, _) => 1,
                (true, true) => 0,
                (true, false) => u8::MAX,
            });
            if is_null {
                return Ok(());
            }
        }
        self.value(field, field.kind, value, out)
    }

    fn value(
        self,
        field: &Field,
        kind: Kind,
        value: &Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Misfit> {
        match (kind, value) {
            (Kind::Bool, Value::Bool(truth)) => out.push(u8::from(*truth)),
            (Kind::Float64, Value::Float(number)) => out.extend(number.to_be_bytes()),
            (Kind::Uuid, Value::Uuid(id)) => out.extend(id.0),
            (Kind::Struct(shape), Value::Struct(body)) => {
                if !std::ptr::eq(body.shape(), shape) {
                    return Err(field.misfit("the structure is another one"));
                }
                self.structure(body, out)?;
            }
            (Kind::Text, Value::Text(text)) => {
                if i16::try_from(text.len()).is_err() {
                    return Err(field.misfit("the text has more than 32767 bytes"));
                }
                match self.flexible {
                    true => flexible::put_text(text, out),
                    false => inflexible::put_text(text, out),
                }
            }
            (Kind::Text, Value::Null) if !self.flexible => out.extend((-1_i16).to_be_bytes()),
            (Kind::Bytes, Value::Bytes(bytes)) => {
                self.count(field, Some(bytes.len()), out)?;
                out.extend_from_slice(bytes);
            }
            (Kind::List(element), Value::List(list)) => {
                self.count(field, Some(list.len()), out)?;
                for value in list {
                    self.value(field, *element, value, out)?;
                }
            }
            (Kind::Text | Kind::Bytes | Kind::List(_), Value::Null) => {
                self.count(field, None, out)?;
            }
            (_, Value::Int(number)) => put_number(field, kind, *number, out)?,
            _ => return Err(field.misfit("the value is of another kind")),
        }
        Ok(())
    }

    /// The length of bytes or the count of a list, or null.
    fn count(self, field: &Field, count: Option<usize>, out: &mut Vec<u8>) -> Result<(), Misfit> {
        if count.is_some_and(|count| i32::try_from(count).is_err()) {
            return Err(field.misfit("the length is above 2147483647"));
        }
        match self.flexible {
            true => flexible::put_nullable_count(count, out),
            false => inflexible::put_nullable_count(count, out),
        }
        Ok(())
    }
}

fn put_number(field: &Field, kind: Kind, number: i64, out: &mut Vec<u8>) -> Result<(), Misfit> {
    /// The number in as few bytes, if they hold it.
    fn narrow<const WIDTH: usize, T: TryFrom<i64>>(
        number: i64,
        bytes: impl Fn(T) -> [u8; WIDTH],
    ) -> Option<[u8; WIDTH]> {
        T::try_from(number).ok().map(bytes)
    }
    let put = match kind {
        Kind::Int8 => narrow(number, i8::to_be_bytes).map(|bytes| out.extend(bytes)),
        Kind::Int16 => narrow(number, i16::to_be_bytes).map(|bytes| out.extend(bytes)),
        Kind::Uint16 => narrow(number, u16::to_be_bytes).map(|bytes| out.extend(bytes)),
        Kind::Int32 => narrow(number, i32::to_be_bytes).map(|bytes| out.extend(bytes)),
        Kind::Uint32 => narrow(number, u32::to_be_bytes).map(|bytes| out.extend(bytes)),
        Kind::Int64 => {
            out.extend(number.to_be_bytes());
            Some(())
        }
        _ => return Err(field.misfit("the value is of another kind")),
    };
    put.ok_or_else(|| field.misfit("the number is too large"))
}

impl Field {
    const fn misfit(&self, problem: &'static str) -> Misfit {
        Misfit {
            field: self.name,
            problem,
        }
    }
}
