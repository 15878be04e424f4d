//! The coordinators that have a say in repairs: those that were given, or those that lie beside the
//! partition that is repaired.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::PathBuf;

use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::storage::directory::{self, Operand, PartitionDirectory};

use super::coordinators::Coordinators;
use super::session::Session;

/// The coordinators of the cluster, given or in the log directories of the partitions.
#[derive(Debug)]
pub(super) struct Gathered {
    coordinators: Coordinators,
    logs: Vec<Operand>,
}

impl Gathered {
    pub(super) fn new(
        given: &[PathBuf],
        count: Option<NonZeroU32>,
        operands: &[Operand],
        session: &mut Session,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let mut logs = Vec::new();
        for operand in operands.iter().filter(|_| given.is_empty()) {
            let directory = match operand {
                Operand::Log(log) => log.path.clone(),
                Operand::Partition(partition) => parent(partition),
                Operand::File(_) => continue,
            };
            if seen.insert(directory.clone())
                && let Ok(log @ Operand::Log(_)) = directory::expand(&directory)
            {
                logs.push(log);
            }
        }
        Self {
            coordinators: Coordinators::gather(given, count, &logs, session),
            logs,
        }
    }

    pub(super) fn of(&self, partition: &PartitionDirectory) -> Option<&TransactionCoordinator> {
        let above = parent(partition);
        let mut logs = self.logs.iter();
        let log = logs.find(|log| matches!(log, Operand::Log(log) if log.path == above));
        match log {
            Some(log) => self.coordinators.of(log),
            None => self.coordinators.all().next(),
        }
    }
}

fn parent(partition: &PartitionDirectory) -> PathBuf {
    match partition.path.parent() {
        Some(above) if !above.as_os_str().is_empty() => above.to_owned(),
        _ => PathBuf::from("."),
    }
}
