//! Every truncation and every flipped bit of small inputs of every kind that Kafka writes.
//!
//! Whatever the bytes are, a dump ends without a panic and speaks only of places inside the file;
//! and what a checksum covers cannot change unnoticed.

mod companions;
mod logs;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::storage::damage::Damage;
use kfsck::storage::file_name::{FileKind, FileName};

/// Inputs up to this size are tried byte by byte.
const SMALL: u64 = 2048;

/// A small file.
struct Input {
    path: PathBuf,
    name: FileName,
    bytes: Vec<u8>,
}

/// The small files below `testdata` of which `wanted` holds, each content once.
fn inputs(wanted: impl Fn(FileKind) -> bool) -> Vec<Input> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut left = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")];
    while let Some(path) = left.pop() {
        let metadata = fs::metadata(&path).unwrap();
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            let entries = entries.map(|entry| entry.unwrap().path());
            left.extend(entries.filter(|path| !path.ends_with("golden")));
            continue;
        }
        let name = name_of(&path);
        if metadata.len() > SMALL || !wanted(name.kind) {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if seen.insert((name.kind, bytes.clone())) {
            found.push(Input { path, name, bytes });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn name_of(path: &Path) -> FileName {
    let mut name = FileName::of(path);
    // Pieces of segments, under names of their own.
    let extension = path.extension().unwrap_or_default();
    if extension == "batch" || extension == "messages" {
        name.kind = FileKind::Log;
    }
    name
}

/// What was done to an input.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// Only the first bytes are left.
    Cut(usize),
    /// A bit of a byte has another value.
    Flip {
        byte: usize,
        #[expect(dead_code, reason = "read where a failure prints the change")]
        bit: u32,
    },
}

/// Gives every truncation and every flipped bit of `bytes` to `check`.
fn every_change(bytes: &[u8], mut check: impl FnMut(Change, &[u8])) {
    for length in 0..bytes.len() {
        check(Change::Cut(length), &bytes[..length]);
    }
    let mut changed = bytes.to_vec();
    for byte in 0..bytes.len() {
        for bit in 0..8 {
            changed[byte] ^= 1 << bit;
            check(Change::Flip { byte, bit }, &changed);
            changed[byte] ^= 1 << bit;
        }
    }
}

/// Damage lies inside the file and says something.
#[track_caller]
fn lies_inside(damage: &Damage, length: usize) {
    let end = damage.position.checked_add(damage.size);
    assert!(end.is_some_and(|end| end <= length as u64), "{damage:?}");
    assert!(!damage.message.is_empty(), "{damage:?}");
}

/// Every line is a JSON object.
#[track_caller]
fn are_objects(lines: &[u8]) {
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(line);
        assert!(
            parsed.is_ok() && line.starts_with(b"{\"type\":\""),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}
