//! One record of magic 2 (KIP-98, `DefaultRecord`), and a reader that walks a batch's records.
//!
//! ```text
//! size varint | attributes i8 | timestampDelta varlong | offsetDelta varint
//! keySize varint, key | valueSize varint, value | headerCount varint, (key, value)*
//! ```
//!
//! Sizes of -1 stand for null. Nothing in a record sizes memory: a record that does not lie whole
//! in the reader's buffer is gathered byte by byte up to the caller's limit.

use std::io::{self, BufRead};

use super::cursor::Cursor;
use super::malformed::{Malformed, Problem};
use super::number::to_usize;
use super::varint;

/// A record as its bytes say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Always 0 so far.
    pub attributes: i8,
    /// Milliseconds from the batch's base timestamp.
    pub timestamp_delta: i64,
    /// Distance from the batch's base offset.
    pub offset_delta: i32,
    /// The key; `None` is null.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is null.
    pub value: Option<&'a [u8]>,
    /// The headers.
    pub headers: Headers<'a>,
}

/// The headers of a record, checked when the record was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    bytes: &'a [u8],
    count: u32,
}

/// A header: a key and a value that may be null (KIP-82).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordHeader<'a> {
    /// The key; UTF-8 by contract, any bytes in fact.
    pub key: &'a [u8],
    /// The value; `None` is null.
    pub value: Option<&'a [u8]>,
}

impl<'a> Headers<'a> {
    /// No headers: what every message before magic 2 has.
    pub const NONE: Self = Self {
        bytes: &[],
        count: 0,
    };

    /// How many there are.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.count
    }

    /// There is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The headers in order.
    pub fn iter(self) -> impl Iterator<Item = RecordHeader<'a>> {
        let mut cursor = Cursor::new(self.bytes);
        // Decoding checked every header, so this ends where the bytes end and not before.
        std::iter::from_fn(move || header(&mut cursor).ok()).take(to_usize(self.count))
    }
}

impl<'a> Record<'a> {
    /// Decodes a record's body: the bytes behind its size.
    ///
    /// # Errors
    /// A field that does not decode, or bytes behind the last header
    /// (`DefaultRecord.readFrom` refuses the same).
    pub fn decode(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(body);
        let attributes = cursor.i8("attributes")?;
        let timestamp_delta = cursor.varlong("timestampDelta")?;
        let offset_delta = cursor.varint("offsetDelta")?;
        let key = nullable(&mut cursor, "keySize", "key")?;
        let value = nullable(&mut cursor, "valueSize", "value")?;
        let headers = Headers::decode(&mut cursor)?;
        match cursor.remaining() {
            0 => Ok(Self {
                attributes,
                timestamp_delta,
                offset_delta,
                key,
                value,
                headers,
            }),
            left => {
                let bytes = u64::try_from(left).unwrap_or(u64::MAX);
                Err(cursor.fault("record", Problem::Trailing { bytes }))
            }
        }
    }
}

impl<'a> Headers<'a> {
    #[inline]
    fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let before = *cursor;
        let stored = cursor.varint("headerCount")?;
        let Ok(count) = u32::try_from(stored) else {
            let problem = Problem::OutOfRange {
                stored: i64::from(stored),
                expected: "0 or more",
            };
            return Err(before.fault("headerCount", problem));
        };
        let bytes = cursor.rest();
        // Each header takes two bytes at least, so an absurd count ends with the bytes.
        for _ in 0..count {
            header(cursor)?;
        }
        Ok(Self { bytes, count })
    }
}

fn header<'a>(cursor: &mut Cursor<'a>) -> Result<RecordHeader<'a>, Malformed> {
    let before = *cursor;
    let stored = cursor.varint("headerKeySize")?;
    let Ok(size) = u32::try_from(stored) else {
        let problem = Problem::OutOfRange {
            stored: i64::from(stored),
            expected: "0 or more",
        };
        return Err(before.fault("headerKeySize", problem));
    };
    let key = cursor.take(to_usize(size), "headerKey")?;
    let value = nullable(cursor, "headerValueSize", "headerValue")?;
    Ok(RecordHeader { key, value })
}

#[inline]
fn nullable<'a>(
    cursor: &mut Cursor<'a>,
    size_field: &'static str,
    field: &'static str,
) -> Result<Option<&'a [u8]>, Malformed> {
    // Kafka reads every size below 0 as null.
    match u32::try_from(cursor.varint(size_field)?) {
        Ok(size) => cursor.take(to_usize(size), field).map(Some),
        Err(_) => Ok(None),
    }
}

/// A record and the bytes that say it.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// What they say.
    pub record: Record<'a>,
    /// The bytes behind the size.
    pub body: &'a [u8],
    /// How many bytes the size takes, 1 to 5.
    pub size_length: usize,
}

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The bytes are no record.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The record is larger than the reader may hold.
    #[error("a record of {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The record's size as stored, in bytes.
        size: u64,
        /// The limit in force, in bytes.
        limit: u64,
    },
    /// The bytes could not be had: an undecodable payload or a read that failed.
    #[error(transparent)]
    Input(#[from] io::Error),
}

/// Walks records off a stream: the bytes of an uncompressed batch, or a decompressor.
///
/// Holds at most one record beside the stream's own buffer.
#[derive(Debug)]
pub struct RecordReader<R> {
    input: R,
    limit: u64,
    position: u64,
    /// Bytes of the record last given out, still to be consumed.
    owed: usize,
    gathered: Vec<u8>,
}

impl<R: BufRead> RecordReader<R> {
    /// Reads from `input`; a record above `limit` bytes is refused.
    pub const fn new(input: R, limit: u64) -> Self {
        Self {
            input,
            limit,
            position: 0,
            owed: 0,
            gathered: Vec::new(),
        }
    }

    /// Bytes of the stream up to the end of the record last read, or to the beginning of the one
    /// that could not be read.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Reads the next record; the caller counts.
    ///
    /// # Errors
    /// [`RecordError`]; its position is relative to the record's size field. The stream is of no
    /// use afterwards.
    #[inline]
    pub fn next_record(&mut self) -> Result<Record<'_>, RecordError> {
        Ok(self.next_stored()?.record)
    }

    /// The same, with the bytes that it was read from.
    ///
    /// # Errors
    /// As [`RecordReader::next_record`].
    #[inline]
    pub fn next_stored(&mut self) -> Result<Stored<'_>, RecordError> {
        self.settle();
        let Some((head, whole)) = self.buffered_record()? else {
            return self.gather();
        };
        self.owed = whole;
        let body = self.input.fill_buf()?.get(head..whole).unwrap_or_default();
        let record = Record::decode(body).map_err(|fault| fault.shifted(head))?;
        Ok(Stored {
            record,
            body,
            size_length: head,
        })
    }

    /// Where the next record's body begins and ends in the stream's buffer, if it is all there.
    #[inline]
    fn buffered_record(&mut self) -> Result<Option<(usize, usize)>, RecordError> {
        let buffered = self.input.fill_buf()?;
        let available = buffered.len();
        let Ok((size, rest)) = varint::varint(buffered) else {
            return Ok(None);
        };
        let head = available.wrapping_sub(rest.len());
        let whole = head.saturating_add(self.checked_size(size)?);
        Ok((whole <= available).then_some((head, whole)))
    }

    /// Whether the stream has no byte left behind the last record.
    ///
    /// # Errors
    /// The stream's own.
    pub fn is_at_end(&mut self) -> io::Result<bool> {
        self.settle();
        Ok(self.input.fill_buf()?.is_empty())
    }

    #[inline]
    fn settle(&mut self) {
        self.input.consume(self.owed);
        self.position = self
            .position
            .saturating_add(u64::try_from(self.owed).unwrap_or(u64::MAX));
        self.owed = 0;
    }

    #[inline]
    fn checked_size(&self, stored: i32) -> Result<usize, RecordError> {
        let Ok(size) = u32::try_from(stored) else {
            let problem = Problem::OutOfRange {
                stored: i64::from(stored),
                expected: "0 or more",
            };
            return Err(Malformed {
                field: "recordSize",
                at: 0,
                problem,
            }
            .into());
        };
        if u64::from(size) > self.limit {
            return Err(RecordError::TooLarge {
                size: u64::from(size),
                limit: self.limit,
            });
        }
        Ok(to_usize(size))
    }

    /// The slow path: the record crosses the end of the stream's buffer.
    #[cold]
    fn gather(&mut self) -> Result<Stored<'_>, RecordError> {
        let start = self.position;
        let gathered = self.gather_body();
        // What a fault is told from, until there is none.
        let end = std::mem::replace(&mut self.position, start);
        let head = gathered?;
        let record = Record::decode(&self.gathered).map_err(|fault| fault.shifted(head))?;
        self.position = end;
        Ok(Stored {
            record,
            body: &self.gathered,
            size_length: head,
        })
    }

    /// Gathers the body of a record; returns how long its size field was.
    fn gather_body(&mut self) -> Result<usize, RecordError> {
        self.gathered.clear();
        let size = loop {
            match varint::varint(&self.gathered) {
                Ok((size, _)) => break size,
                Err(problem @ Problem::EndlessVarint { .. }) => {
                    return Err(Malformed {
                        field: "recordSize",
                        at: 0,
                        problem,
                    }
                    .into());
                }
                Err(_) => self.pull("recordSize", 1)?,
            }
        };
        let head = self.gathered.len();
        let body = self.checked_size(size)?;
        self.gathered.clear();
        self.pull("record", body).map_err(|error| match error {
            RecordError::Malformed(fault) => fault.shifted(head).into(),
            other => other,
        })?;
        Ok(head)
    }

    /// Appends `count` bytes of the stream to what is gathered, as they come.
    fn pull(&mut self, field: &'static str, count: usize) -> Result<(), RecordError> {
        let mut left = count;
        while left > 0 {
            let buffered = self.input.fill_buf()?;
            if buffered.is_empty() {
                let found = count.saturating_sub(left);
                let problem = Problem::Truncated {
                    needed: count,
                    left: found,
                };
                return Err(Malformed {
                    field,
                    at: 0,
                    problem,
                }
                .into());
            }
            let part = buffered.get(..left).unwrap_or(buffered);
            self.gathered.extend_from_slice(part);
            let taken = part.len();
            self.input.consume(taken);
            self.position = self
                .position
                .saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
            left = left.saturating_sub(taken);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// key "k", value null, one header "h" = "", offset 3, time +2; labelled by hand.
    const RECORD: [u8; 11] = [
        0x14, // size 10
        0x00, // attributes
        0x04, // timestampDelta 2
        0x06, // offsetDelta 3
        0x02, b'k', // keySize 1
        0x01, // valueSize -1
        0x02, // headerCount 1
        0x02, b'h', // headerKeySize 1
        0x00, // headerValueSize 0
    ];

    #[test]
    fn a_labelled_record() {
        let record = Record::decode(&RECORD[1..]).unwrap();
        assert_eq!((record.timestamp_delta, record.offset_delta), (2, 3));
        assert_eq!((record.key, record.value), (Some(&b"k"[..]), None));
        let headers: Vec<_> = record.headers.iter().collect();
        assert_eq!(
            headers,
            [RecordHeader {
                key: b"h",
                value: Some(b"")
            }]
        );
    }

    #[test]
    fn a_record_across_any_buffer_boundary_reads_the_same() {
        let twice = [RECORD, RECORD].concat();
        for capacity in 1..24 {
            let mut reader =
                RecordReader::new(BufReader::with_capacity(capacity, &twice[..]), 1 << 20);
            for _ in 0..2 {
                assert_eq!(
                    reader.next_record().unwrap(),
                    Record::decode(&RECORD[1..]).unwrap()
                );
            }
            assert!(reader.is_at_end().unwrap());
            assert_eq!(reader.position(), 22);
        }
    }

    #[test]
    fn any_cut_and_any_flip_is_survived() {
        for length in 0..RECORD.len() {
            let mut reader = RecordReader::new(&RECORD[..length], 1 << 20);
            assert!(reader.next_record().is_err(), "{length} bytes");
        }
        for bit in 0..RECORD.len() * 8 {
            let mut bytes = RECORD;
            bytes[bit / 8] ^= 1 << (bit % 8);
            match RecordReader::new(&bytes[..], 1 << 20).next_record() {
                Ok(record) => assert!(record.headers.iter().count() <= 11),
                Err(RecordError::Malformed(fault)) => assert!(fault.at <= RECORD.len()),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn absurd_counts_allocate_nothing() {
        // headerCount 2147483647 in a record of 12 bytes.
        let body = [0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f];
        let fault = Record::decode(&body).unwrap_err();
        assert_eq!((fault.field, fault.at), ("headerKeySize", 10));
        let huge = [0xfe, 0xff, 0xff, 0xff, 0x0f];
        let mut reader = RecordReader::new(&huge[..], 1 << 20);
        assert!(matches!(
            reader.next_record(),
            Err(RecordError::TooLarge { .. })
        ));
    }
}
