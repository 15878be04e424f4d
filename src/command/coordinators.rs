//! Which partitions of `__transaction_state` judge the transactions of which input.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use kfsck::analysis::transaction_coordinator::{
    Fault, StatePartition, TRANSACTION_STATE_TOPIC, TransactionCoordinator,
};
use kfsck::analysis::transaction_logs::{cluster_id, state_partitions};
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::storage::damage::{Code, Damage};
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::source::Access;

use super::partition_files::directory_of;
use super::session::Session;

/// The coordinators that were found, each of one cluster.
#[derive(Debug, Default)]
pub(super) struct Coordinators {
    /// Those that the user named; they judge everything of their cluster.
    given: Option<TransactionCoordinator>,
    /// Log directories of another cluster than theirs.
    strangers: BTreeSet<PathBuf>,
    /// Those in log directories among the inputs.
    found: BTreeMap<Cluster, TransactionCoordinator>,
    clusters: BTreeMap<PathBuf, Cluster>,
}

/// What log directories of one cluster have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cluster {
    Id(String),
    /// The directory says nothing of its cluster, so it stands alone.
    Directory(PathBuf),
}

impl Coordinators {
    /// Reads the partitions in the directories that were given, or, without any, in the log
    /// directories among the inputs. Says where they lie, and what could not be read. Of how many
    /// partitions a cluster's topic is may be given.
    pub(super) fn gather(
        given: &[PathBuf],
        partition_count: Option<NonZeroU32>,
        operands: &[Operand],
        session: &mut Session,
    ) -> Self {
        let mut gathered = Self::default();
        if given.is_empty() {
            gathered.find(
                "judges the transactions",
                partition_count,
                operands,
                session,
            );
        } else {
            gathered.given = read_given(given, partition_count, session);
            gathered.find_strangers(given, operands, session);
        }
        gathered
    }

    /// Reads those in log directories that only contradict: others judge.
    pub(super) fn beside(
        partition_count: Option<NonZeroU32>,
        operands: &[Operand],
        session: &mut Session,
    ) -> Self {
        let mut gathered = Self::default();
        gathered.find("is heard too", partition_count, operands, session);
        gathered
    }

    /// Who judges the transactions of an input.
    pub(super) fn of(&self, operand: &Operand) -> Option<&TransactionCoordinator> {
        if let Some(given) = &self.given {
            return (!self.strangers.contains(&home(operand))).then_some(given);
        }
        let Operand::Log(directory) = operand else {
            return None;
        };
        self.found.get(self.clusters.get(&directory.path)?)
    }

    /// To coordinators of another cluster every transaction hangs.
    fn find_strangers(&mut self, given: &[PathBuf], operands: &[Operand], session: &mut Session) {
        let clusters = clusters_of(given, session.access);
        for home in operands.iter().map(home) {
            let Some(own) = cluster_id(&home, session.access) else {
                continue;
            };
            let other = clusters.iter().find(|(_, theirs)| *theirs != own);
            if let Some((path, theirs)) = other
                && self.strangers.insert(home.clone())
            {
                session.warning(&format!(
                    "{}: of cluster {}, and {} of cluster {}: its transactions are not judged by \
                     that; give the {TRANSACTION_STATE_TOPIC} of its own cluster",
                    path_on_one_line(&home),
                    on_one_line(&own),
                    path_on_one_line(path),
                    on_one_line(theirs)
                ));
            }
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &TransactionCoordinator> {
        self.given.iter().chain(self.found.values())
    }

    /// Reads those in log directories; `part` is what they have to say.
    fn find(
        &mut self,
        part: &str,
        count: Option<NonZeroU32>,
        operands: &[Operand],
        session: &mut Session,
    ) {
        let mut partitions: BTreeMap<Cluster, BTreeMap<u32, StatePartition>> = BTreeMap::new();
        for operand in operands {
            let Operand::Log(log) = operand else {
                continue;
            };
            let cluster = match cluster_id(&log.path, session.access) {
                Some(id) => Cluster::Id(id),
                None => Cluster::Directory(log.path.clone()),
            };
            self.clusters.insert(log.path.clone(), cluster.clone());
            let own: Vec<_> = state_partitions(operand).collect();
            if own.is_empty() {
                continue;
            }
            let message = format!(
                "its {TRANSACTION_STATE_TOPIC} {part}: partitions {}",
                numbers(own.iter().map(|(number, _)| *number))
            );
            session.note(&log.path, &message);
            add(partitions.entry(cluster).or_default(), &own, session);
        }
        let found = partitions.into_iter();
        self.found = found
            .map(|(cluster, held)| (cluster, TransactionCoordinator::new(held, count)))
            .collect();
    }
}

/// The clusters of the log directories that were given, or that partitions of them lie in, as far
/// as they say.
pub(super) fn clusters_of(given: &[PathBuf], access: Access) -> Vec<(PathBuf, String)> {
    let clusters = given.iter().filter_map(|path| {
        let directories = [path.clone(), directory_of(path)];
        let mut ids = directories.iter().map(|path| cluster_id(path, access));
        Some((path.clone(), ids.find_map(|id| id)?))
    });
    clusters.collect()
}

/// The log directory that an input is or lies in.
fn home(operand: &Operand) -> PathBuf {
    match operand {
        Operand::Log(log) => log.path.clone(),
        Operand::Partition(partition) => directory_of(&partition.path),
        Operand::File(file) => directory_of(&directory_of(&file.path)),
    }
}

fn read_given(
    given: &[PathBuf],
    count: Option<NonZeroU32>,
    session: &mut Session,
) -> Option<TransactionCoordinator> {
    let mut partitions = BTreeMap::new();
    for path in given {
        let operand = match directory::expand(path) {
            Ok(operand) => operand,
            Err(error) => {
                session.read_error(&error);
                continue;
            }
        };
        let own: Vec<_> = state_partitions(&operand).collect();
        if own.is_empty() {
            session.error(&format!(
                "{}: no partition of {TRANSACTION_STATE_TOPIC}; expected such a directory \
                 ({TRANSACTION_STATE_TOPIC}-0), or a log directory that holds some",
                path.display()
            ));
        }
        add(&mut partitions, &own, session);
    }
    (!partitions.is_empty()).then(|| TransactionCoordinator::new(partitions, count))
}

/// Reads partitions; of two with one number, as replicas have, the one counts that goes further:
/// who takes an old copy's word calls transactions hanging that began since.
fn add(
    partitions: &mut BTreeMap<u32, StatePartition>,
    own: &[(u32, &PartitionDirectory)],
    session: &mut Session,
) {
    for (number, directory) in own {
        for error in &directory.listing.unreadable {
            session.read_error(error);
        }
        let partition = StatePartition::read(directory, session.access);
        for fault in partition.faults() {
            tell(&directory.path, fault, session);
        }
        let known = partitions.get(number).map(StatePartition::end_offset);
        if let Some(known) = known {
            let own = partition.end_offset();
            let (left_out, end, other) = match known < own {
                true => ("the copy before", known, own),
                false => ("this copy", own, known),
            };
            let message = format!("{left_out} is left out: it ends at {end}, another at {other}");
            session.note(&directory.path, &message);
        }
        if known.is_none_or(|known| known < partition.end_offset()) {
            partitions.insert(*number, partition);
        }
    }
}

fn tell(directory: &Path, fault: &Fault, session: &mut Session) {
    match fault {
        Fault::Read(error) => session.read_error(error),
        Fault::Damage { path, damage } => session.damage(path, damage),
        Fault::Checksum {
            path,
            position,
            checksum,
        } => session.damage(
            path,
            &Damage {
                position: *position,
                size: 0,
                code: Code::CrcMismatch,
                message: format!(
                    "stored checksum {:#010x}, computed {:#010x}",
                    checksum.stored, checksum.computed
                ),
            },
        ),
        Fault::Record {
            offset,
            fault,
            stops_broker,
        } => {
            let effect = match stops_broker {
                true => "a broker stops loading the partition here",
                false => "a broker passes over it",
            };
            session.note(
                directory,
                &format!("record at offset {offset}: {fault}; {effect}"),
            );
        }
    }
}

/// Numbers in a list, those in a row as `0 to 49`.
fn numbers(numbers: impl Iterator<Item = u32>) -> String {
    let mut rows: Vec<(u32, u32)> = Vec::new();
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    for number in numbers {
        match rows.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => rows.push((number, number)),
        }
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        })
        .collect();
    rows.join(", ")
}
