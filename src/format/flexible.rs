//! The pieces of Kafka's flexible messages (KIP-482): compact texts, compact lists, tagged fields.
//!
//! Lengths and counts are unsigned varints of one more than the number; 0 stands for null. Limits
//! are those of Kafka's generated readers, so that what they refuse is refused here.

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use super::number::to_usize;
use super::varint::put_unsigned_varint;

/// The most elements of a list that Kafka's readers take.
const LIST_LIMIT: u32 = 1_000_000;
/// The most tagged fields that Kafka's readers take.
const TAGGED_FIELDS_LIMIT: u32 = 10_000;
/// The longest text that Kafka's readers take, in bytes.
const TEXT_LIMIT: u32 = 32_767;

/// An optional field that a later version may have added: kept, not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedField {
    /// The number of the field.
    pub tag: u32,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Reads a text that may not be null, as its bytes: nobody promises that they are UTF-8.
///
/// # Errors
/// [`Problem::Null`], [`Problem::OutOfRange`] above 32767 bytes, [`Problem::Truncated`].
pub fn read_text(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Vec<u8>, Malformed> {
    let length = read_length(cursor, field, TEXT_LIMIT, "at most 32767 bytes")?;
    Ok(cursor.take(to_usize(length), field)?.to_vec())
}

/// Reads a list that may not be null.
///
/// # Errors
/// [`Problem::Null`]; [`Problem::Truncated`] when the count is above the bytes left;
/// [`Problem::OutOfRange`] above 1000000; what `element` says.
pub fn read_list<T>(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    element: impl Fn(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let count = read_length(cursor, field, LIST_LIMIT, "at most 1000000 elements")?;
    // No room is reserved: the list grows with the bytes that are there.
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(element(cursor)?);
    }
    Ok(list)
}

/// Reads a list that may be null. As in Kafka's readers, a count of 2^31 or more means null too.
///
/// # Errors
/// [`Problem::Truncated`] when the count is above the bytes left; [`Problem::OutOfRange`] above
/// 1000000; what `element` says.
pub fn read_nullable_list<T>(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    element: impl Fn(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<Option<Vec<T>>, Malformed> {
    let mut behind = *cursor;
    let stored = behind.unsigned_varint(field)?;
    if stored == 0 || stored.cast_signed().wrapping_sub(1) < 0 {
        *cursor = behind;
        return Ok(None);
    }
    read_list(cursor, field, element).map(Some)
}

/// Reads the tagged fields that end every structure.
///
/// # Errors
/// [`Problem::Truncated`] when the count is above the bytes left or a field is cut;
/// [`Problem::OutOfRange`] above 10000.
pub fn read_tagged_fields(cursor: &mut Cursor<'_>) -> Result<Vec<TaggedField>, Malformed> {
    read_tagged_fields_beside(cursor, |_, _| Ok(false))
}

/// Reads tagged fields of which some are known: `known` reads the field of a tag and says true, or
/// leaves the cursor and says false. As in Kafka's readers, the size of a known field does not
/// count.
///
/// # Errors
/// Those of [`read_tagged_fields`], and what `known` says.
pub fn read_tagged_fields_beside(
    cursor: &mut Cursor<'_>,
    mut known: impl FnMut(u32, &mut Cursor<'_>) -> Result<bool, Malformed>,
) -> Result<Vec<TaggedField>, Malformed> {
    const FIELD: &str = "taggedFields";
    let start = *cursor;
    let count = cursor.unsigned_varint(FIELD)?;
    check_length(&start, cursor, FIELD, count)?;
    if count > TAGGED_FIELDS_LIMIT {
        let stored = i64::from(count);
        let expected = "at most 10000 fields";
        return Err(start.fault(FIELD, Problem::OutOfRange { stored, expected }));
    }
    let mut fields = Vec::new();
    for _ in 0..count {
        let tag = cursor.unsigned_varint(FIELD)?;
        let size = cursor.unsigned_varint(FIELD)?;
        if !known(tag, cursor)? {
            let data = cursor.take(to_usize(size), FIELD)?.to_vec();
            fields.push(TaggedField { tag, data });
        }
    }
    Ok(fields)
}

/// Reads a length that is stored as one more, and checks it before anything is read by it.
fn read_length(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    limit: u32,
    expected: &'static str,
) -> Result<u32, Malformed> {
    let start = *cursor;
    let stored = cursor.unsigned_varint(field)?;
    let Some(length) = stored.checked_sub(1) else {
        return Err(start.fault(field, Problem::Null));
    };
    check_length(&start, cursor, field, length)?;
    if length > limit {
        let stored = i64::from(length);
        return Err(start.fault(field, Problem::OutOfRange { stored, expected }));
    }
    Ok(length)
}

/// Every counted thing takes a byte at least.
fn check_length(
    start: &Cursor<'_>,
    behind: &Cursor<'_>,
    field: &'static str,
    length: u32,
) -> Result<(), Malformed> {
    let (needed, left) = (to_usize(length), behind.remaining());
    if needed > left {
        return Err(start.fault(field, Problem::Truncated { needed, left }));
    }
    Ok(())
}

/// Appends a text.
pub fn put_text(text: &[u8], out: &mut Vec<u8>) {
    put_length(text.len(), out);
    out.extend(text);
}

/// Appends the count of a list; its elements follow.
pub fn put_count(count: usize, out: &mut Vec<u8>) {
    put_length(count, out);
}

/// Appends the count of a list that may be null, or null.
pub fn put_nullable_count(count: Option<usize>, out: &mut Vec<u8>) {
    match count {
        Some(count) => put_length(count, out),
        None => put_unsigned_varint(0, out),
    }
}

/// Appends the tagged fields, in the order given; Kafka writes them by rising tag.
pub fn put_tagged_fields(fields: &[TaggedField], out: &mut Vec<u8>) {
    put_unsigned_varint(length_of(fields.len()), out);
    for field in fields {
        put_unsigned_varint(field.tag, out);
        put_unsigned_varint(length_of(field.data.len()), out);
        out.extend(&field.data);
    }
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    put_unsigned_varint(length_of(length).saturating_add(1), out);
}

/// A list of 4 thousand million elements is no message: the number just has to be one.
fn length_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    /// The refusals of the stock reader, provoked one by one.
    #[test]
    fn what_the_stock_reader_refuses() {
        let text = |bytes: &str| read_text(&mut Cursor::new(&hex(bytes)), "name");
        assert_eq!(text("00").unwrap_err().problem, Problem::Null);
        let truncated = Problem::Truncated {
            needed: 126,
            left: 1,
        };
        assert_eq!(text("7f61").unwrap_err().problem, truncated);
        let endless = Problem::EndlessVarint { limit: 5 };
        assert_eq!(text("ffffffffff00").unwrap_err().problem, endless);
        let mut long = hex("818002");
        long.resize(3 + 32_768, b'a');
        let fault = read_text(&mut Cursor::new(&long), "name").unwrap_err();
        assert!(matches!(
            fault.problem,
            Problem::OutOfRange { stored: 32_768, .. }
        ));

        let tags = |bytes: &str| read_tagged_fields(&mut Cursor::new(&hex(bytes)));
        for bytes in ["0500", "01030500", "ffffffff0f00", "0103ffffffff0f00"] {
            let fault = tags(bytes).unwrap_err();
            assert!(
                matches!(fault.problem, Problem::Truncated { .. }),
                "{fault}"
            );
        }
        let list = |bytes: &str| {
            read_list(&mut Cursor::new(&hex(bytes)), "voters", |cursor| {
                cursor.u8("voter")
            })
        };
        assert_eq!(list("00").unwrap_err().problem, Problem::Null);
        assert_eq!(list("03 05 06").unwrap(), [5, 6]);
        for bytes in ["ffffffff0700", "808080800800"] {
            let fault = list(bytes).unwrap_err();
            assert!(
                matches!(fault.problem, Problem::Truncated { .. }),
                "{fault}"
            );
        }
    }

    #[test]
    fn a_message_of_tagged_fields_round_trips() {
        let bytes = hex("02 03 02 00ff ac02 00");
        let fields = read_tagged_fields(&mut Cursor::new(&bytes)).unwrap();
        assert_eq!(
            fields[1],
            TaggedField {
                tag: 300,
                data: vec![]
            }
        );
        let mut out = Vec::new();
        put_tagged_fields(&fields, &mut out);
        assert_eq!(out, bytes);
    }
}
