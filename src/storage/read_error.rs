//! The one error of reading an input file: which file, where, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

/// Why an input could not be read, or what was read cannot be believed.
///
/// The message is whole: it names the file and the reason, so it needs no chain of causes.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened, or its directory could not be listed.
    #[error("{path}: {reason}{}", advice(reason))]
    Open {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A directory stands where a file is needed.
    #[error("{path}: is a directory, and a file is needed here")]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// A directory in which nothing has a name that a broker gives.
    #[error(
        "{path}: no Kafka file in this directory; expected a partition directory (topic-0), a log \
         directory with such directories inside, or a file"
    )]
    NotKafka {
        /// The directory.
        path: PathBuf,
    },
    /// A directory that was being written when its run was broken off.
    #[error(
        "{path}: not all of it was written when a run of kfsck was broken off; it is no partition: \
         run the same command again, which writes it anew, or remove it"
    )]
    Unfinished {
        /// The directory.
        path: PathBuf,
    },
    /// Neither a file nor something that can be read to its end.
    #[error("{path}: is a block device; copy the bytes to a file first")]
    BlockDevice {
        /// The device.
        path: PathBuf,
    },
    /// The system could not read from an open file.
    #[error("{path}: position {position}: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Distance from the start of the file, in bytes.
        position: u64,
        /// What the system said.
        reason: io::Error,
    },
    /// The file has fewer bytes than when it was opened.
    #[error(
        "{path}: shrank from {length_at_open} to {length_now} bytes while it was read, so nothing \
         from there on is known; stop its writer or work on a copy, then run again"
    )]
    Shrank {
        /// The file.
        path: PathBuf,
        /// Length when it was opened, in bytes.
        length_at_open: u64,
        /// Length as far as bytes could be read, in bytes.
        length_now: u64,
    },
    /// A mapped page was gone when it was touched, though the file is as long as before: the
    /// medium failed, or the file was cut and has grown again.
    #[error(
        "{path}: a part of the file went away while it was read; stop its writer or work on a \
         copy, then run again with --no-mmap, which names the position of a read that fails"
    )]
    PageLost {
        /// The file.
        path: PathBuf,
    },
    /// A character device that gives more bytes than a segment can have.
    #[error(
        "{path}: gives more than {most} bytes, the most that a segment can have; a device without \
         end is no input, so copy the bytes that are meant to a file first"
    )]
    Endless {
        /// The device.
        path: PathBuf,
        /// Bytes that were read, at most.
        most: u64,
    },
    /// Standard input, a FIFO or a device could not be written to a temporary file.
    #[error(
        "{path}: cannot be spooled to a temporary file in {directory}: {reason}; nothing of it is \
         left there; TMPDIR chooses another directory"
    )]
    Spool {
        /// The input.
        path: PathBuf,
        /// The directory of the temporary file.
        directory: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

/// What to do about a file that does not open, as the end of a sentence.
fn advice(reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::NotFound => "; check the name: nothing has it, or a link leads nowhere",
        io::ErrorKind::PermissionDenied => {
            "; run as the user that the broker runs as, or on a copy that you may read"
        }
        _ => "",
    }
}

impl ReadError {
    /// The file that the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Open { path, .. }
            | Self::Directory { path }
            | Self::NotKafka { path }
            | Self::Unfinished { path }
            | Self::BlockDevice { path }
            | Self::Read { path, .. }
            | Self::Shrank { path, .. }
            | Self::PageLost { path }
            | Self::Endless { path, .. }
            | Self::Spool { path, .. } => path,
        }
    }

    /// The first byte that is not known, where the error is about a place: its distance from the
    /// start of the file.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        match self {
            Self::Read { position, .. } => Some(*position),
            Self::Shrank { length_now, .. } => Some(*length_now),
            _ => None,
        }
    }

    /// The nearest kind that `std::io` knows.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Open { reason, .. } | Self::Read { reason, .. } | Self::Spool { reason, .. } => {
                reason.kind()
            }
            Self::Directory { .. } => io::ErrorKind::IsADirectory,
            Self::Endless { .. } => io::ErrorKind::FileTooLarge,
            Self::BlockDevice { .. } => io::ErrorKind::Unsupported,
            Self::NotKafka { .. } | Self::Unfinished { .. } => io::ErrorKind::NotFound,
            Self::Shrank { .. } | Self::PageLost { .. } => io::ErrorKind::UnexpectedEof,
        }
    }
}

/// For readers that must speak `std::io`; `io::Error::downcast` gives the [`ReadError`] back.
impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        Self::new(error.kind(), error)
    }
}
