//! The barrier: batches are stored as they are, and MIRROR_PID_RESET ends their producers' state.

use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;
use crate::simulate::link::Form;
use crate::state::rules::{self, RuleSet};

/// Batches are stored as they are; a control batch of type 7 clears the producer state when
/// mirroring stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier;

impl Strategy for Barrier {
    fn name(&self) -> &'static str {
        "barrier"
    }

    fn map(&self, id: ProducerId, _: Source<'_>, _: &mut Leader<'_>) -> Mapped {
        Mapped::to(id)
    }

    fn rewrites(&self) -> bool {
        false
    }

    fn writes_barrier(&self) -> bool {
        true
    }

    fn form(&self) -> Form {
        Form::Latest
    }

    fn own_rules(&self) -> &'static dyn RuleSet {
        &rules::Barrier
    }
}
