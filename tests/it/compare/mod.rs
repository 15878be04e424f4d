//! `kfsck compare`: mirrors as the simulator writes them, replicas of real brokers that are
//! damaged, and hand-made logs for each kind of difference.

#[cfg(unix)]
mod command;
#[cfg(unix)]
mod document;
mod kinds;
mod restore;
#[cfg(unix)]
mod restored;
mod simulated;

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::compare::{ComparedLog, Comparison, compare};
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{Operand, expand};
use kfsck::storage::source::Access;

/// The log in a partition's directory.
fn log(path: &Path) -> ComparedLog {
    let Operand::Partition(directory) = expand(path).unwrap() else {
        panic!("{}", path.display());
    };
    let beside = path.parent().unwrap();
    let checkpoints = Checkpoints::read(beside, Access::Map);
    ComparedLog::of_directory(&directory, &checkpoints, beside, Access::Map)
}

fn compared(source: &Path, dest: &Path) -> Comparison {
    compare(&log(source), &log(dest)).unwrap()
}

/// What differs, as `kind first..last batches`.
fn told(comparison: &Comparison) -> Vec<String> {
    let differences = comparison.differences.iter();
    differences
        .map(|one| {
            let last = one
                .last_offset
                .map_or("".to_owned(), |last| last.to_string());
            format!("{} {}..{last} {}", one.kind.name(), one.offset, one.batches)
        })
        .collect()
}

/// The stretches that are the same.
fn equal(comparison: &Comparison) -> Vec<(i64, i64)> {
    let equal = comparison.equal.iter();
    equal
        .map(|one| (one.first_offset.0, one.last_offset.0))
        .collect()
}

/// A partition of these segments, in a directory of its own.
fn partition(segments: &[(i64, Vec<u8>)]) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("orders-0");
    fs::create_dir(&directory).unwrap();
    for (base, bytes) in segments {
        fs::write(directory.join(format!("{base:020}.log")), bytes).unwrap();
    }
    (place, directory)
}
