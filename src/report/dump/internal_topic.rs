//! The records of Kafka's own topics, decoded: the stock tool's `--*-decoder` options.

use super::coordinator;
use super::mirror_state;
use super::remote_log;
use super::stock_words;
use super::view::Batch;
use crate::format::coordinator_record::{CoordinatorFault, CoordinatorTopic};
use crate::format::metadata_record::MetadataRecord;
use crate::format::mirror_state::{MirrorStateFault, MirrorStateRecord};
use crate::format::remote_log_metadata::{self, RemoteLogFault};
use crate::report::json::{Object, WideIntegers};
use crate::report::message_json::push_message_beside;
use crate::storage::damage::{Code, Damage};
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::segment::contents::Entry;

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

/// What the stock tool prints for a value that is null.
const DELETE: &[u8] = b"<DELETE>";

/// What the stock tool has to say of a record: either part may be missing.
#[derive(Debug, Default)]
struct Said {
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    /// Why the record does not decode.
    fault: Option<String>,
}

impl InternalTopic {
    /// The topic of a name; `None` where clients write the records.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            CLUSTER_METADATA => Self::ClusterMetadata,
            "__consumer_offsets" => Self::Coordinator(CoordinatorTopic::Offsets),
            "__transaction_state" => Self::Coordinator(CoordinatorTopic::Transactions),
            "__share_group_state" => Self::Coordinator(CoordinatorTopic::ShareState),
            "__remote_log_metadata" => Self::RemoteLogMetadata,
            "__mirror_state" => Self::MirrorState,
            _ => return None,
        })
    }

    /// Appends key and value as the stock tool prints them (`MessageParser`), the first of them
    /// behind `prefix`, the second behind a space.
    pub(super) fn push_text(
        self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        prefix: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Damage> {
        let said = self.said(entry);
        let mut prefix = prefix;
        for (label, part) in [(&b"key: "[..], said.key), (b"payload: ", said.value)] {
            if let Some(text) = part {
                out.extend_from_slice(prefix);
                out.extend_from_slice(label);
                out.extend_from_slice(&text);
                prefix = b" ";
            }
        }
        said.fault.map(|fault| undecodable(batch, entry, &fault))
    }

    fn said(self, entry: &Entry<'_>) -> Said {
        let wide = WideIntegers::Number;
        match self {
            Self::ClusterMetadata => match MetadataRecord::decode(entry.value) {
                Ok(record) => Said {
                    value: Some(written(|out| push_metadata(&record, wide, out))),
                    ..Said::default()
                },
                Err(fault) => Said {
                    value: Some(stock_words::of_metadata(&fault, entry.offset).into_bytes()),
                    fault: Some(format!("not a record of metadata: {fault}")),
                    ..Said::default()
                },
            },
            Self::RemoteLogMetadata => match remote_log_metadata::decode(entry.value) {
                Ok(record) => Said {
                    value: Some(written(|out| remote_log::push_text(&record, out))),
                    ..Said::default()
                },
                Err(fault) => Said {
                    value: Some(stock_words::of_remote_log(&fault, entry.offset).into_bytes()),
                    fault: Some(not_of_remote_log(&fault)),
                    ..Said::default()
                },
            },
            Self::MirrorState => match MirrorStateRecord::decode(entry.key, entry.value) {
                Ok(record) => Said {
                    key: Some(written(|out| mirror_state::push_key(&record, wide, out))),
                    value: Some(written(|out| {
                        if !mirror_state::push_value(&record, wide, out) {
                            out.extend_from_slice(DELETE);
                        }
                    })),
                    fault: None,
                },
                Err(fault) => {
                    let offset = entry.offset;
                    let words = format!("Error at offset {offset}, skipping. {fault}");
                    Said {
                        key: Some(words.into_bytes()),
                        value: None,
                        fault: Some(not_of_mirroring(&fault)),
                    }
                }
            },
            Self::Coordinator(topic) => match topic.decode(entry.key, entry.value) {
                Ok(record) => Said {
                    key: Some(written(|out| coordinator::push_key(&record, wide, out))),
                    value: Some(match &record.value {
                        Some(value) => {
                            written(|out| coordinator::push_value(topic, value, wide, out))
                        }
                        None => DELETE.to_vec(),
                    }),
                    fault: None,
                },
                Err(fault) => {
                    let bytes = (entry.key, entry.value);
                    let words = stock_words::of_coordinator(&fault, entry.offset, bytes);
                    Said {
                        key: Some(words.into_bytes()),
                        value: None,
                        fault: Some(not_of(topic, &fault)),
                    }
                }
            },
        }
    }

    /// Appends the fields of key and value to a record's object.
    pub(super) fn push_fields(
        self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        wide: WideIntegers,
        object: &mut Object<'_>,
    ) -> Option<Damage> {
        let fault = match self {
            Self::ClusterMetadata => match MetadataRecord::decode(entry.value) {
                Ok(record) => {
                    object.bytes("key", entry.key);
                    push_metadata(&record, wide, object.name("valueData"));
                    return None;
                }
                Err(fault) => format!("not a record of metadata: {fault}"),
            },
            Self::RemoteLogMetadata => match remote_log_metadata::decode(entry.value) {
                Ok(record) => {
                    object.bytes("key", entry.key);
                    push_metadata(&record, wide, object.name("valueData"));
                    return None;
                }
                Err(fault) => not_of_remote_log(&fault),
            },
            Self::MirrorState => match MirrorStateRecord::decode(entry.key, entry.value) {
                Ok(record) => {
                    mirror_state::push_key(&record, wide, object.name("keyData"));
                    match record.likeliest.value {
                        Some(_) => {
                            mirror_state::push_value(&record, wide, object.name("valueData"));
                        }
                        None => object.null("value"),
                    }
                    return None;
                }
                Err(fault) => not_of_mirroring(&fault),
            },
            Self::Coordinator(topic) => match topic.decode(entry.key, entry.value) {
                Ok(record) => {
                    coordinator::push_key(&record, wide, object.name("keyData"));
                    match &record.value {
                        Some(value) => {
                            coordinator::push_value(topic, value, wide, object.name("valueData"));
                        }
                        None => object.null("value"),
                    }
                    return None;
                }
                Err(fault) => not_of(topic, &fault),
            },
        };
        for (name, bytes) in [("key", entry.key), ("value", entry.value)] {
            match bytes {
                Some(bytes) => object.base64(name, bytes),
                None => object.null(name),
            }
        }
        Some(undecodable(batch, entry, &fault))
    }
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

fn not_of_remote_log(fault: &RemoteLogFault) -> String {
    format!("not a record about remote storage: {fault}")
}

fn not_of_mirroring(fault: &MirrorStateFault) -> String {
    format!("not a record of mirroring: {fault}")
}

fn not_of(topic: CoordinatorTopic, fault: &CoordinatorFault) -> String {
    let what = match topic {
        CoordinatorTopic::Offsets => "a group coordinator",
        CoordinatorTopic::Transactions => "a transaction coordinator",
        CoordinatorTopic::ShareState => "a share coordinator",
    };
    format!("not a record of {what}: {fault}")
}

/// The decoder's fault for now, not the file's: nobody says that the topic is the one.
fn undecodable(batch: &Batch<'_>, entry: &Entry<'_>, fault: &str) -> Damage {
    let position = batch.span.position;
    Damage {
        position,
        size: 0,
        code: Code::RecordUndecodable,
        message: format!(
            "offset {}, batch at position {position}: {fault}",
            entry.offset
        ),
    }
}

fn push_metadata(record: &MetadataRecord<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"");
    push_constant_name(record.message.shape.name, out);
    let version = record.version;
    out.extend_from_slice(format!("\",\"version\":{version},\"data\":").as_bytes());
    push_message_beside(
        &record.body,
        version,
        wide,
        &|_, field, value, out| remote_log::push_state(field, value, out),
        out,
    );
    out.push(b'}');
}

/// Appends a name as the constants of `MetadataRecordType` are written: `TOPIC_RECORD`.
fn push_constant_name(name: &str, out: &mut Vec<u8>) {
    for (place, letter) in name.bytes().enumerate() {
        if place > 0 && letter.is_ascii_uppercase() {
            out.push(b'_');
        }
        out.push(letter.to_ascii_uppercase());
    }
}
