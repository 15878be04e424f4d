//! The answers of the oracle.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::state_oracle::answer::Written;
use crate::state_oracle::cases;

/// A load of one partition.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Load {
    partition: PathBuf,
    way: String,
    pub(super) cluster_id: String,
    pub(super) node_id: i32,
    pub(super) recovery_point: i64,
    pub(super) topic_id: Option<String>,
    pub(super) high_watermark: Option<i64>,
    pub(super) last_stable_offset: Option<i64>,
    /// Files that are others after the load.
    pub(super) changed: Vec<String>,
    load: Value,
}

impl Load {
    pub(super) fn written(&self) -> Written {
        serde_json::from_value(self.load.clone()).unwrap()
    }
}

/// What the dump tool said of a partition's indexes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dump {
    partition: PathBuf,
    way: String,
    pub(super) status: i32,
    pub(super) said: String,
    pub(super) error: String,
}

/// By the partition's directory and the way in which it was looked at.
#[derive(Debug, Default)]
pub(super) struct Answers {
    loads: HashMap<(PathBuf, String), Load>,
    dumps: HashMap<(PathBuf, String), Dump>,
}

impl Answers {
    pub(super) fn load(&self, partition: &Path, way: &str) -> &Load {
        &self.loads[&(partition.to_owned(), way.to_owned())]
    }

    pub(super) fn dump(&self, partition: &Path, way: &str) -> &Dump {
        &self.dumps[&(partition.to_owned(), way.to_owned())]
    }
}

/// Asks the oracle.
pub(super) fn answers(list: &Path, out: &Path) -> Answers {
    let oracle = Command::new(cases::root().join("oracle/run"))
        .arg("load-logs")
        .arg("--list")
        .arg(list)
        .arg("--out")
        .arg(out)
        .status();
    assert!(oracle.unwrap().success(), "the oracle has answers");
    let mut answers = Answers::default();
    for line in fs::read_to_string(out).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row.get("load").is_some() {
            let load: Load = serde_json::from_value(row).unwrap();
            let key = (load.partition.clone(), load.way.clone());
            answers.loads.insert(key, load);
        } else {
            let dump: Dump = serde_json::from_value(row).unwrap();
            let key = (dump.partition.clone(), dump.way.clone());
            answers.dumps.insert(key, dump);
        }
    }
    answers
}
