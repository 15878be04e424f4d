//! Each truncation and each bit flip of a small log.

use super::{DEPTHS, SEGMENT, batch, check, of, records, terms};
use kfsck::analysis::check::terms::Depth;
use std::fs;

/// Where the fields of the header lie that no checksum covers; the length is told by the walk.
const BASE_OFFSET: std::ops::Range<usize> = 0..8;
const LEADER_EPOCH: std::ops::Range<usize> = 12..16;

fn log() -> Vec<Vec<u8>> {
    vec![
        batch(0, of(5, 0, 0)),
        records(1, 3, of(5, 0, 1)),
        batch(4, |_| ()),
        batch(5, of(5, 0, 4)),
    ]
}

#[test]
fn no_truncation_loses_a_byte() {
    let log = log().concat();
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    fs::create_dir(&directory).unwrap();
    let mut ends = vec![0];
    for one in self::log() {
        ends.push(ends.last().unwrap() + one.len());
    }
    for length in 0..log.len() {
        fs::write(directory.join(SEGMENT), &log[..length]).unwrap();
        for depth in DEPTHS {
            let (tally, findings) = check(&directory, &terms(depth));
            assert_eq!(tally.bytes_present, length as u64);
            assert_eq!(
                findings.is_empty(),
                ends.contains(&length),
                "{length} bytes, {depth:?}"
            );
        }
    }
}

#[test]
fn every_flip_is_found_unless_nothing_can_tell() {
    let log = log();
    let bytes = log.concat();
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    fs::create_dir(&directory).unwrap();
    let mut silent = Vec::new();
    let mut at = 0;
    for (number, one) in log.iter().enumerate() {
        for bit in 0..one.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at + bit / 8] ^= 1 << (bit % 8);
            fs::write(directory.join(SEGMENT), &flipped).unwrap();
            let (_, findings) = check(&directory, &terms(Depth::Records));
            if findings.is_empty() {
                silent.push((number, bit / 8, bit % 8));
            }
        }
        at += one.len();
    }
    // Of the last batch no neighbour behind tells: an offset that is higher, but fits into the
    // segment, and an epoch that is higher. Of the first none in front does: an epoch that is
    // lower. That is for the companions, which have offsets in an index and epochs in a checkpoint.
    for (number, byte, bit) in &silent {
        let is_untold = match number {
            0 => LEADER_EPOCH.contains(byte),
            3 => BASE_OFFSET.contains(byte) || LEADER_EPOCH.contains(byte),
            _ => false,
        };
        assert!(is_untold, "batch {number}, byte {byte}, bit {bit}");
    }
    assert!(silent.len() < 70, "{}", silent.len());
}
