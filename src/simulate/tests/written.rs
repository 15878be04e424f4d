//! What is written reads back as what was simulated, through the code that reads real logs.

use crate::format::number::Offset;
use crate::format::producer_snapshot::ProducerEntry;
use crate::simulate::builtin;
use crate::simulate::replica::Replica;
use crate::simulate::run::{How, Run, run};
use crate::simulate::strategy;
use crate::simulate::write_logs::write_logs;
use crate::state::entry::BATCHES_OF_A_BROKER;
use crate::state::load::{LoadOptions, load};
use crate::state::rules;
use crate::storage::directory::PartitionDirectory;
use crate::storage::segment::walk::{Piece, Walk};
use crate::storage::source::{Access, Source};
use std::fs;
use std::path::{Path, PathBuf};

/// Every replica of a run with the directory of each of its partitions.
fn replicas<'r>(run: &'r Run, written: &[PathBuf]) -> Vec<(&'r str, &'r Replica, PathBuf)> {
    let mut places = written.iter();
    let mut found = Vec::new();
    for cluster in run.world.clusters() {
        for number in 0..cluster.replicas {
            let place = places.next().unwrap();
            for (name, partition) in &cluster.partitions {
                found.push((name.as_str(), &partition.replicas[number], place.join(name)));
            }
        }
    }
    found
}

fn loaded(run: &Run, name: &str, directory: &Path, clean: bool) -> (Vec<ProducerEntry>, Offset) {
    let options = LoadOptions {
        access: Access::Plain,
        clean_shutdown: clean,
        now: Some(run.world.now()),
        ..LoadOptions::new(run.rules())
    };
    let listed = PartitionDirectory::list(directory);
    let log = load::<BATCHES_OF_A_BROKER>(&listed, name, &options)
        .unwrap()
        .log
        .unwrap();
    let mut entries: Vec<_> = log.manager.snapshot_entries().collect();
    entries.sort_by_key(|entry| entry.producer_id);
    (entries, log.log_end_offset)
}

fn without_tags(mut entries: Vec<ProducerEntry>) -> Vec<ProducerEntry> {
    for entry in &mut entries {
        entry.source_cluster_id = None;
    }
    entries
}

/// Batches and damage of every segment in a directory.
fn count_batches(directory: &Path) -> usize {
    let mut batches = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let source = Source::open(&path, Access::Plain).unwrap();
            let mut walk = Walk::new(&source);
            while let Some(piece) = walk.next_piece().unwrap() {
                assert!(
                    matches!(piece, Piece::Batch(_)),
                    "{}: {piece:?}",
                    path.display()
                );
                batches += 1;
            }
        }
    }
    batches
}

#[test]
fn every_replica_loads_with_the_state_that_it_had() {
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        for strategy in strategy::ALL {
            for rules in [&rules::Stock, strategy.own_rules()] {
                let how = How {
                    strategy,
                    rules,
                    seed: 1,
                    is_traced: false,
                };
                let run = run(&scenario, how).unwrap();
                let place = tempfile::tempdir().unwrap();
                let written = write_logs(&run, place.path()).unwrap();
                for (partition, replica, directory) in replicas(&run, &written) {
                    let context = format!("{name} {} {}", strategy.name(), directory.display());
                    let (entries, end) = loaded(&run, partition, &directory, true);
                    assert_eq!(end, replica.end(), "{context}");
                    let had = without_tags(replica.snapshot_entries());
                    assert_eq!(entries, had, "{context}");
                    assert_eq!(count_batches(&directory), replica.log().len(), "{context}");
                }
            }
        }
    }
}

#[test]
fn nothing_is_written_over() {
    let scenario = builtin::by_name("chain").unwrap().unwrap();
    let how = How {
        strategy: strategy::by_name("barrier").unwrap(),
        rules: rules::by_name("barrier").unwrap(),
        seed: 1,
        is_traced: false,
    };
    let run = run(&scenario, how).unwrap();
    let place = tempfile::tempdir().unwrap();
    let written = write_logs(&run, place.path()).unwrap();
    assert!(written[0].ends_with("chain/barrier/A"));
    assert!(written[1].ends_with("chain/barrier/B/0"));
    assert!(write_logs(&run, place.path()).is_err());
}
