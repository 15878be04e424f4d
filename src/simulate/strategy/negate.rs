//! The first design: mirrored ids are negated.

use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::Mapping;

/// -(id + 2) of every id, a negated one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Negate;

/// -(id + 2) of ids from 0 up; ids below 0 pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NegateIdempotent;

impl Strategy for Negate {
    fn name(&self) -> &'static str {
        "negate"
    }

    fn map(&self, id: ProducerId, _: Source<'_>, _: &mut Leader<'_>) -> Mapped {
        Mapped::to(Mapping::Negate.map(id))
    }
}

impl Strategy for NegateIdempotent {
    fn name(&self) -> &'static str {
        "negate-idempotent"
    }

    fn map(&self, id: ProducerId, _: Source<'_>, _: &mut Leader<'_>) -> Mapped {
        Mapped::to(Mapping::NegateIdempotent.map(id))
    }
}
