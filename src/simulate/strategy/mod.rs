//! The designs of Cluster Mirroring's producer ids (KIP-1279): what a mirror leader makes of the
//! ids that it fetches, and what it leaves behind when mirroring stops.

mod barrier;
mod bit_field;
mod negate;
mod random_salt;
mod salt;
mod verbatim;

pub use barrier::Barrier;
pub use bit_field::BitField;
pub use negate::{Negate, NegateIdempotent};
pub use random_salt::BitFieldRandomSalt;
pub use salt::BitFieldSalt;
pub use verbatim::Verbatim;

use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::Region;
use crate::simulate::cluster::{MirrorState, Origins};
use crate::simulate::link::Form;
use crate::simulate::replica::Replica;
use crate::state::rules::{self, RuleSet};
use rand_chacha::ChaCha8Rng;

/// The cluster that a batch is fetched from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its id, free text.
    pub cluster_id: &'a str,
    /// Its region; `None` where the id is no 128 bits, and nothing can be mapped.
    pub region: Option<Region>,
}

/// What a mirror leader knows when it decides on an id.
#[derive(Debug)]
pub struct Leader<'a> {
    /// The replica, whose producer state may carry tags.
    pub replica: &'a Replica,
    /// Which source each mapped id came from, in memory: gone with the leader.
    pub origins: &'a mut Origins,
    /// The records of `__mirror_state` on collisions of this partition.
    pub mirror_state: &'a mut MirrorState,
    /// Random bits.
    pub random: &'a mut ChaCha8Rng,
}

/// What becomes of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped {
    /// The id that is stored.
    pub producer_id: ProducerId,
    /// A collision was found and this salt moved the id away from it.
    pub salt: Option<i64>,
}

impl Mapped {
    /// No collision.
    #[must_use]
    pub const fn to(producer_id: ProducerId) -> Self {
        Self {
            producer_id,
            salt: None,
        }
    }
}

/// A design.
pub trait Strategy: std::fmt::Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What becomes of an id other than -1 that is fetched from `source`.
    fn map(&self, id: ProducerId, source: Source<'_>, leader: &mut Leader<'_>) -> Mapped;

    /// Whether batches are rewritten: their ids, the leader epoch and with them the CRC.
    fn rewrites(&self) -> bool {
        true
    }

    /// Whether the mirror writes MIRROR_PID_RESET when it stops.
    fn writes_barrier(&self) -> bool {
        false
    }

    /// Whether the state of mirrored producers is tagged with the source's cluster id.
    fn tags_state(&self) -> bool {
        false
    }

    /// The state machine of its time.
    fn form(&self) -> Form {
        Form::Design
    }

    /// The rule set under which it was meant to run.
    fn own_rules(&self) -> &'static dyn RuleSet {
        &rules::Mapped
    }
}

/// All designs, in the order of the contract.
pub const ALL: [&dyn Strategy; 7] = [
    &Verbatim,
    &Negate,
    &NegateIdempotent,
    &BitField,
    &BitFieldSalt,
    &BitFieldRandomSalt,
    &Barrier,
];

/// The design of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Strategy> {
    ALL.into_iter().find(|strategy| strategy.name() == name)
}
