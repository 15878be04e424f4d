//! What group coordinators remember: groups of consumers with the offsets that they have committed,
//! replayed from the records of `__consumer_offsets` (`OffsetMetadataManager`,
//! `GroupMetadataManager` of Kafka 4.4.0).
//!
//! Of each group, topic and partition the last commit counts; one without a value takes it away.
//! What was committed inside a transaction counts when its end marker commits it, and not over a
//! commit that was written later.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::coordinator_record::CoordinatorRecord;
use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp};
use crate::format::schema::{Struct, Value};
use crate::format::uuid::Uuid;

/// The member of a group of consumers that has all that it should have, and nothing to give back.
const STABLE_MEMBER: i64 = 0;
/// The epoch of a group that no record has told another one of.
const FIRST_EPOCH: i64 = 1;
/// The epoch of a member, or of an assignment, that was taken away.
const GONE: i64 = -1;
/// What Kafka writes where a commit has no leader epoch, or no time to expire at.
const NONE: i64 = -1;

/// Groups by id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    groups: BTreeMap<String, Group>,
    /// What transactions that are open have committed.
    pending: BTreeMap<ProducerId, BTreeMap<Place, Committed>>,
}

/// A group, a topic and a partition.
type Place = (String, TopicPartition);

/// A topic's name and a partition's number.
pub type TopicPartition = (String, i32);

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    kind: Option<Kind>,
    members: BTreeMap<String, Member>,
    epoch: i64,
    assignment_epoch: i64,
    offsets: BTreeMap<TopicPartition, Committed>,
}

/// A member of a group, as it is before a record says more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Member {
    /// Of what it is assigned.
    epoch: i64,
    /// Whether it has that already.
    state: i64,
}

impl Default for Group {
    /// As a coordinator begins with one: its epochs are those of a group without members.
    fn default() -> Self {
        Self {
            kind: None,
            members: BTreeMap::new(),
            epoch: FIRST_EPOCH,
            assignment_epoch: FIRST_EPOCH,
            offsets: BTreeMap::new(),
        }
    }
}

/// What protocol a group follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Members agree among themselves.
    Classic,
    /// The coordinator assigns (KIP-848).
    Consumer,
    /// Members share partitions (KIP-932); what they have read lies in `__share_group_state`.
    Share,
    /// Kafka Streams by the coordinator (KIP-1071).
    Streams,
}

impl Kind {
    /// The kind of the groups that a record with this key is about. Whatever a record says of such
    /// a group, it is there, for compaction leaves them in any order.
    fn of_key(key: &Struct<'_>) -> Option<Self> {
        let name = key.shape().name;
        let is_of = |prefix| name.starts_with(prefix);
        Some(match () {
            () if is_of("ConsumerGroup") => Self::Consumer,
            () if is_of("ShareGroup") => Self::Share,
            () if is_of("StreamsGroup") => Self::Streams,
            () => return None,
        })
    }

    /// As Kafka's tools write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
            Self::Share => "share",
            Self::Streams => "streams",
        }
    }
}

/// A committed offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Where the group goes on.
    pub offset: Offset,
    /// The leader epoch of the record in front of it, where the client said so.
    pub leader_epoch: Option<LeaderEpoch>,
    /// What the client noted.
    pub metadata: String,
    /// When it was committed.
    pub commit_timestamp: Timestamp,
    /// When it expires, where the record says so itself; else it is for the broker's
    /// `offsets.retention.minutes` to say.
    pub expire_timestamp: Option<Timestamp>,
    /// The id of the topic, where the record says it (KIP-848): a topic that was made anew has
    /// another.
    pub topic_id: Option<Uuid>,
    /// The offset of the record in `__consumer_offsets`.
    pub record_offset: Offset,
}

impl Group {
    /// What protocol it follows. Offsets alone make a classic group.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Classic)
    }

    /// Its state as the records tell it, as Kafka's tools write it. What a coordinator knows beside
    /// them they do not tell: that a rebalance is prepared, or that the topics of a streams group
    /// are missing.
    #[must_use]
    pub fn state(&self) -> &'static str {
        let is_reconciled = |member: &Member| {
            member.epoch == self.assignment_epoch && member.state == STABLE_MEMBER
        };
        match self.kind() {
            _ if self.members.is_empty() => "Empty",
            Kind::Classic | Kind::Share => "Stable",
            Kind::Consumer | Kind::Streams if self.epoch > self.assignment_epoch => "Assigning",
            Kind::Consumer | Kind::Streams if self.members.values().all(is_reconciled) => "Stable",
            Kind::Consumer | Kind::Streams => "Reconciling",
        }
    }

    /// Its committed offsets, by topic and partition.
    #[must_use]
    pub const fn offsets(&self) -> &BTreeMap<TopicPartition, Committed> {
        &self.offsets
    }

    fn is_gone(&self) -> bool {
        self.kind.is_none() && self.members.is_empty() && self.offsets.is_empty()
    }
}

impl Groups {
    /// The groups by id.
    #[must_use]
    pub const fn by_id(&self) -> &BTreeMap<String, Group> {
        &self.groups
    }

    /// Takes the groups of another partition: no group has records in two.
    pub fn extend(&mut self, other: Self) {
        self.groups.extend(other.groups);
    }

    /// Applies a record at an offset; `producer` is that of its batch, if it has one.
    pub fn apply(
        &mut self,
        record: &CoordinatorRecord<'_>,
        offset: Offset,
        producer: Option<ProducerId>,
    ) {
        let value = record.value.as_ref().map(|(_, value)| value);
        let Some(id) = text(&record.key, "group").or_else(|| text(&record.key, "groupId")) else {
            return;
        };
        match record.record_type {
            0 | 1 => self.commit(&id, &record.key, value, (offset, producer)),
            kind => {
                let group = self.groups.entry(id.clone()).or_default();
                group.apply(kind, &record.key, value);
                if group.is_gone() {
                    self.groups.remove(&id);
                }
            }
        }
    }

    /// The end of a transaction.
    pub fn end_transaction(&mut self, producer: ProducerId, is_commit: bool) {
        let pending = self.pending.remove(&producer).unwrap_or_default();
        for ((id, place), committed) in pending.into_iter().filter(|_| is_commit) {
            let offsets = &mut self.groups.entry(id).or_default().offsets;
            let now = offsets.get(&place);
            if now.is_none_or(|now| now.record_offset < committed.record_offset) {
                offsets.insert(place, committed);
            }
        }
    }

    fn commit(
        &mut self,
        id: &str,
        key: &Struct<'_>,
        value: Option<&Struct<'_>>,
        (record_offset, producer): (Offset, Option<ProducerId>),
    ) {
        let partition = key
            .int("partition")
            .and_then(|number| i32::try_from(number).ok());
        let Some(place) = text(key, "topic").zip(partition) else {
            return;
        };
        let Some(value) = value else {
            if let Some(group) = self.groups.get_mut(id) {
                group.offsets.remove(&place);
                if group.is_gone() {
                    self.groups.remove(id);
                }
            }
            let place = (id.to_owned(), place);
            for pending in self.pending.values_mut() {
                pending.remove(&place);
            }
            return;
        };
        let committed = Committed::of(value, record_offset);
        match producer {
            None => {
                let group = self.groups.entry(id.to_owned()).or_default();
                group.offsets.insert(place, committed);
            }
            Some(producer) => {
                let pending = self.pending.entry(producer).or_default();
                pending.insert((id.to_owned(), place), committed);
            }
        }
    }
}

impl Group {
    fn apply(&mut self, record_type: i16, key: &Struct<'_>, value: Option<&Struct<'_>>) {
        if record_type == 2 {
            return self.apply_classic(value);
        }
        let Some(kind) = Kind::of_key(key) else {
            return;
        };
        let int = |name| value.and_then(|value| value.int(name));
        // Of a group with a protocol nothing makes one of another; of one by commits alone it does.
        if value.is_some() && self.kind.is_none() {
            self.kind = Some(kind);
        }
        match record_type {
            3 | 11 | 17 if value.is_none() => {
                let offsets = std::mem::take(&mut self.offsets);
                *self = Self {
                    offsets,
                    ..Self::default()
                };
            }
            3 | 11 | 17 => self.epoch = int("epoch").unwrap_or(FIRST_EPOCH),
            6 | 12 | 20 => self.assignment_epoch = int("assignmentEpoch").unwrap_or(GONE),
            5 | 10 | 19 | 8 | 14 | 22 => {
                let Some(id) = text(key, "memberId") else {
                    return;
                };
                self.apply_member(id, matches!(record_type, 8 | 14 | 22), value);
            }
            _ => {}
        }
    }

    fn apply_classic(&mut self, value: Option<&Struct<'_>>) {
        self.kind = value.map(|_| Kind::Classic);
        let members = value.and_then(|value| value.list("members"));
        let ids = members
            .into_iter()
            .flatten()
            .filter_map(|member| match member {
                Value::Struct(member) => text(member, "memberId"),
                _ => None,
            });
        self.members = ids.map(|id| (id, Member::default())).collect();
    }

    /// What a record says of a member: of what it is assigned, or all else.
    fn apply_member(&mut self, id: String, is_assignment: bool, value: Option<&Struct<'_>>) {
        match (is_assignment, value) {
            (false, None) => {
                self.members.remove(&id);
            }
            (false, Some(_)) => {
                self.members.entry(id).or_default();
            }
            (true, None) => {
                if let Some(member) = self.members.get_mut(&id) {
                    member.epoch = GONE;
                }
            }
            (true, Some(value)) => {
                let member = self.members.entry(id).or_default();
                member.epoch = value.int("memberEpoch").unwrap_or_default();
                member.state = value.int("state").unwrap_or_default();
            }
        }
    }
}

impl Committed {
    fn of(value: &Struct<'_>, record_offset: Offset) -> Self {
        let int = |name| value.int(name);
        let epoch = int("leaderEpoch").and_then(|epoch| i32::try_from(epoch).ok());
        Self {
            offset: Offset(int("offset").unwrap_or_default()),
            leader_epoch: epoch
                .filter(|epoch| i64::from(*epoch) != NONE)
                .map(LeaderEpoch),
            metadata: text(value, "metadata").unwrap_or_default(),
            commit_timestamp: Timestamp(int("commitTimestamp").unwrap_or_default()),
            expire_timestamp: int("expireTimestamp")
                .filter(|time| *time != NONE)
                .map(Timestamp),
            topic_id: value.uuid("topicId").filter(|id| *id != Uuid::ZERO),
            record_offset,
        }
    }
}

fn text(body: &Struct<'_>, name: &str) -> Option<String> {
    Some(String::from_utf8_lossy(body.text(name)?).into_owned())
}

/// The topics that groups have offsets of.
#[must_use]
pub fn topics_of(groups: &Groups) -> BTreeSet<&TopicPartition> {
    let offsets = groups
        .by_id()
        .values()
        .flat_map(|group| group.offsets.keys());
    offsets.collect()
}
