//! The version of the KRaft protocol from one offset on (KIP-853, `KRaftVersionRecord.json`).
//!
//! ```text
//! | version i16 | kraft version i16 | tagged fields |
//! ```

use crate::format::cursor::Cursor;
use crate::format::flexible::{TaggedField, put_tagged_fields, read_tagged_fields};
use crate::format::malformed::Malformed;

/// Which version of the protocol is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KRaftVersion {
    /// The version of this message, 0 so far.
    pub version: i16,
    /// The version of the protocol: 0 static voters, 1 voters by record.
    pub kraft_version: i16,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

impl KRaftVersion {
    /// Reads the value of the record.
    ///
    /// # Errors
    /// [`Malformed`] where Kafka's reader fails.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        Ok(Self {
            version: cursor.i16("version")?,
            kraft_version: cursor.i16("kRaftVersion")?,
            tagged_fields: read_tagged_fields(&mut cursor)?,
        })
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        out.extend(self.kraft_version.to_be_bytes());
        put_tagged_fields(&self.tagged_fields, &mut out);
        out
    }
}
