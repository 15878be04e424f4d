//! The files of a log directory beside its partitions: whose it is, what is known of each
//! partition, and whether the broker stopped cleanly.
//!
//! As `LogManager.shutdown` of Kafka 4.4.0 leaves them, or as they lie there when a broker was
//! killed.

use super::error::WriteError;
use super::new_file;
use crate::format::clean_shutdown::{self, CleanShutdown};
use crate::format::meta_properties::{self, MetaProperties};
use crate::format::number::Offset;
use crate::format::offset_checkpoint::{self, OffsetEntry};
use crate::format::uuid::Uuid;
use crate::storage::file_name::FileKind;
use std::fs;
use std::path::Path;

/// What the checkpoint files say of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionOffsets {
    /// The topic: not empty, without white space.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// Where the first segment begins.
    pub first_segment: Offset,
    /// Where the log begins: there, or behind it after `DeleteRecords`. Only then there is a line
    /// in `log-start-offset-checkpoint`.
    pub log_start_offset: Offset,
    /// Up to where the log is known to be on disk: its end, where the broker stopped cleanly.
    pub recovery_point: Offset,
    /// The high watermark.
    pub high_watermark: Offset,
}

/// How the broker went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Cleanly: there is a `.kafka_cleanshutdown` with the epoch of the broker's registration.
    Clean {
        /// The broker's epoch.
        broker_epoch: i64,
    },
    /// It was killed: the `.lock` is still there.
    Killed,
}

/// A log directory but for its partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDirectoryFiles {
    /// The cluster: free text, usually an id of 22 characters.
    pub cluster_id: String,
    /// The node's id.
    pub node_id: i32,
    /// The directory's id (KIP-858); the first 100 are reserved.
    pub directory_id: Uuid,
    /// The partitions in it, in the order of the checkpoint files.
    pub partitions: Vec<PartitionOffsets>,
    /// How the broker went.
    pub stop: Stop,
}

impl LogDirectoryFiles {
    /// Writes the files into a directory, which is made if it is not there. It may hold partitions,
    /// but none of these files.
    ///
    /// # Errors
    /// A topic whose name could not be read back; a file that is there already, and what else the
    /// system says.
    ///
    /// ```
    /// use kfsck::format::number::Offset;
    /// use kfsck::format::uuid::Uuid;
    /// use kfsck::rebuild::log_directory::{LogDirectoryFiles, PartitionOffsets, Stop};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let place = tempfile::tempdir()?;
    /// let files = LogDirectoryFiles {
    ///     cluster_id: "MGfptpuxRxmjw0wF0RpNTg".into(),
    ///     node_id: 1,
    ///     directory_id: Uuid([7; 16]),
    ///     partitions: vec![PartitionOffsets {
    ///         topic: "orders".into(),
    ///         partition: 0,
    ///         first_segment: Offset(0),
    ///         log_start_offset: Offset(0),
    ///         recovery_point: Offset(3),
    ///         high_watermark: Offset(3),
    ///     }],
    ///     stop: Stop::Clean { broker_epoch: 9 },
    /// };
    /// files.write(place.path())?;
    /// let path = place.path().join("replication-offset-checkpoint");
    /// assert_eq!(std::fs::read_to_string(path)?, "0\n1\norders 0 3\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(&self, directory: &Path) -> Result<(), WriteError> {
        fs::create_dir_all(directory).map_err(|reason| WriteError::System {
            path: directory.to_owned(),
            reason,
        })?;
        let put = |name: &str, bytes: &[u8]| new_file::write(directory.join(name), bytes);
        put("meta.properties", &self.meta_properties())?;
        let all = |_: &PartitionOffsets| true;
        let starts_late =
            |partition: &PartitionOffsets| partition.log_start_offset > partition.first_segment;
        put(
            "recovery-point-offset-checkpoint",
            &self.checkpoint(all, |partition| partition.recovery_point)?,
        )?;
        put(
            "replication-offset-checkpoint",
            &self.checkpoint(all, |partition| partition.high_watermark)?,
        )?;
        put(
            "log-start-offset-checkpoint",
            &self.checkpoint(starts_late, |partition| partition.log_start_offset)?,
        )?;
        // The cleaner makes it, and writes it when it has cleaned something.
        put("cleaner-offset-checkpoint", &[])?;
        match self.stop {
            Stop::Clean { broker_epoch } => {
                let version = 0;
                let file = CleanShutdown {
                    version,
                    broker_epoch,
                };
                put(FileKind::CLEAN_SHUTDOWN_NAME, &clean_shutdown::encode(file))
            }
            Stop::Killed => put(".lock", &[]),
        }
    }

    fn meta_properties(&self) -> Vec<u8> {
        meta_properties::encode(&MetaProperties {
            version: 1,
            cluster_id: Some(self.cluster_id.clone()),
            node_id: Some(self.node_id),
            directory_id: Some(self.directory_id),
        })
    }

    fn checkpoint(
        &self,
        wanted: impl Fn(&PartitionOffsets) -> bool,
        offset: impl Fn(&PartitionOffsets) -> Offset,
    ) -> Result<Vec<u8>, WriteError> {
        let partitions = self.partitions.iter().filter(|partition| wanted(partition));
        let entries: Vec<_> = partitions
            .map(|partition| OffsetEntry {
                topic: partition.topic.clone(),
                partition: partition.partition,
                offset: offset(partition),
            })
            .collect();
        Ok(offset_checkpoint::encode(&entries)?)
    }
}
