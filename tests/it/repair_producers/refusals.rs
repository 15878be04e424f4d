//! What is not done to producers, and why.

use std::collections::BTreeMap;
use std::fs;

use kfsck::analysis::transaction_coordinator::{StatePartition, TransactionCoordinator};
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{Offset, Timestamp};
use kfsck::format::producer_id_mapping::{Mapping, Region};
use kfsck::repair::barrier::{self, Barrier};
use kfsck::repair::new_ids::{self, Known};
use kfsck::repair::pids::{Pids, Which, plan};
use kfsck::repair::snapshot_rebuild;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Source;

use super::pids::{NOBODY, asked, pairs};
use super::{partition, refusal, terms};
use crate::txns::log::{Log, state_partition};

fn five_and_six() -> Log {
    Log::default()
        .data(5, 0)
        .commit(5, 0)
        .data(6, 0)
        .commit(6, 0)
}

#[test]
fn new_ids_must_be_free() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&five_and_six()]);
    let listed = PartitionDirectory::list(&directory);
    for (new, why) in [
        (-7, "below 0"),
        (6, "in use in this partition"),
        (7, "in blocks of 1000"),
        (1_000_006, "in blocks of 1000"),
    ] {
        let told = refusal(asked(pairs(&[(5, new)]), NOBODY)(&listed));
        assert!(told.contains(why), "{new}: {told}");
    }
    for free in [1_000_007, 1 << 62] {
        assert!(
            !asked(pairs(&[(5, free)]), NOBODY)(&listed)
                .unwrap()
                .is_empty()
        );
    }
    let force = Known {
        force: true,
        ..NOBODY
    };
    assert!(!asked(pairs(&[(5, 7)]), force)(&listed).unwrap().is_empty());
    let told = refusal(asked(pairs(&[(5, 6)]), force)(&listed));
    assert!(told.contains("in use"), "{told}");
}

#[test]
fn an_id_that_a_coordinator_knows_is_somebodys() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&five_and_six()]);
    let listed = PartitionDirectory::list(&directory);
    let mut state = StatePartition::default();
    let bytes = state_partition("mine", 1 << 62, 4, &["orders"]);
    state
        .read_segment(&Source::from_bytes("00000000000000000000.log", bytes))
        .unwrap();
    let coordinator = TransactionCoordinator::new(BTreeMap::from([(0, state)]), None);
    let known = Known {
        coordinator: Some(&coordinator),
        force: true,
    };
    let told = refusal(asked(pairs(&[(5, 1 << 62)]), known)(&listed));
    assert!(told.contains("transactional id \"mine\""), "{told}");
    assert!(
        !asked(pairs(&[(5, (1 << 62) + 1)]), known)(&listed)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn pairs_must_make_sense() {
    let id = |id| kfsck::format::number::ProducerId(id);
    let told = |given: &[(i64, i64)]| {
        let given: Vec<_> = given
            .iter()
            .map(|(old, new)| (id(*old), id(*new)))
            .collect();
        new_ids::pairs(&given)
    };
    for wrong in [
        &[(5, 9), (5, 10)][..],
        &[(5, 9), (6, 9)],
        &[(5, 5)],
        &[(-1, 9)],
    ] {
        told(wrong).unwrap_err();
    }
    assert_eq!(told(&[(5, 9), (-7, 10)]).unwrap().len(), 2);
}

#[test]
fn mappings_must_not_make_one_producer_of_two() {
    let place = tempfile::tempdir().unwrap();
    // The negation of 5 beside 5.
    let log = Log::default()
        .data(5, 0)
        .commit(5, 0)
        .data(-7, 0)
        .commit(-7, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let told = refusal(asked(Which::UnmapNegated, NOBODY)(&listed));
    assert!(told.contains("becomes 5, which is in use"), "{told}");
    // 2^31 + 5 keeps the low 31 bits of 5.
    let log = Log::default().data(5, 0).data((1 << 31) + 5, 0);
    let directory = partition(place.path(), "orders-1", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let map = Which::Map(Mapping::BitField(Region(42)));
    let told = refusal(asked(map, NOBODY)(&listed));
    assert!(told.contains("both become"), "{told}");
    let log = Log::default().data(i64::from(i32::MAX), 0);
    let directory = partition(place.path(), "orders-2", &[&log]);
    let listed = PartitionDirectory::list(&directory);
    let map = Which::Map(Mapping::BitField(Region(u32::MAX)));
    let told = refusal(asked(map, NOBODY)(&listed));
    assert!(told.contains("no producer"), "{told}");
}

fn bare() -> Barrier {
    Barrier {
        value: MirrorPidReset::Bare { version: 0 },
        timestamp: Timestamp(0),
    }
}

#[test]
fn internal_topics_stay_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    for name in [
        "__consumer_offsets-0",
        "__transaction_state-0",
        "__cluster_metadata-0",
    ] {
        let directory = partition(place.path(), name, &[&five_and_six()]);
        let listed = PartitionDirectory::list(&directory);
        let told = refusal(asked(pairs(&[(5, 1 << 62)]), NOBODY)(&listed));
        assert!(told.contains("is an internal topic"), "{told}");
        let told = refusal(barrier::plan(&listed, &bare(), &terms()));
        assert!(told.contains("is an internal topic"), "{told}");
    }
}

#[test]
fn tiered_topics_need_force() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&five_and_six()]);
    // As local retention leaves it.
    let log = directory.join("00000000000000000000.log");
    fs::rename(log, directory.join("00000000000000000000.log.deleted")).unwrap();
    let log = Log::at(40).data(5, 0).commit(5, 0);
    log.write(&directory, 40);
    let listed = PartitionDirectory::list(&directory);
    let ask = |force, start: Option<i64>| {
        let known = Known { force, ..NOBODY };
        let pids = Pids::Which(pairs(&[(5, 1 << 62)]));
        plan(&listed, &pids, known, start.map(Offset), &terms())
    };
    let told = refusal(ask(false, Some(10)));
    assert!(told.contains("remote storage"), "{told}");
    for (force, start) in [(true, Some(10)), (false, None), (false, Some(40))] {
        let made = ask(force, start).unwrap();
        assert!(!made.is_empty());
        assert!(
            !made
                .warnings
                .iter()
                .any(|warning| warning.contains("remote"))
        );
    }
    fs::create_dir(place.path().join("remote-log-index-cache")).unwrap();
    let made = ask(false, None).unwrap();
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.contains("remote-log-index-cache"))
    );
}

#[test]
fn a_log_that_is_not_sound_is_repaired_first() {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[&five_and_six()]);
    let path = directory.join("00000000000000000000.log");
    let mut bytes = fs::read(&path).unwrap();
    bytes[80] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let listed = PartitionDirectory::list(&directory);
    let told = [
        refusal(asked(pairs(&[(5, 1 << 62)]), NOBODY)(&listed)),
        refusal(barrier::plan(&listed, &bare(), &terms())),
        refusal(snapshot_rebuild::plan(&listed, None, &terms())),
    ];
    for told in told {
        assert!(told.contains("`kfsck repair log` first"), "{told}");
    }
}
