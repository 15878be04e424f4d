//! Barriers of Cluster Mirroring in a log.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Barriers of mirroring",
    about: "A barrier (MIRROR_PID_RESET, control type 7) says that all producers in front of it \
            are void. It is in no release up to 4.4.0, whose brokers pass over it; \
            docs/mirroring.md has the design.",
    entries: &[
        Explanation {
            code: FindingCode::BarrierMalformed,
            line: "a MIRROR_PID_RESET record in neither of its layouts, or with a producer id",
            means: "The value is neither of the two layouts that were ever written (with and \
                    without the source cluster's id), or the batch carries a producer id, which a \
                    barrier never does.",
            severity: "always an error",
            causes: "A tool or a prototype of another day; a third layout of a later draft.",
            broker: "A batch with a producer id of 0 or more is read as an end marker of no known \
                     type and ends the whole process at a start that reads it. Without one it is \
                     passed over.",
            repair: "`kfsck repair log --truncate` cuts in front of it, `--salvage` leaves it \
                     out; `kfsck repair barrier` writes a right one at the end.",
            action: "Do not start a stock broker on one with a producer id.",
            reports: &["KIP-1279"],
        },
        Explanation {
            code: FindingCode::BarrierRepeated,
            line: "barriers in a row with nothing between",
            means: "Two or more barriers follow each other. They count as one.",
            severity: "always a note: legal",
            causes: "A barrier is written again when its first answer came too late.",
            broker: "Passes over them. Each takes one offset.",
            repair: "Nothing.",
            action: "Nothing.",
            reports: &["KIP-1279"],
        },
        Explanation {
            code: FindingCode::BarrierOpenTransaction,
            line: "a transaction is open at a barrier",
            means: "The mirror should have aborted every open transaction before it wrote the \
                    barrier.",
            severity: "a warning",
            causes: "The abort failed and was not tried again, as in the prototype.",
            broker: "A stock broker keeps the transaction open, and with it the last stable \
                     offset. Under the design it is dropped without a marker: consumers of \
                     committed data then get its records.",
            repair: "`kfsck repair abort` appends an ABORT at the end, with all replicas stopped.",
            action: "Look in the source cluster whether it was committed there; records in front \
                     of the barrier may be half of a transaction.",
            reports: &["KIP-1279"],
        },
        Explanation {
            code: FindingCode::BarrierMissing,
            line: "mirroring stopped and no barrier tells",
            means: "Something shows that batches of another cluster end here and local ones \
                    begin, and there is no barrier between: two writers under one id on both \
                    sides of a rise of the leader epoch by 2 or more (an election raises it by \
                    1), or, in a log that has barriers, a rise \
                    as a mirror makes it that none follows.",
            severity: "a warning where two writers show it; otherwise a note that says what would \
                       decide. An idle gap alone is no evidence",
            causes: "A prototype that went on without the barrier when the source's id was \
                     unknown; a mirror made by another tool; the clean-up of a partition by hand.",
            broker: "Takes the producers of the source for its own: a local producer that is \
                     given the same id may be answered as a duplicate, and its records are lost.",
            repair: "`kfsck repair barrier` appends one, with all replicas stopped. A stock \
                     broker passes over it: there `kfsck repair snapshot --drop-pid` takes the \
                     state away.",
            action: "Before local producers write: let the controller give out ids above the \
                     highest that lies in front (redpanda#31659), or write the barrier.",
            reports: &["KIP-1279", "redpanda#31659"],
        },
    ],
};
