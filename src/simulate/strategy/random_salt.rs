//! The second design as the wiki had it: a collision is an id that the leader remembers from
//! another source, a random salt moves it, and `__mirror_state` keeps the salt.

use super::bit_field::placed;
use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;
use crate::simulate::cluster::CollisionKey;
use rand::Rng;

/// Random salts against the leader's memory of origins. The memory goes with the leader, the salts
/// (MirrorPidCollision records) stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitFieldRandomSalt;

/// Far more tries than a region with room needs.
const TRIES: usize = 64;

impl Strategy for BitFieldRandomSalt {
    fn name(&self) -> &'static str {
        "bit-field-random-salt"
    }

    fn map(&self, id: ProducerId, source: Source<'_>, leader: &mut Leader<'_>) -> Mapped {
        let key = CollisionKey {
            source_cluster_id: source.cluster_id.to_owned(),
            original_id: id,
        };
        if let Some(salt) = leader.mirror_state.salt(&key)
            && let Some(producer_id) = placed(id, source.region, salt)
        {
            leader.origins.remember(producer_id, source.cluster_id);
            return Mapped::to(producer_id);
        }
        let Some(first) = placed(id, source.region, 0) else {
            return Mapped::to(id);
        };
        let Some(holder) = leader.origins.other_than(first, source.cluster_id) else {
            leader.origins.remember(first, source.cluster_id);
            return Mapped::to(first);
        };
        for _ in 0..TRIES {
            let salt = i64::from(leader.random.next_u32());
            let Some(producer_id) = placed(id, source.region, salt) else {
                continue;
            };
            let is_taken = leader.origins.other_than(producer_id, source.cluster_id);
            if is_taken.is_none() {
                leader.origins.remember(producer_id, source.cluster_id);
                leader.mirror_state.add(key, salt, holder);
                let salt = Some(salt);
                return Mapped { producer_id, salt };
            }
        }
        Mapped::to(first)
    }
}
