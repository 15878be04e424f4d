//! What a running broker said of the producers of each partition (`Admin.describeProducers`), right
//! before it stopped, against a load of what it left.

use std::collections::BTreeMap;
use std::fs;

use kfsck::format::number::Offset;
use kfsck::state::load::{LoadOptions, load};
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;

use crate::corpus::{self, Scratch};

/// Id, epoch, last sequence, last timestamp, coordinator epoch, first offset of the open
/// transaction.
type Described = [i64; 6];

/// By the partition's path. Corpora that were made before there was such a file have none.
fn described() -> BTreeMap<String, Vec<Described>> {
    let mut found: BTreeMap<String, Vec<Described>> = BTreeMap::new();
    let path = corpus::directory().join("producers.tsv");
    if !path.exists() && std::env::var_os("KFSCK_CORPUS").is_none() {
        return found;
    }
    let rows = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    for row in rows.lines() {
        let (path, numbers) = row.split_once('\t').unwrap();
        let numbers: Vec<i64> = numbers
            .split('\t')
            .map(|one| one.parse().unwrap())
            .collect();
        let producers = found.entry(path.to_owned()).or_default();
        producers.push(numbers.try_into().unwrap());
    }
    assert!(found.len() > 5);
    found
}

fn is_expired(producer: &Described, now: i64) -> bool {
    producer[5] == -1 && producer[3] < now - 86_400_000
}

#[test]
fn a_load_gives_the_producers_that_the_broker_described() {
    let described = described();
    if described.is_empty() {
        return;
    }
    // The broker's own records bear its time, those of the clients any.
    let now = described.values().flatten().map(|one| one[3]).max();
    let now = now.unwrap();
    let scratch = Scratch::new();
    for (path, mut theirs) in described {
        let directory = PartitionDirectory::list(&scratch.path.join(&path));
        let options = LoadOptions {
            recovery_point: Offset(i64::MAX),
            ..LoadOptions::new(&Stock)
        };
        let name = path.rsplit('/').next().unwrap();
        let loaded = load::<1>(&directory, name, &options).unwrap().log.unwrap();
        let entries = loaded.manager.producers().iter();
        let mut ours: Vec<Described> = entries
            .map(|entry| {
                [
                    entry.producer_id.0,
                    entry.producer_epoch.0.into(),
                    entry.last_sequence().0.into(),
                    entry.last_timestamp.0,
                    entry.coordinator_epoch.0.into(),
                    entry.current_txn_first_offset.map_or(-1, |first| first.0),
                ]
            })
            .collect();
        // A producer that was silent for a day was dropped when the broker started, and stays in
        // the snapshot as long as nothing is written.
        ours.retain(|one| theirs.contains(one) || !is_expired(one, now));
        theirs.sort_unstable();
        ours.sort_unstable();
        assert_eq!(ours, theirs, "{path}");
    }
}
