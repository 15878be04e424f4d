//! `kfsck groups` against a real coordinator that loads the same partition: random logs, at their
//! ends and at offsets inside.
//!
//! `KFSCK_GROUPS` names a fresh directory of `oracle/run group-logs`; else it is the committed one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Committed, Group, groups};

fn directory() -> PathBuf {
    let committed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/groups");
    std::env::var_os("KFSCK_GROUPS").map_or_else(committed, PathBuf::from)
}

/// What the coordinator believes, at its log's end or at an offset inside.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    at: Option<i64>,
    groups: Vec<Believed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Believed {
    group_id: String,
    /// None of both where a group's record was taken away and offsets of it were not.
    #[serde(rename = "type")]
    kind: Option<String>,
    state: Option<String>,
    is_simple: bool,
    offsets: Vec<Offset>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Offset {
    topic_partition: String,
    committed_offset: i64,
    leader_epoch: Option<i32>,
    metadata: String,
    commit_timestamp: i64,
    expire_timestamp: Option<i64>,
}

impl From<&Committed> for Offset {
    fn from(ours: &Committed) -> Self {
        Self {
            topic_partition: ours.topic_partition.clone(),
            committed_offset: ours.committed_offset,
            leader_epoch: ours.leader_epoch,
            metadata: ours.metadata.clone(),
            commit_timestamp: ours.commit_timestamp,
            expire_timestamp: ours.expire_timestamp,
        }
    }
}

/// How many answers were held against ours, those inside of a log, and their offsets.
#[derive(Debug, Default)]
struct Seen {
    ends: usize,
    inside: usize,
    offsets: usize,
    kinds: BTreeMap<(String, String), usize>,
}

#[test]
fn groups_are_what_a_real_coordinator_believes() {
    let mut seen = Seen::default();
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|kind| kind != "jsonl") {
            continue;
        }
        let log = path.with_extension("");
        for line in fs::read_to_string(&path).unwrap().lines() {
            let answer: Answer = serde_json::from_str(line).unwrap();
            let at = answer.at.map(|at| format!("--at-offset={at}"));
            let ours = groups(&log, &at.iter().map(String::as_str).collect::<Vec<_>>());
            let place = format!("{} {at:?}", log.display());
            compare(ours, answer.groups, &place, &mut seen);
            *(if at.is_some() {
                &mut seen.inside
            } else {
                &mut seen.ends
            }) += 1;
        }
    }
    assert!(seen.ends >= 6 && seen.inside >= 6, "{seen:?}");
    assert!(seen.offsets > 20 * seen.ends, "{seen:?}");
    // Every state that records tell of.
    let state = |kind: &str, state: &str| {
        let key = (kind.to_owned(), state.to_owned());
        assert!(seen.kinds.contains_key(&key), "{key:?} in {seen:?}");
    };
    for name in ["Empty", "Assigning", "Reconciling", "Stable"] {
        state("consumer", name);
    }
    for kind in ["classic", "share"] {
        state(kind, "Empty");
        state(kind, "Stable");
    }
}

fn compare(ours: Vec<Group>, theirs: Vec<Believed>, place: &str, seen: &mut Seen) {
    let ours: BTreeMap<_, _> = ours.into_iter().map(|g| (g.group_id.clone(), g)).collect();
    let theirs: BTreeMap<_, _> = theirs
        .into_iter()
        .map(|g| (g.group_id.clone(), g))
        .collect();
    for id in ours.keys() {
        assert!(theirs.contains_key(id), "{place}: {id} is none of theirs");
    }
    for (id, theirs) in theirs {
        let Some(ours) = ours.get(&id) else {
            // A commit that was taken away, or is in an open transaction, leaves a coordinator a
            // group that no record tells of; the next one to load the log may not know it.
            let is_nothing = theirs.is_simple && theirs.offsets.is_empty();
            assert!(is_nothing, "{place}: {id} is not among ours: {theirs:?}");
            continue;
        };
        if let (Some(kind), Some(state)) = (theirs.kind, theirs.state) {
            let told = (ours.kind.clone(), ours.state.clone());
            assert_eq!(told, (kind, state), "{place}: {id}");
            *seen.kinds.entry(told).or_default() += 1;
        }
        let told: Vec<Offset> = ours.offsets.iter().map(Offset::from).collect();
        seen.offsets += told.len();
        assert_eq!(told, theirs.offsets, "{place}: {id}");
    }
}
