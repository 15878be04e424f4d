//! One run of `kfsck check` over all its operands: a pool of threads over partitions, and one
//! report that hears of them in their order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kfsck::analysis::check::everything::{self, Gathered};
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::known_cluster::KnownCluster;
use kfsck::analysis::check::log_directory::{check_log_directories, checkpoint_files, of_finding};
use kfsck::analysis::check::terms::Terms;
use kfsck::analysis::check::watch::Watch;
use kfsck::analysis::next_start::Action;
use kfsck::analysis::next_start::brokers::Brokers;
use kfsck::analysis::next_start::log_directory::beside_partitions;
use kfsck::analysis::next_start::together::{Placed, together};
use kfsck::analysis::partition_copies::PartitionCopies;
use kfsck::analysis::transaction_logs::{cluster_id, holds_coordinators};
use kfsck::report::check::repairs::Repairs;
use kfsck::report::check::{Place, Report, Summary};
use kfsck::storage::checkpoints::{CheckpointFault, Checkpoints};
use kfsck::storage::directory::{KafkaFile, LogDirectory, Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::ReadError;

use super::in_order::{Teller, in_order};
use super::partition_files::directory_of;
use super::progress::SharedProgress;
use super::session::Session;
use super::status::Status;

/// Bytes that wait before they are written.
const FULL: usize = 1 << 16;

/// Something to check, by one thread.
enum Job<'a> {
    Partition(&'a PartitionDirectory, &'a Around),
    /// With the log directory that it lies in, if that holds coordinators.
    Segment(&'a KafkaFile, Vec<PathBuf>),
    /// The checkpoints beside a partition whose log directory was not asked for.
    Checkpoints(&'a PartitionDirectory, &'a Checkpoints),
    /// What lies beside the partitions of all log directories.
    Beside(Vec<(&'a LogDirectory, &'a Checkpoints)>),
}

/// What is known of the directory around a partition's.
struct Around {
    checkpoints: Checkpoints,
    /// Those of its cluster in which partitions of `__transaction_state` lie.
    transaction_logs: Vec<PathBuf>,
    /// What the directories of its cluster say, among those that are checked or checked in.
    cluster: Arc<KnownCluster>,
    /// The cluster's id, where the directory says it.
    cluster_id: Option<String>,
}

impl Around {
    fn repairs(&self, partition: &PartitionDirectory) -> Repairs {
        let name = partition.name.as_ref();
        let log_start = name.and_then(|name| self.checkpoints.log_start_offset(name));
        Repairs::of(partition, log_start)
    }
}

/// What a job tells, in order.
enum Told {
    Finding(Box<Finding>),
    Unread(ReadError),
    /// What a start makes of what lies beside partitions.
    Beside(Placed),
    /// The last word, and which repairs of a partition are carried out.
    Done(Gathered, Repairs),
}

/// One run.
pub(super) struct Run<'r> {
    terms: &'r Terms,
    report: Box<dyn Report>,
    summary: Summary,
    /// What the next start does: told when all of it is known.
    starts: Vec<Placed>,
    /// The findings of a partition: what is to be done about one depends on the others.
    held: Vec<Finding>,
    out: Vec<u8>,
}

/// Whether a finding was asked for.
pub(super) type Wanted<'w> = &'w (dyn Fn(&Finding) -> bool + Sync);

impl<'r> Run<'r> {
    /// Nothing is read yet, but so many operands could not be.
    pub(super) fn new(terms: &'r Terms, report: Box<dyn Report>, unread: u64) -> Self {
        Self {
            terms,
            report,
            summary: Summary {
                unread,
                ..Summary::default()
            },
            starts: Vec::new(),
            held: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Checks all operands and writes the answer.
    pub(super) fn over(
        mut self,
        operands: &[Operand],
        threads: usize,
        wanted: Wanted<'_>,
        session: &mut Session,
    ) -> io::Result<()> {
        let beside = around(operands, self.terms);
        let copies = copies(operands, &beside);
        for error in operands.iter().flat_map(unlisted) {
            self.summary.unread += 1;
            session.read_error(error);
        }
        let checkpoints = beside.values().map(|around| &around.checkpoints);
        for error in checkpoints.flat_map(unread_of) {
            self.summary.unread += 1;
            session.read_error(error);
        }
        let refused = operands.iter().filter(|operand| is_refused(operand));
        self.summary.unread += refused.count() as u64;
        let jobs = jobs(operands, &beside, session);
        let progress = SharedProgress::start(operands, session);
        self.report.start(&mut self.out);
        let terms = self.terms;
        let work = |job: &Job<'_>, teller: &mut Teller<'_, Told>| {
            work(job, (terms, &copies), &progress, wanted, teller);
        };
        in_order(&jobs, threads, work, |job, told| {
            self.hear(job, told, session)
        })?;
        drop(progress);
        let directories = beside.keys().map(PathBuf::as_path);
        self.tell_starts(&Brokers::read(directories, terms.access));
        self.report.end(&self.summary, &mut self.out);
        session.write(&self.out)?;
        if self.summary.counts.is_bad() {
            session.met(Status::Found);
        }
        Ok(())
    }

    fn tell_starts(&mut self, brokers: &Brokers) {
        for Placed { path, next } in together(std::mem::take(&mut self.starts), brokers) {
            let name = next.topic_partition.clone();
            let place = Place {
                name: &name,
                path: &path,
                is_partition: false,
                transaction_logs: &[],
                repairs: Repairs::default(),
            };
            self.report.next_start(&place, next, &mut self.out);
        }
    }

    fn hear(&mut self, job: &Job<'_>, told: Told, session: &mut Session) -> io::Result<()> {
        match told {
            Told::Finding(finding) => {
                self.summary.counts.add(finding.severity, finding.cases);
                match job {
                    Job::Partition(..) => self.held.push(*finding),
                    Job::Segment(..) | Job::Beside(_) | Job::Checkpoints(..) => {
                        self.report_finding(job, *finding, Repairs::default());
                    }
                }
            }
            Told::Unread(error) => {
                self.summary.unread += 1;
                session.read_error(&error);
            }
            Told::Beside(placed) => self.starts.push(placed),
            Told::Done(Gathered { tally, next_start }, repairs) => {
                for finding in std::mem::take(&mut self.held) {
                    self.report_finding(job, finding, repairs);
                }
                self.summary.tally.add(&tally);
                if let Some(next) = next_start {
                    let path = job.place(Path::new("")).path.to_owned();
                    self.starts.push(Placed { path, next });
                }
            }
        }
        if self.out.len() >= FULL {
            session.write(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }

    fn report_finding(&mut self, job: &Job<'_>, finding: Finding, repairs: Repairs) {
        let path = finding.path.clone();
        let place = Place {
            repairs,
            ..job.place(&path)
        };
        self.report.finding(&place, finding, &mut self.out);
    }
}

/// What lies beside each partition, read once for each directory.
fn around(operands: &[Operand], terms: &Terms) -> BTreeMap<PathBuf, Around> {
    let mut beside = BTreeMap::new();
    let logs = operands.iter().filter_map(|operand| match operand {
        Operand::Log(log) => Some(log.path.clone()),
        _ => None,
    });
    let partitions = operands.iter().flat_map(Operand::partitions);
    let directories = partitions.map(|partition| directory_of(&partition.path));
    for directory in logs.chain(directories) {
        beside
            .entry(directory)
            .or_insert_with_key(|directory| Around {
                checkpoints: Checkpoints::read(directory, terms.access),
                transaction_logs: Vec::new(),
                cluster: Arc::default(),
                cluster_id: cluster_id(directory, terms.access),
            });
    }
    for directories in clusters(&beside) {
        let cluster = Arc::new(KnownCluster::read(&directories, terms.access));
        let logs = directories.iter().filter(|path| holds_coordinators(path));
        let logs: Vec<_> = logs.cloned().collect();
        for directory in &directories {
            if let Some(around) = beside.get_mut(directory) {
                around.cluster = Arc::clone(&cluster);
                around.transaction_logs.clone_from(&logs);
            }
        }
    }
    beside
}

/// The directories of each cluster; one that says nothing of its cluster stands alone.
fn clusters(beside: &BTreeMap<PathBuf, Around>) -> Vec<Vec<PathBuf>> {
    let mut clusters: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    let mut alone = Vec::new();
    for (directory, around) in beside {
        match &around.cluster_id {
            Some(id) => clusters.entry(id).or_default().push(directory.clone()),
            None => alone.push(vec![directory.clone()]),
        }
    }
    clusters.into_values().chain(alone).collect()
}

/// Every partition's directory as a copy of its partition.
fn copies<'a>(operands: &'a [Operand], beside: &BTreeMap<PathBuf, Around>) -> PartitionCopies<'a> {
    let mut copies = PartitionCopies::default();
    for partition in operands.iter().flat_map(Operand::partitions) {
        let around = beside.get(&directory_of(&partition.path));
        let cluster = around.and_then(|around| around.cluster_id.clone());
        copies.add(partition, cluster);
    }
    copies
}

/// The checkpoints that could not be read; those that are malformed are findings.
fn unread_of(checkpoints: &Checkpoints) -> impl Iterator<Item = &ReadError> {
    let faults = checkpoints.faults.iter();
    faults.filter_map(|fault| match fault {
        CheckpointFault::Read(error) => Some(error),
        CheckpointFault::Malformed { .. } => None,
    })
}

/// What of the directories could not be looked at.
fn unlisted(operand: &Operand) -> impl Iterator<Item = &ReadError> {
    operand.listings().flat_map(|listing| &listing.unreadable)
}

/// Whether the directory's entries are known, be it without some.
fn is_listed(partition: &PartitionDirectory) -> bool {
    let mut errors = partition.listing.unreadable.iter();
    errors.all(|error| error.path() != partition.path)
}

/// Files that are held against their partition alone.
fn is_refused(operand: &Operand) -> bool {
    match operand {
        Operand::File(file) => !matches!(file.name.kind, FileKind::Log | FileKind::Unknown),
        Operand::Partition(_) | Operand::Log(_) => false,
    }
}

/// The log directories that were asked for as a whole.
fn logs_asked(operands: &[Operand]) -> impl Iterator<Item = PathBuf> {
    operands.iter().filter_map(|operand| match operand {
        Operand::Log(log) => Some(log.path.clone()),
        Operand::File(_) | Operand::Partition(_) => None,
    })
}

/// What is given twice, a partition with its log directory for example, is checked once.
fn jobs<'a>(
    operands: &'a [Operand],
    beside: &'a BTreeMap<PathBuf, Around>,
    session: &mut Session,
) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let logs = operands.iter().filter_map(|operand| match operand {
        Operand::Log(log) => Some((log, &beside.get(&log.path)?.checkpoints)),
        _ => None,
    });
    let logs: Vec<_> = logs.collect();
    if !logs.is_empty() {
        jobs.push(Job::Beside(logs));
    }
    // Those of a log directory are told with it.
    let mut told: BTreeSet<_> = logs_asked(operands).collect();
    let mut taken = BTreeSet::new();
    let mut is_new = |path: &Path| {
        let whole = path.canonicalize();
        taken.insert(whole.unwrap_or_else(|_| path.to_owned()))
    };
    for operand in operands {
        match operand {
            Operand::File(file) => match file.name.kind {
                FileKind::Log | FileKind::Unknown => {
                    let mut logs = vec![directory_of(&directory_of(&file.path))];
                    logs.retain(|log| holds_coordinators(log));
                    jobs.push(Job::Segment(file, logs));
                }
                kind => session.error(&format!(
                    "{}: expected a segment (.log), a partition directory or a log directory, \
                     found a file of the kind {kind}; the partition's directory is what it is \
                     checked with",
                    file.path.display(),
                )),
            },
            Operand::Partition(_) | Operand::Log(_) => {}
        }
        let is_log = matches!(operand, Operand::Log(_));
        for partition in operand.partitions().iter().filter(|one| is_listed(one)) {
            let directory = directory_of(&partition.path);
            if is_new(&partition.path)
                && let Some(around) = beside.get(&directory)
            {
                jobs.push(Job::Partition(partition, around));
                if !is_log && told.insert(directory) {
                    jobs.push(Job::Checkpoints(partition, &around.checkpoints));
                }
            }
        }
    }
    jobs
}

impl Job<'_> {
    /// Where a finding in this file belongs.
    fn place<'p>(&'p self, file: &'p Path) -> Place<'p> {
        let (path, is_partition): (&Path, _) = match self {
            Self::Partition(partition, _) | Self::Checkpoints(partition, _) => {
                (&partition.path, true)
            }
            Self::Segment(file, _) => (&file.path, false),
            Self::Beside(logs) => {
                let mut paths = logs.iter().map(|(log, _)| &*log.path);
                (
                    paths.find(|path| file.starts_with(path)).unwrap_or(file),
                    false,
                )
            }
        };
        Place {
            name: name_of(path),
            path,
            is_partition,
            transaction_logs: match self {
                Self::Partition(_, around) => &around.transaction_logs,
                Self::Segment(_, logs) => logs,
                Self::Beside(_) | Self::Checkpoints(..) => &[],
            },
            repairs: Repairs::default(),
        }
    }
}

fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.or_else(|| path.to_str()).unwrap_or_default()
}

/// What a thread does with a job.
fn work(
    job: &Job<'_>,
    (terms, copies): (&Terms, &PartitionCopies<'_>),
    progress: &SharedProgress,
    wanted: Wanted<'_>,
    teller: &mut Teller<'_, Told>,
) {
    let stopped = teller.stopped();
    // Whoever looks on and whoever takes findings speak to the same listener.
    let teller = std::cell::RefCell::new(teller);
    let mut watch = Watching {
        progress,
        stopped,
        unread: &mut |error| teller.borrow_mut().tell(Told::Unread(error)),
    };
    let mut repairs = match job {
        Job::Partition(partition, around) => around.repairs(partition),
        Job::Segment(..) | Job::Beside(_) | Job::Checkpoints(..) => Repairs::default(),
    };
    let found = &mut |finding: Finding| {
        repairs.hear(&finding);
        if wanted(&finding) {
            let finding = Told::Finding(Box::new(finding));
            teller.borrow_mut().tell(finding);
        }
    };
    let gathered = match job {
        Job::Partition(partition, around) => {
            let around = everything::Around {
                checkpoints: &around.checkpoints,
                cluster: &around.cluster,
                cluster_id: around.cluster_id.as_deref(),
                copies: Some(copies),
            };
            everything::partition(partition, &around, terms, &mut watch, found)
        }
        Job::Segment(file, _) => match everything::segment(file, terms, &mut watch, found) {
            Ok(gathered) => gathered,
            Err(error) => return watch.unread(error),
        },
        Job::Checkpoints(_, checkpoints) => {
            checkpoint_files(checkpoints, found);
            return;
        }
        Job::Beside(logs) => {
            let mut blocking = Vec::new();
            let errors = check_log_directories(logs, terms.access, &mut |finding| {
                blocking.extend(of_finding(&finding));
                found(finding);
            });
            for error in errors {
                watch.unread(error);
            }
            for placed in blocking {
                teller.borrow_mut().tell(Told::Beside(placed));
            }
            for (log, checkpoints) in logs {
                let mut starts = beside_partitions(log, checkpoints);
                // What it does without is told as a finding.
                starts.retain(|next| next.action != Action::CleanLoad);
                for next in starts {
                    let path = log.path.join(&next.topic_partition);
                    teller
                        .borrow_mut()
                        .tell(Told::Beside(Placed { path, next }));
                }
            }
            return;
        }
    };
    teller.borrow_mut().tell(Told::Done(gathered, repairs));
}

struct Watching<'w> {
    progress: &'w SharedProgress,
    stopped: &'w AtomicBool,
    unread: &'w mut dyn FnMut(ReadError),
}

impl Watch for Watching<'_> {
    fn advanced(&mut self, bytes: u64) {
        self.progress.advanced(bytes);
    }

    fn unread(&mut self, error: ReadError) {
        (self.unread)(error);
    }

    fn is_cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
