//! Offset, time and transaction indexes.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Indexes",
    about: "All of them follow from the log, and `kfsck repair index` writes them anew. A start \
            looks only whether the offset index exists and whether the transaction index is sane: \
            what is in the others is believed.",
    entries: &[
        Explanation {
            code: FindingCode::IndexCorrupt,
            line: "an index that fails its own rules",
            means: "The size is not a multiple of an entry's, or entries do not rise, or the last \
                    one lies below the base offset. Zeros behind the last entry are preallocated \
                    space, which a clean stop cuts off: legal after an unclean one, and where a \
                    partition was never closed.",
            severity: "an error; a warning where the next start makes the index anew",
            causes: "A crash while it was written, a short last entry, a file that was cut or \
                     copied in part (KAFKA-7283, KAFKA-19200).",
            broker: "After an unclean stop it is made anew from the recovery point on. After a \
                     clean stop an offset or time index is used as it stands: by zeros at the end \
                     of a time index retention takes the segment for one of 1970 and deletes it. \
                     A transaction index \
                     with an entry below the segment's base makes the segment be read again, a \
                     short last entry is not noticed, and an entry of an unknown version ends the \
                     start.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it, or move the `.index` away with the broker stopped: a segment \
                     without one is read again at the next start.",
            reports: &["KAFKA-7283", "KAFKA-19200"],
        },
        Explanation {
            code: FindingCode::IndexMismatch,
            line: "an index entry that the log does not bear out",
            means: "An entry says that a batch of an offset begins at a position, and none does, \
                    or the batch there has another offset.",
            severity: "an error; a warning where the next start makes the index anew",
            causes: "An index of another segment or of an earlier state of this one, a log that \
                     was changed without it.",
            broker: "Believes it: a fetch begins to read at the wrong place, and fails or gives \
                     too much or too little. After an unclean stop it is written anew from the \
                     recovery point on.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it before the broker starts.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::IndexMissing,
            line: "the index of a segment is not there",
            means: "A segment has no offset index or no time index.",
            severity: "a warning",
            causes: "Somebody deleted it, or a copy left it out. Forums advise to delete indexes; \
                     for the offset index that is harmless, for the others it is not.",
            broker: "Without an offset index the segment is read from the log again, and all of \
                     its indexes are written anew. Without a time index alone an empty one is \
                     made and stays empty: searches by time miss the segment, and retention by \
                     time goes by the file's modification time.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it, or, for a time index, move the `.index` of the same segment away \
                     too, so that the broker reads the segment again.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::TimeIndexMismatch,
            line: "a time index entry that the log does not bear out",
            means: "An entry says that no record up to an offset has a greater timestamp, and one \
                    has, or the offset is not where that time is.",
            severity: "an error where an entry is wrong; a warning where the next start makes the \
                       index anew, where an earlier batch has a greater time, and where the last \
                       entry of a closed segment is not there",
            causes: "An index of another segment or time, a log that was changed without it, \
                     clocks and retries in old releases.",
            broker: "Believes it: a search by time begins at a wrong offset, and retention by \
                     time goes by its last entry.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it before the broker starts.",
            reports: &["KIP-33"],
        },
        Explanation {
            code: FindingCode::TxnIndexMismatch,
            line: "a transaction index that differs from the aborted transactions of its segment",
            means: "The ABORT markers of the segment and the entries of its `.txnindex` are not \
                    the same. The field lastStableOffset may differ between replicas, and is not \
                    compared.",
            severity: "an error; a warning or a note where the next start makes the index anew",
            causes: "A short last entry, a crash, a log that was changed without it, faults of \
                     old releases (KAFKA-13727, KAFKA-8351).",
            broker: "Believes it, if it is sane: consumers of committed data get the records of \
                     aborted transactions that it does not have, and miss those that it has too \
                     much.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it before the broker starts. What consumers have read already is not \
                     taken back.",
            reports: &["KAFKA-13727", "KAFKA-8351"],
        },
        Explanation {
            code: FindingCode::TxnIndexMissing,
            line: "transactions were aborted in a segment, and no transaction index tells",
            means: "The segment holds ABORT markers of transactions with data, and has no \
                    `.txnindex`. A segment without aborts has none, which is no finding.",
            severity: "an error; a note where the next start makes the index anew",
            causes: "Somebody deleted it, or a copy left it out.",
            broker: "After a clean stop it does not notice: the aborted records are given to \
                     consumers of committed data. After an unclean stop it is written anew from \
                     the recovery point on.",
            repair: "`kfsck repair index` writes it from the log.",
            action: "Rebuild it before the broker starts, or move the `.index` of the same \
                     segment away so that the broker reads it again.",
            reports: &["KAFKA-13727"],
        },
    ],
};
