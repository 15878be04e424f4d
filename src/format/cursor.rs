//! Reads big-endian numbers off the front of a byte slice and knows how far it came.

use super::malformed::{Malformed, Problem};
use super::varint;

/// A position in a byte slice. Every read either advances or fails; none panics.
///
/// ```
/// use kfsck::format::cursor::Cursor;
/// let mut cursor = Cursor::new(&[0, 0, 0, 7, 9]);
/// assert_eq!(cursor.i32("version").unwrap(), 7);
/// assert_eq!((cursor.position(), cursor.remaining()), (4, 1));
/// assert!(cursor.i16("key").is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    length: usize,
}

macro_rules! fixed_width {
    ($($name:ident)*) => {$(
        #[doc = concat!("Reads a big-endian `", stringify!($name), "`.")]
        ///
        /// # Errors
        /// [`Problem::Truncated`] when too few bytes are left; the cursor then stays.
        #[inline]
        pub fn $name(&mut self, field: &'static str) -> Result<$name, Malformed> {
            let Some((bytes, rest)) = self.rest.split_first_chunk() else {
                return Err(self.truncated(field, size_of::<$name>()));
            };
            self.rest = rest;
            Ok($name::from_be_bytes(*bytes))
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// A cursor at the first byte.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            length: bytes.len(),
        }
    }

    /// Bytes read so far.
    #[must_use]
    #[inline]
    pub const fn position(&self) -> usize {
        // `rest` is always a tail of the slice that `length` measured.
        self.length.wrapping_sub(self.rest.len())
    }

    /// Bytes not read yet.
    #[must_use]
    #[inline]
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The bytes not read yet.
    #[must_use]
    #[inline]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fixed_width! { i8 u8 i16 u16 i32 u32 i64 u64 }

    /// Takes the next `count` bytes without copying them.
    ///
    /// # Errors
    /// [`Problem::Truncated`] when fewer are left; the cursor then stays.
    #[inline]
    pub fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.truncated(field, count));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a zigzag varint of at most 5 bytes (KIP-98, `ByteUtils.readVarint`).
    ///
    /// # Errors
    /// [`Problem::Truncated`] or [`Problem::EndlessVarint`]; the cursor then stays.
    #[inline]
    pub fn varint(&mut self, field: &'static str) -> Result<i32, Malformed> {
        let (value, rest) =
            varint::varint(self.rest).map_err(|problem| self.fault(field, problem))?;
        self.rest = rest;
        Ok(value)
    }

    /// Reads a zigzag varint of at most 10 bytes (KIP-98, `ByteUtils.readVarlong`).
    ///
    /// # Errors
    /// [`Problem::Truncated`] or [`Problem::EndlessVarint`]; the cursor then stays.
    #[inline]
    pub fn varlong(&mut self, field: &'static str) -> Result<i64, Malformed> {
        let (value, rest) =
            varint::varlong(self.rest).map_err(|problem| self.fault(field, problem))?;
        self.rest = rest;
        Ok(value)
    }

    /// Reads an unsigned varint of at most 5 bytes (KIP-482, `ByteUtils.readUnsignedVarint`).
    ///
    /// # Errors
    /// [`Problem::Truncated`] or [`Problem::EndlessVarint`]; the cursor then stays.
    #[inline]
    pub fn unsigned_varint(&mut self, field: &'static str) -> Result<u32, Malformed> {
        let (value, rest) =
            varint::unsigned_varint(self.rest).map_err(|problem| self.fault(field, problem))?;
        self.rest = rest;
        Ok(value)
    }

    /// A fault of `field` at the place of this cursor.
    #[must_use]
    #[cold]
    pub fn fault(&self, field: &'static str, problem: Problem) -> Malformed {
        Malformed {
            field,
            at: self.position(),
            problem,
        }
    }

    #[cold]
    fn truncated(&self, field: &'static str, needed: usize) -> Malformed {
        self.fault(
            field,
            Problem::Truncated {
                needed,
                left: self.rest.len(),
            },
        )
    }
}
