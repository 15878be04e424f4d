//! Inputs that can be read only once, front to back, become files: standard input, FIFOs,
//! character devices.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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
/// As [`Spool::reaches`], and [`ReadError::Spool`] when there is no place for the file.
pub(super) fn spool(path: &Path, input: impl Read + Send + 'static) -> Result<File, ReadError> {
    let spool = Spool::new(path, input)?;
    spool.reaches(u64::MAX)?;
    Ok(spool.file)
}

/// An input on its way into a temporary file, read as far as somebody asked for it.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    /// Bytes in the file.
    length: AtomicU64,
    /// What was not read yet; `None` once the input has ended.
    rest: Mutex<Option<Rest>>,
}

/// An input that may go on.
struct Rest {
    /// What errors call it.
    path: PathBuf,
    input: Box<dyn Read + Send>,
    piece: Vec<u8>,
    /// Bytes that may come from it.
    most: u64,
}

impl Spool {
    /// Reads nothing yet.
    ///
    /// # Errors
    /// [`ReadError::Spool`] when the temporary file cannot be made.
    pub(super) fn new(path: &Path, input: impl Read + Send + 'static) -> Result<Self, ReadError> {
        let most = if is_character_device(path) {
            MOST_OF_A_DEVICE
        } else {
            u64::MAX
        };
        Self::of_at_most(path, input, most)
    }

    fn of_at_most(
        path: &Path,
        input: impl Read + Send + 'static,
        most: u64,
    ) -> Result<Self, ReadError> {
        let file = nameless(&std::env::temp_dir()).map_err(|reason| spool_error(path, reason))?;
        Ok(Self {
            file,
            length: AtomicU64::new(0),
            rest: Mutex::new(Some(Rest {
                path: path.to_owned(),
                input: Box::new(input),
                piece: vec![0; PIECE],
                most,
            })),
        })
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Bytes that are there to be read.
    pub(super) fn length(&self) -> u64 {
        self.length.load(Ordering::Acquire)
    }

    /// Whether the input has `end` bytes or more; reads on in it until that is known.
    ///
    /// # Errors
    /// [`ReadError::Read`] when the input fails, [`ReadError::Spool`] when the temporary file does,
    /// [`ReadError::Endless`] for a character device that gives more than a segment can hold.
    pub(super) fn reaches(&self, end: u64) -> Result<bool, ReadError> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut length = self.length();
        while length < end
            && let Some(open) = rest.as_mut()
        {
            match open.copy_piece(&self.file, length)? {
                0 => *rest = None,
                count => length = length.saturating_add(count),
            }
            self.length.store(length, Ordering::Release);
        }
        Ok(length >= end)
    }
}

impl Rest {
    /// Appends some bytes to a file that has `length`; 0 at the end of the input.
    fn copy_piece(&mut self, file: &File, length: u64) -> Result<u64, ReadError> {
        let Self { path, input, .. } = self;
        let count = loop {
            match input.read(&mut self.piece) {
                Ok(count) => break count,
                Err(reason) if reason.kind() == ErrorKind::Interrupted => {}
                Err(reason) => {
                    return Err(ReadError::Read {
                        path: path.clone(),
                        position: length,
                        reason,
                    });
                }
            }
        };
        let read = self.piece.get(..count).unwrap_or_default();
        write_at(file, read, length).map_err(|reason| spool_error(path, reason))?;
        let count = u64::try_from(count).unwrap_or(0);
        if length.saturating_add(count) > self.most {
            return Err(ReadError::Endless {
                path: path.clone(),
                most: self.most,
            });
        }
        Ok(count)
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Rest")
            .field("path", &self.path)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, position)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    let (mut rest, mut position) = (bytes, position);
    while !rest.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, rest, position)?;
        rest = rest.get(count..).unwrap_or_default();
        position = position.saturating_add(u64::try_from(count).unwrap_or(0));
    }
    Ok(())
}

fn spool_error(path: &Path, reason: io::Error) -> ReadError {
    ReadError::Spool {
        path: path.to_owned(),
        directory: std::env::temp_dir(),
        reason,
    }
}

/// The largest segment that a broker makes, in bytes: positions in it are 31-bit numbers. Devices
/// such as `/dev/zero` go on for ever; pipes may carry several segments, so they have no bound.
const MOST_OF_A_DEVICE: u64 = 0x7fff_ffff;

#[cfg(unix)]
fn is_character_device(path: &Path) -> bool {
    use std::fs::Metadata;
    use std::os::unix::fs::FileTypeExt as _;
    let is_stdin = path.as_os_str() == "-";
    let is_device = |found: Metadata| found.file_type().is_char_device();
    !is_stdin && std::fs::metadata(path).is_ok_and(is_device)
}

#[cfg(not(unix))]
fn is_character_device(_: &Path) -> bool {
    false
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
    use super::{PIECE, Spool, nameless, spool};
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
        let endless = Spool::of_at_most(path, io::repeat(0), 200_000).unwrap();
        let error = endless.reaches(u64::MAX).unwrap_err();
        assert!(matches!(error, ReadError::Endless { most: 200_000, .. }));
        let bounded = Spool::of_at_most(path, io::repeat(0).take(200_000), 200_000).unwrap();
        assert!(!bounded.reaches(u64::MAX).unwrap());
        assert_eq!(bounded.file().metadata().unwrap().len(), 200_000);
    }

    #[test]
    fn an_input_is_read_as_far_as_is_asked_for() {
        let endless = Spool::new(Path::new("-"), io::repeat(7)).unwrap();
        assert_eq!(endless.length(), 0);
        for end in [1, PIECE, PIECE + 1, 10 * PIECE] {
            assert!(endless.reaches(end as u64).unwrap());
            assert_eq!(endless.length(), end.next_multiple_of(PIECE) as u64);
        }
        assert!(endless.reaches(5).unwrap());
        assert_eq!(endless.length(), 10 * PIECE as u64);
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
