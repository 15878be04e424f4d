//! What to do about a transaction that is open for longer than a cluster allows.

use super::Place;
use super::repair_line::{operand, transaction_logs};
use super::shown::was_committed;
use crate::analysis::check::finding::Finding;

pub(super) fn of(finding: &Finding, place: &Place<'_>) -> String {
    if was_committed(finding) {
        return "Do not abort it. Look for the COMMIT on the other replicas: where one has it, let \
                the broker fetch this copy again. Where none has, read the records \
                (`kfsck dump-log --print-data-log --producer-id`) before anything else."
            .to_owned();
    }
    format!(
        "Run `kfsck txns {} {}` to hear whether it hangs for good. If so, use \
         the kafka-transactions.sh line that it prints, on the running cluster. Append an abort \
         offline only with all replicas stopped, the same bytes on each.",
        operand(place.path),
        transaction_logs(place)
    )
}
