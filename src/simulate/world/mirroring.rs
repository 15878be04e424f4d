//! Mirrors: setting them up, cutting the destination to what is shared, fetching.

use super::{Misuse, Spot, World};
use crate::format::number::{LeaderEpoch, Offset, ProducerId};
use crate::simulate::happening::{By, Happening, Site};
use crate::simulate::harm::{HarmKind, Unmirrored};
use crate::simulate::link::{Form, Link, LinkState};
use crate::simulate::replica::Reading;
use crate::simulate::scenario::{Isolation, LinkStep, MirrorStep};
use crate::simulate::stored::Stored;
use crate::simulate::strategy::{Leader, Source};
use crate::simulate::truth::ClusterIndex;
use crate::state::append::Append;
use std::sync::Arc;

/// A destination is raised this far above its source's leader epoch, so that it need not follow
/// each election there.
const EPOCH_INCREMENT: i32 = 10;
/// It is raised when it is not this far above.
const EPOCH_THRESHOLD: i32 = 3;

impl World {
    /// The source that a step names, and the partition of the destination.
    fn route<'s>(
        &self,
        from: &str,
        to: &str,
        name: &'s str,
    ) -> Result<(ClusterIndex, Spot<'s>), Misuse> {
        let (source, cluster) = (self.cluster_named(from)?, self.cluster_named(to)?);
        Ok((source, Spot { cluster, name }))
    }

    pub(super) fn mirror(&mut self, step: &MirrorStep) -> Result<(), Misuse> {
        let (source, spot) = self.route(&step.from, &step.to, &step.topic_partition)?;
        match self.link(spot) {
            Some(link) if link.state != LinkState::Stopped => {
                if link.source != source {
                    let now = &self.cluster(link.source).name;
                    return Err(format!("{} is mirrored from {now}: reassign it", step.to));
                }
                if link.state == LinkState::Failed {
                    let error = "the mirror has FAILED before";
                    self.refuse(spot, By::Mirror(source), None, error);
                    return Ok(());
                }
                if link.state != LinkState::Mirroring {
                    return Err(format!("the mirror is {}", link.state.name()));
                }
            }
            _ => {
                if !self.set_up(source, spot)? {
                    return Ok(());
                }
            }
        }
        self.fetch_from_source(source, spot, step);
        Ok(())
    }

    pub(super) fn fail_back(&mut self, step: &LinkStep) -> Result<(), Misuse> {
        let (source, spot) = self.route(&step.from, &step.to, &step.topic_partition)?;
        if self.partition(spot).is_some_and(|one| one.is_read_only()) {
            return Err(format!("{} is mirrored already", step.to));
        }
        self.set_up(source, spot)?;
        Ok(())
    }

    pub(super) fn reassign(&mut self, step: &LinkStep) -> Result<(), Misuse> {
        let (source, spot) = self.route(&step.from, &step.to, &step.topic_partition)?;
        let Some(link) = self
            .link(spot)
            .filter(|link| link.state == LinkState::Mirroring)
        else {
            return Err(format!("{} is not mirrored", step.to));
        };
        if self.leads_back(source, spot) {
            return Err(format!("{} mirrors from {}: a loop", step.from, step.to));
        }
        // Offsets are kept: where the next source has fewer, the destination is cut.
        let end = self
            .partition(Spot {
                cluster: source,
                name: spot.name,
            })
            .map_or(Offset(0), |one| one.leader().end());
        self.cut(spot, end);
        self.set_link(spot, Link { source, ..link });
        Ok(())
    }

    pub(super) fn set_link(&mut self, spot: Spot<'_>, link: Link) {
        self.partition_mut(spot).link = Some(link);
        self.tell(|world| Happening::Link {
            site: world.site(spot),
            source: link.source,
            state: link.state,
        });
    }

    /// The mirror of a partition goes into another state.
    pub(super) fn move_link(&mut self, spot: Spot<'_>, state: LinkState) {
        if let Some(link) = self.link(spot) {
            self.set_link(spot, Link { state, ..link });
        }
    }

    /// Whether what `source` holds comes from the destination itself.
    fn leads_back(&self, source: ClusterIndex, spot: Spot<'_>) -> bool {
        let mut at = source;
        for _ in 0..=self.clusters.len() {
            if at == spot.cluster {
                return true;
            }
            let name = spot.name;
            match self.link(Spot { cluster: at, name }) {
                Some(link) if link.is_read_only() => at = link.source,
                _ => return false,
            }
        }
        true
    }

    /// LOG_ALIGNMENT, then MIRRORING; false where a loop was refused.
    fn set_up(&mut self, source: ClusterIndex, spot: Spot<'_>) -> Result<bool, Misuse> {
        if source == spot.cluster {
            return Err("a cluster cannot mirror itself".to_owned());
        }
        let known = self.link(spot);
        let link = Link {
            source,
            state: LinkState::LogAlignment,
            last_mirrored: known.and_then(|link| link.last_mirrored),
        };
        if self.leads_back(source, spot) {
            self.tell(|world| Happening::Link {
                site: world.site(spot),
                source,
                state: LinkState::Failed,
            });
            return Ok(false);
        }
        self.set_link(spot, link);
        let end = self.shared_end(source, spot);
        self.cut(spot, end);
        self.move_link(spot, LinkState::Mirroring);
        self.partition_mut(spot).origins.forget();
        Ok(true)
    }

    /// Up to where a destination shares its log with its new source: as far as the source has
    /// mirrored from it, by the last mirrored epoch and offset; nothing else.
    fn shared_end(&mut self, source: ClusterIndex, spot: Spot<'_>) -> Offset {
        let back = Spot {
            cluster: source,
            name: spot.name,
        };
        let last = self
            .link(back)
            .filter(|link| link.source == spot.cluster)
            .and_then(|link| link.last_mirrored);
        let Some(last) = last else {
            return Offset(0);
        };
        match self.form {
            Form::Design => last.end,
            Form::Latest => {
                let leader = self.partition_mut(spot).leader();
                leader.end_of_epoch(last.epoch).min(last.end)
            }
        }
    }

    /// Cuts every replica of a destination; what it had confirmed behind is told as unmirrored.
    pub(super) fn cut(&mut self, spot: Spot<'_>, end: Offset) {
        let partition = self.partition_mut(spot);
        if partition.leader().end() <= end {
            return;
        }
        let confirmed = |world: &Self, stored: &Stored| {
            world.acknowledged.iter().any(|ack| {
                ack.cluster == spot.cluster
                    && ack.topic_partition == spot.name
                    && stored.truth.records().any(|record| record == ack.first)
            })
        };
        let gone: Vec<Arc<Stored>> = partition.leader().log().to_vec();
        for stored in gone.iter().filter(|stored| stored.batch.last_offset >= end) {
            if !confirmed(self, stored) {
                continue;
            }
            for (offset, record) in (stored.batch.base_offset.0..).zip(stored.truth.records()) {
                self.losses.push(Unmirrored {
                    cluster: spot.cluster,
                    topic_partition: spot.name.to_owned(),
                    offset: Offset(offset),
                    record,
                });
            }
        }
        self.truncate_all(spot, end);
    }

    /// Cuts every replica.
    pub(super) fn truncate_all(&mut self, spot: Spot<'_>, end: Offset) {
        let reading = self.reading();
        for replica in 0..self.partition_mut(spot).replicas.len() {
            self.truncate_one(spot, replica, end, reading);
        }
        self.advance_high_watermark(spot);
    }

    fn truncate_one(&mut self, spot: Spot<'_>, replica: usize, end: Offset, reading: Reading) {
        let site = Site {
            replica,
            ..self.site(spot)
        };
        let Some(one) = self.partition_mut(spot).replicas.get_mut(replica) else {
            return;
        };
        let from = one.end();
        if from <= end {
            return;
        }
        let done = one.truncate(end, reading);
        let to = one.end();
        self.tell(|_| Happening::Truncated { site, from, to });
        if let Err(error) = done {
            self.does_not_start(spot, replica, &error);
        }
    }

    /// Raises the leader epoch of a destination that stores batches as they are: a replica skips
    /// batches of an epoch above its own.
    fn fence_epochs(&mut self, source: LeaderEpoch, spot: Spot<'_>) {
        let own = self.partition_mut(spot).leader_epoch;
        if own.0 >= source.0 + EPOCH_THRESHOLD {
            return;
        }
        self.move_link(spot, LinkState::EpochFencing);
        self.set_leader_epoch(spot, LeaderEpoch(source.0 + EPOCH_INCREMENT));
        self.move_link(spot, LinkState::Mirroring);
    }

    /// A destination whose last epoch ends earlier at its source was copied from a log that is no
    /// more: it is cut to there (ULE_RECOVERY). Only epochs are compared, so a source that was cut
    /// and filled again within one epoch goes unnoticed.
    fn recover_from_divergence(&mut self, from: Spot<'_>, spot: Spot<'_>) {
        let leader = self.partition_mut(spot).leader();
        let Some(latest) = leader.epochs().latest() else {
            return;
        };
        let Some(source) = self.partition(from).map(|one| one.leader()) else {
            return;
        };
        let end = source.end_of_epoch(latest.leader_epoch);
        if end < self.partition_mut(spot).leader().end() {
            self.move_link(spot, LinkState::UleRecovery);
            self.cut(spot, end);
            self.move_link(spot, LinkState::Mirroring);
        }
    }

    fn fetch_from_source(&mut self, source: ClusterIndex, spot: Spot<'_>, step: &MirrorStep) {
        let from = Spot {
            cluster: source,
            name: spot.name,
        };
        if !self.strategy.rewrites() {
            self.recover_from_divergence(from, spot);
        }
        let begin = self.partition_mut(spot).leader().end();
        let Some(partition) = self.partition(from) else {
            return;
        };
        let watermark = partition.high_watermark;
        let limit = match step.isolation {
            Isolation::ReadUncommitted => watermark,
            Isolation::ReadCommitted => partition.leader().last_stable_offset(watermark),
        };
        let source_epoch = partition.leader_epoch;
        let batches: Vec<Arc<Stored>> = partition
            .leader()
            .from(begin)
            .iter()
            .take_while(|stored| stored.batch.last_offset < limit)
            .take(step.batches.unwrap_or(usize::MAX))
            .cloned()
            .collect();
        let keeps_epochs = !self.strategy.rewrites();
        if keeps_epochs && !step.late_fencing {
            self.fence_epochs(source_epoch, spot);
        }
        let chunk = usize::try_from(step.chunk).unwrap_or(1).max(1);
        for batches in batches.chunks(chunk) {
            let known = match keeps_epochs {
                true => self.known_epochs(spot, batches),
                false => batches,
            };
            if !known.is_empty() {
                if !self.take_from_source(source, spot, known) {
                    break;
                }
                self.replicate(spot, false, chunk);
            }
            if known.len() < batches.len() {
                let error = "the leader epoch is above the replica's: the rest is skipped";
                self.refuse(spot, By::Mirror(source), None, error);
                break;
            }
        }
        if keeps_epochs && step.late_fencing {
            self.fence_epochs(source_epoch, spot);
        }
        self.advance_high_watermark(spot);
    }

    /// A replica takes no batch of a leader epoch above its own, and nothing behind it in the same
    /// fetch (`UnifiedLog.appendAsFollower`).
    fn known_epochs<'b>(
        &mut self,
        spot: Spot<'_>,
        batches: &'b [Arc<Stored>],
    ) -> &'b [Arc<Stored>] {
        let own = self.partition_mut(spot).leader_epoch;
        let is_above = |stored: &Arc<Stored>| stored.batch.partition_leader_epoch > own;
        let end = batches.iter().position(is_above).unwrap_or(batches.len());
        batches.get(..end).unwrap_or_default()
    }

    /// Appends a fetch; false where it was refused and the mirror has failed.
    fn take_from_source(
        &mut self,
        source: ClusterIndex,
        spot: Spot<'_>,
        batches: &[Arc<Stored>],
    ) -> bool {
        let is_rewritten = self.strategy.rewrites();
        let (stored, has_salt) = match is_rewritten {
            true => self.rewrite(source, spot, batches),
            false => (batches.to_vec(), false),
        };
        let by = By::Mirror(source);
        if let Err(error) = self.append_to_leader(spot, (Append::FOLLOWER, by), &stored) {
            let text = format!("{}: {error}", error.class());
            self.refuse(spot, by, None, &text);
            self.harm(HarmKind::RejectedWrite, spot, |harm, _| {
                harm.offset = Some(error.offset);
                harm.producer_id = Some(error.producer_id);
                harm.detail = format!("the mirror cannot go on: {text}");
            });
            self.move_link(spot, LinkState::Failed);
            return false;
        }
        if self.strategy.tags_state() {
            let cluster_id = self.cluster(source).id.clone();
            let leader = self.partition_mut(spot).leader_mut();
            for id in stored.iter().map(|stored| stored.batch.producer_id) {
                if id.0 < -1 {
                    leader.set_tag(id, &cluster_id);
                }
            }
            if has_salt {
                leader.take_snapshot();
            }
        }
        true
    }

    /// What a mirror leader makes of the batches that it fetched.
    fn rewrite(
        &mut self,
        source: ClusterIndex,
        spot: Spot<'_>,
        batches: &[Arc<Stored>],
    ) -> (Vec<Arc<Stored>>, bool) {
        let strategy = self.strategy;
        let (cluster_id, region) = {
            let cluster = self.cluster(source);
            (cluster.id.clone(), cluster.region)
        };
        let mut random = self.random.clone();
        let partition = self.partition_mut(spot);
        let epoch = partition.leader_epoch;
        let mut origins = std::mem::take(&mut partition.origins);
        let mut mirror_state = std::mem::take(&mut partition.mirror_state);
        let mut salted = Vec::new();
        let mut rewritten = Vec::new();
        for stored in batches {
            let id = stored.batch.producer_id;
            let mut producer_id = id;
            if id != ProducerId::NONE {
                let mut leader = Leader {
                    replica: partition.leader(),
                    origins: &mut origins,
                    mirror_state: &mut mirror_state,
                    random: &mut random,
                };
                let source = Source {
                    cluster_id: &cluster_id,
                    region,
                };
                let mapped = strategy.map(id, source, &mut leader);
                producer_id = mapped.producer_id;
                salted.extend(mapped.salt.map(|salt| (id, producer_id, salt)));
            }
            rewritten.push(stored.rewritten(producer_id, epoch));
        }
        partition.origins = origins;
        partition.mirror_state = mirror_state;
        self.random = random;
        let has_salt = !salted.is_empty();
        for (original_id, producer_id, salt) in salted {
            self.tell(|world| Happening::Salted {
                site: world.site(spot),
                original_id,
                producer_id,
                salt,
            });
        }
        (rewritten, has_salt)
    }
}
