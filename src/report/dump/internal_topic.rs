//! The records of Kafka's own topics, decoded: the stock tool's `--*-decoder` options.

use super::coordinator;
use super::mirror_state;
use super::remote_log;
use super::stock_words;
use super::topic_ids;
use super::view::Batch;
use crate::analysis::topic_names::Topics;
use crate::format::internal_record::{InternalFault, InternalRecord, InternalTopic};
use crate::format::metadata_record::MetadataRecord;
use crate::report::digits::push_i64;
use crate::report::json::{Object, WideIntegers};
use crate::report::message_json::push_message_beside;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

/// What the stock tool prints for a value that is null.
const DELETE: &[u8] = b"<DELETE>";

impl InternalTopic {
    /// Appends key and value as the stock tool prints them (`MessageParser`), the first of them
    /// behind `prefix`, the second behind a space.
    pub(super) fn push_text(
        self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        prefix: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Damage> {
        let wide = WideIntegers::Number;
        out.extend_from_slice(prefix);
        match self.decode(entry.key, entry.value) {
            Ok(InternalRecord::Metadata(record)) => {
                out.extend_from_slice(b"payload: ");
                push_metadata(&record, wide, out);
            }
            Ok(InternalRecord::RemoteLog(record)) => {
                out.extend_from_slice(b"payload: ");
                remote_log::push_text(&record, out);
            }
            Ok(InternalRecord::Mirror(record)) => {
                out.extend_from_slice(b"key: ");
                mirror_state::push_key(&record, wide, out);
                out.extend_from_slice(b" payload: ");
                if !mirror_state::push_value(&record, wide, out) {
                    out.extend_from_slice(DELETE);
                }
            }
            Ok(InternalRecord::Coordinator(topic, record)) => {
                out.extend_from_slice(b"key: ");
                coordinator::push_key(&record, wide, out);
                out.extend_from_slice(b" payload: ");
                match &record.value {
                    Some(value) => coordinator::push_value(topic, value, wide, out),
                    None => out.extend_from_slice(DELETE),
                }
            }
            Err(fault) => {
                push_stock_words(&fault, entry, out);
                return Some(undecodable(batch, entry, &fault.to_string()));
            }
        }
        None
    }

    /// Appends the fields of key and value to a record's object, and those of `topics` that it has
    /// the ids of.
    pub(super) fn push_fields(
        self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        (wide, topics): (WideIntegers, Option<&Topics>),
        object: &mut Object<'_>,
    ) -> Option<Damage> {
        let record = match self.decode(entry.key, entry.value) {
            Ok(record) => record,
            Err(fault) => {
                for (name, bytes) in [("key", entry.key), ("value", entry.value)] {
                    match bytes {
                        Some(bytes) => object.base64(name, bytes),
                        None => object.null(name),
                    }
                }
                return Some(undecodable(batch, entry, &fault.to_string()));
            }
        };
        match &record {
            InternalRecord::Metadata(record) | InternalRecord::RemoteLog(record) => {
                object.bytes("key", entry.key);
                push_metadata(record, wide, object.name("valueData"));
            }
            InternalRecord::Mirror(record) => {
                mirror_state::push_key(record, wide, object.name("keyData"));
                match record.likeliest.value {
                    Some(_) => {
                        mirror_state::push_value(record, wide, object.name("valueData"));
                    }
                    None => object.null("value"),
                }
            }
            InternalRecord::Coordinator(topic, record) => {
                coordinator::push_key(record, wide, object.name("keyData"));
                match &record.value {
                    Some(value) => {
                        coordinator::push_value(*topic, value, wide, object.name("valueData"));
                    }
                    None => object.null("value"),
                }
            }
        }
        if let Some(topics) = topics {
            topic_ids::push_names(topics, &record, wide, object);
        }
        None
    }
}

/// Appends what the stock tool says of a record that is none of its topic.
fn push_stock_words(fault: &InternalFault, entry: &Entry<'_>, out: &mut Vec<u8>) {
    let offset = entry.offset;
    let (label, words) = match fault {
        InternalFault::Metadata(fault) => ("payload: ", stock_words::of_metadata(fault, offset)),
        InternalFault::RemoteLog(fault) => ("payload: ", stock_words::of_remote_log(fault, offset)),
        InternalFault::Mirror(fault) => {
            let words = format!("Error at offset {offset}, skipping. {fault}");
            ("key: ", words)
        }
        InternalFault::Coordinator(_, fault) => {
            let bytes = (entry.key, entry.value);
            ("key: ", stock_words::of_coordinator(fault, offset, bytes))
        }
    };
    out.extend_from_slice(label.as_bytes());
    out.extend_from_slice(words.as_bytes());
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
    out.extend_from_slice(b"\",\"version\":");
    push_i64(version.into(), out);
    out.extend_from_slice(b",\"data\":");
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
