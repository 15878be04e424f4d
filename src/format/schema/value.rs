//! What a message holds, as a tree that borrows texts and bytes from the input.

use super::{Default, Field, Kind, Shape};
use crate::format::uuid::Uuid;

/// The value of a field or of a list's element.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number of any width.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// An id.
    Uuid(Uuid),
    /// A text, as its bytes.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Values of one kind.
    List(Vec<Value<'a>>),
    /// Fields.
    Struct(Box<Struct<'a>>),
}

/// A message or a structure inside one, with a value for every field of its shape.
#[derive(Debug, Clone)]
pub struct Struct<'a> {
    shape: &'static Shape,
    pub(super) fields: Vec<Value<'a>>,
    /// Tagged fields that the schema does not know, as they came.
    pub unknown: Vec<UnknownField<'a>>,
}

/// A tagged field of a later version: kept, not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// The number of the field.
    pub tag: u32,
    /// Its bytes.
    pub data: &'a [u8],
}

impl PartialEq for Struct<'_> {
    fn eq(&self, other: &Self) -> bool {
        // There is one shape of each structure.
        std::ptr::eq(self.shape, other.shape)
            && self.fields == other.fields
            && self.unknown == other.unknown
    }
}

impl<'a> Struct<'a> {
    /// A structure in which every field has its default.
    #[must_use]
    pub fn new(shape: &'static Shape) -> Self {
        Self {
            shape,
            fields: shape.fields.iter().map(Field::default_value).collect(),
            unknown: Vec::new(),
        }
    }

    /// A structure that waits for its fields.
    pub(super) fn empty(shape: &'static Shape) -> Self {
        Self {
            shape,
            // The table's count, not the file's.
            fields: Vec::with_capacity(shape.fields.len()),
            unknown: Vec::new(),
        }
    }

    /// What its fields are.
    #[must_use]
    pub const fn shape(&self) -> &'static Shape {
        self.shape
    }

    /// The fields in the order of the schema, each with its value.
    pub fn fields(&self) -> impl Iterator<Item = (&'static Field, &Value<'a>)> {
        self.shape.fields.iter().zip(&self.fields)
    }

    /// The value of a field; `None` when the shape has no field of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.fields.get(self.shape.place(name)?)
    }

    /// The value of a field, to be changed.
    #[must_use]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value<'a>> {
        self.fields.get_mut(self.shape.place(name)?)
    }

    /// The number that a field holds; `None` when it holds something else or there is none.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether a field holds true; `None` when it holds something else or there is none.
    #[must_use]
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The text that a field holds; `None` when it is null or something else, or there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'a [u8]> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The id that a field holds; `None` when it holds something else or there is none.
    #[must_use]
    pub fn uuid(&self, name: &str) -> Option<Uuid> {
        match self.get(name)? {
            Value::Uuid(id) => Some(*id),
            _ => None,
        }
    }

    /// The list that a field holds; `None` when it is null or something else, or there is none.
    #[must_use]
    pub fn list(&self, name: &str) -> Option<&[Value<'a>]> {
        match self.get(name)? {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    fn is_default(&self) -> bool {
        self.unknown.is_empty() && self.fields().all(|(field, value)| field.has_default(value))
    }
}

impl Field {
    /// The value where the field is not stored.
    #[must_use]
    pub fn default_value<'a>(&self) -> Value<'a> {
        let number = match self.default {
            Default::Null => return Value::Null,
            Default::Empty => 0,
            Default::Number(number) => number,
        };
        match self.kind {
            Kind::Bool => Value::Bool(number != 0),
            Kind::Float64 => Value::Float(0.0),
            Kind::Uuid => Value::Uuid(Uuid::ZERO),
            Kind::Text => Value::Text(&[]),
            Kind::Bytes => Value::Bytes(&[]),
            Kind::List(_) => Value::List(Vec::new()),
            Kind::Struct(shape) => Value::Struct(Box::new(Struct::new(shape))),
            _ => Value::Int(number),
        }
    }

    /// Whether a value is the one that goes without saying: tagged fields are then neither stored
    /// nor printed.
    #[must_use]
    pub fn has_default(&self, value: &Value<'_>) -> bool {
        match (self.default, value) {
            (Default::Null, value) => *value == Value::Null,
            (Default::Number(number), Value::Int(value)) => number == *value,
            (Default::Number(number), Value::Bool(value)) => (number != 0) == *value,
            (Default::Empty, Value::Int(value)) => *value == 0,
            (Default::Empty, Value::Bool(value)) => !value,
            (_, Value::Float(value)) => *value == 0.0,
            (_, Value::Uuid(value)) => *value == Uuid::ZERO,
            (_, Value::Text(value) | Value::Bytes(value)) => value.is_empty(),
            (_, Value::List(value)) => value.is_empty(),
            (_, Value::Struct(value)) => value.is_default(),
            (_, Value::Null) => false,
        }
    }
}
