//! The record batch of magic 2 (KIP-98, `DefaultRecordBatch`): 61 bytes of header, then records.
//!
//! ```text
//!  0 baseOffset i64         8 batchLength i32     12 partitionLeaderEpoch i32 16 magic i8
//! 17 crc u32               21 attributes i16      23 lastOffsetDelta i32
//! 27 baseTimestamp i64     35 maxTimestamp i64    43 producerId i64           51 producerEpoch i16
//! 53 baseSequence i32      57 count i32           61 records
//! ```
//!
//! The CRC covers `attributes` and all behind it. `baseOffset`, `batchLength`,
//! `partitionLeaderEpoch` and `magic` are covered by nothing: only the neighbours tell when one of
//! them is damaged.

use super::crc;
use super::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};

pub(super) const BASE_OFFSET_AT: usize = 0;
pub(super) const LENGTH_AT: usize = BASE_OFFSET_AT + size_of::<i64>();
pub(super) const LEADER_EPOCH_AT: usize = LENGTH_AT + size_of::<i32>();
/// Where the magic byte stands in a batch of any magic.
pub const MAGIC_AT: usize = LEADER_EPOCH_AT + size_of::<i32>();
pub(super) const CRC_AT: usize = MAGIC_AT + size_of::<i8>();
/// Where the bytes begin that the CRC covers.
pub const ATTRIBUTES_AT: usize = CRC_AT + size_of::<u32>();
const LAST_OFFSET_DELTA_AT: usize = ATTRIBUTES_AT + size_of::<i16>();
const BASE_TIMESTAMP_AT: usize = LAST_OFFSET_DELTA_AT + size_of::<i32>();
const MAX_TIMESTAMP_AT: usize = BASE_TIMESTAMP_AT + size_of::<i64>();
/// Where the producer's id lies, under the checksum.
pub const PRODUCER_ID_AT: usize = MAX_TIMESTAMP_AT + size_of::<i64>();
pub(super) const PRODUCER_EPOCH_AT: usize = PRODUCER_ID_AT + size_of::<i64>();
pub(super) const BASE_SEQUENCE_AT: usize = PRODUCER_EPOCH_AT + size_of::<i16>();
pub(super) const COUNT_AT: usize = BASE_SEQUENCE_AT + size_of::<i32>();
/// Size of the header in bytes: the records begin here.
pub const HEADER_SIZE: usize = COUNT_AT + size_of::<i32>();

/// The magic byte of this format.
pub const MAGIC: u8 = 2;

/// The header of a batch whose checksum nobody has looked at.
///
/// Accessors read the bytes as they stand; none of them may be believed before
/// [`Header::stored_crc`] has been compared with the checksum of the bytes from [`ATTRIBUTES_AT`]
/// on.
///
/// ```
/// use kfsck::format::batch::{Header, HEADER_SIZE};
/// let mut bytes = [0; HEADER_SIZE];
/// bytes[16] = 2;
/// bytes[26] = 4; // the lowest byte of lastOffsetDelta
/// assert_eq!(Header::new(&bytes).last_offset().0, 4);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Header<'a>(&'a [u8; HEADER_SIZE]);

macro_rules! field {
    ($(#[$doc:meta])* $name:ident: $raw:ty => $out:ty, $at:ident, $wrap:expr) => {
        $(#[$doc])*
        #[must_use]
        #[inline]
        pub fn $name(self) -> $out {
            let bytes: Option<&[u8; size_of::<$raw>()]> =
                self.0.get($at..).and_then(<[u8]>::first_chunk);
            // The offset is a constant inside the array: the branch is compiled away.
            let raw = bytes.map_or(0, |bytes| <$raw>::from_be_bytes(*bytes));
            $wrap(raw)
        }
    };
}

impl<'a> Header<'a> {
    /// Lays the header over its bytes.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'a [u8; HEADER_SIZE]) -> Self {
        Self(bytes)
    }

    /// Lays the header over the first bytes of `bytes`; `None` when there are fewer than 61.
    #[must_use]
    #[inline]
    pub const fn at_front_of(bytes: &'a [u8]) -> Option<Self> {
        match bytes.first_chunk() {
            Some(head) => Some(Self(head)),
            None => None,
        }
    }

    field! {
        /// The offset of the first record the batch was written with. Not covered by the CRC.
        base_offset: i64 => Offset, BASE_OFFSET_AT, Offset
    }
    field! {
        /// Bytes behind this field: the whole batch less 12. Not covered by the CRC.
        batch_length: i32 => i32, LENGTH_AT, std::convert::identity
    }
    field! {
        /// The epoch of the leader that appended the batch; -1 unknown. Not covered by the CRC.
        partition_leader_epoch: i32 => LeaderEpoch, LEADER_EPOCH_AT, LeaderEpoch
    }
    field! {
        /// The format's version. Not covered by the CRC.
        magic: u8 => u8, MAGIC_AT, std::convert::identity
    }
    field! {
        /// The checksum as stored.
        stored_crc: u32 => u32, CRC_AT, std::convert::identity
    }
    field! {
        /// Codec, timestamp type and flags.
        attributes: i16 => Attributes, ATTRIBUTES_AT, Attributes
    }
    field! {
        /// Distance of the last offset from the base offset; compaction keeps it when it removes
        /// the last records.
        last_offset_delta: i32 => i32, LAST_OFFSET_DELTA_AT, std::convert::identity
    }
    field! {
        /// The timestamp that records' deltas count from, or the delete horizon (KIP-534) where
        /// [`Attributes::has_delete_horizon`] says so.
        base_timestamp: i64 => Timestamp, BASE_TIMESTAMP_AT, Timestamp
    }
    field! {
        /// The greatest timestamp of the records, or the time of the append under LogAppendTime.
        max_timestamp: i64 => Timestamp, MAX_TIMESTAMP_AT, Timestamp
    }
    field! {
        /// The producer's id; -1 none.
        producer_id: i64 => ProducerId, PRODUCER_ID_AT, ProducerId
    }
    field! {
        /// The producer's epoch; -1 none.
        producer_epoch: i16 => ProducerEpoch, PRODUCER_EPOCH_AT, ProducerEpoch
    }
    field! {
        /// The sequence of the first record; -1 none.
        base_sequence: i32 => Sequence, BASE_SEQUENCE_AT, Sequence
    }
    field! {
        /// How many records the batch says it holds; any number may stand here.
        count: i32 => i32, COUNT_AT, std::convert::identity
    }

    /// The last offset: base offset plus delta (`DefaultRecordBatch.lastOffset`).
    #[must_use]
    #[inline]
    pub fn last_offset(self) -> Offset {
        self.base_offset().plus(i64::from(self.last_offset_delta()))
    }

    /// The sequence of the last record (`DefaultRecordBatch.lastSequence`); -1 without sequences.
    #[must_use]
    #[inline]
    pub fn last_sequence(self) -> Sequence {
        match self.base_sequence() {
            Sequence::NONE => Sequence::NONE,
            base => base.plus(self.last_offset_delta()),
        }
    }

    /// The delete horizon in milliseconds where the batch carries one (KIP-534).
    #[must_use]
    #[inline]
    pub fn delete_horizon(self) -> Option<Timestamp> {
        self.attributes()
            .has_delete_horizon()
            .then(|| self.base_timestamp())
    }
}

/// The checksum of a whole batch's bytes as its header should store it.
///
/// ```
/// assert_eq!(kfsck::format::batch::computed_crc(&[0; 21]), 0);
/// ```
#[must_use]
#[inline]
pub fn computed_crc(batch: &[u8]) -> u32 {
    batch.get(ATTRIBUTES_AT..).map_or(0, crc::crc32c)
}

/// The attribute bits of a batch of magic 2 (`DefaultRecordBatch.attributes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes(pub i16);

impl Attributes {
    const LOG_APPEND_TIME: i16 = 0x08;
    const TRANSACTIONAL: i16 = 0x10;
    const CONTROL: i16 = 0x20;
    const DELETE_HORIZON: i16 = 0x40;
    const KNOWN: i16 = 0x7f;

    const fn has(self, flag: i16) -> bool {
        self.0 & flag != 0
    }

    /// No codec, no flag: what a plain producer's batch has.
    pub const PLAIN: Self = Self(0);

    /// The same with the flag that every record has the time of its append.
    #[must_use]
    pub const fn with_log_append_time(self) -> Self {
        Self(self.0 | Self::LOG_APPEND_TIME)
    }

    /// The same with the flag of a transaction.
    ///
    /// ```
    /// use kfsck::format::batch::Attributes;
    /// assert_eq!(Attributes::PLAIN.with_transactional().with_control().0, 0x30);
    /// ```
    #[must_use]
    pub const fn with_transactional(self) -> Self {
        Self(self.0 | Self::TRANSACTIONAL)
    }

    /// The same with the flag of a control batch.
    #[must_use]
    pub const fn with_control(self) -> Self {
        Self(self.0 | Self::CONTROL)
    }

    /// Every record has the time of its append (KIP-32); otherwise the time its producer gave.
    #[must_use]
    pub const fn is_log_append_time(self) -> bool {
        self.has(Self::LOG_APPEND_TIME)
    }

    /// The batch belongs to a transaction.
    #[must_use]
    pub const fn is_transactional(self) -> bool {
        self.has(Self::TRANSACTIONAL)
    }

    /// The batch holds a control record, which consumers never see.
    #[must_use]
    pub const fn is_control(self) -> bool {
        self.has(Self::CONTROL)
    }

    /// The base timestamp is the time from which tombstones and markers may go (KIP-534).
    #[must_use]
    pub const fn has_delete_horizon(self) -> bool {
        self.has(Self::DELETE_HORIZON)
    }

    /// Bits are set that no Kafka up to 4.4 writes.
    #[must_use]
    pub const fn has_unknown_bits(self) -> bool {
        self.has(!Self::KNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ABORT batch for producer 5 as KIP-1279's prototype writes it, labelled field by field.
    const ABORT: [u8; 78] = [
        0, 0, 0, 0, 0, 0, 0, 0x63, // baseOffset 99
        0, 0, 0, 0x42, // batchLength 66
        0, 0, 0, 7, // partitionLeaderEpoch
        2, // magic
        0xc5, 0xef, 0xdf, 0xdc, // crc
        0, 0x30, // attributes: transactional, control
        0, 0, 0, 0, // lastOffsetDelta
        0, 0, 1, 0x9d, 0x0a, 0xa3, 0xcc, 0, // baseTimestamp 1774000000000
        0, 0, 1, 0x9d, 0x0a, 0xa3, 0xcc, 0, // maxTimestamp
        0, 0, 0, 0, 0, 0, 0, 5, // producerId
        0, 0, // producerEpoch
        0xff, 0xff, 0xff, 0xff, // baseSequence
        0, 0, 0, 1, // count
        0x20, 0, 0, 0, 8, 0, 0, 0, 0, 0x0c, 0, 0, 0, 0, 0, 0, 0, // the record
    ];

    #[test]
    fn every_field_of_a_labelled_batch() {
        let header = Header::at_front_of(&ABORT).unwrap();
        assert_eq!(header.base_offset(), Offset(99));
        assert_eq!(header.batch_length(), 66);
        assert_eq!(header.partition_leader_epoch(), LeaderEpoch(7));
        assert_eq!(header.magic(), MAGIC);
        assert_eq!(header.stored_crc(), computed_crc(&ABORT));
        assert!(header.attributes().is_transactional() && header.attributes().is_control());
        assert!(!header.attributes().is_log_append_time());
        assert_eq!(header.last_offset(), Offset(99));
        assert_eq!(header.base_timestamp(), Timestamp(1_774_000_000_000));
        assert_eq!(header.max_timestamp(), Timestamp(1_774_000_000_000));
        assert_eq!(header.producer_id(), ProducerId(5));
        assert_eq!(header.producer_epoch(), ProducerEpoch(0));
        assert_eq!(header.last_sequence(), Sequence::NONE);
        assert_eq!(header.count(), 1);
        assert_eq!(header.delete_horizon(), None);
    }

    #[test]
    fn the_checksum_catches_every_flip_it_covers() {
        for bit in ATTRIBUTES_AT * 8..ABORT.len() * 8 {
            let mut bytes = ABORT;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(computed_crc(&bytes), 0xc5ef_dfdc, "bit {bit}");
        }
    }
}
