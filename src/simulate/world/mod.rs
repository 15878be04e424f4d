//! All clusters of a run and the steps that change them.

mod faults;
mod links;
mod mirroring;
mod producing;
mod stopping;
mod writer;

pub use writer::{Producer, Sent, Writer};

use crate::format::number::{LeaderEpoch, Offset, Timestamp};
use crate::simulate::cluster::{Cluster, Partition};
use crate::simulate::happening::{By, Happening, Site};
use crate::simulate::harm::{Harm, HarmKind, Harms, Unmirrored};
use crate::simulate::link::{Form, Link};
use crate::simulate::replica::{Appended, EXPIRATION_MS, Reading, Sign};
use crate::simulate::scenario::{BarrierLayout, Scenario, Step};
use crate::simulate::stored::Stored;
use crate::simulate::strategy::Strategy;
use crate::simulate::truth::{Acknowledged, ClusterIndex, Transaction, WriterIndex};
use crate::state::append::Append;
use crate::state::error::StateError;
use crate::state::rules::RuleSet;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

/// 2026-01-01T00:00:00Z, when every run begins.
pub const BEGIN: Timestamp = Timestamp(1_767_225_600_000);

/// How long a step takes.
const STEP_MS: i64 = 1000;

/// Why a step of a scenario cannot be done; nothing was changed.
pub type Misuse = String;

/// The clusters of a run, and what is known of them that they do not know.
#[derive(Debug, Clone)]
pub struct World {
    pub(super) rules: &'static dyn RuleSet,
    pub(super) strategy: &'static dyn Strategy,
    form: Form,
    layout: BarrierLayout,
    pub(super) clusters: Vec<Cluster>,
    pub(super) writers: Vec<Writer>,
    pub(super) transactions: Vec<Transaction>,
    pub(super) acknowledged: Vec<Acknowledged>,
    /// Confirmed records that a planned truncation has cut off.
    pub(super) losses: Vec<Unmirrored>,
    pub(super) harms: Harms,
    happenings: Option<Vec<Happening>>,
    /// Expectations of steps that do not hold.
    broken: Vec<String>,
    now: Timestamp,
    step: usize,
    random: ChaCha8Rng,
    /// Partitions that a step has touched, whose consumers read next.
    pub(super) touched: BTreeSet<(ClusterIndex, String)>,
}

/// One partition of one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot<'a> {
    /// The cluster.
    pub cluster: ClusterIndex,
    /// The partition.
    pub name: &'a str,
}

impl World {
    /// The clusters of a scenario before its first step.
    #[must_use]
    pub fn new(
        scenario: &Scenario,
        strategy: &'static dyn Strategy,
        rules: &'static dyn RuleSet,
        seed: u64,
    ) -> Self {
        let cluster_of = |name: &str| {
            let place = scenario.clusters.iter().position(|one| one.name == name);
            ClusterIndex(place.unwrap_or(0))
        };
        let clusters = scenario.clusters.iter();
        let writers = scenario.writers.iter();
        Self {
            rules,
            strategy,
            form: scenario.form.map_or(strategy.form(), Form::from),
            layout: scenario.barrier_layout,
            clusters: clusters
                .map(|one| Cluster::new(&one.name, &one.id, one.replicas, one.next_producer_id))
                .collect(),
            writers: writers
                .map(|one| Writer::new(one, cluster_of(&one.cluster)))
                .collect(),
            transactions: Vec::new(),
            acknowledged: Vec::new(),
            losses: Vec::new(),
            harms: Harms::default(),
            happenings: None,
            broken: Vec::new(),
            now: BEGIN,
            step: 0,
            random: ChaCha8Rng::seed_from_u64(seed),
            touched: BTreeSet::new(),
        }
    }

    /// Keeps what happens from now on.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.happenings = Some(Vec::new());
        self
    }

    /// Does one step.
    ///
    /// # Errors
    /// The step makes no sense here; nothing was changed.
    pub fn step(&mut self, step: &Step) -> Result<(), Misuse> {
        self.tell(|world| Happening::Step(world.step));
        self.now.0 += STEP_MS;
        let done = self.perform(step);
        self.forget_silent_producers();
        self.read_as_consumers();
        self.step += 1;
        done
    }

    fn perform(&mut self, step: &Step) -> Result<(), Misuse> {
        match step {
            Step::Produce(step) => self.produce(step),
            Step::Retry(step) => self.retry(step),
            Step::Begin(step) => self.begin(&step.writer),
            Step::Commit(step) => self.end_transaction(&step.writer, false),
            Step::Abort(step) => self.end_transaction(&step.writer, true),
            Step::BumpEpoch(step) => self.bump_epoch(&step.writer),
            Step::Mirror(step) => self.mirror(step),
            Step::Stop(step) | Step::FailOver(step) => self.stop(step),
            Step::FailBack(step) => self.fail_back(step),
            Step::Reassign(step) => self.reassign(step),
            Step::Pause(step) => self.pause(&step.cluster),
            Step::Resume(step) => self.resume(&step.cluster),
            Step::Restart(step) => self.restart(step),
            Step::Elect(step) => self.elect(step),
            Step::Lag(step) => self.lag(step),
            Step::Fetch(step) => self.fetch(step),
            Step::Roll(step) => self.roll(&step.cluster),
            Step::Wait(step) => {
                self.now.0 = self.now.0.saturating_add(step.ms);
                Ok(())
            }
            Step::Expect(step) => self.expect(step),
        }
    }

    /// The clusters.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The writers.
    #[must_use]
    pub fn writers(&self) -> &[Writer] {
        &self.writers
    }

    /// The harm so far.
    #[must_use]
    pub fn harms(&self) -> &[Harm] {
        self.harms.as_slice()
    }

    /// What planned truncations have cut off.
    #[must_use]
    pub fn losses(&self) -> &[Unmirrored] {
        &self.losses
    }

    /// Expectations of steps that did not hold.
    #[must_use]
    pub fn broken(&self) -> &[String] {
        &self.broken
    }

    /// What happened, if it was kept.
    #[must_use]
    pub fn happenings(&self) -> &[Happening] {
        self.happenings.as_deref().unwrap_or_default()
    }

    /// The time now.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Which layout barriers have.
    #[must_use]
    pub const fn layout(&self) -> BarrierLayout {
        self.layout
    }

    /// The cluster of a name.
    pub(super) fn cluster_named(&self, name: &str) -> Result<ClusterIndex, Misuse> {
        let place = self.clusters.iter().position(|one| one.name == name);
        place
            .map(ClusterIndex)
            .ok_or_else(|| format!("no cluster is called {name}"))
    }

    /// The writer of a name.
    pub(super) fn writer_named(&self, name: &str) -> Result<WriterIndex, Misuse> {
        let place = self.writers.iter().position(|one| one.name == name);
        place
            .map(WriterIndex)
            .ok_or_else(|| format!("no writer is called {name}"))
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "indexes come from the lists themselves"
    )]
    pub(super) fn cluster(&self, index: ClusterIndex) -> &Cluster {
        &self.clusters[index.0]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "indexes come from the lists themselves"
    )]
    pub(super) fn cluster_mut(&mut self, index: ClusterIndex) -> &mut Cluster {
        &mut self.clusters[index.0]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "indexes come from the lists themselves"
    )]
    pub(super) fn writer(&self, index: WriterIndex) -> &Writer {
        &self.writers[index.0]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "indexes come from the lists themselves"
    )]
    pub(super) fn writer_mut(&mut self, index: WriterIndex) -> &mut Writer {
        &mut self.writers[index.0]
    }

    /// A partition, if anything was ever written to it.
    pub(super) fn partition(&self, spot: Spot<'_>) -> Option<&Partition> {
        self.cluster(spot.cluster).partitions.get(spot.name)
    }

    /// A partition, made where it is missing.
    pub(super) fn partition_mut(&mut self, spot: Spot<'_>) -> &mut Partition {
        let rules = self.rules;
        self.touched.insert((spot.cluster, spot.name.to_owned()));
        let cluster = self.cluster_mut(spot.cluster);
        let replicas = cluster.replicas;
        cluster
            .partitions
            .entry(spot.name.to_owned())
            .or_insert_with(|| Partition::new(spot.name, replicas, rules))
    }

    /// The mirror that a partition is the destination of.
    pub(super) fn link(&self, spot: Spot<'_>) -> Option<Link> {
        self.partition(spot).and_then(|partition| partition.link)
    }

    /// A leader goes on under this epoch.
    pub(super) fn set_leader_epoch(&mut self, spot: Spot<'_>, leader_epoch: LeaderEpoch) {
        self.partition_mut(spot).leader_epoch = leader_epoch;
        self.tell(|world| Happening::Led {
            site: world.site(spot),
            leader_epoch,
        });
    }

    /// Where the leader of a partition is.
    pub(super) fn site(&self, spot: Spot<'_>) -> Site {
        Site {
            cluster: spot.cluster,
            topic_partition: spot.name.to_owned(),
            replica: self.partition(spot).map_or(0, |partition| partition.leader),
        }
    }

    pub(super) fn tell(&mut self, what: impl FnOnce(&Self) -> Happening) {
        if self.happenings.is_some() {
            let happening = what(self);
            if let Some(happenings) = &mut self.happenings {
                happenings.push(happening);
            }
        }
    }

    pub(super) fn reading(&self) -> Reading {
        Reading {
            rules: self.rules,
            now: self.now,
        }
    }

    /// Notes a harm.
    pub(super) fn harm(
        &mut self,
        kind: HarmKind,
        spot: Spot<'_>,
        fill: impl FnOnce(&mut Harm, &Self),
    ) {
        let mut harm = Harm {
            kind,
            cluster: spot.cluster,
            topic_partition: spot.name.to_owned(),
            offset: None,
            producer_id: None,
            writers: Vec::new(),
            detail: String::new(),
            step: self.step,
        };
        fill(&mut harm, self);
        let before = self.harms.as_slice().len();
        self.harms.add(harm);
        if let Some(harm) = self.harms.as_slice().get(before).cloned() {
            self.tell(|_| Happening::Harm(harm));
        }
    }

    /// Appends to the leader of a partition.
    pub(super) fn append_to_leader(
        &mut self,
        spot: Spot<'_>,
        (how, by): (Append, By),
        batches: &[Arc<Stored>],
    ) -> Result<Appended, StateError> {
        let mut signs = Vec::new();
        let replica = self.partition_mut(spot).leader_mut();
        let outcome = replica.append(how, batches, &mut signs);
        if outcome == Ok(Appended::Taken) {
            self.tell(|world| Happening::Appended {
                site: world.site(spot),
                by,
                batches: batches.to_vec(),
            });
        }
        self.judge(spot, &signs);
        outcome
    }

    /// Notes what signs of an append mean.
    fn judge(&mut self, spot: Spot<'_>, signs: &[Sign]) {
        for sign in signs {
            match sign {
                Sign::OwnerChanged {
                    producer_id,
                    writers,
                    epochs: [before, now],
                    offset,
                } => {
                    let (kind, epoch) = match now.cmp(before) {
                        Ordering::Less => (
                            HarmKind::SilentEpochRegression,
                            format!("goes back from {before} to {now}"),
                        ),
                        Ordering::Equal => (HarmKind::SilentOverwrite, format!("stays {now}")),
                        Ordering::Greater => (
                            HarmKind::SilentOverwrite,
                            format!("goes from {before} to {now}"),
                        ),
                    };
                    self.harm(kind, spot, |harm, world| {
                        let [old, new] = writers.map(|writer| world.writer(writer).name.clone());
                        harm.offset = Some(*offset);
                        harm.producer_id = Some(*producer_id);
                        harm.writers = writers.to_vec();
                        harm.detail = format!(
                            "a batch of {new} replaces the producer state of {old}; the epoch \
                             {epoch}"
                        );
                    });
                }
                Sign::ForeignTransaction {
                    producer_id,
                    writers,
                    first_offset,
                    offset,
                } => {
                    self.harm(HarmKind::TransactionCorruption, spot, |harm, world| {
                        let [whose, by] = writers.map(|writer| world.writer(writer).name.clone());
                        harm.offset = Some(*offset);
                        harm.producer_id = Some(*producer_id);
                        harm.writers = writers.to_vec();
                        harm.detail = format!(
                            "a marker of {by} closes the transaction of {whose} that began at \
                             offset {first_offset}"
                        );
                    });
                }
            }
        }
    }

    /// Lets followers fetch what they lack: those that keep up on their own, or all of them where
    /// a write waits for them.
    pub(super) fn replicate(&mut self, spot: Spot<'_>, is_awaited: bool, chunk: usize) {
        let partition = self.partition_mut(spot);
        let leader = partition.leader;
        for replica in 0..partition.replicas.len() {
            let is_lagging = |world: &mut Self| {
                let replicas = &world.partition_mut(spot).replicas;
                replicas.get(replica).is_some_and(|one| one.is_lagging)
            };
            if replica != leader && (is_awaited || !is_lagging(self)) {
                self.fetch_from_leader(spot, replica, chunk);
            }
        }
        self.advance_high_watermark(spot);
    }

    /// A follower fetches all it lacks, `chunk` batches at a time.
    pub(super) fn fetch_from_leader(&mut self, spot: Spot<'_>, replica: usize, chunk: usize) {
        let partition = self.partition_mut(spot);
        let Some(follower) = partition.replicas.get(replica) else {
            return;
        };
        let missing = partition.leader().from(follower.end()).to_vec();
        for batches in missing.chunks(chunk.max(1)) {
            let mut signs = Vec::new();
            let partition = self.partition_mut(spot);
            let Some(follower) = partition.replicas.get_mut(replica) else {
                return;
            };
            let outcome = follower.append(Append::FOLLOWER, batches, &mut signs);
            let site = Site {
                replica,
                ..self.site(spot)
            };
            match outcome {
                Ok(_) => self.tell(|_| Happening::Appended {
                    site,
                    by: By::Follower,
                    batches: batches.to_vec(),
                }),
                Err(error) => {
                    let text = format!("{}: {error}", error.class());
                    self.harm(HarmKind::ReplicaDivergence, spot, |harm, _| {
                        harm.producer_id = Some(error.producer_id);
                        harm.offset = Some(error.offset);
                        harm.detail = format!("replica {replica} cannot take the batch: {text}");
                    });
                    self.tell(|_| Happening::Refused {
                        site,
                        by: By::Follower,
                        writer: None,
                        error: text,
                    });
                    return;
                }
            }
        }
    }

    /// The high watermark is what every replica has.
    pub(super) fn advance_high_watermark(&mut self, spot: Spot<'_>) {
        let partition = self.partition_mut(spot);
        let ends = partition.replicas.iter().map(|one| one.end());
        let least = ends.min().unwrap_or(Offset(0));
        partition.high_watermark = least;
        for replica in &mut partition.replicas {
            replica.on_high_watermark(least);
        }
    }

    fn forget_silent_producers(&mut self) {
        let now = self.now;
        if now.0 - BEGIN.0 < EXPIRATION_MS {
            return;
        }
        for cluster in &mut self.clusters {
            for partition in cluster.partitions.values_mut() {
                for replica in &mut partition.replicas {
                    replica.expire(now, EXPIRATION_MS);
                }
            }
        }
    }
}
