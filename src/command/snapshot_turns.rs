//! The snapshots of `inspect-snapshot` on their way to the output: each is read once, is compared
//! when the replay of the log comes to its offset, and is shown in the order of the files.

use std::collections::BTreeMap;

use kfsck::analysis::snapshot_health::Health;
use kfsck::analysis::snapshot_replay::Compared;
use kfsck::storage::directory::KafkaFile;
use kfsck::storage::source::{Access, ReadError};

/// Shows a snapshot, or tells why it could not be read.
pub(super) type Show<'s> = &'s mut dyn FnMut(
    &KafkaFile,
    Result<Health, ReadError>,
    Option<&Compared>,
) -> anyhow::Result<()>;

/// Files that wait for their turn.
pub(super) struct Turns<'g> {
    files: &'g [KafkaFile],
    access: Access,
    /// Which of them come with a comparison.
    awaited: Vec<bool>,
    /// Those that came before their turn.
    early: BTreeMap<usize, (Result<Health, ReadError>, Compared)>,
    next: usize,
}

impl<'g> Turns<'g> {
    /// None of `files` has been shown, and none is to be compared.
    pub(super) fn new(files: &'g [KafkaFile], access: Access) -> Self {
        Self {
            files,
            access,
            awaited: vec![false; files.len()],
            early: BTreeMap::new(),
            next: 0,
        }
    }

    /// The file will come with a comparison.
    pub(super) fn await_comparison(&mut self, index: usize) {
        if let Some(awaited) = self.awaited.get_mut(index) {
            *awaited = true;
        }
    }

    /// A file came with its comparison: shows it and what waited for it, if it is its turn.
    pub(super) fn came(
        &mut self,
        index: usize,
        read: Result<Health, ReadError>,
        compared: Compared,
        show: Show<'_>,
    ) -> anyhow::Result<()> {
        self.early.insert(index, (read, compared));
        self.release(show)
    }

    /// No comparison comes any more: shows the rest.
    pub(super) fn finish(&mut self, show: Show<'_>) -> anyhow::Result<()> {
        self.awaited.fill(false);
        self.release(show)
    }

    fn release(&mut self, show: Show<'_>) -> anyhow::Result<()> {
        while let Some(file) = self.files.get(self.next) {
            let early = self.early.remove(&self.next);
            let is_awaited = self.awaited.get(self.next).copied();
            match early {
                Some((read, compared)) => show(file, read, Some(&compared))?,
                None if is_awaited == Some(true) => break,
                None => show(file, Health::read(&file.path, self.access), None)?,
            }
            self.next += 1;
        }
        Ok(())
    }
}
