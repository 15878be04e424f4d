//! Of how many partitions `__transaction_state` is, by the places of the transactional ids in it.
//!
//! An id lies in the partition that its hash modulo the number gives. So each number that fits all
//! ids divides the distance between each id's hash and the number of its partition.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use super::transaction_coordinator::StatePartition;

/// How many partitions the topic has unless `transaction.state.log.num.partitions` says otherwise.
const DEFAULT_PARTITIONS: u32 = 50;

/// So many ids in their places make up for one that is out of place, and so many in their places
/// there must be.
const FOR_ONE_OUT_OF_PLACE: usize = 4;

/// Of how many partitions the topic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionCount {
    /// Of so many.
    Known(NonZeroU32),
    /// No one number is sure, but nothing speaks against the places in which the ids lie.
    Unknown,
    /// No number puts all ids where they lie, so some lie in the wrong place, and which is not
    /// sure.
    Contradicted,
}

impl PartitionCount {
    /// The number, where it is known.
    #[must_use]
    pub const fn known(self) -> Option<NonZeroU32> {
        match self {
            Self::Known(count) => Some(count),
            Self::Unknown | Self::Contradicted => None,
        }
    }

    /// Finds it out. Two numbers are likely: 50, the default, and one more than the greatest
    /// number of a partition at hand. One of them is known to be it if all ids fit it and no other
    /// number, such as a multiple of it, of which half the partitions may be missing; or, where no
    /// number fits every id, if all but a few fit this one. Few ids fit many numbers: each halves
    /// the odds of another one at least.
    pub(super) fn found_out(partitions: &BTreeMap<u32, StatePartition>) -> Self {
        let Some((greatest, _)) = partitions.last_key_value() else {
            return Self::Unknown;
        };
        let likely = [Some(DEFAULT_PARTITIONS), greatest.checked_add(1)];
        let likely: BTreeSet<_> = likely.into_iter().flatten().collect();
        let likely: Vec<_> = likely
            .into_iter()
            .filter(|count| count > greatest)
            .filter_map(NonZeroU32::new)
            .map(|count| (count, fit(partitions, count)))
            .collect();
        let divisor = common_divisor(partitions);
        let is_consistent = divisor == 0 || divisor > *greatest;
        let exact: Vec<_> = likely
            .iter()
            .filter(|(_, fit)| fit.misplaced == 0)
            .collect();
        match exact[..] {
            [(count, _)] if divisor == count.get() => Self::Known(*count),
            [] if !is_consistent => {
                let near = likely.iter().filter(|(_, fit)| {
                    let few = fit.misplaced.saturating_mul(FOR_ONE_OUT_OF_PLACE);
                    fit.placed >= few.max(FOR_ONE_OUT_OF_PLACE)
                });
                match near.collect::<Vec<_>>()[..] {
                    [(count, _)] => Self::Known(*count),
                    _ => Self::Contradicted,
                }
            }
            _ => Self::Unknown,
        }
    }
}

/// How many ids a number puts where they lie.
struct Fit {
    placed: usize,
    misplaced: usize,
}

fn fit(partitions: &BTreeMap<u32, StatePartition>, count: NonZeroU32) -> Fit {
    let mut fit = Fit {
        placed: 0,
        misplaced: 0,
    };
    for (number, partition) in partitions {
        for (key, _) in partition.states() {
            let counted = match key.partition(count) == *number {
                true => &mut fit.placed,
                false => &mut fit.misplaced,
            };
            *counted = counted.saturating_add(1);
        }
    }
    fit
}

/// The greatest number of partitions that puts every id where it lies; 0 where every number does
/// that is great enough.
fn common_divisor(partitions: &BTreeMap<u32, StatePartition>) -> u32 {
    let keys = partitions
        .iter()
        .flat_map(|(number, partition)| partition.states().map(move |(key, _)| (*number, key)));
    keys.fold(0, |common, (number, key)| {
        divisor(common, key.hash().abs_diff(number))
    })
}

/// The greatest common divisor; 0 has every one.
const fn divisor(mut one: u32, mut other: u32) -> u32 {
    while let Some(rest) = one.checked_rem(other) {
        (one, other) = (other, rest);
    }
    one
}
