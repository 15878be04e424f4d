//! How many numbers of which size, in little memory whatever their number.
//!
//! Numbers below 256 are counted one by one; above, each power of two has 128 buckets, so a
//! percentile is at most 1/128 (0.8 %) below the exact one.

use std::collections::BTreeMap;

/// Bits that tell apart the buckets of one power of two.
const FINE: u32 = 7;

/// Counted numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    /// How many fell into the bucket that begins at a number.
    buckets: BTreeMap<u64, u64>,
    count: u64,
    sum: u128,
    min: Option<u64>,
    max: Option<u64>,
}

impl Distribution {
    /// Counts a number.
    pub fn add(&mut self, value: u64) {
        let bucket = self.buckets.entry(bucket(value)).or_default();
        *bucket = bucket.saturating_add(1);
        self.count = self.count.saturating_add(1);
        self.sum = self.sum.saturating_add(value.into());
        self.min = Some(self.min.map_or(value, |min| min.min(value)));
        self.max = Some(self.max.map_or(value, |max| max.max(value)));
    }

    /// Counts all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        for (from, count) in &other.buckets {
            let bucket = self.buckets.entry(*from).or_default();
            *bucket = bucket.saturating_add(*count);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        self.min = [self.min, other.min].into_iter().flatten().min();
        self.max = self.max.max(other.max);
    }

    /// How many numbers there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// The smallest.
    #[must_use]
    pub const fn min(&self) -> Option<u64> {
        self.min
    }

    /// The largest.
    #[must_use]
    pub const fn max(&self) -> Option<u64> {
        self.max
    }

    /// The smallest number of which at least `percent` of a hundred are no larger (nearest rank),
    /// or up to 0.8 % less; `None` without any.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> Option<u64> {
        let wanted = u128::from(self.count) * u128::from(percent.min(100));
        let rank = wanted.div_ceil(100).max(1);
        let mut seen = 0_u128;
        for (from, count) in &self.buckets {
            seen += u128::from(*count);
            if seen >= rank {
                return self.min.map(|min| min.max(*from));
            }
        }
        self.max
    }
}

/// The first number of the bucket that holds `value`.
const fn bucket(value: u64) -> u64 {
    let bits = u64::BITS - value.leading_zeros();
    if bits <= FINE + 1 {
        return value;
    }
    let dropped = bits - FINE - 1;
    value >> dropped << dropped
}

#[cfg(test)]
mod tests {
    use super::{Distribution, bucket};

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        for value in values {
            distribution.add(value);
        }
        distribution
    }

    #[test]
    fn small_numbers_have_exact_percentiles() {
        let hundred = of(1..=100);
        for (percent, value) in [(0, 1), (1, 1), (50, 50), (90, 90), (99, 99), (100, 100)] {
            assert_eq!(hundred.percentile(percent), Some(value));
        }
        assert_eq!((hundred.count(), hundred.sum()), (100, 5050));
        assert_eq!((hundred.min(), hundred.max()), (Some(1), Some(100)));
        assert_eq!(of([7, 3]).percentile(50), Some(3));
        assert_eq!(Distribution::default().percentile(50), None);
    }

    #[test]
    fn a_large_percentile_is_less_than_a_128th_below_the_exact_one() {
        for shift in 8..64 {
            for value in [1_u64 << shift, (1 << shift) + (1 << (shift - 1)) + 1] {
                let low = bucket(value);
                assert!(low <= value && value - low <= value / 128, "{value}");
            }
        }
        assert_eq!((bucket(255), bucket(256), bucket(257)), (255, 256, 256));
        let one = of([1_000_003]);
        assert_eq!(one.percentile(99), Some(1_000_003));
    }

    #[test]
    fn the_number_of_buckets_is_bounded() {
        let many = of((0..1_000_000).map(|value| value * 97));
        assert!(many.buckets.len() < 128 * 21, "{}", many.buckets.len());
    }

    #[test]
    fn a_merge_counts_both() {
        let mut merged = of(1..=50);
        merged.merge(&of(51..=100));
        merged.merge(&Distribution::default());
        assert_eq!(merged, of(1..=100));
        let mut empty = Distribution::default();
        empty.merge(&of([4]));
        assert_eq!(empty.min(), Some(4));
    }
}
