//! `leader-epoch-checkpoint`: at which offset each leader of a partition began to write (KIP-101).
//!
//! The frame is that of every checkpoint file: version 0, a count, then lines of
//! `epoch startOffset`. Replicas use it to find where they diverge. It may be trusted where the
//! batches at those offsets carry those epochs. Kafka's reader takes any order; both numbers rise
//! in a file that a broker wrote.
//! Source: `LeaderEpochCheckpointFile` 4.4.0, with the errors of `OffsetCheckpointFile`.

use super::checkpoint_file;
use super::malformed::Malformed;
use super::number::{LeaderEpoch, Offset};
use super::text_lines::Line;
use std::fmt;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochEntry {
    /// The epoch.
    pub leader_epoch: LeaderEpoch,
    /// The offset of its first record.
    pub start_offset: Offset,
}

impl fmt::Display for EpochEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.leader_epoch, self.start_offset)
    }
}

/// Reads all entries, in the order of the file.
///
/// # Errors
/// The first fault that Kafka stops at.
pub fn decode(bytes: &[u8]) -> Result<Vec<EpochEntry>, Malformed> {
    checkpoint_file::decode(bytes, read_entry)
}

fn read_entry(line: Line<'_>) -> Result<EpochEntry, Malformed> {
    let mut words = line.words();
    let (Some(epoch), Some(offset), None) = (words.next(), words.next(), words.next()) else {
        return Err(line.fault("entry", "epoch and start offset"));
    };
    Ok(EpochEntry {
        leader_epoch: LeaderEpoch(line.number(epoch, "epoch")?),
        start_offset: Offset(line.number(offset, "startOffset")?),
    })
}

/// Writes a file of these entries, in the order given.
#[must_use]
pub fn encode(entries: &[EpochEntry]) -> Vec<u8> {
    checkpoint_file::encode(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILE: &[u8] = include_bytes!("../../testdata/structures/leader-epoch-checkpoint");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        let entries = decode(FILE).unwrap();
        let texts: Vec<_> = entries.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["1 0", "2 222", "3 305"]);
        assert_eq!(encode(&entries), FILE);
    }

    /// What `LeaderEpochCheckpointFile.read` made of each file; of errors only that there was one.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("epochs") {
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(entries), Some(read)) => {
                    let show = |e: &EpochEntry| format!("{}|{}", e.leader_epoch, e.start_offset);
                    let ours: Vec<_> = entries.iter().map(show).collect();
                    assert_eq!(ours.join(","), read);
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}"),
            }
        }
    }

    #[test]
    fn damage_is_refused_or_another_list() {
        for cut in truncations(FILE) {
            match decode(cut) {
                // The count is gone, or only the end of the last number is.
                Ok(entries) => assert!(cut.len() < 3 || entries.len() == 3),
                Err(fault) => assert_inside(&fault, cut),
            }
        }
        for flipped in bit_flips(FILE) {
            if let Err(fault) = decode(&flipped) {
                assert_inside(&fault, &flipped);
            }
        }
    }
}
