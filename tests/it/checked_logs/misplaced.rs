//! A base offset of which one bit has flipped, in logs of a real broker: one finding, and none of
//! what follows from it.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::check::everything::{Around, partition};
use kfsck::analysis::check::known_cluster::KnownCluster;
use kfsck::analysis::check::terms::{Depth, Terms};
use kfsck::format::number::Timestamp;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::PartitionDirectory;

use super::terms;
use crate::program::{copy_tree, testdata};

/// Code, computed value and the whole of each finding, sorted.
fn found(directory: &Path, depth: Depth) -> Vec<String> {
    let listed = PartitionDirectory::list(directory);
    let terms = Terms {
        now: Timestamp(1_796_083_200_000),
        ..terms(depth)
    };
    let checkpoints = Checkpoints::read(directory.parent().unwrap(), terms.access);
    let mut told = Vec::new();
    let around = Around {
        checkpoints: &checkpoints,
        cluster: &KnownCluster::default(),
        cluster_id: None,
        copies: None,
    };
    partition(&listed, &around, &terms, &mut (), &mut |finding| {
        let first = finding.evidence.first();
        let computed = first.and_then(|one| one.computed.clone());
        let computed = computed.unwrap_or_default();
        told.push(format!("{} {computed}", finding.code));
    });
    told.sort();
    told
}

/// Where each batch begins, and its base offset.
fn batches(log: &[u8]) -> Vec<(usize, i64)> {
    let (mut at, mut found) = (0, Vec::new());
    while at < log.len() {
        let offset = i64::from_be_bytes(log[at..at + 8].try_into().unwrap());
        let length = i32::from_be_bytes(log[at + 8..at + 12].try_into().unwrap());
        found.push((at, offset));
        at += 12 + usize::try_from(length).unwrap();
    }
    found
}

/// Between two batches, behind a segment's name, in front of the next segment, and in front of
/// where a snapshot says that the log ended.
#[test]
fn a_flipped_bit_of_a_base_offset_is_one_finding() {
    let mut flips = 0;
    for name in ["idem-0", "txn-both-0"] {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join(name);
        copy_tree(&testdata("main").join(name), &directory);
        let sound = found(&directory, Depth::Records);
        for path in segments(&directory) {
            let log = fs::read(&path).unwrap();
            for (at, offset) in batches(&log) {
                for bit in [0, 1, 7, 20, 30, 31, 32, 40, 62, 63] {
                    let mut flipped = log.clone();
                    flipped[at + 7 - bit / 8] ^= 1 << (bit % 8);
                    fs::write(&path, &flipped).unwrap();
                    let depth = match flips % 2 {
                        0 => Depth::Records,
                        _ => Depth::Crc,
                    };
                    let mut told = found(&directory, depth);
                    let own = format!("offset-regression {offset}");
                    let at = told.iter().position(|one| *one == own);
                    told.remove(at.unwrap_or_else(|| panic!("{name} {offset} {bit}: {told:?}")));
                    assert_eq!(told, sound, "{name} {offset} {bit}");
                    flips += 1;
                }
            }
            fs::write(&path, &log).unwrap();
        }
    }
    assert!(flips > 700, "{flips}");
}

fn segments(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "log");
    paths.filter(is_log).collect()
}
