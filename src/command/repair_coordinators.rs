//! The coordinators that have a say in repairs: those that were given, and those that lie beside
//! the partition that is repaired.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::analysis::transaction_logs::cluster_id;
use kfsck::repair::abort::Abort;
use kfsck::repair::error::{PlanError, Refusal};
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::source::Access;

use super::coordinators::{Coordinators, How, clusters_of};
use super::partition_files::directory_of;
use super::session::Session;

/// The coordinators of the cluster, given or in the log directories of the partitions.
#[derive(Debug)]
pub(super) struct Gathered {
    /// Those that were given; `None` where none were.
    given: Option<Coordinators>,
    /// The clusters of the log directories that were given, as far as they say.
    clusters: Vec<(PathBuf, String)>,
    /// Those in the log directories of the partitions, without what was given.
    beside: Coordinators,
    logs: Vec<Operand>,
    access: Access,
}

impl Gathered {
    pub(super) fn new(
        given: &[PathBuf],
        count: Option<NonZeroU32>,
        operands: &[Operand],
        session: &mut Session,
    ) -> Self {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // What is given is not read twice.
        let mut seen: BTreeSet<_> = given.iter().map(|path| whole(path)).collect();
        let mut logs = Vec::new();
        for operand in operands {
            let directory = match operand {
                Operand::Log(log) => log.path.clone(),
                Operand::Partition(partition) => directory_of(&partition.path),
                Operand::File(_) => continue,
            };
            if seen.insert(whole(&directory))
                && let Ok(log @ Operand::Log(_)) = directory::expand(&directory)
            {
                logs.push(log);
            }
        }
        let how = How {
            partition_count: count,
            ..How::default()
        };
        let beside = match given.is_empty() {
            true => Coordinators::gather(&[], how, &logs, session),
            false => Coordinators::beside(how, &logs, session),
        };
        let given_ones =
            (!given.is_empty()).then(|| Coordinators::gather(given, how, &[], session));
        let access = session.access;
        Self {
            given: given_ones,
            clusters: clusters_of(given, access),
            beside,
            logs,
            access,
        }
    }

    /// Who judges the transactions of a partition.
    fn of(&self, partition: &PartitionDirectory) -> Option<&TransactionCoordinator> {
        match &self.given {
            Some(given) => given.all().next(),
            None => self.beside(partition),
        }
    }

    /// Those in the partition's log directory.
    fn beside(&self, partition: &PartitionDirectory) -> Option<&TransactionCoordinator> {
        let above = directory_of(&partition.path);
        let mut logs = self.logs.iter();
        let log = logs.find(|log| matches!(log, Operand::Log(log) if log.path == above));
        self.beside.of(log?)
    }

    /// An abort of a partition, with those who have a say in it.
    ///
    /// # Errors
    /// Coordinators of another cluster than the partition's.
    pub(super) fn abort<'a>(
        &'a self,
        partition: &PartitionDirectory,
        abort: &Abort<'_>,
    ) -> Result<Abort<'a>, PlanError> {
        self.refuse_strangers(partition)?;
        Ok(Abort {
            coordinator: self.of(partition),
            beside: self.beside(partition).filter(|_| self.given.is_some()),
            ..*abort
        })
    }

    /// Who knows the transactions of a partition.
    ///
    /// # Errors
    /// Coordinators of another cluster than the partition's.
    pub(super) fn own(
        &self,
        partition: &PartitionDirectory,
    ) -> Result<Option<&TransactionCoordinator>, PlanError> {
        self.refuse_strangers(partition)?;
        Ok(self.of(partition))
    }

    /// Refuses coordinators of another cluster: they know nothing of the partition's transactions,
    /// so to them each one hangs.
    fn refuse_strangers(&self, partition: &PartitionDirectory) -> Result<(), PlanError> {
        let own = directory_of(&partition.path);
        let own = cluster_id(&own, self.access).map(|id| (own, id));
        let Some((home, id)) = own.as_ref().or(self.clusters.first()) else {
            return Ok(());
        };
        match self.clusters.iter().find(|(_, theirs)| theirs != id) {
            None => Ok(()),
            Some((given, theirs)) => Err(PlanError::Refused {
                path: partition.path.clone(),
                refusal: Refusal::OtherCluster {
                    given: given.clone(),
                    theirs: theirs.clone(),
                    home: home.clone(),
                    ours: id.clone(),
                },
            }),
        }
    }
}
