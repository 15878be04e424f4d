//! What commands that read partitions share: the paths that they take, and the checkpoints that
//! lie beside a partition's directory.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use kfsck::storage::checkpoints::{CheckpointFault, Checkpoints};
use kfsck::storage::damage::{Code, Damage};
use kfsck::storage::directory::Operand;
use kfsck::storage::source::Access;

use super::session::Session;

/// The checkpoints of the log directory that was asked for last: partitions come one after the
/// other.
#[derive(Debug, Default)]
pub(super) struct CheckpointsBeside {
    known: Option<(PathBuf, Checkpoints)>,
}

impl CheckpointsBeside {
    /// The checkpoints beside a partition's directory. What is wrong with them is told once.
    pub(super) fn of(&mut self, partition: &Path, session: &mut Session) -> &Checkpoints {
        let directory = directory_of(partition);
        let known = self.known.take().filter(|(known, _)| *known == directory);
        let (_, checkpoints) = self.known.insert(known.unwrap_or_else(|| {
            let checkpoints = Checkpoints::read(&directory, session.access);
            for fault in &checkpoints.faults {
                tell(fault, session);
            }
            (directory, checkpoints)
        }));
        checkpoints
    }
}

fn tell(fault: &CheckpointFault, session: &mut Session) {
    match fault {
        CheckpointFault::Read(error) => session.read_error(error),
        CheckpointFault::Malformed { path, fault } => {
            let damage = Damage {
                position: u64::try_from(fault.at).unwrap_or(u64::MAX),
                size: 0,
                code: Code::CheckpointCorrupt,
                message: format!("{fault}; read as if it were not there"),
            };
            session.damage(path, &damage);
        }
    }
}

/// The directory that holds a directory; `.` and `..` do not name theirs.
pub(super) fn directory_of(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        (Some(_), Some(parent)) if parent.as_os_str().is_empty() => PathBuf::from("."),
        (Some(_), Some(parent)) => parent.to_owned(),
        _ => path.join(".."),
    }
}

/// A partition of which there is nothing to read is no fault, but may be a mistaken path.
pub(super) fn tell_empty(operand: &Operand, session: &mut Session) {
    for partition in operand.partitions() {
        let listing = &partition.listing;
        if listing.files.is_empty() && listing.unreadable.is_empty() {
            let what = "no Kafka file in this partition directory; nothing was read";
            session.note(&partition.path, &what);
        }
    }
}

/// Standard input can be read only once.
pub(super) fn one_standard_input(paths: &[PathBuf]) -> Result<(), clap::Error> {
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(clap::Error::raw(
            ErrorKind::ArgumentConflict,
            "expected `-` once, found it again: standard input can be read only once",
        ));
    }
    Ok(())
}

/// How files are read that are replayed: checksums are compared.
pub(super) const fn read_options(access: Access) -> kfsck::state::read::ReadOptions {
    kfsck::state::read::ReadOptions {
        access,
        check_crc: true,
    }
}
