//! The names of topics by their ids, as the cluster's metadata in a log directory tell them.
//!
//! A name helps whoever reads an id, and nothing depends on it: what cannot be read means no name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::cluster_log::ClusterLog;
use crate::format::uuid::Uuid;
use crate::storage::source::Access;

/// The topics that a cluster's metadata know, by id.
pub type Topics = BTreeMap<Uuid, String>;

/// The names in each log directory that was asked about; its metadata are read once, and not
/// before.
#[derive(Debug)]
pub struct TopicNames {
    access: Access,
    read: Mutex<BTreeMap<PathBuf, Option<Arc<Topics>>>>,
}

impl TopicNames {
    /// None are read yet; files will be reached in this way.
    #[must_use]
    pub const fn new(access: Access) -> Self {
        let read = Mutex::new(BTreeMap::new());
        Self { access, read }
    }

    /// The topics by the metadata in a log directory; `None` where none lie there, or nothing of
    /// them can be read.
    #[must_use]
    pub fn in_log_directory(&self, log_directory: &Path) -> Option<Arc<Topics>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(topics) = read.get(log_directory) {
            return topics.clone();
        }
        let topics = topics(log_directory, self.access).map(Arc::new);
        read.insert(log_directory.to_owned(), topics.clone());
        topics
    }

    /// The topics by the metadata in the log directory of a file in a partition's directory.
    #[must_use]
    pub fn of_log_directory_of(&self, file: &Path) -> Option<Arc<Topics>> {
        let file = std::path::absolute(file).ok()?;
        self.in_log_directory(file.parent()?.parent()?)
    }

    /// The topic that an id in a file of a partition's directory belongs to.
    #[must_use]
    pub fn beside(&self, file: &Path, id: Uuid) -> Option<String> {
        self.of_log_directory_of(file)?.get(&id).cloned()
    }
}

fn topics(log_directory: &Path, access: Access) -> Option<Topics> {
    let log = ClusterLog::in_log_directory(log_directory, access)?;
    let topics = log.image.topics();
    let topics = topics.iter().map(|(id, topic)| (*id, topic.name.clone()));
    (log.end_offset.0 > 0).then(|| topics.collect())
}
