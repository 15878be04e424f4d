//! What happens to brokers: elections, restarts, slow followers; and what a scenario expects.

use super::{Misuse, Spot, World};
use crate::format::number::LeaderEpoch;
use crate::simulate::happening::Happening;
use crate::simulate::harm::HarmKind;
use crate::simulate::replica::{Replica, Restart};
use crate::simulate::scenario::{ExpectStep, FetchStep, ReplicaStep, RestartStep, Snapshots, Stop};
use crate::simulate::truth::ClusterIndex;
use crate::state::error::StateError;

impl World {
    /// The partitions of a cluster that a step means.
    fn meant(
        &self,
        cluster: ClusterIndex,
        replica: usize,
        only: Option<&str>,
    ) -> Result<Vec<String>, Misuse> {
        let cluster = self.cluster(cluster);
        if replica >= cluster.replicas {
            return Err(format!("{} has no replica {replica}", cluster.name));
        }
        let names = cluster.partitions.keys();
        Ok(names
            .filter(|name| only.is_none_or(|only| only == name.as_str()))
            .cloned()
            .collect())
    }

    pub(super) fn elect(&mut self, step: &ReplicaStep) -> Result<(), Misuse> {
        let cluster = self.cluster_named(&step.cluster)?;
        for name in self.meant(cluster, step.replica, step.topic_partition.as_deref())? {
            let spot = Spot {
                cluster,
                name: &name,
            };
            self.lead(spot, step.replica);
        }
        Ok(())
    }

    /// A replica leads from now on; the others are cut to where they agree with it.
    fn lead(&mut self, spot: Spot<'_>, replica: usize) {
        let partition = self.partition_mut(spot);
        partition.leader = replica;
        let leader_epoch = LeaderEpoch(partition.leader_epoch.0 + 1);
        partition.origins.forget();
        let end = partition.leader().end();
        self.set_leader_epoch(spot, leader_epoch);
        self.truncate_all(spot, end);
        self.replicate(spot, false, usize::MAX);
        self.compare_replicas(spot);
    }

    pub(super) fn restart(&mut self, step: &RestartStep) -> Result<(), Misuse> {
        let cluster = self.cluster_named(&step.cluster)?;
        let names = self.meant(cluster, step.replica, None)?;
        let how = Restart {
            is_clean: step.stop == Stop::Clean,
            has_lost_snapshots: step.snapshots == Snapshots::Lost,
        };
        let replica = step.replica;
        self.tell(|_| Happening::Restarted {
            cluster,
            replica,
            is_clean: how.is_clean,
        });
        self.cluster_mut(cluster).allocator.restart(replica);
        for name in names {
            let spot = Spot {
                cluster,
                name: &name,
            };
            let partition = self.partition_mut(spot);
            let count = partition.replicas.len();
            if partition.leader == replica && count > 1 {
                self.lead(spot, (replica + 1) % count);
            }
            let reading = self.reading();
            let partition = self.partition_mut(spot);
            let started = partition
                .replicas
                .get_mut(replica)
                .map_or(Ok(()), |one| one.restart(how, reading));
            if let Err(error) = started {
                self.does_not_start(spot, replica, &error);
            }
            if self.partition_mut(spot).leader == replica {
                self.lead(spot, replica);
            }
            self.replicate(spot, false, usize::MAX);
            self.compare_replicas(spot);
        }
        Ok(())
    }

    pub(super) fn does_not_start(&mut self, spot: Spot<'_>, replica: usize, error: &StateError) {
        self.harm(HarmKind::ReplicaDivergence, spot, |harm, _| {
            harm.offset = Some(error.offset);
            harm.producer_id = Some(error.producer_id);
            harm.detail = format!(
                "replica {replica} cannot read its log back: {}: {error}",
                error.class()
            );
        });
    }

    /// Replicas that end at the same offset must believe the same.
    pub(in crate::simulate) fn compare_replicas(&mut self, spot: Spot<'_>) {
        let Some(partition) = self.partition(spot) else {
            return;
        };
        let leader = partition.leader();
        let plain = |replica: &Replica| {
            let mut entries = replica.snapshot_entries();
            for entry in &mut entries {
                // Only the mirror leader tags.
                entry.source_cluster_id = None;
            }
            entries
        };
        let expected = plain(leader);
        let mut differing = Vec::new();
        for (place, replica) in partition.replicas.iter().enumerate() {
            if replica.end() != leader.end() {
                continue;
            }
            let found = plain(replica);
            if found != expected {
                let differs = |entry: &&_| !expected.contains(entry);
                let extra = found.iter().find(differs);
                let missing = expected.iter().find(|entry| !found.contains(entry));
                let id = extra.or(missing).map(|entry| entry.producer_id);
                differing.push((place, id, found.len(), expected.len()));
            }
        }
        let end = leader.end();
        for (place, id, found, expected) in differing {
            self.harm(HarmKind::ReplicaDivergence, spot, |harm, _| {
                harm.offset = Some(end);
                harm.producer_id = id;
                harm.detail = format!(
                    "at log end {end} replica {place} keeps state of {found} producers, the \
                     leader of {expected}, or their fields differ"
                );
            });
        }
    }

    pub(super) fn lag(&mut self, step: &ReplicaStep) -> Result<(), Misuse> {
        let cluster = self.cluster_named(&step.cluster)?;
        for name in self.meant(cluster, step.replica, step.topic_partition.as_deref())? {
            let spot = Spot {
                cluster,
                name: &name,
            };
            if let Some(one) = self.partition_mut(spot).replicas.get_mut(step.replica) {
                one.is_lagging = true;
            }
        }
        Ok(())
    }

    pub(super) fn fetch(&mut self, step: &FetchStep) -> Result<(), Misuse> {
        let cluster = self.cluster_named(&step.cluster)?;
        for name in self.meant(cluster, step.replica, Some(&step.topic_partition))? {
            let spot = Spot {
                cluster,
                name: &name,
            };
            let partition = self.partition_mut(spot);
            if partition.leader == step.replica {
                return Err(format!("replica {} leads", step.replica));
            }
            if let Some(one) = partition.replicas.get_mut(step.replica) {
                one.is_lagging = false;
            }
            self.fetch_from_leader(spot, step.replica, step.chunk.unwrap_or(usize::MAX));
            self.advance_high_watermark(spot);
        }
        Ok(())
    }

    pub(super) fn roll(&mut self, cluster: &str) -> Result<(), Misuse> {
        let index = self.cluster_named(cluster)?;
        for partition in self.cluster_mut(index).partitions.values_mut() {
            for replica in &mut partition.replicas {
                replica.roll();
            }
        }
        Ok(())
    }

    pub(super) fn expect(&mut self, step: &ExpectStep) -> Result<(), Misuse> {
        let is_meant = |wanted: &Option<String>, name: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == name)
        };
        let is_asked = is_meant(&step.strategy, self.strategy.name())
            && is_meant(&step.rules, self.rules.name());
        if !is_asked {
            return Ok(());
        }
        let cluster = self.cluster_named(&step.cluster)?;
        let spot = Spot {
            cluster,
            name: &step.topic_partition,
        };
        let partition = self.partition_mut(spot);
        let (leader, watermark) = (partition.leader(), partition.high_watermark);
        let mut ids: Vec<i64> = leader
            .log()
            .iter()
            .map(|one| one.batch.producer_id.0)
            .collect();
        ids.dedup();
        let stable = leader.last_stable_offset(watermark);
        let producers = leader.manager().producers().iter().count();
        let place = format!(
            "step {}: {} on {}",
            self.step, step.topic_partition, step.cluster
        );
        let end = self.partition_mut(spot).leader().end();
        let mut compare = |what: &str, wanted: Option<String>, found: String| {
            if let Some(wanted) = wanted
                && wanted != found
            {
                let text = format!("{place}: {what} is {found}, expected {wanted}");
                self.broken.push(text);
            }
        };
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        compare("logEndOffset", number(step.log_end_offset), end.to_string());
        compare(
            "lastStableOffset",
            number(step.last_stable_offset),
            stable.to_string(),
        );
        let wanted = step.producer_ids.as_ref().map(|ids| format!("{ids:?}"));
        compare("producerIds", wanted, format!("{ids:?}"));
        let wanted = step.producers.map(|count| count.to_string());
        compare("the number of producers", wanted, producers.to_string());
        Ok(())
    }
}
