//! The bytes of one input file, mapped or read plainly.
//!
//! Inputs are opened read-only, never created, never written. This file knows no Kafka
//! structure: it answers for bytes at positions, and for whether they can be believed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::map::Map;
use super::spool::{self, Spool};

pub use super::range_reader::RangeReader;
pub use super::read_error::ReadError;
pub use super::window::Window;

/// Bytes read at a time where all are wanted.
const PIECE: usize = 256 << 10;

/// How the bytes of a file are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Through a memory map; where the system gives none, by plain reads.
    #[default]
    Map,
    /// By plain reads.
    Plain,
}

/// The bytes of one input file; opened read-only, never created, never written.
///
/// The length is fixed when the file is opened: a file that is being written is read up to
/// there. Only of [`Source::open_growing`] more may come. May be shared between threads; each takes
/// a [`Window`] of its own.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    /// When it was opened.
    length: u64,
    backing: Backing,
}

#[derive(Debug)]
enum Backing {
    Map { map: Map, file: File },
    Plain(File),
    Growing(Spool),
    Memory(Vec<u8>),
}

/// What a path leads to.
enum Opened {
    Source(Source),
    /// What can be read only once, front to back.
    Input(Box<dyn Read + Send>),
}

impl Source {
    /// Opens a file for reading.
    ///
    /// The path `-` is standard input (`./-` is a file of that name). Standard input, FIFOs and
    /// character devices are read to their end first, into a temporary file that has no name.
    ///
    /// # Errors
    /// [`ReadError::Open`], [`ReadError::Directory`], [`ReadError::BlockDevice`], and
    /// [`ReadError::Read`] or [`ReadError::Spool`] for an input that must be spooled.
    pub fn open(path: &Path, access: Access) -> Result<Self, ReadError> {
        match Self::opened(path, access)? {
            Opened::Source(source) => Ok(source),
            Opened::Input(input) => Self::from_file(path, spool::spool(path, input)?, access),
        }
    }

    /// As [`Source::open`], for a reader that may stop early: an input that must be spooled is read
    /// only as far as [`Source::reaches`] asks for, and by plain reads.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_growing(path: &Path, access: Access) -> Result<Self, ReadError> {
        match Self::opened(path, access)? {
            Opened::Source(source) => Ok(source),
            Opened::Input(input) => Ok(Self {
                path: path.to_owned(),
                length: 0,
                backing: Backing::Growing(Spool::new(path, input)?),
            }),
        }
    }

    fn opened(path: &Path, access: Access) -> Result<Opened, ReadError> {
        let open_error = |reason| ReadError::Open {
            path: path.to_owned(),
            reason,
        };
        if path.as_os_str() == "-" {
            return Ok(Opened::Input(Box::new(io::stdin())));
        }
        let file = File::open(path).map_err(open_error)?;
        let kind = file.metadata().map_err(open_error)?.file_type();
        if kind.is_file() {
            Self::from_file(path, file, access).map(Opened::Source)
        } else if kind.is_dir() {
            let path = path.to_owned();
            Err(ReadError::Directory { path })
        } else if is_block_device(kind) {
            let path = path.to_owned();
            Err(ReadError::BlockDevice { path })
        } else {
            Ok(Opened::Input(Box::new(file)))
        }
    }

    /// Bytes in memory under the name of a file: for tests, fuzzing and simulated logs.
    #[must_use]
    pub fn from_bytes(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self {
            path: path.into(),
            // A Vec is shorter than half the address space.
            length: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            backing: Backing::Memory(bytes),
        }
    }

    fn from_file(path: &Path, file: File, access: Access) -> Result<Self, ReadError> {
        let path = path.to_owned();
        let length = match file.metadata() {
            Ok(metadata) => metadata.len(),
            Err(reason) => return Err(ReadError::Open { path, reason }),
        };
        let map = match access {
            Access::Map => Map::new(&file, length),
            Access::Plain => None,
        };
        let backing = match map {
            Some(map) => Backing::Map { map, file },
            None => Backing::Plain(file),
        };
        Ok(Self {
            path,
            length,
            backing,
        })
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length when the file was opened, in bytes; of one that grows, the bytes that are there.
    #[must_use]
    #[inline]
    pub fn len(&self) -> u64 {
        match &self.backing {
            Backing::Growing(spool) => spool.length(),
            _ => self.length,
        }
    }

    /// Whether [`Source::reaches`] may make it longer.
    #[must_use]
    pub const fn is_growing(&self) -> bool {
        matches!(self.backing, Backing::Growing(_))
    }

    /// Whether it has `end` bytes or more; one that grows is read on until that is known.
    ///
    /// # Errors
    /// [`ReadError::Read`], [`ReadError::Spool`] and [`ReadError::Endless`], of one that grows.
    pub fn reaches(&self, end: u64) -> Result<bool, ReadError> {
        match &self.backing {
            Backing::Growing(spool) => spool.reaches(end),
            _ => Ok(end <= self.length),
        }
    }

    /// Whether the file held no byte when it was opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All bytes, when the file is mapped. What was seen through it may be believed only after
    /// [`Source::check`].
    ///
    /// Copy what goes to a system call, such as a write: where a page is gone, the kernel answers
    /// EFAULT instead of raising the signal that is caught here.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> Option<&[u8]> {
        match &self.backing {
            Backing::Map { map, .. } => Some(map.as_slice()),
            Backing::Plain(_) | Backing::Growing(_) => None,
            Backing::Memory(bytes) => Some(bytes),
        }
    }

    /// All bytes: borrowed when the file is mapped, else read into memory. Meant for files that a
    /// structure of theirs must be seen whole; segments are read through [`Source::window`].
    ///
    /// # Errors
    /// A read that failed.
    pub fn contents(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        if let Some(bytes) = self.as_slice() {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut window = self.window();
        let mut all = Vec::new();
        loop {
            let position = u64::try_from(all.len()).unwrap_or(u64::MAX);
            let bytes = window.bytes(position, PIECE)?;
            if bytes.is_empty() {
                return Ok(Cow::Owned(all));
            }
            all.extend_from_slice(bytes);
        }
    }

    /// A reader for one thread. Cheap: a plain one allocates at the first read.
    #[must_use]
    pub fn window(&self) -> Window<'_> {
        Window::new(self)
    }

    /// A stream of the bytes [`start`, `start` + `length`), ending early where the file ends.
    #[must_use]
    pub fn range(&self, start: u64, length: u64) -> RangeReader<'_> {
        RangeReader::new(self, start, length)
    }

    /// Says that a range will hardly be read again: mapped pages in it are given back. Reading it
    /// all the same is no mistake, only slower.
    pub fn release(&self, position: u64, length: u64) {
        if let Backing::Map { map, .. } = &self.backing
            && let (Ok(start), Ok(length)) = (usize::try_from(position), usize::try_from(length))
        {
            map.release(start, length);
        }
    }

    /// Whether everything read so far may be believed; to be asked before it is reported.
    ///
    /// A mapped file that is cut while it is read shows zeros instead of an end. A file that is
    /// cut and has grown to its old length between two calls, with no mapped page touched
    /// meanwhile, is not noticed.
    ///
    /// # Errors
    /// [`ReadError::Shrank`] when the file is shorter than at open; [`ReadError::PageLost`] when
    /// a mapped page was gone; [`ReadError::Read`] when the length cannot be asked for.
    pub fn check(&self) -> Result<(), ReadError> {
        let (file, faulted) = match &self.backing {
            Backing::Map { map, file } => (file, map.faulted()),
            Backing::Plain(file) => (file, false),
            // Nobody else can reach the file of one that grows.
            Backing::Growing(_) | Backing::Memory(_) => return Ok(()),
        };
        let length_now = match file.metadata() {
            Ok(metadata) => metadata.len(),
            Err(reason) => return Err(self.read_error(0, reason)),
        };
        if length_now < self.length {
            return Err(self.shrank(length_now));
        }
        if faulted {
            let path = self.path.clone();
            return Err(ReadError::PageLost { path });
        }
        Ok(())
    }

    /// Fills `buffer` with the bytes from `position` on, by plain reads; they must lie before
    /// the length at open.
    #[cold]
    pub(super) fn read_exact_at(&self, buffer: &mut [u8], position: u64) -> Result<(), ReadError> {
        let file = match &self.backing {
            Backing::Plain(file) | Backing::Map { file, .. } => file,
            Backing::Growing(spool) => spool.file(),
            // Bytes in memory are always read as a slice.
            Backing::Memory(_) => return Ok(()),
        };
        let (mut rest, mut position) = (buffer, position);
        while !rest.is_empty() {
            match read_at(file, rest, position) {
                Ok(0) => return Err(self.shrank(position)),
                Ok(count) => {
                    rest = rest.get_mut(count..).unwrap_or_default();
                    position = position.saturating_add(u64::try_from(count).unwrap_or(0));
                }
                Err(reason) if reason.kind() == ErrorKind::Interrupted => {}
                Err(reason) => return Err(self.read_error(position, reason)),
            }
        }
        Ok(())
    }

    fn read_error(&self, position: u64, reason: io::Error) -> ReadError {
        ReadError::Read {
            path: self.path.clone(),
            position,
            reason,
        }
    }

    fn shrank(&self, length_now: u64) -> ReadError {
        ReadError::Shrank {
            path: self.path.clone(),
            length_at_open: self.length,
            length_now,
        }
    }
}

#[cfg(unix)]
fn is_block_device(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&kind)
}

#[cfg(not(unix))]
fn is_block_device(_: std::fs::FileType) -> bool {
    false
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

#[cfg(test)]
mod tests {
    use super::{Access, ReadError, Source};
    use std::fs::File;
    use std::io::{ErrorKind, Write};
    use std::path::Path;

    const BOTH: [Access; 2] = [Access::Map, Access::Plain];

    fn contents(source: &Source) -> Vec<u8> {
        source.window().bytes(0, usize::MAX).unwrap().to_vec()
    }

    #[test]
    fn a_directory_and_an_absent_file_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let absent = directory.path().join("absent.log");
        for access in BOTH {
            let error = Source::open(directory.path(), access).unwrap_err();
            assert!(matches!(error, ReadError::Directory { .. }), "{error:?}");
            let error = Source::open(&absent, access).unwrap_err();
            assert_eq!(
                (error.kind(), error.path()),
                (ErrorKind::NotFound, &*absent)
            );
            assert!(error.to_string().starts_with(absent.to_str().unwrap()));
        }
        assert!(!absent.exists(), "opening must not create");
    }

    #[test]
    fn an_empty_file_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for access in BOTH {
            let source = Source::open(file.path(), access).unwrap();
            assert!(source.is_empty() && contents(&source).is_empty());
            assert_eq!(source.window().probe::<1>(0).unwrap(), None);
            source.check().unwrap();
        }
    }

    #[test]
    fn a_file_that_grows_is_read_up_to_its_length_at_open() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"before").unwrap();
        let sources = BOTH.map(|access| Source::open(file.path(), access).unwrap());
        file.write_all(&[7; 100_000]).unwrap();
        for source in sources {
            assert_eq!(contents(&source), b"before");
            source.check().unwrap();
        }
    }

    #[test]
    fn a_file_that_shrinks_fails_the_check() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for access in BOTH {
            file.as_file().set_len(1 << 20).unwrap();
            let source = Source::open(file.path(), access).unwrap();
            source.check().unwrap();
            // Inside a page: no signal tells of it.
            file.as_file().set_len((1 << 20) - 1).unwrap();
            let error = source.check().unwrap_err();
            assert_eq!(error.position(), Some((1 << 20) - 1));
            assert!(
                error.to_string().contains("1048576 to 1048575 bytes"),
                "{error}"
            );
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_cut_and_grown_again_fails_the_check_once_a_page_was_missed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let source = Source::open(file.path(), Access::Map).unwrap();
        file.as_file().set_len(0).unwrap();
        assert_eq!(contents(&source).len(), 1 << 20);
        file.as_file().set_len(1 << 20).unwrap();
        assert!(matches!(source.check(), Err(ReadError::PageLost { .. })));
    }

    #[test]
    fn bytes_in_memory_are_a_source() {
        let source = Source::from_bytes("made.log", b"0123".to_vec());
        assert_eq!((contents(&source), source.len()), (b"0123".to_vec(), 4));
        assert_eq!(source.window().probe(2).unwrap(), Some(*b"23"));
        source.check().unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn devices_and_fifos_are_spooled() {
        for access in BOTH {
            assert!(
                Source::open(Path::new("/dev/null"), access)
                    .unwrap()
                    .is_empty()
            );
            let directory = tempfile::tempdir().unwrap();
            let fifo = directory.path().join("fifo");
            let made = std::process::Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap();
            assert!(made.success());
            let written = vec![9; 300_000];
            std::thread::scope(|scope| {
                scope.spawn(|| File::options().write(true).open(&fifo)?.write_all(&written));
                let source = Source::open(&fifo, access).unwrap();
                assert_eq!((source.path(), source.len()), (&*fifo, 300_000));
                assert!(contents(&source) == written);
            });
        }
    }

    #[test]
    #[cfg(unix)]
    fn an_unreadable_file_is_an_open_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        file.as_file().set_permissions(mode).unwrap();
        if File::open(file.path()).is_ok() {
            return; // Root reads everything.
        }
        let error = Source::open(file.path(), Access::Map).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn a_source_may_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Source>();
    }
}
