//! What a log cleaner leaves behind where it took something, as far as producer state shows it.
//!
//! Compaction (`Cleaner.cleanInto`, `MemoryRecords.filterTo`) takes whole batches and records:
//!
//! - A batch that goes takes its offsets with it: a hole stays between its neighbours.
//! - A batch that loses records keeps producer, epoch, sequences, first and last offset; its count
//!   shrinks, and its largest time is that of the records which are left.
//! - The last batch of a producer that is still known stays without any record. A marker that stays
//!   so says nothing any more, neither its epoch nor its coordinator's.
//! - The marker of a transaction stays as long as a batch of it does: none opens again.

use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::state::batch::{Batch, Control};

/// Traces of compaction in a log that is being read.
#[derive(Debug, Default)]
pub struct CleanerTraces {
    /// Offsets that no batch has.
    holes: Ranges,
    /// Offsets of data batches that have fewer records than offsets.
    thinned: Ranges,
    /// Offsets of control batches without a record.
    emptied: Ranges,
}

impl CleanerTraces {
    /// Takes note of a batch, where `expected` was to come.
    pub fn note(&mut self, expected: Offset, batch: &Batch, control: Option<&Control>) {
        if batch.base_offset > expected {
            self.holes.add(expected, batch.base_offset.plus(-1));
        }
        if batch.magic < MAGIC {
            return;
        }
        let (first, last) = (batch.base_offset, batch.last_offset);
        if control == Some(&Control::NoRecord) {
            self.emptied.add(first, last);
        } else if !batch.is_control && i64::from(batch.count) <= last.0.saturating_sub(first.0) {
            self.thinned.add(first, last);
        }
    }

    /// Where the hole begins that holds `offset`.
    #[must_use]
    pub fn hole_at(&self, offset: Offset) -> Option<Offset> {
        let hole = self.holes.reaching(offset);
        hole.filter(|first| *first <= offset)
    }

    /// The first hole that reaches `offset` or lies behind it.
    #[must_use]
    pub fn hole_from(&self, offset: Offset) -> Option<Offset> {
        self.holes.reaching(offset)
    }

    /// Where the data batch begins that holds `offset` and has lost records.
    #[must_use]
    pub fn thinned_at(&self, offset: Offset) -> Option<Offset> {
        let batch = self.thinned.reaching(offset);
        batch.filter(|first| *first <= offset)
    }

    /// The first control batch without a record that reaches `offset` or lies behind it.
    #[must_use]
    pub fn emptied_from(&self, offset: Offset) -> Option<Offset> {
        self.emptied.reaching(offset)
    }
}

/// Stretches of offsets, as many as are worth remembering.
#[derive(Debug, Default)]
struct Ranges {
    /// First and last offset of each, ascending.
    known: Vec<(Offset, Offset)>,
    /// There are more, from here on.
    more_from: Option<Offset>,
}

impl Ranges {
    const MOST: usize = 1 << 16;

    fn add(&mut self, first: Offset, last: Offset) {
        if self.known.len() < Self::MOST {
            self.known.push((first, last));
        } else if self.more_from.is_none() {
            self.more_from = Some(first);
        }
    }

    /// Where the first one begins that reaches `offset` or lies behind it.
    fn reaching(&self, offset: Offset) -> Option<Offset> {
        let at = self.known.partition_point(|(_, last)| *last < offset);
        let known = self.known.get(at).map(|(first, _)| *first);
        known.or(self.more_from)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::format::batch::HEADER_SIZE;
    use crate::state::batch::Place;

    /// A batch at these offsets with so many records.
    pub(in crate::analysis) fn batch(first: i64, last: i64, count: i32) -> Batch {
        let place = Place {
            segment: Offset(0),
            position: 0,
            size: 61,
        };
        Batch {
            magic: MAGIC,
            base_offset: Offset(first),
            last_offset: Offset(last),
            count,
            is_control: false,
            ..Batch::new(&[0; HEADER_SIZE], place)
        }
    }

    #[test]
    fn what_is_whole_leaves_no_trace() {
        let mut traces = CleanerTraces::default();
        traces.note(Offset(0), &batch(0, 4, 5), None);
        traces.note(Offset(5), &batch(5, 5, 1), None);
        // An older message has no count, and its offset is its only one.
        let old = Batch {
            magic: 1,
            ..batch(6, 6, 0)
        };
        traces.note(Offset(6), &old, None);
        assert_eq!(traces.hole_from(Offset(0)), None);
        assert_eq!(traces.emptied_from(Offset(0)), None);
        assert!((0..7).all(|offset| traces.thinned_at(Offset(offset)).is_none()));
    }

    #[test]
    fn each_trace() {
        let mut traces = CleanerTraces::default();
        traces.note(Offset(0), &batch(3, 7, 4), None);
        let marker = Batch {
            is_control: true,
            ..batch(8, 8, 0)
        };
        traces.note(Offset(8), &marker, Some(&Control::NoRecord));
        traces.note(Offset(9), &batch(9, 9, 0), None);
        let at = |offset| traces.hole_at(Offset(offset)).map(|first| first.0);
        assert_eq!((at(0), at(2), at(3)), (Some(0), Some(0), None));
        let at = |offset| traces.thinned_at(Offset(offset)).map(|first| first.0);
        assert_eq!((at(2), at(3), at(7)), (None, Some(3), Some(3)));
        assert_eq!((at(8), at(9)), (None, Some(9)));
        assert_eq!(traces.emptied_from(Offset(0)), Some(Offset(8)));
        assert_eq!(traces.emptied_from(Offset(9)), None);
    }

    #[test]
    fn the_first_range_from_an_offset_on() {
        let mut ranges = Ranges::default();
        ranges.add(Offset(5), Offset(7));
        ranges.add(Offset(20), Offset(20));
        for (from, first) in [(0, 5), (7, 5), (8, 20), (20, 20)] {
            assert_eq!(ranges.reaching(Offset(from)), Some(Offset(first)), "{from}");
        }
        assert_eq!(ranges.reaching(Offset(21)), None);
        for at in 0..1 << 16 {
            ranges.add(Offset(100 + 2 * at), Offset(100 + 2 * at));
        }
        // Those that were not kept count as one without end.
        assert_eq!(
            ranges.reaching(Offset(1 << 40)),
            Some(Offset(100 + 2 * 65_534))
        );
    }
}
