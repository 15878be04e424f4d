//! What of a log cannot stay, and where the log ends for it.

use super::kept_log::{Current, Pass};
use super::plan::{Action, Step};
use super::survey::{Bad, Claim, Good};
use super::terms::How;
use crate::format::number::Offset;

/// Why a batch is lost that is sound.
pub(super) const BEHIND: &str = "behind the first damage";

impl Pass<'_> {
    pub(super) fn bad(&mut self, bad: &Bad, current: &mut Current<'_>) {
        let how = self.ground.how;
        // Zeros in front of another segment stand for what that one does not begin behind.
        let is_hole = current.limit.is_some_and(|limit| limit > self.log.end);
        let is_loss = bad.is_loss() || is_hole;
        if how == How::AsItIs || self.is_cut && !is_loss {
            return;
        }
        if self.is_cut {
            return self.log.ledger.lose(bad.loss(), BEHIND);
        }
        if is_loss {
            self.changes_here();
            self.log.ledger.lose(bad.loss(), bad.code.as_str());
        }
        let offset = bad.claim.map(|claim| claim.first);
        let detail = format!("{}: {}", bad.code, bad.message);
        if how == How::Truncate && is_loss {
            return self.cut((bad.position, offset, detail), current);
        }
        let is_tail = bad.position + bad.size == current.length;
        self.log.steps.push(Step {
            action: if is_tail { Action::Cut } else { Action::Drop },
            file: current.name.clone(),
            position: Some(bad.position),
            size: Some(bad.size),
            offset,
            detail,
        });
    }

    /// A batch that a broker does not survive.
    pub(super) fn refuse(
        &mut self,
        good: &Good,
        claim: Claim,
        detail: String,
        current: &mut Current<'_>,
    ) {
        let (position, size) = (good.span.position, u64::from(good.span.size));
        self.changes_here();
        self.log.ledger.lose(Some(claim), "stops a broker");
        let offset = Some(claim.first);
        if self.ground.how == How::Truncate {
            return self.cut((position, offset, detail), current);
        }
        self.log.steps.push(Step {
            action: Action::Drop,
            file: current.name.clone(),
            position: Some(position),
            size: Some(size),
            offset,
            detail,
        });
    }

    /// The log ends at a position of this segment, with an offset where one is known, for a reason.
    pub(super) fn cut(&mut self, here: (u64, Option<Offset>, String), current: &mut Current<'_>) {
        self.is_cut = true;
        self.cut_segment = current.parts.last().map(|part| part.base);
        current.cut = Some(here);
    }
}
