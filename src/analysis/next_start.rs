//! What a stock 4.4.0 broker will do with a partition when it next starts.
//!
//! The load itself is [`crate::state::load`]'s; here its outcome is held against what the files
//! hold now. A clean load reads little, as it does on a broker: the log is read in full only where
//! a broker reads it too, where something is lost and must be counted, or where producers may be
//! forgotten that the log tells of.

pub mod aborts;
pub mod brokers;
mod judge;
pub mod log_directory;
mod readable;
pub mod stray;
pub mod together;
mod verdict;

use crate::analysis::belief::name_of;
use crate::format::number::{Offset, Timestamp};
use crate::state::load::LoadOptions;
use crate::state::rules::Stock;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::source::{Access, ReadError};
use aborts::Aborts;

/// What the start does, the worst of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Nothing is cut and nothing is read again.
    CleanLoad,
    /// Segments are read again, and nothing is lost.
    Recovers,
    /// Records of aborted transactions become visible to consumers that read committed data.
    HidesAborts,
    /// What is known of producers is lost.
    LosesProducerState,
    /// A segment is cut.
    Truncates,
    /// Whole segments are deleted.
    DeletesSegments,
    /// The process ends.
    BrokerFails,
}

/// What is said of a start of which there is nothing to say.
const UNEVENTFUL: &str = "nothing is cut and nothing is read again";

impl NextStart {
    /// Whether there is nothing to say: neither of this start nor of one after another stop.
    #[must_use]
    pub fn is_uneventful(&self) -> bool {
        self.action == Action::CleanLoad && self.reason == UNEVENTFUL
    }
}

impl Action {
    /// The spelling in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CleanLoad => "clean-load",
            Self::Recovers => "recovers",
            Self::HidesAborts => "hides-aborts",
            Self::LosesProducerState => "loses-producer-state",
            Self::Truncates => "truncates",
            Self::DeletesSegments => "deletes-segments",
            Self::BrokerFails => "broker-fails",
        }
    }
}

/// The next start of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStart {
    /// The partition as `topic-0`, or its directory's name.
    pub topic_partition: String,
    /// What happens.
    pub action: Action,
    /// Where: the first offset that is lost, the one from which the log is read again, or that of
    /// the batch at which the process ends.
    pub offset: Option<Offset>,
    /// How many records are lost that are there now and can be read.
    pub records_lost: u64,
    /// Why, and what else happens, in words.
    pub reason: String,
    /// The producers that it forgets.
    pub forgotten: Option<Forgotten>,
    /// What ends the whole broker, or takes this log directory offline, where that is something
    /// else than this partition: another partition, or a file beside them.
    pub blocked_by: Option<String>,
    /// Of a start that fails: whether the broker loses this log directory alone, if it has others.
    pub is_of_directory: bool,
}

/// Producers that a start does not know any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forgotten {
    /// How many.
    pub producers: u64,
    /// How many of them have a transaction open.
    pub open_transactions: u64,
    /// Where the log ends then.
    pub log_end_offset: Offset,
}

/// What a judgement depends on beside the files.
#[derive(Debug, Clone, Copy)]
pub struct StartOptions<'a> {
    /// Map the files or read them plainly.
    pub access: Access,
    /// When the broker starts; without a time no producer expires.
    pub now: Option<Timestamp>,
    /// `producer.id.expiration.ms`, in milliseconds.
    pub expiration_ms: i64,
    /// The aborted transactions of the log, to be held against its transaction indexes. Finding
    /// them takes a reading of the whole log, which a check does anyway; without them
    /// [`Action::HidesAborts`] is never the answer.
    pub aborts: Option<&'a Aborts>,
}

/// Judges a partition's directory. `checkpoints` are those of its log directory. Where none lies
/// beside it, as beside a copy, the stop is taken for a clean one, and the reason says what would
/// come of another where that is worse.
///
/// # Errors
/// A file that cannot be read, or was changed meanwhile. One that may not be read is no error: a
/// broker that may not either does not start.
pub fn of(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    options: &StartOptions<'_>,
) -> Result<NextStart, ReadError> {
    let topic_partition = name_of(directory);
    let load = load_options(directory, checkpoints, options);
    let judge =
        |load: &LoadOptions| judge::judge(directory, &topic_partition, load, checkpoints, options);
    let mut verdict = judge(&load)?;
    if !checkpoints.is_present && load.clean_shutdown {
        let load = LoadOptions {
            clean_shutdown: false,
            ..load
        };
        verdict.or_after_an_unclean_stop(&judge(&load)?);
    }
    Ok(verdict.into_next_start(topic_partition))
}

fn load_options(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    options: &StartOptions<'_>,
) -> LoadOptions {
    let name = directory.name.as_ref();
    let (log_start_offset, recovery_point) =
        name.map_or((Offset(0), Offset(0)), |name| checkpoints.loaded_with(name));
    let load = LoadOptions {
        access: options.access,
        clean_shutdown: checkpoints.count_as_clean(),
        recovery_point,
        log_start_offset,
        now: options.now,
        producer_id_expiration_ms: options.expiration_ms,
        ..LoadOptions::new(&Stock)
    };
    match name.is_some_and(|name| name.topic == CLUSTER_METADATA) {
        // `KafkaRaftLog.createLog` asks no checkpoint.
        true => LoadOptions {
            clean_shutdown: false,
            recovery_point: Offset(0),
            log_start_offset: Offset(0),
            ..load
        },
        false => load,
    }
}
