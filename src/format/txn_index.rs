//! The transaction index (`.txnindex`): the aborted transactions whose marker lies in the segment.
//!
//! ```text
//! entry:  | version i16 | producer id i64 | first offset i64 | last offset i64
//!         | last stable offset i64 |                   34 bytes, repeated to the end of the file
//! ```
//!
//! No checksum covers an entry. Producer id, first and last offset may be trusted once the abort
//! marker was found at the last offset and the transaction's first batch at the first offset. The
//! last stable offset depends on how batches were grouped when they were appended, so a leader's, a
//! follower's and a recovered file may differ in it and all be right.
//! Source: `org.apache.kafka.storage.internals.log.TransactionIndex` 4.4.0, `AbortedTxn.json`.

use super::cursor::Cursor;
use super::entry_file::{EntryFile, ReadAt};
use super::malformed::{Malformed, Problem};
use super::number::{Offset, ProducerId};
use std::fmt;
use std::iter::FusedIterator;

/// Where the version stands in an entry.
pub const VERSION: usize = 0;
/// Where the producer id stands in an entry.
pub const PRODUCER_ID: usize = VERSION + size_of::<i16>();
/// Where the first offset stands in an entry.
pub const FIRST_OFFSET: usize = PRODUCER_ID + size_of::<i64>();
/// Where the last offset stands in an entry.
pub const LAST_OFFSET: usize = FIRST_OFFSET + size_of::<i64>();
/// Where the last stable offset stands in an entry.
pub const LAST_STABLE_OFFSET: usize = LAST_OFFSET + size_of::<i64>();
/// The size of an entry, in bytes.
pub const ENTRY_SIZE: usize = LAST_STABLE_OFFSET + size_of::<i64>();
/// The only version there is.
pub const CURRENT_VERSION: i16 = 0;

/// An aborted transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbortedTxn {
    /// Whose transaction it was.
    pub producer_id: ProducerId,
    /// The first offset of its first batch.
    pub first_offset: Offset,
    /// The offset of the abort marker.
    pub last_offset: Offset,
    /// The last stable offset right after the marker was appended.
    pub last_stable_offset: Offset,
}

/// Appends one entry.
pub fn encode(txn: &AbortedTxn, out: &mut Vec<u8>) {
    out.extend(CURRENT_VERSION.to_be_bytes());
    out.extend(txn.producer_id.0.to_be_bytes());
    out.extend(txn.first_offset.0.to_be_bytes());
    out.extend(txn.last_offset.0.to_be_bytes());
    out.extend(txn.last_stable_offset.0.to_be_bytes());
}

fn read_entry(bytes: &[u8; ENTRY_SIZE]) -> Result<AbortedTxn, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let version = cursor.i16("version")?;
    if version != CURRENT_VERSION {
        return Err(Malformed {
            field: "version",
            at: VERSION,
            problem: Problem::OutOfRange {
                stored: i64::from(version),
                expected: "0",
            },
        });
    }
    Ok(AbortedTxn {
        producer_id: ProducerId(cursor.i64("producerId")?),
        first_offset: Offset(cursor.i64("firstOffset")?),
        last_offset: Offset(cursor.i64("lastOffset")?),
        last_stable_offset: Offset(cursor.i64("lastStableOffset")?),
    })
}

/// A transaction index over the bytes of its file.
#[derive(Debug, Clone)]
pub struct TxnIndex<R> {
    file: EntryFile<R, ENTRY_SIZE>,
}

impl<R: ReadAt> TxnIndex<R> {
    /// The index with these bytes.
    #[must_use]
    pub const fn new(bytes: R) -> Self {
        Self {
            file: EntryFile::new(bytes),
        }
    }

    /// The entries in order, up to and with the first fault: a version that is not 0
    /// ([`Problem::OutOfRange`]), or a last entry cut short ([`Problem::Truncated`], at its first
    /// byte), which a broker does not notice. The outer error is that of a read.
    pub fn entries(
        &mut self,
    ) -> impl FusedIterator<Item = Result<Result<AbortedTxn, Malformed>, R::Error>> {
        let cut = self.file.cut();
        let mut over = false;
        self.file
            .entries()
            .enumerate()
            .map(|(number, bytes)| {
                let begin = number.saturating_mul(ENTRY_SIZE);
                Ok(read_entry(&bytes?).map_err(|fault| fault.shifted(begin)))
            })
            .chain(cut.map(|fault| Ok(Err(fault))))
            .take_while(move |entry| !std::mem::replace(&mut over, !matches!(entry, Ok(Ok(_)))))
            .fuse()
    }

    /// The entry numbered `number`, counted from 0, or the fault at its place: a version that is
    /// not 0, or a last entry cut short. `None` behind the last one. The outer error is that of a
    /// read.
    ///
    /// # Errors
    /// A read that failed.
    pub fn entry(
        &mut self,
        number: u64,
    ) -> Result<Option<Result<AbortedTxn, Malformed>>, R::Error> {
        let Some(bytes) = self.file.entry(number)? else {
            let cut = self.file.cut().filter(|_| number == self.file.len());
            return Ok(cut.map(Err));
        };
        let begin = usize::try_from(number).unwrap_or(usize::MAX);
        let begin = begin.saturating_mul(ENTRY_SIZE);
        Ok(Some(
            read_entry(&bytes).map_err(|fault| fault.shifted(begin)),
        ))
    }

    /// The check of `TransactionIndex.sanityCheck`: the first fault in the file, or none. A broker
    /// recovers the segment when it fails with [`SanityFault::LastOffsetBelowStart`]; bytes behind
    /// the last whole entry it does not see.
    ///
    /// # Errors
    /// A read that failed.
    pub fn sanity_check(&mut self, start: Offset) -> Result<Option<SanityFault>, R::Error> {
        for entry in self.entries() {
            match entry? {
                Ok(txn) if txn.last_offset < start => {
                    return Ok(Some(SanityFault::LastOffsetBelowStart { txn, start }));
                }
                Err(Malformed {
                    at,
                    problem: Problem::OutOfRange { stored, .. },
                    ..
                }) => {
                    // The number was read from 16 bits.
                    let version = i16::try_from(stored).unwrap_or(i16::MIN);
                    return Ok(Some(SanityFault::Version { version, at }));
                }
                Ok(_) | Err(_) => {}
            }
        }
        Ok(None)
    }
}

/// What Kafka holds against a transaction index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SanityFault {
    /// A marker below the segment.
    LastOffsetBelowStart {
        /// The transaction.
        txn: AbortedTxn,
        /// The segment's base offset.
        start: Offset,
    },
    /// An entry of a version that Kafka does not read.
    Version {
        /// The version as stored.
        version: i16,
        /// The byte that the entry begins at.
        at: usize,
    },
}

impl SanityFault {
    /// What Kafka's exception says of the file at `path`, to the letter.
    #[must_use]
    pub fn stock_text(&self, path: &dyn fmt::Display) -> String {
        match self {
            Self::LastOffsetBelowStart { txn, start } => format!(
                "Last offset of aborted transaction AbortedTxn(producerId={}, firstOffset={}, \
                 lastOffset={}, lastStableOffset={}) in index {path} is less than start offset \
                 {start}",
                txn.producer_id, txn.first_offset, txn.last_offset, txn.last_stable_offset
            ),
            Self::Version { version, .. } => format!(
                "Unexpected aborted transaction version {version} in transaction index {path}, \
                 supported version range is 0 to 0"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

    const REAL: &[u8] = include_bytes!("../../testdata/structures/crash-txn-120.txnindex");
    const SANITY: &str = include_str!("../../testdata/structures/index-sanity.tsv");

    fn entries(bytes: &[u8]) -> Vec<Result<AbortedTxn, Malformed>> {
        TxnIndex::new(bytes)
            .entries()
            .map(|Ok(entry)| entry)
            .collect()
    }

    fn sanity_check(bytes: &[u8], start: Offset) -> Option<SanityFault> {
        let Ok(verdict) = TxnIndex::new(bytes).sanity_check(start);
        verdict
    }

    #[test]
    fn a_file_of_a_broker_round_trips() {
        let mut out = Vec::new();
        for entry in entries(REAL) {
            encode(&entry.unwrap(), &mut out);
        }
        assert_eq!(out, REAL);
        assert_eq!(REAL.len(), 3 * ENTRY_SIZE);
        assert_eq!(sanity_check(REAL, Offset(120)), None);
    }

    #[test]
    fn a_cut_entry_is_reported_once() {
        for cut in truncations(REAL) {
            let entries = entries(cut);
            let whole = entries.iter().take_while(|entry| entry.is_ok()).count();
            assert_eq!(whole, cut.len() / ENTRY_SIZE);
            let faults: Vec<_> = entries.into_iter().filter_map(Result::err).collect();
            assert_eq!(faults.len(), usize::from(cut.len() % ENTRY_SIZE != 0));
            for fault in faults {
                assert_inside(&fault, cut);
            }
            assert_eq!(sanity_check(cut, Offset(120)), None);
        }
    }

    #[test]
    fn each_entry_is_found_by_its_number() {
        for cut in truncations(REAL) {
            let mut index = TxnIndex::new(cut);
            let by_number: Vec<_> = (0..)
                .map_while(|number| index.entry(number).unwrap())
                .collect();
            assert_eq!(by_number, entries(cut));
        }
        let mut bytes = REAL.to_vec();
        bytes[ENTRY_SIZE + 1] = 9;
        let mut index = TxnIndex::new(&bytes[..]);
        let fault = index.entry(1).unwrap().unwrap().unwrap_err();
        assert_eq!((fault.field, fault.at), ("version", ENTRY_SIZE));
        assert!(index.entry(2).unwrap().unwrap().is_ok());
    }

    /// Behind a version that is not known an entry may have another width.
    #[test]
    fn entries_end_at_a_version_that_is_not_known() {
        let mut bytes = REAL.to_vec();
        bytes[ENTRY_SIZE + 1] = 9;
        bytes.pop();
        let entries = entries(&bytes);
        assert_eq!(entries.len(), 2);
        let fault = entries[1].clone().unwrap_err();
        assert_eq!((fault.field, fault.at), ("version", ENTRY_SIZE));
    }

    #[test]
    fn no_flipped_bit_is_lost() {
        for flipped in bit_flips(REAL) {
            let read = entries(&flipped);
            assert_ne!(read, entries(REAL));
            for fault in read.into_iter().filter_map(Result::err) {
                assert_inside(&fault, &flipped);
            }
            let _ = sanity_check(&flipped, Offset(120));
        }
    }

    /// Every verdict that `TransactionIndex.sanityCheck` gave.
    #[test]
    fn sanity_as_kafka_says_it() {
        for line in SANITY.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns[0] == "txnindex" {
                let start = Offset(columns[1].parse().unwrap());
                let verdict = sanity_check(&hex(columns[2]), start);
                let said = verdict.map_or("sane".into(), |fault| fault.stock_text(&"PATH"));
                assert_eq!(said, columns[3], "{line}");
            }
        }
    }
}
