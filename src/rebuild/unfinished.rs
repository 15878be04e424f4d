//! A partition's directory that bears another name until all of it is on the disk.

use super::error::WriteError;
use crate::storage::lock::{Claim, claim};
use crate::storage::unfinished::{
    Left, left_in, missing, sync_directory, taken_by, unfinished_name,
};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A directory that is being written, by this process alone.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    target: PathBuf,
    /// Directories that get a new name, the innermost first.
    above: Vec<PathBuf>,
    _claim: Claim,
}

impl Unfinished {
    /// Makes the directory that is to become `name` in `place`, and `place` where it is not there.
    /// What an earlier run has left unfinished goes.
    ///
    /// # Errors
    /// Something bears the name already, or lies in the directory that no run has left there;
    /// another run writes it; what the system says.
    pub fn begin(place: &Path, name: &str) -> Result<Self, WriteError> {
        let target = place.join(name);
        if let Some(found) = said(&target, taken_by(&target))? {
            let path = target;
            return Err(WriteError::Occupied { path, found });
        }
        let path = place.join(unfinished_name(name));
        let made = missing(place).into_iter().rev();
        let mut above = vec![place.to_owned()];
        above.extend(made.map(|(_, above)| above.to_owned()));
        said(&path, fs::create_dir_all(&path))?;
        let Some(claim) = said(&path, claim(&path))? else {
            return Err(WriteError::Claimed { path });
        };
        match said(&path, left_in(&path, &|_| false))? {
            Left::Files(left) => {
                for file in left {
                    said(&file, fs::remove_file(&file))?;
                }
            }
            Left::Foreign(found) => return Err(WriteError::Occupied { path, found }),
        }
        Ok(Self {
            path,
            target,
            above,
            _claim: claim,
        })
    }

    /// Brings all that lies in it to the disk, and gives it its name; gives the path.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(self) -> Result<PathBuf, WriteError> {
        for entry in said(&self.path, fs::read_dir(&self.path))? {
            let file = said(&self.path, entry)?.path();
            said(&file, File::open(&file).and_then(|file| file.sync_all()))?;
        }
        said(&self.path, sync_directory(&self.path))?;
        said(&self.target, fs::rename(&self.path, &self.target))?;
        for above in &self.above {
            said(above, sync_directory(above))?;
        }
        Ok(self.target)
    }
}

fn said<T>(path: &Path, done: io::Result<T>) -> Result<T, WriteError> {
    let path = path.to_owned();
    done.map_err(|reason| WriteError::System { path, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gets_its_name_when_all_is_there_and_what_was_left_goes() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().join("new/place");
        let begun = Unfinished::begin(&place, "orders-0").unwrap();
        let partial = place.join(unfinished_name("orders-0"));
        fs::write(partial.join("00000000000000000000.log"), "half").unwrap();
        let busy = Unfinished::begin(&place, "orders-0").unwrap_err();
        assert!(matches!(busy, WriteError::Claimed { .. }), "{busy}");
        // The process ends.
        drop(begun);
        let begun = Unfinished::begin(&place, "orders-0").unwrap();
        assert_eq!(fs::read_dir(&partial).unwrap().count(), 0);
        fs::write(partial.join("00000000000000000007.log"), "whole").unwrap();
        let path = begun.finish().unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        assert_eq!(
            fs::read(path.join("00000000000000000007.log")).unwrap(),
            b"whole"
        );
        let taken = Unfinished::begin(&place, "orders-0").unwrap_err();
        assert!(matches!(taken, WriteError::Occupied { .. }), "{taken}");
        let partial = place.join(unfinished_name("orders-1"));
        fs::create_dir(&partial).unwrap();
        fs::write(partial.join("mine.txt"), "").unwrap();
        let foreign = Unfinished::begin(&place, "orders-1").unwrap_err();
        assert!(foreign.to_string().contains("mine.txt"), "{foreign}");
    }
}
