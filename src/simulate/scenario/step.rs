//! The steps of a scenario.

use super::{DEFAULT_PARTITION, is_default};
use serde::{Deserialize, Serialize};

/// One step. The clock goes on by a second with each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// A writer writes batches.
    Produce(ProduceStep),
    /// A writer sends its last batch again.
    Retry(RetryStep),
    /// A writer begins a transaction.
    Begin(WriterStep),
    /// A writer commits.
    Commit(WriterStep),
    /// A writer aborts.
    Abort(WriterStep),
    /// A writer gets the next epoch of its id; its sequences begin again.
    BumpEpoch(WriterStep),
    /// A mirror fetches; it is set up first where there is none.
    Mirror(MirrorStep),
    /// A mirror stops: its partitions become writable.
    Stop(StopStep),
    /// The same, since the source is gone.
    FailOver(StopStep),
    /// A former source becomes the destination: it is cut to what both share.
    FailBack(LinkStep),
    /// A mirror goes on with another source, at the destination's end.
    Reassign(LinkStep),
    /// A mirror stops fetching for a while.
    Pause(ClusterStep),
    /// A mirror that was paused goes on.
    Resume(ClusterStep),
    /// A broker stops and starts.
    Restart(RestartStep),
    /// Another replica leads.
    Elect(ReplicaStep),
    /// A follower fetches no more on its own, only when a write waits for it or a step says so.
    Lag(ReplicaStep),
    /// A follower fetches.
    Fetch(FetchStep),
    /// Every replica of a cluster begins a new segment.
    Roll(ClusterStep),
    /// Time passes; producers that were silent for a day are forgotten.
    Wait(WaitStep),
    /// What must hold now.
    Expect(ExpectStep),
}

fn partition() -> String {
    DEFAULT_PARTITION.to_owned()
}

fn is_default_partition(name: &str) -> bool {
    name == DEFAULT_PARTITION
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_one(value: &u32) -> bool {
    *value == 1
}

/// A writer writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProduceStep {
    /// Who.
    pub writer: String,
    /// Where, if not on its own cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// To which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
    /// How many records in a batch, 1 to 1000.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub records: u32,
    /// How many batches, 1 to 1000.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub batches: u32,
    /// The confirmation of the last batch never reaches the writer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ack_lost: bool,
}

/// A writer sends its last batch again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryStep {
    /// Who.
    pub writer: String,
    /// Where, if not on its own cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// To which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
}

/// A step of a writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriterStep {
    /// Who.
    pub writer: String,
}

/// What a mirror fetches of a source with open transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Isolation {
    /// All below the source's high watermark.
    #[default]
    ReadUncommitted,
    /// All below the source's last stable offset.
    ReadCommitted,
}

/// A mirror fetches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MirrorStep {
    /// The source.
    pub from: String,
    /// The destination.
    pub to: String,
    /// Which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
    /// At most this many batches; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batches: Option<usize>,
    /// So many batches in one fetch.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub chunk: u32,
    /// What is fetched of open transactions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub isolation: Isolation,
    /// The destination's leader epoch is raised behind this fetch only: batches of an epoch above
    /// it are skipped, and all behind them. Without effect where batches are rewritten.
    #[serde(default, skip_serializing_if = "is_default")]
    pub late_fencing: bool,
}

/// What becomes of the barrier at a stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BarrierWrite {
    /// It is written, if the strategy has one.
    #[default]
    Written,
    /// It is skipped: the source's cluster id is unknown (P5).
    Skipped,
    /// It is written twice: the answer to the first came too late.
    Repeated,
}

/// What becomes of the ABORT markers at a stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Aborts {
    /// They are written, in the form that has them.
    #[default]
    Written,
    /// Writing them fails, and the stop goes on (P3).
    Failed,
}

/// A mirror stops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopStep {
    /// The destination.
    pub cluster: String,
    /// Which partition; all that are mirrored when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic_partition: Option<String>,
    /// What becomes of the barrier.
    #[serde(default, skip_serializing_if = "is_default")]
    pub barrier: BarrierWrite,
    /// What becomes of the ABORT markers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub aborts: Aborts,
}

/// A mirror gets a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkStep {
    /// The source.
    pub from: String,
    /// The destination.
    pub to: String,
    /// Which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
}

/// A step of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClusterStep {
    /// Which.
    pub cluster: String,
}

/// A step of a replica.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplicaStep {
    /// The cluster.
    pub cluster: String,
    /// The broker, from 0.
    pub replica: usize,
    /// Which partition; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic_partition: Option<String>,
}

/// How a broker stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stop {
    /// In order: a snapshot lies at the end of each log.
    Clean,
    /// By a crash: logs are read back from the recovery point.
    Unclean,
}

/// What became of the snapshot files meanwhile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Snapshots {
    /// They are there.
    #[default]
    Kept,
    /// They are gone.
    Lost,
}

/// A broker stops and starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartStep {
    /// The cluster.
    pub cluster: String,
    /// The broker, from 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub replica: usize,
    /// How it stops.
    pub stop: Stop,
    /// What became of its snapshots.
    #[serde(default, skip_serializing_if = "is_default")]
    pub snapshots: Snapshots,
}

/// A follower fetches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FetchStep {
    /// The cluster.
    pub cluster: String,
    /// The broker, from 0.
    pub replica: usize,
    /// Which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
    /// So many batches in one fetch; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
}

/// Time passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitStep {
    /// How long, in milliseconds, up to 10 years.
    pub ms: i64,
}

/// What must hold now on a cluster; each field that is there is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectStep {
    /// The cluster.
    pub cluster: String,
    /// Which partition.
    #[serde(default = "partition", skip_serializing_if = "is_default_partition")]
    pub topic_partition: String,
    /// This strategy alone is asked; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// These rules alone are asked; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The offset behind the last batch of the leader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_end_offset: Option<i64>,
    /// The leader's last stable offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stable_offset: Option<i64>,
    /// The producer ids of the leader's batches, in the order of the log, repeats once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer_ids: Option<Vec<i64>>,
    /// How many producers the leader keeps state of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producers: Option<usize>,
}
