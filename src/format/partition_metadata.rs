//! `partition.metadata`: the topic id of a partition directory (KIP-516).
//!
//! ```text
//! version: 0
//! topic_id: 7YlvJLFmRy2ZQ9tBN3Ofiw        no end of line behind it
//! ```
//!
//! Kafka splits each line at a colon with white space behind it, wants two parts, and does not look
//! at the first; lines behind the second it does not read. Every version from 0 up is read alike.
//! Source: `PartitionMetadataFile`, `PartitionMetadataReadBuffer` 4.4.0, whose words are
//! `Malformed line in partition metadata file [PATH]: LINE`,
//! `Unrecognized version of partition metadata file (PATH): N` and
//! `Invalid topic ID in partition metadata file (PATH)`. A missing line is a
//! `NullPointerException`.

use super::malformed::{Malformed, Problem, StreamFault};
use super::text_lines::{Line, Lines, is_space, not_utf8};
use super::uuid::Uuid;

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionMetadata {
    /// The version, 0 so far.
    pub version: i32,
    /// The id of the topic, never [`Uuid::ZERO`].
    pub topic_id: Uuid,
}

/// Bytes of the file that Java decodes before it looks at a line: all of them must be UTF-8, and
/// those behind may be anything.
const DECODED_AT_ONCE: usize = 8192;

const FIELD: &str = "partition.metadata";

/// Reads the file, of which nothing but the first two lines counts.
///
/// # Errors
/// The first fault that Kafka stops at.
pub fn decode(bytes: &[u8]) -> Result<PartitionMetadata, Malformed> {
    check_utf8(bytes)?;
    let mut lines = Lines::new(bytes, FIELD);
    let version = next_value(
        &mut lines,
        "version",
        "`version: 0`",
        |line, value, _| match line.number(value, "version")? {
            version @ 0.. => Ok(version),
            below => Err(Malformed {
                field: "version",
                at: line.at,
                problem: Problem::OutOfRange {
                    stored: i64::from(below),
                    expected: "0 or more",
                },
            }),
        },
    )?;
    let expected = "`topic_id: ` and an id";
    let topic_id = next_value(&mut lines, "topic_id", expected, |line, value, column| {
        let at = line.at.saturating_add(column);
        let id = Uuid::parse(value.as_bytes(), "topic_id").map_err(|fault| fault.shifted(at))?;
        if id == Uuid::ZERO {
            return Err(line.fault("topic_id", "an id that is not zero"));
        }
        Ok(id)
    })?;
    Ok(PartitionMetadata { version, topic_id })
}

fn check_utf8(bytes: &[u8]) -> Result<(), Malformed> {
    let (decoded, behind) = bytes
        .split_at_checked(DECODED_AT_ONCE)
        .unwrap_or((bytes, &[]));
    match str::from_utf8(decoded) {
        // A letter that is cut by the end of the piece.
        Err(error) if error.error_len().is_none() && !behind.is_empty() => Ok(()),
        Err(error) => Err(not_utf8(decoded, error, (FIELD, 0))),
        Ok(_) => Ok(()),
    }
}

/// What `read` makes of the next line, its value and where in the line that begins.
fn next_value<T>(
    lines: &mut Lines<&[u8]>,
    field: &'static str,
    expected: &'static str,
    read: impl FnOnce(Line<'_>, &str, usize) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let (text, at) = ("", lines.place());
    let line = lines.next_line().map_err(StreamFault::of_bytes)?;
    let line = line.unwrap_or(Line { text, at });
    match value_of(line.text) {
        Some(value) => read(line, value, line.text.rfind(value).unwrap_or(0)),
        None => Err(line.fault(field, expected)),
    }
}

/// The second of exactly two parts, as `Pattern.compile(":\\s+").split(line)` makes them: empty
/// parts at the end do not count.
fn value_of(line: &str) -> Option<&str> {
    let (_, rest) = split_once(line)?;
    let (value, mut behind) = split_once(rest).unwrap_or((rest, ""));
    while let Some((part, rest)) = split_once(behind) {
        if !part.is_empty() {
            return None;
        }
        behind = rest;
    }
    (behind.is_empty() && !value.is_empty()).then_some(value)
}

/// Splits at the first colon that white space follows, and takes that white space away.
fn split_once(text: &str) -> Option<(&str, &str)> {
    let mut from = 0_usize;
    loop {
        let (_, ahead) = text.split_at_checked(from)?;
        let colon = from.checked_add(ahead.find(':')?)?;
        from = colon.checked_add(1)?;
        let (_, behind) = text.split_at_checked(from)?;
        if behind.starts_with(is_space) {
            let (part, _) = text.split_at_checked(colon)?;
            return Some((part, behind.trim_start_matches(is_space)));
        }
    }
}

/// Writes the file.
#[must_use]
pub fn encode(metadata: &PartitionMetadata) -> Vec<u8> {
    let PartitionMetadata { version, topic_id } = metadata;
    format!("version: {version}\ntopic_id: {topic_id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, truncations, verdicts};

    const FILE: &[u8] = include_bytes!("../../testdata/structures/partition.metadata");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        assert_eq!(encode(&decode(FILE).unwrap()), FILE);
    }

    /// What `PartitionMetadataFile.read` made of each file; of errors only that there was one.
    #[test]
    fn files_as_kafka_reads_them() {
        for (bytes, said) in verdicts("metadata") {
            match (decode(&bytes), said.strip_prefix("read ")) {
                (Ok(read), Some(kafka)) => {
                    assert_eq!(format!("{}|{}", read.version, read.topic_id), kafka);
                }
                (Err(fault), None) => assert_inside(&fault, &bytes),
                (ours, _) => panic!("{ours:?}, Kafka: {said}, {bytes:x?}"),
            }
        }
    }

    /// As `PartitionMetadataFile.read` had it.
    #[test]
    fn bytes_far_behind_the_lines_may_be_anything() {
        let padded = |length: usize| {
            let mut bytes = [FILE, b"\n"].concat();
            bytes.resize(length, b'x');
            bytes.push(0xff);
            decode(&bytes)
        };
        assert!(padded(8191).is_err());
        assert!(padded(8192).is_ok() && padded(20_000).is_ok());
    }

    #[test]
    fn damage_is_refused_or_another_id() {
        for cut in truncations(FILE) {
            assert_inside(&decode(cut).unwrap_err(), cut);
        }
        for flipped in bit_flips(FILE) {
            if let Err(fault) = decode(&flipped) {
                assert_inside(&fault, &flipped);
            }
        }
    }
}
