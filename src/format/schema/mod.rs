//! Kafka's messages as its own schemas describe them, and one interpreter for all of them.
//!
//! The records of internal topics are messages with versions. What a message holds in which
//! version is told by tables that `oracle/run schemas` makes of the schemas inside Kafka's jars
//! ([`table`]); [`Message::decode`] and [`Message::encode`] follow them. Version and type stand in
//! front of a message in a way that each topic has for itself, and are read there.
//!
//! Before the first flexible version (KIP-482) a text has an int16 in front, bytes and a list an
//! int32, any number below 0 for null. From there on each has an unsigned varint of one more than
//! the length, 0 for null, and every structure ends with tagged fields: a count, then the tag, the
//! size and the bytes of each. A structure that may be null has an int8 in front, below 0 for
//! null; behind a tag it is an unsigned varint, 0 for null.

use std::fmt;

mod decode;
mod encode;
pub mod table;
#[cfg(test)]
mod tests;
mod value;

pub use decode::{Part, Refusal};
pub use encode::Misfit;
pub use value::{Struct, UnknownField, Value};

/// Versions of a message, in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// The first; -32768 stands for any, as 32767 does on the other side: where all versions of a
    /// message have a thing, Kafka's generated classes do not ask.
    pub lowest: i16,
    /// The last; below the first where there are none.
    pub highest: i16,
}

impl Versions {
    /// Whether a version is among them.
    #[must_use]
    #[inline]
    pub const fn contain(self, version: i16) -> bool {
        self.lowest <= version && version <= self.highest
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lowest == self.highest {
            true => write!(f, "{}", self.lowest),
            false => write!(f, "{} to {}", self.lowest, self.highest),
        }
    }
}

/// Every version there is or will be.
pub(in crate::format) const ALL: Versions = range(i16::MIN, i16::MAX);

/// All versions from one on.
const fn since(lowest: i16) -> Versions {
    range(lowest, i16::MAX)
}

/// All versions up to one.
const fn until(highest: i16) -> Versions {
    range(i16::MIN, highest)
}

/// The versions from one to another, both included.
pub(in crate::format) const fn range(lowest: i16, highest: i16) -> Versions {
    Versions { lowest, highest }
}

/// No version.
pub(in crate::format) const NEVER: Versions = range(1, 0);

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A byte; 0 is false.
    Bool,
    /// One byte with a sign.
    Int8,
    /// Two bytes with a sign.
    Int16,
    /// Two bytes without one.
    Uint16,
    /// Four bytes with a sign.
    Int32,
    /// Four bytes without one.
    Uint32,
    /// Eight bytes with a sign.
    Int64,
    /// Eight bytes (IEEE 754).
    Float64,
    /// Sixteen bytes.
    Uuid,
    /// A text; nobody promises that it is UTF-8.
    Text,
    /// Bytes.
    Bytes,
    /// Any number of one kind.
    List(&'static Kind),
    /// Fields of its own.
    Struct(&'static Shape),
}

/// The value of a field that is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// False, 0, the zero id, an empty text or list, a structure of defaults.
    Empty,
    /// Null.
    Null,
    /// A number; 1 is true.
    Number(i64),
}

/// A field of a message or of a structure inside one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Its name as JSON has it.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The versions that have it.
    pub versions: Versions,
    /// The versions in which it may be null.
    pub nullable: Versions,
    /// The versions in which it is stored among the tagged fields.
    pub tagged: Versions,
    /// Its tag there; means nothing where `tagged` is empty.
    pub tag: u32,
    /// Its value where it is not stored.
    pub default: Default,
    /// A version that does not have it may lose it.
    pub ignorable: bool,
}

pub(in crate::format) const fn field(name: &'static str, kind: Kind, versions: Versions) -> Field {
    Field {
        name,
        kind,
        versions,
        nullable: NEVER,
        tagged: NEVER,
        tag: 0,
        default: Default::Empty,
        ignorable: false,
    }
}

impl Field {
    pub(in crate::format) const fn nullable(mut self, versions: Versions) -> Self {
        self.nullable = versions;
        self
    }

    const fn tagged(mut self, versions: Versions, tag: u32) -> Self {
        self.tagged = versions;
        self.tag = tag;
        self
    }

    const fn default(mut self, number: i64) -> Self {
        self.default = Default::Number(number);
        self
    }

    const fn null_by_default(mut self) -> Self {
        self.default = Default::Null;
        self
    }

    const fn ignorable(mut self) -> Self {
        self.ignorable = true;
        self
    }

    /// Whether the field is the one of a tag, in whatever version.
    fn has_tag(&self, tag: u32) -> bool {
        self.tagged != NEVER && self.tag == tag
    }

    /// Whether a version has the field behind a tag.
    const fn is_tagged(&self, version: i16) -> bool {
        self.versions.contain(version) && self.tagged.contain(version)
    }
}

/// The fields of a message, or of a structure inside one.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// Kafka's name.
    pub name: &'static str,
    /// The last version in which Kafka's reader takes the structure; a message as a whole has no
    /// such bound.
    pub highest: i16,
    /// The fields, in the order of the schema, which JSON keeps. No structure holds itself.
    pub fields: &'static [Field],
}

impl Shape {
    pub(in crate::format) const fn new(
        name: &'static str,
        highest: i16,
        fields: &'static [Field],
    ) -> Self {
        Self {
            name,
            highest,
            fields,
        }
    }

    /// The place of a field by its name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// A message: a record's value, a key, or what lies inside another's bytes.
#[derive(Debug, PartialEq)]
pub struct Message {
    /// The type that stands in front of it, where there is one.
    pub api_key: Option<i16>,
    /// The versions that Kafka 4.4.0 knows.
    pub versions: Versions,
    /// The versions with compact lengths and tagged fields.
    pub flexible: Versions,
    /// Its name and its fields.
    pub shape: Shape,
}

impl Message {
    pub(in crate::format) const fn new(
        name: &'static str,
        api_key: Option<i16>,
        versions: Versions,
        flexible: Versions,
        fields: &'static [Field],
    ) -> Self {
        Self {
            api_key,
            versions,
            flexible,
            shape: Shape::new(name, i16::MAX, fields),
        }
    }
}

/// The message of a type in a list of [`table`].
///
/// ```
/// use kfsck::format::schema::{of_type, table};
/// let topic = of_type(&table::metadata::RECORDS, 2).unwrap();
/// assert_eq!(topic.shape.name, "TopicRecord");
/// ```
#[must_use]
pub fn of_type(list: &[&'static Message], api_key: i16) -> Option<&'static Message> {
    let mut found = list
        .iter()
        .filter(|message| message.api_key == Some(api_key));
    found.next().copied()
}

/// The message of a name in a list of [`table`].
#[must_use]
pub fn of_name(list: &[&'static Message], name: &str) -> Option<&'static Message> {
    let mut found = list.iter().filter(|message| message.shape.name == name);
    found.next().copied()
}
