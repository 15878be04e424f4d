//! Producer snapshots.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Producer snapshots",
    about: "Never delete the last snapshot of a partition by hand: after a clean stop a broker \
            that finds none does not read the log, and begins with no producers. One that it \
            cannot read it deletes by itself and reads the log instead.",
    entries: &[
        Explanation {
            code: FindingCode::SnapshotCorrupt,
            line: "a producer snapshot that a broker would refuse",
            means: "The version, the checksum, the length or the count is wrong, or a producer has \
                    two entries. A checksum that \
                    is right over the first entries, with bytes behind them, is a shorter \
                    snapshot that was written over a longer file: all of it can be read.",
            severity: "an error; a note where the rules given read it, as they do version 2",
            causes: "A crash while it was written, a shorter snapshot over a longer file \
                     (snapshots are opened without being cut), a flipped bit, a version of a \
                     later draft.",
            broker: "Deletes it and takes the next older one, and without any reads the log from \
                     its start. Nothing is lost by it, but time. One with two entries of a \
                     producer it loads, and keeps the last of them.",
            repair: "`kfsck repair snapshot --rebuild` writes it anew from the log.",
            action: "Leave it where it is: the broker deals with it. Do not delete it by hand. One \
                     with two entries of a producer write anew before the broker starts.",
            reports: &["KAFKA-5747", "KAFKA-9892"],
        },
        Explanation {
            code: FindingCode::SnapshotMissing,
            line: "no producer snapshot where a broker needs one",
            means: "A broker that stopped cleanly leaves a snapshot at the log's end. It is not \
                    here, or there is no snapshot at all, though the log tells of producers.",
            severity: "an error where the next start forgets producers: the stop was clean, none \
                       that helps is left, and no segment is read again; a note where an older \
                       one is left, from which the log is read",
            causes: "Somebody deleted it, a copy left it out, or the directory comes from a tool \
                     that copies segments alone.",
            broker: "With no snapshot at all after a clean stop, it does not read the log and \
                     writes empty snapshots: every producer and every open transaction is \
                     forgotten, and the last stable offset jumps to the end. With an older one it \
                     reads the log from there.",
            repair: "`kfsck repair snapshot --rebuild` writes it from the log.",
            action: "Rebuild it before the broker starts. An unclean stop heals it too: without \
                     `.kafka_cleanshutdown` the log is read.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::SnapshotMismatch,
            line: "a producer snapshot that differs from what the log tells",
            means: "Replayed to the snapshot's offset, the log gives another state. The evidence \
                    names producer and field. A producer whose data lies below the log's start \
                    may be in the snapshot alone, and one that expired may be missing: both are \
                    no finding, or a note.",
            severity: "an error in the newest one, with which a broker goes on; a warning in an \
                       older one",
            causes: "A snapshot of another partition or of another time, a log that was changed \
                     (truncated, salvaged, unmapped) without its snapshots, a snapshot of other \
                     rules (`--rules`).",
            broker: "Believes the snapshot that its load begins with, and reads only what lies \
                     behind.",
            repair: "`kfsck repair snapshot --rebuild` writes it from the log under the rules \
                     given.",
            action: "Look at it with `kfsck inspect-snapshot`. If the log is right, rebuild.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::SnapshotBeforeBarrier,
            line: "a producer snapshot behind a barrier that knows producers from before it",
            means: "A barrier lies in front of the snapshot's offset, and the snapshot still has \
                    producers whose last batch lies in front of the barrier.",
            severity: "a warning, by rules that know barriers",
            causes: "A prototype that reads the barrier and what stands before it in one go, or \
                     that recovered after an unclean stop.",
            broker: "Takes the producers as they are.",
            repair: "`kfsck repair snapshot --rebuild --rules barrier` drops them.",
            action: "Where the barrier is to be honoured, rebuild before the broker starts.",
            reports: &["KIP-1279"],
        },
        Explanation {
            code: FindingCode::SnapshotStray,
            line: "a producer snapshot at no segment's base and not at the log's end",
            means: "Snapshots are taken when a segment begins and at a stop. This one is below \
                    the last segment and at no segment's base, below the first segment, or above \
                    the end of the log.",
            severity: "a note; a warning above the end of the log: what lay between is not in \
                       this log",
            causes: "A log that was cut, a segment that is missing, a stop before the last one, a \
                     copy of snapshots from elsewhere.",
            broker: "Deletes it when it loads the log, but for the highest one at or above the \
                     last segment's base.",
            repair: "`kfsck repair snapshot --rebuild` leaves it out.",
            action: "Nothing if the broker stopped uncleanly. Otherwise ask what cut the log.",
            reports: &[],
        },
    ],
};
