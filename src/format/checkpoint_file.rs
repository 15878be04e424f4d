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

use super::malformed::{Malformed, Problem, StreamFault};
use super::text_lines::{Line, Lines};
use std::fmt::Display;
use std::io::BufRead;

/// The only version there is.
const CURRENT_VERSION: i32 = 0;

/// Walks the entries of a file while it is read; ends after the first fault. The count is held
/// against the entries when all were there.
pub(super) struct Entries<R, F> {
    lines: Lines<R>,
    entry: F,
    frame: Option<Frame>,
    read: u64,
    over: bool,
}

/// What stands in front of the entries.
#[derive(Debug, Clone, Copy)]
struct Frame {
    count: i32,
    /// Where the count stands.
    at: usize,
}

impl<R: BufRead, F> Entries<R, F> {
    /// The entries of a stream, each read from its line by `entry`.
    pub(super) const fn new(input: R, entry: F) -> Self {
        Self {
            lines: Lines::new(input, "checkpoint"),
            entry,
            frame: None,
            read: 0,
            over: false,
        }
    }

    /// Version and count; `None` where the file ends before the count.
    fn read_frame(&mut self) -> Result<Option<Frame>, StreamFault> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(None);
        };
        let version: i32 = line.number(line.text, "version")?;
        if version != CURRENT_VERSION {
            return Err(out_of_range(&line, "version", version, "0").into());
        }
        let Some(line) = self.lines.next_line()? else {
            return Ok(None);
        };
        let count: i32 = line.number(line.text, "count")?;
        if count < 0 {
            return Err(out_of_range(&line, "count", count, "0 or more").into());
        }
        Ok(Some(Frame { count, at: line.at }))
    }

    fn step<T>(&mut self) -> Result<Option<T>, StreamFault>
    where
        F: FnMut(Line<'_>) -> Result<T, Malformed>,
    {
        if self.frame.is_none() {
            self.frame = self.read_frame()?;
        }
        let Some(frame) = self.frame else {
            return Ok(None);
        };
        if let Some(line) = self.lines.next_line()? {
            self.read = self.read.saturating_add(1);
            return Ok(Some((self.entry)(line)?));
        }
        let stored = u64::from(frame.count.unsigned_abs());
        if stored == self.read {
            return Ok(None);
        }
        let computed = self.read;
        Err(StreamFault::Malformed(Malformed {
            field: "count",
            at: frame.at,
            problem: Problem::Mismatch { stored, computed },
        }))
    }
}

impl<T, R: BufRead, F: FnMut(Line<'_>) -> Result<T, Malformed>> Iterator for Entries<R, F> {
    type Item = Result<T, StreamFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let entry = self.step().transpose();
        self.over = !matches!(entry, Some(Ok(_)));
        entry
    }
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
