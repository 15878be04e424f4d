//! The verbs of `kfsck repair` that change producers: their options, and which plan they ask for.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::analysis::unmix::{Decisions, MOST_WRITERS};
use kfsck::format::cluster_id;
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{Offset, ProducerId, Timestamp};
use kfsck::format::producer_id_mapping::{Mapping, Region};
use kfsck::format::producer_snapshot::Version;
use kfsck::repair::abort::{self, Abort};
use kfsck::repair::barrier::{self, Barrier};
use kfsck::repair::error::PlanError;
use kfsck::repair::new_ids;
use kfsck::repair::pids::{self, Known, Pids, Split};
use kfsck::repair::plan::Plan;
use kfsck::repair::snapshot::{self, Changes};
use kfsck::repair::terms::{How, Terms};
use kfsck::repair::{index, log, snapshot_rebuild};
use kfsck::state::rules::RuleSet;
use kfsck::storage::directory::{Operand, PartitionDirectory};

use super::repair_coordinators::Gathered;
use super::repair_options::Common;
use super::rules::StockRulesOption;
use super::session::Session;
use super::time;

/// Rebuild or change producer snapshots
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck repair snapshot --rebuild --dry-run orders-0
  kfsck repair snapshot --drop-pid -7 --output repaired orders-0
  kfsck repair snapshot --to-version 1 --output repaired orders-0")]
#[group(id = "what", required = true, multiple = true)]
#[group(args = ["rebuild", "drop_pid", "remap", "to_version", "set_source"])]
pub(super) struct SnapshotOptions {
    /// Write the snapshot at the log's end from the log, and make all others true
    #[arg(long, conflicts_with_all = ["drop_pid", "remap", "to_version", "set_source"])]
    rebuild: bool,

    /// Write the one at OFFSET, where a segment begins, instead of the one at the end
    #[arg(long, value_name = "OFFSET", requires = "rebuild")]
    #[arg(conflicts_with_all = ["drop_pid", "remap", "to_version", "set_source"])]
    at: Option<i64>,

    /// Take a producer out of every snapshot; refused while it has a transaction open
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    drop_pid: Vec<i64>,

    /// Give a producer another id in every snapshot
    #[arg(long, value_name = "OLD=NEW", value_parser = parse_pair, allow_hyphen_values = true)]
    remap: Vec<(ProducerId, ProducerId)>,

    /// Write version 1, of every release, or 2, of a fork of the bit-field design
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    to_version: Option<u8>,

    /// Name the cluster that a producer was mirrored from; version 2 only
    #[arg(long, value_name = "ID=CLUSTER", value_parser = parse_source)]
    #[arg(allow_hyphen_values = true)]
    set_source: Vec<(ProducerId, String)>,

    /// Take new ids all the same that a controller gives out
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    rules: StockRulesOption,

    #[command(flatten)]
    pub(super) common: Common,
}

/// Give batches other producer ids, in the log, its indexes and its snapshots
///
/// New ids must be free: neither in use in the partition nor known to `__transaction_state`, not
/// below 0, and not among those that a controller gives out. kfsck chooses from 2^62 up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck repair pids --split 5 --dry-run orders-0
  kfsck repair pids --remap 5=4611686018427387904 --output repaired orders-0
  kfsck repair pids --unmap negate --output repaired orders-0")]
#[group(id = "which", required = true, multiple = false)]
#[group(args = ["remap", "unmap", "map", "split"])]
pub(super) struct PidsOptions {
    /// Give all batches of a producer another id
    #[arg(long, value_name = "OLD=NEW", value_parser = parse_pair, allow_hyphen_values = true)]
    remap: Vec<(ProducerId, ProducerId)>,

    /// Undo what a mirroring draft made of ids
    #[arg(long, value_enum, value_name = "DRAFT")]
    unmap: Option<Draft>,

    /// Map ids from 0 up as a mirroring draft does
    #[arg(long, value_enum, value_name = "DRAFT", requires = "cluster_id")]
    map: Option<BitField>,

    /// The source cluster's id; with --unmap bit-field only its region is undone
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cluster_id: Option<String>,

    /// Tell the batches of two writers apart that share this id, and give the second another
    #[arg(long, value_name = "PID", allow_negative_numbers = true)]
    split: Option<i64>,

    /// The second writer's new id
    #[arg(
        long,
        value_name = "N",
        requires = "split",
        allow_negative_numbers = true
    )]
    #[arg(conflicts_with_all = ["remap", "unmap", "map"])]
    new_id: Option<i64>,

    /// How many writers may share the id; without it, as few as the log needs
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=MOST_WRITERS as i64))]
    #[arg(requires = "split", conflicts_with_all = ["remap", "unmap", "map"])]
    writers: u8,

    /// Say who wrote the batch at an offset: writer 0, 1, ..
    #[arg(long, value_name = "OFFSET=WRITER", value_parser = parse_decision, requires = "split")]
    #[arg(conflicts_with_all = ["remap", "unmap", "map"])]
    assign: Vec<(Offset, usize)>,

    /// A partition of __transaction_state, or a log directory that holds some; may be repeated
    ///
    /// Without it those in the partition's log directory are read.
    #[arg(long, value_name = "DIR")]
    transaction_log: Vec<PathBuf>,

    /// Do it where segments lie in remote storage, and with new ids that a controller gives out
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(super) common: Common,
}

/// Append the barrier that a mirror should have written when it stopped (MIRROR_PID_RESET)
///
/// It takes an offset, so it must be the same batch on every replica, with all of them stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck repair barrier --dry-run orders-0
  kfsck repair barrier --layout b --all-replicas-stopped --output repaired orders-0
  kfsck repair barrier --source-cluster-id ABEiM0RVZneImaq7zN3u_w --timestamp 1774000000000 \\
    --all-replicas-stopped --output repaired orders-0")]
pub(super) struct BarrierOptions {
    /// The cluster that was mirrored, for layout a
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    source_cluster_id: Option<String>,

    /// The layout of the barrier's value [default: a with --source-cluster-id, else b]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    layout: Option<Layout>,

    #[command(flatten)]
    rules: StockRulesOption,

    #[command(flatten)]
    appending: Appending,

    #[command(flatten)]
    pub(super) common: Common,
}

/// Append the ABORT that a hanging transaction waits for
///
/// It takes an offset, so it must be the same batch on every replica, with all of them stopped. A
/// transaction whose commit is decided is never aborted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck repair abort --producer-id 5 --transaction-log /mnt/copy --dry-run orders-0
  kfsck repair abort --producer-id 5 --transaction-log /mnt/copy --all-replicas-stopped \\
    --output repaired orders-0
  kfsck repair abort --producer-id 5 --force --timestamp 1774000000000 --all-replicas-stopped \\
    --output repaired orders-0")]
#[group(id = "right", required = true, multiple = true, args = ["transaction_log", "force"])]
pub(super) struct AbortOptions {
    /// Whose transaction
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    producer_id: i64,

    /// A partition of __transaction_state, or a log directory that holds some; may be repeated
    #[arg(long, value_name = "DIR")]
    transaction_log: Vec<PathBuf>,

    /// The cluster's transaction.state.log.num.partitions [default: found out, if it can be]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    transaction_log_partitions: Option<NonZeroU32>,

    /// The cluster's transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds
    #[arg(long, value_name = "TIME", value_parser = time::parse_duration, default_value = "15m")]
    #[arg(allow_negative_numbers = true)]
    max_transaction_timeout: i64,

    /// Abort whatever coordinators say, but for a commit that is decided
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    appending: Appending,

    #[command(flatten)]
    pub(super) common: Common,
}

/// What both verbs take that append.
#[derive(Debug, Args)]
struct Appending {
    /// The batch's time: ISO-8601, or milliseconds since 1970 [default: the clock]
    #[arg(long, value_name = "T", value_parser = since_1970, allow_negative_numbers = true)]
    timestamp: Option<Timestamp>,

    /// The directory __cluster_metadata-0, or the log directory that holds it: names the replicas
    #[arg(long, value_name = "DIR")]
    cluster_metadata: Option<PathBuf>,

    /// Confirm that no broker runs that has a replica of the partition
    #[arg(long, required_unless_present = "dry_run")]
    all_replicas_stopped: bool,
}

/// A batch's time: one before 1970 means to Kafka that there is none.
fn since_1970(text: &str) -> Result<Timestamp, String> {
    let time = time::parse(text).map_err(|error| error.to_string())?;
    match time.0 < 0 {
        true => Err("expected a time since 1970".to_owned()),
        false => Ok(time),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Draft {
    /// -(id + 2)
    Negate,
    /// Sign, 32 bits of the cluster's id, low 31 bits of the id
    BitField,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BitField {
    /// Sign, 32 bits of the cluster's id, low 31 bits of the id
    BitField,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// With the source cluster's id
    A,
    /// Without
    B,
}

/// What a run asks of each partition.
#[derive(Debug)]
pub(super) enum Asked {
    Log(How),
    Index,
    Rebuild(Option<Offset>),
    Snapshot(Changes),
    Pids {
        pids: Pids,
        force: bool,
        coordinators: Gathered,
    },
    Barrier(Barrier),
    Abort {
        abort: Abort<'static>,
        coordinators: Gathered,
    },
}

impl Asked {
    /// The plan for a partition; `log_start` is its line in log-start-offset-checkpoint.
    pub(super) fn plan(
        &self,
        partition: &PartitionDirectory,
        log_start: Option<Offset>,
        terms: &Terms,
    ) -> Result<Plan, PlanError> {
        match self {
            Self::Log(how) => log::plan(partition, *how, terms),
            Self::Index => index::plan(partition, terms),
            Self::Rebuild(at) => snapshot_rebuild::plan(partition, *at, terms),
            Self::Snapshot(changes) => snapshot::plan(partition, changes, terms),
            Self::Pids {
                pids,
                force,
                coordinators,
            } => {
                let known = Known {
                    coordinator: coordinators.own(partition)?,
                    force: *force,
                };
                pids::plan(partition, pids, known, log_start, terms)
            }
            Self::Barrier(barrier) => barrier::plan(partition, barrier, terms),
            Self::Abort {
                abort,
                coordinators,
            } => abort::plan(partition, &coordinators.abort(partition, abort)?, terms),
        }
    }
}

impl SnapshotOptions {
    pub(super) fn asked(&self) -> Result<Asked, clap::Error> {
        if self.rebuild {
            return Ok(Asked::Rebuild(self.at.map(Offset)));
        }
        let sources = self.set_source.iter();
        Ok(Asked::Snapshot(Changes {
            dropped: self.drop_pid.iter().copied().map(ProducerId).collect(),
            remapped: pairs(&self.remap)?,
            version: self.to_version.map(|version| match version {
                1 => Version::V1,
                _ => Version::V2,
            }),
            sources: sources
                .map(|(id, source)| (*id, source.clone().into_bytes()))
                .collect(),
            force: self.force,
        }))
    }

    pub(super) fn rules(&self) -> &'static dyn RuleSet {
        self.rules.set()
    }
}

impl PidsOptions {
    pub(super) fn pids(&self) -> Result<Pids, clap::Error> {
        let mut decisions = Decisions::new();
        for (offset, writer) in &self.assign {
            if decisions
                .insert(*offset, *writer)
                .is_some_and(|before| before != *writer)
            {
                return Err(usage(&format!(
                    "--assign: offset {offset} is given to two writers"
                )));
            }
        }
        let region = self.cluster_id.as_deref().map(region).transpose()?;
        Ok(match (self.split, self.unmap, self.map) {
            (Some(id), _, _) => Pids::Split(Split {
                producer_id: ProducerId(id),
                new_id: self.new_id.map(ProducerId),
                writers: usize::from(self.writers),
                decisions,
            }),
            (_, Some(Draft::Negate), _) => Pids::Which(pids::Which::UnmapNegated),
            (_, Some(Draft::BitField), _) => Pids::Which(pids::Which::UnmapBitField(region)),
            (_, _, Some(BitField::BitField)) => {
                let region = region.unwrap_or(Region(0));
                Pids::Which(pids::Which::Map(Mapping::BitField(region)))
            }
            _ => Pids::Which(pids::Which::Pairs(pairs(&self.remap)?)),
        })
    }

    pub(super) fn asked(
        &self,
        operands: &[Operand],
        session: &mut Session,
    ) -> Result<Asked, clap::Error> {
        Ok(Asked::Pids {
            pids: self.pids()?,
            force: self.force,
            coordinators: Gathered::new(&self.transaction_log, None, operands, session),
        })
    }
}

impl BarrierOptions {
    pub(super) fn rules(&self) -> &'static dyn RuleSet {
        self.rules.set()
    }

    pub(super) fn cluster_metadata(&self) -> Option<&Path> {
        self.appending.cluster_metadata.as_deref()
    }

    pub(super) fn asked(&self) -> Result<Asked, clap::Error> {
        let by_id = match self.source_cluster_id {
            Some(_) => Layout::A,
            None => Layout::B,
        };
        if self.source_cluster_id.as_deref() == Some("") {
            return Err(usage(
                "--source-cluster-id: expected a cluster's id, found nothing",
            ));
        }
        let value = match (self.layout.unwrap_or(by_id), &self.source_cluster_id) {
            (Layout::A, Some(id)) => MirrorPidReset::Sourced {
                version: 0,
                source_cluster_id: id.clone().into_bytes(),
                tagged_fields: Vec::new(),
            },
            (Layout::A, None) => {
                return Err(usage("layout a names the source: --source-cluster-id"));
            }
            (Layout::B, Some(_)) => {
                return Err(usage(
                    "layout b has no place for --source-cluster-id: leave one of them away",
                ));
            }
            (Layout::B, None) => MirrorPidReset::Bare { version: 0 },
        };
        let timestamp = self.appending.timestamp.unwrap_or_else(time::now);
        Ok(Asked::Barrier(Barrier { value, timestamp }))
    }
}

impl AbortOptions {
    pub(super) fn cluster_metadata(&self) -> Option<&Path> {
        self.appending.cluster_metadata.as_deref()
    }

    pub(super) fn asked(&self, operands: &[Operand], session: &mut Session) -> Asked {
        let count = self.transaction_log_partitions;
        let now = self.common.now();
        Asked::Abort {
            abort: Abort {
                producer_id: ProducerId(self.producer_id),
                timestamp: self.appending.timestamp.unwrap_or_else(time::now),
                coordinator: None,
                beside: None,
                force: self.force,
                now,
                max_timeout_ms: self.max_transaction_timeout,
            },
            coordinators: Gathered::new(&self.transaction_log, count, operands, session),
        }
    }
}

fn usage(message: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{message}\n"))
}

fn pairs(
    given: &[(ProducerId, ProducerId)],
) -> Result<BTreeMap<ProducerId, ProducerId>, clap::Error> {
    new_ids::pairs(given).map_err(|why| usage(&why))
}

fn region(text: &str) -> Result<Region, clap::Error> {
    cluster_id::parse(text)
        .map(Region::of)
        .map_err(|fault| usage(&format!("--cluster-id {text}: {fault}")))
}

fn parse_pair(text: &str) -> Result<(ProducerId, ProducerId), String> {
    let expected = || "expected two producer ids, OLD=NEW".to_owned();
    let (old, new) = text.split_once('=').ok_or_else(expected)?;
    let id = |text: &str| text.parse().map(ProducerId).map_err(|_| expected());
    Ok((id(old)?, id(new)?))
}

fn parse_source(text: &str) -> Result<(ProducerId, String), String> {
    let expected = || "expected a producer id and a cluster's id, ID=CLUSTER".to_owned();
    let (id, source) = text.split_once('=').ok_or_else(expected)?;
    let id = id.parse().map(ProducerId).map_err(|_| expected())?;
    Ok((id, source.to_owned()))
}

fn parse_decision(text: &str) -> Result<(Offset, usize), String> {
    let expected = || "expected an offset and the number of a writer, OFFSET=WRITER".to_owned();
    let (offset, writer) = text.split_once('=').ok_or_else(expected)?;
    let offset = offset.parse().map(Offset).map_err(|_| expected())?;
    let writer: usize = writer.parse().map_err(|_| expected())?;
    if writer > 7 {
        return Err("expected a writer from 0 to 7".to_owned());
    }
    Ok((offset, writer))
}
