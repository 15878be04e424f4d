//! The entries of an index, one after the other, while the log that they speak of goes by.
//!
//! Zeros at the end of a preallocated file are no entries. An entry that breaks the order is told
//! apart from its neighbours: one that lies above both of them would hold up all that follow.

use std::collections::VecDeque;

use crate::format::entry_file::{IndexEntry, ReadAt};
use crate::format::number::Offset;
use crate::storage::source::{ReadError, Source};

/// An entry and its number, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered<E> {
    pub(super) number: u64,
    pub(super) entry: E,
}

/// Entries are read this many at a time.
const BLOCK: usize = 1024;

/// An index with an entry for every so many bytes of the log is as dense as brokers make them
/// (`index.interval.bytes`).
const USUAL_INTERVAL: u64 = 4096;

/// The entries of an index `E` of `N` bytes each, in order.
#[derive(Debug)]
pub(super) struct EntryStream<E, const N: usize> {
    source: Source,
    base_offset: Offset,
    /// Whether the second may stand behind the first.
    rises: fn(&E, &E) -> bool,
    /// Whether it may stand in the index of a segment with this base offset.
    is_possible: fn(&E, Offset) -> bool,
    block: Vec<u8>,
    /// The number of the block's first entry.
    block_number: u64,
    /// The number of the entry to read next.
    next: u64,
    /// Zeros in front of this entry are entries: something else follows them.
    entries_before: u64,
    /// How many entries are looked at behind zeros.
    looked_at: u64,
    /// Where zeros begin that reach to the end of the file.
    padding: Option<u64>,
    /// Taken from the file, not yet given.
    head: Option<Numbered<E>>,
    ahead: VecDeque<Numbered<E>>,
    /// The last that was given.
    before: Option<E>,
    taken: u64,
    is_over: bool,
}

impl<E: IndexEntry<N>, const N: usize> EntryStream<E, N> {
    /// The entries of `source`, the index of a segment of `log_size` bytes.
    pub(super) fn new(
        source: Source,
        base_offset: Offset,
        log_size: u64,
        rises: fn(&E, &E) -> bool,
        is_possible: fn(&E, Offset) -> bool,
    ) -> Self {
        Self {
            source,
            base_offset,
            rises,
            is_possible,
            block: Vec::new(),
            block_number: 0,
            next: 0,
            entries_before: 0,
            looked_at: log_size / USUAL_INTERVAL + BLOCK as u64,
            padding: None,
            head: None,
            ahead: VecDeque::new(),
            before: None,
            taken: 0,
            is_over: false,
        }
    }

    pub(super) const fn source(&self) -> &Source {
        &self.source
    }

    /// How many bytes a last entry has that is cut short; 0 where none is.
    pub(super) fn cut(&self) -> u64 {
        self.source.len() % N as u64
    }

    /// How many whole entries the file has, zeros at its end included.
    pub(super) fn whole(&self) -> u64 {
        self.source.len() / N as u64
    }

    /// The number of the first entry of zeros that only zeros follow; known at the end.
    pub(super) const fn padding(&self) -> Option<u64> {
        self.padding
    }

    /// How many entries were given, and the last of them.
    pub(super) const fn given(&self) -> (u64, Option<&E>) {
        (self.taken, self.before.as_ref())
    }

    /// Where an entry begins, in bytes.
    pub(super) const fn position(number: u64) -> u64 {
        number.saturating_mul(N as u64)
    }

    /// What [`EntryStream::peek`] gives, where it need not look into the file.
    #[inline]
    pub(super) const fn at_hand(&self) -> Option<Option<Numbered<E>>> {
        match (self.head, self.is_over) {
            (None, false) => None,
            (head, _) => Some(head),
        }
    }

    /// The next entry that is in order. Those that are not are told to `odd`, with the one that
    /// stands in front of them.
    pub(super) fn peek(
        &mut self,
        odd: &mut dyn FnMut(Numbered<E>, Option<E>),
    ) -> Result<Option<Numbered<E>>, ReadError> {
        while self.head.is_none() && !self.is_over {
            self.read_ahead()?;
            let Some(one) = self.ahead.pop_front() else {
                self.is_over = true;
                break;
            };
            match self.is_in_order(&one.entry) {
                true => self.head = Some(one),
                false => odd(one, self.before),
            }
        }
        Ok(self.head)
    }

    /// Whether an entry stands where it should: of two that do not rise the third tells which of
    /// them is wrong.
    fn is_in_order(&self, one: &E) -> bool {
        if !self.may_follow(self.before.as_ref(), one) {
            return false;
        }
        let mut ahead = self.ahead.iter().map(|next| &next.entry);
        match (ahead.next(), ahead.next()) {
            (Some(next), Some(third)) => {
                (self.rises)(one, next)
                    || (self.rises)(one, third)
                    || !self.may_follow(self.before.as_ref(), next)
                    || !(self.rises)(next, third)
            }
            _ => true,
        }
    }

    fn read_ahead(&mut self) -> Result<(), ReadError> {
        while self.ahead.len() < 3
            && let Some(next) = self.read()?
        {
            self.ahead.push_back(next);
        }
        Ok(())
    }

    /// Passes the entry that [`EntryStream::peek`] gave.
    pub(super) const fn pass(&mut self) {
        if let Some(head) = self.head.take() {
            self.before = Some(head.entry);
            self.taken += 1;
        }
    }

    fn may_follow(&self, before: Option<&E>, entry: &E) -> bool {
        (self.is_possible)(entry, self.base_offset)
            && before.is_none_or(|before| (self.rises)(before, entry))
    }

    /// The next entry of the file that is not padding.
    fn read(&mut self) -> Result<Option<Numbered<E>>, ReadError> {
        if self.padding.is_some() {
            return Ok(None);
        }
        let number = self.next;
        let Some(bytes) = self.bytes_of(number)? else {
            return Ok(None);
        };
        if bytes == [0; N] && number >= self.entries_before {
            match self.behind_zeros(number)? {
                Some(entry) => self.entries_before = entry,
                None => {
                    self.padding = Some(number);
                    return Ok(None);
                }
            }
        }
        self.next += 1;
        let entry = E::read(&bytes, self.base_offset);
        Ok(Some(Numbered { number, entry }))
    }

    /// The first entry that is not zero, from `number` on as far as is looked; the last of the
    /// file is looked at too.
    fn behind_zeros(&mut self, number: u64) -> Result<Option<u64>, ReadError> {
        let end = self.whole().min(number.saturating_add(self.looked_at));
        for number in number..end {
            if self.bytes_of(number)?.is_some_and(|bytes| bytes != [0; N]) {
                return Ok(Some(number));
            }
        }
        let last = self.whole().saturating_sub(1);
        let bytes = self.source.window().probe::<N>(Self::position(last))?;
        Ok(bytes.filter(|bytes| *bytes != [0; N]).map(|_| last))
    }

    fn bytes_of(&mut self, number: u64) -> Result<Option<[u8; N]>, ReadError> {
        let held = (self.block.len() / N) as u64;
        let is_held = (self.block_number..self.block_number + held).contains(&number);
        if !is_held {
            let start = Self::position(number);
            let mut window = self.source.window();
            window.forward(start, BLOCK * N, &mut self.block)?;
            self.block_number = number;
        }
        let at = usize::try_from(number - self.block_number).unwrap_or(usize::MAX);
        let bytes = self.block.get(at.saturating_mul(N)..).unwrap_or_default();
        Ok(bytes.first_chunk().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::offset_index::{self, OffsetIndexEntry};

    type Stream = EntryStream<OffsetIndexEntry, { offset_index::ENTRY_SIZE }>;

    fn stream(entries: &[(i32, i32)], padding: usize, log_size: u64) -> Stream {
        let mut bytes: Vec<u8> = entries
            .iter()
            .flat_map(|(offset, position)| [offset.to_be_bytes(), position.to_be_bytes()].concat())
            .collect();
        bytes.resize(bytes.len() + padding, 0);
        EntryStream::new(
            Source::from_bytes("5.index", bytes),
            Offset(5),
            log_size,
            |before, entry| entry.offset > before.offset && entry.position > before.position,
            |entry, base| entry.offset >= base && entry.position >= 0,
        )
    }

    /// The numbers of the entries in order, and of those that are not.
    fn told(stream: &mut Stream) -> (Vec<u64>, Vec<u64>) {
        let (mut good, mut odd) = (Vec::new(), Vec::new());
        while let Some(one) = stream.peek(&mut |one, _| odd.push(one.number)).unwrap() {
            good.push(one.number);
            stream.pass();
        }
        (good, odd)
    }

    #[test]
    fn entries_end_where_padding_begins() {
        for (padding, first) in [
            (0, None),
            (8, Some(2)),
            (80_000, Some(2)),
            (80_003, Some(2)),
        ] {
            let mut stream = stream(&[(3, 10), (6, 20)], padding, 0);
            assert_eq!(told(&mut stream), (vec![0, 1], vec![]));
            assert_eq!(stream.padding(), first);
            assert_eq!(stream.cut(), (padding % 8) as u64);
        }
        let mut nothing = stream(&[], 80, 0);
        assert_eq!(told(&mut nothing), (vec![], vec![]));
        assert_eq!(nothing.padding(), Some(0));
    }

    #[test]
    fn zeros_with_something_behind_them_are_entries_out_of_order() {
        let mut torn = vec![(0, 0); 600];
        torn[0] = (3, 10);
        torn[599] = (600, 700);
        let (good, odd) = told(&mut stream(&torn, 0, 0));
        assert_eq!((good, odd.len()), (vec![0, 599], 598));
        // Far behind, only the last one is looked at, or as many as the log may have.
        let mut far = vec![(0, 0); 5000];
        far[0] = (3, 10);
        far[4000] = (600, 700);
        assert_eq!(told(&mut stream(&far, 0, 0)).0, [0]);
        assert_eq!(told(&mut stream(&far, 0, 3500 * 4096)).0, [0, 4000]);
        far[4999] = (700, 800);
        assert_eq!(told(&mut stream(&far, 0, 0)).0, [0, 4000, 4999]);
    }

    #[test]
    fn one_entry_out_of_order_holds_up_no_other() {
        for (entries, odd) in [
            (vec![(3, 10), (900, 900), (6, 20), (9, 30)], vec![1]),
            (vec![(900, 900), (3, 10), (6, 20)], vec![0]),
            (vec![(3, 10), (6, 20), (2, 5), (9, 30)], vec![2]),
            (vec![(3, 10), (-1, 15), (9, 30)], vec![1]),
            (vec![(3, 10), (4, -15), (9, 30)], vec![1]),
            (vec![(3, 10), (4, 20), (9, 15), (12, 30)], vec![2]),
            (vec![(3, 10), (3, 20), (9, 30)], vec![1]),
            (vec![(3, 10), (3, 20)], vec![1]),
        ] {
            let count = entries.len() as u64;
            let good: Vec<_> = (0..count).filter(|number| !odd.contains(number)).collect();
            assert_eq!(
                told(&mut stream(&entries, 16, 0)),
                (good, odd),
                "{entries:?}"
            );
        }
    }

    #[test]
    fn long_files_are_read_block_by_block() {
        let entries: Vec<_> = (1..5000).map(|number| (number, 10 * number)).collect();
        let (good, odd) = told(&mut stream(&entries, 0, 0));
        assert_eq!((good.len(), odd.len()), (4999, 0));
        assert!(good.is_sorted());
    }
}
