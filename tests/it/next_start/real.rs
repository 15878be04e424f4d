//! The oracle's answer about a log directory that a broker started with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::state_oracle::answer::{Answer, Fault};

/// What the real `LogManager` made of a log directory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RealStart {
    /// What ended it.
    pub(super) error: Option<Fault>,
    /// Why the log directory went offline.
    pub(super) offline: Option<Fault>,
    partitions: BTreeMap<String, Partition>,
    /// What the loader said in the broker's log.
    said: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Partition {
    #[serde(default)]
    log: Value,
    #[serde(default)]
    segments: Vec<Segment>,
    files: Value,
    aborted: Value,
    snapshots: Value,
}

/// A segment after the start.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Segment {
    pub(super) base: i64,
    pub(super) bytes: u64,
}

impl RealStart {
    pub(super) fn read(case: &Path) -> Self {
        let path = case.join("answer.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    }

    /// Whether the partition was loaded and can be looked at: one that is deleted cannot.
    pub(super) fn is_loaded(&self, partition: &str) -> bool {
        self.partitions
            .get(partition)
            .is_some_and(|found| !found.log.is_null())
    }

    pub(super) fn segments(&self, partition: &str) -> &[Segment] {
        self.partitions
            .get(partition)
            .map_or(&[], |found| &found.segments)
    }

    /// What of a partition is compared with our load.
    pub(super) fn answer(&self, partition: &str) -> Answer {
        let found = &self.partitions[partition];
        let written = json!({
            "error": null,
            "log": found.log,
            "files": found.files,
            "aborted": found.aborted,
            "snapshots": found.snapshots,
        });
        let mut answer = Answer::of(serde_json::from_value(written).unwrap());
        // A log under another name is none, nor are the entries of an index without a log.
        let is_named = |name: &str| name.len() == "00000000000000000000.log".len();
        answer.segments.retain(|name, _| is_named(name));
        let is_index = |name: &str| name.len() == "00000000000000000000.txnindex".len();
        answer.aborted.retain(|name, _| is_index(name));
        answer
    }

    /// The base offsets of the segments that the loader read again.
    pub(super) fn recovered(&self) -> BTreeSet<i64> {
        let said = self.said.iter();
        let found = said.filter_map(|line| {
            let unflushed = line.strip_prefix("Recovering unflushed segment ");
            if let Some(rest) = unflushed {
                return rest.split('.').next()?.parse().ok();
            }
            let is_about_index = line.starts_with("Could not find offset index file")
                || line.starts_with("Found a corrupted index file");
            let log = line.split(".log").next().filter(|_| is_about_index)?;
            log.get(log.len() - 20..)?.parse().ok()
        });
        found.collect()
    }

    /// The files that took the place of others: names with `.log.swap`.
    pub(super) fn swapped(&self) -> BTreeSet<String> {
        self.named("Recovering file ", " by renaming from .swap files.")
            .filter(|name| name.ends_with(".log.swap"))
            .collect()
    }

    /// The logs whose place a compaction's result took.
    pub(super) fn replaced(&self) -> BTreeSet<String> {
        let end = " that is compacted but has not been deleted yet.";
        self.named("Deleting segment files ", end).collect()
    }

    fn named<'s>(&'s self, begin: &'s str, end: &'s str) -> impl Iterator<Item = String> + 's {
        let said = self.said.iter();
        said.filter_map(move |line| Some(line.strip_prefix(begin)?.strip_suffix(end)?.to_owned()))
    }

    /// Whether a segment was split.
    pub(super) fn is_split(&self) -> bool {
        self.said
            .iter()
            .any(|line| line.contains("Split segment and retry"))
    }

    /// Whether the loader deleted every segment.
    pub(super) fn all_deleted(&self) -> bool {
        let mut said = self.said.iter();
        said.any(|line| line.starts_with("Deleting all segments because"))
    }
}
