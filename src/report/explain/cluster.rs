//! What only the cluster's own topics show.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "The cluster's own records",
    about: "What the partitions of `__transaction_state`, `__consumer_offsets`, \
            `__cluster_metadata` and their like hold, and what they say of other partitions of \
            the cluster. Those count that lie in the log directory of the partition that is \
            checked, or in another directory that is given and names the same cluster in its \
            meta.properties.",
    entries: &[
        Explanation {
            code: FindingCode::InternalRecordUndecodable,
            line: "a record of an internal topic that does not decode",
            means: "Key or value is of a type or version that no release up to 4.4.0 knows, or \
                    does not fit its schema. Looked for from `--depth records` on in \
                    `__consumer_offsets`, `__transaction_state`, `__share_group_state`, \
                    `__cluster_metadata`, `__remote_log_metadata` and `__mirror_state`. A \
                    record without a value is asked for its key alone; control batches say \
                    nothing.",
            severity: "an error where whoever loads the partition fails at it; a warning for a \
                       type or version above those known at which it fails, and for one that no \
                       release will have and that it passes over; a note for one above those \
                       known that it passes over",
            causes: "A cluster that was downgraded, a client that writes to an internal topic, \
                     damage under a checksum computed afterwards.",
            broker: "A group or share coordinator passes over an unknown type; at an unknown \
                     version or bytes that do not fit, the load of the partition fails and its \
                     groups have no coordinator (`CoordinatorLoaderImpl`). A transaction \
                     coordinator passes over unknown types and versions; at bytes that do not fit \
                     it logs an error and goes on without what lies behind \
                     (`TransactionStateManager`). A controller or broker that reads such a record \
                     of the metadata ends its process, at each start while no snapshot lies \
                     behind it (`KRaftControlRecordStateMachine`, `KafkaRaftClientDriver`). A \
                     broker reads no further records of segments in remote storage \
                     (`ConsumerTask`). No release reads `__mirror_state`.",
            repair: "Nothing: what an internal topic holds is not changed.",
            action: "Look at the record with `kfsck dump-log`. If a later release wrote it, run \
                     brokers of that release; otherwise take the partition from another replica, \
                     or wait until compaction has taken the record.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::ProducerIdNotIssued,
            line: "a producer id that the cluster has not given out",
            means: "An id of a batch is at or above the next block of ids by \
                    `__cluster_metadata`, or any from 0 on where no block was given out. Ids \
                    below 0 are negative-producer-id; those from 2^62 on, which `kfsck repair \
                    pids` gives, are silent. Metadata that are damaged, torn or begin behind a \
                    gap say nothing: their next block may be behind.",
            severity: "a warning; a note where the batch is later than the last record of the \
                       metadata, or these lie in another log directory: they may be too old a copy",
            causes: "Batches that were mirrored from another cluster with their ids; a metadata \
                     log that was restored from an older copy.",
            broker: "Takes it. When the controller gives out that id, a local producer meets the \
                     state of the foreign one: the evidence says how far away that is.",
            repair: "`kfsck repair pids --remap` gives another id.",
            action: "Move the controller's next id above it before local producers write, or \
                     remap.",
            reports: &["redpanda#31659", "KIP-1279"],
        },
        Explanation {
            code: FindingCode::CoordinatorMismatch,
            line: "the coordinator and the partition disagree on a transaction",
            means: "`__transaction_state` says that a transaction is closed which is open here \
                    for longer than transaction.max.timeout.ms; or has it open with this \
                    partition, and a marker has ended it here; or it was committed here, and its \
                    coordinator has decided to abort it, or the reverse. hanging-transaction \
                    tells of the first from the log alone, as of all that are open for too long: \
                    where both name a transaction, this is the coordinator's answer. That no \
                    coordinator knows a producer is for `kfsck txns` to say. The last \
                    record of each transactional id counts, where its partition of \
                    `__transaction_state` was read whole: earlier ones, which compaction takes \
                    away, cannot be told apart where transactions share an epoch. Nothing is said \
                    of a log with damage, in which a marker may lie, nor of a transaction that \
                    has ended in another copy that is checked too.",
            severity: "an error where one transaction is committed and aborted, and where the log \
                       goes on for longer than transaction.max.timeout.ms behind the end and has \
                       no marker; a note where a marker ended what the coordinator has open, and \
                       nothing in its partition is later than the marker; otherwise a warning: a \
                       replica that had not fetched the marker yet, or two copies of different \
                       times, look the same",
            causes: "Copies of different times, a marker that was lost, a partition that was \
                     restored alone, an abort by hand of a transaction that its coordinator still \
                     had.",
            broker: "Takes both. A coordinator that prepared an end sends its markers again when \
                     it loads; of one that is complete it sends none, and the last stable offset \
                     stays where the transaction begins.",
            repair: "`kfsck repair abort --transaction-log` appends an ABORT where the \
                     coordinator has aborted the transaction; no line is shown where it may have \
                     been committed.",
            action: "Check that both copies are of one moment, and look for the marker on the \
                     other replicas. Then see `kfsck txns`.",
            reports: &["KIP-664", "KIP-890"],
        },
    ],
};
