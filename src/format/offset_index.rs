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

use super::entry_file::{IndexEntry, ReadAt, SegmentIndex};
use super::malformed::{Malformed, Problem};
use super::number::Offset;
use std::fmt;

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

impl IndexEntry<ENTRY_SIZE> for OffsetIndexEntry {
    fn read(bytes: &[u8; ENTRY_SIZE], base_offset: Offset) -> Self {
        let [r0, r1, r2, r3, p0, p1, p2, p3] = *bytes;
        let relative = i32::from_be_bytes([r0, r1, r2, r3]);
        Self {
            offset: base_offset.plus(i64::from(relative)),
            position: i32::from_be_bytes([p0, p1, p2, p3]),
        }
    }

    fn offset(&self) -> Offset {
        self.offset
    }

    fn key(&self) -> i64 {
        self.offset.0
    }
}

/// An offset index over the bytes of its file.
///
/// The stock dump tool prints `F is empty.` for one without a whole entry.
pub type OffsetIndex<R> = SegmentIndex<OffsetIndexEntry, R, ENTRY_SIZE>;

impl<R: ReadAt> OffsetIndex<R> {
    /// The entry with the largest offset that is at most `target`, found as a broker finds it;
    /// base offset and position 0 when there is none (`OffsetIndex.lookup`).
    ///
    /// # Errors
    /// A read that failed.
    pub fn lookup(&mut self, target: Offset) -> Result<OffsetIndexEntry, R::Error> {
        let found = self.search(target.0)?;
        Ok(found.unwrap_or(OffsetIndexEntry {
            offset: self.base_offset(),
            position: 0,
        }))
    }

    /// The check of `OffsetIndex.sanityCheck`: it looks at the last entry and at the file's
    /// length, so zero padding passes. The first fault in Kafka's order, or none.
    ///
    /// # Errors
    /// A read that failed.
    pub fn sanity_check(&mut self) -> Result<Option<SanityFault>, R::Error> {
        let base = self.base_offset();
        if let Some((_, OffsetIndexEntry { offset: last, .. })) = self.ends()?
            && last < base
        {
            return Ok(Some(SanityFault::LastOffsetBelowBase { last, base }));
        }
        let length = self.file().length();
        let cut = self.file().cut();
        Ok(cut.map(|_| SanityFault::NotWholeEntries { length }))
    }
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
        length: u64,
    },
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
            let mut index = OffsetIndex::new(bytes, base);
            for Ok(entry) in index.entries() {
                encode(entry, base, &mut out).unwrap();
            }
            assert_eq!(out, bytes);
            assert_eq!(index.sanity_check(), Ok(None));
        }
        let mut index = OffsetIndex::new(REAL, Offset(78));
        let offsets = index.before_padding().map(|Ok(entry)| entry.offset.0);
        let offsets: Vec<_> = offsets.collect();
        assert_eq!(offsets.len() * ENTRY_SIZE, REAL.len());
        assert!(offsets.is_sorted(), "{offsets:?}");
    }

    #[test]
    fn the_dump_stops_at_padding() {
        let mut index = OffsetIndex::new(UNTRIMMED, Offset(217));
        let (shown, all) = (index.before_padding().count(), index.entries().count());
        assert!(0 < shown && shown < all, "{shown} of {all}");
        // A first entry at the base offset is shown, the next is not: an index of zeros shows one.
        assert_eq!(
            OffsetIndex::new(&[0; 80][..], Offset(5))
                .before_padding()
                .count(),
            1
        );
    }

    #[test]
    fn a_cut_entry_is_reported_once() {
        for cut in truncations(REAL) {
            let mut index = OffsetIndex::new(cut, Offset(78));
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
            let mut index = OffsetIndex::new(bytes, base);
            index.entries().map(|Ok(entry)| entry).collect()
        };
        for flipped in bit_flips(REAL) {
            assert_ne!(entries(&flipped), entries(REAL));
            let mut index = OffsetIndex::new(&flipped[..], base);
            let _ = index.lookup(Offset(90));
            let _ = index.sanity_check();
        }
    }

    /// Every verdict that `OffsetIndex.sanityCheck` gave.
    #[test]
    fn sanity_as_kafka_says_it() {
        for line in SANITY.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns[0] == "index" {
                let base = Offset(columns[1].parse().unwrap());
                let bytes = hex(columns[2]);
                let Ok(verdict) = OffsetIndex::new(&bytes[..], base).sanity_check();
                let said = verdict.map_or("sane".into(), |fault| fault.stock_text(&"PATH"));
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
            let mut index = OffsetIndex::new(&bytes[..], base);
            let Ok(found) = index.lookup(Offset(columns[3]));
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
