//! The frame that Kafka's checkpoint files share: a version, a count, a line an entry.
//!
//! ```text
//! 0                   version
//! 2                   how many entries follow
//! topic 0 27          an entry; white space between its words
//! topic 1 92
//! ```
//!
//! The file is replaced as a whole by a rename, so a torn one is rare. An empty file, or one that
//! ends after the version, holds no entries. Kafka ends every line, the last one too.
//! Source: `org.apache.kafka.server.common.CheckpointFile` 4.4.0, whose words are
//! `Malformed line in checkpoint file [PATH]: LINE`,
//! `Unrecognised version:N, expected version: 0 in checkpoint file at: PATH` and
//! `Expected [N] entries in checkpoint file [PATH], but found only [M]`.

use super::malformed::{Malformed, Problem};
use super::text_lines::{Line, Lines};
use std::fmt::Display;

/// The only version there is.
const CURRENT_VERSION: i32 = 0;

/// Reads all entries, or finds the first fault.
pub(super) fn decode<'a, T>(
    bytes: &'a [u8],
    entry: impl Fn(Line<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let mut lines = Lines::new(bytes, "checkpoint")?;
    let Some(line) = lines.next() else {
        return Ok(Vec::new());
    };
    let version: i32 = line.number(line.text, "version")?;
    if version != CURRENT_VERSION {
        return Err(out_of_range(&line, "version", version, "0"));
    }
    let Some(line) = lines.next() else {
        return Ok(Vec::new());
    };
    let count: i32 = line.number(line.text, "count")?;
    if count < 0 {
        return Err(out_of_range(&line, "count", count, "0 or more"));
    }
    // The list grows with the lines that are there, whatever the count says.
    let entries = lines.map(entry).collect::<Result<Vec<T>, Malformed>>()?;
    if usize::try_from(count) == Ok(entries.len()) {
        return Ok(entries);
    }
    Err(Malformed {
        field: "count",
        at: line.at,
        problem: Problem::Mismatch {
            stored: u64::from(count.unsigned_abs()),
            computed: u64::try_from(entries.len()).unwrap_or(u64::MAX),
        },
    })
}

fn out_of_range(
    line: &Line<'_>,
    field: &'static str,
    stored: i32,
    expected: &'static str,
) -> Malformed {
    Malformed {
        field,
        at: line.at,
        problem: Problem::OutOfRange {
            stored: i64::from(stored),
            expected,
        },
    }
}

/// Writes a file of these entries.
pub(super) fn encode<T: Display>(entries: &[T]) -> Vec<u8> {
    let mut text = format!("{CURRENT_VERSION}\n{}\n", entries.len());
    for entry in entries {
        text.push_str(&entry.to_string());
        text.push('\n');
    }
    text.into_bytes()
}
