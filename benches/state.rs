//! Replay of producer state: one-record batches of idempotent producers, and of transactions.
//!
//! `cargo bench --bench state` prints batches a second; `benches/compare/producers` times the same
//! shapes, written by Kafka's own classes, beside the real log load.

#![allow(
    missing_docs,
    clippy::allow_attributes,
    reason = "criterion's macros make the items"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kfsck::format::crc::crc32c;
use kfsck::format::number::Offset;
use kfsck::state::read::{Item, read_source};
use kfsck::state::replay::Replay;
use kfsck::state::rules::Stock;
use kfsck::storage::source::Source;

const BATCHES: i64 = 400_000;
const TRANSACTIONAL: i16 = 0x10;
const CONTROL: i16 = 0x20;

/// A log that grows, with each producer's epoch and next sequence.
struct Log {
    bytes: Vec<u8>,
    next: i64,
    producers: Vec<(i16, i32)>,
    random: u64,
}

impl Log {
    fn new(producers: usize) -> Self {
        Self {
            bytes: Vec::new(),
            next: 0,
            producers: vec![(0, 0); producers],
            random: 1,
        }
    }

    fn any_producer(&mut self) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.random >> 33) as usize % self.producers.len()
    }

    fn append(&mut self, producer: usize, sequence: i32, attributes: i16, record: &[u8]) {
        let epoch = self.producers[producer].0;
        let time = 1_700_000_000_000 + self.next;
        let mut covered = attributes.to_be_bytes().to_vec();
        covered.extend(0_i32.to_be_bytes());
        covered.extend(time.to_be_bytes());
        covered.extend(time.to_be_bytes());
        covered.extend((producer as i64 + 1000).to_be_bytes());
        covered.extend(epoch.to_be_bytes());
        covered.extend(sequence.to_be_bytes());
        covered.extend(1_i32.to_be_bytes());
        covered.extend(record);
        self.bytes.extend(self.next.to_be_bytes());
        self.bytes.extend((covered.len() as i32 + 9).to_be_bytes());
        self.bytes.extend(0_i32.to_be_bytes());
        self.bytes.push(2);
        self.bytes.extend(crc32c(&covered).to_be_bytes());
        self.bytes.extend(covered);
        self.next += 1;
    }

    fn data(&mut self, producer: usize, attributes: i16) {
        let sequence = self.producers[producer].1;
        self.producers[producer].1 += 1;
        // Length 12, no attributes and deltas, null key, a value of 6 bytes, no headers.
        let record = [24, 0, 0, 0, 1, 12, 1, 2, 3, 4, 5, 6, 0];
        self.append(producer, sequence, attributes, &record);
    }

    /// The end of a transaction of version 2: the epoch rises.
    fn commit(&mut self, producer: usize) {
        self.producers[producer] = (self.producers[producer].0 + 1, 0);
        let record = [32, 0, 0, 0, 8, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 0];
        self.append(producer, -1, TRANSACTIONAL | CONTROL, &record);
    }

    fn source(self) -> Source {
        Source::from_bytes("00000000000000000000.log", self.bytes)
    }
}

fn idempotent() -> Source {
    let mut log = Log::new(100_000);
    while log.next < BATCHES {
        let producer = log.any_producer();
        log.data(producer, 0);
    }
    log.source()
}

fn transactional() -> Source {
    let mut log = Log::new(10_000);
    while log.next < BATCHES {
        let producer = log.any_producer();
        match log.producers[producer].1 {
            2 => log.commit(producer),
            _ => log.data(producer, TRANSACTIONAL),
        }
    }
    log.source()
}

fn replay<const N: usize>(source: &Source, check_crc: bool) -> u64 {
    let mut replay = Replay::<N>::new("bench-0", &Stock, Offset(0));
    replay.begin_segment(Offset(0));
    read_source(
        source,
        Offset(0),
        check_crc,
        &mut |_| true,
        &mut |item| match item {
            Item::Batch(batch, control) => replay.batch(batch, control, &mut ()),
            Item::Damage(damage) => panic!("{damage:?}"),
        },
    )
    .unwrap();
    replay.end_segment(&mut ());
    replay.batches()
}

fn all(criterion: &mut Criterion) {
    for (name, source) in [
        ("idempotent", idempotent()),
        ("transactional", transactional()),
    ] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(BATCHES.unsigned_abs()));
        group
            .sample_size(20)
            .measurement_time(Duration::from_secs(3));
        group.bench_function("replay", |bench| {
            bench.iter(|| assert_eq!(replay::<1>(black_box(&source), false), 400_000));
        });
        group.bench_function("replay with checksums", |bench| {
            bench.iter(|| assert_eq!(replay::<1>(black_box(&source), true), 400_000));
        });
        group.bench_function("replay, five batches a producer", |bench| {
            bench.iter(|| assert_eq!(replay::<5>(black_box(&source), false), 400_000));
        });
        group.finish();
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
