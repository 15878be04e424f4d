//! The names of findings: scripts read them, so none is ever renamed.

use crate::storage::damage::Code;
use std::fmt;

macro_rules! finding_codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// The name of a kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingCode {
            $($(#[$doc])+ $name,)+
        }

        impl FindingCode {
            /// Every code, in the order in which documents list them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The spelling in output.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

finding_codes! {
    /// The stored checksum is not that of the bytes.
    CrcMismatch = "crc-mismatch",
    /// Zeros from here to the end of the file.
    ZeroTail = "zero-tail",
    /// The file ends inside what begins here.
    TruncatedTail = "truncated-tail",
    /// Bytes that look like no record set at all.
    Garbage = "garbage",
    /// A record set should begin here, and its offset, length, magic or checksum deny it.
    BadBatchHeader = "bad-batch-header",
    /// The attributes name a compression codec that does not exist.
    UnknownCodec = "unknown-codec",
    /// The compressed records do not decompress.
    PayloadUndecodable = "payload-undecodable",
    /// A record above the limit, or bytes behind the last record.
    PayloadTooLarge = "payload-too-large",
    /// A record's bytes are no record, or its offset is none of its batch's or does not rise.
    RecordMalformed = "record-malformed",
    /// The batch holds another number of records than it says.
    RecordCountMismatch = "record-count-mismatch",
    /// Written anew, the batch is not the same bytes.
    BatchNotCanonical = "batch-not-canonical",
    /// The greatest timestamp of the records is not the header's.
    MaxTimestampMismatch = "max-timestamp-mismatch",
    /// A timestamp in the future: the segment is kept until then.
    FutureTimestamp = "future-timestamp",
    /// An offset that is not above the one before it.
    OffsetRegression = "offset-regression",
    /// An offset that its segment's index or 64 bits cannot hold.
    OffsetOverflow = "offset-overflow",
    /// Offsets are missing between two segments, and nothing explains it.
    SegmentGap = "segment-gap",
    /// A segment holds offsets at or above the base of the next one.
    SegmentOverlap = "segment-overlap",
    /// The name of a file is not the offset that it holds.
    NameMismatch = "name-mismatch",
    /// A batch of an older leader epoch than one before it.
    LeaderEpochRegression = "leader-epoch-regression",
    /// Sequences are missing in front of a batch.
    SequenceGap = "sequence-gap",
    /// The sequences of a batch that was there before.
    SequenceRepeat = "sequence-repeat",
    /// Sequences of which some were there before.
    SequenceOverlap = "sequence-overlap",
    /// An end marker of an older epoch than its producer's.
    MarkerOldEpoch = "marker-old-epoch",
    /// Data of an older epoch than its producer's.
    EpochRegression = "epoch-regression",
    /// An end marker of an older coordinator than one before it.
    CoordinatorEpochRegression = "coordinator-epoch-regression",
    /// A plain batch of a producer whose transaction is open.
    NonTransactionalInTransaction = "non-transactional-in-transaction",
    /// A control record whose key or value does not decode.
    MarkerMalformed = "marker-malformed",
    /// A transaction that nobody will end, or that is older than the timeout allows.
    HangingTransaction = "hanging-transaction",
    /// A producer id below -1.
    NegativeProducerId = "negative-producer-id",
    /// Two writers under one producer id.
    PidCollision = "pid-collision",
    /// A `MIRROR_PID_RESET` record in neither of its layouts, or with a producer id.
    BarrierMalformed = "barrier-malformed",
    /// Barriers in a row with nothing between.
    BarrierRepeated = "barrier-repeated",
    /// A transaction is open at a barrier.
    BarrierOpenTransaction = "barrier-open-transaction",
    /// Mirroring stopped and no barrier tells.
    BarrierMissing = "barrier-missing",
    /// A producer snapshot that a broker would refuse.
    SnapshotCorrupt = "snapshot-corrupt",
    /// No producer snapshot where a broker needs one.
    SnapshotMissing = "snapshot-missing",
    /// A producer snapshot that differs from what the log tells.
    SnapshotMismatch = "snapshot-mismatch",
    /// A producer snapshot behind a barrier that knows producers from before it.
    SnapshotBeforeBarrier = "snapshot-before-barrier",
    /// A producer snapshot at no segment's base and not at the log's end.
    SnapshotStray = "snapshot-stray",
    /// An index that fails its own rules.
    IndexCorrupt = "index-corrupt",
    /// An index entry that the log does not bear out.
    IndexMismatch = "index-mismatch",
    /// The index of a segment is not there.
    IndexMissing = "index-missing",
    /// A time index entry that the log does not bear out.
    TimeIndexMismatch = "time-index-mismatch",
    /// A transaction index that differs from the aborted transactions of its segment.
    TxnIndexMismatch = "txn-index-mismatch",
    /// Transactions were aborted in a segment, and no transaction index tells.
    TxnIndexMissing = "txn-index-missing",
    /// leader-epoch-checkpoint differs from the leader epochs of the log.
    LeaderEpochCheckpointMismatch = "leader-epoch-checkpoint-mismatch",
    /// A checkpoint file that does not parse.
    CheckpointCorrupt = "checkpoint-corrupt",
    /// A checkpoint that the log does not bear out.
    CheckpointMismatch = "checkpoint-mismatch",
    /// partition.metadata does not parse or names another topic than its neighbours.
    PartitionMetadataMismatch = "partition-metadata-mismatch",
    /// The same partition lies in two log directories.
    DuplicatePartition = "duplicate-partition",
    /// A file of a compaction, deletion or split that was broken off, or whose segment is gone.
    LeftoverFile = "leftover-file",
    /// A file or directory that is none of Kafka's.
    StrayFile = "stray-file",
    /// A stock broker does not start with this.
    StartBlocked = "start-blocked",
    /// A record of an internal topic that does not decode.
    InternalRecordUndecodable = "internal-record-undecodable",
    /// A producer id that the cluster has not given out.
    ProducerIdNotIssued = "producer-id-not-issued",
    /// The coordinator and the partition disagree on a transaction.
    CoordinatorMismatch = "coordinator-mismatch",
}

impl FindingCode {
    /// The code of this spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<Code> for FindingCode {
    fn from(code: Code) -> Self {
        match code {
            Code::CrcMismatch => Self::CrcMismatch,
            Code::ZeroTail => Self::ZeroTail,
            Code::TruncatedTail => Self::TruncatedTail,
            Code::Garbage => Self::Garbage,
            Code::BadBatchHeader => Self::BadBatchHeader,
            Code::UnknownCodec => Self::UnknownCodec,
            Code::PayloadUndecodable => Self::PayloadUndecodable,
            Code::PayloadTooLarge => Self::PayloadTooLarge,
            Code::RecordMalformed => Self::RecordMalformed,
            Code::RecordCountMismatch => Self::RecordCountMismatch,
            Code::OffsetRegression => Self::OffsetRegression,
            Code::OffsetOverflow => Self::OffsetOverflow,
            Code::MarkerMalformed => Self::MarkerMalformed,
            Code::BarrierMalformed => Self::BarrierMalformed,
            Code::SnapshotCorrupt => Self::SnapshotCorrupt,
            Code::IndexCorrupt => Self::IndexCorrupt,
            Code::IndexMismatch => Self::IndexMismatch,
            Code::TimeIndexMismatch => Self::TimeIndexMismatch,
            Code::IndexMissing => Self::IndexMissing,
            Code::LeftoverFile => Self::LeftoverFile,
            Code::CheckpointCorrupt => Self::CheckpointCorrupt,
            Code::RecordUndecodable => Self::InternalRecordUndecodable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FindingCode;
    use std::collections::HashSet;

    #[test]
    fn each_code_has_a_spelling_of_its_own_and_is_found_by_it() {
        let spellings: HashSet<_> = FindingCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(spellings.len(), FindingCode::ALL.len());
        for code in FindingCode::ALL {
            assert_eq!(FindingCode::parse(code.as_str()), Some(*code));
        }
        assert_eq!(FindingCode::parse("crc_mismatch"), None);
    }
}
