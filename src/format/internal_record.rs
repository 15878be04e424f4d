//! The records of the topics that Kafka keeps for itself, each by the rules of its topic.
//!
//! A record is trusted as far as its batch is.

use std::fmt;

use super::coordinator_record::{CoordinatorFault, CoordinatorRecord, CoordinatorTopic};
use super::metadata_record::{MetadataFault, MetadataRecord};
use super::mirror_state::{MirrorStateFault, MirrorStateRecord};
use super::remote_log_metadata::{self, RemoteLogFault};

/// A topic whose records are read by its own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InternalTopic {
    /// `__cluster_metadata`, and the snapshots of it.
    ClusterMetadata,
    /// `__remote_log_metadata`.
    RemoteLogMetadata,
    /// `__mirror_state`, which the prototypes of Cluster Mirroring write.
    MirrorState,
    /// A topic of a coordinator's.
    Coordinator(CoordinatorTopic),
}

/// A record of one of these topics.
#[derive(Debug, Clone, PartialEq)]
pub enum InternalRecord<'a> {
    /// Of `__cluster_metadata`.
    Metadata(MetadataRecord<'a>),
    /// Of `__remote_log_metadata`.
    RemoteLog(MetadataRecord<'a>),
    /// Of `__mirror_state`.
    Mirror(MirrorStateRecord<'a>),
    /// Of a coordinator's topic.
    Coordinator(CoordinatorTopic, CoordinatorRecord<'a>),
}

/// Why a record is none of its topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InternalFault {
    /// Of `__cluster_metadata`.
    Metadata(MetadataFault),
    /// Of `__remote_log_metadata`.
    RemoteLog(RemoteLogFault),
    /// Of `__mirror_state`.
    Mirror(MirrorStateFault),
    /// Of a coordinator's topic.
    Coordinator(CoordinatorTopic, CoordinatorFault),
}

impl fmt::Display for InternalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metadata(fault) => write!(f, "not a record of metadata: {fault}"),
            Self::RemoteLog(fault) => write!(f, "not a record about remote storage: {fault}"),
            Self::Mirror(fault) => write!(f, "not a record of mirroring: {fault}"),
            Self::Coordinator(topic, fault) => {
                let what = match topic {
                    CoordinatorTopic::Offsets => "a group coordinator",
                    CoordinatorTopic::Transactions => "a transaction coordinator",
                    CoordinatorTopic::ShareState => "a share coordinator",
                };
                write!(f, "not a record of {what}: {fault}")
            }
        }
    }
}

impl InternalTopic {
    /// The topic of a name; `None` where clients write the records.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "__cluster_metadata" => Self::ClusterMetadata,
            "__consumer_offsets" => Self::Coordinator(CoordinatorTopic::Offsets),
            "__transaction_state" => Self::Coordinator(CoordinatorTopic::Transactions),
            "__share_group_state" => Self::Coordinator(CoordinatorTopic::ShareState),
            "__remote_log_metadata" => Self::RemoteLogMetadata,
            "__mirror_state" => Self::MirrorState,
            _ => return None,
        })
    }

    /// Reads key and value of a record.
    ///
    /// # Errors
    /// [`InternalFault`], where Kafka's reader fails too.
    pub fn decode<'a>(
        self,
        key: Option<&'a [u8]>,
        value: Option<&'a [u8]>,
    ) -> Result<InternalRecord<'a>, InternalFault> {
        match self {
            Self::ClusterMetadata => MetadataRecord::decode(value)
                .map(InternalRecord::Metadata)
                .map_err(InternalFault::Metadata),
            Self::RemoteLogMetadata => remote_log_metadata::decode(value)
                .map(InternalRecord::RemoteLog)
                .map_err(InternalFault::RemoteLog),
            Self::MirrorState => MirrorStateRecord::decode(key, value)
                .map(InternalRecord::Mirror)
                .map_err(InternalFault::Mirror),
            Self::Coordinator(topic) => topic
                .decode(key, value)
                .map(|record| InternalRecord::Coordinator(topic, record))
                .map_err(|fault| InternalFault::Coordinator(topic, fault)),
        }
    }
}
