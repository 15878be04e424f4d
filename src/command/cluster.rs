//! `kfsck cluster`: what `__cluster_metadata` says of the cluster.

use std::path::PathBuf;

use clap::Args;
use kfsck::analysis::cluster_log::{ClusterFault, ClusterLog};
use kfsck::format::number::Offset;
use kfsck::report::cluster;
use kfsck::report::one_line::on_one_line;

use super::metadata_partition;
use super::number::end_offset;
use super::output::OutputOptions;
use super::session::Session;

/// Show the cluster as its metadata log tells it: brokers, topics, features, configurations
///
/// Reads the newest snapshot of `__cluster_metadata` that is whole and the log behind it, as a
/// controller does, and ends at the first thing that cannot be read or applied: what lies behind
/// would build on what is missing. Whether the quorum had committed the last records the files do
/// not tell.
///
/// The producer ids below nextProducerId were given out to brokers in blocks of 1000: ids that a
/// mirror brings from another cluster collide with them, or will.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck cluster /var/kafka/metadata
  kfsck cluster --at-offset 1200 __cluster_metadata-0
  kfsck cluster --format json data | jq -r '.topics[] | [.topicId, .name] | @tsv'")]
pub(super) struct Cluster {
    /// The directory __cluster_metadata-0, or a log directory with it
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// As it was when the metadata log ended at this offset
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = end_offset)]
    at_offset: Option<Offset>,

    #[command(flatten)]
    output: OutputOptions,
}

impl Cluster {
    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let Some(operand) = metadata_partition::listed(&self.path, session) else {
            return Ok(());
        };
        let Some(found) = metadata_partition::found(&self.path, &operand, session) else {
            return Ok(());
        };
        let log = ClusterLog::read_to(found, self.at_offset, session.access);
        for fault in &log.faults {
            match fault {
                ClusterFault::Read(error) => session.read_error(error),
                ClusterFault::Place { .. } | ClusterFault::Whole { .. } => {
                    let told = format!("{fault}; {}", fault.next_step());
                    session.warning(&on_one_line(&told));
                }
            }
        }
        let (end, read_to) = (log.end_offset, log.read_to);
        if let Some(at) = self.at_offset.filter(|at| *at > read_to) {
            let message = format!("offset {at} is not there: read up to {read_to}");
            session.note(&found.path, &message);
        }
        if read_to > end {
            let message = format!(
                "the transaction that began at offset {end} is open at offset {read_to}: its \
                 records do not count until it has ended"
            );
            session.note(&found.path, &message);
        }
        let answer = match self.output.json() {
            Some(wide) => cluster::json(&log, wide),
            None => cluster::text(&found.path, &log),
        };
        Ok(session.write(&answer)?)
    }
}
