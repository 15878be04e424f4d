//! Bytes to values. What Kafka's generated readers refuse is refused here, with the same limits;
//! lists grow with the bytes that are there, whatever their count says.

use super::value::{Struct, UnknownField, Value};
use super::{Field, Kind, Message, Shape};
use crate::format::cursor::Cursor;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::to_usize;
use crate::format::uuid::Uuid;

/// The most elements of a list that Kafka's readers take.
const LIST_LIMIT: u32 = 1_000_000;
/// The most tagged fields of a structure that Kafka's readers take.
const TAGGED_FIELDS_LIMIT: u32 = 10_000;
/// The longest text that Kafka's readers take, in bytes.
const TEXT_LIMIT: u32 = 32_767;

const TAGGED_FIELDS: &str = "taggedFields";

/// Why a message is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Refusal {
    /// Where, and what.
    pub fault: Malformed,
    /// What was being read there.
    pub part: Part,
}

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A number, a length or a count itself.
    Number,
    /// The bytes of a text, of a field of bytes or of an unknown field.
    Content,
    /// What a text's length says.
    Text,
    /// What a list's count says.
    List,
    /// What the count of tagged fields says.
    TaggedFields,
    /// What a tag says.
    Tag,
    /// What may not be null.
    Value,
    /// An element of a list, which may not be null.
    Element,
    /// What the length of a text in a list says.
    ElementText,
    /// A structure that the version does not have.
    Structure,
}

impl From<Malformed> for Refusal {
    fn from(fault: Malformed) -> Self {
        let part = Part::Number;
        Self { fault, part }
    }
}

/// Says what was being read where a fault was met.
const fn while_reading(part: Part) -> impl Fn(Malformed) -> Refusal {
    move |fault| Refusal { fault, part }
}

impl Message {
    /// Reads the message; the cursor then stands behind it.
    ///
    /// Any version is taken, as by Kafka's readers: one that is not known yet reads like the last
    /// known one, but for structures inside, which are refused.
    ///
    /// # Errors
    /// [`Problem::Truncated`] when a length or count is above the bytes left;
    /// [`Problem::OutOfRange`] above 1000000 elements, 10000 tagged fields and texts of 32767
    /// bytes, for a tag that the version does not have and for a structure that it does not have;
    /// [`Problem::Null`] where null may not be; [`Problem::EndlessVarint`].
    pub fn decode<'a>(
        &'static self,
        version: i16,
        cursor: &mut Cursor<'a>,
    ) -> Result<Struct<'a>, Refusal> {
        let reader = Reader {
            version,
            flexible: self.flexible.contain(version),
        };
        reader.structure(&self.shape, cursor)
    }
}

#[derive(Debug, Clone, Copy)]
struct Reader {
    version: i16,
    flexible: bool,
}

/// How wide lengths are before flexible versions.
#[derive(Debug, Clone, Copy)]
enum Width {
    Two,
    Four,
}

impl Reader {
    fn structure<'a>(
        self,
        shape: &'static Shape,
        cursor: &mut Cursor<'a>,
    ) -> Result<Struct<'a>, Refusal> {
        if self.version > shape.highest {
            let stored = i64::from(self.version);
            let expected = "a version that has the structure";
            let fault = cursor.fault(shape.name, Problem::OutOfRange { stored, expected });
            return Err(while_reading(Part::Structure)(fault));
        }
        let mut read = Struct::empty(shape);
        for field in shape.fields {
            match field.versions.contain(self.version) {
                true if !field.tagged.contain(self.version) => {
                    self.field(field, cursor, &mut read.fields)?;
                }
                _ => read.fields.push(field.default_value()),
            }
        }
        if self.flexible {
            self.tagged_fields(&mut read, cursor)?;
        }
        Ok(read)
    }

    fn tagged_fields<'a>(
        self,
        into: &mut Struct<'a>,
        cursor: &mut Cursor<'a>,
    ) -> Result<(), Refusal> {
        let start = *cursor;
        let count = cursor.unsigned_varint(TAGGED_FIELDS)?;
        let expected = "at most 10000 fields";
        check_count(
            &start,
            cursor,
            TAGGED_FIELDS,
            count,
            (TAGGED_FIELDS_LIMIT, expected),
        )
        .map_err(while_reading(Part::TaggedFields))?;
        for _ in 0..count {
            let start = *cursor;
            let tag = cursor.unsigned_varint(TAGGED_FIELDS)?;
            let size = cursor.unsigned_varint(TAGGED_FIELDS)?;
            let mut known = into.shape().fields.iter().zip(&mut into.fields);
            let Some((field, value)) = known.find(|(field, _)| field.has_tag(tag)) else {
                let data = cursor.take(to_usize(size), TAGGED_FIELDS);
                let data = data.map_err(while_reading(Part::Content))?;
                into.unknown.push(UnknownField { tag, data });
                continue;
            };
            if !field.is_tagged(self.version) {
                let stored = i64::from(tag);
                let expected = "a tag that the version has";
                let fault = start.fault(field.name, Problem::OutOfRange { stored, expected });
                return Err(while_reading(Part::Tag)(fault));
            }
            // As in Kafka's readers, the size of a known field does not count, and a field that
            // comes twice has its last value.
            let mut read = Vec::with_capacity(1);
            self.field(field, cursor, &mut read)?;
            if let Some(read) = read.pop() {
                *value = read;
            }
        }
        Ok(())
    }

    /// Appends the field's value: where it is made it stays, which is faster than handing it on.
    #[inline(always)]
    fn field<'a>(
        self,
        field: &'static Field,
        cursor: &mut Cursor<'a>,
        into: &mut Vec<Value<'a>>,
    ) -> Result<(), Refusal> {
        let start = *cursor;
        let nullable = field.nullable.contain(self.version);
        if nullable && matches!(field.kind, Kind::Struct(_)) {
            let is_null = match field.is_tagged(self.version) {
                true => cursor.unsigned_varint(field.name)?.cast_signed() <= 0,
                false => cursor.i8(field.name)? < 0,
            };
            if is_null {
                into.push(Value::Null);
                return Ok(());
            }
        }
        self.value(field.kind, field.name, cursor, into)?;
        match into.last() {
            Some(Value::Null) if !nullable => {
                let fault = start.fault(field.name, Problem::Null);
                Err(while_reading(Part::Value)(fault))
            }
            _ => Ok(()),
        }
    }

    /// Appends a value; null where a length says so.
    fn value<'a>(
        self,
        kind: Kind,
        name: &'static str,
        cursor: &mut Cursor<'a>,
        into: &mut Vec<Value<'a>>,
    ) -> Result<(), Refusal> {
        match kind {
            Kind::Bool => into.push(Value::Bool(cursor.i8(name)? != 0)),
            Kind::Int8 => into.push(Value::Int(cursor.i8(name)?.into())),
            Kind::Int16 => into.push(Value::Int(cursor.i16(name)?.into())),
            Kind::Uint16 => into.push(Value::Int(cursor.u16(name)?.into())),
            Kind::Int32 => into.push(Value::Int(cursor.i32(name)?.into())),
            Kind::Uint32 => into.push(Value::Int(cursor.u32(name)?.into())),
            Kind::Int64 => into.push(Value::Int(cursor.i64(name)?)),
            Kind::Float64 => into.push(Value::Float(f64::from_bits(cursor.u64(name)?))),
            Kind::Uuid => into.push(Value::Uuid(Uuid::read(cursor, name)?)),
            Kind::Struct(shape) => {
                into.push(Value::Struct(Box::new(self.structure(shape, cursor)?)));
            }
            Kind::Text => match self.text(name, cursor)? {
                Some(text) => into.push(Value::Text(text)),
                None => into.push(Value::Null),
            },
            Kind::Bytes => match self.length(name, Width::Four, cursor)? {
                Some(length) => {
                    let bytes = cursor.take(to_usize(length), name);
                    into.push(Value::Bytes(bytes.map_err(while_reading(Part::Content))?));
                }
                None => into.push(Value::Null),
            },
            Kind::List(element) => into.push(self.list(*element, name, cursor)?),
        }
        Ok(())
    }

    #[inline(always)]
    fn text<'a>(
        self,
        name: &'static str,
        cursor: &mut Cursor<'a>,
    ) -> Result<Option<&'a [u8]>, Refusal> {
        let start = *cursor;
        let Some(length) = self.length(name, Width::Two, cursor)? else {
            return Ok(None);
        };
        if length > TEXT_LIMIT {
            let stored = i64::from(length);
            let expected = "at most 32767 bytes";
            let fault = start.fault(name, Problem::OutOfRange { stored, expected });
            return Err(while_reading(Part::Text)(fault));
        }
        let text = cursor.take(to_usize(length), name);
        text.map(Some).map_err(while_reading(Part::Content))
    }

    fn list<'a>(
        self,
        element: Kind,
        name: &'static str,
        cursor: &mut Cursor<'a>,
    ) -> Result<Value<'a>, Refusal> {
        let start = *cursor;
        let Some(count) = self.length(name, Width::Four, cursor)? else {
            return Ok(Value::Null);
        };
        let expected = "at most 1000000 elements";
        check_count(&start, cursor, name, count, (LIST_LIMIT, expected))
            .map_err(while_reading(Part::List))?;
        let mut list = Vec::new();
        for _ in 0..count {
            let start = *cursor;
            match self.value(element, name, cursor, &mut list) {
                Ok(()) if list.last() == Some(&Value::Null) => {
                    let fault = start.fault(name, Problem::Null);
                    return Err(while_reading(Part::Element)(fault));
                }
                Ok(()) => {}
                Err(Refusal {
                    fault,
                    part: Part::Text,
                }) if element == Kind::Text => return Err(while_reading(Part::ElementText)(fault)),
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(Value::List(list))
    }

    /// Reads a length or count; `None` is null.
    #[inline(always)]
    fn length(
        self,
        name: &'static str,
        width: Width,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<u32>, Refusal> {
        let length = match (self.flexible, width) {
            // The arithmetic of Java's `int`.
            (true, _) => cursor.unsigned_varint(name)?.cast_signed().wrapping_sub(1),
            (false, Width::Two) => cursor.i16(name)?.into(),
            (false, Width::Four) => cursor.i32(name)?,
        };
        Ok(u32::try_from(length).ok())
    }
}

/// Refuses a count above the bytes left, of which every counted thing should take one at least,
/// and above a limit.
fn check_count(
    start: &Cursor<'_>,
    behind: &Cursor<'_>,
    name: &'static str,
    count: u32,
    (limit, expected): (u32, &'static str),
) -> Result<(), Malformed> {
    let (needed, left) = (to_usize(count), behind.remaining());
    if needed > left {
        return Err(start.fault(name, Problem::Truncated { needed, left }));
    }
    if count > limit {
        let stored = i64::from(count);
        return Err(start.fault(name, Problem::OutOfRange { stored, expected }));
    }
    Ok(())
}
