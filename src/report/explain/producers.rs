//! What the batches of one producer say of each other.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Producers, sequences and markers",
    about: "A leader refuses what breaks these rules; followers and a start take nearly all of \
            it. So most of it shows that something else than a leader's append has happened. \
            docs/producer-state.md has the rules one by one.",
    entries: &[
        Explanation {
            code: FindingCode::SequenceGap,
            line: "sequences are missing in front of a batch",
            means: "The batch begins with a higher sequence than the one behind the last of its \
                    producer and epoch, and no offset is missing between the two.",
            severity: "a warning; a note where offsets are missing as well (compaction), or where \
                       the producer was silent longer than producer.id.expiration.ms",
            causes: "Batches in front of it were lost or lie in another partition: a payload of \
                     another topic under a right checksum shows like this (KAFKA-19012). Or a \
                     second writer uses the id.",
            broker: "Takes it: no start and no follower looks at sequences.",
            repair: "Nothing: what is missing is not in this log.",
            action: "Compare the offsets around it with another replica, and look whether the \
                     records of the batch belong to this topic.",
            reports: &["KAFKA-19012", "KIP-98"],
        },
        Explanation {
            code: FindingCode::SequenceRepeat,
            line: "the sequences of a batch that was there before",
            means: "A batch of the same producer and epoch has sequences that an earlier one had, \
                    all of them.",
            severity: "a warning; a note where the producer was silent longer than \
                       producer.id.expiration.ms",
            causes: "A retry that was appended twice, as happens when the state of producers was \
                     lost between the two (an empty snapshot after a clean stop, a barrier \
                     between); a second writer under the same id; a log that was put together \
                     from pieces.",
            broker: "Takes it. A leader that remembers the first one answers a retry with its \
                     offsets and appends nothing.",
            repair: "Nothing is taken away by itself: `kfsck repair pids --split` parts two \
                     writers, and says which batches are in doubt.",
            action: "If both batches hold the same records, consumers got them twice. If they \
                     differ, there are two writers: see pid-collision.",
            reports: &["KIP-98"],
        },
        Explanation {
            code: FindingCode::SequenceOverlap,
            line: "sequences of which some were there before",
            means: "A batch of the same producer and epoch begins inside the sequences of an \
                    earlier one and ends behind them.",
            severity: "a warning; a note where the producer was silent longer than \
                       producer.id.expiration.ms",
            causes: "No client makes such a batch from the same records: it retries whole \
                     batches. So there is a second writer under the id, or batches were changed.",
            broker: "Takes it; a leader refuses it as out of order.",
            repair: "`kfsck repair pids --split` parts two writers, and says which batches are in \
                     doubt.",
            action: "Read the two batches side by side: times, leader epochs and keys tell whose \
                     they are.",
            reports: &["KIP-98"],
        },
        Explanation {
            code: FindingCode::MarkerOldEpoch,
            line: "an end marker of an older epoch than its producer's",
            means: "A COMMIT or ABORT carries a lower producer epoch than a batch or marker of \
                    the same id before it.",
            severity: "a warning",
            causes: "A coordinator that was slow while its producer was fenced, on brokers of old \
                     releases (KAFKA-7698); a marker of another cluster's producer.",
            broker: "Takes it with a warning in its log, ends the transaction that is open, and \
                     goes back to the lower epoch, so that a fenced producer can write again.",
            repair: "Nothing.",
            action: "Look at both positions side by side with `kfsck dump-log --producer-id`: \
                     which transaction did the marker end?",
            reports: &["KAFKA-7698"],
        },
        Explanation {
            code: FindingCode::EpochRegression,
            line: "data of an older epoch than its producer's",
            means: "A data batch carries a lower producer epoch than the same id had before.",
            severity: "a warning; a note where the producer was silent longer than \
                       producer.id.expiration.ms",
            causes: "No leader takes such a batch while it remembers the id: a second writer \
                     under the id, a leader that had lost its state, or a log put together from \
                     pieces.",
            broker: "Takes it with a warning in its log and goes back to the lower epoch.",
            repair: "`kfsck repair pids --split` parts two writers.",
            action: "See pid-collision: this is its surest sign.",
            reports: &["KIP-98", "KIP-360"],
        },
        Explanation {
            code: FindingCode::CoordinatorEpochRegression,
            line: "an end marker of an older coordinator than one before it",
            means: "Each leader of a partition of `__transaction_state` writes its epoch into \
                    markers. Here it falls.",
            severity: "a warning",
            causes: "A coordinator that did not know that it was replaced (KAFKA-9144); a \
                     partition of `__transaction_state` that was deleted and made anew, so that \
                     its epochs began again; a marker of another cluster.",
            broker: "Takes it when it copies or loads the log, and the lower epoch with it. A \
                     leader refuses it and the transaction stays open.",
            repair: "Nothing.",
            action: "If a transaction of this producer hangs behind it, abort it: `kfsck txns` \
                     prints the line.",
            reports: &["KAFKA-9144"],
        },
        Explanation {
            code: FindingCode::NonTransactionalInTransaction,
            line: "a plain batch of a producer whose transaction is open",
            means: "A producer has written inside a transaction and then, before its end marker, \
                    outside of any.",
            severity: "always an error",
            causes: "Two writers under one id; a transaction whose marker was cut or compacted \
                     away by hand; a tool that rewrote batches. If its sequences go on from the \
                     batch before, pid-collision says no more than a note.",
            broker: "Throws InvalidTxnStateException when it reads the batch, and nothing catches \
                     it: the whole process ends (\"Error starting LogManager\") in each start \
                     that reads this part of the log, for all of its partitions.",
            repair: "`kfsck repair pids --split` gives the second writer another id; `kfsck \
                     repair log --truncate` cuts in front of the batch if nothing else helps.",
            action: "Move the partition's directory out of the log directory before the broker \
                     starts, and let it fetch the partition from a replica that leads without it.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::MarkerMalformed,
            line: "a control record whose key or value does not decode",
            means: "The key of a control record has fewer than 4 bytes, or the value of an end \
                    marker is missing, too short or of a version below 0. A type that no release \
                    knows is legal; with a producer id it is one of these faults all the same.",
            severity: "always an error",
            causes: "A tool that writes control batches; damage under a checksum computed \
                     afterwards.",
            broker: "Without a value, the start ends with a NullPointerException; with a version \
                     below 0, recovery cuts the log there. Consumers skip control batches.",
            repair: "`kfsck repair log --truncate` cuts in front of it; `--salvage` leaves it \
                     out, and `kfsck repair abort` closes a transaction that it should have \
                     closed.",
            action: "Do not start a broker on it. Take the partition from another replica.",
            reports: &["KAFKA-16470"],
        },
        Explanation {
            code: FindingCode::HangingTransaction,
            line: "a transaction that nobody will end, or that is older than the timeout allows",
            means: "A transaction is open at the end of the log, and its producer last wrote \
                    longer ago than --max-transaction-timeout. Whether its coordinator still \
                    knows it is in `__transaction_state`: `kfsck txns --transaction-log` asks \
                    there.",
            severity: "a warning: suspect until `__transaction_state` is asked; a note where its \
                       end marker lies in another copy of the partition that is checked too, and \
                       this one is behind",
            causes: "A marker that was lost or refused (KAFKA-9144); data that came after the \
                     abort of its transaction; an old client without verification (KIP-890); a \
                     transaction that a mirror never saw the end of.",
            broker: "Loads it. The last stable offset stays at its first offset: consumers of \
                     committed data get nothing behind it, and compaction does not go beyond it.",
            repair: "`kfsck repair abort` appends the marker, with all replicas stopped. On a \
                     running cluster `kafka-transactions.sh abort` does it better. No line is \
                     shown where its coordinator commits it or has committed it: an abort throws \
                     away records that are committed elsewhere.",
            action: "Run `kfsck txns` on the partition with `--transaction-log`; if it says \
                     `hanging`, use the line that it prints.",
            reports: &["KAFKA-9144", "KIP-664", "KIP-890"],
        },
        Explanation {
            code: FindingCode::NegativeProducerId,
            line: "a producer id below -1",
            means: "No controller gives out such ids. Prototypes of Cluster Mirroring mapped ids \
                    to them: -(id + 2), or a sign bit with a region.",
            severity: "a warning, once for each id; a note by rules that keep state of such ids \
                       (`--rules mapped`)",
            causes: "A partition that was mirrored by such a prototype; a flipped bit if the \
                     checksum is wrong too.",
            broker: "Takes the batches for ones without a producer: no state, no duplicates \
                     found, no entry in the transaction index. Aborted records of such ids are \
                     visible to consumers of committed data.",
            repair: "`kfsck repair pids --unmap negate` or `bit-field` gives the original ids \
                     back, `--remap OLD=NEW` gives others, across segments, indexes and \
                     snapshots.",
            action: "`kfsck pid explain ID` tells what the id can be. Before you unmap, look \
                     whether a local producer already uses the original.",
            reports: &["KIP-1279"],
        },
        Explanation {
            code: FindingCode::PidCollision,
            line: "two writers under one producer id",
            means: "The batches of one id cannot be put in the order in which one client sends. \
                    The evidence has the batches of both strands; docs/collisions.md tells the \
                    signs and what each is worth.",
            severity: "an error when certain, a warning when likely; a note when only possible, \
                       with what would decide it",
            causes: "Two clusters give out ids from 0 on, and their batches met in one partition \
                     by mirroring without a barrier or a mapping (KIP-1279, redpanda#31659).",
            broker: "Takes it. The state of one is taken for the other's: a fresh producer may be \
                     answered as a duplicate and its records are never stored; a marker of one \
                     ends the transaction of the other.",
            repair: "`kfsck repair pids --split PID` gives the second writer a new id and closes \
                     its transactions, and names every batch whose owner is in doubt.",
            action: "Stop the writers of this id. Writes that were answered as duplicates left no \
                     bytes: compare what clients were told with what lies at those offsets.",
            reports: &["KIP-1279", "redpanda#31659"],
        },
    ],
};
