//! The lock of a log directory: a POSIX record lock on `.lock`, as `FileChannel.tryLock` takes it.
//! That the file exists says nothing; a broker leaves it behind.

use super::file_name::FileKind;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What was found out about a lock.
#[derive(Debug)]
pub enum Lock {
    /// No process holds it. As long as this value lives, and was taken for writing, no broker
    /// starts on the directory.
    Free(Option<File>),
    /// A process holds the lock of this file.
    Held(PathBuf),
}

/// Whether a process holds the lock of a log directory; the file is opened for reading.
///
/// # Errors
/// What the system says.
pub fn probe(log_directory: &Path) -> io::Result<Lock> {
    taken(log_directory, File::options().read(true), false)
}

/// Takes the lock of a log directory, where there is a file for it: none is made.
///
/// # Errors
/// What the system says.
pub fn take(log_directory: &Path) -> io::Result<Lock> {
    taken(log_directory, File::options().read(true).write(true), true)
}

fn taken(
    log_directory: &Path,
    options: &std::fs::OpenOptions,
    for_writing: bool,
) -> io::Result<Lock> {
    let path = log_directory.join(FileKind::LOCK_NAME);
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Lock::Free(None)),
        Err(error) => return Err(error),
    };
    Ok(match is_ours(&file, for_writing)? {
        true => Lock::Free(Some(file)),
        false => Lock::Held(path),
    })
}

/// A directory that this process alone writes to.
#[derive(Debug)]
pub struct Claim(File);

impl Drop for Claim {
    /// Gives it back at once: a process that was just started may have the file too.
    fn drop(&mut self) {
        #[cfg(unix)]
        let _unlocked = rustix::fs::flock(&self.0, rustix::fs::FlockOperation::Unlock);
    }
}

/// Claims a directory for this process alone, as long as the claim lives; `None` where another
/// process has. A process that ends, however it does, gives it back.
///
/// # Errors
/// What the system says.
pub fn claim(directory: &Path) -> io::Result<Option<Claim>> {
    let file = File::open(directory)?;
    Ok(is_claimed(&file)?.then_some(Claim(file)))
}

#[cfg(unix)]
fn is_claimed(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::AGAIN) => Ok(false),
        // Some file systems lock nothing, or no directory: then nobody can be told apart.
        Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::BADF | Errno::INVAL) => {
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn is_claimed(_: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(unix)]
fn is_ours(file: &File, for_writing: bool) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    let operation = match for_writing {
        true => FlockOperation::NonBlockingLockExclusive,
        false => FlockOperation::NonBlockingLockShared,
    };
    match fcntl_lock(file, operation) {
        Ok(()) => Ok(true),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        // A file system without locks: no broker could hold one either.
        Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn is_ours(_: &File, _: bool) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_directory_is_claimed_once_until_the_claim_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let claimed = claim(directory.path()).unwrap();
        assert!(claimed.is_some());
        assert!(claim(directory.path()).unwrap().is_none());
        drop(claimed);
        assert!(claim(directory.path()).unwrap().is_some());
    }

    /// What a lock that is held looks like is seen from another process alone: the tests of
    /// `kfsck repair` do that.
    #[test]
    fn a_directory_without_a_lock_file_is_free_and_gets_none() {
        let directory = tempfile::tempdir().unwrap();
        for lock in [probe(directory.path()), take(directory.path())] {
            assert!(matches!(lock.unwrap(), Lock::Free(None)));
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        std::fs::write(directory.path().join(".lock"), "").unwrap();
        for lock in [probe(directory.path()), take(directory.path())] {
            assert!(matches!(lock.unwrap(), Lock::Free(Some(_))));
        }
    }
}
