//! Transaction indexes and snapshots of a log in which producers have other ids.

use super::content::Content;
use super::draft::Draft;
use super::renumbering::Renumbering;
use super::sound::{Item, SoundSegment};
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_snapshot::{self, ProducerEntry, Snapshot};
use crate::format::txn_index::{self, AbortedTxn};
use crate::state::batch::Batch;
use crate::state::manager::Manager;
use crate::storage::file_name::FileKind;
use std::collections::{BTreeMap, BTreeSet};

/// What a replay of the log as it will be shows of the producers that change.
#[derive(Debug)]
pub(super) struct Revised {
    affected: BTreeSet<ProducerId>,
    /// The offsets of snapshots that the replay has not come to.
    ahead: BTreeSet<Offset>,
    /// What is known at the offsets of snapshots.
    known: BTreeMap<Offset, Vec<ProducerEntry>>,
    /// The aborts of each segment by offset, each with the entry of the transaction that it ended.
    aborts: BTreeMap<usize, BTreeMap<Offset, (ProducerId, Option<AbortedTxn>)>>,
}

impl Revised {
    /// Nothing seen yet of the ids `affected`; snapshots are at `snapshots`.
    pub(super) const fn new(affected: BTreeSet<ProducerId>, snapshots: BTreeSet<Offset>) -> Self {
        Self {
            affected,
            ahead: snapshots,
            known: BTreeMap::new(),
            aborts: BTreeMap::new(),
        }
    }

    /// To be called in front of each batch.
    pub(super) fn before(&mut self, item: &Item<'_>, manager: &Manager<1>) {
        self.up_to(item.batch.base_offset, manager);
    }

    /// The log is at its end.
    pub(super) fn end(&mut self, manager: &Manager<1>) {
        self.up_to(Offset(i64::MAX), manager);
    }

    fn up_to(&mut self, offset: Offset, manager: &Manager<1>) {
        while let Some(first) = self.ahead.first().copied().filter(|first| *first <= offset) {
            self.ahead.remove(&first);
            let entries = manager.snapshot_entries();
            let own = entries.filter(|entry| self.affected.contains(&entry.producer_id));
            self.known.insert(first, own.collect());
        }
    }

    /// An abort, under its new id, with the entry of the transaction that it ends.
    pub(super) fn aborted(&mut self, segment: usize, batch: &Batch, entry: Option<AbortedTxn>) {
        if self.affected.contains(&batch.producer_id) {
            let aborts = self.aborts.entry(segment).or_default();
            aborts.insert(batch.base_offset, (batch.producer_id, entry));
        }
    }

    /// The transaction index of a segment; `first` is where the log begins. Of a transaction that
    /// began in front of it the old index alone knows.
    pub(super) fn index(
        &self,
        segment: usize,
        old: &[AbortedTxn],
        first: Offset,
        keeps: &dyn Fn(ProducerId) -> bool,
    ) -> Vec<AbortedTxn> {
        let stays = |entry: &&AbortedTxn| !self.affected.contains(&entry.producer_id);
        let mut new: Vec<AbortedTxn> = old.iter().filter(stays).copied().collect();
        for (offset, (id, entry)) in self.aborts.get(&segment).into_iter().flatten() {
            let before = old.iter().find(|entry| entry.last_offset == *offset);
            let of_before = before.map(|entry| AbortedTxn {
                producer_id: *id,
                ..*entry
            });
            let is_older = |entry: &AbortedTxn| entry.first_offset < first && keeps(*id);
            let same = |known: &AbortedTxn| {
                entry.is_some_and(|entry| entry.first_offset == known.first_offset)
            };
            // How batches were grouped when they came decides on the last stable offset.
            let kept = of_before.filter(|known| is_older(known) || same(known));
            new.extend(kept.or(*entry));
        }
        new.sort_by_key(|entry| entry.last_offset);
        new
    }

    /// The entries of the snapshot at `offset`.
    pub(super) fn snapshot(
        &self,
        offset: Offset,
        old: &Snapshot,
        renumbering: &Renumbering,
        keeps: &dyn Fn(ProducerId) -> bool,
    ) -> Vec<ProducerEntry> {
        let known = self.known.get(&offset).map_or(&[][..], Vec::as_slice);
        let find = |id| known.iter().find(|entry| entry.producer_id == id);
        let mut entries = Vec::with_capacity(old.entries.len());
        for entry in &old.entries {
            if !self.affected.contains(&entry.producer_id) {
                entries.push(entry.clone());
                continue;
            }
            let heirs = renumbering.heirs(entry.producer_id);
            let shown: Vec<&ProducerEntry> = heirs.iter().filter_map(|heir| find(*heir)).collect();
            let with_source = |shown: &ProducerEntry| ProducerEntry {
                source_cluster_id: entry.source_cluster_id.clone(),
                ..shown.clone()
            };
            match (shown.as_slice(), heirs.as_slice()) {
                // The same producer under another id: the snapshot may know what retention and
                // compaction have taken from the log.
                (_, [heir]) if keeps(*heir) => entries.push(ProducerEntry {
                    producer_id: *heir,
                    ..entry.clone()
                }),
                (_, [_]) => {}
                ([], _) => entries.push(entry.clone()),
                (shown, _) => entries.extend(shown.iter().map(|shown| with_source(shown))),
            }
        }
        // Ids that had no state have one now.
        for entry in known {
            let id = entry.producer_id;
            let mut old_ids = self.affected.iter().filter(|old| !keeps(**old));
            if old_ids.any(|old| renumbering.heirs(*old) == [id])
                && !entries.iter().any(|entry| entry.producer_id == id)
            {
                entries.push(entry.clone());
            }
        }
        entries
    }
}

/// Writes a transaction index that is another.
pub(super) fn write_index(
    draft: &mut Draft<'_>,
    segment: &SoundSegment,
    old: &[AbortedTxn],
    new: &[AbortedTxn],
) {
    if old == new {
        return;
    }
    let name = draft.name(FileKind::TxnIndex, segment.base);
    if new.is_empty() {
        draft.remove(
            &name,
            "no transaction that a broker tracks is aborted in the segment",
        );
        return;
    }
    let mut bytes = Vec::new();
    for entry in new {
        txn_index::encode(entry, &mut bytes);
    }
    let why = "the aborted transactions of its segment, under their new ids".to_owned();
    draft.write(&name, Content::Bytes(bytes), &segment.file, why);
}

/// Writes a snapshot that is another, in its own version.
pub(super) fn write_snapshot(
    draft: &mut Draft<'_>,
    name: &str,
    old: &Snapshot,
    new: &[ProducerEntry],
) {
    if old.entries == new {
        return;
    }
    // Only more than 2^31 entries could be refused, and no table holds that many.
    let bytes = producer_snapshot::encode(old.version, new).unwrap_or_default();
    let why = "its producers, under their new ids".to_owned();
    draft.write(name, Content::Bytes(bytes), name, why);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::{ProducerEpoch, Timestamp};

    const OLD: ProducerId = ProducerId(5);
    const NEW: ProducerId = ProducerId(1 << 62);

    /// Compaction leaves a marker's batch without its record: the log shows that there was a
    /// producer, and the snapshot alone knows its epoch.
    #[test]
    fn what_a_snapshot_alone_knows_of_a_producer_goes_with_it() {
        let bytes =
            include_bytes!("../../testdata/kafka/main/idem-0/00000000000000000052.snapshot");
        let mut old = producer_snapshot::decode(bytes).unwrap();
        let mut entry = old.entries.swap_remove(0);
        entry.producer_id = OLD;
        entry.producer_epoch = ProducerEpoch(1);
        old.entries = vec![entry.clone()];
        let renumbering = Renumbering::ById(BTreeMap::from([(OLD, NEW)]));
        let mut revised = Revised::new(renumbering.affected(), BTreeSet::new());
        let shown = ProducerEntry {
            producer_id: NEW,
            producer_epoch: ProducerEpoch(-1),
            timestamp: Timestamp::NONE,
            ..entry.clone()
        };
        revised.known.insert(Offset(52), vec![shown]);
        let new = revised.snapshot(Offset(52), &old, &renumbering, &|_| true);
        let expected = ProducerEntry {
            producer_id: NEW,
            ..entry
        };
        assert_eq!(new, [expected]);
    }
}
