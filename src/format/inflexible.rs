//! The pieces of Kafka's messages before flexible versions: texts and lists with lengths of fixed
//! width.
//!
//! A text has an int16 in front, a list an int32; any number below 0 stands for null. Limits are
//! those of Kafka's generated readers, so that what they refuse is refused here.

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use super::number::to_usize;

/// The most elements of a list that Kafka's readers take.
const LIST_LIMIT: u32 = 1_000_000;

/// Reads a text that may not be null, as its bytes: nobody promises that they are UTF-8.
///
/// # Errors
/// [`Problem::Null`], [`Problem::Truncated`].
pub fn read_text(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Vec<u8>, Malformed> {
    let start = *cursor;
    let stored = cursor.i16(field)?;
    let length = u16::try_from(stored).map_err(|_| start.fault(field, Problem::Null))?;
    Ok(cursor.take(usize::from(length), field)?.to_vec())
}

/// Reads a list that may be null.
///
/// # Errors
/// [`Problem::Truncated`] when the count is above the bytes left; [`Problem::OutOfRange`] above
/// 1000000; what `element` says.
pub fn read_nullable_list<T>(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    element: impl Fn(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<Option<Vec<T>>, Malformed> {
    let start = *cursor;
    let Ok(count) = u32::try_from(cursor.i32(field)?) else {
        return Ok(None);
    };
    // Every element takes a byte at least.
    let (needed, left) = (to_usize(count), cursor.remaining());
    if needed > left {
        return Err(start.fault(field, Problem::Truncated { needed, left }));
    }
    if count > LIST_LIMIT {
        let stored = i64::from(count);
        let expected = "at most 1000000 elements";
        return Err(start.fault(field, Problem::OutOfRange { stored, expected }));
    }
    // No room is reserved: the list grows with the bytes that are there.
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(element(cursor)?);
    }
    Ok(Some(list))
}

/// Reads a list that may not be null.
///
/// # Errors
/// [`Problem::Null`], and those of [`read_nullable_list`].
pub fn read_list<T>(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    element: impl Fn(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let start = *cursor;
    read_nullable_list(cursor, field, element)?.ok_or_else(|| start.fault(field, Problem::Null))
}

/// Appends a text; Kafka has none above 32767 bytes, and a longer one is cut there.
pub fn put_text(text: &[u8], out: &mut Vec<u8>) {
    let length = i16::try_from(text.len()).unwrap_or(i16::MAX);
    out.extend(length.to_be_bytes());
    out.extend(text.iter().take(usize::from(length.unsigned_abs())));
}

/// Appends the count of a list that may be null, or null; its elements follow.
pub fn put_nullable_count(count: Option<usize>, out: &mut Vec<u8>) {
    let stored = count.map_or(-1, |count| i32::try_from(count).unwrap_or(i32::MAX));
    out.extend(stored.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::hex;

    #[test]
    fn what_the_stock_reader_refuses() {
        let text = |bytes: &str| read_text(&mut Cursor::new(&hex(bytes)), "topic");
        assert_eq!(text("0002 6162").unwrap(), b"ab");
        assert_eq!(text("ffff").unwrap_err().problem, Problem::Null);
        let truncated = Problem::Truncated { needed: 2, left: 1 };
        assert_eq!(text("0002 61").unwrap_err().problem, truncated);

        let list = |bytes: &str| {
            read_list(&mut Cursor::new(&hex(bytes)), "ids", |cursor| {
                cursor.u8("id")
            })
        };
        assert_eq!(list("00000002 0506").unwrap(), [5, 6]);
        assert_eq!(list("80000000").unwrap_err().problem, Problem::Null);
        let truncated = Problem::Truncated {
            needed: 0x7fff_ffff,
            left: 1,
        };
        assert_eq!(list("7fffffff 00").unwrap_err().problem, truncated);
        let mut long = hex("000f4241");
        long.resize(4 + 1_000_001, 0);
        let fault = read_list(&mut Cursor::new(&long), "ids", |cursor| cursor.u8("id"));
        assert!(matches!(
            fault.unwrap_err().problem,
            Problem::OutOfRange { .. }
        ));
    }

    #[test]
    fn written_as_read() {
        let mut out = Vec::new();
        put_text(b"ab", &mut out);
        put_nullable_count(Some(3), &mut out);
        put_nullable_count(None, &mut out);
        assert_eq!(out, hex("0002 6162 00000003 ffffffff"));
        out.clear();
        put_text(&[b'x'; 40_000], &mut out);
        assert_eq!((out.len(), &out[..2]), (2 + 32_767, &[0x7f, 0xff][..]));
    }
}
