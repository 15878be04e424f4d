//! The second design as it was coded: a collision is a producer-state entry that another source
//! is tagged on, and the region moves on by 1, 2, 3... until there is none.

use super::bit_field::placed;
use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;

/// Salts 1, 2, 3... against entries of the producer state with another source's tag. The salt is
/// nowhere but in the state itself, which a forced snapshot of version 2 keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitFieldSalt;

/// Far more salts than a partition has sources.
const MOST: i64 = 1 << 16;

impl Strategy for BitFieldSalt {
    fn name(&self) -> &'static str {
        "bit-field-salt"
    }

    fn map(&self, id: ProducerId, source: Source<'_>, leader: &mut Leader<'_>) -> Mapped {
        for salt in 0..MOST {
            let Some(producer_id) = placed(id, source.region, salt) else {
                return Mapped::to(id);
            };
            let tag = leader.replica.tag(producer_id);
            if tag.is_none_or(|tag| tag == source.cluster_id) {
                let salt = (salt > 0).then_some(salt);
                return Mapped { producer_id, salt };
            }
        }
        Mapped::to(id)
    }

    fn tags_state(&self) -> bool {
        true
    }
}
