//! The bodies of the fuzz targets on real files and on random changes of them, so that they run
//! with every `cargo test`, on a stable compiler.
//!
//! A failure prints its seed. What a fuzzer finds is kept below `testdata/found`, by target, and
//! read here ever after.

pub(crate) mod bodies;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Instant, SystemTime};

use kfsck::storage::file_name::FileKind;

use crate::every_byte::inputs;

/// Random inputs for each body in one run.
const ROUNDS: u32 = 4000;
/// No input of these sizes takes longer.
const PATIENCE_SECONDS: u64 = 10;

/// Numbers that a seed repeats (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// A place in `bytes` and a length that ends inside.
    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let length = self.below((bytes.len() - start).min(64) + 1);
        start..start + length
    }
}

/// Changes `bytes` in one of the ways that break parsers.
fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const ODD: [i64; 10] = [0, 1, -1, 2, 127, 128, 255, 65536, i32::MAX as i64, i64::MIN];
    let range = random.range(bytes);
    match random.below(8) {
        0 => bytes.truncate(range.start),
        1 => drop(bytes.drain(range)),
        2 => bytes.extend_from_within(range),
        3 => {
            let piece = other[random.range(other)].to_vec();
            drop(bytes.splice(range, piece));
        }
        4 => bytes[range].fill(0),
        5 | 6 => {
            let odd = ODD[random.below(ODD.len())].wrapping_add(random.below(3) as i64 - 1);
            let odd = odd.to_be_bytes();
            let width = [1, 2, 4, 8][random.below(4)];
            let end = bytes.len().min(range.start + width);
            let count = end - range.start;
            bytes[range.start..end].copy_from_slice(&odd[8 - width..][..count]);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(range.start) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}

/// Runs a body on what was found before, on each of `seeds`, and on random changes of them.
fn run(target: &str, seeds: &[Vec<u8>], body: impl Fn(&[u8])) {
    for found in found(target) {
        body(&found);
    }
    assert!(seeds.len() > 10, "{} seeds", seeds.len());
    seeds.iter().for_each(|seed| body(seed));
    let seed = std::env::var("KFSCK_FUZZ_SEED").map_or_else(
        |_| SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64,
        |text| text.parse().expect("KFSCK_FUZZ_SEED is a number"),
    );
    let mut random = Random(seed);
    for round in 0..ROUNDS {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(6) {
            let other = random.below(seeds.len());
            change(&mut bytes, &seeds[other], &mut random);
        }
        let begin = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| body(&bytes))).is_ok();
        let in_time = begin.elapsed().as_secs() < PATIENCE_SECONDS;
        assert!(
            ended && in_time,
            "round {round} of seed {seed}, {} bytes; again with\n\
             KFSCK_FUZZ_SEED={seed} cargo test --test it fuzz::{target}",
            bytes.len()
        );
    }
}

/// What fuzzers found for a target.
fn found(target: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/found");
    let Ok(entries) = fs::read_dir(path.join(target)) else {
        return Vec::new();
    };
    entries
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

fn logs() -> Vec<Vec<u8>> {
    let logs = inputs(|kind| matches!(kind, FileKind::Log | FileKind::KraftSnapshot));
    logs.into_iter().map(|input| input.bytes).collect()
}

#[test]
fn segment() {
    run("segment", &logs(), |bytes| drop(bodies::segment(bytes)));
}

#[test]
fn small_file() {
    let mut seeds = Vec::new();
    for (choice, kind) in (0..).zip(bodies::COMPANIONS) {
        for input in inputs(|found| found == kind) {
            let mut seed = vec![choice];
            seed.extend(&input.bytes);
            if let FileKind::OffsetIndex | FileKind::TimeIndex = kind {
                // The body takes the second half for the log.
                let log = fs::read(input.path.with_extension("log")).unwrap_or_default();
                seed.extend(&log[..input.bytes.len().min(log.len())]);
            }
            seeds.push(seed);
        }
    }
    run("small_file", &seeds, bodies::small_file);
}

#[test]
fn payload() {
    let mut seeds = Vec::new();
    for log in logs() {
        // The attributes of a batch of magic 2, and those of a message.
        let magic = log.get(16).copied().unwrap_or(2);
        let (attributes, records) = if magic == 2 { (22, 61) } else { (17, 0) };
        let (Some(attributes), Some(records)) = (log.get(attributes), log.get(records..)) else {
            continue;
        };
        let mut seed = vec![attributes & 7 | magic << 3];
        seed.extend(records);
        seeds.push(seed);
    }
    run("payload", &seeds, bodies::payload);
}

#[test]
fn structures() {
    let mut seeds: Vec<_> = inputs(|kind| kind != FileKind::Unknown)
        .into_iter()
        .map(|input| input.bytes)
        .collect();
    // The values of control records, which lie behind the header and the first fields.
    let control: Vec<_> = seeds
        .iter()
        .filter(|bytes| bytes.len() > 80)
        .map(|bytes| bytes[72..].to_vec())
        .collect();
    seeds.extend(control);
    run("structures", &seeds, bodies::structures);
}
