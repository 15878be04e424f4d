//! The oracle's answer about a directory that was loaded, and what of it is compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a load leaves. Of the exception only its simple name and its text count; index files are
/// there or not for reasons that producer state has no part in.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Answer {
    pub(crate) error: Option<Fault>,
    pub(crate) log: Option<Log>,
    /// Bytes of each `.log`.
    pub(crate) segments: BTreeMap<String, u64>,
    /// Entries of each transaction index that has one.
    pub(crate) aborted: BTreeMap<String, Vec<Aborted>>,
    /// Entries of each snapshot by producer, or what the real reader says of the file.
    pub(crate) snapshots: BTreeMap<String, Snapshot>,
}

/// The answer as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    error: Option<Fault>,
    log: Option<Log>,
    files: Vec<File>,
    aborted: BTreeMap<String, Vec<Aborted>>,
    snapshots: BTreeMap<String, Snapshot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    pub(crate) class: String,
    pub(crate) message: String,
}

impl Fault {
    /// Without the package of the class.
    pub(crate) fn simple(mut self) -> Self {
        self.class = self.class.rsplit('.').next().unwrap().to_owned();
        self
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Log {
    pub(crate) log_start_offset: i64,
    pub(crate) log_end_offset: i64,
    pub(crate) first_unstable_offset: Option<i64>,
    pub(crate) last_stable_offset: i64,
    pub(crate) producers: Vec<Producer>,
    pub(crate) leader_epochs: Vec<Epoch>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Producer {
    pub(crate) producer_id: i64,
    pub(crate) epoch: i16,
    pub(crate) coordinator_epoch: i32,
    pub(crate) last_timestamp: i64,
    pub(crate) current_txn_first_offset: Option<i64>,
    pub(crate) batches: Vec<Batch>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Batch {
    pub(crate) last_seq: i32,
    pub(crate) last_offset: i64,
    pub(crate) offset_delta: i32,
    pub(crate) timestamp: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Epoch {
    pub(crate) epoch: i32,
    pub(crate) start_offset: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Aborted {
    pub(crate) producer_id: i64,
    pub(crate) first_offset: i64,
    pub(crate) last_offset: i64,
    pub(crate) last_stable_offset: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    bytes: Option<u64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) entries: Vec<StoredProducer>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct StoredProducer {
    pub(crate) producer_id: i64,
    pub(crate) epoch: i16,
    pub(crate) last_sequence: i32,
    pub(crate) last_offset: i64,
    pub(crate) offset_delta: i32,
    pub(crate) timestamp: i64,
    pub(crate) coordinator_epoch: i32,
    pub(crate) current_txn_first_offset: i64,
}

impl Producer {
    /// As a snapshot has it: with its last batch alone.
    pub(crate) fn stored(&self) -> StoredProducer {
        let last = self.batches.last();
        StoredProducer {
            producer_id: self.producer_id,
            epoch: self.epoch,
            last_sequence: last.map_or(-1, |batch| batch.last_seq),
            last_offset: last.map_or(-1, |batch| batch.last_offset),
            offset_delta: last.map_or(0, |batch| batch.offset_delta),
            timestamp: self.last_timestamp,
            coordinator_epoch: self.coordinator_epoch,
            current_txn_first_offset: self.current_txn_first_offset.unwrap_or(-1),
        }
    }
}

impl Answer {
    /// Reads `answer.json` of a case.
    pub(crate) fn of_real(case: &Path) -> Self {
        let path = case.join("answer.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let written: Written =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        Self::of(written)
    }

    /// What of a written answer is compared.
    pub(crate) fn of(written: Written) -> Self {
        let segments = written.files.iter().filter_map(|file| {
            let size = file.bytes?;
            file.name
                .ends_with(".log")
                .then(|| (file.name.clone(), size))
        });
        let mut answer = Self {
            segments: segments.collect(),
            error: written.error.map(Fault::simple),
            log: written.log,
            aborted: written.aborted,
            snapshots: written.snapshots,
        };
        answer.settle();
        answer
    }

    /// Brings what has no order of its own into one, and leaves out what a load that failed was
    /// about to do.
    pub(crate) fn settle(&mut self) {
        self.aborted.retain(|_, entries| !entries.is_empty());
        for snapshot in self.snapshots.values_mut() {
            snapshot.entries.sort();
        }
        if self.error.is_some() {
            self.segments.clear();
            self.aborted.clear();
            self.snapshots.clear();
        }
    }
}

/// Where two values are not the same, by path, the first of each array alone.
pub(crate) fn differences(real: &impl Serialize, ours: &impl Serialize) -> Vec<String> {
    let mut found = Vec::new();
    let real = serde_json::to_value(real).unwrap();
    compare("", &real, &serde_json::to_value(ours).unwrap(), &mut found);
    found
}

fn compare(path: &str, real: &Value, ours: &Value, found: &mut Vec<String>) {
    match (real, ours) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys());
            let names: std::collections::BTreeSet<_> = names.collect();
            for name in names {
                let path = format!("{path}/{name}");
                let of = |side: &serde_json::Map<String, Value>| side.get(name).cloned();
                let (one, other) = (of(one).unwrap_or_default(), of(other).unwrap_or_default());
                compare(&path, &one, &other, found);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            let longer = one.len().max(other.len());
            let first = (0..longer).find(|at| one.get(*at) != other.get(*at));
            if let Some(at) = first {
                let of = |side: &Vec<Value>| side.get(at).cloned().unwrap_or_default();
                compare(&format!("{path}[{at}]"), &of(one), &of(other), found);
            }
        }
        _ if real == ours => {}
        _ => found.push(format!("{path}: real {real}, ours {ours}")),
    }
}
