//! Who looks on while a check goes about: how far it is, what it could not read, whether to stop.

use crate::storage::source::ReadError;

/// Looks on. Every method may be left as it is.
pub trait Watch {
    /// So many more bytes of segments were looked at, or passed over where they cannot be read.
    fn advanced(&mut self, _bytes: u64) {}

    /// A file could not be read, or cannot be believed; the check goes on with the next.
    fn unread(&mut self, _: ReadError) {}

    /// Whether to stop: asked from time to time. What was not looked at counts as skipped.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Does not look.
impl Watch for () {}
