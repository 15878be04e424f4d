//! `repair snapshot`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use kfsck::format::number::{Offset, ProducerId};
use kfsck::format::producer_snapshot::{self, ProducerEntry, Version};
use kfsck::repair::snapshot::{self, Changes};
use kfsck::repair::snapshot_rebuild;
use kfsck::repair::terms::Terms;
use kfsck::state::rules::Barrier;
use kfsck::storage::directory::PartitionDirectory;

use super::{applied, carried_out, loaded, partition, producers, refusal, terms};
use crate::repair::{Copied, contents};
use crate::txns::log::Log;

fn entries(path: &Path) -> (Version, Vec<ProducerEntry>) {
    let snapshot = producer_snapshot::decode(&fs::read(path).unwrap()).unwrap();
    assert!(snapshot.faults.is_empty() && snapshot.is_sealed());
    let mut entries = snapshot.entries;
    entries.sort_by_key(|entry| entry.producer_id);
    (snapshot.version, entries)
}

fn ids(path: &Path) -> Vec<i64> {
    let (_, entries) = entries(path);
    entries.iter().map(|entry| entry.producer_id.0).collect()
}

/// The paths of a partition's snapshots, rising.
fn snapshots(directory: &Path) -> Vec<std::path::PathBuf> {
    let names = contents(directory).into_keys();
    let own = names.filter(|name| name.ends_with(".snapshot"));
    own.map(|name| directory.join(name)).collect()
}

/// Partitions of real brokers whose whole log is there.
const REAL: [&str; 3] = ["main/txn-both-0", "main/idem-0", "main/idem-1"];

#[test]
fn of_a_healthy_partition_there_is_nothing_to_rebuild() {
    for name in REAL {
        let copied = Copied::new(name);
        let listed = PartitionDirectory::list(&copied.path);
        let made = snapshot_rebuild::plan(&listed, None, &terms()).unwrap();
        assert!(made.is_empty(), "{name}: {:#?}", made.steps);
    }
}

#[test]
fn what_a_real_broker_wrote_comes_back_from_the_log() {
    for name in REAL {
        let copied = Copied::new(name);
        let real: Vec<_> = snapshots(&copied.path)
            .iter()
            .map(|path| entries(path))
            .collect();
        assert!(!real.is_empty());
        // One misleads, and one cannot be read.
        for (place, path) in snapshots(&copied.path).iter().enumerate() {
            let bytes = match place % 2 {
                0 => producer_snapshot::encode(Version::V1, &[]).unwrap(),
                _ => vec![0, 1, 2],
            };
            fs::write(path, bytes).unwrap();
        }
        let ask = |listed: &PartitionDirectory| snapshot_rebuild::plan(listed, None, &terms());
        let (_, result) = carried_out(&copied.path, &ask);
        let rebuilt: Vec<_> = snapshots(&result)
            .iter()
            .map(|path| entries(path))
            .collect();
        assert_eq!(rebuilt, real, "{name}");
    }
}

#[test]
fn the_one_that_is_asked_for_is_there_and_strays_go() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let end = directory.join("00000000000000000002.snapshot");
    let true_bytes = fs::read(&end).unwrap();
    fs::remove_file(&end).unwrap();
    let stray = directory.join("00000000000000000001.snapshot");
    fs::write(&stray, &true_bytes).unwrap();
    let ask = |at: Option<i64>| {
        move |listed: &PartitionDirectory| snapshot_rebuild::plan(listed, at.map(Offset), &terms())
    };
    let (_, result) = carried_out(&directory, &ask(None));
    let names: Vec<_> = snapshots(&result);
    assert_eq!(names, [result.join("00000000000000000002.snapshot")]);
    assert_eq!(fs::read(&names[0]).unwrap(), true_bytes);
    let told = refusal(ask(Some(1))(&PartitionDirectory::list(&directory)));
    assert!(
        told.contains("segments begin and at the log's end, 2"),
        "{told}"
    );
    assert!(
        ask(Some(2))(&PartitionDirectory::list(&result))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn rules_decide_what_a_barrier_means() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default()
        .data(5, 0)
        .commit(5, 0)
        .barrier()
        .data(6, 0)
        .commit(6, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let by = |terms: Terms| {
        let listed = PartitionDirectory::list(&directory);
        snapshot_rebuild::plan(&listed, None, &terms).unwrap()
    };
    assert!(by(terms()).is_empty(), "a stock broker wrote it");
    let obeyed = Terms {
        rules: &Barrier,
        ..terms()
    };
    let made = by(obeyed);
    let kfsck::repair::content::Content::Bytes(bytes) =
        &made.file("00000000000000000005.snapshot").unwrap().content
    else {
        panic!("{made:#?}");
    };
    let entries = producer_snapshot::decode(bytes).unwrap().entries;
    let ids: Vec<_> = entries.iter().map(|entry| entry.producer_id.0).collect();
    assert_eq!(ids, [6]);
}

#[test]
fn producers_whose_batches_retention_took_are_believed() {
    let copied = Copied::new("main/txn-both-0");
    let first = copied.logs()[0].clone();
    let before = producers(&loaded(&copied.path, false));
    for name in contents(&copied.path).into_keys() {
        if name.starts_with(first.file_stem().unwrap().to_str().unwrap()) {
            fs::remove_file(copied.path.join(name)).unwrap();
        }
    }
    let listed = PartitionDirectory::list(&copied.path);
    let base = kfsck::state::read::segments(&listed)[0].base_offset;
    let gone: Vec<_> = before
        .iter()
        .filter(|entry| entry.last_offset < base)
        .collect();
    // Something else is wrong.
    let last = snapshots(&copied.path).pop().unwrap();
    let (_, mut entries) = entries(&last);
    entries.retain(|entry| entry.last_offset < base);
    fs::write(
        &last,
        producer_snapshot::encode(Version::V1, &entries).unwrap(),
    )
    .unwrap();
    let ask = |listed: &PartitionDirectory| snapshot_rebuild::plan(listed, None, &terms());
    let (made, result) = applied(&copied.path, &ask);
    let after = producers(&loaded(&result, false));
    for entry in &gone {
        assert!(after.contains(entry), "{entry:?}");
    }
    let told = made
        .warnings
        .iter()
        .any(|warning| warning.contains("snapshot alone"));
    assert_eq!(told, !gone.is_empty());
    assert!(after.len() > gone.len());
}

fn two_producers(place: &Path) -> std::path::PathBuf {
    let log = Log::default()
        .data(5, 0)
        .commit(5, 0)
        .data(6, 0)
        .commit(6, 0);
    partition(place, "orders-0", &[&log])
}

fn changed(directory: &Path, changes: &Changes) -> (kfsck::repair::plan::Plan, std::path::PathBuf) {
    applied(directory, &|listed| {
        snapshot::plan(listed, changes, &terms())
    })
}

#[test]
fn a_producer_is_dropped_but_not_with_an_open_transaction() {
    let place = tempfile::tempdir().unwrap();
    let directory = two_producers(place.path());
    let drop = |id| Changes {
        dropped: BTreeSet::from([ProducerId(id)]),
        ..Changes::default()
    };
    let (made, result) = changed(&directory, &drop(5));
    assert_eq!(ids(&snapshots(&result)[0]), [6]);
    assert!(made.warnings[0].contains("the log still has"));
    let after = producers(&loaded(&result, false));
    assert_eq!(after.len(), 1);
    let listed = PartitionDirectory::list(&directory);
    let nobody = snapshot::plan(&listed, &drop(7), &terms()).unwrap();
    assert!(nobody.is_empty() && nobody.warnings[0].contains("no snapshot has producer 7"));
    let open = Log::default().data(5, 0);
    let directory = partition(place.path(), "orders-1", &[&open]);
    let listed = PartitionDirectory::list(&directory);
    let told = refusal(snapshot::plan(&listed, &drop(5), &terms()));
    assert!(told.contains("transaction open from offset 0"), "{told}");
}

#[test]
fn a_snapshot_in_which_the_transaction_is_open_keeps_its_producer() {
    let place = tempfile::tempdir().unwrap();
    let open = partition(place.path(), "orders-1", &[&Log::default().data(5, 0)]);
    let log = Log::default().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let name = |offset: i64| format!("{offset:020}.snapshot");
    fs::copy(open.join(name(1)), directory.join(name(1))).unwrap();
    let listed = PartitionDirectory::list(&directory);
    let changes = [
        Changes {
            dropped: BTreeSet::from([ProducerId(5)]),
            ..Changes::default()
        },
        Changes {
            remapped: BTreeMap::from([(ProducerId(5), ProducerId(1 << 62))]),
            ..Changes::default()
        },
    ];
    for changes in changes {
        let made = snapshot::plan(&listed, &changes, &terms()).unwrap();
        let files: Vec<_> = made.steps.iter().map(|step| &step.file).collect();
        assert_eq!(files, [&name(2)]);
        assert!(made.warnings[0].contains("keeps producer 5"));
        let listed = PartitionDirectory::list(&open);
        let told = refusal(snapshot::plan(&listed, &changes, &terms()));
        assert!(told.contains("transaction open from offset 0"), "{told}");
    }
}

#[test]
fn a_producer_gets_another_id_that_is_free() {
    let place = tempfile::tempdir().unwrap();
    let directory = two_producers(place.path());
    let remap = |old, new| Changes {
        remapped: BTreeMap::from([(ProducerId(old), ProducerId(new))]),
        ..Changes::default()
    };
    let (_, result) = changed(&directory, &remap(5, 1 << 62));
    assert_eq!(ids(&snapshots(&result)[0]), [6, 1 << 62]);
    let listed = PartitionDirectory::list(&directory);
    for (new, why) in [(6, "in use"), (-7, "below 0"), (7, "controller gives")] {
        let told = refusal(snapshot::plan(&listed, &remap(5, new), &terms()));
        assert!(told.contains(why), "{told}");
    }
    let forced = Changes {
        force: true,
        ..remap(5, 7)
    };
    assert!(
        !snapshot::plan(&listed, &forced, &terms())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn version_2_and_back_gives_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let directory = two_producers(place.path());
    let path = snapshots(&directory)[0].clone();
    let to = |version| Changes {
        version: Some(version),
        ..Changes::default()
    };
    let tagged = Changes {
        sources: BTreeMap::from([(ProducerId(5), b"a cluster".to_vec())]),
        ..to(Version::V2)
    };
    let (made, result) = changed(&directory, &tagged);
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.contains("deletes a snapshot"))
    );
    let second = snapshots(&result)[0].clone();
    let (version, found) = entries(&second);
    assert_eq!(version, Version::V2);
    let sources: Vec<_> = found
        .iter()
        .map(|entry| entry.source_cluster_id.clone())
        .collect();
    assert_eq!(sources, [Some(b"a cluster".to_vec()), None]);
    let (_, back) = changed(&result, &to(Version::V1));
    assert_eq!(
        fs::read(&snapshots(&back)[0]).unwrap(),
        fs::read(&path).unwrap()
    );
    // Version 1 has no place for a source.
    let untagged = Changes {
        version: None,
        ..tagged
    };
    let listed = PartitionDirectory::list(&directory);
    let told = refusal(snapshot::plan(&listed, &untagged, &terms()));
    assert!(told.contains("--to-version 2"), "{told}");
}

#[test]
fn what_cannot_be_read_stays() {
    let place = tempfile::tempdir().unwrap();
    let directory = two_producers(place.path());
    fs::write(directory.join("00000000000000000001.snapshot"), [9; 30]).unwrap();
    let listed = PartitionDirectory::list(&directory);
    let changes = Changes {
        dropped: BTreeSet::from([ProducerId(5)]),
        ..Changes::default()
    };
    let made = snapshot::plan(&listed, &changes, &terms()).unwrap();
    assert!(made.warnings[0].contains("cannot be read"), "{made:#?}");
    assert_eq!(made.steps.len(), 1);
}
