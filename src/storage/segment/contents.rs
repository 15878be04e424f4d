//! The records of one batch, decoded while they are decompressed.
//!
//! Memory holds one batch's bytes (none of them copied when the file is mapped) and one record.
//! A fault inside a batch ends its records and nothing else.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use super::record_walk::{Reason, RecordFault, walk_records};
use super::walk::Span;
use crate::format::batch::{self, HEADER_SIZE, Header};
use crate::format::compression::{self, Codec, Decompressor};
use crate::format::crc::{Kind, Running};
use crate::format::number::{Offset, Sequence, Timestamp, to_usize};
use crate::format::record::{Headers, RecordError, RecordReader, Stored};
use crate::storage::damage::{Code, Damage};
use crate::storage::source::{RangeReader, ReadError, Source, Window};

/// The limit on one record's size unless the caller sets another: 256 MiB.
pub const DEFAULT_MAX_RECORD_BYTES: u64 = 256 << 20;

/// A record with what its batch adds to it.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The record's own offset.
    pub offset: Offset,
    /// The time in force: of the append under LogAppendTime, else the producer's; -1 in magic 0.
    pub timestamp: Timestamp,
    /// The record's sequence; -1 where the batch has none.
    pub sequence: Sequence,
    /// The key; `None` is null.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is null.
    pub value: Option<&'a [u8]>,
    /// The headers; none before magic 2.
    pub headers: Headers<'a>,
    /// The message's own checksum, in magic 0 and 1.
    pub checksum: Option<Checksum>,
}

/// A checksum as stored and as the bytes give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum {
    /// As the header has it.
    pub stored: u32,
    /// As it should be.
    pub computed: u32,
}

impl Checksum {
    /// Both are the same.
    #[must_use]
    #[inline]
    pub const fn is_valid(self) -> bool {
        self.stored == self.computed
    }
}

/// Reads batches of one file; a thread keeps one and the decompression state in it.
#[derive(Debug)]
pub struct BatchReader<'s> {
    source: &'s Source,
    window: Window<'s>,
    decompressor: Decompressor,
    max_record_bytes: u64,
}

/// A batch whose bytes are at hand.
#[derive(Debug)]
pub struct LoadedBatch<'a> {
    /// Its place in the file.
    pub span: Span,
    source: &'a Source,
    head: [u8; HEADER_SIZE],
    /// All its bytes; `None` when they are more than a plain reader may hold.
    whole: Option<&'a [u8]>,
    decompressor: &'a mut Decompressor,
    max_record_bytes: u64,
}

impl<'s> BatchReader<'s> {
    /// A reader that refuses records above `max_record_bytes`.
    #[must_use]
    pub fn new(source: &'s Source, max_record_bytes: u64) -> Self {
        Self {
            source,
            window: source.window(),
            decompressor: Decompressor::new(),
            max_record_bytes,
        }
    }

    /// Has the bytes of a batch at hand.
    ///
    /// # Errors
    /// A read that failed.
    #[inline]
    pub fn load(&mut self, span: Span) -> Result<LoadedBatch<'_>, ReadError> {
        let size = to_usize(span.size);
        let whole = match self.source.as_slice() {
            Some(all) => usize::try_from(span.position)
                .ok()
                .and_then(|start| all.get(start..start.checked_add(size)?)),
            None if size > Window::LARGEST => None,
            None => Some(self.window.bytes(span.position, size)?),
        };
        let mut head = [0; HEADER_SIZE];
        match whole.and_then(<[u8]>::first_chunk) {
            Some(bytes) => head = *bytes,
            None => copy_head(&mut head, whole, self.source, span)?,
        }
        Ok(LoadedBatch {
            span,
            source: self.source,
            head,
            whole,
            decompressor: &mut self.decompressor,
            max_record_bytes: self.max_record_bytes,
        })
    }
}

/// Fills what of the header there is: messages of magic 0 and 1 may be shorter than 61 bytes.
#[cold]
fn copy_head(
    head: &mut [u8; HEADER_SIZE],
    whole: Option<&[u8]>,
    source: &Source,
    span: Span,
) -> Result<(), ReadError> {
    let mut window = source.window();
    let bytes = match whole {
        Some(bytes) => bytes,
        None => window.bytes(span.position, HEADER_SIZE)?,
    };
    head.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    Ok(())
}

impl<'a> LoadedBatch<'a> {
    /// The header of a batch of magic 2; of magic 0 and 1 only the first 17 bytes mean something.
    #[must_use]
    #[inline]
    pub const fn header(&self) -> Header<'_> {
        Header::new(&self.head)
    }

    /// The batch's first bytes, zeros behind a message that is shorter.
    #[must_use]
    #[inline]
    pub const fn head(&self) -> &[u8; HEADER_SIZE] {
        &self.head
    }

    /// The stored checksum of the batch or message, and the one its bytes give.
    ///
    /// # Errors
    /// A read that failed.
    #[inline]
    pub fn checksum(&self) -> Result<Checksum, ReadError> {
        if let (batch::MAGIC, Some(bytes)) = (self.span.magic, self.whole) {
            let computed = batch::computed_crc(bytes);
            return Ok(Checksum {
                stored: self.header().stored_crc(),
                computed,
            });
        }
        self.checksum_piece_by_piece()
    }

    fn checksum_piece_by_piece(&self) -> Result<Checksum, ReadError> {
        let [.., c0, c1, c2, c3, _] = *self.head.first_chunk::<17>().unwrap_or(&[0; 17]);
        let (stored, kind, from) = match self.span.magic {
            batch::MAGIC => (
                self.header().stored_crc(),
                Kind::Crc32c,
                batch::ATTRIBUTES_AT,
            ),
            _ => (u32::from_be_bytes([c0, c1, c2, c3]), Kind::Crc32, 16),
        };
        let mut running = Running::new(kind);
        let mut input = self.tail(from);
        loop {
            let bytes = input.fill_buf().map_err(|error| self.read_error(error))?;
            let count = bytes.len();
            if count == 0 {
                return Ok(Checksum {
                    stored,
                    computed: running.value(),
                });
            }
            running.update(bytes);
            input.consume(count);
        }
    }

    /// All its bytes; `None` when they are more than a plain reader may hold.
    #[must_use]
    #[inline]
    pub const fn whole(&self) -> Option<&'a [u8]> {
        self.whole
    }

    pub(super) const fn source(&self) -> &'a Source {
        self.source
    }

    pub(super) const fn max_record_bytes(&self) -> u64 {
        self.max_record_bytes
    }

    pub(super) const fn decompressor(&mut self) -> &mut Decompressor {
        self.decompressor
    }

    /// The batch's bytes from `from` on, as a stream.
    fn tail(&self, from: usize) -> RangeReader<'a> {
        let skipped = u64::try_from(from).unwrap_or(u64::MAX);
        self.source.range(
            self.span.position.saturating_add(skipped),
            u64::from(self.span.size).saturating_sub(skipped),
        )
    }

    /// Gives every record to `visit` until that breaks off; a fault ends them and is returned.
    ///
    /// # Errors
    /// A read that failed.
    pub fn entries(
        &mut self,
        visit: &mut impl FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Damage>, ReadError> {
        if self.span.magic != batch::MAGIC {
            return self.legacy_entries(visit);
        }
        self.stored_entries(&mut |entry, _| visit(entry))
    }

    /// The same of a batch of magic 2, with the bytes of each record; of an older message nothing.
    ///
    /// # Errors
    /// A read that failed.
    pub fn stored_entries(
        &mut self,
        visit: &mut impl FnMut(&Entry<'_>, &Stored<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Damage>, ReadError> {
        if self.span.magic != batch::MAGIC {
            return Ok(None);
        }
        let attributes = self.header().attributes().0;
        match (Codec::from_attributes(attributes), self.whole) {
            (None, _) => Ok(Some(self.unknown_codec(attributes))),
            // No records and no bytes: `DefaultRecordBatch.iterator` opens nothing either.
            (Some(_), _)
                if self.header().count() == 0 && to_usize(self.span.size) <= HEADER_SIZE =>
            {
                Ok(None)
            }
            (Some(Codec::None), Some(bytes)) => {
                let records = bytes.get(HEADER_SIZE..).unwrap_or_default();
                let mut reader = RecordReader::new(records, self.max_record_bytes);
                let outcome = walk_records(self.header(), &mut reader, visit);
                self.outcome(outcome, Codec::None)
            }
            (Some(Codec::None), None) => {
                let input = self.tail(HEADER_SIZE);
                let mut reader = RecordReader::new(input, self.max_record_bytes);
                let outcome = walk_records(self.header(), &mut reader, visit);
                self.outcome(outcome, Codec::None)
            }
            (Some(codec), _) => self.compressed_entries(codec, visit),
        }
    }

    fn compressed_entries(
        &mut self,
        codec: Codec,
        visit: &mut impl FnMut(&Entry<'_>, &Stored<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Damage>, ReadError> {
        let head = self.head;
        let header = Header::new(&head);
        let mut slice = self
            .whole
            .and_then(|all| all.get(HEADER_SIZE..))
            .unwrap_or_default();
        let mut range = self.tail(HEADER_SIZE);
        let input: &mut dyn BufRead = if self.whole.is_some() {
            &mut slice
        } else {
            &mut range
        };
        let inflated = self.decompressor.open(codec, self.span.magic, input);
        let mut reader = RecordReader::new(inflated, self.max_record_bytes);
        let outcome = walk_records(header, &mut reader, visit);
        self.outcome(outcome, codec)
    }

    fn outcome(
        &self,
        outcome: Result<(), RecordFault>,
        codec: Codec,
    ) -> Result<Option<Damage>, ReadError> {
        let Err(fault) = outcome else {
            return Ok(None);
        };
        let records = u64::try_from(HEADER_SIZE).unwrap_or(u64::MAX);
        let begin = self.span.position.saturating_add(records);
        let (at, index) = (fault.position, fault.index);
        // Inside a compressed payload there is no place in the file to name.
        let (position, place) = match (&fault.reason, codec) {
            // The count is the header's last field.
            (Reason::Count(_) | Reason::Missing(_) | Reason::More, _) => {
                (begin.saturating_sub(4), String::new())
            }
            (_, Codec::None) => (begin.saturating_add(at), String::new()),
            _ => (begin, format!(" (decompressed byte {at})")),
        };
        // What a batch lacks is lacking behind its last byte, but the next is another batch's.
        let position = position.min(self.span.end().saturating_sub(1));
        let (code, message) = match fault.reason {
            Reason::Count(stored) => (
                Code::RecordCountMismatch,
                format!("expected a record count of 0 or more, found {stored}"),
            ),
            Reason::Missing(count) => (
                Code::RecordCountMismatch,
                format!("expected {count} records, found {index}"),
            ),
            Reason::More => (
                Code::RecordCountMismatch,
                format!("expected {index} records, found more behind them"),
            ),
            Reason::Trailing => (
                Code::PayloadTooLarge,
                format!("expected the end behind {index} records, found more bytes{place}"),
            ),
            Reason::Record(RecordError::TooLarge { size, limit }) => (
                Code::PayloadTooLarge,
                format!(
                    "record {index} takes {size} bytes, more than the limit of {limit}{place}; \
                     --max-record-bytes raises it"
                ),
            ),
            Reason::Record(RecordError::Malformed(fault)) => (
                Code::RecordMalformed,
                format!("record {index}: {fault}{place}"),
            ),
            Reason::Record(RecordError::Input(error)) => match compression::malformed(&error) {
                Some(fault) => (
                    Code::PayloadUndecodable,
                    format!("{codec} payload, behind {index} records: {fault}"),
                ),
                None => return Err(self.read_error(error)),
            },
        };
        Ok(Some(Damage {
            position,
            size: 0,
            code,
            message,
        }))
    }

    pub(super) fn unknown_codec(&self, attributes: i16) -> Damage {
        Damage {
            position: self.span.position,
            size: 0,
            code: Code::UnknownCodec,
            message: format!(
                "expected compression codec 0 to 4, found {} (attributes {attributes:#06x})",
                attributes & 7
            ),
        }
    }

    /// What an error of a stream over the file stands for.
    pub(super) fn read_error(&self, error: io::Error) -> ReadError {
        match error.downcast::<ReadError>() {
            Ok(error) => error,
            Err(reason) => ReadError::Read {
                path: self.source.path().to_owned(),
                position: self.span.position,
                reason,
            },
        }
    }
}
