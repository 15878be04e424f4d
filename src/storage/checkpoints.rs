//! What the checkpoint files of a log directory say of its partitions.
//!
//! A broker keeps them beside the partitions' directories. Each may be missing, as in a copy of
//! one partition; one that cannot be read says nothing, and is named.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::format::malformed::Malformed;
use crate::format::number::Offset;
use crate::format::offset_checkpoint;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::PartitionName;
use crate::storage::source::{Access, ReadError, Source};

/// The checkpoints of one log directory.
#[derive(Debug, Default)]
pub struct Checkpoints {
    log_start: HashMap<(String, i32), Offset>,
    high_watermark: HashMap<(String, i32), Offset>,
    recovery_point: HashMap<(String, i32), Offset>,
    cleaned: HashMap<(String, i32), Offset>,
    directory: PathBuf,
    /// Whether this is a directory that a broker has made its own (`meta.properties`).
    pub has_meta_properties: bool,
    /// Whether the broker said when it ended that all is written (`.kafka_cleanshutdown`).
    pub is_clean_shutdown: bool,
    /// Whether anything lies there that only a log directory holds. Beside a copy of a partition
    /// nothing does, and how its broker stopped is not known.
    pub is_present: bool,
    /// The files that could not be used.
    pub faults: Vec<CheckpointFault>,
}

/// Why a checkpoint file says nothing.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointFault {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is not what a broker writes.
    #[error("{}: {fault}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        fault: Malformed,
    },
}

impl Checkpoints {
    /// The checkpoints of a log directory.
    pub const KINDS: [FileKind; 4] = [
        FileKind::LogStartOffsetCheckpoint,
        FileKind::ReplicationOffsetCheckpoint,
        FileKind::RecoveryPointCheckpoint,
        FileKind::CleanerOffsetCheckpoint,
    ];

    /// Whether the next start takes the last stop for one in order: of a copy nothing is known, and
    /// that counts as one.
    #[must_use]
    pub const fn count_as_clean(&self) -> bool {
        self.is_clean_shutdown || !self.is_present
    }

    /// Reads what lies in a log directory; none of it has to.
    #[must_use]
    pub fn read(log_directory: &Path, access: Access) -> Self {
        let clean = log_directory.join(FileKind::CLEAN_SHUTDOWN_NAME).exists();
        let meta = log_directory.join(FileKind::MetaProperties.name());
        let mut read = Self {
            directory: log_directory.to_owned(),
            has_meta_properties: meta.is_file(),
            is_clean_shutdown: clean,
            is_present: clean || meta.exists(),
            ..Self::default()
        };
        for kind in Self::KINDS {
            let path = read.path(kind);
            read.is_present |= path.exists();
            if path.is_file()
                && let Err(fault) = read.read_file(&path, kind, access)
            {
                read.faults.push(fault);
            }
        }
        read
    }

    fn read_file(
        &mut self,
        path: &Path,
        kind: FileKind,
        access: Access,
    ) -> Result<(), CheckpointFault> {
        let source = Source::open(path, access)?;
        let entries = offset_checkpoint::decode(&source.contents()?);
        source.check()?;
        let path = path.to_owned();
        let entries = entries.map_err(|fault| CheckpointFault::Malformed { path, fault })?;
        let offsets = match kind {
            FileKind::LogStartOffsetCheckpoint => &mut self.log_start,
            FileKind::ReplicationOffsetCheckpoint => &mut self.high_watermark,
            FileKind::CleanerOffsetCheckpoint => &mut self.cleaned,
            _ => &mut self.recovery_point,
        };
        let entries = entries.into_iter();
        offsets.extend(entries.map(|entry| ((entry.topic, entry.partition), entry.offset)));
        Ok(())
    }

    /// Where the partition's log begins, where that is not at its first segment.
    #[must_use]
    pub fn log_start_offset(&self, partition: &PartitionName) -> Option<Offset> {
        Self::of(&self.log_start, partition)
    }

    /// The high watermark as of the last write of the checkpoint.
    #[must_use]
    pub fn high_watermark(&self, partition: &PartitionName) -> Option<Offset> {
        Self::of(&self.high_watermark, partition)
    }

    /// Up to where the log was flushed, as of the last write of the checkpoint.
    #[must_use]
    pub fn recovery_point(&self, partition: &PartitionName) -> Option<Offset> {
        Self::of(&self.recovery_point, partition)
    }

    /// Up to where the log was compacted, as of the last write of the checkpoint; `None` where no
    /// cleaner has been at it.
    #[must_use]
    pub fn cleaned_up_to(&self, partition: &PartitionName) -> Option<Offset> {
        Self::of(&self.cleaned, partition)
    }

    /// The topics and partitions that a checkpoint names, in no order.
    pub fn names(&self, kind: FileKind) -> impl Iterator<Item = (&str, i32)> {
        let offsets = match kind {
            FileKind::LogStartOffsetCheckpoint => Some(&self.log_start),
            FileKind::ReplicationOffsetCheckpoint => Some(&self.high_watermark),
            FileKind::RecoveryPointCheckpoint => Some(&self.recovery_point),
            FileKind::CleanerOffsetCheckpoint => Some(&self.cleaned),
            _ => None,
        };
        let names = offsets.into_iter().flat_map(HashMap::keys);
        names.map(|(topic, partition)| (topic.as_str(), *partition))
    }

    /// The path of a checkpoint, whether it is there or not.
    #[must_use]
    pub fn path(&self, kind: FileKind) -> PathBuf {
        self.directory.join(kind.name())
    }

    /// The log start and the recovery point that a broker loads a partition's directory with, 0
    /// without a line. It looks at topic and number alone: a directory on its way in or out gets
    /// the lines of the partition that it is, or was, a copy of.
    #[must_use]
    pub fn loaded_with(&self, partition: &PartitionName) -> (Offset, Offset) {
        let name = (partition.topic.clone(), partition.partition);
        let of = |offsets: &HashMap<_, Offset>| offsets.get(&name).copied().unwrap_or(Offset(0));
        (of(&self.log_start), of(&self.recovery_point))
    }

    fn of(offsets: &HashMap<(String, i32), Offset>, partition: &PartitionName) -> Option<Offset> {
        // A directory on its way out has none; its name would give it another's.
        let name = (partition.topic.clone(), partition.partition);
        let is_current = partition.state.is_none();
        offsets.get(&name).copied().filter(|_| is_current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::fs;

    fn partition(name: &str) -> PartitionName {
        PartitionName::parse(OsStr::new(name)).unwrap()
    }

    #[test]
    fn each_file_answers_for_its_own_question() {
        let directory = tempfile::tempdir().unwrap();
        for (name, offset) in [
            ("log-start-offset-checkpoint", 3),
            ("replication-offset-checkpoint", 9),
            ("cleaner-offset-checkpoint", 5),
        ] {
            let text = format!("0\n1\nor.ders 2 {offset}\n");
            fs::write(directory.path().join(name), text).unwrap();
        }
        let read = Checkpoints::read(directory.path(), Access::Map);
        let orders = partition("or.ders-2");
        assert!(read.faults.is_empty() && !read.is_clean_shutdown);
        assert_eq!(read.log_start_offset(&orders), Some(Offset(3)));
        assert_eq!(read.high_watermark(&orders), Some(Offset(9)));
        assert_eq!(read.recovery_point(&orders), None);
        assert_eq!(read.cleaned_up_to(&orders), Some(Offset(5)));
        let names: Vec<_> = read.names(FileKind::LogStartOffsetCheckpoint).collect();
        assert_eq!(names, [("or.ders", 2)]);
        assert_eq!(read.names(FileKind::RecoveryPointCheckpoint).count(), 0);
        assert!(!read.has_meta_properties);
        assert_eq!(read.high_watermark(&partition("or.ders-3")), None);
    }

    #[test]
    fn a_directory_on_its_way_is_loaded_with_the_lines_of_its_partition() {
        let directory = tempfile::tempdir().unwrap();
        let nothing = Checkpoints::read(directory.path(), Access::Map);
        assert!(!nothing.is_present);
        let text = "0\n1\norders 0 7\n";
        fs::write(
            directory.path().join("recovery-point-offset-checkpoint"),
            text,
        )
        .unwrap();
        let read = Checkpoints::read(directory.path(), Access::Map);
        assert!(read.is_present);
        let copy = partition("orders-0.809c9850d0d04fbfb26eb58381d3a086-future");
        assert_eq!(read.recovery_point(&copy), None);
        assert_eq!(read.loaded_with(&copy), (Offset(0), Offset(7)));
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_and_hides_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let text = "0\n1\norders 0 7\n";
        fs::write(directory.path().join("replication-offset-checkpoint"), text).unwrap();
        fs::write(directory.path().join("log-start-offset-checkpoint"), "9\n").unwrap();
        fs::write(directory.path().join(".kafka_cleanshutdown"), "").unwrap();
        let read = Checkpoints::read(directory.path(), Access::Plain);
        let [fault] = &read.faults[..] else {
            panic!("{:?}", read.faults)
        };
        assert!(fault.to_string().contains("log-start-offset-checkpoint: "));
        assert_eq!(read.high_watermark(&partition("orders-0")), Some(Offset(7)));
        assert!(read.is_clean_shutdown);
    }
}
