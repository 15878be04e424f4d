//! The time index (`.timeindex`): which offset some timestamps were first reached at.
//!
//! ```text
//! entry:  | timestamp i64 | relative offset i32 |      12 bytes, repeated to the end of the file
//! ```
//!
//! An entry says: up to this offset, no record is younger than this timestamp (KIP-33). The
//! relative offset counts from the segment's base offset, which only the file's name tells. No
//! checksum covers an entry: it may be trusted once a batch with that last offset and that maximum
//! timestamp was found. A file that no clean shutdown trimmed ends in zero entries, and Kafka's own
//! check refuses such a file unless it holds zeros only.
//! Source: `org.apache.kafka.storage.internals.log.TimeIndex` 4.4.0.

use super::entry_file::{IndexEntry, ReadAt, SegmentIndex};
use super::malformed::Malformed;
use super::number::{Offset, Timestamp};
use super::offset_index::relative_offset;
use std::fmt;

/// Where the timestamp stands in an entry.
pub const TIMESTAMP: usize = 0;
/// Where the relative offset stands in an entry.
pub const RELATIVE_OFFSET: usize = TIMESTAMP + size_of::<i64>();
/// The size of an entry, in bytes.
pub const ENTRY_SIZE: usize = RELATIVE_OFFSET + size_of::<i32>();

/// One entry, its offset made absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeIndexEntry {
    /// The largest timestamp of the records up to `offset`.
    pub timestamp: Timestamp,
    /// The last offset of the batch that holds the record of that timestamp.
    pub offset: Offset,
}

impl IndexEntry<ENTRY_SIZE> for TimeIndexEntry {
    fn read(bytes: &[u8; ENTRY_SIZE], base_offset: Offset) -> Self {
        let [t0, t1, t2, t3, t4, t5, t6, t7, r0, r1, r2, r3] = *bytes;
        let relative = i32::from_be_bytes([r0, r1, r2, r3]);
        Self {
            timestamp: Timestamp(i64::from_be_bytes([t0, t1, t2, t3, t4, t5, t6, t7])),
            offset: base_offset.plus(i64::from(relative)),
        }
    }

    fn offset(&self) -> Offset {
        self.offset
    }

    fn key(&self) -> i64 {
        self.timestamp.0
    }
}

/// A time index over the bytes of its file.
pub type TimeIndex<R> = SegmentIndex<TimeIndexEntry, R, ENTRY_SIZE>;

impl<R: ReadAt> TimeIndex<R> {
    /// The entry with the largest timestamp that is at most `target`, found as a broker finds it;
    /// timestamp -1 and the base offset when there is none (`TimeIndex.lookup`).
    ///
    /// # Errors
    /// A read that failed.
    pub fn lookup(&mut self, target: Timestamp) -> Result<TimeIndexEntry, R::Error> {
        let found = self.search(target.0)?;
        Ok(found.unwrap_or(TimeIndexEntry {
            timestamp: Timestamp::NONE,
            offset: self.base_offset(),
        }))
    }

    /// The check of `TimeIndex.sanityCheck`: first and last entry and the file's length. A file
    /// with entries and zero padding behind them fails it. The first fault in Kafka's order, or
    /// none.
    ///
    /// # Errors
    /// A read that failed.
    pub fn sanity_check(&mut self) -> Result<Option<SanityFault>, R::Error> {
        let base = self.base_offset();
        if let Some((first, last)) = self.ends()? {
            if last.timestamp < first.timestamp {
                return Ok(Some(SanityFault::LastTimestampBelowFirst {
                    last: last.timestamp,
                    first: first.timestamp,
                }));
            }
            if last.offset < base {
                let last = last.offset;
                return Ok(Some(SanityFault::LastOffsetBelowBase { last, base }));
            }
        }
        let length = self.file().length();
        let cut = self.file().cut();
        Ok(cut.map(|_| SanityFault::NotWholeEntries { length }))
    }
}

/// Appends one entry.
///
/// # Errors
/// [`OutOfRange`](super::malformed::Problem::OutOfRange) when the offset is below `base_offset` or
/// more than 2147483647 above it.
pub fn encode(
    entry: TimeIndexEntry,
    base_offset: Offset,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let relative = relative_offset(entry.offset, base_offset)
        .map_err(|fault| fault.shifted(RELATIVE_OFFSET))?;
    out.extend(entry.timestamp.0.to_be_bytes());
    out.extend(relative.to_be_bytes());
    Ok(())
}

/// What Kafka holds against a time index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SanityFault {
    /// The last entry is older than the first.
    LastTimestampBelowFirst {
        /// The timestamp of the last whole entry.
        last: Timestamp,
        /// The timestamp of the first entry.
        first: Timestamp,
    },
    /// The last entry lies below the segment.
    LastOffsetBelowBase {
        /// The offset of the last whole entry.
        last: Offset,
        /// The segment's base offset.
        base: Offset,
    },
    /// The file ends inside an entry.
    NotWholeEntries {
        /// The length of the file, in bytes.
        length: u64,
    },
}

impl SanityFault {
    /// What Kafka's `CorruptIndexException` says of the file at `path`, to the letter.
    #[must_use]
    pub fn stock_text(&self, path: &dyn fmt::Display) -> String {
        match self {
            Self::LastTimestampBelowFirst { last, first } => format!(
                "Corrupt time index found, time index file ({path}) has non-zero size but the last \
                 timestamp is {last} which is less than the first timestamp {first}"
            ),
            Self::LastOffsetBelowBase { last, base } => format!(
                "Corrupt time index found, time index file ({path}) has non-zero size but the last \
                 offset is {last} which is less than the first offset {base}"
            ),
            Self::NotWholeEntries { length } => format!(
                "Time index file {path} is corrupt, found {length} bytes which is neither positive \
                 nor a multiple of {ENTRY_SIZE}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

    const REAL: &[u8] = include_bytes!("../../testdata/structures/trimmed-78.timeindex");
    const UNTRIMMED: &[u8] =
        include_bytes!("../../testdata/structures/untrimmed-217.timeindex.head");
    const SANITY: &str = include_str!("../../testdata/structures/index-sanity.tsv");
    const LOOKUP: &str = include_str!("../../testdata/structures/index-lookup.tsv");

    #[test]
    fn a_file_of_a_broker_round_trips() {
        for (bytes, base) in [(REAL, Offset(78)), (UNTRIMMED, Offset(217))] {
            let mut out = Vec::new();
            for Ok(entry) in TimeIndex::new(bytes, base).entries() {
                encode(entry, base, &mut out).unwrap();
            }
            assert_eq!(out, bytes);
        }
        assert_eq!(TimeIndex::new(REAL, Offset(78)).sanity_check(), Ok(None));
    }

    #[test]
    fn an_untrimmed_file_shows_its_entries_and_fails_the_check() {
        let mut index = TimeIndex::new(UNTRIMMED, Offset(217));
        let shown: Vec<_> = index.before_padding().map(|Ok(entry)| entry).collect();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[0].offset, Offset(222));
        assert_eq!(
            index.sanity_check(),
            Ok(Some(SanityFault::LastTimestampBelowFirst {
                last: Timestamp(0),
                first: shown[0].timestamp
            }))
        );
    }

    #[test]
    fn a_cut_entry_is_reported_once() {
        for cut in truncations(REAL) {
            let mut index = TimeIndex::new(cut, Offset(78));
            assert_eq!(index.entries().count(), cut.len() / ENTRY_SIZE);
            let fault = index.file().cut();
            assert_eq!(fault.is_some(), cut.len() % ENTRY_SIZE != 0);
            if let Some(fault) = fault {
                assert_inside(&fault, cut);
                assert_eq!(fault.at, cut.len() / ENTRY_SIZE * ENTRY_SIZE);
            }
        }
    }

    #[test]
    fn no_flipped_bit_is_lost() {
        let base = Offset(78);
        let entries = |bytes: &[u8]| -> Vec<_> {
            let mut index = TimeIndex::new(bytes, base);
            index.entries().map(|Ok(entry)| entry).collect()
        };
        for flipped in bit_flips(REAL) {
            assert_ne!(entries(&flipped), entries(REAL));
            let mut index = TimeIndex::new(&flipped[..], base);
            let _ = index.lookup(Timestamp(1_796_007_800_000));
            let _ = index.sanity_check();
        }
    }

    /// Every verdict that `TimeIndex.sanityCheck` gave.
    #[test]
    fn sanity_as_kafka_says_it() {
        for line in SANITY.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns[0] == "timeindex" {
                let base = Offset(columns[1].parse().unwrap());
                let bytes = hex(columns[2]);
                let Ok(verdict) = TimeIndex::new(&bytes[..], base).sanity_check();
                let said = verdict.map_or("sane".into(), |fault| fault.stock_text(&"PATH"));
                assert_eq!(said, columns[3], "{line}");
            }
        }
    }

    /// Every answer that `TimeIndex.lookup` gave, in padded files too.
    #[test]
    fn lookup_as_kafka_answers() {
        let base = Offset(1000);
        for line in LOOKUP
            .lines()
            .filter_map(|line| line.strip_prefix("time\t"))
        {
            let columns: Vec<i64> = line
                .split('\t')
                .map(|column| column.parse().unwrap())
                .collect();
            let mut bytes = Vec::new();
            for number in 0..columns[0] {
                let entry = TimeIndexEntry {
                    timestamp: Timestamp(10 * number + 5),
                    offset: base.plus(3 * number + 1),
                };
                encode(entry, base, &mut bytes).unwrap();
            }
            bytes.resize(
                bytes.len() + ENTRY_SIZE * usize::try_from(columns[1]).unwrap(),
                0,
            );
            let mut index = TimeIndex::new(&bytes[..], base);
            let Ok(found) = index.lookup(Timestamp(columns[2]));
            assert_eq!(
                (found.timestamp.0, found.offset.0),
                (columns[3], columns[4]),
                "{line}"
            );
        }
    }
}
