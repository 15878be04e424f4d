//! Checkpoints, metadata, and what else lies in the directories.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Checkpoints and directories",
    about: "Files beside the segments and beside the partitions, and files that do not belong there.",
    entries: &[
        Explanation {
            code: FindingCode::LeaderEpochCheckpointMismatch,
            line: "leader-epoch-checkpoint differs from the leader epochs of the log",
            means: "Each entry should be a leader epoch with the first offset of its batches. One is \
                    missing, too much, or has another offset.",
            severity: "a warning; a note where the log's start or its end explains it",
            causes: "A file of another partition or time, a log that was cut or changed without it, a \
                     crash.",
            broker: "Believes it, cut to what the log holds. When the leader changes, replicas ask each \
                     other for the end of an epoch and cut there: with a wrong answer they cut too \
                     much, or keep what differs.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it before this replica can lead.",
            reports: &["KIP-101", "KIP-279", "KIP-320"],
        },
        Explanation {
            code: FindingCode::CheckpointCorrupt,
            line: "a checkpoint file that does not parse",
            means: "leader-epoch-checkpoint, or one of the four offset checkpoints of a log directory, \
                    does not have its form: version, number of entries, one entry a line.",
            severity: "always an error",
            causes: "A crash of the file system, a disk that was full, an editor.",
            broker: "Takes recovery points and log starts that it cannot read for 0: after an unclean \
                     stop it then reads every segment, and deleted records may come back. With a \
                     leader-epoch-checkpoint that it cannot read the log does not load.",
            repair: "`kfsck repair index` writes leader-epoch-checkpoint from the log. The others are \
                     written by the broker.",
            action: "Take the file from a backup, or write the right numbers by hand: it is text.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::CheckpointMismatch,
            line: "a checkpoint that the log does not bear out",
            means: "A log start, recovery point or high watermark lies outside of the log.",
            severity: "an error where the log ends below its start; otherwise a warning",
            causes: "A log that was cut or replaced without its checkpoint, a checkpoint of another \
                     time, two directories put together.",
            broker: "A log that ends below its log start loses **all segments** and begins anew at the \
                     start. A recovery point or a high watermark behind the end is put back to it.",
            repair: "`kfsck repair log` keeps the log start consistent with what it writes.",
            action: "Do not start the broker while the log ends below its start: correct the line of \
                     log-start-offset-checkpoint, which is text, or take the partition away.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::PartitionMetadataMismatch,
            line: "partition.metadata does not parse or names another topic than its neighbours",
            means: "The file holds the topic's id. It cannot be read, or partitions of one topic name \
                    different ids.",
            severity: "an error where it cannot be read; a warning where ids differ",
            causes: "A topic that was deleted and made anew under the same name, of which a partition \
                     stayed; a directory that was copied from another cluster; an editor.",
            broker: "A partition whose topic id is not the cluster's becomes a stray: its directory is \
                     renamed to `-stray`, and the broker fetches the partition from its leader.",
            repair: "Nothing: only the cluster knows the right id.",
            action: "Ask the cluster (`kafka-topics.sh --describe`). If the directory is one of the old \
                     topic, move it away.",
            reports: &["KIP-516"],
        },
        Explanation {
            code: FindingCode::DuplicatePartition,
            line: "the same partition lies in two log directories",
            means: "Two of the directories given hold a directory of this name, none of which is on its \
                    way in or out (`-future`, `-delete`, `-stray`).",
            severity: "an error where both are log directories of one broker; a note where they may be \
                       of two",
            causes: "A move between disks that was done by hand or broken off; a disk that came back.",
            broker: "Two such directories in the log directories of one broker end its start.",
            repair: "Nothing: `kfsck compare` shows which one is longer and where they part.",
            action: "Compare both, and move the one with the lower end or the older leader epochs out of \
                     the log directory.",
            reports: &["KIP-113"],
        },
        Explanation {
            code: FindingCode::LeftoverFile,
            line: "a file of a compaction, deletion or split that was broken off, or of no segment",
            means: "A name ends with `.deleted`, `.cleaned` or `.swap`, or an index or snapshot has no \
                    segment.",
            severity: "a note; a warning where the next start replaces segments by it (`.swap`)",
            causes: "A broker that was killed in the middle of it.",
            broker: "Deletes `.deleted` and `.cleaned` files and indexes without a log; finishes what \
                     `.swap` files began, if they are whole.",
            repair: "Nothing: the result in `--output` has none of them.",
            action: "Leave them to the broker. Remove none by hand, and rename no `.swap`.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::StrayFile,
            line: "a file or directory that is none of Kafka's",
            means: "A broker gives no such name to a file here.",
            severity: "a note for a file; an error for a directory beside partitions that a start does \
                       not pass over",
            causes: "Somebody's copy or notes, a core dump, `lost+found` of a file system.",
            broker: "Passes over files. A directory in a log directory whose name is not a \
                     partition's ends the start; one that is named like a partition the cluster does \
                     not have is renamed to `-stray`.",
            repair: "Nothing.",
            action: "Move it out of the log directory before the broker starts.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::StartBlocked,
            line: "a stock broker does not start with this",
            means: "What lies here ends the start of the whole process, for all partitions. The message \
                    says what and where; `nextStart` has `broker-fails`.",
            severity: "always an error",
            causes: "A batch that breaks the rules of transactions where no leader looked, a control \
                     batch of a kind that no release knows with a producer id, a file that cannot be \
                     read, a directory of a foreign name.",
            broker: "Ends with \"Error starting LogManager\" or a storage error. Each start ends in the \
                     same way.",
            repair: "`kfsck repair log --truncate` cuts in front of it, if it is a batch.",
            action: "Move the partition's directory out of the log directory and start: the broker \
                     fetches it from another replica. If there is none, keep a copy and repair it.",
            reports: &[],
        },
    ],
};
