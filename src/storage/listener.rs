//! Who hears how far the reading of logs is.

use std::fmt::Debug;

/// Hears it, from whatever thread reads.
pub trait Listener: Debug + Send + Sync {
    /// So many more bytes of logs were read; some are read more than once.
    fn read(&self, bytes: u64);
}
