//! What a plan depends on beside the partition's directory.

use crate::format::number::Offset;
use crate::state::rules::{RuleSet, Stock};
use crate::storage::listener::Listener;
use crate::storage::source::Access;
use std::sync::Arc;

/// What is known of a partition from elsewhere.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Whose producer state: what snapshots and transaction indexes say.
    pub rules: &'static dyn RuleSet,
    /// Map the files or read them plainly.
    pub access: Access,
    /// The partition's line in `log-start-offset-checkpoint`, 0 without one.
    pub log_start: Offset,
    /// That line where it must not lie in front of the first segment: what lies between would be
    /// in remote storage, and a cut is refused.
    pub local_start: Option<Offset>,
    /// `index.interval.bytes` of the topic, in bytes.
    pub index_interval_bytes: u64,
    /// Who hears how far a plan is.
    pub listener: Option<Arc<dyn Listener>>,
}

impl Terms {
    /// A stock broker with the settings that it comes with.
    #[must_use]
    pub const fn new(access: Access, log_start: Offset) -> Self {
        Self {
            rules: &Stock,
            access,
            log_start,
            local_start: None,
            index_interval_bytes: 4096,
            listener: None,
        }
    }

    /// Tells the listener, if there is one.
    pub(super) fn tell_read(&self, bytes: u64) {
        if let Some(listener) = &self.listener {
            listener.read(bytes);
        }
    }
}

/// What is done about damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing.
    AsItIs,
    /// The log ends in front of the first.
    Truncate,
    /// It is left out, and what is sound behind it stays.
    Salvage,
}
