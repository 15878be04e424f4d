//! Directories that are not all written yet: how they are called, what keeps their place, and what
//! a run that was broken off has left in one.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
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

/// How a directory is called until all of it is written.
#[must_use]
pub fn unfinished_name(name: &str) -> String {
    format!("{name}{UNFINISHED}")
}

/// What keeps a directory from getting a name: something in a directory that bears it, or what
/// else does. A link is not followed, for no directory takes the place of one.
///
/// # Errors
/// What the system says.
pub fn taken_by(path: &Path) -> io::Result<Option<String>> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(None),
        Ok(there) if there.is_dir() => found_in(path),
        Ok(there) if there.is_symlink() => Ok(Some("a symbolic link".to_owned())),
        Ok(_) => Ok(Some("a file".to_owned())),
    }
}

/// The name of one thing in a directory; `None` where it is empty.
///
/// # Errors
/// What the system says.
pub fn found_in(directory: &Path) -> io::Result<Option<String>> {
    let first = fs::read_dir(directory)?.next().transpose()?;
    Ok(first.map(|entry| entry.file_name().to_string_lossy().into_owned()))
}

/// The directories on the way to a path and at it that are not there yet, the outermost first,
/// each with the one that it is to lie in.
#[must_use]
pub fn missing(path: &Path) -> Vec<(&Path, &Path)> {
    let is_missing = |above: &&Path| !above.as_os_str().is_empty() && !above.exists();
    let missing = path.ancestors().take_while(is_missing);
    let mut missing: Vec<_> = missing
        .map(|missing| match missing.parent() {
            Some(above) if !above.as_os_str().is_empty() => (missing, above),
            _ => (missing, Path::new(".")),
        })
        .collect();
    missing.reverse();
    missing
}

/// Brings the names in a directory to the disk.
///
/// # Errors
/// What the system says.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // Some file systems do not know of it, and elsewhere than on unix nobody does.
        Err(error) if error.kind() == ErrorKind::InvalidInput || !cfg!(unix) => Ok(()),
        other => other,
    }
}

/// What lies in such a directory.
#[derive(Debug)]
pub enum Left {
    /// Files of a partition and nothing else: whoever writes it anew may remove them.
    Files(Vec<PathBuf>),
    /// Something that no run has left there; its name.
    Foreign(String),
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
            return Ok(Left::Foreign(name.to_string_lossy().into_owned()));
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

    #[test]
    fn a_place_is_taken_by_all_but_an_empty_directory() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let taken = |name: &str| taken_by(&path(name)).unwrap();
        fs::create_dir_all(path("full/inside")).unwrap();
        fs::create_dir(path("empty")).unwrap();
        fs::write(path("file"), "").unwrap();
        assert_eq!(taken("absent"), None);
        assert_eq!(taken("empty"), None);
        assert_eq!(taken("full").as_deref(), Some("inside"));
        assert_eq!(taken("file").as_deref(), Some("a file"));
        #[cfg(unix)]
        for target in ["empty", "absent"] {
            let link = format!("link to {target}");
            std::os::unix::fs::symlink(path(target), path(&link)).unwrap();
            assert_eq!(taken(&link).as_deref(), Some("a symbolic link"), "{link}");
        }
    }

    #[test]
    fn what_is_missing_is_told_from_the_outermost_on() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        assert_eq!(missing(place), []);
        let (one, two) = (place.join("one"), place.join("one/two"));
        assert_eq!(
            missing(&two),
            [(one.as_path(), place), (two.as_path(), one.as_path())]
        );
        let relative = Path::new("no directory of a crate is called so");
        assert_eq!(missing(relative), [(relative, Path::new("."))]);
    }
}
