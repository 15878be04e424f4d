//! What the real tool says on stderr when all files are done, and which of it is false.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use kfsck::format::batch::Header;

use crate::batches::{self, split};

/// Lines on stderr that the real tool prints falsely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum False {
    /// The first record of a file is held against -1 (D1).
    FirstRecord,
    /// The padding of a preallocated index is held against the log as if it were an entry.
    Padding,
    /// A batch that the log cleaner has emptied is held to have no timestamp, and its header has.
    Emptied,
}

/// The sections that the real tool prints on stderr when all files are done. Their order, and the
/// order of pairs, is that of a Java hash map.
pub(crate) fn sections(stderr: &str) -> BTreeMap<String, BTreeSet<String>> {
    const TITLES: [&str; 5] = [
        "Mismatches in :",
        "Found timestamp mismatch in :",
        "Found out of order timestamp in :",
        "The following indexed offsets are not found in :",
        "Non-consecutive offsets in ",
    ];
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut current = None;
    for line in stderr.lines() {
        if TITLES.iter().any(|title| line.starts_with(title)) {
            current = Some(found.entry(line.to_owned()).or_default());
        } else if line.starts_with("  ") || line.starts_with("Indexed offset: ") {
            current.as_mut().unwrap().insert(line.to_owned());
        }
    }
    found
}

/// Why a line of a section is false, if it is; the files that titles name lie below `root`.
pub(crate) fn falsehood(root: &Path, title: &str, line: &str) -> Option<False> {
    if line.starts_with("  -1 is followed by ") {
        return Some(False::FirstRecord);
    }
    if let Some(index) = title.strip_prefix("Found timestamp mismatch in :")
        && let Some(entry) = line.strip_prefix("  Index timestamp: ")
        && let Some(indexed) = entry.strip_suffix(", log timestamp: -1")
        && emptied(&root.join(index.trim_start_matches("/CWD/")))
            .contains(&indexed.parse().unwrap())
    {
        return Some(False::Emptied);
    }
    // An entry of zeros reads as time 0 and the base offset, which stands in the file's name.
    let name = title.rsplit('/').next()?;
    let base = name.split('.').next()?.trim_start_matches('0');
    let base = if base.is_empty() { "0" } else { base };
    let entry = [
        format!("  Index offset: {base},"),
        format!("Indexed offset: {base},"),
        "  Index timestamp: 0,".to_owned(),
    ];
    entry
        .iter()
        .any(|entry| line.starts_with(entry))
        .then_some(False::Padding)
}

/// The greatest timestamps that the headers of emptied batches keep, of the log beside an index.
fn emptied(index: &Path) -> BTreeSet<i64> {
    let log = fs::read(index.with_extension("log")).unwrap();
    let batches = split(&log).into_iter();
    batches
        .map(|(_, batch)| Header::new(batch.first_chunk().unwrap()))
        .filter(|header| header.count() == 0)
        .map(|header| header.max_timestamp().0)
        .collect()
}

#[test]
fn a_mismatch_is_false_where_an_emptied_batch_keeps_that_very_time() {
    let root = tempfile::tempdir().unwrap();
    let emptied = batches::Batch {
        timestamp: 1000,
        ..batches::Batch::new(0)
    };
    let full = batches::Batch {
        timestamp: 2000,
        ..batches::Batch::new(1)
    };
    let log = [emptied.encode(), full.record(None, None).encode()].concat();
    fs::write(root.path().join("0.log"), log).unwrap();
    let title = "Found timestamp mismatch in :0.timeindex";
    for (line, expected) in [
        (
            "  Index timestamp: 1000, log timestamp: -1",
            Some(False::Emptied),
        ),
        ("  Index timestamp: 1001, log timestamp: -1", None),
        ("  Index timestamp: 2000, log timestamp: -1", None),
        ("  Index timestamp: 1000, log timestamp: 2000", None),
    ] {
        assert_eq!(falsehood(root.path(), title, line), expected, "{line}");
    }
}
