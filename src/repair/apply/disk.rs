//! What applying a plan does to a file system, one call a change: so a test can break off in front
//! of, or in the middle of, each.

use crate::storage::unfinished;
use std::fmt::Debug;
use std::fs::{self, File, FileTimes, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

/// Puts the bytes of a new file into a writer.
pub type Fill<'f> = &'f mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// The changes that a repair makes, as the system makes them unless an implementation does
/// otherwise. Each is done, or not, or broken off in the middle as the system breaks off such a
/// thing.
pub trait Disk: Debug {
    /// Makes a directory.
    ///
    /// # Errors
    /// What the system says.
    fn create_directory(&mut self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Makes a new file and brings it to the disk, with owner, mode and time of last change of
    /// another where that is given. A file that is there is an error.
    ///
    /// # Errors
    /// What the system says, or `fill`.
    fn write(&mut self, path: &Path, like: Option<&Metadata>, fill: Fill<'_>) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(256 << 10, File::create_new(path)?);
        fill(&mut file)?;
        file.flush()?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = like {
            wear(&file, path, like)?;
        }
        file.sync_all()
    }

    /// Gives a file a second name.
    ///
    /// # Errors
    /// What the system says.
    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    /// Gives a file another name; what bears that name goes.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// What the system says.
    fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    /// Brings the names in a directory to the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync_directory(&mut self, path: &Path) -> io::Result<()> {
        unfinished::sync_directory(path)
    }

    /// Gives a directory the owner, mode and time of last change of another.
    ///
    /// # Errors
    /// What the system says.
    fn dress(&mut self, path: &Path, like: &Metadata) -> io::Result<()> {
        wear(&File::open(path)?, path, like)
    }
}

/// The file system of the machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemDisk;

impl Disk for SystemDisk {}

/// Gives a file owner, mode and time of last change. An owner that we may not give is not given:
/// only root may, and then nothing is worse than after a copy.
fn wear(file: &File, path: &Path, like: &Metadata) -> io::Result<()> {
    give_owner(path, like)?;
    file.set_permissions(like.permissions())?;
    match like.modified() {
        Ok(modified) => file.set_times(FileTimes::new().set_modified(modified)),
        Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn give_owner(path: &Path, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let own = fs::metadata(path)?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    match chown(path, Some(like.uid()), Some(like.gid())) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn give_owner(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}
