//! How deep a check looks and by whose rules, and how much it has looked at.

use crate::format::number::Timestamp;
use crate::state::rules::RuleSet;
use crate::storage::source::Access;

/// How deep a check looks; each looks at all that the ones before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Headers, and control records.
    Framing,
    /// Checksums.
    Crc,
    /// Each record, decompressed.
    Records,
    /// Each batch is written anew: uncompressed ones must come out as the same bytes, compressed
    /// ones as the same records.
    Rewrite,
}

/// How a check goes about.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Whose producer state.
    pub rules: &'static dyn RuleSet,
    /// How deep.
    pub depth: Depth,
    /// Map the files or read them plainly.
    pub access: Access,
    /// The clock for what lies in the future and for what hangs.
    pub now: Timestamp,
    /// After how many milliseconds of silence brokers forget a producer
    /// (`producer.id.expiration.ms`).
    pub expiration_ms: i64,
    /// After how many milliseconds an open transaction is looked at (`transaction.max.timeout.ms`).
    pub max_transaction_timeout_ms: i64,
    /// The greatest size of one record, in bytes.
    pub max_record_bytes: u64,
}

/// How much was looked at. Bytes are those of segments: every one present is either checked,
/// damaged or skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Partitions.
    pub partitions: u64,
    /// Segments.
    pub segments: u64,
    /// Batches, those with a wrong checksum included.
    pub batches: u64,
    /// Records, as headers count them above [`Depth::Crc`] and as they were decoded from there on;
    /// those of control batches included.
    pub records: u64,
    /// Bytes of all segments.
    pub bytes_present: u64,
    /// Bytes of batches.
    pub bytes_checked: u64,
    /// Bytes that belong to no batch, or to one with a wrong checksum.
    pub bytes_damaged: u64,
    /// Bytes behind a place where a file could not be read.
    pub bytes_skipped: u64,
}

impl Tally {
    /// Adds another one.
    pub const fn add(&mut self, other: &Self) {
        self.partitions = self.partitions.saturating_add(other.partitions);
        self.segments = self.segments.saturating_add(other.segments);
        self.batches = self.batches.saturating_add(other.batches);
        self.records = self.records.saturating_add(other.records);
        self.bytes_present = self.bytes_present.saturating_add(other.bytes_present);
        self.bytes_checked = self.bytes_checked.saturating_add(other.bytes_checked);
        self.bytes_damaged = self.bytes_damaged.saturating_add(other.bytes_damaged);
        self.bytes_skipped = self.bytes_skipped.saturating_add(other.bytes_skipped);
    }

    /// Whether each byte that is present was accounted for once.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        let known = self.bytes_checked.saturating_add(self.bytes_damaged);
        known.saturating_add(self.bytes_skipped) == self.bytes_present
    }
}
