//! Which partition a directory holds, from its name alone.

use std::ffi::OsStr;
use std::fmt;

/// The topic of a cluster's own metadata (KRaft), which has one partition.
pub const CLUSTER_METADATA: &str = "__cluster_metadata";

/// What the name of a partition's directory says, by the broker's rule
/// (`UnifiedLog.parseTopicPartitionName`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionName {
    /// The topic. A broker asks only that there is one, not that it is a legal name.
    pub topic: String,
    /// The partition's number, 0 or more.
    pub partition: i32,
    /// Set when the directory is not the partition's own, or no more.
    pub state: Option<DirectoryState>,
}

/// What became of a partition's directory, as the suffix behind `.<unique id>` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DirectoryState {
    /// `-delete`: the topic is deleted, the files go soon or at the next start.
    Deleted,
    /// `-stray`: found by a broker that, by the cluster's metadata, should not have it.
    Stray,
    /// `-future`: a copy on the way to another log directory, to take the place of the original.
    Future,
}

impl DirectoryState {
    const ALL: [Self; 3] = [Self::Deleted, Self::Stray, Self::Future];

    /// The suffix as it stands in names, dash included.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "-delete",
            Self::Stray => "-stray",
            Self::Future => "-future",
        }
    }
}

impl PartitionName {
    /// Reads the name of a directory; `None` where a broker would refuse it.
    ///
    /// ```
    /// use kfsck::storage::partition_name::PartitionName;
    /// let name = PartitionName::parse("my.topic-3-2".as_ref()).unwrap();
    /// assert_eq!((name.topic.as_str(), name.partition), ("my.topic-3", 2));
    /// ```
    #[must_use]
    pub fn parse(name: &OsStr) -> Option<Self> {
        let name = name.to_str()?;
        let suffixed = DirectoryState::ALL
            .into_iter()
            .find_map(|state| Some((name.strip_suffix(state.as_str())?, state)));
        let (name, state) = match suffixed {
            Some((rest, state)) => {
                let (name, unique_id) = rest.rsplit_once('.')?;
                if unique_id.is_empty() || rest.contains(char::is_whitespace) {
                    return None;
                }
                (name, Some(state))
            }
            None => (name, None),
        };
        let (topic, partition) = name.rsplit_once('-')?;
        if topic.is_empty() {
            return None;
        }
        Some(Self {
            topic: topic.to_owned(),
            // No minus can be left; a plus, which Java takes, is taken.
            partition: partition.parse().ok()?,
            state,
        })
    }
}

/// The partition as Kafka's tools write it: `topic-partition`, whatever became of the directory.
impl fmt::Display for PartitionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

#[cfg(test)]
mod tests {
    use super::{DirectoryState, PartitionName};
    use std::ffi::OsStr;

    fn parse(name: &str) -> Option<(String, i32, Option<DirectoryState>)> {
        let name = PartitionName::parse(OsStr::new(name))?;
        Some((name.topic, name.partition, name.state))
    }

    #[test]
    fn the_last_dash_divides_topic_and_partition() {
        for (name, topic, partition) in [
            ("topic-0", "topic", 0),
            ("my.topic-3-2", "my.topic-3", 2),
            ("__consumer_offsets-49", "__consumer_offsets", 49),
            ("a-delete-1", "a-delete", 1),
            ("--7", "-", 7),
            ("t-007", "t", 7),
            ("t-2147483647", "t", i32::MAX),
            ("with space-1", "with space", 1),
        ] {
            assert_eq!(
                parse(name),
                Some((topic.to_owned(), partition, None)),
                "{name}"
            );
        }
    }

    #[test]
    fn a_unique_id_and_a_suffix_tell_what_became_of_it() {
        let id = "809c9850d0d04fbfb26eb58381d3a086";
        for state in DirectoryState::ALL {
            let name = format!("left.over-5.{id}{}", state.as_str());
            assert_eq!(parse(&name), Some(("left.over".to_owned(), 5, Some(state))));
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            "topic",
            "-0",
            "topic-",
            "topic-x",
            "topic-2147483648",
            "topic-0-delete",
            "topic-0.-delete",
            "topic.0f-delete",
            "a topic-0.0f-stray",
            "lost+found",
            "remote-log-index-cache",
        ] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf_8_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(PartitionName::parse(OsStr::from_bytes(b"t\xff-0")), None);
    }
}
