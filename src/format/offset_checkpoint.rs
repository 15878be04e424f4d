//! An offset for each partition of a log directory, in one of four files:
//! `recovery-point-offset-checkpoint` (all before it is flushed), `replication-offset-checkpoint`
//! (high watermarks), `log-start-offset-checkpoint` (only where the log does not begin with its
//! first segment), `cleaner-offset-checkpoint` (compaction has come so far).
//!
//! The frame is that of every checkpoint file: version 0, a count, then lines of
//! `topic partition offset`. Kafka writes them in no order; of a partition named twice the last
//! line counts. The numbers are as old as the last write: after a crash they are behind the log.
//! Source: `OffsetCheckpointFile` 4.4.0. A line of other than three words is a malformed line to
//! it; a word that is no number ends its reading with a `NumberFormatException`.

use super::checkpoint_file;
use super::malformed::{Malformed, Problem, StreamFault};
use super::number::Offset;
use super::text_lines::{Line, is_space};
use std::fmt;
use std::io::BufRead;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetEntry {
    /// The topic.
    pub topic: String,
    /// The partition's number, 0 and up.
    pub partition: i32,
    /// The offset; what it says depends on the file.
    pub offset: Offset,
}

impl fmt::Display for OffsetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.topic, self.partition, self.offset)
    }
}

/// Reads entry by entry, in the order of the file, up to and with the first fault that Kafka stops
/// at. A wrong count is known at the end; a line above 1 MiB is a fault here alone.
pub fn entries(input: impl BufRead) -> impl Iterator<Item = Result<OffsetEntry, StreamFault>> {
    checkpoint_file::Entries::new(input, read_entry)
}

/// Reads all entries of a file in memory.
///
/// # Errors
/// The first fault that Kafka stops at.
pub fn decode(bytes: &[u8]) -> Result<Vec<OffsetEntry>, Malformed> {
    entries(bytes)
        .collect::<Result<_, _>>()
        .map_err(StreamFault::of_bytes)
}

fn read_entry(line: Line<'_>) -> Result<OffsetEntry, Malformed> {
    let mut words = line.words();
    let (Some(topic), Some(partition), Some(offset), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(line.fault("entry", "topic, partition and offset"));
    };
    Ok(OffsetEntry {
        topic: topic.to_owned(),
        partition: line.number(partition, "partition")?,
        offset: Offset(line.number(offset, "offset")?),
    })
}

/// Writes a file of these entries, in the order given.
///
/// # Errors
/// [`Problem::Text`] for a topic that is empty or holds white space: it could not be read again.
pub fn encode(entries: &[OffsetEntry]) -> Result<Vec<u8>, Malformed> {
    for entry in entries {
        if entry.topic.is_empty() || entry.topic.contains(is_space) {
            return Err(Malformed {
                field: "topic",
                at: 0,
                problem: Problem::text(entry.topic.as_bytes(), "a name without white space"),
            });
        }
    }
    Ok(checkpoint_file::encode(entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILES: [&[u8]; 4] = [
        include_bytes!("../../testdata/structures/recovery-point-offset-checkpoint"),
        include_bytes!("../../testdata/structures/replication-offset-checkpoint"),
        include_bytes!("../../testdata/structures/log-start-offset-checkpoint"),
        include_bytes!("../../testdata/structures/cleaner-offset-checkpoint"),
    ];

    #[test]
    fn files_of_a_broker_round_trip() {
        for bytes in FILES {
            assert_eq!(encode(&decode(bytes).unwrap()).unwrap(), bytes);
        }
        let trimmed = &decode(FILES[2]).unwrap()[0];
        assert_eq!(trimmed.to_string(), "trimmed 0 56");
        assert_eq!(decode(FILES[0]).unwrap().len(), 35);
    }

    /// What `OffsetCheckpointFile.read` made of each file; of errors only that there was one.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("offsets") {
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(entries), Some(read)) => {
                    let ours = entries.last().map_or_else(String::new, |entry| {
                        let topic = escaped(&entry.topic);
                        format!("{topic}|{}|{}", entry.partition, entry.offset)
                    });
                    assert_eq!(ours, read);
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}"),
            }
        }
    }

    /// Letters above ASCII as the golden file writes them.
    fn escaped(text: &str) -> String {
        let escape = |letter: char| match letter {
            ' '..='~' => letter.to_string(),
            other => format!("\\u{:04x}", u32::from(other)),
        };
        text.chars().map(escape).collect()
    }

    #[test]
    fn damage_is_refused_or_another_list() {
        let original = decode(FILES[3]).unwrap();
        for cut in truncations(FILES[3]) {
            match decode(cut) {
                // The count is gone, or only the end of the last line is.
                Ok(entries) => assert!(cut.len() < 3 || entries.len() == original.len()),
                Err(fault) => assert_inside(&fault, cut),
            }
        }
        for flipped in bit_flips(FILES[3]) {
            if let Err(fault) = decode(&flipped) {
                assert_inside(&fault, &flipped);
            }
        }
    }

    #[test]
    fn a_topic_that_could_not_be_read_again_is_not_written() {
        for topic in ["", "a b", "a\n"] {
            let entry = OffsetEntry {
                topic: topic.to_owned(),
                partition: 0,
                offset: Offset(0),
            };
            assert!(encode(&[entry]).is_err());
        }
    }
}
