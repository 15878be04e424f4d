//! How what was written is checked: as `kfsck check` does without options, but for rules and time.

use kfsck::analysis::check::terms::{Depth, Terms};
use kfsck::analysis::log_findings::DEFAULT_EXPIRATION_MS;
use kfsck::format::number::Timestamp;
use kfsck::state::rules::RuleSet;
use kfsck::storage::segment::contents::DEFAULT_MAX_RECORD_BYTES;
use kfsck::storage::source::Access;

/// Brokers' `transaction.max.timeout.ms`, unless it was set.
const DEFAULT_MAX_TRANSACTION_TIMEOUT_MS: i64 = 900_000;

/// The terms of such a check.
pub(super) const fn terms(rules: &'static dyn RuleSet, now: Timestamp, access: Access) -> Terms {
    Terms {
        rules,
        depth: Depth::Records,
        access,
        now,
        expiration_ms: DEFAULT_EXPIRATION_MS,
        max_transaction_timeout_ms: DEFAULT_MAX_TRANSACTION_TIMEOUT_MS,
        max_record_bytes: DEFAULT_MAX_RECORD_BYTES,
    }
}
