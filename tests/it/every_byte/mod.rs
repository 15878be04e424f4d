//! Every truncation and every flipped bit of small inputs of every kind that Kafka writes.
//!
//! Whatever the bytes are, a dump ends without a panic and speaks only of places inside the file;
//! and what a checksum covers cannot change unnoticed.

mod companions;
mod logs;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::storage::file_name::{FileKind, FileName};

/// Inputs up to this size are tried byte by byte.
const SMALL: u64 = 2048;

/// A small file.
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    name: FileName,
    pub(crate) bytes: Vec<u8>,
}

/// The small files below `testdata` of which `wanted` holds, each content once.
pub(crate) fn inputs(wanted: impl Fn(FileKind) -> bool) -> Vec<Input> {
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
