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

    /// Replaces `block` by `length` bytes from `position` on, fewer where the end comes first; the
    /// next read is likely that of the bytes behind them.
    ///
    /// # Errors
    /// A read that failed.
    fn forward(
        &mut self,
        position: u64,
        length: usize,
        block: &mut Vec<u8>,
    ) -> Result<(), Self::Error>;

    /// The `N` bytes at `position`, or `None` where the end comes first; the next read is likely
    /// somewhere else.
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

    fn forward(
        &mut self,
        position: u64,
        length: usize,
        block: &mut Vec<u8>,
    ) -> Result<(), Infallible> {
        let from = behind(self, position);
        block.clear();
        block.extend_from_slice(from.get(..length).unwrap_or(from));
        Ok(())
    }

    fn probe<const N: usize>(&mut self, position: u64) -> Result<Option<[u8; N]>, Infallible> {
        Ok(behind(self, position).first_chunk().copied())
    }
}

fn behind(bytes: &[u8], position: u64) -> &[u8] {
    let position = usize::try_from(position).ok();
    position
        .and_then(|position| bytes.get(position..))
        .unwrap_or_default()
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
            block: Vec::new(),
            taken: 0,
            position: 0,
            over: false,
        }
    }
}

/// An entry's width as positions count.
fn width<const N: usize>() -> u64 {
    u64::try_from(N).unwrap_or(u64::MAX)
}

/// Entries that are read at a time.
const BLOCK: usize = 1024;

/// Walks whole entries; ends after the first read that failed.
#[derive(Debug)]
pub struct Entries<'a, R, const N: usize> {
    bytes: &'a mut R,
    block: Vec<u8>,
    /// Bytes of the block that were given.
    taken: usize,
    /// Where the next block begins.
    position: u64,
    over: bool,
}

impl<R: ReadAt, const N: usize> Entries<'_, R, N> {
    #[cold]
    fn next_block(&mut self) -> Result<(), R::Error> {
        self.taken = 0;
        let length = BLOCK.saturating_mul(N);
        self.bytes.forward(self.position, length, &mut self.block)?;
        let read = u64::try_from(self.block.len()).unwrap_or(u64::MAX);
        self.position = self.position.saturating_add(read);
        Ok(())
    }

    fn held(&self) -> Option<[u8; N]> {
        self.block.get(self.taken..)?.first_chunk().copied()
    }
}

impl<R: ReadAt, const N: usize> Iterator for Entries<'_, R, N> {
    type Item = Result<[u8; N], R::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        if self.taken == self.block.len()
            && let Err(error) = self.next_block()
        {
            self.over = true;
            return Some(Err(error));
        }
        // What is less than an entry can only be the end of the file.
        let entry = self.held();
        self.taken = self.taken.saturating_add(N);
        self.over = entry.is_none();
        entry.map(Ok)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than a block, and not a multiple of one.
    #[test]
    fn entries_come_in_order_across_blocks() {
        let bytes: Vec<u8> = (0..5 * BLOCK + 8).map(|number| number as u8).collect();
        let mut file = EntryFile::<_, 3>::new(&bytes[..]);
        let read: Vec<u8> = file.entries().flat_map(|Ok(entry)| entry).collect();
        let whole = bytes.len() / 3 * 3;
        assert_eq!(read, bytes[..whole]);
        assert_eq!(file.len() * 3, whole as u64);
        assert_eq!(file.entry(1705), Ok(Some([251, 252, 253])));
        assert_eq!(file.entry(file.len()), Ok(None));
        assert_eq!(file.entry(u64::MAX), Ok(None));
        assert_eq!(file.cut().unwrap().at, whole);
    }

    /// Gives one block, then fails.
    struct Failing(u32);

    impl ReadAt for Failing {
        type Error = u32;

        fn length(&self) -> u64 {
            1 << 40
        }

        fn forward(&mut self, _: u64, length: usize, block: &mut Vec<u8>) -> Result<(), u32> {
            self.0 += 1;
            block.resize(length, 7);
            if self.0 > 1 { Err(self.0) } else { Ok(()) }
        }

        fn probe<const N: usize>(&mut self, _: u64) -> Result<Option<[u8; N]>, u32> {
            Err(0)
        }
    }

    #[test]
    fn a_read_that_fails_is_told_once() {
        let mut file = EntryFile::<_, 8>::new(Failing(0));
        let mut entries = file.entries();
        assert!(
            entries
                .by_ref()
                .take(BLOCK)
                .all(|entry| entry == Ok([7; 8]))
        );
        assert_eq!(entries.next(), Some(Err(2)));
        assert_eq!(entries.next(), None);
    }
}
