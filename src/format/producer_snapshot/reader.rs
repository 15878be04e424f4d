//! A snapshot read entry by entry, its checksum taken on the way.

use std::io::{BufRead, Read as _};
use std::ops::Range;

use super::{
    COUNT, ENTRIES, ENTRY_SIZE, ProducerEntry, Version, mismatch, read_entry, read_version,
};
use crate::format::crc::{Kind, Running};
use crate::format::cursor::Cursor;
use crate::format::malformed::{Malformed, Problem, StreamFault};

/// Reads a snapshot from a stream. One entry at a time is in memory, whatever the count says.
#[derive(Debug)]
pub struct SnapshotReader<R> {
    input: R,
    version: Version,
    stored_crc: u32,
    count: i32,
    /// Entries that the count has left.
    left: u32,
    /// Bytes of header and entries read so far.
    end: usize,
    /// Of the bytes from the count to `end`.
    crc: Running,
    /// The bytes of an entry, or of what should have been one.
    piece: Vec<u8>,
    fault: Option<Malformed>,
}

/// What is known of a snapshot when its last byte was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// The CRC of the bytes from the count to the end of the file.
    pub computed_crc: u32,
    /// What is wrong, in the order of the bytes.
    pub faults: Vec<Malformed>,
    /// See [`Snapshot::stale_tail`](super::Snapshot::stale_tail).
    pub stale_tail: Option<Range<usize>>,
}

impl<R: BufRead> SnapshotReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`Problem::Truncated`] when the header is cut, [`Problem::OutOfRange`] for a version other
    /// than 1 and 2: nothing of such a file can be read. Or the stream's.
    pub fn open(mut input: R) -> Result<Self, StreamFault> {
        let mut header = Vec::with_capacity(ENTRIES);
        append(&mut input, ENTRIES, &mut header)?;
        let mut cursor = Cursor::new(&header);
        let version = read_version(&mut cursor)?;
        let stored_crc = cursor.u32("crc")?;
        let mut crc = Running::new(Kind::Crc32c);
        crc.update(cursor.rest());
        let count = cursor.i32("count")?;
        let fault = (count < 0).then(|| Malformed {
            field: "count",
            at: COUNT,
            problem: Problem::OutOfRange {
                stored: i64::from(count),
                expected: "0 or more",
            },
        });
        Ok(Self {
            input,
            version,
            stored_crc,
            count,
            left: u32::try_from(count).unwrap_or(0),
            end: ENTRIES,
            crc,
            piece: Vec::new(),
            fault,
        })
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The CRC as stored.
    pub const fn stored_crc(&self) -> u32 {
        self.stored_crc
    }

    /// The count as stored; it may be anything.
    pub const fn count(&self) -> i32 {
        self.count
    }

    /// The next entry; `None` behind the last one that the count tells of, and at a fault, which
    /// [`SnapshotReader::finish`] tells.
    ///
    /// # Errors
    /// The stream's.
    pub fn next_entry(&mut self) -> std::io::Result<Option<ProducerEntry>> {
        if self.left == 0 || self.fault.is_some() {
            return Ok(None);
        }
        self.load()?;
        match read_entry(&mut Cursor::new(&self.piece), self.version) {
            Ok(entry) => {
                self.left = self.left.saturating_sub(1);
                self.end = self.end.saturating_add(self.piece.len());
                self.crc.update(&self.piece);
                self.piece.clear();
                Ok(Some(entry))
            }
            Err(fault) => {
                self.fault = Some(fault.shifted(self.end));
                Ok(None)
            }
        }
    }

    /// Has the bytes of one entry in `piece`, or what is left of the stream.
    fn load(&mut self) -> std::io::Result<()> {
        let Self { input, piece, .. } = self;
        append(input, ENTRY_SIZE, piece)?;
        if self.version == Version::V2 {
            append(input, size_of::<i16>(), piece)?;
            let length = piece.get(ENTRY_SIZE..).and_then(<[u8]>::first_chunk);
            let length = length.map_or(0, |bytes| i16::from_be_bytes(*bytes));
            append(input, usize::try_from(length).unwrap_or(0), piece)?;
        }
        Ok(())
    }

    /// Reads what is left and compares the checksum.
    ///
    /// # Errors
    /// The stream's.
    pub fn finish(mut self) -> std::io::Result<Seal> {
        // Entries that nobody asked for.
        while self.next_entry()?.is_some() {}
        let crc_of_entries = self.crc.value();
        let mut behind = self.piece.len();
        self.crc.update(&self.piece);
        loop {
            let bytes = self.input.fill_buf()?;
            let count = bytes.len();
            if count == 0 {
                break;
            }
            self.crc.update(bytes);
            self.input.consume(count);
            behind = behind.saturating_add(count);
        }
        let computed_crc = self.crc.value();
        let is_right = self.stored_crc == computed_crc;
        let is_whole = self.fault.is_none();
        let is_stale = !is_right && is_whole && behind > 0 && crc_of_entries == self.stored_crc;
        let mut faults = Vec::new();
        if !is_right && !is_stale {
            faults.push(mismatch(self.stored_crc, computed_crc));
        }
        faults.extend(self.fault);
        if is_whole && behind > 0 {
            faults.push(Malformed {
                field: "producerEntries",
                at: self.end,
                problem: Problem::Trailing {
                    bytes: u64::try_from(behind).unwrap_or(u64::MAX),
                },
            });
        }
        Ok(Seal {
            computed_crc,
            faults,
            stale_tail: is_stale.then(|| self.end..self.end.saturating_add(behind)),
        })
    }
}

/// Appends up to `count` bytes of a stream.
fn append(input: &mut impl BufRead, count: usize, out: &mut Vec<u8>) -> std::io::Result<()> {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    input.take(count).read_to_end(out).map(|_| ())
}
