//! `repair pids` with ids that become others.

use std::collections::BTreeMap;
use std::path::Path;

use kfsck::format::number::{Offset, ProducerId};
use kfsck::format::producer_id_mapping::{Mapping, Region};
use kfsck::repair::error::PlanError;
use kfsck::repair::new_ids::{Known, RESERVED};
use kfsck::repair::pids::{Pids, Which, plan};
use kfsck::repair::plan::Plan;
use kfsck::storage::directory::PartitionDirectory;

use super::{carried_out, loaded, partition, producers, refusal, terms};
use crate::repair::{Copied, contents};
use crate::txns::log::Log;

pub(super) const NOBODY: Known<'static> = Known {
    coordinator: None,
    force: false,
};
const FORCE: Known<'static> = Known {
    coordinator: None,
    force: true,
};

pub(super) fn asked(
    which: Which,
    known: Known<'_>,
) -> impl Fn(&PartitionDirectory) -> Result<Plan, PlanError> {
    let pids = Pids::Which(which);
    move |listed| plan(listed, &pids, known, None, &terms())
}

pub(super) fn pairs(given: &[(i64, i64)]) -> Which {
    let pairs = given
        .iter()
        .map(|(old, new)| (ProducerId(*old), ProducerId(*new)));
    Which::Pairs(pairs.collect())
}

fn ids(directory: &Path) -> Vec<i64> {
    let entries = producers(&loaded(directory, false));
    entries.iter().map(|entry| entry.producer_id.0).collect()
}

#[test]
fn there_and_back_gives_the_bytes_of_the_real_broker() {
    for name in ["main/txn-both-0", "main/idem-0", "main/my.topic-3-0"] {
        let copied = Copied::new(name);
        let old = ids(&copied.path);
        assert!(!old.is_empty(), "{name}");
        let there: Vec<_> = old
            .iter()
            .zip(RESERVED.0..)
            .map(|(old, new)| (*old, new))
            .collect();
        let back: Vec<_> = there.iter().map(|(old, new)| (*new, *old)).collect();
        let (made, result) = carried_out(&copied.path, &asked(pairs(&there), NOBODY));
        let mut new: Vec<_> = there.iter().map(|(_, new)| *new).collect();
        new.sort_unstable();
        assert_eq!(ids(&result), new);
        assert!(made.lost.is_empty() && made.kept.records > 0);
        let (_, again) = carried_out(&result, &asked(pairs(&back), FORCE));
        let files = [&copied.path, &again].map(|path| contents(path));
        assert_eq!(
            files[0].keys().collect::<Vec<_>>(),
            files[1].keys().collect::<Vec<_>>()
        );
        for (name, bytes) in &files[0] {
            assert!(files[1][name] == *bytes, "{name}");
        }
    }
}

#[test]
fn transaction_index_and_snapshot_go_along() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default()
        .data(5, 0)
        .abort(5, 0)
        .data(6, 1)
        .abort(6, 1)
        .data(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let (made, result) = carried_out(&directory, &asked(pairs(&[(5, 1 << 62)]), NOBODY));
    let after = loaded(&result, false);
    let aborted: Vec<_> = after.segments[0]
        .aborted
        .iter()
        .map(|txn| (txn.producer_id.0, txn.first_offset.0, txn.last_offset.0))
        .collect();
    assert_eq!(aborted, [(1 << 62, 0, 1), (6, 2, 3)]);
    let open: Vec<_> = after
        .manager
        .ongoing()
        .map(|open| open.producer_id.0)
        .collect();
    assert_eq!(open, [1 << 62]);
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.contains("is open from offset 4"))
    );
    assert_eq!(made.steps.len(), 3, "{:#?}", made.steps);
}

#[test]
fn an_id_that_is_not_there_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let made = asked(pairs(&[(9, 1 << 62)]), NOBODY)(&listed).unwrap();
    assert!(made.is_empty());
    assert!(made.warnings[0].contains("producer 9: no batch"));
    let told = refusal(asked(pairs(&[(9, -7)]), NOBODY)(&listed));
    assert!(told.contains("below 0"), "{told}");
}

/// Producers 5 and 6 of a source, one with an aborted transaction.
fn of_a_source() -> Log {
    Log::default()
        .data(5, 0)
        .abort(5, 0)
        .data(6, 1)
        .commit(6, 1)
}

#[test]
fn mapped_ids_lose_their_state_and_get_it_back() {
    let region = Region(42);
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&of_a_source()]);
    let map = Which::Map(Mapping::BitField(region));
    let (made, mapped) = carried_out(&directory, &asked(map, NOBODY));
    assert!(ids(&mapped).is_empty(), "no state below 0");
    assert!(loaded(&mapped, false).segments[0].aborted.is_empty());
    assert!(!mapped.join("00000000000000000000.txnindex").exists());
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.contains("below 0"))
    );
    for only in [None, Some(region)] {
        let elsewhere = mapped.parent().unwrap().join(format!("{only:?}"));
        std::fs::create_dir(&elsewhere).unwrap();
        let copy = elsewhere.join("orders-0");
        crate::program::copy_tree(&mapped, &copy);
        let (_, back) = carried_out(&copy, &asked(Which::UnmapBitField(only), NOBODY));
        assert_eq!(contents(&back), contents(&directory));
    }
    let listed = PartitionDirectory::list(&mapped);
    let other = asked(Which::UnmapBitField(Some(Region(43))), NOBODY)(&listed).unwrap();
    assert!(other.is_empty());
}

#[test]
fn negated_ids_become_what_they_were() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default()
        .data(-7, 0)
        .abort(-7, 0)
        .data(-8, 1)
        .commit(-8, 1);
    let directory = partition(place.path(), "orders-0", &[&log]);
    assert!(ids(&directory).is_empty());
    let (_, result) = carried_out(&directory, &asked(Which::UnmapNegated, NOBODY));
    assert_eq!(ids(&result), [5, 6]);
    let plain = partition(place.path(), "plain-0", &[&of_a_source()]);
    let name = "00000000000000000000.log";
    assert_eq!(contents(&result)[name], contents(&plain)[name]);
    assert_eq!(loaded(&result, false).segments[0].aborted.len(), 1);
}

#[test]
fn of_a_log_that_lost_its_beginning_the_old_files_are_believed() {
    // Segment by segment: the transaction begins in front of what is left.
    let copied = Copied::new("main/txn-both-0");
    let first = copied.logs()[0].clone();
    let before = loaded(&copied.path, false);
    for name in contents(&copied.path).into_keys() {
        if name.starts_with(first.file_stem().unwrap().to_str().unwrap()) {
            std::fs::remove_file(copied.path.join(name)).unwrap();
        }
    }
    let old = ids(&copied.path);
    let there: Vec<_> = old
        .iter()
        .zip(RESERVED.0..)
        .map(|(old, new)| (*old, new))
        .collect();
    let by_old: BTreeMap<i64, i64> = there.iter().copied().collect();
    let (_, result) = super::applied(&copied.path, &asked(pairs(&there), NOBODY));
    let after = loaded(&result, false);
    let expected: Vec<_> = before.segments[1..]
        .iter()
        .flat_map(|segment| &segment.aborted)
        .map(|txn| {
            (
                by_old.get(&txn.producer_id.0).copied(),
                txn.first_offset,
                txn.last_offset,
            )
        })
        .collect();
    let found: Vec<_> = after
        .segments
        .iter()
        .flat_map(|segment| &segment.aborted)
        .map(|txn| (Some(txn.producer_id.0), txn.first_offset, txn.last_offset))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(ids(&result).len(), old.len());
    assert!(after.log_start_offset > Offset(0));
}
