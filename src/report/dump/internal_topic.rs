//! The records of Kafka's own topics, decoded: the stock tool's `--*-decoder` options.

use super::view::Batch;
use crate::format::metadata_record::{MetadataFault, MetadataRecord};
use crate::report::json::{Object, WideIntegers};
use crate::report::message_json::push_message;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

/// A topic whose records are read by its own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InternalTopic {
    /// `__cluster_metadata`, and the snapshots of it.
    ClusterMetadata,
}

impl InternalTopic {
    /// Appends key and value as the stock tool prints them (`MessageParser`): only what it has
    /// something to say of, behind `prefix` or a space.
    pub(super) fn push_text(
        self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        prefix: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Damage> {
        let Self::ClusterMetadata = self;
        out.extend_from_slice(prefix);
        out.extend_from_slice(b"payload: ");
        match MetadataRecord::decode(entry.value) {
            Ok(record) => {
                push_metadata(&record, WideIntegers::Number, out);
                None
            }
            Err(fault) => {
                let said = stock_words(&fault);
                let text = format!("Error at {}, skipping. {said}", entry.offset);
                out.extend_from_slice(text.as_bytes());
                Some(self.undecodable(batch, entry, &fault))
            }
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
        let Self::ClusterMetadata = self;
        object.bytes("key", entry.key);
        match MetadataRecord::decode(entry.value) {
            Ok(record) => {
                push_metadata(&record, wide, object.name("valueData"));
                None
            }
            Err(fault) => {
                match entry.value {
                    Some(value) => object.base64("value", value),
                    None => object.null("value"),
                }
                Some(self.undecodable(batch, entry, &fault))
            }
        }
    }

    /// The decoder's fault for now, not the file's: nobody says that the topic is the one.
    fn undecodable(self, batch: &Batch<'_>, entry: &Entry<'_>, fault: &MetadataFault) -> Damage {
        let Self::ClusterMetadata = self;
        Damage {
            position: batch.span.position,
            size: 0,
            code: Code::RecordUndecodable,
            message: format!("offset {}: not a record of metadata: {fault}", entry.offset),
        }
    }
}

fn push_metadata(record: &MetadataRecord<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"");
    push_constant_name(record.message.shape.name, out);
    let version = record.version;
    out.extend_from_slice(format!("\",\"version\":{version},\"data\":").as_bytes());
    push_message(&record.body, version, wide, out);
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

/// What Kafka's reader says, to the letter.
fn stock_words(fault: &MetadataFault) -> String {
    match fault {
        MetadataFault::Number(fault) => format!("Error while reading {}", fault.field),
        MetadataFault::TooLarge(name) => format!("Value for {name} was too large."),
        MetadataFault::FrameVersion(0) => "Could not deserialize metadata record with frame \
             version 0. Note that upgrades from the preview release of KRaft in 2.8 to newer \
             versions are not supported."
            .to_owned(),
        MetadataFault::FrameVersion(version) => format!(
            "Could not deserialize metadata record due to unknown frame version {version}(only \
             frame version 1 is supported)"
        ),
        MetadataFault::UnknownType(id) => format!(
            "org.apache.kafka.common.errors.UnsupportedVersionException: Unknown metadata id {id}"
        ),
        MetadataFault::Message(id, _) => format!("Failed to deserialize record with type {id}"),
        MetadataFault::Trailing(id, left) => format!("Found {left} byte(s) of garbage after {id}"),
    }
}
