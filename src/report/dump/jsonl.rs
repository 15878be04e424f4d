//! A segment as JSON lines: `batch`, `record`, `control`, `damage`.

use std::sync::Arc;

use super::control;
use super::decoder::{Decoded, Decoder, push_hex};
use super::kafka::undecodable;
use super::style::{Style, push_damage};
use super::view::{AnyHeader, Batch, View};
use crate::analysis::topic_names::Topics;
use crate::format::control::{ControlKey, ControlType, EndTxnMarker};
use crate::format::internal_record::InternalTopic;
use crate::format::java_text;
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::number::Timestamp;
use crate::report::control_json;
use crate::report::json::{Object, WideIntegers};
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

/// How deep the JSON lines go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jsonl {
    /// Show records and control records.
    pub deep: bool,
    /// Show keys, values and headers too.
    pub contents: bool,
    /// How keys are read.
    pub key: Decoder,
    /// How values are read.
    pub value: Decoder,
    /// The topic by whose rules keys and values are read; `key` and `value` then mean nothing.
    pub topic: Option<InternalTopic>,
    /// How integers outside +-2^53 are written.
    pub wide: WideIntegers,
    /// The topics that the cluster's metadata beside the file know, whose ids records may have.
    pub topics: Option<Arc<Topics>>,
}

impl View for Jsonl {
    fn shows_records(&self) -> bool {
        self.deep || self.contents
    }

    fn batch(&self, batch: &Batch<'_>, out: &mut Vec<u8>) {
        let mut object = Object::open(out, self.wide);
        object.text("type", "batch");
        object.uint("position", batch.span.position);
        object.int("sizeInBytes", batch.span.size);
        let header = batch.header();
        match header {
            AnyHeader::Batch(header) => {
                object.int("baseOffset", header.base_offset().0);
                object.int("lastOffset", header.last_offset().0);
                object.int("count", header.count());
            }
            AnyHeader::Message(header) => {
                // How many messages a wrapper holds, and where they begin, its header does not say.
                let alone = header.attributes & 7 == 0;
                object.optional_int("baseOffset", alone.then_some(header.offset.0));
                object.int("lastOffset", header.offset.0);
                object.optional_int("count", alone.then_some(1));
            }
        }
        object.int("magic", batch.span.magic);
        match header.codec() {
            Ok(codec) => object.text("compression", codec.name()),
            Err(id) => object.text("compression", &format!("unknown({id})")),
        }
        object.text("timestampType", batch.timestamp_type().name());
        match header {
            AnyHeader::Batch(header) => object.int("baseTimestamp", header.base_timestamp().0),
            AnyHeader::Message(_) => object.null("baseTimestamp"),
        }
        object.int("maxTimestamp", header.max_timestamp().0);
        producer_fields(&mut object, header);
        object.int("crc", batch.checksum.stored);
        object.boolean("isValid", batch.checksum.is_valid());
        object.close_line();
    }

    fn entry(&self, batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage> {
        if batch.is_control() {
            return self.control(batch, entry, out);
        }
        let mut object = Object::open(out, self.wide);
        object.text("type", "record");
        object.int("offset", entry.offset.0);
        object.int("timestamp", entry.timestamp.0);
        object.int("sequence", entry.sequence.0);
        object.int("keySize", size(entry.key));
        object.int("valueSize", size(entry.value));
        let mut damage = None;
        if self.contents {
            damage = match self.topic {
                Some(topic) => {
                    let known = (self.wide, self.topics.as_deref());
                    topic.push_fields(batch, entry, known, &mut object)
                }
                None => self.push_contents(batch, entry, &mut object),
            };
            push_headers(&mut object, entry, self.wide);
        }
        object.close_line();
        batch.inner_fault(entry).or(damage)
    }

    fn damage(&self, damage: &Damage, out: &mut Vec<u8>) {
        // A decoder that does not fit is no damage: a note tells of it.
        if damage.code != Code::RecordUndecodable {
            push_damage(Style::Jsonl(self.wide), damage, out);
        }
    }
}

impl Jsonl {
    fn push_contents(
        &self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        object: &mut Object<'_>,
    ) -> Option<Damage> {
        let mut damage = None;
        for (name, bytes, decoder) in [
            ("key", entry.key, self.key),
            ("value", entry.value, self.value),
        ] {
            if !push_decoded(object, name, bytes, decoder) {
                let found = bytes.map_or(0, <[u8]>::len);
                damage = Some(undecodable(batch, entry, name, found, decoder));
            }
        }
        damage
    }

    fn control(&self, batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage> {
        let mut object = Object::open(out, self.wide);
        object.text("type", "control");
        object.int("offset", entry.offset.0);
        object.int("timestamp", entry.timestamp.0);
        let key = ControlKey::decode(entry.key);
        let mut damage = None;
        match &key {
            Ok(key) => {
                let name = match key.control_type {
                    ControlType::Unknown(_) => "UNKNOWN",
                    known => known.name(),
                };
                object.text("controlType", name);
                object.int("controlTypeId", key.control_type.id());
                let version = value_version(key.control_type, entry.value);
                object.optional_int("version", version.unwrap_or(Some(key.version)));
                damage = control_value(&mut object, batch, entry, key.control_type);
            }
            Err(fault) => {
                object.text("controlType", "UNKNOWN");
                object.null("controlTypeId");
                object.null("version");
                damage = damage.or_else(|| Some(control::malformed(batch, entry, fault)));
            }
        }
        object.close_line();
        damage
    }
}

/// The version that the value of a known kind begins with, which is also the one that the stock
/// text shows; the inner `None` where the value is too short for one.
fn value_version(control_type: ControlType, value: Option<&[u8]>) -> Option<Option<i16>> {
    if let ControlType::Unknown(_) = control_type {
        return None;
    }
    let version = value.and_then(<[u8]>::first_chunk);
    Some(version.map(|bytes| i16::from_be_bytes(*bytes)))
}

/// What the value of a control record says, under the names of its kind.
fn control_value(
    object: &mut Object<'_>,
    batch: &Batch<'_>,
    entry: &Entry<'_>,
    control_type: ControlType,
) -> Option<Damage> {
    match control_type {
        ControlType::Abort | ControlType::Commit => match EndTxnMarker::decode(entry.value) {
            Ok(marker) => {
                object.int("coordinatorEpoch", marker.coordinator_epoch.0);
                None
            }
            Err(fault) => {
                object.null("coordinatorEpoch");
                Some(control::malformed(batch, entry, &fault))
            }
        },
        ControlType::MirrorPidReset => {
            match MirrorPidReset::decode(entry.value) {
                MirrorPidReset::Sourced {
                    source_cluster_id, ..
                } => {
                    object.text(
                        "sourceClusterId",
                        &String::from_utf8_lossy(&source_cluster_id),
                    );
                }
                MirrorPidReset::Bare { .. } => object.null("sourceClusterId"),
                MirrorPidReset::Unknown { value, .. } => {
                    object.null("sourceClusterId");
                    push_decoded(object, "data", value.as_deref(), Decoder::Base64);
                }
            }
            control::barrier_fault(batch, entry, control_type)
        }
        ControlType::Unknown(_) => {
            push_decoded(object, "data", entry.value, Decoder::Base64);
            None
        }
        _ => {
            let mut data = Vec::new();
            match control_json::push_control_data(control_type, entry.value, &mut data) {
                Ok(()) => {
                    object.name("data").extend_from_slice(&data);
                    None
                }
                Err(fault) => {
                    object.null("data");
                    Some(control::malformed(batch, entry, &fault))
                }
            }
        }
    }
}

fn producer_fields(object: &mut Object<'_>, header: AnyHeader<'_>) {
    let AnyHeader::Batch(header) = header else {
        for name in [
            "producerId",
            "producerEpoch",
            "baseSequence",
            "lastSequence",
        ] {
            object.int(name, -1);
        }
        object.int("partitionLeaderEpoch", -1);
        object.boolean("isTransactional", false);
        object.boolean("isControl", false);
        object.null("deleteHorizonMs");
        return;
    };
    object.producer_id(header.producer_id().0);
    object.int("producerEpoch", header.producer_epoch().0);
    object.int("baseSequence", header.base_sequence().0);
    object.int("lastSequence", header.last_sequence().0);
    object.int("partitionLeaderEpoch", header.partition_leader_epoch().0);
    object.boolean("isTransactional", header.attributes().is_transactional());
    object.boolean("isControl", header.attributes().is_control());
    object.optional_int(
        "deleteHorizonMs",
        header.delete_horizon().map(|Timestamp(ms)| ms),
    );
}

fn size(bytes: Option<&[u8]>) -> i64 {
    bytes.map_or(-1, |bytes| i64::try_from(bytes.len()).unwrap_or(i64::MAX))
}

/// Writes a key or value as its decoder reads it; false when that could not.
fn push_decoded(
    object: &mut Object<'_>,
    name: &str,
    bytes: Option<&[u8]>,
    decoder: Decoder,
) -> bool {
    let Some(bytes) = bytes else {
        object.null(name);
        return true;
    };
    match decoder.decode(bytes) {
        Some(Decoded::Text(bytes)) => object.bytes(name, Some(bytes)),
        Some(Decoded::Integer(value)) => object.int(name, value),
        Some(Decoded::Double(value)) if value.is_finite() => {
            java_text::push_java_double(value, object.name(name));
        }
        Some(Decoded::Double(value)) => {
            // JSON has no number for it.
            let mut text = Vec::new();
            java_text::push_java_double(value, &mut text);
            object.text(name, &String::from_utf8_lossy(&text));
        }
        Some(Decoded::Hex(bytes)) => {
            let mut text = Vec::new();
            push_hex(bytes, &mut text);
            object.text(name, &String::from_utf8_lossy(&text));
        }
        Some(Decoded::Base64(bytes)) => object.base64(name, bytes),
        None => {
            object.base64(name, bytes);
            return false;
        }
    }
    true
}

fn push_headers(object: &mut Object<'_>, entry: &Entry<'_>, wide: WideIntegers) {
    let out = object.name("headers");
    out.push(b'[');
    for (number, header) in entry.headers.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let mut item = Object::open(out, wide);
        item.bytes("key", Some(header.key));
        item.bytes("value", header.value);
        item.close();
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_become_texts() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out, WideIntegers::Number);
        let nan = f64::NAN.to_be_bytes();
        assert!(push_decoded(
            &mut object,
            "value",
            Some(&nan),
            Decoder::Double
        ));
        assert!(!push_decoded(
            &mut object,
            "key",
            Some(&[1, 2]),
            Decoder::Long
        ));
        object.close();
        assert_eq!(out, br#"{"value":"NaN","keyBase64":"AQI="}"#);
    }
}
