//! Inputs that can be read only once, front to back, become files: standard input, FIFOs,
//! character devices.

use std::fs::{File, FileType, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::read_error::ReadError;

/// Bytes copied at a time: what a pipe holds by default.
const PIECE: usize = 64 << 10;

/// How many names are tried before the directory is given up.
const ATTEMPTS: u32 = 100;

/// Reads `input` to its end into a temporary file without a name, and gives that file.
///
/// `path` is what errors call the input. Memory stays at one piece, whatever the length. When the
/// temporary file cannot be written on, nothing of it is left: it never had a name.
///
/// # Errors
/// [`ReadError::Read`] when the input fails, [`ReadError::Spool`] when the temporary file does,
/// [`ReadError::Endless`] for a character device that gives more than a segment can hold.
pub(super) fn spool(path: &Path, input: impl Read) -> Result<File, ReadError> {
    let most = if is_character_device(path) {
        MOST_OF_A_DEVICE
    } else {
        u64::MAX
    };
    spool_at_most(path, input, most)
}

fn spool_at_most(path: &Path, mut input: impl Read, most: u64) -> Result<File, ReadError> {
    let directory = std::env::temp_dir();
    let spool_error = |reason| ReadError::Spool {
        path: path.to_owned(),
        directory: directory.clone(),
        reason,
    };
    let mut file = nameless(&directory).map_err(spool_error)?;
    let mut piece = vec![0; PIECE];
    let mut position = 0_u64;
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(file),
            Ok(count) => {
                let read = piece.get(..count).unwrap_or_default();
                file.write_all(read).map_err(spool_error)?;
                position = position.saturating_add(u64::try_from(count).unwrap_or(0));
                if position > most {
                    let path = path.to_owned();
                    return Err(ReadError::Endless { path, most });
                }
            }
            Err(reason) if reason.kind() == ErrorKind::Interrupted => {}
            Err(reason) => {
                let path = path.to_owned();
                return Err(ReadError::Read {
                    path,
                    position,
                    reason,
                });
            }
        }
    }
}

/// The largest segment that a broker makes, in bytes: positions in it are 31-bit numbers. Devices
/// such as `/dev/zero` go on for ever; pipes may carry several segments, so they have no bound.
const MOST_OF_A_DEVICE: u64 = 0x7fff_ffff;

/// Whether opening the path spools it, as far as can be told before.
#[must_use]
pub fn is_spooled(path: &Path) -> bool {
    let is_plain = |kind: FileType| kind.is_file() || kind.is_dir();
    path.as_os_str() == "-" || file_type(path).is_some_and(|kind| !is_plain(kind))
}

#[cfg(unix)]
fn is_character_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let is_stdin = path.as_os_str() == "-";
    !is_stdin && file_type(path).is_some_and(|kind| kind.is_char_device())
}

#[cfg(not(unix))]
fn is_character_device(_: &Path) -> bool {
    false
}

fn file_type(path: &Path) -> Option<FileType> {
    std::fs::metadata(path).ok().map(|found| found.file_type())
}

/// A new file that only this process can reach: created exclusively, readable by its owner
/// alone, and unlinked before anything is written to it, so that no way of ending leaves it.
fn nameless(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, DELETE_ON_CLOSE);
    let mut attempt = 0;
    loop {
        let path = directory.join(unguessable_name(attempt));
        match options.open(&path) {
            Ok(file) => {
                #[cfg(unix)]
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                attempt = attempt.saturating_add(1);
            }
            Err(error) => return Err(error),
        }
    }
}

/// `FILE_FLAG_DELETE_ON_CLOSE`: Windows keeps the name as long as the file is open.
#[cfg(windows)]
const DELETE_ON_CLOSE: u32 = 0x0400_0000;

fn unguessable_name(attempt: u32) -> PathBuf {
    // The hasher is keyed from the system's randomness, and with a new key each time.
    let number = RandomState::new().hash_one((std::process::id(), attempt));
    PathBuf::from(format!(".kfsck-{number:016x}"))
}

#[cfg(test)]
mod tests {
    use super::{nameless, spool, spool_at_most};
    use crate::storage::read_error::ReadError;
    use std::io::{self, ErrorKind, Read};
    use std::path::Path;

    /// Gives a few bytes, is interrupted once, then fails.
    struct Failing(u8);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(ErrorKind::Interrupted.into()),
                2 => Ok(buffer.len().min(5)),
                _ => Err(ErrorKind::BrokenPipe.into()),
            }
        }
    }

    #[test]
    fn an_input_that_fails_says_where() {
        let error = spool(Path::new("-"), Failing(0)).unwrap_err();
        assert!(
            matches!(error, ReadError::Read { position: 5, .. }),
            "{error:?}"
        );
    }

    #[test]
    fn an_input_without_end_is_given_up_at_the_bound() {
        let path = Path::new("/dev/zero");
        let error = spool_at_most(path, io::repeat(0), 200_000).unwrap_err();
        assert!(matches!(error, ReadError::Endless { most: 200_000, .. }));
        let file = spool_at_most(path, io::repeat(0).take(200_000), 200_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 200_000);
    }

    #[test]
    fn the_temporary_file_leaves_no_name_and_an_absent_directory_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = nameless(directory.path()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
            let metadata = file.metadata().unwrap();
            assert_eq!((metadata.mode() & 0o777, metadata.nlink()), (0o600, 0));
        }
        drop(file);
        let absent = directory.path().join("absent");
        assert_eq!(nameless(&absent).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
