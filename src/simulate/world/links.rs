//! Mirrors as a cluster sees all of its own: which there are, pausing them, what a stop remembers.

use super::{Misuse, Spot, World};
use crate::format::number::LeaderEpoch;
use crate::simulate::link::{LastMirrored, Link, LinkState};
use crate::simulate::truth::ClusterIndex;

impl World {
    pub(super) fn pause(&mut self, cluster: &str) -> Result<(), Misuse> {
        self.move_links(
            cluster,
            LinkState::Mirroring,
            &[LinkState::Pausing, LinkState::Paused],
        )
    }

    pub(super) fn resume(&mut self, cluster: &str) -> Result<(), Misuse> {
        self.move_links(cluster, LinkState::Paused, &[LinkState::Mirroring])
    }

    fn move_links(
        &mut self,
        cluster: &str,
        from: LinkState,
        through: &[LinkState],
    ) -> Result<(), Misuse> {
        let index = self.cluster_named(cluster)?;
        let mirrored = self.mirrored_partitions(index, |link| link.state == from);
        if mirrored.is_empty() {
            return Err(format!("{cluster} has no mirror that is {}", from.name()));
        }
        for name in &mirrored {
            let spot = Spot {
                cluster: index,
                name,
            };
            for state in through {
                self.move_link(spot, *state);
            }
        }
        Ok(())
    }

    /// The partitions of a cluster whose mirror is as asked for.
    pub(super) fn mirrored_partitions(
        &self,
        cluster: ClusterIndex,
        wanted: impl Fn(&Link) -> bool,
    ) -> Vec<String> {
        let partitions = self.cluster(cluster).partitions.iter();
        partitions
            .filter(|(_, partition)| partition.link.as_ref().is_some_and(&wanted))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// What a stopping mirror remembers: the epoch of its last batch and where it ends.
    pub(super) fn last_mirrored(&mut self, spot: Spot<'_>) -> LastMirrored {
        let leader = self.partition_mut(spot).leader();
        let last = leader.log().last();
        LastMirrored {
            epoch: last.map_or(LeaderEpoch(-1), |one| one.batch.partition_leader_epoch),
            end: leader.end(),
        }
    }
}
