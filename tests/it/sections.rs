//! What the real tool says on stderr when all files are done, and which of it is false.

use std::collections::{BTreeMap, BTreeSet};

/// Lines on stderr that the real tool prints falsely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum False {
    /// The first record of a file is held against -1 (D1).
    FirstRecord,
    /// The padding of a preallocated index is held against the log as if it were an entry.
    Padding,
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

/// Why a line of a section is false, if it is.
pub(crate) fn falsehood(title: &str, line: &str) -> Option<False> {
    if line.starts_with("  -1 is followed by ") {
        return Some(False::FirstRecord);
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
