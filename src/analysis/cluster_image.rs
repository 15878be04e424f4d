//! What the records of `__cluster_metadata` make of a cluster: topics with their partitions,
//! brokers, features, configurations, and the producer ids that are taken (`TopicsDelta`,
//! `ClusterDelta`, `FeaturesDelta`, `ConfigurationsDelta`, `ProducerIdsDelta`,
//! `PartitionRegistration.merge` of Kafka 4.4.0).
//!
//! Records of other matters (quotas, users, tokens, access rules) change nothing here.

use std::collections::BTreeMap;
use std::fmt;

use crate::format::metadata_record::MetadataRecord;
use crate::format::number::{LeaderEpoch, ProducerId};
use crate::format::schema::{Struct, Value};
use crate::format::uuid::Uuid;

const ELR: &str = "eligibleLeaderReplicas";
const LAST_KNOWN_ELR: &str = "lastKnownElr";
const LOG_DIRS: &str = "logDirs";

/// The feature that every cluster has.
const METADATA_VERSION: &str = "metadata.version";

/// What a record stands for that leaves the leader as it is.
const NO_LEADER_CHANGE: i32 = -2;

/// A cluster, as far as records were applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterImage {
    topics: BTreeMap<Uuid, Topic>,
    ids: BTreeMap<String, Uuid>,
    brokers: BTreeMap<i32, Broker>,
    features: BTreeMap<String, i16>,
    configs: BTreeMap<Resource, BTreeMap<String, String>>,
    next_producer_id: Option<ProducerId>,
}

/// What a configuration is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// The number of its kind (`ConfigResource.Type`).
    pub kind: i8,
    /// Its name; a broker's is its number, and empty for all brokers.
    pub name: String,
}

impl Resource {
    const TOPIC: i8 = 2;

    /// The kind as Kafka's tools write it; `None` for a number that 4.4.0 does not know.
    #[must_use]
    pub const fn kind_name(&self) -> Option<&'static str> {
        Some(match self.kind {
            Self::TOPIC => "TOPIC",
            4 => "BROKER",
            8 => "BROKER_LOGGER",
            16 => "CLIENT_METRICS",
            32 => "GROUP",
            _ => return None,
        })
    }
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Its partitions, by number.
    pub partitions: BTreeMap<i32, Partition>,
}

/// A partition, as the controller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The brokers that have a replica, the preferred leader first.
    pub replicas: Vec<i32>,
    /// Those of them that are in sync.
    pub isr: Vec<i32>,
    /// Those that may lead without loss when none is in sync (KIP-966): the last broker that stops
    /// cleanly goes from the in-sync replicas to these.
    pub eligible_leader_replicas: Vec<i32>,
    /// Those that led or could have when there were no eligible ones any more.
    pub last_known_elr: Vec<i32>,
    /// The leader; -1 none.
    pub leader: i32,
    /// The epoch of the leader.
    pub leader_epoch: LeaderEpoch,
    /// Counts the changes of the partition.
    pub partition_epoch: i32,
}

/// A broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// The epoch of its registration.
    pub epoch: i64,
    /// Another one after each start.
    pub incarnation_id: Uuid,
    /// Where it stands.
    pub rack: Option<String>,
    /// Where clients and other brokers reach it.
    pub listeners: Vec<Listener>,
    /// The ids of its log directories.
    pub log_dirs: Vec<Uuid>,
    /// Whether the controller gives it no leadership.
    pub is_fenced: bool,
    /// Whether it is on its way down.
    pub in_controlled_shutdown: bool,
}

/// A place where a broker listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its name, such as `PLAINTEXT`.
    pub name: String,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// A record that speaks of what there is not; a controller stops at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// No topic of this id.
    Topic(Uuid),
    /// No topic of this name.
    Name(String),
    /// No such partition of a topic.
    Partition(Uuid, i32),
    /// No such broker, or another epoch of it.
    Broker(i32),
    /// A field, by its name, that does not hold what the record's kind has.
    Field(&'static str),
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Topic(id) => write!(f, "there is no topic {id}"),
            Self::Name(name) => write!(f, "there is no topic {name:?}"),
            Self::Partition(id, number) => write!(f, "topic {id} has no partition {number}"),
            Self::Broker(id) => write!(f, "there is no broker {id} of this epoch"),
            Self::Field(name) => write!(f, "{name} does not hold what it should"),
        }
    }
}

impl ClusterImage {
    /// The topics by id.
    #[must_use]
    pub const fn topics(&self) -> &BTreeMap<Uuid, Topic> {
        &self.topics
    }

    /// The topic of a name, with its id.
    #[must_use]
    pub fn topic(&self, name: &str) -> Option<(Uuid, &Topic)> {
        let id = self.ids.get(name)?;
        Some((*id, self.topics.get(id)?))
    }

    /// The brokers by id.
    #[must_use]
    pub const fn brokers(&self) -> &BTreeMap<i32, Broker> {
        &self.brokers
    }

    /// The first producer id of the next block that the controller gives out; `None` where no
    /// block was given out yet.
    #[must_use]
    pub const fn next_producer_id(&self) -> Option<ProducerId> {
        self.next_producer_id
    }

    /// The level of each feature, `metadata.version` among them.
    #[must_use]
    pub const fn features(&self) -> &BTreeMap<String, i16> {
        &self.features
    }

    /// What was configured at run time, by what it is of.
    #[must_use]
    pub const fn configs(&self) -> &BTreeMap<Resource, BTreeMap<String, String>> {
        &self.configs
    }

    /// Applies a record. Begin, end and abort of a transaction are the reader's matter.
    ///
    /// # Errors
    /// [`Contradiction`]; the image is then as it was.
    pub fn apply(&mut self, record: &MetadataRecord<'_>) -> Result<(), Contradiction> {
        let body = &record.body;
        match record.message.shape.name {
            "TopicRecord" => {
                let name = text(body, "name")?;
                let id = uuid(body, "topicId")?;
                self.ids.insert(name.clone(), id);
                let partitions = BTreeMap::new();
                self.topics.insert(id, Topic { name, partitions });
            }
            "RemoveTopicRecord" => {
                let id = uuid(body, "topicId")?;
                let topic = self.topics.remove(&id).ok_or(Contradiction::Topic(id))?;
                if self.ids.get(&topic.name) == Some(&id) {
                    self.ids.remove(&topic.name);
                }
                let (kind, name) = (Resource::TOPIC, topic.name);
                self.configs.remove(&Resource { kind, name });
            }
            "PartitionRecord" => {
                let partition = Partition::of(body)?;
                let number = int(body, "partitionId")?;
                let partitions = &mut self.topic_mut(body)?.partitions;
                partitions.insert(number, partition);
            }
            "PartitionChangeRecord" => {
                let number = int(body, "partitionId")?;
                let partitions = &mut self.topic_mut(body)?.partitions;
                let partition = partitions
                    .get_mut(&number)
                    .ok_or(Contradiction::Partition(uuid(body, "topicId")?, number))?;
                *partition = partition.changed(body)?;
            }
            "ClearElrRecord" => self.clear_elr(&text(body, "topicName")?)?,
            "ProducerIdsRecord" => {
                let next = body.int("nextProducerId");
                let next = next.ok_or(Contradiction::Field("nextProducerId"))?;
                self.next_producer_id = Some(ProducerId(next));
            }
            "FeatureLevelRecord" => {
                let level = int(body, "featureLevel")?;
                let level = i16::try_from(level);
                let level = level.map_err(|_| Contradiction::Field("featureLevel"))?;
                match (text(body, "name")?, level) {
                    (name, 0) if name != METADATA_VERSION => self.features.remove(&name),
                    (name, level) => self.features.insert(name, level),
                };
            }
            "ConfigRecord" => self.configure(body)?,
            _ => self.apply_to_brokers(record)?,
        }
        Ok(())
    }

    /// A null value takes the key away.
    fn configure(&mut self, body: &Struct<'_>) -> Result<(), Contradiction> {
        let kind = i8::try_from(int(body, "resourceType")?);
        let kind = kind.map_err(|_| Contradiction::Field("resourceType"))?;
        let name = text(body, "resourceName")?;
        let key = text(body, "name")?;
        let resource = Resource { kind, name };
        match body.get("value") {
            Some(Value::Null) => {
                let keys = self.configs.entry(resource.clone()).or_default();
                keys.remove(&key);
                if keys.is_empty() {
                    self.configs.remove(&resource);
                }
            }
            _ => {
                let value = text(body, "value")?;
                self.configs.entry(resource).or_default().insert(key, value);
            }
        }
        Ok(())
    }

    /// Of one topic, or of all where the name is empty.
    fn clear_elr(&mut self, name: &str) -> Result<(), Contradiction> {
        let id = match self.ids.get(name) {
            Some(id) => Some(*id),
            None if name.is_empty() => None,
            None => return Err(Contradiction::Name(name.to_owned())),
        };
        let topics = self.topics.iter_mut();
        let cleared = topics.filter(|(held, _)| id.is_none_or(|id| **held == id));
        for partition in cleared.flat_map(|(_, topic)| topic.partitions.values_mut()) {
            partition.clear_elr();
        }
        Ok(())
    }

    fn apply_to_brokers(&mut self, record: &MetadataRecord<'_>) -> Result<(), Contradiction> {
        let body = &record.body;
        match record.message.shape.name {
            "RegisterBrokerRecord" => {
                let truth = |name| body.boolean(name).ok_or(Contradiction::Field(name));
                let epoch = body.int("brokerEpoch");
                let broker = Broker {
                    epoch: epoch.ok_or(Contradiction::Field("brokerEpoch"))?,
                    incarnation_id: uuid(body, "incarnationId")?,
                    rack: match body.get("rack") {
                        Some(Value::Null) => None,
                        _ => Some(text(body, "rack")?),
                    },
                    listeners: listeners(body)?,
                    log_dirs: uuids(body, LOG_DIRS)?,
                    is_fenced: truth("fenced")?,
                    in_controlled_shutdown: truth("inControlledShutdown")?,
                };
                self.brokers.insert(int(body, "brokerId")?, broker);
            }
            "UnregisterBrokerRecord" => {
                self.brokers.remove(&int(body, "brokerId")?);
            }
            "FenceBrokerRecord" => self.broker_mut(body, "id", "epoch")?.is_fenced = true,
            "UnfenceBrokerRecord" => self.broker_mut(body, "id", "epoch")?.is_fenced = false,
            "BrokerRegistrationChangeRecord" => {
                let fenced = int(body, "fenced")?;
                let shutdown = int(body, "inControlledShutdown")?;
                let log_dirs = uuids(body, LOG_DIRS)?;
                let broker = self.broker_mut(body, "brokerId", "brokerEpoch")?;
                // -1 unfences, 1 fences, 0 leaves it.
                if fenced != 0 {
                    broker.is_fenced = fenced > 0;
                }
                broker.in_controlled_shutdown |= shutdown > 0;
                if !log_dirs.is_empty() {
                    broker.log_dirs = log_dirs;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn topic_mut(&mut self, body: &Struct<'_>) -> Result<&mut Topic, Contradiction> {
        let id = uuid(body, "topicId")?;
        self.topics.get_mut(&id).ok_or(Contradiction::Topic(id))
    }

    fn broker_mut(
        &mut self,
        body: &Struct<'_>,
        id: &'static str,
        epoch: &'static str,
    ) -> Result<&mut Broker, Contradiction> {
        let id = int(body, id)?;
        let found = self.brokers.get_mut(&id);
        let found = found.filter(|broker| Some(broker.epoch) == body.int(epoch));
        found.ok_or(Contradiction::Broker(id))
    }
}

impl Partition {
    fn of(body: &Struct<'_>) -> Result<Self, Contradiction> {
        let all = |name| ints(body, name)?.ok_or(Contradiction::Field(name));
        Ok(Self {
            replicas: all("replicas")?,
            isr: all("isr")?,
            eligible_leader_replicas: ints(body, ELR)?.unwrap_or_default(),
            last_known_elr: ints(body, LAST_KNOWN_ELR)?.unwrap_or_default(),
            leader: int(body, "leader")?,
            leader_epoch: LeaderEpoch(int(body, "leaderEpoch")?),
            partition_epoch: int(body, "partitionEpoch")?,
        })
    }

    /// A change like any other, where there is something to clear.
    fn clear_elr(&mut self) {
        if !(self.eligible_leader_replicas.is_empty() && self.last_known_elr.is_empty()) {
            self.eligible_leader_replicas.clear();
            self.last_known_elr.clear();
            self.partition_epoch = self.partition_epoch.wrapping_add(1);
        }
    }

    /// The partition after a change. A leader that is named begins an epoch, also when it led
    /// before.
    fn changed(&self, body: &Struct<'_>) -> Result<Self, Contradiction> {
        let (leader, leader_epoch) = match int(body, "leader")? {
            NO_LEADER_CHANGE => (self.leader, self.leader_epoch),
            leader => (leader, LeaderEpoch(self.leader_epoch.0.wrapping_add(1))),
        };
        let or = |name, now: &Vec<i32>| Ok(ints(body, name)?.unwrap_or_else(|| now.clone()));
        Ok(Self {
            replicas: or("replicas", &self.replicas)?,
            isr: or("isr", &self.isr)?,
            eligible_leader_replicas: or(ELR, &self.eligible_leader_replicas)?,
            last_known_elr: or(LAST_KNOWN_ELR, &self.last_known_elr)?,
            leader,
            leader_epoch,
            partition_epoch: self.partition_epoch.wrapping_add(1),
        })
    }
}

fn int(body: &Struct<'_>, name: &'static str) -> Result<i32, Contradiction> {
    let number = body.int(name).and_then(|number| i32::try_from(number).ok());
    number.ok_or(Contradiction::Field(name))
}

fn uuid(body: &Struct<'_>, name: &'static str) -> Result<Uuid, Contradiction> {
    body.uuid(name).ok_or(Contradiction::Field(name))
}

fn text(body: &Struct<'_>, name: &'static str) -> Result<String, Contradiction> {
    let text = body.text(name).ok_or(Contradiction::Field(name))?;
    Ok(String::from_utf8_lossy(text).into_owned())
}

fn uuids(body: &Struct<'_>, name: &'static str) -> Result<Vec<Uuid>, Contradiction> {
    let list = body.list(name).ok_or(Contradiction::Field(name))?;
    let id = |value: &Value<'_>| match value {
        Value::Uuid(id) => Ok(*id),
        _ => Err(Contradiction::Field(name)),
    };
    list.iter().map(id).collect()
}

fn listeners(body: &Struct<'_>) -> Result<Vec<Listener>, Contradiction> {
    let wrong = || Contradiction::Field("endPoints");
    let listener = |value: &Value<'_>| {
        let Value::Struct(place) = value else {
            return Err(wrong());
        };
        Ok(Listener {
            name: text(place, "name")?,
            host: text(place, "host")?,
            port: u16::try_from(int(place, "port")?).map_err(|_| wrong())?,
        })
    };
    let list = body.list("endPoints").ok_or_else(wrong)?;
    list.iter().map(listener).collect()
}

/// A list of brokers; `None` is null.
fn ints(body: &Struct<'_>, name: &'static str) -> Result<Option<Vec<i32>>, Contradiction> {
    let wrong = || Contradiction::Field(name);
    match body.get(name) {
        Some(Value::Null) => Ok(None),
        Some(Value::List(list)) => {
            let number = |value: &Value<'_>| match value {
                Value::Int(number) => i32::try_from(*number).ok(),
                _ => None,
            };
            let numbers: Option<_> = list.iter().map(number).collect();
            numbers.map(Some).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}
