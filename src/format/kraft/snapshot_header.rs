//! The first record of a KRaft snapshot (KIP-630, `SnapshotHeaderRecord.json`).
//!
//! ```text
//! | version i16 | last contained log timestamp i64 | tagged fields |
//! ```

use crate::format::cursor::Cursor;
use crate::format::flexible::{TaggedField, put_tagged_fields, read_tagged_fields};
use crate::format::malformed::Malformed;
use crate::format::number::Timestamp;

/// The header of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotHeader {
    /// The version, 0 so far.
    pub version: i16,
    /// When the last record that the snapshot covers was appended.
    pub last_contained_log_timestamp: Timestamp,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

impl SnapshotHeader {
    /// Reads the value of the record.
    ///
    /// # Errors
    /// [`Malformed`] where Kafka's reader fails.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        Ok(Self {
            version: cursor.i16("version")?,
            last_contained_log_timestamp: Timestamp(cursor.i64("lastContainedLogTimestamp")?),
            tagged_fields: read_tagged_fields(&mut cursor)?,
        })
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        out.extend(self.last_contained_log_timestamp.0.to_be_bytes());
        put_tagged_fields(&self.tagged_fields, &mut out);
        out
    }
}
