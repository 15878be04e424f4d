//! Each partition of the corpus is replayed, and at the offset of each snapshot that a broker wrote
//! the state must be that snapshot's, as a set; so must the aborted transactions be those of the
//! transaction indexes.

use crate::corpus;
use kfsck::format::number::{CoordinatorEpoch, Offset, Timestamp};
use kfsck::format::producer_snapshot::ProducerEntry;
use kfsck::format::txn_index::{AbortedTxn, TxnIndex};
use kfsck::state::read::{Item, ReadOptions, SegmentFile, read_segment, segments};
use kfsck::state::replay::{Replay, Visitor, replay};
use kfsck::state::rules::{ALL, Barrier};
use kfsck::state::snapshot::usable_entries;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::Access;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

const OPTIONS: ReadOptions = ReadOptions {
    access: Access::Map,
    check_crc: true,
};

struct Partition {
    name: String,
    directory: PartitionDirectory,
    segments: Vec<SegmentFile>,
}

fn partitions() -> Vec<Partition> {
    let mut folders: Vec<PathBuf> = corpus::files(&corpus::directory())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "log"))
        .filter_map(|path| Some(path.parent()?.to_owned()))
        .collect();
    folders.dedup();
    let found: Vec<_> = folders
        .into_iter()
        .filter_map(|folder| {
            let directory = PartitionDirectory::list(&folder);
            let name = directory.name.as_ref()?.to_string();
            let segments = segments(&directory);
            Some(Partition {
                name,
                directory,
                segments,
            })
        })
        .collect();
    assert!(found.len() > 20);
    found
}

/// The snapshots of a partition that a broker would take.
fn snapshots(partition: &Partition) -> BTreeMap<i64, Vec<ProducerEntry>> {
    let files = partition.directory.files_of(FileKind::ProducerSnapshot);
    files
        .filter(|file| file.name.suffix.is_none())
        .map(|file| {
            let entries = usable_entries(&fs::read(&file.path).unwrap()).unwrap();
            (file.name.base_offset.unwrap().0, entries)
        })
        .collect()
}

fn sorted(entries: impl IntoIterator<Item = ProducerEntry>) -> Vec<ProducerEntry> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by_key(|entry| entry.producer_id);
    entries
}

/// Our entries without those that the broker had let expire: records with times of long ago, whose
/// producers a start does not take over from a snapshot.
fn without_expired(ours: &[ProducerEntry], theirs: &[ProducerEntry]) -> Vec<ProducerEntry> {
    const YEAR_2026: i64 = 1_767_225_600_000;
    let is_theirs = |id| theirs.iter().any(|entry| entry.producer_id == id);
    let mut kept = ours.to_vec();
    kept.retain(|entry| entry.timestamp.0 > YEAR_2026 || is_theirs(entry.producer_id));
    kept
}

/// The last offset of each batch that is left in the log.
fn last_offsets(partition: &Partition) -> BTreeSet<Offset> {
    let mut offsets = BTreeSet::new();
    for segment in &partition.segments {
        let visit = &mut |item: Item<'_>| {
            if let Item::Batch(batch, _) = item {
                offsets.insert(batch.last_offset);
            }
            ControlFlow::Continue(())
        };
        read_segment(segment, OPTIONS, &mut |_| false, visit).unwrap();
    }
    offsets
}

/// A log that holds everything since its first offset: not trimmed, not compacted.
fn is_whole(partition: &Partition) -> bool {
    partition
        .segments
        .first()
        .is_some_and(|first| first.base_offset.0 == 0)
        && !["trimmed", "compact", "__", "left.over"]
            .iter()
            .any(|part| partition.name.starts_with(part))
}

#[test]
fn a_replay_of_the_whole_log_gives_each_snapshot() {
    let (mut compared, mut with_producers) = (0, 0);
    for partition in partitions().iter().filter(|partition| is_whole(partition)) {
        for (offset, entries) in snapshots(partition) {
            let from_start = Replay::<1>::new(partition.name.as_str(), &Barrier, Offset(0));
            let state = from_start.upto(Offset(offset));
            let state = replay(state, &partition.segments, OPTIONS, &mut ()).unwrap();
            // A snapshot that was taken when a crashed broker came back may lie behind what is
            // left of the log.
            if state.next_offset() != Offset(offset) {
                continue;
            }
            let ours = sorted(state.manager().snapshot_entries());
            let place = partition.directory.path.join(offset.to_string());
            let ours = without_expired(&ours, &entries);
            assert_eq!(ours, sorted(entries), "{}", place.display());
            compared += 1;
            with_producers += usize::from(!ours.is_empty());
        }
    }
    assert!(
        compared >= 30 && with_producers >= 15,
        "{compared}, {with_producers}"
    );
}

#[test]
fn a_replay_from_each_snapshot_gives_the_next() {
    let (mut compared, mut entries_compared) = (0, 0);
    for partition in &partitions() {
        let snapshots: Vec<_> = snapshots(partition).into_iter().collect();
        for pair in snapshots.windows(2) {
            let [(from, before), (to, after)] = pair else {
                unreachable!()
            };
            let mut state = Replay::<5>::new(partition.name.as_str(), &Barrier, Offset(0));
            state.start_from_snapshot(before, Offset(*from));
            let state = state.upto(Offset(*to));
            let state = replay(state, &partition.segments, OPTIONS, &mut ()).unwrap();
            if state.next_offset() != Offset(*to) {
                continue;
            }
            let ours = sorted(state.manager().snapshot_entries());
            let place = partition.directory.path.join(to.to_string());
            let mut ours = without_expired(&ours, after);
            let mut theirs = sorted(after.clone());
            if partition.name.starts_with("compact") {
                // A cleaner takes the last batch of a producer that wrote again later, and where
                // it left some records of a batch has computed the largest timestamp anew.
                let there = last_offsets(partition);
                let is_gone = |entry: &&ProducerEntry| {
                    entry.has_batch() && !there.contains(&entry.last_offset)
                };
                let gone = theirs.iter().filter(is_gone).map(|entry| entry.producer_id);
                let gone: Vec<_> = gone.collect();
                // Of a marker it leaves an empty batch, or nothing: whom nothing else tells of is
                // known by the marker alone.
                let marked = theirs.iter().filter(|entry| !entry.has_batch());
                let marked: Vec<_> = marked.map(|entry| entry.producer_id).collect();
                for entries in [&mut ours, &mut theirs] {
                    entries.retain(|entry| {
                        !gone.contains(&entry.producer_id) && !marked.contains(&entry.producer_id)
                    });
                    for entry in entries {
                        entry.timestamp = Timestamp::NONE;
                        entry.coordinator_epoch = CoordinatorEpoch(-1);
                    }
                }
            }
            entries_compared += theirs.len();
            assert_eq!(ours, theirs, "{}", place.display());
            compared += 1;
        }
    }
    assert!(
        compared >= 20 && entries_compared >= 20,
        "{compared}, {entries_compared}"
    );
}

#[derive(Default)]
struct Aborted(BTreeMap<i64, Vec<AbortedTxn>>);

impl Visitor for Aborted {
    fn aborted(&mut self, segment: Offset, txn: &AbortedTxn) {
        self.0.entry(segment.0).or_default().push(*txn);
    }
}

#[test]
fn aborted_transactions_are_those_of_the_transaction_indexes() {
    let mut compared = 0;
    for partition in partitions().iter().filter(|partition| is_whole(partition)) {
        let mut aborted = Aborted::default();
        let state = Replay::<1>::new(partition.name.as_str(), &Barrier, Offset(0));
        replay(state, &partition.segments, OPTIONS, &mut aborted).unwrap();
        let files = partition.directory.files_of(FileKind::TxnIndex);
        for file in files.filter(|file| file.name.suffix.is_none()) {
            let bytes = fs::read(&file.path).unwrap();
            let theirs: Vec<_> = TxnIndex::new(&bytes[..])
                .entries()
                .map(|entry| entry.unwrap().unwrap())
                .collect();
            let base_offset = file.name.base_offset.unwrap().0;
            let mut ours = aborted.0.remove(&base_offset).unwrap_or_default();
            if file
                .path
                .starts_with(corpus::directory().join("crash/unclean"))
            {
                // The kill may come between the marker and its entry.
                ours.truncate(theirs.len());
            }
            assert_eq!(ours, theirs, "{}", file.path.display());
            compared += theirs.len();
        }
        assert!(aborted.0.is_empty(), "{}: {:?}", partition.name, aborted.0);
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn without_a_barrier_all_rule_sets_agree() {
    for partition in &partitions() {
        let states = ALL.map(|rules| {
            let state = Replay::<1>::new(partition.name.as_str(), rules, Offset(0));
            let state = replay(state, &partition.segments, OPTIONS, &mut ()).unwrap();
            (
                sorted(state.manager().snapshot_entries()),
                state.last_stable_offset(),
            )
        });
        // The only type 7 of the corpus lies among control records made for the dump.
        if partition.name != "unknown-types-0" {
            assert!(
                states.iter().all(|state| *state == states[0]),
                "{}",
                partition.name
            );
        }
    }
}
