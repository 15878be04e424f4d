//! A cluster: its partitions with their replicas, the ids that it gives out, what it keeps of
//! mirroring.

use crate::format::cluster_id;
use crate::format::number::{LeaderEpoch, Offset, ProducerId};
use crate::format::producer_id_mapping::Region;
use crate::simulate::link::Link;
use crate::simulate::replica::Replica;
use crate::state::rules::RuleSet;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many ids a broker is given at a time (`ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE`).
pub const BLOCK: i64 = 1000;

/// Gives out producer ids: the controller hands blocks to brokers, brokers ids to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocator {
    next_block: i64,
    /// The next id and the end of its block, by broker.
    brokers: BTreeMap<usize, (i64, i64)>,
}

impl Allocator {
    /// The first id that is given out is `first`.
    #[must_use]
    pub fn starting_at(first: i64) -> Self {
        let block = first.div_euclid(BLOCK) * BLOCK;
        Self {
            next_block: block + BLOCK,
            brokers: BTreeMap::from([(0, (first, block + BLOCK))]),
        }
    }

    /// The next id of a broker.
    pub fn next(&mut self, broker: usize) -> ProducerId {
        let (id, end) = match self.brokers.get(&broker) {
            Some((next, end)) if next < end => (*next, *end),
            _ => {
                let first = self.next_block;
                self.next_block += BLOCK;
                (first, first + BLOCK)
            }
        };
        self.brokers.insert(broker, (id + 1, end));
        ProducerId(id)
    }

    /// A broker that starts again asks for a new block, if it had one.
    pub fn restart(&mut self, broker: usize, has_given: bool) {
        if has_given && let Some(block) = self.brokers.get_mut(&broker) {
            block.0 = block.1;
        }
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
    /// Brokers that have given out an id since they started.
    pub givers: BTreeSet<usize>,
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
            givers: BTreeSet::new(),
            replicas,
            partitions: BTreeMap::new(),
        }
    }
}
