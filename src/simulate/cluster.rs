//! A cluster: its partitions with their replicas, the ids that it gives out, what it keeps of
//! mirroring.

use crate::format::cluster_id;
use crate::format::number::{LeaderEpoch, Offset, ProducerId};
use crate::format::producer_id_mapping::Region;
use crate::simulate::link::Link;
use crate::simulate::replica::Replica;
use crate::state::rules::RuleSet;
use std::collections::{BTreeMap, HashMap};

/// How many ids a broker is given at a time (`ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE`).
pub const BLOCK: i64 = 1000;

/// Gives out producer ids: the controller hands blocks to brokers, brokers ids to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocator {
    /// The first id that no broker has.
    next: i64,
    /// The next id of each broker that has a block, and the end of that block.
    brokers: BTreeMap<usize, (i64, i64)>,
}

impl Allocator {
    /// The first id that is given out is `first`: those below it were given out before.
    #[must_use]
    pub const fn starting_at(first: i64) -> Self {
        Self {
            next: first,
            brokers: BTreeMap::new(),
        }
    }

    /// The next id of a broker.
    pub fn next(&mut self, broker: usize) -> ProducerId {
        let left = self.brokers.get(&broker).filter(|(id, end)| id < end);
        let (id, end) = left.copied().unwrap_or_else(|| {
            let first = self.next;
            self.next = (first.div_euclid(BLOCK) + 1) * BLOCK;
            (first, self.next)
        });
        self.brokers.insert(broker, (id + 1, end));
        ProducerId(id)
    }

    /// A broker that starts again asks for a new block.
    pub fn restart(&mut self, broker: usize) {
        self.brokers.remove(&broker);
    }
}

/// The sources of mapped ids as a mirror leader remembers them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    sources: HashMap<ProducerId, String>,
}

impl Origins {
    /// Remembers where an id came from.
    pub fn remember(&mut self, id: ProducerId, cluster_id: &str) {
        self.sources.insert(id, cluster_id.to_owned());
    }

    /// The source of an id, if it is another one.
    #[must_use]
    pub fn other_than(&self, id: ProducerId, cluster_id: &str) -> Option<String> {
        let source = self.sources.get(&id)?;
        (source != cluster_id).then(|| source.clone())
    }

    /// Another leader knows nothing.
    pub fn forget(&mut self) {
        self.sources.clear();
    }
}

/// The key of a MirrorPidCollision record, beside topic and partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CollisionKey {
    /// The cluster whose id was moved.
    pub source_cluster_id: String,
    /// The id before it was mapped.
    pub original_id: ProducerId,
}

/// The MirrorPidCollision records of one partition in `__mirror_state`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MirrorState {
    collisions: BTreeMap<CollisionKey, (i64, String)>,
}

impl MirrorState {
    /// The salt of an id that collided.
    #[must_use]
    pub fn salt(&self, key: &CollisionKey) -> Option<i64> {
        self.collisions.get(key).map(|(salt, _)| *salt)
    }

    /// Writes a record.
    pub fn add(&mut self, key: CollisionKey, salt: i64, colliding_cluster_id: String) {
        self.collisions.insert(key, (salt, colliding_cluster_id));
    }
}

/// A partition on one cluster.
#[derive(Debug, Clone)]
pub struct Partition {
    /// Its replicas, by broker.
    pub replicas: Vec<Replica>,
    /// The broker that leads.
    pub leader: usize,
    /// The epoch of the leader.
    pub leader_epoch: LeaderEpoch,
    /// The first offset that not all replicas in sync have.
    pub high_watermark: Offset,
    /// The mirror that it is the destination of.
    pub link: Option<Link>,
    /// What the mirror leader remembers.
    pub origins: Origins,
    /// What `__mirror_state` holds of it.
    pub mirror_state: MirrorState,
}

impl Partition {
    /// A new partition on `replicas` brokers.
    #[must_use]
    pub fn new(name: &str, replicas: usize, rules: &'static dyn RuleSet) -> Self {
        Self {
            replicas: vec![Replica::new(name, rules); replicas.max(1)],
            leader: 0,
            leader_epoch: LeaderEpoch(0),
            high_watermark: Offset(0),
            link: None,
            origins: Origins::default(),
            mirror_state: MirrorState::default(),
        }
    }

    /// The replica that leads.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "elections check the broker")]
    pub fn leader(&self) -> &Replica {
        &self.replicas[self.leader]
    }

    /// The same, to be changed.
    #[expect(clippy::indexing_slicing, reason = "elections check the broker")]
    pub fn leader_mut(&mut self) -> &mut Replica {
        &mut self.replicas[self.leader]
    }

    /// Clients may not write: a mirror writes.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.link.is_some_and(|link| link.is_read_only())
    }
}

/// A cluster.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Its name in the scenario.
    pub name: String,
    /// Its id, free text.
    pub id: String,
    /// Its region in bit-field ids; `None` where its id is no 128 bits.
    pub region: Option<Region>,
    /// Gives out ids.
    pub allocator: Allocator,
    /// How many replicas a partition has.
    pub replicas: usize,
    /// Its partitions by name.
    pub partitions: BTreeMap<String, Partition>,
}

impl Cluster {
    /// A cluster without partitions.
    #[must_use]
    pub fn new(name: &str, id: &str, replicas: usize, next_producer_id: i64) -> Self {
        Self {
            name: name.to_owned(),
            id: id.to_owned(),
            region: cluster_id::parse(id).ok().map(Region::of),
            allocator: Allocator::starting_at(next_producer_id),
            replicas,
            partitions: BTreeMap::new(),
        }
    }
}
