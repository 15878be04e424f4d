//! `leader-epoch-checkpoint`: at which offset each leader of a partition began to write (KIP-101).
//!
//! The frame is that of every checkpoint file: version 0, a count, then lines of
//! `epoch startOffset`. Replicas use it to find where they diverge. It may be trusted where the
//! batches at those offsets carry those epochs. Kafka's reader takes any numbers in any order; both
//! rise in a file that a broker wrote, and the cache that the lines go to holds a line that breaks
//! this against the file: see [`CacheFault`].
//! Source: `LeaderEpochCheckpointFile`, `LeaderEpochFileCache` 4.4.0.

use super::checkpoint_file;
use super::malformed::{Malformed, Problem, StreamFault};
use super::number::{LeaderEpoch, Offset};
use super::text_lines::Line;
use std::fmt;
use std::io::BufRead;

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

/// What a broker's cache does with a line that its reader takes (`LeaderEpochFileCache.assign`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheFault {
    /// A number below 0: an exception ends the loading of the partition.
    #[error("{0}; a broker does not load this partition")]
    Refused(Malformed),
    /// A number that is not above the one in the line before: the cache keeps one of the lines and
    /// says so in a warning at most.
    #[error("{0}; a broker drops one of the two lines when it loads the partition")]
    Dropped(Malformed),
}

impl CacheFault {
    /// Where and what.
    #[must_use]
    pub const fn malformed(&self) -> &Malformed {
        match self {
            Self::Refused(fault) | Self::Dropped(fault) => fault,
        }
    }
}

/// Reads entry by entry, each with what the cache holds against it, in the order of the file, up
/// to and with the first fault that Kafka's reader stops at. A wrong count is known at the end; a
/// line above 1 MiB is a fault here alone.
pub fn entries(
    input: impl BufRead,
) -> impl Iterator<Item = Result<(EpochEntry, Option<CacheFault>), StreamFault>> {
    let mut before = None;
    checkpoint_file::Entries::new(input, move |line: Line<'_>| {
        let entry = read_entry(line)?;
        let fault = cache_fault(line, before, entry);
        before = Some(entry);
        Ok((entry, fault))
    })
}

/// Reads all entries of a file in memory.
///
/// # Errors
/// The first fault that Kafka's reader stops at.
pub fn decode(bytes: &[u8]) -> Result<Vec<EpochEntry>, Malformed> {
    entries(bytes)
        .map(|line| Ok(line?.0))
        .collect::<Result<_, _>>()
        .map_err(StreamFault::of_bytes)
}

fn cache_fault(
    line: Line<'_>,
    before: Option<EpochEntry>,
    entry: EpochEntry,
) -> Option<CacheFault> {
    let fault = |field, stored, expected| Malformed {
        field,
        at: line.at,
        problem: Problem::OutOfRange { stored, expected },
    };
    let numbers = |entry: EpochEntry| {
        [
            ("epoch", i64::from(entry.leader_epoch.0)),
            ("startOffset", entry.start_offset.0),
        ]
    };
    if let Some((field, stored)) = numbers(entry).into_iter().find(|(_, stored)| *stored < 0) {
        return Some(CacheFault::Refused(fault(field, stored, "0 or more")));
    }
    let pairs = numbers(entry).into_iter().zip(numbers(before?));
    let mut pairs = pairs.filter(|((_, stored), (_, before))| stored <= before);
    let ((field, stored), _) = pairs.next()?;
    let expected = "more than in the line before";
    Some(CacheFault::Dropped(fault(field, stored, expected)))
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

    /// Each line beside what `LeaderEpochFileCache` held of the file: an exception for a number
    /// below 0; of `3 10`, `2 20` and of `3 10`, `4 10` the second line alone, of `3 10`, `3 20`
    /// the first.
    #[test]
    fn lines_that_the_cache_does_not_keep() {
        let faults = |text: &str| -> Vec<_> {
            let lines = entries(text.as_bytes()).map(|line| line.unwrap().1);
            lines.flatten().map(|fault| fault.to_string()).collect()
        };
        assert!(faults("0\n3\n0 0\n3 10\n4 11\n").is_empty());
        for (text, told, place) in [
            ("0\n1\n-1 0\n", "does not load", "epoch at byte 4"),
            ("0\n1\n0 -1\n", "does not load", "startOffset at byte 4"),
            ("0\n2\n3 10\n2 20\n", "drops", "epoch at byte 9"),
            ("0\n2\n3 10\n3 20\n", "drops", "epoch at byte 9"),
            ("0\n2\n3 10\n4 10\n", "drops", "startOffset at byte 9"),
        ] {
            let [fault] = &faults(text)[..] else {
                panic!("{text:?}: {:?}", faults(text));
            };
            assert!(fault.contains(told) && fault.starts_with(place), "{fault}");
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
