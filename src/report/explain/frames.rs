//! Bytes that hold no batch, and batches whose bytes are not those that were written.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "Bytes that hold no sound batch",
    about: "Every byte of a segment belongs to a batch or to damage. Reading goes on behind \
            damage; a broker's recovery does not.",
    entries: &[
        Explanation {
            code: FindingCode::CrcMismatch,
            line: "the stored checksum is not that of the bytes",
            means: "The CRC-32C of a batch covers everything behind it, from the attributes to \
                    the last record (in formats 0 and 1 it is a CRC-32 of the message). It is \
                    another one than is stored, so at least one bit of the batch is not as it was \
                    written. Base offset, length, leader epoch and magic stand in front of it and \
                    are not covered.",
            severity: "always an error",
            causes: "A disk or its controller, memory without error correction, a copy that was \
                     broken off and went on elsewhere, or a tool that changed a batch and did not \
                     compute the checksum anew. A stored checksum of 0 is right if the bytes say \
                     so (redpanda#4113).",
            broker: "After a clean stop it is not noticed: the log is not read. Consumers that \
                     compare checksums (check.crcs, on by default) stop at the batch, and \
                     followers that fetch it refuse it again and again. After an unclean stop \
                     recovery cuts the log in front of the batch, if it lies at or behind the \
                     recovery point, and deletes every later segment.",
            repair: "`kfsck repair log --truncate` cuts in front of it; `--salvage` keeps all \
                     good batches before and behind it and reports the hole. The bytes of the \
                     batch itself cannot be had back from them.",
            action: "Look at the same offsets on the other replicas. Where one is sound, let the \
                     broker fetch this copy again. Where none is, `--salvage` loses the batch \
                     alone.",
            reports: &["KIP-98", "redpanda#4113"],
        },
        Explanation {
            code: FindingCode::ZeroTail,
            line: "zeros from here to the end of the file",
            means: "From here on the file holds nothing but zeros. No batch was written there.",
            severity: "an error; a warning at the end of the last segment where the next start \
                       recovers it: it cuts the zeros off and loses nothing",
            causes: "Preallocated space (`preallocate=true`, and every segment of the metadata \
                     log), which a clean stop cuts off and a killed broker leaves; or a file \
                     system that made the file longer before its blocks reached the disk, after a \
                     power failure.",
            broker: "Recovery after an unclean stop cuts the zeros off and keeps every batch in \
                     front of them; in a segment that is not the last it deletes all later ones. \
                     `nextStart` says what happens if the last stop was clean.",
            repair: "`kfsck repair log --salvage` drops the zeros. In the last segment \
                     `--truncate` does the same; in front of others it loses those.",
            action: "In the last segment nothing, if the broker was killed and starts again. If \
                     batches should have been here, the disk never got them: take them from \
                     another replica.",
            reports: &["redpanda#4099"],
        },
        Explanation {
            code: FindingCode::TruncatedTail,
            line: "the file ends inside what begins here",
            means: "A batch begins here and says that it is longer than what is left of the file.",
            severity: "always an error",
            causes: "A broker that was killed, or a disk that was full, while the batch was \
                     written; a copy that was broken off; a length with a flipped bit close to \
                     the end.",
            broker: "Recovery after an unclean stop cuts the log here. The producer of the batch \
                     was not told that it is safe unless another replica has it. In a segment \
                     that is not the last, recovery deletes all later ones too.",
            repair: "Of a batch that is not whole nothing is kept. In the last segment `kfsck \
                     repair log --truncate` and `--salvage` both cut here; in front of other \
                     segments `--salvage` keeps those, and `--truncate` loses them.",
            action: "In the last segment let the broker start and recover. Where this is a copy, \
                     compare its size with the original first. In front of other segments do not \
                     start a broker on it: no write ends there.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::Garbage,
            line: "bytes that look like no record set at all",
            means: "Neither a header of any format begins here nor is this a stretch of zeros: \
                    the bytes up to the next batch that frames and checks are something else.",
            severity: "always an error",
            causes: "A block of another file (a disk or file system that mixed them up), a \
                     segment that was encrypted or compressed from outside, or a write that went \
                     to a wrong place.",
            broker: "Recovery after an unclean stop cuts the log here and deletes all later \
                     segments. After a clean stop, whoever fetches from here gets an error.",
            repair: "`kfsck repair log --truncate` cuts here; `--salvage` keeps what lies behind \
                     it.",
            action: "Take the partition from a healthy replica. Find out what the foreign bytes \
                     are: a disk that swaps blocks does it elsewhere too.",
            reports: &["redpanda#31543"],
        },
        Explanation {
            code: FindingCode::BadBatchHeader,
            line: "offset, length, magic or checksum deny that a batch begins here",
            means: "A batch should begin here, and its header does not hold together: the magic \
                    is unknown, the length leads nowhere, or the base offset cannot be one. The \
                    evidence names the field. What lies between here and the next good batch is \
                    one stretch of damage.",
            severity: "always an error",
            causes: "One flipped bit in the first 17 bytes, which no checksum covers; a header of \
                     which only a part reached the disk; zeros in the middle of a file, left by a \
                     write that came after this one and survived it.",
            broker: "Recovery after an unclean stop cuts the log here and deletes all later \
                     segments. After a clean stop, fetches that begin in front of it do not get \
                     past it.",
            repair: "`kfsck repair log --truncate` cuts here; `--salvage` leaves out these bytes \
                     and goes on with the next good batch under its own offset.",
            action: "Compare with the same offsets of another replica, and let the broker fetch \
                     this copy again where that one is sound.",
            reports: &["redpanda#31543"],
        },
    ],
};
