//! A KRaft leader begins its reign (KIP-595, `LeaderChangeMessage.json`).
//!
//! ```text
//! message:  | version i16 | leader id i32 | voters | granting voters | tagged fields |
//! voter:    | voter id i32 | directory id, 16 bytes: layout 1 only | tagged fields |
//! ```
//!
//! The schema has a version 1 with directory ids (KIP-853), but Kafka 4.4.0 writes and reads
//! version 0 only. Its reader makes garbage of layout 1, and its dump tool dies of it; this reader
//! takes layout 1 when the version field says 1 or more and only layout 1 ends where the value
//! ends.

use crate::format::cursor::Cursor;
use crate::format::flexible::{
    TaggedField, put_count, put_tagged_fields, read_list, read_tagged_fields,
};
use crate::format::malformed::Malformed;
use crate::format::uuid::Uuid;

/// Which fields a voter has on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The id alone: what Kafka 4.4.0 writes.
    Plain,
    /// The id and the directory id.
    DirectoryIds,
}

/// A change of leader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaderChange {
    /// The version as stored, 0 so far.
    pub version: i16,
    /// How the voters were stored.
    pub layout: Layout,
    /// The new leader's node id.
    pub leader_id: i32,
    /// The quorum in this epoch.
    pub voters: Vec<Voter>,
    /// Those who voted for the leader.
    pub granting_voters: Vec<Voter>,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

/// A member of the quorum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// Its node id.
    pub voter_id: i32,
    /// Its log directory; [`Uuid::ZERO`] in layout [`Layout::Plain`].
    pub voter_directory_id: Uuid,
    /// Fields of a later version.
    pub tagged_fields: Vec<TaggedField>,
}

impl LeaderChange {
    /// Reads the value of the record.
    ///
    /// # Errors
    /// [`Malformed`] where Kafka's reader fails, unless the value is in layout 1.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let plain = read(bytes, Layout::Plain);
        let version = plain.as_ref().map_or_else(
            |_| Cursor::new(bytes).i16("version").unwrap_or(0),
            |(m, _)| m.version,
        );
        if version >= 1
            && !matches!(plain, Ok((_, 0)))
            && let Ok((message, 0)) = read(bytes, Layout::DirectoryIds)
        {
            return Ok(message);
        }
        plain.map(|(message, _)| message)
    }

    /// The bytes of the value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.version.to_be_bytes().to_vec();
        out.extend(self.leader_id.to_be_bytes());
        for voters in [&self.voters, &self.granting_voters] {
            put_count(voters.len(), &mut out);
            for voter in voters {
                out.extend(voter.voter_id.to_be_bytes());
                if self.layout == Layout::DirectoryIds {
                    out.extend(voter.voter_directory_id.0);
                }
                put_tagged_fields(&voter.tagged_fields, &mut out);
            }
        }
        put_tagged_fields(&self.tagged_fields, &mut out);
        out
    }
}

/// The message in one layout, and how many bytes are left behind it.
fn read(bytes: &[u8], layout: Layout) -> Result<(LeaderChange, usize), Malformed> {
    let mut cursor = Cursor::new(bytes);
    let voter = |cursor: &mut Cursor<'_>| read_voter(cursor, layout);
    let message = LeaderChange {
        version: cursor.i16("version")?,
        layout,
        leader_id: cursor.i32("leaderId")?,
        voters: read_list(&mut cursor, "voters", voter)?,
        granting_voters: read_list(&mut cursor, "grantingVoters", voter)?,
        tagged_fields: read_tagged_fields(&mut cursor)?,
    };
    Ok((message, cursor.remaining()))
}

fn read_voter(cursor: &mut Cursor<'_>, layout: Layout) -> Result<Voter, Malformed> {
    Ok(Voter {
        voter_id: cursor.i32("voterId")?,
        voter_directory_id: match layout {
            Layout::Plain => Uuid::ZERO,
            Layout::DirectoryIds => Uuid::read(cursor, "voterDirectoryId")?,
        },
        tagged_fields: read_tagged_fields(cursor)?,
    })
}
