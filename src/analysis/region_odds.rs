//! How likely it is that some two of a number of clusters have the same region of producer ids
//! (the birthday problem over 2^32 regions).
//!
//! With n clusters no two share one with probability Q = (1 - 1/m)(1 - 2/m)...(1 - (n-1)/m), where
//! m = 2^32. The logarithm of Q is added up factor by factor, so nothing is approximated but by
//! rounding: a factor's logarithm is off by one unit in its last place at most, all have the same
//! sign, and the sum carries its rounding errors along (Neumaier), so ln Q is right to about
//! 4e-16 of itself for any n. The probability 1 - Q is taken from it without cancelling; that does
//! not enlarge the relative error. Where Q is too small for a double, 1 - Q is 1 to every digit of
//! one, so the walk ends after 2.6 million factors at most, whatever n.

use crate::format::producer_id_mapping::Region;

/// How many regions there are.
pub const REGIONS: u64 = 1 << Region::OF_NEGATIONS.0.count_ones();

/// The same as a number with a point; a power of two, so division by it is exact.
const REGIONS_REAL: f64 = 4_294_967_296.0;
/// The logarithm below which the exponential is 0 as a double.
const VANISHED: f64 = -746.0;

/// A number of clusters and what it makes likely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odds {
    /// How many clusters.
    pub clusters: u64,
    /// The probability that some two of them share a region, 0 to 1.
    pub probability: f64,
}

impl Odds {
    /// The odds of so many clusters. From 2^32 + 1 clusters on it is certain; below, a probability
    /// of 1 stands for one that differs from 1 by less than a double can tell.
    #[must_use]
    pub fn of(clusters: u64) -> Self {
        let probability = if clusters > REGIONS {
            1.0
        } else {
            let last = Distinct::new()
                .take_while(|(count, _)| *count <= clusters)
                .last();
            last.map_or(0.0, |(_, logarithm)| shared(logarithm))
        };
        Self {
            clusters,
            probability,
        }
    }

    /// The fewest clusters whose probability is `probability` or more, above 0 and up to 1; both
    /// are compared as doubles, which within 1e-12 of 1 lie further apart than the counts do.
    #[must_use]
    pub fn reaching(probability: f64) -> Self {
        Distinct::new()
            .find(|(_, logarithm)| probability < 1.0 && shared(*logarithm) >= probability)
            .map_or(
                Self {
                    clusters: REGIONS + 1,
                    probability: 1.0,
                },
                |(clusters, logarithm)| Self {
                    clusters,
                    probability: shared(logarithm),
                },
            )
    }

    /// The number of clusters, 2 or more, whose probability comes nearest to `probability`.
    #[must_use]
    pub fn nearest(probability: f64) -> Self {
        let least = Self::reaching(probability);
        let below = Self::of(least.clusters.saturating_sub(1).max(2));
        if probability - below.probability < least.probability - probability {
            below
        } else {
            least
        }
    }
}

/// 1 - Q from the logarithm of Q.
fn shared(logarithm: f64) -> f64 {
    -logarithm.exp_m1()
}

/// Counts of clusters from 2 on, with the logarithm of the probability that all their regions
/// differ; ends where that probability vanishes.
struct Distinct {
    clusters: u32,
    sum: f64,
    carried: f64,
}

impl Distinct {
    const fn new() -> Self {
        Self {
            clusters: 1,
            sum: 0.0,
            carried: 0.0,
        }
    }
}

impl Iterator for Distinct {
    type Item = (u64, f64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.sum < VANISHED {
            return None;
        }
        let term = (-f64::from(self.clusters) / REGIONS_REAL).ln_1p();
        let sum = self.sum + term;
        // Neumaier: what the larger of the two lost of the smaller.
        self.carried += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
        self.clusters = self.clusters.saturating_add(1);
        Some((self.clusters.into(), self.sum + self.carried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with exact fractions to 50 digits, by another program.
    const EXACT: [(u64, f64); 8] = [
        (0, 0.0),
        (1, 0.0),
        (2, 2.328_306_436_538_696_3e-10),
        (5, 2.328_306_434_641_342_5e-9),
        (1_000, 1.162_921_530_698_607e-4),
        (65_536, 0.393_466_255_281_518_9),
        (77_163, 0.499_999_890_517_348_36),
        (100_000, 0.687_812_281_963_697_4),
    ];

    #[test]
    fn exact_to_the_last_places() {
        for (clusters, probability) in EXACT {
            let odds = Odds::of(clusters);
            let off = (odds.probability - probability).abs();
            assert!(off <= probability * 5e-16, "{odds:?} {probability}");
        }
    }

    #[test]
    fn certain_only_above_the_number_of_regions() {
        assert_eq!(REGIONS, 4_294_967_296);
        assert!(Odds::of(500_000).probability < 1.0);
        for clusters in [3_000_000, REGIONS, REGIONS + 1, u64::MAX] {
            assert_eq!(Odds::of(clusters).probability, 1.0);
        }
        assert_eq!(Odds::reaching(1.0).clusters, REGIONS + 1);
    }

    /// The design document says that about 65000 clusters make a half.
    #[test]
    fn a_half_lies_between_77163_and_77164_clusters() {
        assert_eq!(Odds::reaching(0.5).clusters, 77_164);
        assert_eq!(Odds::nearest(0.5).clusters, 77_163);
        assert_eq!(Odds::nearest(0.500_008).clusters, 77_164);
        assert!(Odds::of(77_163).probability < 0.5);
        assert!(Odds::of(77_164).probability > 0.5);
        assert!(Odds::of(65_000).probability < 0.39);
    }

    #[test]
    fn a_probability_leads_back_to_the_clusters_that_gave_it() {
        for clusters in [2, 3, 5, 1_000, 65_536, 77_163, 77_164, 200_000, 300_000] {
            let odds = Odds::of(clusters);
            assert_eq!(Odds::reaching(odds.probability), odds);
            assert_eq!(Odds::nearest(odds.probability), odds);
        }
        assert_eq!(Odds::reaching(f64::MIN_POSITIVE).clusters, 2);
        assert_eq!(Odds::nearest(f64::MIN_POSITIVE).clusters, 2);
    }
}
