//! `kfsck repair`: a plan for each partition, shown, and carried out unless it is only asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use kfsck::format::number::Offset;
use kfsck::repair::apply::disk::SystemDisk;
use kfsck::repair::apply::in_place::{self, Settled};
use kfsck::repair::apply::{output, verify};
use kfsck::repair::error::{ApplyError, PlanError};
use kfsck::repair::internal_topic;
use kfsck::repair::plan::Plan;
use kfsck::repair::replicas::ClusterMetadata;
use kfsck::repair::terms::{How, Terms};
use kfsck::report::json::WideIntegers;
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::report::repair::{JSON_HEAD, JSON_TAIL, Outcome, View, json, text};
use kfsck::state::rules::{RuleSet, Stock};
use kfsck::storage::checkpoints::CheckpointFault;
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::listener::Listener;
use kfsck::storage::lock::{Lock, probe};
use kfsck::storage::partition_name::{CLUSTER_METADATA, PartitionName};
use kfsck::storage::work_directory::{log_directory, unsettled};

use super::partition_files::CheckpointsBeside;
use super::repair_options::{Common, LogOptions};
use super::repair_producers::{AbortOptions, Asked, BarrierOptions, PidsOptions, SnapshotOptions};
use super::repair_progress::{RepairProgress, WatchedDisk, Watching};
use super::repair_replicas;
use super::repair_tally::Tally;
use super::result_check;
use super::session::Session;
use super::status::Status;

/// Make a damaged partition sound again, as a plan that says first what is kept and what is lost
///
/// A broker must not run on the log directory: a lock that is held is an error. With --output the
/// input is only read, and the whole partition is written to DIR/TOPIC-PARTITION. With --in-place
/// files that change are set aside beside the log directory, and a run that is broken off is
/// finished or undone by the next one.
///
/// If another replica is healthy, do not repair: move the directory out of the log directory and
/// let the broker fetch the partition again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck repair log --salvage --dry-run orders-0
  kfsck repair log --truncate --output repaired data/orders-0
  kfsck repair index --in-place data
Exit codes: 0 nothing to do, or the result is sound; 1 with --dry-run something to do, else
something is left; 3 not planned or not written.")]
pub(super) struct Repair {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Take out of the log what cannot be read
    ///
    /// Damage is whatever is no batch, a batch with a wrong checksum or records that do not decode,
    /// offsets that do not rise, and batches that end a broker that reads them. Indexes, producer
    /// snapshots and leader-epoch-checkpoint follow the log. Offsets are never renumbered.
    #[command(after_help = LOG_EXAMPLES)]
    Log(LogOptions),
    /// Build offset, time and transaction indexes anew where they are missing or wrong
    ///
    /// From the log alone, byte for byte as a broker's recovery builds them. An index that is right
    /// stays, also where a running broker has put its entries elsewhere than a recovery would.
    #[command(after_help = INDEX_EXAMPLES)]
    Index(Common),
    Snapshot(Box<SnapshotOptions>),
    Pids(Box<PidsOptions>),
    Barrier(Box<BarrierOptions>),
    Abort(Box<AbortOptions>),
}

const LOG_EXAMPLES: &str = "\
Examples:
  kfsck repair log --salvage --dry-run orders-0
  kfsck repair log --truncate --output repaired data/orders-0
  kfsck repair log --salvage --in-place data/orders-0";

const INDEX_EXAMPLES: &str = "\
Examples:
  kfsck repair index --dry-run data
  kfsck repair index --output repaired data/orders-0
  kfsck repair index --in-place data";

impl Verb {
    const fn common(&self) -> &Common {
        match self {
            Self::Log(log) => &log.common,
            Self::Index(common) => common,
            Self::Snapshot(options) => &options.common,
            Self::Pids(options) => &options.common,
            Self::Barrier(options) => &options.common,
            Self::Abort(options) => &options.common,
        }
    }

    /// Where the metadata lie that name the replicas.
    fn cluster_metadata(&self) -> Option<&Path> {
        match self {
            Self::Barrier(options) => options.cluster_metadata(),
            Self::Abort(options) => options.cluster_metadata(),
            Self::Log(_) | Self::Index(_) | Self::Snapshot(_) | Self::Pids(_) => None,
        }
    }
}

impl Repair {
    /// What clap cannot tell by itself, with the names of the command that it concerns.
    pub(super) fn validate(&self) -> Result<(), (&'static [&'static str], clap::Error)> {
        match &self.verb {
            Verb::Snapshot(options) => options
                .asked()
                .map(|_| ())
                .map_err(|error| (["repair", "snapshot"].as_slice(), error)),
            Verb::Pids(options) => options
                .pids()
                .map(|_| ())
                .map_err(|error| (["repair", "pids"].as_slice(), error)),
            Verb::Barrier(options) => options
                .asked()
                .map(|_| ())
                .map_err(|error| (["repair", "barrier"].as_slice(), error)),
            Verb::Log(_) | Verb::Index(_) | Verb::Abort(_) => Ok(()),
        }
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let common = self.verb.common();
        let mut operands = Vec::new();
        for path in &common.paths {
            match directory::expand(path) {
                Ok(Operand::File(file)) => session.error(&format!(
                    "{}: expected a partition's directory or a log directory, found a file",
                    on_one_line(&file.path.to_string_lossy())
                )),
                Ok(operand) => operands.push(operand),
                Err(error) => session.read_error(&error),
            }
        }
        let is_forced = match &self.verb {
            Verb::Log(log) => !log.truncate || log.force,
            _ => true,
        };
        let (mut rules, mut asked): (&dyn RuleSet, _) = (&Stock, Asked::Index);
        match &self.verb {
            Verb::Log(log) if log.truncate => asked = Asked::Log(How::Truncate),
            Verb::Log(_) => asked = Asked::Log(How::Salvage),
            Verb::Index(_) => {}
            Verb::Snapshot(options) => {
                rules = options.rules();
                asked = options.asked()?;
            }
            Verb::Pids(options) => asked = options.asked(&operands, session)?,
            Verb::Barrier(options) => {
                rules = options.rules();
                asked = options.asked()?;
            }
            Verb::Abort(options) => asked = options.asked(&operands, session),
        }
        let asked_of = self.verb.cluster_metadata();
        let metadata = asked_of.and_then(|path| repair_replicas::read(path, session));
        if asked_of.is_some() && metadata.is_none() && !common.dry_run {
            // Whoever names the metadata wants nothing written that they speak against.
            return Ok(());
        }
        let mut run = Run {
            common,
            is_forced,
            asked,
            metadata,
            rules,
            checkpoints: CheckpointsBeside::default(),
            wide: common.output.json(),
            is_one: matches!(operands.as_slice(), [Operand::Partition(_)]),
            progress: RepairProgress::start(&operands, common.dry_run, session),
            shown: 0,
            tally: Tally::default(),
            locked: None,
        };
        run.all(&operands, session)
    }
}

/// One run over all paths.
struct Run<'a> {
    common: &'a Common,
    /// Whether a log may be cut part of which lies in remote storage.
    is_forced: bool,
    asked: Asked,
    metadata: Option<ClusterMetadata>,
    rules: &'static dyn RuleSet,
    checkpoints: CheckpointsBeside,
    wide: Option<WideIntegers>,
    /// One partition makes the whole document.
    is_one: bool,
    progress: Arc<RepairProgress>,
    shown: usize,
    tally: Tally,
    /// The log directory of the last partition, if a process holds its lock and that was told.
    locked: Option<PathBuf>,
}

impl Run<'_> {
    fn all(&mut self, operands: &[Operand], session: &mut Session) -> anyhow::Result<()> {
        let is_list = self.wide.is_some() && !self.is_one;
        if is_list {
            session.write(JSON_HEAD)?;
        }
        for operand in operands {
            let is_whole = matches!(operand, Operand::Log(_));
            for partition in operand.partitions() {
                let name = partition.name.as_ref().filter(|_| is_whole);
                match name.and_then(|name| self.passed_over(name)) {
                    Some(why) => session.note(&partition.path, &why),
                    None => {
                        self.tally.asked += 1;
                        self.partition(partition, session)?;
                    }
                }
            }
        }
        if self.wide.is_none() && self.tally.asked > 1 {
            session.write(self.tally.line(self.common.dry_run).as_bytes())?;
        }
        if is_list {
            session.write(JSON_TAIL)?;
        }
        if self.wide.is_some() && (is_list || self.shown > 0) {
            session.write(b"\n")?;
        }
        Ok(())
    }

    /// Why a partition that was not asked for by name stays as it is.
    fn passed_over(&self, name: &PartitionName) -> Option<&'static str> {
        if name.state.is_some() {
            return Some("not a partition's own directory any more; passed over");
        }
        let topic = internal_topic(Some(name))?;
        let is_passed = match self.asked {
            Asked::Log(_) | Asked::Abort { .. } => topic == CLUSTER_METADATA,
            Asked::Pids { .. } | Asked::Barrier(_) => true,
            Asked::Index | Asked::Rebuild(_) | Asked::Snapshot(_) => false,
        };
        match (is_passed, topic) {
            (false, _) => None,
            (true, CLUSTER_METADATA) => {
                Some("the log of the cluster's metadata is not repaired; passed over")
            }
            (true, _) => Some("an internal topic, whose producers stay as they are; passed over"),
        }
    }

    fn partition(
        &mut self,
        partition: &PartitionDirectory,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let Some(relisted) = self.settled(partition, session) else {
            return Ok(());
        };
        let partition = relisted.as_ref().unwrap_or(partition);
        self.progress.begin(partition);
        let checkpoints = self.checkpoints.of(&partition.path, session);
        let mut faults = checkpoints.faults.iter();
        let is_known = faults.all(|fault| !matches!(fault, CheckpointFault::Read(_)));
        if !is_known && !self.common.dry_run {
            session.error(&format!(
                "{}: nothing is written, for not all checkpoints beside it can be read, and they \
                 say where its log begins",
                path_on_one_line(&partition.path)
            ));
            return Ok(());
        }
        let name = partition.name.as_ref();
        let log_start = name.and_then(|name| checkpoints.log_start_offset(name));
        let interval = u64::from(self.common.index_interval_bytes);
        let terms = Terms {
            index_interval_bytes: interval,
            local_start: log_start.filter(|_| !self.is_forced),
            rules: self.rules,
            listener: Some(Arc::clone(&self.progress) as Arc<dyn Listener>),
            ..Terms::new(session.access, log_start.unwrap_or(Offset(0)))
        };
        match self.asked.plan(partition, log_start, &terms) {
            Ok(mut plan) => {
                if let Some(metadata) = self.metadata.as_ref().filter(|_| !plan.is_empty()) {
                    metadata.tell(partition, session.access, &mut plan);
                }
                self.carry_out(&plan, &terms, session)
            }
            Err(PlanError::Read(error)) => {
                session.read_error(&error);
                Ok(())
            }
            Err(error) => {
                session.error(&on_one_line(&error.to_string()));
                Ok(())
            }
        }
    }

    /// Ends what an earlier run in place has left; `None` where that stands in the way.
    fn settled(
        &self,
        partition: &PartitionDirectory,
        session: &mut Session,
    ) -> Option<Option<PartitionDirectory>> {
        let path = &partition.path;
        let Some(work) = unsettled(path) else {
            return Some(None);
        };
        if !self.common.in_place || self.common.dry_run {
            session.error(&format!(
                "{}: a repair in place was broken off ({}); any `kfsck repair` of it with \
                 --in-place finishes or undoes it first",
                path.display(),
                work.display()
            ));
            return None;
        }
        match in_place::settle(&mut SystemDisk, path) {
            Ok(Settled::Nothing) => {}
            Ok(Settled::Undone) => session.note(
                path,
                &"an earlier repair was broken off before it changed anything: undone",
            ),
            Ok(Settled::Finished) => {
                session.note(path, &"an earlier repair was broken off: finished now");
            }
            Err(error) => {
                session.error(&on_one_line(&error.to_string()));
                return None;
            }
        }
        Some(Some(PartitionDirectory::list(path)))
    }

    fn carry_out(
        &mut self,
        plan: &Plan,
        terms: &Terms,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        if self.common.dry_run {
            self.tally.count(plan);
            if !plan.is_empty() {
                session.met(Status::Found);
                self.tell_lock(plan, session);
            }
            return self.show(
                &View {
                    plan,
                    outcome: None,
                },
                session,
            );
        }
        match self.write(plan, terms, session) {
            Ok(written) => {
                self.tally.count(plan);
                if !written.left.is_empty() {
                    session.met(Status::Found);
                }
                let outcome = Some(Outcome {
                    path: &written.path,
                    set_aside: written.set_aside.as_deref(),
                    log_start: Some(terms.log_start).filter(|start| *start > Offset(0)),
                    left: &written.left,
                });
                self.show(&View { plan, outcome }, session)
            }
            Err(error) => {
                self.show(
                    &View {
                        plan,
                        outcome: None,
                    },
                    session,
                )?;
                session.error(&on_one_line(&error.to_string()));
                Ok(())
            }
        }
    }

    /// Says once of a log directory that nothing could be carried out while its lock is held.
    fn tell_lock(&mut self, plan: &Plan, session: &mut Session) {
        let place = log_directory(&plan.directory);
        if self.locked.as_ref() == Some(&place) {
            return;
        }
        if let Ok(Lock::Held(lock)) = probe(&place) {
            session.note(
                &lock,
                &"a process holds this lock: stop the broker before the repair is carried out",
            );
            self.locked = Some(place);
        }
    }

    fn write(
        &mut self,
        plan: &Plan,
        terms: &Terms,
        session: &mut Session,
    ) -> Result<Written, ApplyError> {
        let progress = Arc::clone(&self.progress);
        let disk = &mut WatchedDisk(&progress);
        let (path, set_aside) = match &self.common.output_dir {
            Some(output) => {
                let written = output::write(disk, plan, output, terms.access)?;
                if written.replaced {
                    let what = "it takes the place of what a run that was broken off had left";
                    session.note(&written.path, &what);
                }
                (written.path, None)
            }
            None if plan.is_empty() => (plan.directory.clone(), None),
            None => {
                let aside = in_place::apply(disk, plan, terms.access)?;
                (plan.directory.clone(), Some(aside))
            }
        };
        let left = self.left(&path, plan, terms, session)?;
        Ok(Written {
            path,
            set_aside,
            left,
        })
    }

    /// What is still not as it should be with a result: how a broker would load it, and what
    /// `kfsck check` finds in it by the rules of this repair.
    fn left(
        &mut self,
        path: &Path,
        plan: &Plan,
        terms: &Terms,
        session: &mut Session,
    ) -> Result<Vec<String>, ApplyError> {
        let mut left = verify::verify(path, &plan.topic_partition, terms)?;
        let check = result_check::terms(terms.rules, self.common.now(), terms.access);
        let checkpoints = self.checkpoints.of(&plan.directory, session);
        let mut watching = Watching {
            progress: &self.progress,
            unread: Vec::new(),
        };
        left.extend(verify::check(path, checkpoints, &check, &mut watching));
        for error in &watching.unread {
            session.read_error(error);
        }
        Ok(left)
    }

    fn show(&mut self, view: &View<'_>, session: &mut Session) -> anyhow::Result<()> {
        let mut out = Vec::new();
        let between = if self.wide.is_some() { b',' } else { b'\n' };
        if self.shown > 0 {
            out.push(between);
        }
        match self.wide {
            Some(wide) => json(view, wide, &mut out),
            None => out.extend_from_slice(text(view).as_bytes()),
        }
        self.shown += 1;
        session.write(&out)?;
        Ok(())
    }
}

/// What was written.
struct Written {
    path: PathBuf,
    set_aside: Option<PathBuf>,
    left: Vec<String>,
}
