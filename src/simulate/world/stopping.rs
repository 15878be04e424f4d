//! The stop of a mirror, in both forms of its state machine.

use super::{Misuse, Spot, World};
use crate::format::number::{CoordinatorEpoch, LeaderEpoch};
use crate::simulate::happening::By;
use crate::simulate::link::{Form, Link, LinkState};
use crate::simulate::scenario::{Aborts, BarrierLayout, BarrierWrite, StopStep};
use crate::simulate::stored::Stored;
use crate::simulate::truth::{Truth, Wrote};
use crate::state::append::Append;
use std::sync::Arc;

/// The transaction version of the markers that a mirror writes itself.
const ABORT_VERSION: i16 = 1;

impl World {
    pub(super) fn stop(&mut self, step: &StopStep) -> Result<(), Misuse> {
        let cluster = self.cluster_named(&step.cluster)?;
        let mut names = self.mirrored_partitions(cluster, |link| link.is_read_only());
        if let Some(only) = &step.topic_partition {
            names.retain(|name| name == only);
        }
        if names.is_empty() {
            return Err(format!("nothing on {} is mirrored", step.cluster));
        }
        for name in &names {
            self.stop_one(Spot { cluster, name }, step);
        }
        Ok(())
    }

    fn stop_one(&mut self, spot: Spot<'_>, step: &StopStep) {
        let Some(link) = self.link(spot) else {
            return;
        };
        self.move_link(spot, LinkState::Stopping);
        let last_mirrored;
        match self.form {
            Form::Design => {
                let partition = self.partition_mut(spot);
                let watermark = partition.high_watermark;
                let stable = partition.leader().last_stable_offset(watermark);
                self.truncate_all(spot, stable);
                last_mirrored = self.last_mirrored(spot);
            }
            Form::Latest => {
                last_mirrored = self.last_mirrored(spot);
                let leader_epoch = self.partition_mut(spot).leader_epoch;
                self.set_leader_epoch(spot, LeaderEpoch(leader_epoch.0 + 1));
                if step.aborts == Aborts::Written {
                    self.abort_open(spot);
                }
            }
        }
        if self.strategy.writes_barrier() {
            let times = match step.barrier {
                BarrierWrite::Skipped => 0,
                BarrierWrite::Written => 1,
                BarrierWrite::Repeated => 2,
            };
            for _ in 0..times {
                self.write_barrier(spot, link);
            }
        }
        let link = Link {
            source: link.source,
            state: LinkState::Stopped,
            last_mirrored: Some(last_mirrored),
        };
        self.set_link(spot, link);
    }

    /// Writes an ABORT for each open transaction (`UnifiedLog.buildEndTransactionRecords`).
    fn abort_open(&mut self, spot: Spot<'_>) {
        let leader = self.partition_mut(spot).leader();
        let mut open = Vec::new();
        for transaction in leader.manager().ongoing() {
            let entry = leader.entry(transaction.producer_id);
            let began = leader.at(transaction.first_offset);
            if let (Some(entry), Some(began)) = (entry, began)
                && let Wrote::Data {
                    first,
                    transaction: Some(transaction),
                    ..
                } = began.truth.wrote
            {
                open.push((entry, first.writer, transaction));
            }
        }
        for (entry, writer, transaction) in open {
            let truth = Truth {
                origin: spot.cluster,
                wrote: Wrote::Marker {
                    writer,
                    transaction,
                    is_abort: true,
                    by_mirror: true,
                },
            };
            let at = self.at_end(spot);
            let coordinator_epoch = CoordinatorEpoch(entry.coordinator_epoch.0.max(0));
            let who = (entry.producer_id, entry.producer_epoch);
            let stored = Stored::marker(at, who, (true, coordinator_epoch), truth);
            self.write_marker(spot, stored, (ABORT_VERSION, By::MirrorStop));
        }
    }

    fn write_barrier(&mut self, spot: Spot<'_>, link: Link) {
        let source_cluster_id = match self.layout() {
            BarrierLayout::A => Some(self.cluster(link.source).id.clone()),
            BarrierLayout::B => None,
        };
        let truth = Truth {
            origin: spot.cluster,
            wrote: Wrote::Barrier,
        };
        let at = self.at_end(spot);
        let stored = Stored::barrier(at, source_cluster_id, truth);
        let how = (Append::coordinator(ABORT_VERSION), By::MirrorStop);
        // A barrier has no producer that anything could be refused for.
        let taken = self.append_to_leader(spot, how, &[Arc::new(stored)]);
        if taken.is_ok() {
            self.replicate(spot, true, usize::MAX);
        }
    }
}
