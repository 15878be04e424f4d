//! Checkpoints, metadata, and what else lies in the directories.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Checkpoints and directories",
    about: "Files beside the segments and beside the partitions, and files that do not belong \
            there.",
    entries: &[
        Explanation {
            code: FindingCode::LeaderEpochCheckpointMismatch,
            line: "leader-epoch-checkpoint differs from the leader epochs of the log",
            means: "Each entry should be a leader epoch with the first offset of its batches. One \
                    is missing, too much, or has another offset.",
            severity: "an error where a batch has another epoch than its line; a warning where \
                       the file is missing, or has lines behind the end after a clean stop; a \
                       note after an unclean one",
            causes: "A file of another partition or time, a log that was cut or changed without \
                     it, a crash.",
            broker: "Believes it, cut to what the log holds; without the file it knows the epochs \
                     of the segments alone that it recovers. When the leader changes, replicas \
                     ask each other for the end of an epoch and cut there: with a wrong answer \
                     they cut too much, or keep what differs.",
            repair: "`kfsck repair log` writes it from the log, with either choice, and leaves a \
                     sound log as it is.",
            action: "Rebuild it before this replica can lead.",
            reports: &["KIP-101", "KIP-279", "KIP-320"],
        },
        Explanation {
            code: FindingCode::CheckpointCorrupt,
            line: "a checkpoint file that does not parse",
            means: "leader-epoch-checkpoint, or one of the four offset checkpoints of a log \
                    directory, does not have its form: version, number of entries, one entry a \
                    line.",
            severity: "an error; a warning for recovery points and for the cleaner's checkpoint \
                       where a word is no number: these a broker does without",
            causes: "A crash of the file system, a disk that was full, an editor.",
            broker: "Takes the log directory off line, and ends if it has no other one. Where a \
                     line has its words and one of them is no number it goes on: it takes recovery \
                     points for 0, so that after an unclean stop it reads every segment; without \
                     log starts each log begins with its first segment, and deleted records come \
                     back. With such a word in leader-epoch-checkpoint it ends.",
            repair: "`kfsck repair log` writes leader-epoch-checkpoint from the log. The others \
                     are the broker's to write.",
            action: "Take the file from a backup, or write the right numbers by hand: it is text.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::CheckpointMismatch,
            line: "a checkpoint that the log does not bear out",
            means: "A log start, recovery point or high watermark lies outside of the log, or a \
                    line is one of a partition that is not here.",
            severity: "an error where the log ends below its start, below its recovery point or \
                       below its high watermark: records are lost here; of the high watermark a \
                       warning after an unclean stop, if any segment is left; otherwise a note",
            causes: "A log that was cut or replaced without its checkpoint, a checkpoint of \
                     another time, two directories put together.",
            broker: "A log that ends below its log start loses **all segments** and begins anew \
                     at the start. A recovery point or a high watermark behind the end is put \
                     back to it.",
            repair: "`kfsck repair log` makes a log that would end below its start begin and end \
                     there; the checkpoint files stay as they are.",
            action: "Do not start the broker while the log ends below its start: correct the line \
                     of log-start-offset-checkpoint, which is text, or take the partition away. \
                     Where it ends below the others, look for the files that are gone: as leader \
                     this replica makes its followers cut their logs to its end.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::PartitionMetadataMismatch,
            line: "partition.metadata does not parse or names another topic than its neighbours",
            means: "The file holds the topic's id. It cannot be read, is missing beside records, \
                    or names another id than most partitions of the topic.",
            severity: "an error; where it is missing a note beside an empty log and in a \
                       directory on its way in or out",
            causes: "A topic that was deleted and made anew under the same name, of which a \
                     partition stayed; a directory that was copied from another cluster; an \
                     editor.",
            broker: "If it cannot be read, the log directory goes off line or the broker ends, \
                     also in a directory on its way in or out. If it is missing, or the id is not \
                     the cluster's, the partition is taken for a stray: its directory is renamed \
                     to `-stray`, and an empty log begins and is fetched from the leader.",
            repair: "Nothing: only the cluster knows the right id.",
            action: "Ask the cluster (`kafka-topics.sh --describe`). If the directory is one of \
                     the old topic, move it away. Of a last copy write the file by hand: the line \
                     `version: 0` and the line `topic_id: ID`.",
            reports: &["KIP-516"],
        },
        Explanation {
            code: FindingCode::DuplicatePartition,
            line: "the same partition lies in two log directories",
            means: "Two of the directories given hold a directory of this name, none of which is \
                    on its way in or out (`-future`, `-delete`, `-stray`).",
            severity: "an error where meta.properties says that both are of one broker; a warning \
                       where it does not tell",
            causes: "A move between disks that was done by hand or broken off; a disk that came \
                     back.",
            broker: "Two such directories in the log directories of one broker end its start.",
            repair: "Nothing: `kfsck compare` shows which one is longer and where they part.",
            action: "Compare both, and move the one with the lower end or the older leader epochs \
                     out of the log directory.",
            reports: &["KIP-113"],
        },
        Explanation {
            code: FindingCode::LeftoverFile,
            line: "a file of a compaction, deletion or split that was broken off, or of no \
                   segment",
            means: "A name ends with `.deleted`, `.cleaned` or `.swap`, or an index or snapshot \
                    has no segment. Or a run of `kfsck repair` was broken off: in place, with its \
                    journal in LOGDIR.kfsck-repair-PARTITION and new files called \
                    `kfsck-staged-N`; or on its way to `--output`, as PARTITION.kfsck-partial.",
            severity: "a note; a warning for a `.swap` that the next start puts in the place of \
                       segments, for an index whose segment is gone, and for a repair in place \
                       that has changed nothing yet; an error for one that stands to be finished",
            causes: "A broker, or a repair, that was killed in the middle of it; of an index alone \
                     also a segment that was deleted by hand or lost.",
            broker: "Deletes `.deleted` and `.cleaned` files and indexes without a log; finishes \
                     what `.swap` files began, if they are whole.",
            repair: "Any `kfsck repair` of the partition with --in-place finishes or undoes one \
                     that was broken off; without it none begins. Where a `.swap` lies, \
                     `kfsck repair log` refuses to work: the broker may yet put it in the place of \
                     others.",
            action: "Start no broker on a repair that was broken off. Leave the rest to the \
                     broker: remove none by hand, and rename no `.swap`. If the segment of an \
                     index should be there, look for it first.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::StrayFile,
            line: "a file or directory that is none of Kafka's",
            means: "A broker gives no such name to a file here, or keeps such a file elsewhere.",
            severity: "always a note; what ends a start is start-blocked",
            causes: "Somebody's copy or notes, a core dump, a backup inside a partition's \
                     directory.",
            broker: "Does not look at it.",
            repair: "Nothing.",
            action: "Nothing, or move it out of the way.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::StartBlocked,
            line: "a stock broker does not start with this",
            means: "What lies here ends the start of the whole process, for all partitions. The \
                    message says what and where; `nextStart` has `broker-fails`.",
            severity: "an error; a warning for a meta.properties that is missing beside another \
                       log directory that has one; a note where it depends on which directories \
                       one broker has in its log.dirs",
            causes: "A batch that breaks the rules of transactions where no leader looked, a \
                     control batch of a kind that no release knows with a producer id, a \
                     directory in a log directory whose name is no partition's (`lost+found`, a \
                     backup), a segment whose name does not begin with an offset, a \
                     meta.properties that is missing, cannot be read or is another directory's.",
            broker: "Ends with \"Error starting LogManager\" or a storage error. Each start ends \
                     in the same way.",
            repair: "`kfsck repair log --truncate` cuts in front of it, if it is a batch.",
            action: "Of a batch: move the partition's directory out of the log directory and \
                     start, and the broker fetches it from another replica; if there is none, \
                     keep a copy and repair it. Of a file or directory: move it out of the log \
                     directory, or put it right.",
            reports: &[],
        },
    ],
};
