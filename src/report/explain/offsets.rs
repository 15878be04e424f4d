//! The order of offsets and leader epochs, within a segment and between neighbours.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Offsets, segments and leader epochs",
    about: "No checksum covers a batch's base offset and leader epoch, and none covers a file's \
            name: only the neighbours tell.",
    entries: &[
        Explanation {
            code: FindingCode::OffsetRegression,
            line: "an offset that is not above the one before it",
            means: "A batch begins at or below the last offset of the batch before it. The same \
                    offset then has two contents, or the log goes back. Where the neighbours \
                    leave room for one base offset alone, the batch between them has the damaged \
                    field, the evidence says what it should be, and all else is held against the \
                    log with the batch at that place. Of the last batch of a log the greatest \
                    name of a producer snapshot or segment tells it in place of a neighbour \
                    behind it.",
            severity: "always an error",
            causes: "A flipped bit in a base offset; a segment that was put together by hand; \
                     faults of brokers that appended twice (KAFKA-19407, KAFKA-3919).",
            broker: "Loads the log after a clean stop. Recovery after an unclean one writes the \
                     index anew, and an index entry that does not rise makes it empty the whole \
                     segment. Consumers may get an offset twice or skip records, depending on \
                     where they begin.",
            repair: "`kfsck repair log --truncate` cuts in front of the batch; `--salvage` keeps, \
                     of the orders that are possible, the one with the most batches, and puts a \
                     batch back where its neighbours leave it exactly one place. No other offset \
                     is ever given anew.",
            action: "Compare the batches at both places with another replica: one of them is \
                     right.",
            reports: &["KAFKA-19407", "KAFKA-3919"],
        },
        Explanation {
            code: FindingCode::OffsetOverflow,
            line: "an offset that its segment's index or 64 bits cannot hold",
            means: "The offset lies 2^31 or more above the segment's base offset, where an index \
                    has no room for it, or base offset and delta add up to more than 64 bits \
                    hold.",
            severity: "always an error",
            causes: "Compaction of old releases, which put segments together whose offsets lie \
                     far apart (KAFKA-5413); else a flipped bit in a base offset.",
            broker: "Splits such a segment when it loads the log, under the suffix `.swap`.",
            repair: "`kfsck repair log` splits the segment. An offset beyond 64 bits is damage.",
            action: "If the neighbours' offsets are near, it is a flipped bit: take the partition \
                     from another replica. Otherwise let the broker split it.",
            reports: &["KAFKA-5413"],
        },
        Explanation {
            code: FindingCode::SegmentGap,
            line: "offsets are missing between two segments, and nothing explains it",
            means: "A segment ends below the base offset of the next one. In a compacted log that \
                    is legal.",
            severity: "a warning; a note where compaction, the log's start, damage in front or a \
                       `.swap` file explains it",
            causes: "A segment in the middle was deleted or not copied, or its end was cut.",
            broker: "Does not notice. Whoever reads an offset in the gap gets the next one that \
                     is there.",
            repair: "Nothing: what is missing is not here. A hole on a follower is never fetched \
                     again, and becomes the leader's truth if it is elected.",
            action: "Look for the segment in the copy's source and on the other replicas. If one \
                     has it, let the broker fetch the partition again before this replica can \
                     lead.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::SegmentOverlap,
            line: "a segment holds offsets at or above the base of the next one",
            means: "Two segments claim the same offsets.",
            severity: "always an error",
            causes: "Files of two copies or of two times in one directory; a compaction or a \
                     split that was broken off and mended by hand; a segment under a wrong name.",
            broker: "Does not notice. It reads offsets from the second base on in the second \
                     segment alone, so the end of the first is lost to readers, or read twice by \
                     those who come from its front.",
            repair: "`kfsck repair log --salvage` keeps, of the orders that are possible, the one \
                     with the most batches; `--truncate` cuts where the overlap begins. Where the \
                     names of files were exchanged, both give them back.",
            action: "Find out which files do not belong here (their times, other replicas).",
            reports: &[],
        },
        Explanation {
            code: FindingCode::NameMismatch,
            line: "the name of a file is not the offset that it holds",
            means: "A segment's first batch begins below the offset of its name, or the name is \
                    not one that a broker writes (20 digits).",
            severity: "an error; a note in a directory that is to be deleted",
            causes: "A file that was renamed or copied under another name; a flipped bit in the \
                     first base offset.",
            broker: "Looks for the name of 20 digits alone, and makes the file, empty, where it \
                     is not: nothing of a file of another name is in the log then. Offsets below \
                     the name's are found by nobody, and no index can name them.",
            repair: "`kfsck repair log` gives files their names back where these were exchanged, \
                     and a file where its batches fill exactly what its neighbours leave. A copy \
                     of another segment, byte for byte, goes. Otherwise batches below the name's \
                     offset are damage to it.",
            action: "With the broker stopped, give a name without its 20 digits back to the file \
                     (`mv 60.log 00000000000000000060.log`), and to those beside it (`.index`, \
                     `.timeindex`, `.txnindex`). Where the digits are wrong, find the right ones \
                     from the batches and the neighbours.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::LeaderEpochRegression,
            line: "a batch of an older leader epoch than one before it",
            means: "Each leader writes its epoch into the batches that it appends, so it never \
                    falls along a log, but where one of the batches is not a leader's.",
            severity: "a warning; an error where it is one batch alone and its neighbours show \
                       that this field is damaged",
            causes: "A flipped bit in the field, which no checksum covers; batches appended by a \
                     tool with another epoch; files of two copies in one directory.",
            broker: "Loads it. A follower that copies a batch of a lower epoch forgets all later \
                     epochs of its cache, so that it may cut at a wrong place when the leader \
                     changes; one above the leader's epoch it passes over without a word, with all \
                     behind it, for ever. Recovery assigns rising epochs alone.",
            repair: "One batch alone between two that leave it no such epoch: `kfsck repair log \
                     --salvage` gives it one that fits, that of leader-epoch-checkpoint or the \
                     lower one, and `--truncate` cuts in front of it. Where epochs fall for longer \
                     nothing changes. `kfsck repair log` writes leader-epoch-checkpoint anew where \
                     it does not say what the batches say.",
            action: "Compare with other replicas. If only this copy has it, let the broker fetch \
                     the partition again.",
            reports: &["KIP-101", "KIP-320"],
        },
    ],
};
