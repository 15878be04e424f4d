//! Why a repair is not planned or could not be carried out.

use crate::format::malformed::Malformed;
use crate::format::number::Offset;
use crate::storage::source::ReadError;
use std::io;
use std::path::PathBuf;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What was asked for is not done to this partition.
    #[error("{}: {refusal}", path.display())]
    Refused {
        /// The partition's directory.
        path: PathBuf,
        /// Why.
        refusal: Refusal,
    },
}

/// Why a repair is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The log of the cluster's metadata.
    #[error(
        "the records of __cluster_metadata are not repaired: a controller without them would act \
         on another cluster than its peers; wipe the directory of this replica and let it fetch \
         the log from the quorum"
    )]
    ClusterMetadata,
    /// The directory of a partition that is deleted or moved away.
    #[error("the directory is not a partition's own any more ({0})")]
    NotItsOwn(&'static str),
    /// A compaction was broken off when its result stood ready.
    #[error(
        "{0}: a compaction was broken off, and a broker that starts puts this file in the place of \
         others; start a broker once, or move the file away, then plan again"
    )]
    UnfinishedSwap(String),
    /// Files cannot be listed.
    #[error("not all of the directory can be listed: {0}")]
    Unlisted(String),
    /// A log with damage, where only sound ones are changed.
    #[error("byte {position} is damaged ({what}): `kfsck repair log` first")]
    NotSound {
        /// Where, in bytes from the start of the file.
        position: u64,
        /// What is wrong.
        what: String,
    },
    /// A topic that brokers write for themselves.
    #[error(
        "{0} is an internal topic: brokers write it for themselves, and what its producers mean \
         is known to them alone"
    )]
    Internal(&'static str),
    /// A broker does not start with the directory as it is, or changes its log.
    #[error("a broker that loads the partition {0}: `kfsck repair log` first")]
    NotLoaded(String),
    /// Something that the producers of the log do not allow.
    #[error("{0}")]
    Producers(String),
    /// Transaction coordinators of another cluster.
    #[error(
        "--transaction-log {} is of cluster {theirs}, {} of cluster {ours}, by their \
         meta.properties: coordinators of another cluster know nothing of a transaction here, so \
         to them each one hangs; give a log directory of cluster {ours}, or one that holds copies \
         of all partitions of its __transaction_state",
        given.display(), home.display()
    )]
    OtherCluster {
        /// What was given.
        given: PathBuf,
        /// Its cluster.
        theirs: String,
        /// The log directory of the partition, or what was given first.
        home: PathBuf,
        /// Its cluster.
        ours: String,
    },
    /// A cut where segments are in remote storage.
    #[error(
        "the log starts in front of its first segment here, by log-start-offset-checkpoint: what \
         lies between is in remote storage, and metadata there may tell of segments up to the \
         offsets that a cut takes away; --salvage keeps them, --force cuts the local log alone"
    )]
    Tiered,
    /// Two segments with the same base offset.
    #[error("two segments begin at offset {0}; move one of them away")]
    SameBase(Offset),
}

/// Why a plan was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// An old file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An old batch cannot be changed.
    #[error("{file}: {fault}")]
    Malformed {
        /// The old file's name.
        file: String,
        /// What is wrong.
        fault: Malformed,
    },
    /// The system refused.
    #[error("{}: {reason}", path.display())]
    System {
        /// The file or directory.
        path: PathBuf,
        /// What it said.
        reason: io::Error,
    },
    /// A directory for the result cannot be made.
    #[error("{}: cannot be made: {reason}; choose another --output", path.display())]
    Unmade {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Something lies where the result should go.
    #[error(
        "{}: expected nothing or an empty directory, found {found}: choose another --output, or \
         remove it if nobody needs it", path.display()
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// Another run writes the same result.
    #[error("{}: another run of kfsck writes there", path.display())]
    Claimed {
        /// The directory.
        path: PathBuf,
    },
    /// A broker holds the log directory.
    #[error(
        "{}: a running process holds this lock, most likely a broker; stop it first", path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The result would lie where a broker finds it.
    #[error(
        "{}: lies in a log directory or in a partition, {}, where a foreign directory keeps a \
         broker from starting; choose a place outside", path.display(), around.display()
    )]
    InLogDirectory {
        /// The place asked for.
        path: PathBuf,
        /// The directory that it lies in.
        around: PathBuf,
    },
    /// Files changed since the plan was made or since a repair was broken off.
    #[error(
        "{}: changed since the repair began: has a broker run meanwhile? The repair that was \
         broken off is not finished; what it had set aside lies in {}",
        path.display(), work.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Where backups lie.
        work: PathBuf,
    },
    /// What a repair that was broken off has left does not read.
    #[error(
        "{}: not a journal of a repair: {reason}; which files were replaced is not known, and old \
         ones lie beside it: compare them with those in the partition, put back what is missing, \
         move the journal's directory away, and plan again", path.display()
    )]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
