//! What is inside a batch: codec, payload, records and their times.

use super::{Explanation, Group};
use crate::analysis::check::code::FindingCode;

pub(super) const GROUP: Group = Group {
    title: "What is inside a batch",
    about: "Found from `--depth records` on, unless said. A broker looks into a batch when it is \
            produced and when a log is compacted, never when it starts.",
    entries: &[
        Explanation {
            code: FindingCode::UnknownCodec,
            line: "the attributes name a compression codec that does not exist",
            means: "The lowest three bits of the attributes are 5, 6 or 7. Kafka knows 0 (none), \
                    1 (gzip), 2 (snappy), 3 (lz4) and 4 (zstd).",
            severity: "always an error",
            causes: "A writer that is newer than every release, or one with a fault. If the \
                     checksum is wrong too, a flipped bit.",
            broker: "Loads the log. Consumers fail at the batch and do not get past it.",
            repair: "`kfsck repair log` treats the batch as damage: `--truncate` cuts in front of \
                     it, `--salvage` leaves it out.",
            action: "If the checksum is right, ask who produced it; else treat it as a flipped \
                     bit.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::PayloadUndecodable,
            line: "the compressed records do not decompress",
            means: "The stream behind the header is not one of its codec, or ends too early.",
            severity: "always an error",
            causes: "With a wrong checksum, damage. With a right one, a client library whose \
                     compression is broken: the broker of some releases stores what it is sent.",
            broker: "Loads the log. Consumers fail at the batch. In a compacted topic the cleaner \
                     fails too, and the partition is not cleaned any more (KIP-346).",
            repair: "`kfsck repair log` treats the batch as damage: `--truncate` cuts in front of \
                     it, `--salvage` leaves it out.",
            action: "Look at another replica. If the bytes are the same there, the producer sent \
                     them so: skip the offsets in the consumers and mend the producer.",
            reports: &["KIP-346"],
        },
        Explanation {
            code: FindingCode::PayloadTooLarge,
            line: "a record above the limit, or bytes behind the last record",
            means: "A record says that it is larger than what this program is willing to hold in \
                    memory, or the payload goes on when all records of the header's count are \
                    read, with bytes that are no record.",
            severity: "always an error",
            causes: "Damage, a length that was made up, or a small payload that decompresses to \
                     gigabytes. Records that are really so large are rare: message.max.bytes is 1 \
                     MB unless somebody raised it.",
            broker: "Loads the log. A consumer that decompresses it may run out of memory.",
            repair: "`kfsck repair log` treats the batch as damage: `--truncate` cuts in front of \
                     it, `--salvage` leaves it out.",
            action: "Look at the batch with `kfsck dump-log`. If records of this size are meant, \
                     raise the limit there (`--max-record-bytes`).",
            reports: &[],
        },
        Explanation {
            code: FindingCode::RecordMalformed,
            line: "a record's bytes are no record, or its offset is not one of its batch's",
            means: "A length, a varint or a header count inside the payload does not fit what is \
                    there, or an offset is outside the batch or does not rise.",
            severity: "always an error",
            causes: "With a wrong checksum, damage. With a right one, a producer that encodes \
                     records wrongly, such as one that counts headers wrong.",
            broker: "Loads the log. Consumers fail at the record with everything behind it in the \
                     batch; a compacted partition is not cleaned any more (KIP-346).",
            repair: "`kfsck repair log` treats the batch as damage: `--truncate` cuts in front of \
                     it, `--salvage` leaves it out.",
            action: "Compare with another replica; if it is the same there, skip the offsets in \
                     the consumers and mend the producer.",
            reports: &["kafka-protocol-rs#156", "kafka-go#1442", "KIP-346"],
        },
        Explanation {
            code: FindingCode::RecordCountMismatch,
            line: "the batch holds another number of records than it says",
            means: "The header's record count is not the number of records in the payload. A \
                    count below the span of offsets is legal: compaction leaves such batches, and \
                    empty ones.",
            severity: "always an error",
            causes: "A producer that counts wrong, or damage under a checksum that was computed \
                     afterwards. Counts such as 2147483647 or -1 come from made-up batches; no \
                     memory is taken by them.",
            broker: "Loads the log. Consumers fail at the batch, for the Java client compares \
                     both.",
            repair: "`kfsck repair log` treats the batch as damage: `--truncate` cuts in front of \
                     it, `--salvage` leaves it out.",
            action: "Compare with another replica; if it is the same there, mend the producer.",
            reports: &["kafka-protocol-rs#156", "kafka-go#1442"],
        },
        Explanation {
            code: FindingCode::BatchNotCanonical,
            line: "written anew, the batch is not the same bytes",
            means: "Found with `--depth rewrite` alone. Every record decodes, and when the batch \
                    is written anew from what was decoded, other bytes result (other records, if \
                    it is compressed); or its attributes have bits that no release writes.",
            severity: "always a note: such a batch is legal",
            causes: "A client that writes varints longer than they need be or sets bits that have \
                     no meaning. A batch that holds something hidden looks the same.",
            broker: "Takes it like any other. If it is compacted, the cleaner writes it anew.",
            repair: "Nothing.",
            action: "Nothing. It tells batches of different client libraries apart.",
            reports: &[],
        },
        Explanation {
            code: FindingCode::MaxTimestampMismatch,
            line: "the greatest timestamp of the records is not the header's",
            means: "The header of a batch with CreateTime keeps the greatest timestamp of its \
                    records. It is another one.",
            severity: "a warning",
            causes: "A producer or a mirroring tool that fills the field wrongly; a broker that \
                     did not check it, as those of old releases.",
            broker: "Believes the header: time index, retention by time and the search for an \
                     offset by time follow it.",
            repair: "Nothing: the field is under the checksum and belongs to the producer's \
                     bytes.",
            action: "If segments are kept too long or go too soon, this is why. Mend the \
                     producer; what is stored goes with retention.",
            reports: &["KIP-32", "KIP-33"],
        },
        Explanation {
            code: FindingCode::FutureTimestamp,
            line: "a timestamp in the future: the segment is kept until then",
            means: "The greatest timestamp of a segment lies more than an hour after the time by \
                    which is judged (`--now`).",
            severity: "a warning",
            causes: "A producer whose clock is wrong, or that writes microseconds or nanoseconds \
                     where milliseconds belong. Since KIP-937 a broker refuses times more than an \
                     hour ahead, unless message.timestamp.after.max.ms says otherwise.",
            broker: "Keeps the segment until retention.ms after that time, and every later \
                     segment behind it: retention deletes from the front and stops at the first \
                     that must stay. Retention by size still works.",
            repair: "Nothing.",
            action: "Set retention.bytes for a while, or delete up to an offset with \
                     kafka-delete-records.sh; mend the producer.",
            reports: &["KIP-937"],
        },
    ],
};
