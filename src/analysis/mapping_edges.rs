//! Where the mappings of producer ids lose or confuse something, for one id at a time.
//!
//! What two clusters do to each other is for the simulator; here only the arithmetic is judged.

use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::{Mapping, Reading, Region};

/// Ids from here on lose bits in a bit-field id.
const FIRST_ALIASED: i64 = 1 << 31;

/// Something about a mapped id that the design does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// An id below 0 is not mapped.
    Passes,
    /// The id is too large: it becomes what this smaller one becomes.
    Aliased(ProducerId),
    /// The id becomes -1: its batches seem to have no producer, but they have sequences.
    BecomesNone,
    /// The bit-field id is also the negation of this id.
    IsNegation(ProducerId),
    /// The negated id is also a bit-field id of this region.
    IsBitField(Region),
    /// The id becomes the least number that there is: it has no opposite.
    BecomesLeast,
    /// The id comes out at 0 or above, where the destination's own producers are.
    BecomesLocal,
}

impl Edge {
    /// Whether something is lost or can be confused. The rest is how the mapping was meant, or
    /// holds for nearly every id.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        !matches!(self, Self::Passes | Self::IsBitField(_))
    }

    /// The edges that a mapping meets at an id.
    #[must_use]
    pub fn all_of(mapping: Mapping, id: ProducerId) -> Vec<Self> {
        let mapped = mapping.map(id);
        if id == ProducerId::NONE || id.0 < 0 && mapped == id {
            return vec![Self::Passes];
        }
        let mut edges = Vec::new();
        let is_bit_field = matches!(mapping, Mapping::BitField(_));
        if is_bit_field && id.0 >= FIRST_ALIASED {
            edges.push(Self::Aliased(ProducerId(id.0 & (FIRST_ALIASED - 1))));
        }
        match mapped.0 {
            0.. => edges.push(Self::BecomesLocal),
            -1 => edges.push(Self::BecomesNone),
            i64::MIN => edges.push(Self::BecomesLeast),
            _ => {}
        }
        edges.extend(Reading::all_of(mapped).into_iter().filter_map(|reading| {
            match reading {
                // Nearly all other regions lie where no producer's id gets to.
                Reading::Negation(of) if is_bit_field && of.0 < FIRST_ALIASED => {
                    Some(Self::IsNegation(of))
                }
                Reading::BitField { region, .. } if !is_bit_field => Some(Self::IsBitField(region)),
                _ => None,
            }
        }));
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit_field(region: u32, id: i64) -> Vec<Edge> {
        Edge::all_of(Mapping::BitField(Region(region)), ProducerId(id))
    }

    fn negated(id: i64) -> Vec<Edge> {
        Edge::all_of(Mapping::Negate, ProducerId(id))
    }

    #[test]
    fn an_id_of_32_bits_is_aliased() {
        assert_eq!(bit_field(42, (1 << 31) - 1), []);
        let aliased = [Edge::Aliased(ProducerId(5))];
        assert_eq!(bit_field(42, (1 << 31) + 5), aliased);
        assert_eq!(bit_field(42, (7 << 31) + 5), aliased);
    }

    #[test]
    fn one_value_becomes_none_and_one_the_least() {
        assert_eq!(bit_field(u32::MAX, 0x7fff_ffff), [Edge::BecomesNone]);
        assert_eq!(bit_field(0, 0), [Edge::BecomesLeast]);
        assert_eq!(bit_field(0, 1), []);
        assert_eq!(bit_field(u32::MAX - 1, 0x7ffe_ffff), []);
    }

    #[test]
    fn the_last_region_is_shared_with_negation() {
        let five = Edge::IsNegation(ProducerId(5));
        assert_eq!(bit_field(u32::MAX, 0x7fff_ffff - 6), [five]);
        assert_eq!(
            bit_field(u32::MAX, 0),
            [Edge::IsNegation(ProducerId(0x7fff_fffe))]
        );
        // The greatest id of 31 bits is negated into the region before.
        assert_eq!(
            bit_field(u32::MAX - 1, 0x7fff_ffff),
            [Edge::IsNegation(ProducerId(0x7fff_ffff))]
        );
        assert_eq!(negated(5), [Edge::IsBitField(Region::OF_NEGATIONS)]);
        assert!(!negated(5)[0].is_warning());
    }

    #[test]
    fn ids_below_0_pass_or_come_back() {
        assert_eq!(bit_field(42, -1), [Edge::Passes]);
        assert_eq!(bit_field(42, -7), [Edge::Passes]);
        assert_eq!(negated(-1), [Edge::Passes]);
        assert_eq!(negated(-7), [Edge::BecomesLocal]);
        assert_eq!(negated(i64::MAX), [Edge::BecomesLocal]);
        assert_eq!(negated(i64::MAX - 1)[0], Edge::BecomesLeast);
        assert_eq!(
            Edge::all_of(Mapping::NegateIdempotent, ProducerId(-7)),
            [Edge::Passes]
        );
    }
}
