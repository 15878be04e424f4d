//! A transaction index that is read entry by entry.

use std::path::PathBuf;

use crate::format::malformed::Malformed;
use crate::format::number::Offset;
use crate::format::txn_index::{AbortedTxn, TxnIndex};
use crate::storage::source::{ReadError, Source};

/// An entry with its number, or why there is none.
pub(super) type Read = (u64, Result<AbortedTxn, Malformed>);

/// A transaction index that is read entry by entry, or none.
#[derive(Debug)]
pub(super) struct EntryFile {
    pub(super) path: PathBuf,
    pub(super) source: Option<Source>,
    /// The number of the next entry.
    next: u64,
    pub(super) is_over: bool,
    /// The entry at hand, with its number.
    pub(super) head: Option<(u64, AbortedTxn)>,
    /// The last offset of the entry that was passed last.
    pub(super) before: Option<Offset>,
}

impl EntryFile {
    pub(super) fn of(source: Source) -> Self {
        Self {
            path: source.path().to_owned(),
            source: Some(source),
            next: 0,
            is_over: false,
            head: None,
            before: None,
        }
    }

    pub(super) const fn absent(path: PathBuf) -> Self {
        Self {
            path,
            source: None,
            next: 0,
            is_over: true,
            head: None,
            before: None,
        }
    }

    pub(super) fn pass(&mut self) {
        self.before = self.head.take().map(|(_, entry)| entry.last_offset);
    }

    /// The next entry, or why it is none; nothing is read behind a fault.
    pub(super) fn read(&mut self) -> Result<Option<Read>, ReadError> {
        let Some(source) = &self.source else {
            return Ok(None);
        };
        let number = self.next;
        let entry = TxnIndex::new(source.window()).entry(number)?;
        self.next += 1;
        self.is_over = !matches!(entry, Some(Ok(_)));
        Ok(entry.map(|entry| (number, entry)))
    }
}
