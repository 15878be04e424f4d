//! Header walk, checksums, record iteration and formatting, over a real segment tiled to 64 MiB.
//!
//! `cargo bench` prints the throughput of each; `raw crc32c` is the pass to compare the walk with
//! checksums to.

#![allow(
    missing_docs,
    clippy::allow_attributes,
    reason = "criterion's macros make the items"
)]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kfsck::report::dump::kafka::KafkaText;
use kfsck::report::dump::view::{Batch, View};
use kfsck::storage::segment::contents::BatchReader;
use kfsck::storage::segment::walk::{Piece, Span, Walk};
use kfsck::storage::source::Source;

const SIZE: usize = 64 << 20;
const LIMIT: u64 = 1 << 20;

/// A segment of real batches. Base offsets are made to rise; no checksum covers them.
fn tiled(segment: &[u8]) -> Source {
    let source = Source::from_bytes("real.log", segment.to_vec());
    let batches = spans(&source);
    let mut bytes = Vec::with_capacity(SIZE + segment.len());
    let mut offset = 0_i64;
    for span in batches.iter().cycle() {
        if bytes.len() >= SIZE {
            break;
        }
        let start = bytes.len();
        let place = span.position as usize..span.end() as usize;
        bytes.extend_from_slice(&segment[place]);
        let delta = i32::from_be_bytes(bytes[start + 23..start + 27].try_into().unwrap());
        bytes[start..start + 8].copy_from_slice(&offset.to_be_bytes());
        offset += i64::from(delta) + 1;
    }
    Source::from_bytes("tiled.log", bytes)
}

fn spans(source: &Source) -> Vec<Span> {
    let mut walk = Walk::new(source);
    let mut spans = Vec::new();
    while let Some(piece) = walk.next_piece().unwrap() {
        if let Piece::Batch(span) = piece {
            spans.push(span);
        }
    }
    spans
}

fn passes(criterion: &mut Criterion, name: &str, segment: &[u8]) {
    let source = tiled(segment);
    let spans = spans(&source);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(source.len()));
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(3));
    group.bench_function("raw crc32c", |bench| {
        bench.iter(|| crc32c::crc32c(black_box(source.as_slice().unwrap())));
    });
    group.bench_function("raw crc-fast", |bench| {
        bench.iter(|| kfsck::format::crc::crc32c(black_box(source.as_slice().unwrap())));
    });
    group.bench_function("header walk", |bench| {
        bench.iter(|| {
            let mut walk = Walk::new(&source);
            while let Some(piece) = walk.next_piece().unwrap() {
                black_box(piece);
            }
        });
    });
    group.bench_function("walk and checksums", |bench| {
        let mut reader = BatchReader::new(&source, LIMIT);
        bench.iter(|| {
            let mut walk = Walk::new(&source);
            while let Some(Piece::Batch(span)) = walk.next_piece().unwrap() {
                assert!(reader.load(span).unwrap().checksum().unwrap().is_valid());
            }
        });
    });
    group.bench_function("records", |bench| {
        let mut reader = BatchReader::new(&source, LIMIT);
        bench.iter(|| {
            for span in &spans {
                let fault = reader.load(*span).unwrap().entries(&mut |entry| {
                    black_box(entry);
                    ControlFlow::Continue(())
                });
                assert_eq!(fault.unwrap(), None);
            }
        });
    });
    for (label, view) in [
        ("format batches", KafkaText::default()),
        (
            "format records",
            KafkaText {
                deep: true,
                contents: true,
                ..KafkaText::default()
            },
        ),
    ] {
        group.bench_function(label, |bench| {
            let mut reader = BatchReader::new(&source, LIMIT);
            let mut out = Vec::new();
            bench.iter(|| format(&mut reader, &spans, &view, &mut out));
        });
    }
    group.finish();
}

fn format(reader: &mut BatchReader<'_>, spans: &[Span], view: &KafkaText, out: &mut Vec<u8>) {
    for span in spans {
        let mut loaded = reader.load(*span).unwrap();
        let head = *loaded.head();
        let batch = Batch::new(*span, loaded.checksum().unwrap(), &head);
        view.batch(&batch, out);
        if view.shows_records() {
            loaded
                .entries(&mut |entry| {
                    view.entry(&batch, entry, out);
                    ControlFlow::Continue(())
                })
                .unwrap();
        }
        if out.len() > 1 << 20 {
            black_box(&mut *out).clear();
        }
    }
}

fn all(criterion: &mut Criterion) {
    let read = |path: &str| std::fs::read(format!("testdata/kafka/main/{path}")).unwrap();
    passes(
        criterion,
        "uncompressed",
        &read("plain-0/00000000000000000000.log"),
    );
    passes(
        criterion,
        "zstd",
        &read("codec-zstd-0/00000000000000000000.log"),
    );
    passes(
        criterion,
        "lz4",
        &read("codec-lz4-0/00000000000000000000.log"),
    );
}

criterion_group!(benches, all);
criterion_main!(benches);
