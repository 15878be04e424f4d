//! What all verbs of `kfsck repair` take, and what `repair log` does.

use std::path::PathBuf;

use clap::Args;
use kfsck::format::number::Timestamp;

use super::output::OutputOptions;
use super::time;

#[derive(Debug, Args)]
#[group(id = "how", required = true, multiple = false, args = ["truncate", "salvage"])]
pub(super) struct LogOptions {
    /// End the log in front of the first damage, as a broker's recovery does
    #[arg(long)]
    pub(super) truncate: bool,

    /// Keep every sound batch, also behind damage; for the last copy that is left
    #[arg(long)]
    salvage: bool,

    /// Cut the log also where segments of it lie in remote storage
    #[arg(long, requires = "truncate")]
    pub(super) force: bool,

    #[command(flatten)]
    pub(super) common: Common,
}

/// What a broker comes with.
const DEFAULT_INDEX_INTERVAL_BYTES: u32 = 4096;

/// What every verb takes.
#[derive(Debug, Args)]
#[group(id = "where", required = true, multiple = true)]
#[group(args = ["output_dir", "in_place", "dry_run"])]
pub(super) struct Common {
    /// Partition directories, and log directories for all partitions in them
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,

    /// Write the result to DIR/TOPIC-PARTITION
    #[arg(long = "output", value_name = "DIR", conflicts_with = "in_place")]
    pub(super) output_dir: Option<PathBuf>,

    /// Change the partition where it lies
    #[arg(long)]
    pub(super) in_place: bool,

    /// Only show the plan
    #[arg(long)]
    pub(super) dry_run: bool,

    /// The topic's index.interval.bytes: how far apart the entries of new indexes lie at least
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_INDEX_INTERVAL_BYTES)]
    pub(super) index_interval_bytes: u32,

    /// The time to judge by: ISO-8601, or milliseconds since 1970 [default: the clock]
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    now: Option<Timestamp>,

    #[command(flatten)]
    pub(super) output: OutputOptions,
}

impl Common {
    /// The time to judge by.
    pub(super) fn now(&self) -> Timestamp {
        self.now.unwrap_or_else(time::now)
    }
}
