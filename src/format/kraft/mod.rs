//! The values of KRaft's control records: flexible messages whose first field is their version.
//!
//! Kafka 4.4.0 reads all of them with the schema of version 0, whatever the version field says, and
//! does not look at bytes behind the message; so do these readers. Unknown tagged fields are kept,
//! so that a message that is read and written again has the same bytes.

pub mod kraft_version;
pub mod leader_change;
pub mod snapshot_footer;
pub mod snapshot_header;
pub mod voters;

#[cfg(test)]
mod tests;
