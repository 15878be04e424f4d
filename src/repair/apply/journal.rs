//! What a repair in place is about to do to a partition's directory, written down before the first
//! change: whoever finds it can finish.

use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// The version of the file.
const SCHEMA: u32 = 1;

/// The steps of one repair. Doing one again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    schema: u32,
    /// The verb, for people.
    pub(super) verb: String,
    /// The partition's directory, for people.
    pub(super) directory: String,
    pub(super) changes: Vec<Change>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// Its name in the partition's directory.
    pub(super) name: String,
    /// The name of the file there that takes its place; without one it goes.
    pub(super) staged: Option<String>,
    /// What it was before; without one it was not there.
    pub(super) before: Option<Before>,
}

/// By what an old file is known again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    size: u64,
    /// The time of its last change, in nanoseconds since 1970; none where the system keeps none.
    modified: Option<u64>,
}

impl Before {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: since.and_then(|since| u64::try_from(since.as_nanos()).ok()),
        }
    }
}

impl Journal {
    pub(super) fn new(verb: &str, directory: String, changes: Vec<Change>) -> Self {
        Self {
            schema: SCHEMA,
            verb: verb.to_owned(),
            directory,
            changes,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // Texts and numbers: nothing in it can be refused.
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let names = read.changes.iter().flat_map(|change| {
            let staged = change.staged.as_deref();
            std::iter::once(change.name.as_str()).chain(staged)
        });
        // It is about to rename and remove: nothing outside the directory.
        let leads_away =
            |name: &&str| ["", ".", ".."].contains(name) || name.contains(['/', '\\', '\0']);
        if let Some(name) = { names }.find(leads_away) {
            return Err(format!("{name:?} is no name of a file"));
        }
        match read.schema {
            SCHEMA => Ok(read),
            other => Err(format!("expected schema {SCHEMA}, found {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(name: &str) -> Journal {
        let change = Change {
            name: name.to_owned(),
            staged: Some("kfsck-staged-0".to_owned()),
            before: Some(Before {
                size: 5,
                modified: Some(7),
            }),
        };
        Journal::new("log", "/logs/orders-0".to_owned(), vec![change])
    }

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is_believed() {
        let written = journal("00000000000000000000.log");
        assert_eq!(Journal::decode(&written.encode()), Ok(written.clone()));
        let bytes = written.encode();
        for cut in 0..bytes.len() {
            assert!(Journal::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        for name in ["../meta.properties", "", ".."] {
            let found = Journal::decode(&journal(name).encode());
            assert!(found.is_err(), "{name}: {found:?}");
        }
        let text = String::from_utf8(bytes).unwrap();
        let newer = text.replace("\"schema\": 1", "\"schema\": 2");
        assert!(Journal::decode(newer.as_bytes()).is_err());
    }
}
