//! Numbers that look alike and are not: each has a type of its own, with the arithmetic Kafka has.

use std::fmt;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// A place in a partition's log, counted in records; legal from 0 up.
    Offset(i64)
}

number! {
    /// A producer's id (KIP-98). -1 is none; ids below -1 exist only where mirroring designs
    /// rewrote them, and a stock broker keeps no state for them.
    ProducerId(i64)
}

number! {
    /// The incarnation of a producer id (KIP-98), 0 to 32767; -1 is none.
    ProducerEpoch(i16)
}

number! {
    /// A record's place in its producer's stream to one partition (KIP-98): 0 to 2147483647, then
    /// 0 again; -1 is none.
    Sequence(i32)
}

number! {
    /// The reign of a partition's leader (KIP-101), 0 and up; -1 is unknown.
    LeaderEpoch(i32)
}

number! {
    /// The incarnation of a transaction coordinator, as end markers carry it; -1 is none.
    CoordinatorEpoch(i32)
}

number! {
    /// Milliseconds since 1970-01-01T00:00:00Z; -1 is none.
    Timestamp(i64)
}

impl Offset {
    /// The offset `delta` further on; wraps where the numbers end, as Java's `long` does.
    #[must_use]
    #[inline]
    pub const fn plus(self, delta: i64) -> Self {
        Self(self.0.wrapping_add(delta))
    }
}

impl ProducerId {
    /// The number that stands for "no producer".
    pub const NONE: Self = Self(-1);

    /// What an id could be by its value alone: `local` (a cluster's own), `none` (-1), `negated`
    /// (-(p+2) of an id p below 2^31) or `bit-field` (32 bits of a cluster's id beside 31 of p).
    ///
    /// Ids that both designs can give count as `negated`, whose range is the smaller.
    #[must_use]
    pub const fn origin(self) -> &'static str {
        const LEAST_NEGATED: i64 = -(1 << 31) - 1;
        match self.0 {
            0.. => "local",
            -1 => "none",
            LEAST_NEGATED..-1 => "negated",
            _ => "bit-field",
        }
    }
}

impl Sequence {
    /// The number that stands for "no sequence".
    pub const NONE: Self = Self(-1);

    /// The sequence `by` further on, wrapping from 2147483647 to 0
    /// (`DefaultRecordBatch.incrementSequence`).
    ///
    /// ```
    /// use kfsck::format::number::Sequence;
    /// assert_eq!(Sequence(5).plus(2), Sequence(7));
    /// assert_eq!(Sequence(i32::MAX).plus(1), Sequence(0));
    /// ```
    #[must_use]
    #[inline]
    pub const fn plus(self, by: i32) -> Self {
        if self.0 > i32::MAX.wrapping_sub(by) {
            // by - (MAX - sequence) - 1, each step inside 32 bits for by >= 0.
            Self(
                by.wrapping_sub(i32::MAX.wrapping_sub(self.0))
                    .wrapping_sub(1),
            )
        } else {
            Self(self.0.wrapping_add(by))
        }
    }

    /// The sequence `by` further back, wrapping from 0 to 2147483647
    /// (`DefaultRecordBatch.decrementSequence`).
    ///
    /// ```
    /// use kfsck::format::number::Sequence;
    /// assert_eq!(Sequence(5).minus(2), Sequence(3));
    /// assert_eq!(Sequence(0).minus(1), Sequence(i32::MAX));
    /// ```
    #[must_use]
    #[inline]
    pub const fn minus(self, by: i32) -> Self {
        if self.0 < by {
            // MAX - (by - sequence) + 1, wrapping as Java's int does.
            Self(
                i32::MAX
                    .wrapping_sub(by.wrapping_sub(self.0))
                    .wrapping_add(1),
            )
        } else {
            Self(self.0.wrapping_sub(by))
        }
    }
}

impl ProducerEpoch {
    /// The number that stands for "no epoch".
    pub const NONE: Self = Self(-1);
}

impl Timestamp {
    /// The number that stands for "no timestamp".
    pub const NONE: Self = Self(-1);
}

/// A 32-bit count as a slice length: a cast that cannot lose bits on the targets that build.
#[must_use]
#[inline]
#[expect(
    clippy::as_conversions,
    reason = "u32 fits usize: the const assertion below holds it"
)]
pub const fn to_usize(count: u32) -> usize {
    const { assert!(usize::BITS >= u32::BITS) };
    count as usize
}
