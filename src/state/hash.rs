//! A cheap hash whose keys are drawn anew for each table: a log cannot be made to collide.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The secrets of one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixer {
    offset: u64,
    factor: u64,
}

impl Mixer {
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            offset: random.hash_one(0_u8),
            factor: random.hash_one(1_u8) | 1,
        }
    }

    /// Two wide multiplications, the halves of each folded. After one alone, ids in even steps
    /// would fall in even steps again, which fill a table unevenly for some factors.
    #[inline]
    pub(super) fn mix(self, value: u64) -> u64 {
        /// The fraction of the golden ratio in 64 bits: any odd number with many bits would do.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let once = folded(value ^ self.offset, self.factor);
        folded(once ^ self.factor, FACTOR)
    }
}

#[inline]
fn folded(value: u64, factor: u64) -> u64 {
    let product = u128::from(value).wrapping_mul(u128::from(factor));
    let bytes = product.to_be_bytes();
    let (Some(high), Some(low)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return 0;
    };
    u64::from_be_bytes(*high) ^ u64::from_be_bytes(*low)
}

impl Default for Mixer {
    fn default() -> Self {
        Self::new()
    }
}

impl BuildHasher for Mixer {
    type Hasher = Mixed;

    #[inline]
    fn build_hasher(&self) -> Mixed {
        Mixed {
            mixer: *self,
            state: 0,
        }
    }
}

/// Hashes keys that are one number.
pub(crate) struct Mixed {
    mixer: Mixer,
    state: u64,
}

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value.cast_unsigned());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.state = self.mixer.mix(self.state ^ value);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}
