//! What can be wrong with a stretch of a file: the code scripts see, the place, and why.

use std::fmt;

/// The name of a kind of damage, as `damage.code` and finding codes spell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The stored checksum is not that of the bytes.
    CrcMismatch,
    /// Zeros from here to the end of the file: preallocated space, or a write that never came.
    ZeroTail,
    /// The file ends inside what begins here.
    TruncatedTail,
    /// Bytes that look like no record set at all.
    Garbage,
    /// A record set should begin here, and its offset, length, magic or checksum deny it.
    BadBatchHeader,
    /// The attributes name a compression codec that does not exist.
    UnknownCodec,
    /// The compressed records do not decompress.
    PayloadUndecodable,
    /// A record above the limit, or bytes behind the last record.
    PayloadTooLarge,
    /// A record's bytes are no record, or its offset is none of its batch's or does not rise.
    RecordMalformed,
    /// The batch holds fewer or more records than it says.
    RecordCountMismatch,
    /// An offset that is not above the one before it.
    OffsetRegression,
    /// An offset that 64 bits cannot hold.
    OffsetOverflow,
    /// A control record whose key or value does not decode.
    MarkerMalformed,
    /// A MIRROR_PID_RESET record in neither of its two layouts, or with a producer id.
    BarrierMalformed,
    /// A producer snapshot that a broker would refuse.
    SnapshotCorrupt,
    /// An index that fails its own rules.
    IndexCorrupt,
    /// An index entry that the log does not bear out.
    IndexMismatch,
    /// A time index entry that the log does not bear out.
    TimeIndexMismatch,
    /// The log or index that an index speaks of is not there.
    IndexMissing,
    /// A file whose segment is gone.
    LeftoverFile,
    /// A checkpoint file that does not parse.
    CheckpointCorrupt,
    /// A key or value that the chosen decoder cannot take: told as a note, never as damage.
    RecordUndecodable,
}

impl Code {
    /// The code's spelling in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CrcMismatch => "crc-mismatch",
            Self::ZeroTail => "zero-tail",
            Self::TruncatedTail => "truncated-tail",
            Self::Garbage => "garbage",
            Self::BadBatchHeader => "bad-batch-header",
            Self::UnknownCodec => "unknown-codec",
            Self::PayloadUndecodable => "payload-undecodable",
            Self::PayloadTooLarge => "payload-too-large",
            Self::RecordMalformed => "record-malformed",
            Self::RecordCountMismatch => "record-count-mismatch",
            Self::OffsetRegression => "offset-regression",
            Self::OffsetOverflow => "offset-overflow",
            Self::MarkerMalformed => "marker-malformed",
            Self::BarrierMalformed => "barrier-malformed",
            Self::SnapshotCorrupt => "snapshot-corrupt",
            Self::IndexCorrupt => "index-corrupt",
            Self::IndexMismatch => "index-mismatch",
            Self::TimeIndexMismatch => "time-index-mismatch",
            Self::IndexMissing => "index-missing",
            Self::LeftoverFile => "leftover-file",
            Self::CheckpointCorrupt => "checkpoint-corrupt",
            Self::RecordUndecodable => "record-undecodable",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A fault at a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins, in bytes from the start of the file.
    pub position: u64,
    /// Bytes of the file that belong to it and to nothing else; 0 for a fault inside a batch,
    /// whose bytes the batch already accounts for.
    pub size: u64,
    /// What it is.
    pub code: Code,
    /// What was expected and what was found, in words.
    pub message: String,
}
