//! A record written anew: the bytes that Kafka's `DefaultRecord.writeTo` makes of what was read.
//!
//! Readers take more than writers make: numbers in more bytes than they need, sizes below -1 for
//! null, attributes without a meaning. The layout is that of [`super::record`].

use super::batch_draft::{length, put_nullable};
use super::malformed::Malformed;
use super::record::{Record, Stored};
use super::varint::{put_varint, put_varlong};

/// Appends the body of a record, which is what stands behind its size.
///
/// # Errors
/// None of a record that was read: a key, a value or a number of headers above 2147483647.
pub fn put_body(record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    out.push(0); // The attributes: no bit has a meaning so far.
    put_varlong(record.timestamp_delta, out);
    put_varint(record.offset_delta, out);
    put_nullable("keySize", record.key, out)?;
    put_nullable("valueSize", record.value, out)?;
    let count = i32::try_from(record.headers.len()).unwrap_or(i32::MAX);
    put_varint(count, out);
    for header in record.headers.iter() {
        put_nullable("headerKeySize", Some(header.key), out)?;
        put_nullable("headerValueSize", header.value, out)?;
    }
    Ok(())
}

/// Whether a record is stored as it would be written. `anew` takes the bytes of the body as they
/// would be; what was in it is gone.
#[must_use]
pub fn is_as_written(stored: &Stored<'_>, anew: &mut Vec<u8>) -> bool {
    anew.clear();
    if put_body(&stored.record, anew).is_err() || anew != stored.body {
        return false;
    }
    let mut size = Vec::with_capacity(5);
    length("recordSize", anew.len()).is_ok_and(|body| {
        put_varint(body, &mut size);
        size.len() == stored.size_length
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::record::RecordReader;

    fn is_written(bytes: &[u8]) -> bool {
        let mut reader = RecordReader::new(bytes, 1 << 20);
        is_as_written(&reader.next_stored().unwrap(), &mut vec![7])
    }

    #[test]
    fn what_readers_take_and_writers_do_not_make() {
        // Size 10, no attributes, time +2, offset +3, key "k", value null, one header "h" = "".
        let written = [0x14, 0, 4, 6, 2, b'k', 1, 2, 2, b'h', 0];
        assert!(is_written(&written));
        assert!(
            !is_written(&[&[0x94, 0], &written[1..]].concat()),
            "a longer size"
        );
        let mut attributes = written;
        attributes[1] = 1;
        assert!(!is_written(&attributes));
        let mut null = written;
        null[6] = 3; // The size -2.
        assert!(!is_written(&null));
        let longer = [0x16, 0, 0x84, 0, 6, 2, b'k', 1, 2, 2, b'h', 0];
        assert!(!is_written(&longer), "a longer number");
    }
}
