//! The last record of a KRaft snapshot (KIP-630, `SnapshotFooterRecord.json`).
//!
//! ```text
//! | version i16 | tagged fields |
//! ```

use crate::format::cursor::Cursor;
use crate::format::flexible::{TaggedField, put_tagged_fields, read_tagged_fields};
use crate::format::malformed::Malformed;

/// The footer of a snapshot: a snapshot without one was not written to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFooter {
    /// The version, 0 so far.
    pub version: i16,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

impl SnapshotFooter {
    /// Reads the value of the record.
    ///
    /// # Errors
    /// [`Malformed`] where Kafka's reader fails.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        Ok(Self {
            version: cursor.i16("version")?,
            tagged_fields: read_tagged_fields(&mut cursor)?,
        })
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        put_tagged_fields(&self.tagged_fields, &mut out);
        out
    }
}
