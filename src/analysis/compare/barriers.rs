//! Barriers of both logs, and the markers that only one of them has: a mirror that stops ends open
//! transactions itself, then writes a barrier (KIP-1279).

use super::difference::control_type;
use super::reading::Seen;
use super::side::Side;
use crate::format::control::ControlType;
use crate::format::number::{LeaderEpoch, Offset, ProducerId};

/// A barrier, or an end marker that only one log has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlSeen {
    /// Where.
    pub offset: Offset,
    /// What.
    pub control_type: ControlType,
    /// The log that has it; `None` where both have the same.
    pub only_in: Option<Side>,
    /// Whose transaction ends; -1 of a barrier.
    pub producer_id: ProducerId,
    /// The leader that wrote it.
    pub leader_epoch: LeaderEpoch,
    /// The cluster that a barrier names.
    pub source_cluster_id: Option<String>,
}

/// How many are kept.
const MOST: usize = 10_000;

/// Gathers them.
#[derive(Debug, Default)]
pub(super) struct Controls {
    kept: Vec<ControlSeen>,
    left_out: u64,
}

impl Controls {
    /// Both logs have this batch.
    pub(super) fn in_both(&mut self, seen: &Seen) {
        self.note(seen, None, &[ControlType::MirrorPidReset]);
    }

    /// One log alone has this batch.
    pub(super) fn only_in(&mut self, side: Side, seen: &Seen) {
        let kinds = [
            ControlType::MirrorPidReset,
            ControlType::Abort,
            ControlType::Commit,
        ];
        self.note(seen, Some(side), &kinds);
    }

    fn note(&mut self, seen: &Seen, only_in: Option<Side>, wanted: &[ControlType]) {
        let Some(control_type) = control_type(seen).filter(|kind| wanted.contains(kind)) else {
            return;
        };
        if self.kept.len() >= MOST {
            self.left_out += 1;
            return;
        }
        self.kept.push(ControlSeen {
            offset: seen.batch.base_offset,
            control_type,
            only_in,
            producer_id: seen.batch.producer_id,
            leader_epoch: seen.batch.partition_leader_epoch,
            source_cluster_id: seen.source_cluster_id.clone(),
        });
    }

    pub(super) fn into_parts(self) -> (Vec<ControlSeen>, u64) {
        (self.kept, self.left_out)
    }
}

/// Whether a batch is what a stopping mirror writes: an end marker or a barrier.
pub(super) fn ends_something(seen: &Seen) -> bool {
    let kind = control_type(seen);
    kind.is_some_and(|kind| kind.ends_transaction() || kind == ControlType::MirrorPidReset)
}
