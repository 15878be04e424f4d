//! New files, made by their recipes.

use super::disk::Disk;
use super::recipe::{Kitchen, Spoiled};
use crate::repair::error::ApplyError;
use crate::repair::plan::{FilePlan, Plan};
use crate::storage::source::Access;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Makes a file of a plan at `path`. `finished` gives the path of a finished log of the result.
pub(super) fn make(
    disk: &mut dyn Disk,
    plan: &Plan,
    file: &FilePlan,
    path: &Path,
    finished: &dyn Fn(&str) -> PathBuf,
    access: Access,
) -> Result<(), ApplyError> {
    let kitchen = Kitchen {
        old: &plan.directory,
        access,
    };
    let like = model(plan, file);
    let mut old_fault = None;
    let written = disk.write(path, like.as_ref(), &mut |out| match kitchen.serve(
        &file.name,
        &file.content,
        finished,
        out,
    ) {
        Ok(()) => Ok(()),
        Err(Spoiled::Writer(error)) => Err(error),
        Err(Spoiled::Old(error)) => {
            old_fault = Some(error);
            Err(io::ErrorKind::InvalidInput.into())
        }
    });
    match (old_fault, written) {
        (Some(fault), _) => Err(fault),
        (None, written) => system(path, written),
    }
}

/// Whose owner, mode and time of last change a file takes: its own old ones, else those of the
/// file that it is made like, else those of any other.
fn model(plan: &Plan, file: &FilePlan) -> Option<Metadata> {
    let names = [Some(&file.name), file.like.as_ref()].into_iter().flatten();
    let others = plan.files.iter().map(|other| &other.name);
    let mut found = names
        .chain(others)
        .filter_map(|name| fs::metadata(plan.directory.join(name)).ok());
    found.next()
}

/// Names the file that a call of the system was about.
pub(super) fn system<T>(path: &Path, done: io::Result<T>) -> Result<T, ApplyError> {
    done.map_err(|reason| ApplyError::System {
        path: path.to_owned(),
        reason,
    })
}
