//! What an output format has to say of the parts of a segment.

use crate::format::batch::{self, HEADER_SIZE, Header};
use crate::format::compression::Codec;
use crate::format::legacy::MessageHeader;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::timestamp_type::TimestampType;
use crate::storage::damage::Damage;
use crate::storage::segment::batch_faults;
use crate::storage::segment::contents::{Checksum, Entry};
use crate::storage::segment::walk::Span;

/// A record set as a view shows it.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Its place in the file.
    pub span: Span,
    /// Its checksum, stored and computed.
    pub checksum: Checksum,
    head: &'a [u8; HEADER_SIZE],
    timestamp_type: TimestampType,
    is_control: bool,
}

/// The header of a record set, by its magic.
#[derive(Debug, Clone, Copy)]
pub enum AnyHeader<'a> {
    /// Magic 2.
    Batch(Header<'a>),
    /// Magic 0 or 1.
    Message(MessageHeader),
}

impl<'a> Batch<'a> {
    /// A batch of which `head` holds the first bytes.
    #[must_use]
    #[inline]
    pub fn new(span: Span, checksum: Checksum, head: &'a [u8; HEADER_SIZE]) -> Self {
        let (attributes, is_control) = match AnyHeader::of(span, head) {
            AnyHeader::Batch(header) => (header.attributes().0, header.attributes().is_control()),
            AnyHeader::Message(header) => (i16::from(header.attributes), false),
        };
        Self {
            span,
            checksum,
            head,
            timestamp_type: TimestampType::from_attributes(span.magic, attributes),
            is_control,
        }
    }

    /// The header, by magic.
    #[must_use]
    #[inline]
    pub fn header(&self) -> AnyHeader<'a> {
        AnyHeader::of(self.span, self.head)
    }

    /// The producer's id; none before magic 2.
    #[must_use]
    pub fn producer_id(&self) -> ProducerId {
        match self.header() {
            AnyHeader::Batch(header) => header.producer_id(),
            AnyHeader::Message(_) => ProducerId::NONE,
        }
    }

    /// What the timestamps of its records mean.
    #[must_use]
    #[inline]
    pub const fn timestamp_type(&self) -> TimestampType {
        self.timestamp_type
    }

    /// The fault of a message inside a compressed wrapper.
    #[must_use]
    pub fn inner_fault(&self, entry: &Entry<'_>) -> Option<Damage> {
        match self.header() {
            AnyHeader::Message(header) if header.attributes & 7 != 0 => {
                batch_faults::inner_crc_mismatch(self.span, entry)
            }
            // Its checksum is that of the whole, which is told already.
            _ => None,
        }
    }

    /// Consumers never see its records.
    #[must_use]
    #[inline]
    pub const fn is_control(&self) -> bool {
        self.is_control
    }
}

impl<'a> AnyHeader<'a> {
    /// The header in the first bytes of the record set at `span`.
    #[must_use]
    #[inline]
    pub fn of(span: Span, head: &'a [u8; HEADER_SIZE]) -> Self {
        match span.magic {
            batch::MAGIC => Self::Batch(Header::new(head)),
            // A frame of magic 0 or 1 is long enough for its header.
            _ => MessageHeader::decode(head).map_or(Self::Batch(Header::new(head)), Self::Message),
        }
    }

    /// The first and the last offset; magic 0 and 1 tell the last only, so both are that one.
    #[must_use]
    #[inline]
    pub fn offsets(self) -> (Offset, Offset) {
        match self {
            Self::Batch(header) => (header.base_offset(), header.last_offset()),
            Self::Message(header) => (header.offset, header.offset),
        }
    }

    /// The codec, or the id that is none.
    ///
    /// # Errors
    /// The id, 5 to 7.
    pub fn codec(self) -> Result<Codec, i16> {
        let attributes = match self {
            Self::Batch(header) => header.attributes().0,
            Self::Message(header) => i16::from(header.attributes),
        };
        Codec::from_attributes(attributes).ok_or(attributes & 7)
    }

    /// The greatest timestamp as the header tells it.
    #[must_use]
    pub fn max_timestamp(self) -> Timestamp {
        match self {
            Self::Batch(header) => header.max_timestamp(),
            Self::Message(header) => header.timestamp,
        }
    }
}

/// An output format.
pub trait View: Sync {
    /// Whether records are shown at all.
    fn shows_records(&self) -> bool;

    /// Shows a record set.
    fn batch(&self, batch: &Batch<'_>, out: &mut Vec<u8>);

    /// Shows a record; what in it cannot be shown as it should comes back.
    fn entry(&self, batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage>;

    /// Shows damage: a range of the file, or a fault inside the record set shown last.
    fn damage(&self, damage: &Damage, out: &mut Vec<u8>);
}
