//! Draws whose values do not depend on the version of a library: ChaCha8 and our own arithmetic.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws of one seed.
#[derive(Debug, Clone)]
pub struct Dice {
    random: ChaCha8Rng,
}

impl Dice {
    /// The draws of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// A number from 0 up, below `count`; 0 for a count of 0. The odds of two numbers differ by
    /// less than one in 2^32 / count.
    pub fn below(&mut self, count: usize) -> usize {
        let bits = u128::from(self.random.next_u32());
        let count = u128::try_from(count).unwrap_or(0);
        usize::try_from((bits * count) >> 32).unwrap_or(0)
    }

    /// Whether something happens that does so `times` in `of`.
    pub fn odds(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    /// One of several; `None` of none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}
