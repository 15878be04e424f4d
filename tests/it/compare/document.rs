//! The JSON document of `kfsck compare`, declared again: a field that is not here is refused.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) schema: i64,
    pub(super) verdict: String,
    pub(super) relation: String,
    pub(super) source: Log,
    pub(super) dest: Log,
    pub(super) divergence: Option<Divergence>,
    pub(super) keep: Option<String>,
    pub(super) restored: Option<Restored>,
    pub(super) equal_left_out: u64,
    pub(super) differences_left_out: u64,
    pub(super) barriers_left_out: u64,
    pub(super) counts: Vec<Count>,
    pub(super) equal: Vec<Range>,
    pub(super) differences: Vec<Difference>,
    pub(super) barriers: Vec<Barrier>,
    pub(super) producer_ids: Vec<IdPair>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Log {
    pub(super) path: String,
    pub(super) topic_partition: String,
    pub(super) cluster_id: Option<String>,
    pub(super) log_start_offset: i64,
    pub(super) log_end_offset: i64,
    pub(super) batches: u64,
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) damages: u64,
    pub(super) bytes_damaged: u64,
    pub(super) records_restorable: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Divergence {
    pub(super) leader_epoch: i32,
    pub(super) end_offset: i64,
    pub(super) is_parting: bool,
    pub(super) rewrites_epochs: bool,
    pub(super) source_records: u64,
    pub(super) dest_records: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Restored {
    pub(super) path: Option<String>,
    pub(super) log_start_offset: Option<i64>,
    pub(super) log_end_offset: Option<i64>,
    pub(super) batches: u64,
    pub(super) records: u64,
    pub(super) records_from_source: u64,
    pub(super) records_from_dest: u64,
    pub(super) cut_at: Option<i64>,
    pub(super) lost: Vec<OpenRange>,
    pub(super) may_revive: Vec<OpenRange>,
    pub(super) leader_epochs_from: Vec<Value>,
    pub(super) left: Vec<String>,
    pub(super) refusal: Option<Refusal>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Refusal {
    pub(super) kind: String,
    pub(super) offset: Option<i64>,
    pub(super) source: Option<Shown>,
    pub(super) dest: Option<Shown>,
}

#[expect(dead_code, reason = "declared so that nothing else passes")]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct OpenRange {
    pub(super) first_offset: i64,
    pub(super) last_offset: Option<i64>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Range {
    pub(super) first_offset: i64,
    pub(super) last_offset: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Count {
    pub(super) kind: String,
    pub(super) severity: String,
    pub(super) stretches: u64,
    pub(super) batches: u64,
    pub(super) records: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Difference {
    pub(super) offset: i64,
    pub(super) last_offset: Option<i64>,
    pub(super) kind: String,
    pub(super) severity: String,
    pub(super) batches: u64,
    pub(super) records: u64,
    pub(super) source: Option<Shown>,
    pub(super) dest: Option<Shown>,
}

#[expect(dead_code, reason = "declared so that nothing else passes")]
#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    tag = "type",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub(super) enum Shown {
    Batch {
        path: String,
        position: u64,
        size_in_bytes: u64,
        base_offset: i64,
        last_offset: i64,
        magic: u8,
        count: i32,
        compression: String,
        max_timestamp: i64,
        producer_id: i64,
        producer_id_hex: Option<String>,
        producer_epoch: i16,
        base_sequence: i32,
        last_sequence: i32,
        partition_leader_epoch: i32,
        is_transactional: bool,
        is_control: bool,
        control_type: Option<String>,
        crc: u32,
    },
    Damage {
        path: String,
        position: u64,
        size_in_bytes: u64,
        code: String,
        message: String,
        damages: u64,
        bytes_damaged: u64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Barrier {
    pub(super) offset: i64,
    pub(super) control_type: String,
    pub(super) r#in: String,
    pub(super) producer_id: i64,
    pub(super) producer_id_hex: Option<String>,
    pub(super) partition_leader_epoch: i32,
    pub(super) source_cluster_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct IdPair {
    pub(super) producer_id: Option<i64>,
    pub(super) producer_id_hex: Option<String>,
    pub(super) dest_producer_id: Option<i64>,
    pub(super) dest_producer_id_hex: Option<String>,
    pub(super) relation: String,
    pub(super) mapping: Option<String>,
    pub(super) region: Option<i64>,
    pub(super) batches: u64,
    pub(super) first_offset: i64,
    pub(super) last_offset: i64,
    pub(super) collision: Option<Value>,
}
