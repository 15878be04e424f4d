//! Directories that are not all written yet: how they are called, and what a run that was broken
//! off has left in one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::directory::LogDirectory;
use super::file_name::{FileKind, FileName};

/// Behind the name of a directory that is not all written yet. Nobody takes it for a partition.
pub const UNFINISHED: &str = ".kfsck-partial";

/// Whether a log directory has files of a broker's own beside its partitions: not one that was made
/// to hold results.
fn is_home(directory: &LogDirectory) -> bool {
    let mut files = directory.listing.files.iter();
    files.any(|file| !file.name.kind.is_of_a_partition())
}

/// Whether an entry of a log directory is one that is not all written, and no broker's own.
#[must_use]
pub fn is_left_beside(directory: &LogDirectory, entry: &Path) -> bool {
    let name = entry.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.ends_with(UNFINISHED)) && !is_home(directory)
}

/// What lies in such a directory.
#[derive(Debug)]
pub enum Left {
    /// Files of a partition and nothing else: whoever writes it anew may remove them.
    Files(Vec<PathBuf>),
    /// Something that no run has left there; its name.
    Foreign(OsString),
}

/// Looks at what was left in a directory. A file is a run's own that is named as a broker names
/// files, or by one of `names`.
///
/// # Errors
/// What the system says.
pub fn left_in(directory: &Path, names: &dyn Fn(&str) -> bool) -> io::Result<Left> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_named = name.to_str().is_some_and(names);
        let is_known = is_named || FileName::parse(&name).kind != FileKind::Unknown;
        if !entry.file_type()?.is_file() || !is_known {
            return Ok(Left::Foreign(name));
        }
        files.push(entry.path());
    }
    Ok(Left::Files(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_partition_are_left_by_a_run() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str| fs::write(place.path().join(name), "").unwrap();
        let left = |names: &dyn Fn(&str) -> bool| left_in(place.path(), names).unwrap();
        put("00000000000000000000.log");
        put("leader-epoch-checkpoint");
        assert!(matches!(left(&|_| false), Left::Files(files) if files.len() == 2));
        put("notes.txt");
        assert!(matches!(left(&|_| false), Left::Foreign(name) if name == "notes.txt"));
        assert!(
            matches!(left(&|name| name == "notes.txt"), Left::Files(files) if files.len() == 3)
        );
        fs::create_dir(place.path().join("00000000000000000001.log")).unwrap();
        assert!(matches!(left(&|_| true), Left::Foreign(_)));
    }
}
