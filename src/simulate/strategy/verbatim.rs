//! Nothing is done: batches are stored as they are.

use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;
use crate::state::rules::{self, RuleSet};

/// Batches are stored as they are, and nothing marks the end of mirroring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verbatim;

impl Strategy for Verbatim {
    fn name(&self) -> &'static str {
        "verbatim"
    }

    fn map(&self, id: ProducerId, _: Source<'_>, _: &mut Leader<'_>) -> Mapped {
        Mapped::to(id)
    }

    fn rewrites(&self) -> bool {
        false
    }

    fn own_rules(&self) -> &'static dyn RuleSet {
        &rules::Barrier
    }
}
