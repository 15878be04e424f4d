//! What only the cluster's own topics show.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "The cluster's own records",
    about: "To be found where `__transaction_state`, `__consumer_offsets` or \
            `__cluster_metadata` lie among the partitions that are checked. This version does not \
            look for them yet.",
    entries: &[
        Explanation {
            code: FindingCode::InternalRecordUndecodable,
            line: "a record of an internal topic that does not decode",
            means: "Key or value is of a type or version that no release knows, or does not fit \
                    its schema.",
            severity: "a warning; a note for a version above those known, which a later release \
                       may write",
            causes: "A cluster that was downgraded, a client that writes to an internal topic, \
                     damage under a checksum computed afterwards.",
            broker: "A coordinator that loads the partition passes over a record of an unknown \
                     version, or fails to load, by topic and release.",
            repair: "Nothing: what an internal topic holds is not changed.",
            action: "Look at the record with `kfsck dump-log`; run brokers of the release that \
                     wrote it.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::ProducerIdNotIssued,
            line: "a producer id that the cluster has not given out",
            means: "An id of a batch is at or above the next block of ids by \
                    `__cluster_metadata`.",
            severity: "a warning",
            causes: "Batches that were mirrored from another cluster with their ids; a metadata \
                     log that was restored from an older copy.",
            broker: "Takes it. When the controller gives out that id, a local producer meets the \
                     state of the foreign one.",
            repair: "`kfsck repair pids --remap` gives another id.",
            action: "Move the controller's next id above it before local producers write, or \
                     remap.",
            reports: &["redpanda#31659", "KIP-1279"],
        },
        Explanation {
            code: FindingCode::CoordinatorMismatch,
            line: "the coordinator and the partition disagree on a transaction",
            means: "`__transaction_state` says that a transaction was committed or aborted, or is \
                    open here, and the log of the partition has another end or none.",
            severity: "a warning",
            causes: "Copies of different times, a marker that was lost, a partition that was \
                     restored alone.",
            broker: "Takes both. A coordinator that prepared an end sends its markers again when \
                     it loads.",
            repair: "`kfsck repair abort --transaction-log` appends an ABORT where the \
                     coordinator will not; it never touches a commit that was prepared.",
            action: "Check that both copies are of one moment. Then see `kfsck txns`.",
            reports: &["KIP-664"],
        },
    ],
};
