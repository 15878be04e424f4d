//! Other producer ids for batches: which, and the change of one batch.

use super::content::BatchEdit;
use crate::format::batch::{HEADER_SIZE, Header, MAGIC};
use crate::format::batch_in_place::BatchInPlace;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{Offset, ProducerId};
use std::collections::{BTreeMap, BTreeSet};

/// Which batches get which id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Renumbering {
    /// Every batch of an id gets another.
    ById(BTreeMap<ProducerId, ProducerId>),
    /// Some batches of one id get another, by their base offsets.
    ByOffset {
        old: ProducerId,
        new: BTreeMap<Offset, ProducerId>,
    },
}

impl Renumbering {
    /// The new id of a batch, if it gets one.
    pub(super) fn of(&self, id: ProducerId, base_offset: Offset) -> Option<ProducerId> {
        match self {
            Self::ById(pairs) => pairs.get(&id).copied(),
            Self::ByOffset { old, new } if *old == id => new.get(&base_offset).copied(),
            Self::ByOffset { .. } => None,
        }
    }

    /// Every id that loses or gets batches.
    pub(super) fn affected(&self) -> BTreeSet<ProducerId> {
        match self {
            Self::ById(pairs) => pairs.iter().flat_map(|(old, new)| [*old, *new]).collect(),
            Self::ByOffset { old, new } => new.values().copied().chain([*old]).collect(),
        }
    }

    /// What the producer of an id may be afterwards.
    pub(super) fn heirs(&self, id: ProducerId) -> Vec<ProducerId> {
        match self {
            Self::ById(pairs) => pairs.get(&id).map_or(vec![id], |new| vec![*new]),
            Self::ByOffset { old, .. } if *old == id => self.affected().into_iter().collect(),
            Self::ByOffset { .. } => vec![id],
        }
    }

    /// Whether nothing changes.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::ById(pairs) => pairs.is_empty(),
            Self::ByOffset { new, .. } => new.is_empty(),
        }
    }
}

impl BatchEdit for Renumbering {
    fn edit(&self, batch: &mut Vec<u8>) -> Result<(), Malformed> {
        let Some(header) = Header::at_front_of(batch) else {
            let (needed, left) = (HEADER_SIZE, batch.len());
            return Err(Malformed {
                field: "batch",
                at: 0,
                problem: Problem::Truncated { needed, left },
            });
        };
        if header.magic() < MAGIC {
            return Ok(());
        }
        let (id, offset) = (header.producer_id(), header.base_offset());
        let (epoch, sequence) = (header.producer_epoch(), header.base_sequence());
        if let Some(new) = self.of(id, offset) {
            BatchInPlace::open(batch)?.set_producer(new, epoch, sequence);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::batch::computed_crc;

    const REAL: &[u8] =
        include_bytes!("../../testdata/kafka/control/end-markers-0/00000000000000000407.log");

    #[test]
    fn a_batch_changes_its_id_and_checksum_alone() {
        let real = REAL[..78].to_vec();
        let header = Header::at_front_of(&real).unwrap();
        let (id, offset) = (header.producer_id(), header.base_offset());
        let new = ProducerId(1 << 62);
        let by_id = Renumbering::ById(BTreeMap::from([(id, new)]));
        let by_offset = Renumbering::ByOffset {
            old: id,
            new: BTreeMap::from([(offset, new)]),
        };
        for renumbering in [by_id, by_offset] {
            let mut batch = real.clone();
            renumbering.edit(&mut batch).unwrap();
            let header = Header::at_front_of(&batch).unwrap();
            assert_eq!(header.producer_id(), new);
            assert_eq!(header.stored_crc(), computed_crc(&batch));
            assert_eq!((&batch[..17], &batch[21..43]), (&real[..17], &real[21..43]));
            assert_eq!(batch[51..], real[51..]);
            assert_eq!(renumbering.affected(), BTreeSet::from([id, new]));
        }
    }

    #[test]
    fn other_batches_stay() {
        let real = REAL[..78].to_vec();
        let header = Header::at_front_of(&real).unwrap();
        let (id, offset) = (header.producer_id(), header.base_offset());
        for renumbering in [
            Renumbering::ById(BTreeMap::from([(ProducerId(id.0 + 1), ProducerId(0))])),
            Renumbering::ByOffset {
                old: id,
                new: BTreeMap::from([(offset.plus(1), ProducerId(0))]),
            },
        ] {
            let mut batch = real.clone();
            renumbering.edit(&mut batch).unwrap();
            assert_eq!(batch, real);
        }
        assert!(
            Renumbering::ById(BTreeMap::new())
                .edit(&mut real[..60].to_vec())
                .is_err()
        );
    }
}
