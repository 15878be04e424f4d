//! Plans of repairs and what becomes of them, on damaged copies of the logs that Kafka wrote.

mod breaking;
mod cli;
mod damage;
mod elsewhere;
mod ends_early;
mod healthy;
mod indexes;
mod inside_damage;
mod killed;
mod lost_ends;
mod misnamed;
mod odd_logs;
mod power;
mod progress;
mod recipes;
mod schema;
mod snapshots;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::check::terms::{Depth, Terms as CheckTerms};
use kfsck::analysis::check::watch::Watch;
use kfsck::analysis::log_findings::DEFAULT_EXPIRATION_MS;
use kfsck::format::number::{Offset, Timestamp};
use kfsck::repair::apply::disk::SystemDisk;
use kfsck::repair::apply::output;
use kfsck::repair::apply::verify::{check, verify};
use kfsck::repair::plan::Plan;
use kfsck::repair::terms::{How, Terms};
use kfsck::repair::{index, log};
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::partition_name::PartitionName;
use kfsck::storage::segment::contents::DEFAULT_MAX_RECORD_BYTES;
use kfsck::storage::source::{Access, ReadError};

use crate::program::testdata;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Truncate,
    Salvage,
    Index,
}

pub(super) fn terms() -> Terms {
    Terms::new(Access::Map, Offset(0))
}

/// The terms for a partition below `testdata/kafka`: its log start is that of the checkpoint there.
pub(super) fn terms_of(partition: &str) -> Terms {
    let path = testdata(partition);
    let name = PartitionName::parse(path.file_name().unwrap()).unwrap();
    let checkpoints = Checkpoints::read(path.parent().unwrap(), Access::Map);
    let log_start = checkpoints.log_start_offset(&name);
    Terms {
        // As the corpora were written.
        index_interval_bytes: if partition.starts_with("legacy") {
            200
        } else {
            1024
        },
        ..Terms::new(Access::Map, log_start.unwrap_or(Offset(0)))
    }
}

pub(super) fn plan(directory: &Path, verb: Verb) -> Plan {
    plan_with(directory, verb, &terms())
}

pub(super) fn plan_with(directory: &Path, verb: Verb, terms: &Terms) -> Plan {
    let listed = PartitionDirectory::list(directory);
    let plan = match verb {
        Verb::Truncate => log::plan(&listed, How::Truncate, terms),
        Verb::Salvage => log::plan(&listed, How::Salvage, terms),
        Verb::Index => index::plan(&listed, terms),
    };
    plan.unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
}

/// Carries the plan out beside the partition, and demands of the result that a broker loads it as
/// it is and that there is nothing left to do.
pub(super) fn repaired(directory: &Path, verb: Verb, terms: &Terms) -> (Plan, PathBuf) {
    let before = contents(directory);
    let plan = plan_with(directory, verb, terms);
    let place = directory.parent().unwrap().join(format!("{verb:?}"));
    let result = output::write(&mut SystemDisk, &plan, &place, terms.access)
        .unwrap()
        .path;
    assert!(contents(directory) == before, "the input is only read");
    let left = verify(&result, &plan.topic_partition, terms).unwrap();
    assert_eq!(
        left,
        [""; 0],
        "{verb:?} of {}\n{plan:#?}",
        directory.display()
    );
    let told = found_in(&result, terms);
    let mended = verb.mended();
    let is_mended = |told: &String| mended.iter().any(|code| told.contains(&format!(" {code}")));
    assert!(!told.iter().any(is_mended), "{verb:?}: {told:#?}");
    let again = plan_with(&result, verb, terms);
    assert!(again.is_empty(), "{verb:?}: {:#?}", again.steps);
    (plan, result)
}

/// What the check of a result finds, by the rules of the repair.
pub(crate) fn found_in(result: &Path, terms: &Terms) -> Vec<String> {
    let checked = CheckTerms {
        rules: terms.rules,
        depth: Depth::Records,
        access: terms.access,
        now: Timestamp(2_000_000_000_000),
        expiration_ms: DEFAULT_EXPIRATION_MS,
        max_transaction_timeout_ms: i64::MAX,
        max_record_bytes: DEFAULT_MAX_RECORD_BYTES,
    };
    check(result, &Checkpoints::default(), &checked, &mut Reads)
}

/// Demands that all files can be read.
struct Reads;

impl Watch for Reads {
    fn unread(&mut self, error: ReadError) {
        panic!("{error}");
    }
}

impl Verb {
    /// The findings that nothing is left of.
    fn mended(self) -> Vec<&'static str> {
        let indexes = [
            "index-corrupt",
            "index-mismatch",
            "index-missing",
            "time-index-mismatch",
            "txn-index-mismatch",
            "txn-index-missing",
        ];
        let log = [
            "crc-mismatch",
            "zero-tail",
            "truncated-tail",
            "garbage",
            "bad-batch-header",
            "unknown-codec",
            "payload-undecodable",
            "record-malformed",
            "record-count-mismatch",
            "offset-regression",
            "offset-overflow",
            "segment-overlap",
            "marker-malformed",
            "leader-epoch-checkpoint-mismatch",
            "checkpoint-corrupt",
            "snapshot-corrupt",
            "snapshot-mismatch",
            "snapshot-stray",
            "start-blocked",
        ];
        match self {
            Self::Index => indexes.to_vec(),
            Self::Truncate | Self::Salvage => indexes.into_iter().chain(log).collect(),
        }
    }
}

/// The files of a directory with their bytes.
pub(crate) fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// A partition below `testdata/kafka`, copied to where it can be damaged.
pub(crate) struct Copied {
    _place: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Copied {
    pub(crate) fn new(partition: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let from = testdata(partition);
        let path = place.path().join("logs").join(from.file_name().unwrap());
        fs::create_dir_all(&path).unwrap();
        for (name, bytes) in contents(&from) {
            fs::write(path.join(name), bytes).unwrap();
        }
        Self {
            _place: place,
            path,
        }
    }

    /// The partition's logs, by name.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let names = contents(&self.path).into_keys();
        let logs = names.filter(|name| name.ends_with(".log"));
        logs.map(|name| self.path.join(name)).collect()
    }

    /// Changes the bytes of a file of the partition.
    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.path.join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }
}
