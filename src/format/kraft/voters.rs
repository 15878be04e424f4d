//! The voters of the KRaft quorum from one offset on (KIP-853, `VotersRecord.json`).
//!
//! ```text
//! record:    | version i16 | voters | tagged fields |
//! voter:     | voter id i32 | directory id, 16 bytes | endpoints
//!            | least supported version i16 | greatest i16 | tagged fields | tagged fields |
//! endpoint:  | name, compact text | host, compact text | port u16 | tagged fields |
//! ```

use crate::format::cursor::Cursor;
use crate::format::flexible::{
    TaggedField, put_count, put_tagged_fields, put_text, read_list, read_tagged_fields, read_text,
};
use crate::format::malformed::Malformed;
use crate::format::uuid::Uuid;

/// The members of the quorum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voters {
    /// The version, 0 so far.
    pub version: i16,
    /// The members.
    pub voters: Vec<Voter>,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

/// A member of the quorum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// Its node id.
    pub voter_id: i32,
    /// The directory that holds its metadata log.
    pub voter_directory_id: Uuid,
    /// Where it listens.
    pub endpoints: Vec<Endpoint>,
    /// The least version of the KRaft protocol that it supports.
    pub min_supported_version: i16,
    /// The greatest version of the KRaft protocol that it supports.
    pub max_supported_version: i16,
    /// Fields of a later version, inside the range of supported versions.
    pub feature_tagged_fields: Vec<TaggedField>,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

/// A listener. Texts are kept as their bytes: nobody promises that they are UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The name of the listener.
    pub name: Vec<u8>,
    /// The host name or address.
    pub host: Vec<u8>,
    /// The port, 0 to 65535.
    pub port: u16,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

impl Voters {
    /// Reads the value of the record.
    ///
    /// # Errors
    /// [`Malformed`] where Kafka's reader fails.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        Ok(Self {
            version: cursor.i16("version")?,
            voters: read_list(&mut cursor, "voters", Voter::read)?,
            tagged_fields: read_tagged_fields(&mut cursor)?,
        })
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        put_count(self.voters.len(), &mut out);
        for voter in &self.voters {
            voter.put(&mut out);
        }
        put_tagged_fields(&self.tagged_fields, &mut out);
        out
    }
}

impl Voter {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            voter_id: cursor.i32("voterId")?,
            voter_directory_id: Uuid::read(cursor, "voterDirectoryId")?,
            endpoints: read_list(cursor, "endpoints", Endpoint::read)?,
            min_supported_version: cursor.i16("minSupportedVersion")?,
            max_supported_version: cursor.i16("maxSupportedVersion")?,
            feature_tagged_fields: read_tagged_fields(cursor)?,
            tagged_fields: read_tagged_fields(cursor)?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.voter_id.to_be_bytes());
        out.extend(self.voter_directory_id.0);
        put_count(self.endpoints.len(), out);
        for endpoint in &self.endpoints {
            endpoint.put(out);
        }
        out.extend(self.min_supported_version.to_be_bytes());
        out.extend(self.max_supported_version.to_be_bytes());
        put_tagged_fields(&self.feature_tagged_fields, out);
        put_tagged_fields(&self.tagged_fields, out);
    }
}

impl Endpoint {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            name: read_text(cursor, "name")?,
            host: read_text(cursor, "host")?,
            port: cursor.u16("port")?,
            tagged_fields: read_tagged_fields(cursor)?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_text(&self.name, out);
        put_text(&self.host, out);
        out.extend(self.port.to_be_bytes());
        put_tagged_fields(&self.tagged_fields, out);
    }
}
