//! Which batches to keep where offsets do not rise: the chain of the most batches.
//!
//! No checksum covers a batch's offset. One that was changed upwards makes all behind it look too
//! low, one that was changed downwards makes those in front of it look too high; the longest chain
//! of rising offsets leaves out the changed one in both cases, however many records it holds.

use crate::format::number::Offset;

/// A batch as far as the order of batches goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) first: Offset,
    pub(super) last: Offset,
    pub(super) records: u64,
}

/// For each batch whether it is kept: of the chains of batches that each begin behind the one
/// before, the longest; of several such the one with the most records, then the one that ends
/// first.
pub(super) fn longest(links: &[Link]) -> Vec<bool> {
    let mut ends: Vec<Offset> = links.iter().map(|link| link.last).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut best = PrefixMaximum::new(ends.len());
    let mut before: Vec<Option<usize>> = Vec::with_capacity(links.len());
    let mut top: Option<(Weight, usize)> = None;
    for (index, link) in links.iter().enumerate() {
        // Ends below the first offset of this one.
        let below = ends.partition_point(|end| *end < link.first);
        let chain = best.below(below);
        let (batches, records) = chain.map_or((0, 0), |(weight, _)| weight);
        let weight = (batches + 1, records.saturating_add(link.records));
        before.push(chain.map(|(_, index)| index));
        let own = ends.partition_point(|end| *end < link.last);
        best.raise(own, (weight, index));
        if top.is_none_or(|(most, _)| weight > most) {
            top = Some((weight, index));
        }
    }
    let mut kept = vec![false; links.len()];
    let mut next = top.map(|(_, index)| index);
    while let Some(index) = next {
        if let Some(kept) = kept.get_mut(index) {
            *kept = true;
        }
        next = before.get(index).copied().flatten();
    }
    kept
}

/// Of a chain: its batches, then their records.
type Weight = (u64, u64);

/// The greatest value among the first so many places (a Fenwick tree).
struct PrefixMaximum {
    tree: Vec<Option<(Weight, usize)>>,
}

impl PrefixMaximum {
    fn new(places: usize) -> Self {
        Self {
            tree: vec![None; places + 1],
        }
    }

    /// Raises the value at a place; one that is as great stays.
    fn raise(&mut self, place: usize, value: (Weight, usize)) {
        let mut at = place + 1;
        while let Some(node) = self.tree.get_mut(at) {
            if node.is_none_or(|(most, _)| value.0 > most) {
                *node = Some(value);
            }
            at += at & at.wrapping_neg();
        }
    }

    /// The greatest of the places below `place`.
    fn below(&self, place: usize) -> Option<(Weight, usize)> {
        let (mut at, mut found) = (place, None::<(Weight, usize)>);
        while at > 0 {
            if let Some(Some(node)) = self.tree.get(at)
                && found.is_none_or(|(most, _)| node.0 > most)
            {
                found = Some(*node);
            }
            at &= at - 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, longest};
    use crate::format::number::Offset;

    /// Batches of one offset each, or `first..=last`.
    fn kept(links: &[(i64, i64)]) -> Vec<usize> {
        let links: Vec<_> = links
            .iter()
            .map(|(first, last)| Link {
                first: Offset(*first),
                last: Offset(*last),
                records: (last - first + 1).unsigned_abs(),
            })
            .collect();
        let kept = longest(&links).into_iter().enumerate();
        kept.filter_map(|(index, kept)| kept.then_some(index))
            .collect()
    }

    #[test]
    fn all_stay_where_offsets_rise() {
        assert_eq!(kept(&[(0, 0), (1, 4), (9, 9)]), [0, 1, 2]);
        assert_eq!(kept(&[]), [0; 0]);
    }

    #[test]
    fn an_offset_that_was_changed_goes_alone_upwards_and_downwards() {
        let upwards = [(0, 0), (1, 1), (1 << 40, 1 << 40), (3, 3), (4, 4)];
        assert_eq!(kept(&upwards), [0, 1, 3, 4]);
        let downwards = [(10, 10), (11, 11), (2, 2), (13, 13), (14, 14)];
        assert_eq!(kept(&downwards), [0, 1, 3, 4]);
    }

    #[test]
    fn of_a_repeated_stretch_the_first_stays() {
        assert_eq!(kept(&[(0, 0), (1, 1), (0, 0), (1, 1), (2, 2)]), [0, 1, 4]);
    }

    #[test]
    fn batches_count_before_records() {
        // The last one was changed downwards.
        assert_eq!(kept(&[(0, 0), (1, 3), (0, 27)]), [0, 1]);
        assert_eq!(kept(&[(0, 0), (0, 90)]), [1]);
    }
}
