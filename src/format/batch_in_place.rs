//! Changes to the header of a whole batch of magic 2, where it lies.
//!
//! A leader puts base offset and leader epoch into the batches that it appends; both lie outside
//! the checksum. A new producer does not: Kafka computes the checksum again, and so does this.
//! Source: `DefaultRecordBatch` 4.4.0; the producer's change is that of KIP-1279's first designs.

use super::batch::{self, HEADER_SIZE, Header};
use super::frame::OVERHEAD;
use super::malformed::{Malformed, Problem};
use super::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence};

/// The bytes of one whole batch, open to changes.
#[derive(Debug)]
pub struct BatchInPlace<'a>(&'a mut [u8]);

impl<'a> BatchInPlace<'a> {
    /// Opens the batch that `bytes` are from the first to the last. Nobody looks at its checksum.
    ///
    /// # Errors
    /// Fewer bytes than a header has ([`Problem::Truncated`]), another magic than 2
    /// ([`Problem::OutOfRange`]), a length that is not that of `bytes` ([`Problem::Mismatch`]).
    pub fn open(bytes: &'a mut [u8]) -> Result<Self, Malformed> {
        let Some(header) = Header::at_front_of(bytes) else {
            let (needed, left) = (HEADER_SIZE, bytes.len());
            return Err(fault("batch", 0, Problem::Truncated { needed, left }));
        };
        if header.magic() != batch::MAGIC {
            let stored = i64::from(header.magic());
            let expected = "2";
            let problem = Problem::OutOfRange { stored, expected };
            return Err(fault("magic", batch::MAGIC_AT, problem));
        }
        let computed = u64::try_from(bytes.len())
            .unwrap_or(u64::MAX)
            .saturating_sub(OVERHEAD);
        let stored = u64::from(header.batch_length().cast_unsigned());
        if stored != computed {
            let problem = Problem::Mismatch { stored, computed };
            return Err(fault("batchLength", batch::LENGTH_AT, problem));
        }
        Ok(Self(bytes))
    }

    /// Moves the batch to another offset.
    pub fn set_base_offset(&mut self, offset: Offset) {
        put(self.0, batch::BASE_OFFSET_AT, offset.0.to_be_bytes());
    }

    /// Says which leader appended the batch.
    pub fn set_partition_leader_epoch(&mut self, epoch: LeaderEpoch) {
        put(self.0, batch::LEADER_EPOCH_AT, epoch.0.to_be_bytes());
    }

    /// Gives the batch to a producer and computes the checksum again. A checksum that was wrong
    /// before is right afterwards: whoever cares looks first.
    ///
    /// ```
    /// use kfsck::format::batch::{Header, computed_crc};
    /// use kfsck::format::batch_draft::{BatchDraft, encode};
    /// use kfsck::format::batch_in_place::BatchInPlace;
    /// use kfsck::format::number::{
    ///     LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
    /// };
    ///
    /// # fn main() -> Result<(), kfsck::format::malformed::Malformed> {
    /// let mut bytes = Vec::new();
    /// encode(&BatchDraft::plain(Offset(0), LeaderEpoch(0), Timestamp(0)), [], &mut bytes)?;
    /// let mut batch = BatchInPlace::open(&mut bytes)?;
    /// batch.set_base_offset(Offset(40));
    /// batch.set_producer(ProducerId(-7), ProducerEpoch(0), Sequence(3));
    ///
    /// let header = Header::at_front_of(&bytes).expect("a header at least");
    /// assert_eq!((header.base_offset(), header.producer_id()), (Offset(40), ProducerId(-7)));
    /// assert_eq!(header.stored_crc(), computed_crc(&bytes));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_producer(&mut self, id: ProducerId, epoch: ProducerEpoch, base_sequence: Sequence) {
        put(self.0, batch::PRODUCER_ID_AT, id.0.to_be_bytes());
        put(self.0, batch::PRODUCER_EPOCH_AT, epoch.0.to_be_bytes());
        put(
            self.0,
            batch::BASE_SEQUENCE_AT,
            base_sequence.0.to_be_bytes(),
        );
        let crc = batch::computed_crc(self.0);
        put(self.0, batch::CRC_AT, crc.to_be_bytes());
    }
}

/// Writes a field; nothing happens where the bytes end before it.
pub(super) fn put<const SIZE: usize>(bytes: &mut [u8], at: usize, field: [u8; SIZE]) {
    if let Some(place) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = field;
    }
}

fn fault(field: &'static str, at: usize, problem: Problem) -> Malformed {
    Malformed { field, at, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::truncations;

    const REAL: &[u8] =
        include_bytes!("../../testdata/kafka/control/end-markers-0/00000000000000000407.log");

    /// The first batch of a log that Kafka's classes wrote.
    fn real() -> Vec<u8> {
        REAL[..78].to_vec()
    }

    #[test]
    fn offset_and_leader_epoch_lie_outside_the_checksum() {
        let mut bytes = real();
        let mut batch = BatchInPlace::open(&mut bytes).unwrap();
        batch.set_base_offset(Offset(0x0102_0304_0506_0708));
        batch.set_partition_leader_epoch(LeaderEpoch(0x090a_0b0c));
        assert_eq!(
            bytes[..16],
            [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 66, 9, 10, 11, 12]
        );
        assert_eq!(bytes[16..], real()[16..]);
    }

    #[test]
    fn a_producer_changed_and_changed_back_leaves_the_bytes_of_kafka() {
        let mut bytes = real();
        let (id, epoch, sequence) = {
            let header = Header::at_front_of(&bytes).unwrap();
            (
                header.producer_id(),
                header.producer_epoch(),
                header.base_sequence(),
            )
        };
        let mut batch = BatchInPlace::open(&mut bytes).unwrap();
        batch.set_producer(ProducerId(-7), ProducerEpoch(2), Sequence(9));
        let header = Header::at_front_of(&bytes).unwrap();
        assert_eq!(header.producer_id(), ProducerId(-7));
        assert_eq!(header.producer_epoch(), ProducerEpoch(2));
        assert_eq!(header.base_sequence(), Sequence(9));
        assert_eq!(header.stored_crc(), batch::computed_crc(&bytes));
        assert_ne!(bytes[batch::CRC_AT..], real()[batch::CRC_AT..]);
        assert_eq!(
            bytes[batch::ATTRIBUTES_AT..43],
            real()[batch::ATTRIBUTES_AT..43]
        );

        let mut batch = BatchInPlace::open(&mut bytes).unwrap();
        batch.set_producer(id, epoch, sequence);
        assert_eq!(bytes, real());
    }

    #[test]
    fn what_is_not_one_whole_batch_is_refused() {
        for cut in truncations(&real()) {
            BatchInPlace::open(&mut cut.to_vec()).unwrap_err();
        }
        let fault = BatchInPlace::open(&mut REAL.to_vec()).unwrap_err();
        assert_eq!((fault.field, fault.at), ("batchLength", 8));
        let mut bytes = real();
        bytes[16] = 1;
        let fault = BatchInPlace::open(&mut bytes).unwrap_err();
        assert_eq!((fault.field, fault.at), ("magic", 16));
    }
}
