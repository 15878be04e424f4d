//! Time index entries that point to the same batch, and to batches in turn.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::batches::{Batch, record};
use crate::run::{self, Run};

/// A batch of one compressed record that opens to this many bytes.
fn batch(base_offset: i64, timestamp: i64, size: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&record(0, None, Some(&vec![0; size])))
        .unwrap();
    let batch = Batch {
        attributes: 1,
        timestamp,
        count: 1,
        payload: encoder.finish().unwrap(),
        ..Batch::new(base_offset)
    };
    batch.encode()
}

/// Two batches, at offsets 7 and 8, of times 1000 and 2000, and a time index with these entries.
fn verified(size: usize, entries: &[(i64, i32)]) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let log = [batch(7, 1000, size), batch(8, 2000, size)].concat();
    let index = entries.iter().flat_map(|(timestamp, offset)| {
        let mut entry = timestamp.to_be_bytes().to_vec();
        entry.extend(offset.to_be_bytes());
        entry
    });
    let name = "00000000000000000000.timeindex";
    let at = |ending| directory.path().join(name).with_extension(ending);
    fs::write(at("log"), log).unwrap();
    fs::write(at("index"), "").unwrap();
    fs::write(at("timeindex"), index.collect::<Vec<u8>>()).unwrap();
    run::dump(directory.path(), &["--verify-index-only", name])
}

#[test]
fn entries_of_one_batch_are_each_held_against_it() {
    assert_eq!(verified(10, &[(1000, 7), (2000, 8)]).code, Some(0));
    // In turn: none may be held against the batch of the entry before.
    let run = verified(10, &[(1000, 7), (1000, 8), (2000, 7), (2000, 8), (2001, 8)]);
    let told: Vec<_> = run.damage();
    let expected = [
        "12: time-index-mismatch: expected the batch that ends with offset 8 to have the greatest \
         timestamp 1000, found 2000",
        "12: time-index-mismatch: expected a timestamp above 1000, found 1000",
        "24: time-index-mismatch: expected the batch that ends with offset 7 to have the greatest \
         timestamp 2000, found 1000",
        "36: time-index-mismatch: expected a timestamp above 2000, found 2000",
        "48: time-index-mismatch: expected the batch that ends with offset 8 to have the greatest \
         timestamp 2001, found 2000",
    ];
    assert_eq!(told, expected);
}

/// Each entry by itself would open its batch: 32 MiB a thousand times.
#[test]
fn a_batch_is_opened_once_for_all_its_entries() {
    let entries: Vec<_> = (0..1000).map(|n| (1000 + n, 7)).collect();
    let begin = Instant::now();
    let run = verified(32 << 20, &entries);
    assert_eq!(run.damage().len(), 999);
    assert!(begin.elapsed() < Duration::from_secs(10));
}
