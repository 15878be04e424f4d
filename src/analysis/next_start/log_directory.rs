//! What else in a log directory decides whether a broker starts: what lies beside the partitions.

use super::judge::DISK;
use super::{Action, NextStart};
use crate::storage::checkpoints::{CheckpointFault, Checkpoints};
use crate::storage::directory::{LogDirectory, StrayKind};
use crate::storage::unfinished::is_left_beside;

/// What a start fails at before it looks at any partition, each under the name of the file or
/// directory; nothing in a sound log directory.
#[must_use]
pub fn beside_partitions(directory: &LogDirectory, checkpoints: &Checkpoints) -> Vec<NextStart> {
    let strays = directory.listing.strays.iter();
    let strays = strays
        .filter(|stray| stray.kind == StrayKind::Directory)
        .filter(|stray| !is_left_beside(directory, &stray.path))
        .map(|stray| {
            let name = stray.path.file_name().unwrap_or_default();
            let reason = "a directory whose name is none of a partition's: the broker ends when \
                          it finds it, whatever lies in it";
            fails(&name.to_string_lossy(), reason.to_owned())
        });
    let faults = checkpoints.faults.iter().map(|fault| {
        let (name, is_of_the_disk) = match fault {
            CheckpointFault::Read(error) => (error.path(), true),
            // `CheckpointFile.read` makes an `IOException` of all but these.
            CheckpointFault::Malformed { path, fault } => {
                let is_number = ["partition", "offset"].contains(&fault.field);
                (path.as_path(), !is_number)
            }
        };
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        match is_of_the_disk {
            true => NextStart {
                is_of_directory: true,
                ..fails(&name, format!("{fault}: {DISK}"))
            },
            false => NextStart {
                action: Action::CleanLoad,
                ..fails(
                    &name,
                    format!("{fault}: a broker warns and does without the file"),
                )
            },
        }
    });
    strays.chain(faults).collect()
}

/// A start that ends at the file or directory of this name.
pub(in crate::analysis) fn fails(name: &str, reason: String) -> NextStart {
    NextStart {
        topic_partition: name.to_owned(),
        action: Action::BrokerFails,
        offset: None,
        records_lost: 0,
        reason,
        forgotten: None,
        blocked_by: None,
        is_of_directory: false,
    }
}
