//! The JSON document of `kfsck txns`, declared a second time.

use std::path::Path;

use serde::Deserialize;

use crate::program::{Outcome, Run};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) schema: i64,
    pub(super) now: i64,
    pub(super) at_time: Option<i64>,
    pub(super) max_transaction_timeout_ms: i64,
    pub(super) rules: String,
    pub(super) partitions: Vec<Partition>,
    pub(super) stats: Option<Stats>,
    pub(super) coordinators: Option<Vec<Coordinator>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Coordinator {
    pub(super) transactional_id: String,
    pub(super) state: String,
    pub(super) producer_id: i64,
    pub(super) producer_epoch: i16,
    pub(super) previous_producer_id: Option<i64>,
    pub(super) timeout_ms: i32,
    pub(super) start_timestamp: Option<i64>,
    pub(super) last_update_timestamp: Option<i64>,
    pub(super) topic_partitions: Vec<String>,
    pub(super) client_transaction_version: Option<i16>,
    pub(super) path: Option<String>,
    pub(super) offset: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Partition {
    pub(super) topic_partition: String,
    pub(super) path: String,
    pub(super) transactions: Vec<Transaction>,
    pub(super) log_start_offset: Option<i64>,
    pub(super) last_stable_offset: Option<i64>,
    pub(super) high_watermark: Option<i64>,
    pub(super) log_end_offset: Option<i64>,
    /// Held against those of `kfsck producers`, whose test declares their fields.
    pub(super) producers: Option<Vec<serde_json::Value>>,
    pub(super) held_back: Option<HeldBack>,
    pub(super) dropped_transactions: Vec<Dropped>,
    pub(super) stats: Option<Stats>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Transaction {
    pub(super) producer_id: i64,
    pub(super) producer_id_hex: Option<String>,
    pub(super) producer_epoch: Option<i16>,
    pub(super) coordinator_epoch: Option<i32>,
    pub(super) first_offset: i64,
    pub(super) last_offset: Option<i64>,
    pub(super) last_data_offset: Option<i64>,
    pub(super) start_timestamp: Option<i64>,
    pub(super) last_timestamp: Option<i64>,
    pub(super) age_ms: Option<u64>,
    pub(super) batches: Option<u64>,
    pub(super) records: Option<u64>,
    pub(super) size_in_bytes: Option<u64>,
    pub(super) state: State,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) transactional_id: Option<String>,
    pub(super) abort_command: Option<String>,
    pub(super) path: Option<String>,
    pub(super) position: Option<u64>,
    pub(super) marker_path: Option<String>,
    pub(super) marker_position: Option<u64>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Open,
    Committed,
    Aborted,
}

#[derive(Debug, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ongoing,
    Suspect,
    Hanging,
    Closed,
}

#[derive(Debug, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct HeldBack {
    pub(super) batches: u64,
    pub(super) records: u64,
    pub(super) size_in_bytes: u64,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Dropped {
    pub(super) producer_id: i64,
    pub(super) first_offset: i64,
    pub(super) barrier_offset: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Stats {
    pub(super) committed: u64,
    pub(super) aborted: u64,
    pub(super) empty: u64,
    pub(super) open: u64,
    pub(super) records: Distribution,
    pub(super) size_in_bytes: Distribution,
    pub(super) duration_ms: Distribution,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Distribution {
    pub(super) count: u64,
    pub(super) sum: u64,
    pub(super) min: Option<u64>,
    pub(super) p50: Option<u64>,
    pub(super) p90: Option<u64>,
    pub(super) p99: Option<u64>,
    pub(super) max: Option<u64>,
}

/// `kfsck txns PATH ARGS..`
pub(super) fn txns(path: &Path, args: &[&str]) -> Outcome {
    let run = args.iter().fold(Run::new(["txns"]).arg(path), Run::arg);
    run.outcome()
}

/// The document that it writes, and how it ended.
pub(super) fn json(path: &Path, args: &[&str]) -> (Document, Outcome) {
    let outcome = txns(path, &[&["--format", "json"], args].concat());
    let text = outcome.text();
    let document: Document =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(document.schema, 1);
    (document, outcome)
}

/// The only partition of a document.
pub(super) fn only(mut document: Document) -> Partition {
    assert_eq!(document.partitions.len(), 1);
    document.partitions.remove(0)
}
