//! Files that were not there before.

use super::error::WriteError;
use crate::storage::unfinished::found_in;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written front to back.
#[derive(Debug)]
pub(super) struct NewFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl NewFile {
    /// Makes the file; one that is there is an error.
    pub(super) fn create(path: PathBuf) -> Result<Self, WriteError> {
        match File::create_new(&path) {
            Ok(file) => Ok(Self {
                path,
                file: BufWriter::new(file),
            }),
            Err(reason) => Err(WriteError::System { path, reason }),
        }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.file.write_all(bytes);
        written.map_err(|reason| self.error(reason))
    }

    /// Hands everything to the system; what was not handed over is lost without a word when the
    /// file goes out of scope.
    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let flushed = self.file.flush();
        flushed.map_err(|reason| self.error(reason))
    }

    /// As [`NewFile::finish`], then zeros up to `length` bytes.
    pub(super) fn finish_at(mut self, length: u64) -> Result<(), WriteError> {
        let grown = self
            .file
            .flush()
            .and_then(|()| self.file.get_ref().set_len(length));
        grown.map_err(|reason| self.error(reason))
    }

    fn error(&self, reason: io::Error) -> WriteError {
        let path = self.path.clone();
        WriteError::System { path, reason }
    }
}

/// Writes a whole new file.
pub(super) fn write(path: PathBuf, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = NewFile::create(path)?;
    file.append(bytes)?;
    file.finish()
}

/// Makes a directory, with those that it lies in. One that is there must be empty.
pub(super) fn create_directory(path: &Path) -> Result<(), WriteError> {
    let path = path.to_owned();
    match fs::create_dir_all(&path).and_then(|()| found_in(&path)) {
        Ok(None) => Ok(()),
        Ok(Some(found)) => Err(WriteError::Occupied { path, found }),
        Err(reason) => Err(WriteError::System { path, reason }),
    }
}
