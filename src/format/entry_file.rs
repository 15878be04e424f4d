//! Files that are nothing but entries of one width: `.index`, `.timeindex` and `.txnindex`.
//!
//! They may be long, so an entry is read when it is asked for, from a slice or from whatever else
//! answers for bytes at positions. No count or length that a file declares is believed.

use super::index_search::largest_lower_bound;
use super::malformed::{Malformed, Problem};
use super::number::Offset;
use std::convert::Infallible;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Bytes at positions.
pub trait ReadAt {
    /// What a read may end in.
    type Error;

    /// How many bytes there are.
    fn length(&self) -> u64;

    /// The `N` bytes at `position`, or `None` where the end comes first; the next read is likely
    /// the one of the bytes behind them.
    ///
    /// # Errors
    /// A read that failed.
    fn forward<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, Self::Error>;

    /// The same bytes, when the next read is likely somewhere else.
    ///
    /// # Errors
    /// A read that failed.
    fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, Self::Error>;
}

impl ReadAt for &[u8] {
    type Error = Infallible;

    fn length(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    fn forward<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, Infallible> {
        let from = usize::try_from(position)
            .ok()
            .and_then(|position| self.get(position..));
        Ok(from.and_then(<[u8]>::first_chunk).copied())
    }

    fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, Infallible> {
        self.forward(position)
    }
}

/// A file of entries of `N` bytes each.
#[derive(Debug, Clone)]
pub struct EntryFile<R, const N: usize> {
    bytes: R,
}

impl<R: ReadAt, const N: usize> EntryFile<R, N> {
    /// The file with these bytes.
    #[must_use]
    pub const fn new(bytes: R) -> Self {
        const { assert!(N > 0) };
        Self { bytes }
    }

    /// How many bytes the file has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.bytes.length()
    }

    /// How many whole entries the file has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.bytes.length().checked_div(width::<N>()).unwrap_or(0)
    }

    /// Whether there is not one whole entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fault of a last entry that is cut short: [`Problem::Truncated`] at its first byte.
    #[must_use]
    pub fn cut(&self) -> Option<Malformed> {
        let whole = self.len().saturating_mul(width::<N>());
        let left = self.bytes.length().saturating_sub(whole);
        (left > 0).then(|| Malformed {
            field: "entry",
            at: usize::try_from(whole).unwrap_or(usize::MAX),
            problem: Problem::Truncated {
                needed: N,
                left: usize::try_from(left).unwrap_or(N),
            },
        })
    }

    /// The bytes of the entry numbered `number`, counted from 0.
    ///
    /// # Errors
    /// A read that failed.
    pub fn entry(&mut self, number: u64) -> Result<Option<[u8; N]>, R::Error> {
        match number.checked_mul(width::<N>()) {
            Some(position) => self.bytes.probe(position),
            None => Ok(None),
        }
    }

    /// The bytes of all whole entries, in order.
    pub const fn entries(&mut self) -> Entries<'_, R, N> {
        Entries {
            bytes: &mut self.bytes,
            position: 0,
            over: false,
        }
    }
}

/// An entry's width as positions count.
fn width<const N: usize>() -> u64 {
    u64::try_from(N).unwrap_or(u64::MAX)
}

/// Walks whole entries; ends after the first read that failed.
#[derive(Debug)]
pub struct Entries<'a, R, const N: usize> {
    bytes: &'a mut R,
    position: u64,
    over: bool,
}

impl<R: ReadAt, const N: usize> Iterator for Entries<'_, R, N> {
    type Item = Result<[u8; N], R::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let entry = self.bytes.forward(self.position).transpose();
        self.position = self.position.saturating_add(width::<N>());
        self.over = !matches!(entry, Some(Ok(_)));
        entry
    }
}

impl<R: ReadAt, const N: usize> FusedIterator for Entries<'_, R, N> {}

/// An entry of an index whose offsets count from the segment's base offset.
pub trait IndexEntry<const N: usize>: Copy {
    /// Reads an entry; any bytes are one.
    fn read(bytes: &[u8; N], base_offset: Offset) -> Self;

    /// The offset it stands for.
    fn offset(&self) -> Offset;

    /// What the entries of the index are ordered by.
    fn key(&self) -> i64;
}

/// An index of a segment: entries `E` of `N` bytes each.
#[derive(Debug, Clone)]
pub struct SegmentIndex<E, R, const N: usize> {
    file: EntryFile<R, N>,
    base_offset: Offset,
    entry: PhantomData<E>,
}

impl<E: IndexEntry<N>, R: ReadAt, const N: usize> SegmentIndex<E, R, N> {
    /// The index of the segment that begins at `base_offset`.
    #[must_use]
    pub const fn new(bytes: R, base_offset: Offset) -> Self {
        Self {
            file: EntryFile::new(bytes),
            base_offset,
            entry: PhantomData,
        }
    }

    /// The segment's base offset, which entries count from.
    #[must_use]
    pub const fn base_offset(&self) -> Offset {
        self.base_offset
    }

    /// The file as entries of bytes.
    #[must_use]
    pub const fn file(&self) -> &EntryFile<R, N> {
        &self.file
    }

    /// The entry numbered `number`, counted from 0; zero padding has entries too.
    ///
    /// # Errors
    /// A read that failed.
    pub fn entry(&mut self, number: u64) -> Result<Option<E>, R::Error> {
        let bytes = self.file.entry(number)?;
        Ok(bytes.map(|bytes| E::read(&bytes, self.base_offset)))
    }

    /// All whole entries to the end of the file, zero padding included.
    pub fn entries(&mut self) -> impl FusedIterator<Item = Result<E, R::Error>> {
        let base_offset = self.base_offset;
        let entries = self.file.entries();
        entries.map(move |bytes| bytes.map(|bytes| E::read(&bytes, base_offset)))
    }

    /// The entries that the stock dump tool looks at: it stops at the first entry but the very
    /// first whose offset is the base offset, which is how zero padding reads.
    pub fn before_padding(&mut self) -> impl FusedIterator<Item = Result<E, R::Error>> {
        let base_offset = self.base_offset;
        let is_padding = move |entry: &E| entry.offset() == base_offset;
        self.entries()
            .enumerate()
            .take_while(move |(number, entry)| {
                *number == 0 || !entry.as_ref().is_ok_and(is_padding)
            })
            .map(|(_, entry)| entry)
            .fuse()
    }

    /// The last entry whose key is at most `key`, found with the steps of a broker's search.
    pub(super) fn search(&mut self, key: i64) -> Result<Option<E>, R::Error> {
        let count = self.file.len();
        let found = largest_lower_bound(count, width::<N>(), key, &mut |number| {
            Ok(self.entry(number)?.map(|entry| entry.key()))
        })?;
        match found {
            Some(number) => self.entry(number),
            None => Ok(None),
        }
    }

    /// The first and the last whole entry.
    pub(super) fn ends(&mut self) -> Result<Option<(E, E)>, R::Error> {
        let Some(last) = self.file.len().checked_sub(1) else {
            return Ok(None);
        };
        let first = self.entry(0)?;
        Ok(first.zip(self.entry(last)?))
    }
}
