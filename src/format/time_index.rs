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

use super::cursor::Cursor;
use super::index_search::largest_lower_bound;
use super::malformed::Malformed;
use super::number::{Offset, Timestamp};
use super::offset_index::relative_offset;
use std::fmt;
use std::iter::FusedIterator;

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

/// A time index over the bytes of its file.
#[derive(Debug, Clone, Copy)]
pub struct TimeIndex<'a> {
    bytes: &'a [u8],
    base_offset: Offset,
}

impl<'a> TimeIndex<'a> {
    /// The index of the segment that begins at `base_offset`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], base_offset: Offset) -> Self {
        Self { bytes, base_offset }
    }

    /// The segment's base offset, which entries count from.
    #[must_use]
    pub const fn base_offset(&self) -> Offset {
        self.base_offset
    }

    /// How many whole entries the file has, zero padding included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len() / ENTRY_SIZE
    }

    /// Whether there is not one whole entry.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry numbered `number`, counted from 0.
    #[must_use]
    pub fn entry(&self, number: usize) -> Option<TimeIndexEntry> {
        let (_, from) = self
            .bytes
            .split_at_checked(number.checked_mul(ENTRY_SIZE)?)?;
        read_entry(&mut Cursor::new(from), self.base_offset).ok()
    }

    /// All entries to the end of the file, zero padding included.
    #[must_use]
    pub const fn entries(&self) -> Entries<'a> {
        decode(self.bytes, self.base_offset)
    }

    /// The entries that the stock dump tool looks at: it stops at the first entry but the very
    /// first whose offset is the base offset, which is how zero padding reads.
    pub fn before_padding(&self) -> impl FusedIterator<Item = TimeIndexEntry> + use<'a> {
        let base_offset = self.base_offset;
        self.entries()
            .map_while(Result::ok)
            .enumerate()
            .take_while(move |(number, entry)| *number == 0 || entry.offset != base_offset)
            .map(|(_, entry)| entry)
            .fuse()
    }

    /// The entry with the largest timestamp that is at most `target`, found as a broker finds it;
    /// timestamp -1 and the base offset when there is none (`TimeIndex.lookup`).
    #[must_use]
    pub fn lookup(&self, target: Timestamp) -> TimeIndexEntry {
        let key = |number| self.entry(number).map(|entry| entry.timestamp.0);
        largest_lower_bound(self.len(), ENTRY_SIZE, target.0, key)
            .and_then(|number| self.entry(number))
            .unwrap_or(TimeIndexEntry {
                timestamp: Timestamp::NONE,
                offset: self.base_offset,
            })
    }
}

/// All entries of a time index; see [`Entries`].
#[must_use]
pub const fn decode(bytes: &[u8], base_offset: Offset) -> Entries<'_> {
    Entries {
        cursor: Cursor::new(bytes),
        base_offset,
        over: false,
    }
}

fn read_entry(cursor: &mut Cursor<'_>, base_offset: Offset) -> Result<TimeIndexEntry, Malformed> {
    let timestamp = Timestamp(cursor.i64("timestamp")?);
    let relative = cursor.i32("relativeOffset")?;
    Ok(TimeIndexEntry {
        timestamp,
        offset: base_offset.plus(i64::from(relative)),
    })
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

/// Walks the entries; ends after the first error, which can only be a last entry cut short
/// ([`Truncated`](super::malformed::Problem::Truncated), at its first byte).
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    base_offset: Offset,
    over: bool,
}

impl Iterator for Entries<'_> {
    type Item = Result<TimeIndexEntry, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over || self.cursor.remaining() == 0 {
            return None;
        }
        if self.cursor.remaining() < ENTRY_SIZE {
            self.over = true;
            return self.cursor.take(ENTRY_SIZE, "entry").err().map(Err);
        }
        Some(read_entry(&mut self.cursor, self.base_offset))
    }
}

impl FusedIterator for Entries<'_> {}

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
        length: usize,
    },
}

/// The check of `TimeIndex.sanityCheck`: first and last entry and the file's length. A file with
/// entries and zero padding behind them fails it.
///
/// # Errors
/// The first fault, in Kafka's order.
pub fn sanity_check(bytes: &[u8], base_offset: Offset) -> Result<(), SanityFault> {
    let index = TimeIndex::new(bytes, base_offset);
    let last = index
        .len()
        .checked_sub(1)
        .and_then(|last| index.entry(last));
    if let (Some(first), Some(last)) = (index.entry(0), last) {
        if last.timestamp < first.timestamp {
            return Err(SanityFault::LastTimestampBelowFirst {
                last: last.timestamp,
                first: first.timestamp,
            });
        }
        if last.offset < base_offset {
            return Err(SanityFault::LastOffsetBelowBase {
                last: last.offset,
                base: base_offset,
            });
        }
    }
    if bytes.len().is_multiple_of(ENTRY_SIZE) {
        Ok(())
    } else {
        Err(SanityFault::NotWholeEntries {
            length: bytes.len(),
        })
    }
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
            for entry in decode(bytes, base) {
                encode(entry.unwrap(), base, &mut out).unwrap();
            }
            assert_eq!(out, bytes);
        }
        assert_eq!(sanity_check(REAL, Offset(78)), Ok(()));
    }

    #[test]
    fn an_untrimmed_file_shows_its_entries_and_fails_the_check() {
        let index = TimeIndex::new(UNTRIMMED, Offset(217));
        let shown: Vec<_> = index.before_padding().collect();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[0].offset, Offset(222));
        assert_eq!(
            sanity_check(UNTRIMMED, Offset(217)),
            Err(SanityFault::LastTimestampBelowFirst {
                last: Timestamp(0),
                first: shown[0].timestamp
            })
        );
    }

    #[test]
    fn a_cut_entry_is_reported_once() {
        for cut in truncations(REAL) {
            let mut entries = decode(cut, Offset(78));
            let whole = entries.by_ref().take_while(Result::is_ok).count();
            assert_eq!(whole, cut.len() / ENTRY_SIZE);
            assert_eq!(entries.next(), None);
            let fault = decode(cut, Offset(78)).find_map(Result::err);
            assert_eq!(fault.is_some(), cut.len() % ENTRY_SIZE != 0);
            if let Some(fault) = fault {
                assert_inside(&fault, cut);
                assert_eq!(fault.at % ENTRY_SIZE, 0);
            }
        }
    }

    #[test]
    fn no_flipped_bit_is_lost() {
        let base = Offset(78);
        for flipped in bit_flips(REAL) {
            let entries: Vec<_> = decode(&flipped, base).map(Result::unwrap).collect();
            let original: Vec<_> = decode(REAL, base).map(Result::unwrap).collect();
            assert_ne!(entries, original);
            let _ = TimeIndex::new(&flipped, base).lookup(Timestamp(1_796_007_800_000));
            let _ = sanity_check(&flipped, base);
        }
    }

    /// Every verdict that `TimeIndex.sanityCheck` gave.
    #[test]
    fn sanity_as_kafka_says_it() {
        for line in SANITY.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns[0] == "timeindex" {
                let base = Offset(columns[1].parse().unwrap());
                let verdict = sanity_check(&hex(columns[2]), base);
                let said =
                    verdict.map_or_else(|fault| fault.stock_text(&"PATH"), |()| "sane".into());
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
            let found = TimeIndex::new(&bytes, base).lookup(Timestamp(columns[2]));
            assert_eq!(
                (found.timestamp.0, found.offset.0),
                (columns[3], columns[4]),
                "{line}"
            );
        }
    }
}
