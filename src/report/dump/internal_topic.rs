//! The records of Kafka's own topics, decoded: the stock tool's `--*-decoder` options.

use super::coordinator;
use super::mirror_state;
use super::remote_log;
use super::stock_words;
use super::view::Batch;
use crate::format::internal_record::{InternalFault, InternalRecord, InternalTopic};
use crate::format::metadata_record::MetadataRecord;
use crate::report::json::{Object, WideIntegers};
use crate::report::message_json::push_message_beside;
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

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
        let record = match self.decode(entry.key, entry.value) {
            Ok(record) => record,
            Err(fault) => return Said::of_fault(&fault, entry),
        };
        match record {
            InternalRecord::Metadata(record) => Said {
                value: Some(written(|out| push_metadata(&record, wide, out))),
                ..Said::default()
            },
            InternalRecord::RemoteLog(record) => Said {
                value: Some(written(|out| remote_log::push_text(&record, out))),
                ..Said::default()
            },
            InternalRecord::Mirror(record) => Said {
                key: Some(written(|out| mirror_state::push_key(&record, wide, out))),
                value: Some(written(|out| {
                    if !mirror_state::push_value(&record, wide, out) {
                        out.extend_from_slice(DELETE);
                    }
                })),
                fault: None,
            },
            InternalRecord::Coordinator(topic, record) => Said {
                key: Some(written(|out| coordinator::push_key(&record, wide, out))),
                value: Some(match &record.value {
                    Some(value) => written(|out| coordinator::push_value(topic, value, wide, out)),
                    None => DELETE.to_vec(),
                }),
                fault: None,
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
        let fault = match self.decode(entry.key, entry.value) {
            Ok(InternalRecord::Metadata(record) | InternalRecord::RemoteLog(record)) => {
                object.bytes("key", entry.key);
                push_metadata(&record, wide, object.name("valueData"));
                return None;
            }
            Ok(InternalRecord::Mirror(record)) => {
                mirror_state::push_key(&record, wide, object.name("keyData"));
                match record.likeliest.value {
                    Some(_) => {
                        mirror_state::push_value(&record, wide, object.name("valueData"));
                    }
                    None => object.null("value"),
                }
                return None;
            }
            Ok(InternalRecord::Coordinator(topic, record)) => {
                coordinator::push_key(&record, wide, object.name("keyData"));
                match &record.value {
                    Some(value) => {
                        coordinator::push_value(topic, value, wide, object.name("valueData"));
                    }
                    None => object.null("value"),
                }
                return None;
            }
            Err(fault) => fault.to_string(),
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

impl Said {
    /// The stock tool's words, and ours.
    fn of_fault(fault: &InternalFault, entry: &Entry<'_>) -> Self {
        let offset = entry.offset;
        let (key, value) = match fault {
            InternalFault::Metadata(fault) => (None, Some(stock_words::of_metadata(fault, offset))),
            InternalFault::RemoteLog(fault) => {
                (None, Some(stock_words::of_remote_log(fault, offset)))
            }
            InternalFault::Mirror(fault) => {
                let words = format!("Error at offset {offset}, skipping. {fault}");
                (Some(words), None)
            }
            InternalFault::Coordinator(_, fault) => {
                let bytes = (entry.key, entry.value);
                (
                    Some(stock_words::of_coordinator(fault, offset, bytes)),
                    None,
                )
            }
        };
        Self {
            key: key.map(String::into_bytes),
            value: value.map(String::into_bytes),
            fault: Some(fault.to_string()),
        }
    }
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
