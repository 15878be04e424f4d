//! Sound batches whose offset or leader epoch is wrong: no checksum covers these fields, and what
//! stands around a batch tells what they should be.

use super::kept_log::{Current, Pass};
use super::part::Unsealed;
use super::plan::{Action, Step};
use super::survey::{Bad, Claim, Good};
use super::terms::How;

impl Pass<'_> {
    /// Whether a batch moves to the one offset at which it belongs.
    pub(super) fn is_put_back(&self, bad: &Bad) -> bool {
        self.ground.how == How::Salvage && bad.belongs.is_some()
    }

    /// A sound batch with the offset and the leader epoch that it should have, and the change, if
    /// it has others; `None` where the log is cut in front of it.
    pub(super) fn put_right(
        &mut self,
        mut good: Good,
        moved: Option<&Bad>,
        current: &mut Current<'_>,
    ) -> Option<(Good, Option<Unsealed>)> {
        if self.is_cut {
            return Some((good, None));
        }
        let (position, was) = (good.span.position, good.first);
        let mut details = Vec::new();
        if let Some((bad, to)) = moved.and_then(|bad| bad.belongs.map(|to| (bad, to))) {
            details.push(format!(
                "{}; offset {} becomes {to}: what lies around it leaves it no other; no checksum \
                 covers this field",
                bad.message, good.first
            ));
            let delta = good.batch.last_offset.0.wrapping_sub(good.first.0);
            good.first = to;
            good.batch.base_offset = to;
            good.batch.last_offset = to.plus(delta);
            self.changes_here();
        }
        let spot = (good.batch.place.segment, position);
        if let Some(out) = self.out_of_line.get(&spot).cloned() {
            if self.ground.how == How::Truncate {
                let claim = Claim {
                    first: was,
                    last: good.batch.last_offset,
                    records: Some(good.records),
                };
                self.changes_here();
                self.log.ledger.lose(Some(claim), "leader-epoch-regression");
                self.cut((position, Some(was), out.wrong), current);
                return None;
            }
            details.push(format!("{}: {}", out.wrong, out.right));
            good.batch.partition_leader_epoch = out.epoch;
        }
        if details.is_empty() {
            return Some((good, None));
        }
        self.log.steps.push(Step {
            action: Action::Change,
            file: current.name.clone(),
            position: Some(position),
            size: Some(good.span.size.into()),
            offset: Some(was),
            detail: details.join("; "),
        });
        let change = Unsealed {
            base_offset: good.batch.base_offset,
            leader_epoch: good.batch.partition_leader_epoch,
        };
        Some((good, Some(change)))
    }
}
