//! The second design without a cure for collisions: 32 bits of the source cluster's id stand
//! beside 31 bits of the producer's.

use super::{Leader, Mapped, Source, Strategy};
use crate::format::number::ProducerId;
use crate::format::producer_id_mapping::{Mapping, Region};

/// Ids from 0 up go to the region of the immediate source; ids below 0 pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitField;

/// The id in the source's region moved by `salt`; `None` where the id passes as it is.
pub(super) fn placed(id: ProducerId, region: Option<Region>, salt: i64) -> Option<ProducerId> {
    let region = region.filter(|_| id.0 >= 0)?;
    Some(Mapping::BitField(region.salted(salt)).map(id))
}

impl Strategy for BitField {
    fn name(&self) -> &'static str {
        "bit-field"
    }

    fn map(&self, id: ProducerId, source: Source<'_>, _: &mut Leader<'_>) -> Mapped {
        Mapped::to(placed(id, source.region, 0).unwrap_or(id))
    }
}
