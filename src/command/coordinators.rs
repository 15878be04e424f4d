//! Which partitions of `__transaction_state` judge the transactions of which input.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use kfsck::analysis::partition_wholeness::Missing;
use kfsck::analysis::transaction_coordinator::{
    Fault, StatePartition, TRANSACTION_STATE_TOPIC, TransactionCoordinator,
};
use kfsck::analysis::transaction_logs::{
    cluster_id, partition_count, state_partition, state_partitions, unread_partitions,
};
use kfsck::format::number::Timestamp;
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::storage::damage::{Code, Damage};
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::source::Access;

use super::partition_files::{CheckpointsBeside, directory_of};
use super::session::Session;

/// How partitions of `__transaction_state` are read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct How {
    /// How many partitions the topic has, where that was given.
    pub(super) partition_count: Option<NonZeroU32>,
    /// Records that were appended later do not count.
    pub(super) at_time: Option<Timestamp>,
}

impl How {
    /// How many partitions the topic has, as given, or by the metadata in one of these directories.
    fn count_in<'p>(
        self,
        homes: impl Iterator<Item = &'p PathBuf>,
        access: Access,
    ) -> Option<NonZeroU32> {
        let mut homes = homes;
        let known = || homes.find_map(|home| partition_count(home, access));
        self.partition_count.or_else(known)
    }
}

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
    /// directories among the inputs. Says where they lie, and what could not be read.
    pub(super) fn gather(
        given: &[PathBuf],
        how: How,
        operands: &[Operand],
        session: &mut Session,
    ) -> Self {
        let mut gathered = Self::default();
        if given.is_empty() {
            gathered.find("judges the transactions", how, operands.iter(), session);
        } else {
            gathered.given = read_given(given, how, session);
            gathered.find_strangers(given, operands, session);
            let strangers = std::mem::take(&mut gathered.strangers);
            let own = operands.iter();
            let own = own.filter(|operand| strangers.contains(&home(operand)));
            // The number of partitions was given for the other cluster.
            let partition_count = None;
            let how = How {
                partition_count,
                ..how
            };
            gathered.find("judges the transactions", how, own, session);
            gathered.strangers = strangers;
        }
        gathered
    }

    /// Reads those in log directories that only contradict: others judge.
    pub(super) fn beside(how: How, operands: &[Operand], session: &mut Session) -> Self {
        let mut gathered = Self::default();
        gathered.find("is heard too", how, operands.iter(), session);
        gathered
    }

    /// Who judges the transactions of an input.
    pub(super) fn of(&self, operand: &Operand) -> Option<&TransactionCoordinator> {
        if let Some(given) = &self.given
            && !self.strangers.contains(&home(operand))
        {
            return Some(given);
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
    fn find<'o>(
        &mut self,
        part: &str,
        how: How,
        operands: impl Iterator<Item = &'o Operand>,
        session: &mut Session,
    ) {
        let mut partitions: BTreeMap<Cluster, BTreeMap<u32, StatePartition>> = BTreeMap::new();
        let mut homes: BTreeMap<Cluster, Vec<PathBuf>> = BTreeMap::new();
        for operand in operands {
            let Operand::Log(log) = operand else {
                continue;
            };
            let cluster = match cluster_id(&log.path, session.access) {
                Some(id) => Cluster::Id(id),
                None => Cluster::Directory(log.path.clone()),
            };
            self.clusters.insert(log.path.clone(), cluster.clone());
            let known = homes.entry(cluster.clone()).or_default();
            known.push(log.path.clone());
            let own: Vec<_> = state_partitions(operand).collect();
            let held = partitions.entry(cluster).or_default();
            add_unread(held, unread_partitions(operand), session);
            if own.is_empty() {
                continue;
            }
            let message = format!(
                "its {TRANSACTION_STATE_TOPIC} {part}: partitions {}",
                numbers(own.iter().map(|(number, _)| *number))
            );
            session.note(&log.path, &message);
            add(held, &own, how, session);
        }
        let found = partitions.into_iter();
        let found = found.filter(|(_, held)| !held.is_empty());
        self.found = found
            .map(|(cluster, held)| {
                let homes = homes.get(&cluster).into_iter().flatten();
                let count = how.count_in(homes, session.access);
                (cluster, TransactionCoordinator::new(held, count))
            })
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
pub(super) fn home(operand: &Operand) -> PathBuf {
    match operand {
        Operand::Log(log) => log.path.clone(),
        Operand::Partition(partition) => directory_of(&partition.path),
        Operand::File(file) => directory_of(&directory_of(&file.path)),
    }
}

fn read_given(
    given: &[PathBuf],
    how: How,
    session: &mut Session,
) -> Option<TransactionCoordinator> {
    let mut partitions = BTreeMap::new();
    for path in given {
        let operand = match directory::expand(path) {
            Ok(operand) => operand,
            Err(error) => {
                session.read_error(&error);
                let named = state_partition(path).map(|number| (number, path.as_path()));
                add_unread(&mut partitions, named.into_iter(), session);
                continue;
            }
        };
        let own: Vec<_> = state_partitions(&operand).collect();
        add_unread(&mut partitions, unread_partitions(&operand), session);
        if own.is_empty() {
            session.error(&format!(
                "{}: no partition of {TRANSACTION_STATE_TOPIC}; expected such a directory \
                 ({TRANSACTION_STATE_TOPIC}-0), or a log directory that holds some",
                path.display()
            ));
        }
        add(&mut partitions, &own, how, session);
    }
    let homes: Vec<_> = given
        .iter()
        .flat_map(|path| [path.clone(), directory_of(path)])
        .collect();
    (!partitions.is_empty()).then(|| {
        let count = how.count_in(homes.iter(), session.access);
        TransactionCoordinator::new(partitions, count)
    })
}

/// Reads partitions; of two with one number, as replicas have, that of the later leader counts, or
/// that which goes further: who takes an old copy's word calls transactions hanging that began
/// since.
fn add(
    partitions: &mut BTreeMap<u32, StatePartition>,
    own: &[(u32, &PartitionDirectory)],
    how: How,
    session: &mut Session,
) {
    let mut beside = CheckpointsBeside::default();
    for (number, directory) in own {
        for error in &directory.listing.unreadable {
            session.read_error(error);
        }
        let checkpoints = beside.of(&directory.path, session);
        let partition =
            StatePartition::read_as_of(directory, checkpoints, how.at_time, session.access);
        for fault in partition.faults() {
            tell(&directory.path, fault, session);
        }
        choose(partitions, *number, partition, &directory.path, session);
    }
}

/// Takes what is named like a partition and cannot be read for one of which nothing is known.
fn add_unread<'p>(
    partitions: &mut BTreeMap<u32, StatePartition>,
    unread: impl Iterator<Item = (u32, &'p Path)>,
    session: &mut Session,
) {
    for (number, path) in unread {
        let partition = StatePartition::unread(Missing::Directory);
        for fault in partition.faults() {
            tell(path, fault, session);
        }
        choose(partitions, number, partition, path, session);
    }
}

fn choose(
    partitions: &mut BTreeMap<u32, StatePartition>,
    number: u32,
    mut partition: StatePartition,
    path: &Path,
    session: &mut Session,
) {
    let Some(known) = partitions.get_mut(&number) else {
        partitions.insert(number, partition);
        return;
    };
    let where_it_ends = |copy: &StatePartition| match copy.rank() {
        (Some(epoch), end, _) => format!("at {end} in leader epoch {epoch}"),
        (None, end, _) => format!("at {end}"),
    };
    let (this, other) = (where_it_ends(&partition), where_it_ends(known));
    let (left_out, end, other) = if known.rank() < partition.rank() {
        partition.leave_out(known);
        *known = partition;
        ("the copy before", other, this)
    } else {
        known.leave_out(&partition);
        ("this copy", this, other)
    };
    let message = format!("{left_out} is left out: it ends {end}, another {other}");
    session.note(path, &message);
}

fn tell(directory: &Path, fault: &Fault, session: &mut Session) {
    match fault {
        Fault::Read(error) => session.read_error(error),
        // The listing's own errors are told where it is at hand.
        // The one about a time holds of every partition that was written to since.
        Fault::Missing(Missing::Listing | Missing::Earlier) => {}
        Fault::Missing(missing) => session.note(directory, &format!("not whole: {missing}")),
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
