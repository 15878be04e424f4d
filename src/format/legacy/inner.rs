//! The messages inside a compressed wrapper (`AbstractLegacyRecordBatch.DeepRecordsIterator`).
//!
//! In magic 1 a wrapped message carries its distance from the first one, and the wrapper carries
//! the offset of the last (KIP-31), so the last must be found before the first can be told. Kafka
//! collects all; here the stream is opened twice, and memory holds one message at a time.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use super::{
    ATTRIBUTES_AT, HEADER_LENGTH_V1, LOG_OVERHEAD, LegacyRecord, MIN_SIZE, MessageHeader,
    OFFSET_AT, overhead,
};
use crate::format::compression::{self, Codec, Decompressor, Inflated};
use crate::format::cursor::Cursor;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{Offset, to_usize};
use crate::format::timestamp_type::TimestampType;

/// The bits of the attributes that name the codec.
const CODEC_BITS: i8 = 7;
/// The longest header with the key size behind it.
const HEAD: usize = HEADER_LENGTH_V1 + size_of::<i32>();

/// Why the messages of a wrapper cannot all be read.
#[derive(Debug, thiserror::Error)]
pub enum InnerFault {
    /// The wrapper's own fields are wrong; the place counts from the wrapper's first byte.
    #[error("{0}")]
    Wrapper(Malformed),
    /// The value does not decompress; the place counts compressed bytes from the value's first.
    #[error("{0}")]
    Compressed(Malformed),
    /// A wrapped message is wrong; the place counts decompressed bytes from the first.
    #[error("{0}")]
    Message(Malformed),
    /// A wrapped message is larger than the caller allows.
    #[error("a message of {size} bytes at decompressed byte {at}, more than the limit of {limit}")]
    TooLarge {
        /// Where the message begins, in decompressed bytes from the first.
        at: u64,
        /// Its bytes behind its size field.
        size: u64,
        /// The limit in force, in bytes.
        limit: u64,
    },
    /// The input failed; the bytes may be sound.
    #[error(transparent)]
    Input(io::Error),
}

impl InnerFault {
    /// An error of the decompressed stream, by what it says of the bytes.
    fn of_stream(error: io::Error) -> Self {
        match compression::malformed(&error) {
            Some(fault) => Self::Compressed(fault.clone()),
            None => Self::Input(error),
        }
    }

    fn wrapper(field: &'static str, at: usize, problem: Problem) -> Self {
        Self::Wrapper(Malformed { field, at, problem })
    }
}

/// What a walk through a wrapper met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// Messages given to the visitor.
    pub messages: u64,
    /// Bytes of a message that the stream ends in. Kafka passes over it without a word: brokers
    /// once cut message sets at a size. 0 when the visitor ended the walk.
    pub cut: u64,
}

/// Gives every message of the compressed wrapper to `visit`, until that breaks off.
///
/// `input` stands at the wrapper's first byte (its offset) and is read from there, for magic 1
/// twice. No message above `max_record_bytes` (its `size` field) is held; reading ends there.
///
/// The rules are those of Kafka 4.4.0:
/// - in magic 1 the offset is that of the wrapper, minus the last message's, plus the message's
///   own, but the message's own where the wrapper's is 0; in magic 0 it is always the message's;
/// - a message of magic 1 has the wrapper's timestamp type, and its timestamp too where that is
///   log append time;
/// - a message's magic may differ from the wrapper's ([`LegacyRecord::magic`] tells); only
///   one that is neither 0 nor 1 is refused, where Kafka goes by the layout of magic 1;
/// - a compressed message inside a compressed one is refused, and so is zstd.
///
/// Other than in Kafka, messages in front of a fault are given where their offsets are known:
/// always in magic 0; in magic 1 when the way to the last message is free of faults.
///
/// # Errors
/// See [`InnerFault`]; a wrapper that is not compressed is an [`InnerFault::Wrapper`].
pub fn for_each_inner<R: BufRead + Seek>(
    input: &mut R,
    decompressor: &mut Decompressor,
    max_record_bytes: u64,
    visit: &mut dyn FnMut(&LegacyRecord<'_>) -> ControlFlow<()>,
) -> Result<Walked, InnerFault> {
    let wrapper = Wrapper::read(input)?;
    let base = match (wrapper.header.magic, wrapper.header.offset) {
        (0, _) | (_, Offset(0)) => 0,
        (_, Offset(stored)) => {
            let Some(Offset(last)) =
                wrapper.with_messages(input, decompressor, |messages| messages.last_offset())?
            else {
                return Err(nothing_inside());
            };
            if stored < last {
                let expected = "0, or no less than the offset of the last message inside";
                let problem = Problem::OutOfRange { stored, expected };
                return Err(InnerFault::wrapper("offset", OFFSET_AT, problem));
            }
            stored.wrapping_sub(last)
        }
    };
    wrapper.with_messages(input, decompressor, |messages| {
        wrapper.walk(base, messages, max_record_bytes, visit)
    })
}

/// The fault of a wrapper with no whole message in it.
fn nothing_inside() -> InnerFault {
    InnerFault::Message(Malformed {
        field: "message",
        at: 0,
        problem: Problem::Truncated {
            needed: LOG_OVERHEAD.saturating_add(to_usize(MIN_SIZE)),
            left: 0,
        },
    })
}

/// A compressed message, up to where its value begins.
struct Wrapper {
    header: MessageHeader,
    codec: Codec,
    /// Where the value begins in the input.
    value_at: u64,
    /// Bytes of the value.
    value_length: u64,
}

impl Wrapper {
    fn read<R: BufRead + Seek>(input: &mut R) -> Result<Self, InnerFault> {
        let start = input.stream_position().map_err(InnerFault::Input)?;
        let mut head = [0; HEAD];
        let length = read_up_to(input, &mut head).map_err(InnerFault::Input)?;
        let head = head.get(..length).unwrap_or_default();
        let header = MessageHeader::decode(head).map_err(InnerFault::Wrapper)?;
        let codec = match header.codec() {
            Some(codec @ (Codec::Gzip | Codec::Snappy | Codec::Lz4)) => codec,
            _ => {
                let stored = i64::from(header.attributes & CODEC_BITS);
                let expected = "1 to 3";
                let problem = Problem::OutOfRange { stored, expected };
                return Err(InnerFault::wrapper("attributes", ATTRIBUTES_AT, problem));
            }
        };
        let mut cursor = Cursor::new(head);
        cursor
            .take(header.length(), "header")
            .map_err(InnerFault::Wrapper)?;
        let key_size = cursor.i32("keySize").map_err(InnerFault::Wrapper)?;
        let key_length = to_usize(u32::try_from(key_size).unwrap_or_default());
        let value_size_at = cursor.position().saturating_add(key_length);

        let position = start.saturating_add(as_u64(value_size_at));
        input
            .seek(SeekFrom::Start(position))
            .map_err(InnerFault::Input)?;
        let mut value_size = [0; size_of::<i32>()];
        let left = read_up_to(input, &mut value_size).map_err(InnerFault::Input)?;
        let value_at = value_size_at.saturating_add(value_size.len());
        let until = header.size_in_bytes();
        if left < value_size.len() || as_u64(value_at) > until {
            let needed = value_size.len();
            let problem = Problem::Truncated { needed, left };
            return Err(InnerFault::wrapper("valueSize", value_size_at, problem));
        }
        let stored = i32::from_be_bytes(value_size);
        let value_length = match u64::try_from(stored) {
            Ok(length) if as_u64(value_at).saturating_add(length) <= until => length,
            _ => {
                let stored = i64::from(stored);
                let expected = "0 or more, and no more than the message has";
                let problem = Problem::OutOfRange { stored, expected };
                return Err(InnerFault::wrapper("valueSize", value_size_at, problem));
            }
        };
        Ok(Self {
            header,
            codec,
            value_at: start.saturating_add(as_u64(value_at)),
            value_length,
        })
    }

    /// Opens the value from its first byte.
    fn with_messages<R: BufRead + Seek, T>(
        &self,
        input: &mut R,
        decompressor: &mut Decompressor,
        work: impl FnOnce(&mut Messages<'_>) -> Result<T, InnerFault>,
    ) -> Result<T, InnerFault> {
        input
            .seek(SeekFrom::Start(self.value_at))
            .map_err(InnerFault::Input)?;
        let mut value = input.take(self.value_length);
        work(&mut Messages {
            stream: decompressor.open(self.codec, self.header.magic, &mut value),
            at: 0,
            joined: Vec::new(),
        })
    }

    fn walk(
        &self,
        base: i64,
        messages: &mut Messages<'_>,
        limit: u64,
        visit: &mut dyn FnMut(&LegacyRecord<'_>) -> ControlFlow<()>,
    ) -> Result<Walked, InnerFault> {
        let mut walked = Walked {
            messages: 0,
            cut: 0,
        };
        loop {
            let at = messages.at;
            let Some((offset, size)) = messages.overhead()? else {
                walked.cut = messages.at.saturating_sub(at);
                break;
            };
            if u64::from(size) > limit {
                let size = u64::from(size);
                return Err(InnerFault::TooLarge { at, size, limit });
            }
            let visited = messages.with_body(size, |body| {
                let record = LegacyRecord::decode_body(offset.plus(base), size, body)
                    .map_err(|fault| fault.shifted(LOG_OVERHEAD))?;
                Ok(visit(&self.governed(record)?))
            })?;
            match visited {
                Some(flow) => {
                    let flow = flow.map_err(|fault: Malformed| inside(fault, at))?;
                    walked.messages = walked.messages.saturating_add(1);
                    if flow.is_break() {
                        return Ok(walked);
                    }
                }
                None => {
                    walked.cut = messages.at.saturating_sub(at);
                    break;
                }
            }
        }
        if walked.messages == 0 {
            return Err(nothing_inside());
        }
        Ok(walked)
    }

    /// The message with what the wrapper decides about it.
    fn governed<'m>(&self, mut record: LegacyRecord<'m>) -> Result<LegacyRecord<'m>, Malformed> {
        if record.attributes & CODEC_BITS != 0 {
            let stored = i64::from(record.attributes & CODEC_BITS);
            let expected = "0 in a message inside a compressed one";
            return Err(Malformed {
                field: "attributes",
                at: ATTRIBUTES_AT,
                problem: Problem::OutOfRange { stored, expected },
            });
        }
        if record.magic == 1 {
            record.timestamp_type = self.header.timestamp_type();
            if record.timestamp_type == TimestampType::LogAppendTime {
                record.timestamp = self.header.timestamp;
            }
        }
        Ok(record)
    }
}

/// A fault of a message at decompressed byte `at`, seen from the first decompressed byte.
fn inside(fault: Malformed, at: u64) -> InnerFault {
    InnerFault::Message(fault.shifted(usize::try_from(at).unwrap_or(usize::MAX)))
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Fills as much of `into` as there is; returns how much that was.
fn read_up_to(input: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0_usize;
    while let Some(rest) = into.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(count) => read = read.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// The decompressed message set, read message by message.
struct Messages<'a> {
    stream: Inflated<'a>,
    /// Decompressed bytes read.
    at: u64,
    /// Holds a message that the stream's buffer has in pieces.
    joined: Vec<u8>,
}

impl Messages<'_> {
    /// Reads the next message's offset and size; `None` when the stream ends before or in them.
    fn overhead(&mut self) -> Result<Option<(Offset, u32)>, InnerFault> {
        let begin = self.at;
        let mut bytes = [0; LOG_OVERHEAD];
        let read = read_up_to(&mut self.stream, &mut bytes).map_err(InnerFault::of_stream)?;
        self.at = self.at.saturating_add(as_u64(read));
        if read < bytes.len() {
            return Ok(None);
        }
        overhead(&mut Cursor::new(&bytes))
            .map(Some)
            .map_err(|fault| inside(fault, begin))
    }

    /// Gives the next `size` bytes to `work`; `None` when the stream ends before.
    fn with_body<T>(
        &mut self,
        size: u32,
        work: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, InnerFault> {
        let size = to_usize(size);
        let waiting = self.stream.fill_buf().map_err(InnerFault::of_stream)?;
        if let Some(body) = waiting.get(..size) {
            let result = work(body);
            self.used(size);
            return Ok(Some(result));
        }
        self.joined.clear();
        // It grows by the bytes that come: the size alone reserves nothing.
        while self.joined.len() < size {
            let waiting = self.stream.fill_buf().map_err(InnerFault::of_stream)?;
            let wanted = size.saturating_sub(self.joined.len());
            let taken = waiting.get(..wanted).unwrap_or(waiting);
            let count = taken.len();
            if count == 0 {
                return Ok(None);
            }
            self.joined.extend_from_slice(taken);
            self.used(count);
        }
        Ok(Some(work(&self.joined)))
    }

    /// Passes over `size` bytes; false when the stream ends before.
    fn skip(&mut self, size: u32) -> Result<bool, InnerFault> {
        let mut left = to_usize(size);
        while left > 0 {
            let waiting = self.stream.fill_buf().map_err(InnerFault::of_stream)?;
            let count = waiting.len().min(left);
            if count == 0 {
                return Ok(false);
            }
            left = left.saturating_sub(count);
            self.used(count);
        }
        Ok(true)
    }

    fn used(&mut self, count: usize) {
        self.stream.consume(count);
        self.at = self.at.saturating_add(as_u64(count));
    }

    /// Reads to the end; returns the offset of the last whole message as it is stored.
    fn last_offset(&mut self) -> Result<Option<Offset>, InnerFault> {
        let mut last = None;
        while let Some((offset, size)) = self.overhead()? {
            if !self.skip(size)? {
                break;
            }
            last = Some(offset);
        }
        Ok(last)
    }
}
