//! The messages of a record set of magic 0 or 1: one, or those inside a compressed wrapper.

use std::io::{BufRead, Cursor, Seek};
use std::ops::ControlFlow;

use super::contents::{Checksum, Entry, LoadedBatch};
use crate::format::compression::Codec;
use crate::format::legacy::inner::{self, InnerFault};
use crate::format::legacy::{LegacyRecord, MessageHeader};
use crate::format::malformed::Malformed;
use crate::format::number::Sequence;
use crate::format::record::Headers;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::ReadError;

impl LoadedBatch<'_> {
    /// As [`LoadedBatch::entries`], for magic 0 and 1.
    pub(super) fn legacy_entries(
        &mut self,
        visit: &mut impl FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Damage>, ReadError> {
        let header = match MessageHeader::decode(self.head()) {
            Ok(header) => header,
            Err(fault) => return Ok(Some(self.malformed(&fault, ""))),
        };
        match (header.codec(), self.whole()) {
            (None, _) => Ok(Some(self.unknown_codec(header.attributes.into()))),
            (Some(Codec::None), Some(bytes)) => Ok(match LegacyRecord::decode(bytes) {
                Ok(record) => {
                    // One message: whether the visitor wants more does not matter.
                    let _ = visit(&entry(&record));
                    None
                }
                Err(fault) => Some(self.malformed(&fault, "")),
            }),
            (Some(Codec::None), None) => Ok(Some(self.too_large())),
            (Some(_), Some(bytes)) => self.inner_entries(&mut Cursor::new(bytes), visit),
            (Some(_), None) => {
                let mut range = self
                    .source()
                    .range(self.span.position, self.span.size.into());
                self.inner_entries(&mut range, visit)
            }
        }
    }

    fn inner_entries<R: BufRead + Seek>(
        &mut self,
        input: &mut R,
        visit: &mut impl FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Damage>, ReadError> {
        let limit = self.max_record_bytes();
        let walked = inner::for_each_inner(input, self.decompressor(), limit, &mut |record| {
            visit(&entry(record))
        });
        match walked {
            Ok(_) => Ok(None),
            Err(InnerFault::Input(error)) => Err(self.read_error(error)),
            Err(InnerFault::Wrapper(fault)) => Ok(Some(self.malformed(&fault, ""))),
            Err(InnerFault::Message(fault)) => Ok(Some(
                self.malformed(&fault, " of the decompressed messages"),
            )),
            Err(fault @ InnerFault::Compressed(_)) => Ok(Some(
                self.fault(Code::PayloadUndecodable, fault.to_string()),
            )),
            Err(fault @ InnerFault::TooLarge { .. }) => Ok(Some(self.fault(
                Code::PayloadTooLarge,
                format!("{fault}; --max-record-bytes raises it"),
            ))),
        }
    }

    fn malformed(&self, fault: &Malformed, place: &str) -> Damage {
        self.fault(Code::RecordMalformed, format!("{fault}{place}"))
    }

    fn too_large(&self) -> Damage {
        self.fault(
            Code::PayloadTooLarge,
            format!(
                "a message of {} bytes, more than plain reads hold; run without --no-mmap",
                self.span.size
            ),
        )
    }

    fn fault(&self, code: Code, message: String) -> Damage {
        Damage {
            position: self.span.position,
            size: 0,
            code,
            message,
        }
    }
}

fn entry<'a>(record: &LegacyRecord<'a>) -> Entry<'a> {
    Entry {
        offset: record.offset,
        timestamp: record.timestamp,
        sequence: Sequence::NONE,
        key: record.key,
        value: record.value,
        headers: Headers::NONE,
        checksum: Some(Checksum {
            stored: record.crc,
            computed: record.computed_crc(),
        }),
    }
}
