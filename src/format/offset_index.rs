//! The offset index (`.index`): where in the segment the batches of some offsets lie.
//!
//! ```text
//! entry:  | relative offset i32 | position i32 |        8 bytes, repeated to the end of the file
//! ```
//!
//! The relative offset counts from the segment's base offset, which only the file's name tells. An
//! entry names the LAST offset of a batch and the byte that the batch begins at. No checksum covers
//! it: an entry may be trusted once a batch with that last offset was found at that position. A
//! file that no clean shutdown trimmed ends in zero entries (10 MiB with Kafka's defaults).
//! Source: `org.apache.kafka.storage.internals.log.OffsetIndex` 4.4.0.

use super::cursor::Cursor;
use super::index_search::largest_lower_bound;
use super::malformed::{Malformed, Problem};
use super::number::Offset;
use std::fmt;
use std::iter::FusedIterator;

/// Where the relative offset stands in an entry.
pub const RELATIVE_OFFSET: usize = 0;
/// Where the position stands in an entry.
pub const POSITION: usize = RELATIVE_OFFSET + size_of::<i32>();
/// The size of an entry, in bytes.
pub const ENTRY_SIZE: usize = POSITION + size_of::<i32>();

/// One entry, its offset made absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetIndexEntry {
    /// The last offset of a batch; below the base offset only in damaged files.
    pub offset: Offset,
    /// The first byte of that batch in the segment, 0 and up; negative only in damaged files.
    pub position: i32,
}

/// An offset index over the bytes of its file.
#[derive(Debug, Clone, Copy)]
pub struct OffsetIndex<'a> {
    bytes: &'a [u8],
    base_offset: Offset,
}

impl<'a> OffsetIndex<'a> {
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

    /// Whether there is not one whole entry; the stock dump tool then prints `F is empty.`
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry numbered `number`, counted from 0.
    #[must_use]
    pub fn entry(&self, number: usize) -> Option<OffsetIndexEntry> {
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
    pub fn before_padding(&self) -> impl FusedIterator<Item = OffsetIndexEntry> + use<'a> {
        let base_offset = self.base_offset;
        self.entries()
            .map_while(Result::ok)
            .enumerate()
            .take_while(move |(number, entry)| *number == 0 || entry.offset != base_offset)
            .map(|(_, entry)| entry)
            .fuse()
    }

    /// The entry with the largest offset that is at most `target`, found as a broker finds it;
    /// base offset and position 0 when there is none (`OffsetIndex.lookup`).
    #[must_use]
    pub fn lookup(&self, target: Offset) -> OffsetIndexEntry {
        let key = |number| self.entry(number).map(|entry| entry.offset.0);
        largest_lower_bound(self.len(), ENTRY_SIZE, target.0, key)
            .and_then(|number| self.entry(number))
            .unwrap_or(OffsetIndexEntry {
                offset: self.base_offset,
                position: 0,
            })
    }
}

/// All entries of an offset index; see [`Entries`].
#[must_use]
pub const fn decode(bytes: &[u8], base_offset: Offset) -> Entries<'_> {
    Entries {
        cursor: Cursor::new(bytes),
        base_offset,
        over: false,
    }
}

fn read_entry(cursor: &mut Cursor<'_>, base_offset: Offset) -> Result<OffsetIndexEntry, Malformed> {
    let relative = cursor.i32("relativeOffset")?;
    Ok(OffsetIndexEntry {
        offset: base_offset.plus(i64::from(relative)),
        position: cursor.i32("position")?,
    })
}

/// Appends one entry.
///
/// # Errors
/// [`Problem::OutOfRange`] when the offset is below `base_offset` or more than 2147483647 above it
/// (Kafka rolls the segment before that: `AbstractIndex.canAppendOffset`).
pub fn encode(
    entry: OffsetIndexEntry,
    base_offset: Offset,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    out.extend(relative_offset(entry.offset, base_offset)?.to_be_bytes());
    out.extend(entry.position.to_be_bytes());
    Ok(())
}

/// The distance of `offset` from `base_offset` as index files store it: 0 to 2147483647.
///
/// # Errors
/// [`Problem::OutOfRange`] when it is not in that range.
pub(super) fn relative_offset(offset: Offset, base_offset: Offset) -> Result<i32, Malformed> {
    let distance = offset.0.wrapping_sub(base_offset.0);
    match i32::try_from(distance) {
        Ok(relative) if relative >= 0 => Ok(relative),
        _ => Err(Malformed {
            field: "relativeOffset",
            at: RELATIVE_OFFSET,
            problem: Problem::OutOfRange {
                stored: distance,
                expected: "0 to 2147483647",
            },
        }),
    }
}

/// Walks the entries; ends after the first error, which can only be a last entry cut short
/// ([`Problem::Truncated`], at its first byte).
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    base_offset: Offset,
    over: bool,
}

impl Iterator for Entries<'_> {
    type Item = Result<OffsetIndexEntry, Malformed>;

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

/// What Kafka holds against an offset index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SanityFault {
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

/// The check of `OffsetIndex.sanityCheck`: it looks at the last entry and at the file's length,
/// so zero padding passes.
///
/// # Errors
/// The first fault, in Kafka's order.
pub fn sanity_check(bytes: &[u8], base_offset: Offset) -> Result<(), SanityFault> {
    let index = OffsetIndex::new(bytes, base_offset);
    if let Some(last) = index
        .len()
        .checked_sub(1)
        .and_then(|last| index.entry(last))
        && last.offset < base_offset
    {
        return Err(SanityFault::LastOffsetBelowBase {
            last: last.offset,
            base: base_offset,
        });
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
            Self::LastOffsetBelowBase { last, base } => format!(
                "Corrupt index found, index file {path} has non-zero size but the last offset is \
                 {last} which is less than the base offset {base}"
            ),
            Self::NotWholeEntries { length } => format!(
                "Index file {path} is corrupt, found {length} bytes which is neither positive nor \
                 a multiple of {ENTRY_SIZE}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

    const REAL: &[u8] = include_bytes!("../../testdata/structures/trimmed-78.index");
    const UNTRIMMED: &[u8] = include_bytes!("../../testdata/structures/untrimmed-217.index.head");
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
            assert_eq!(sanity_check(bytes, base), Ok(()));
        }
        let index = OffsetIndex::new(REAL, Offset(78));
        let offsets: Vec<_> = index.before_padding().map(|entry| entry.offset.0).collect();
        assert_eq!(offsets.len(), index.len());
        assert!(offsets.is_sorted(), "{offsets:?}");
    }

    #[test]
    fn the_dump_stops_at_padding() {
        let index = OffsetIndex::new(UNTRIMMED, Offset(217));
        let shown: Vec<_> = index.before_padding().collect();
        assert!(!shown.is_empty() && shown.len() < index.len(), "{shown:?}");
        // A first entry at the base offset is shown, the next is not: an index of zeros shows one.
        assert_eq!(
            OffsetIndex::new(&[0; 80], Offset(5))
                .before_padding()
                .count(),
            1
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
            let _ = OffsetIndex::new(&flipped, base).lookup(Offset(90));
            let _ = sanity_check(&flipped, base);
        }
    }

    /// Every verdict that `OffsetIndex.sanityCheck` gave.
    #[test]
    fn sanity_as_kafka_says_it() {
        for line in SANITY.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns[0] == "index" {
                let base = Offset(columns[1].parse().unwrap());
                let verdict = sanity_check(&hex(columns[2]), base);
                let said =
                    verdict.map_or_else(|fault| fault.stock_text(&"PATH"), |()| "sane".into());
                assert_eq!(said, columns[3], "{line}");
            }
        }
    }

    /// Every answer that `OffsetIndex.lookup` gave, in padded files too.
    #[test]
    fn lookup_as_kafka_answers() {
        for line in LOOKUP
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        {
            let columns: Vec<i64> = line
                .split('\t')
                .map(|column| column.parse().unwrap())
                .collect();
            let base = Offset(columns[2]);
            let mut bytes = Vec::new();
            for number in 0..columns[0] {
                let entry = OffsetIndexEntry {
                    offset: base.plus(3 * number + 1),
                    position: i32::try_from(100 * number).unwrap(),
                };
                encode(entry, base, &mut bytes).unwrap();
            }
            bytes.resize(
                bytes.len() + ENTRY_SIZE * usize::try_from(columns[1]).unwrap(),
                0,
            );
            let found = OffsetIndex::new(&bytes, base).lookup(Offset(columns[3]));
            let found = (found.offset.0, i64::from(found.position));
            assert_eq!(found, (columns[4], columns[5]), "{line}");
        }
    }

    #[test]
    fn offsets_outside_the_segment_are_not_written() {
        for offset in [9, 10 + i64::from(i32::MAX) + 1, i64::MIN] {
            let entry = OffsetIndexEntry {
                offset: Offset(offset),
                position: 0,
            };
            assert!(encode(entry, Offset(10), &mut Vec::new()).is_err());
        }
    }
}
