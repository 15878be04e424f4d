//! What the drafts of Cluster Mirroring (KIP-1279) made of producer ids, as arithmetic on 64 bits.
//!
//! ```text
//! negation:   -(id + 2); first of every id, later of ids from 0 up alone
//! bit-field:  | sign 1 | region, 32 bits | low 31 bits of the id |    of ids from 0 up alone
//! ```
//!
//! The final design (the barrier, [`super::mirror_reset`]) maps nothing. No mapping says by itself
//! that it was made: a negative id can be read as either, see [`Reading::all_of`].
//! Source: `UnifiedLog.maybeOverrideProducerIdAndLeaderEpoch` of the mirroring fork.

use super::number::ProducerId;
use super::uuid::Uuid;

/// The bits of the source's id that a bit-field id keeps.
const LOW_BITS: u64 = 0x7fff_ffff;
/// Where the region begins, counted from the lowest bit.
const REGION_SHIFT: u32 = 31;
/// The sign that marks an id as mapped.
const MAPPED: u64 = 1 << 63;

/// The 32 bits that stand for the source cluster in a bit-field id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(pub u32);

impl Region {
    /// The region that nearly every negated id lies in as well.
    pub const OF_NEGATIONS: Self = Self(u32::MAX);

    /// The region of a cluster: the low 32 bits of both halves of its id, one XOR the other. The
    /// upper halves have no part in it.
    ///
    /// ```
    /// use kfsck::format::producer_id_mapping::Region;
    /// use kfsck::format::uuid::Uuid;
    /// let cluster_id = Uuid::parse(b"ABEiM0RVZneImaq7zN3u_w", "clusterId").unwrap();
    /// assert_eq!(Region::of(cluster_id), Region(0x8888_8888));
    /// ```
    #[must_use]
    pub const fn of(cluster_id: Uuid) -> Self {
        let [_, _, _, _, a, b, c, d, _, _, _, _, e, f, g, h] = cluster_id.0;
        Self(u32::from_be_bytes([a, b, c, d]) ^ u32::from_be_bytes([e, f, g, h]))
    }

    /// The region `salt` further on, where a cluster moved after a collision; only the low 32 bits
    /// of the sum count.
    #[must_use]
    pub const fn salted(self, salt: i64) -> Self {
        let [_, _, _, _, a, b, c, d] = salt.to_be_bytes();
        Self(self.0.wrapping_add(u32::from_be_bytes([a, b, c, d])))
    }
}

/// A way of mapping the ids of mirrored batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mapping {
    /// Every id is negated, a negated one too: mapped twice, an id is what it was.
    Negate,
    /// Ids from 0 up are negated, others pass.
    NegateIdempotent,
    /// Ids from 0 up go to the source's region, others pass.
    BitField(Region),
}

impl Mapping {
    /// What becomes of an id. Additions wrap, as Java's do; -1 stays -1.
    ///
    /// ```
    /// use kfsck::format::number::ProducerId;
    /// use kfsck::format::producer_id_mapping::{Mapping, Region};
    /// let five = ProducerId(5);
    /// assert_eq!(Mapping::Negate.map(five), ProducerId(-7));
    /// assert_eq!(Mapping::Negate.map(ProducerId(-7)), five);
    /// assert_eq!(Mapping::NegateIdempotent.map(ProducerId(-7)), ProducerId(-7));
    /// let mapped = Mapping::BitField(Region(42)).map(five);
    /// assert_eq!(mapped, ProducerId(-9_223_371_946_660_462_587));
    /// ```
    #[must_use]
    pub const fn map(self, id: ProducerId) -> ProducerId {
        match self {
            Self::Negate => negated(id),
            _ if id.0 < 0 => id,
            Self::NegateIdempotent => negated(id),
            Self::BitField(region) => placed(region, id),
        }
    }
}

const fn negated(id: ProducerId) -> ProducerId {
    ProducerId(id.0.wrapping_add(2).wrapping_neg())
}

const fn placed(Region(region): Region, id: ProducerId) -> ProducerId {
    // A widening that `From` does not offer in a constant function.
    let [a, b, c, d] = region.to_be_bytes();
    let region = u64::from_be_bytes([0, 0, 0, 0, a, b, c, d]) << REGION_SHIFT;
    ProducerId((MAPPED | region | (id.0.cast_unsigned() & LOW_BITS)).cast_signed())
}

/// One thing that an id can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// A cluster's own id, given out by its controller.
    Local,
    /// No producer.
    None,
    /// The negation of this id; of one below 0 where the reading is 0 or above, which was negated
    /// a second time.
    Negation(ProducerId),
    /// A bit-field id.
    BitField {
        /// The source's region.
        region: Region,
        /// The low 31 bits of the source's id, 0 to 2147483647.
        low_bits: u32,
    },
}

impl Reading {
    /// Everything that an id can be, by its value alone.
    #[must_use]
    pub fn all_of(id: ProducerId) -> Vec<Self> {
        match id.0 {
            0.. => {
                // The greatest number is its own negation.
                let twice = Some(negated(id)).filter(|negation| negation.0 < 0);
                [Self::Local]
                    .into_iter()
                    .chain(twice.map(Self::Negation))
                    .collect()
            }
            -1 => vec![Self::None, Self::bit_field(id)],
            _ => vec![Self::Negation(negated(id)), Self::bit_field(id)],
        }
    }

    /// The fields of an id below 0.
    fn bit_field(id: ProducerId) -> Self {
        let bits = id.0.cast_unsigned();
        let [_, _, _, _, a, b, c, d] = (bits >> REGION_SHIFT).to_be_bytes();
        let [_, _, _, _, e, f, g, h] = (bits & LOW_BITS).to_be_bytes();
        Self::BitField {
            region: Region(u32::from_be_bytes([a, b, c, d])),
            low_bits: u32::from_be_bytes([e, f, g, h]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit_field(region: u32, id: i64) -> i64 {
        Mapping::BitField(Region(region)).map(ProducerId(id)).0
    }

    /// The values that the design published, and those that follow from its drawing.
    #[test]
    fn published_values() {
        assert_eq!(bit_field(42, 5), -9_223_371_946_660_462_587);
        assert_eq!(bit_field(99, 5), -9_223_371_824_253_894_651);
        assert_eq!(bit_field(17, 5), -9_223_372_000_347_553_787);
        assert_eq!(bit_field(42, 5).cast_unsigned(), 0x8000_0015_0000_0005);
        assert_eq!(bit_field(99, 5).cast_unsigned(), 0x8000_0031_8000_0005);
        assert_eq!(bit_field(0, 0), i64::MIN);
        assert_eq!(bit_field(u32::MAX, 0x7fff_ffff), -1);
        assert_eq!(bit_field(u32::MAX, 0x7fff_ffff - 6), -7);
        // The 32nd bit of an id is lost.
        assert_eq!(bit_field(42, (1 << 31) + 5), bit_field(42, 5));
    }

    #[test]
    fn ids_below_0_pass_a_mapping_that_can_be_repeated() {
        for id in [-1, -2, -7, i64::MIN] {
            assert_eq!(bit_field(42, id), id);
            assert_eq!(
                Mapping::NegateIdempotent.map(ProducerId(id)),
                ProducerId(id)
            );
        }
        for (id, mapped) in [
            (-1, -1),
            (0, -2),
            (5, -7),
            (-7, 5),
            (i64::MAX - 1, i64::MIN),
            (i64::MAX, i64::MAX),
            (i64::MIN, i64::MAX - 1),
        ] {
            assert_eq!(Mapping::Negate.map(ProducerId(id)), ProducerId(mapped));
        }
        let once = Mapping::NegateIdempotent.map(ProducerId(5));
        assert_eq!(once, ProducerId(-7));
    }

    #[test]
    fn a_region_is_the_low_half_of_the_folded_id_and_salt_wraps_in_it() {
        let id = |upper: u64, lower: u64| {
            let value = u128::from(upper) << 64 | u128::from(lower);
            Region::of(Uuid(value.to_be_bytes()))
        };
        assert_eq!(id(0, 42), Region(42));
        assert_eq!(id(42, 0), Region(42));
        assert_eq!(id(0xdead_beef_0000_0003, 0x1234_5678_0000_0001), Region(2));
        assert_eq!(
            id(0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff),
            Region(0x8888_8888)
        );
        assert_eq!(Region(42).salted(1), Region(43));
        assert_eq!(Region(u32::MAX).salted(1), Region(0));
        assert_eq!(Region(0).salted(-1), Region(u32::MAX));
        assert_eq!(Region(42).salted(1 << 32), Region(42));
    }

    #[test]
    fn every_reading_leads_back() {
        for id in [-1, -2, -7, -(1 << 31), -(1 << 31) - 1, i64::MIN, i64::MAX] {
            let id = ProducerId(id);
            for reading in Reading::all_of(id) {
                match reading {
                    Reading::Local => assert!(id.0 >= 0),
                    Reading::None => assert_eq!(id, ProducerId::NONE),
                    Reading::Negation(of) => {
                        assert_eq!(of.0 >= 0, id.0 < 0);
                        assert_eq!(Mapping::Negate.map(of), id);
                    }
                    Reading::BitField { region, low_bits } => {
                        let source = ProducerId(low_bits.into());
                        assert_eq!(Mapping::BitField(region).map(source), id);
                    }
                }
            }
        }
        let (local, twice) = (Reading::Local, |of| Reading::Negation(ProducerId(of)));
        assert_eq!(Reading::all_of(ProducerId(0)), [local, twice(-2)]);
        let greatest = ProducerId(i64::MAX - 1);
        assert_eq!(Reading::all_of(greatest), [local, twice(i64::MIN)]);
        assert_eq!(Reading::all_of(ProducerId(i64::MAX)), [local]);
        assert_eq!(Reading::all_of(ProducerId(-1))[0], Reading::None);
        assert_eq!(
            Reading::all_of(ProducerId(-7)),
            [
                Reading::Negation(ProducerId(5)),
                Reading::BitField {
                    region: Region::OF_NEGATIONS,
                    low_bits: 0x7fff_ffff - 6
                }
            ]
        );
    }
}
