//! The text of kafka-dump-log 4.4.0, byte for byte (`DumpLogSegments`).

use super::control;
use super::decoder::Decoder;
use super::view::{AnyHeader, Batch, View};
use crate::format::internal_record::InternalTopic;
use crate::format::java_text;
use crate::format::number::Timestamp;
use crate::format::timestamp_type::TimestampType;
use crate::report::digits::{push_i64, push_u64};
use crate::storage::damage::{Code, Damage};
use crate::storage::segment::contents::Entry;

/// How deep the stock text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KafkaText {
    /// `--deep-iteration`: a line a record.
    pub deep: bool,
    /// `--print-data-log`: keys and values, which implies `deep`.
    pub contents: bool,
    /// `--skip-record-metadata`: keys and values alone; control records become empty lines.
    pub skip_metadata: bool,
    /// How keys are shown.
    pub key: Decoder,
    /// How values are shown.
    pub value: Decoder,
    /// The topic by whose rules keys and values are read; `key` and `value` then mean nothing.
    pub topic: Option<InternalTopic>,
}

impl View for KafkaText {
    fn shows_records(&self) -> bool {
        self.deep || self.contents
    }

    fn batch(&self, batch: &Batch<'_>, out: &mut Vec<u8>) {
        let header = batch.header();
        match header {
            AnyHeader::Batch(header) => {
                named(out, "baseOffset: ", header.base_offset().0);
                named(out, " lastOffset: ", header.last_offset().0);
                named(out, " count: ", header.count());
                named(out, " baseSequence: ", header.base_sequence().0);
                named(out, " lastSequence: ", header.last_sequence().0);
                named(out, " producerId: ", header.producer_id().0);
                named(out, " producerEpoch: ", header.producer_epoch().0);
                named(
                    out,
                    " partitionLeaderEpoch: ",
                    header.partition_leader_epoch().0,
                );
                truth(
                    out,
                    " isTransactional: ",
                    header.attributes().is_transactional(),
                );
                truth(out, " isControl: ", header.attributes().is_control());
                optional_long(out, " deleteHorizonMs: ", header.delete_horizon());
            }
            AnyHeader::Message(header) => named(out, "offset: ", header.offset.0),
        }
        out.extend_from_slice(b" position: ");
        push_u64(batch.span.position, out);
        time(out, batch.timestamp_type(), header.max_timestamp());
        named(out, " size: ", batch.span.size);
        named(out, " magic: ", batch.span.magic);
        out.extend_from_slice(b" compresscodec: ");
        match header.codec() {
            Ok(codec) => out.extend_from_slice(codec.name().as_bytes()),
            Err(id) => {
                named(out, "unknown(", id);
                out.push(b')');
            }
        }
        named(out, " crc: ", batch.checksum.stored);
        truth(out, " isvalid: ", batch.checksum.is_valid());
        out.push(b'\n');
    }

    fn entry(&self, batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<Damage> {
        let is_control = batch.is_control();
        let mut damage = None;
        if !self.skip_metadata {
            metadata(batch, entry, out);
            if is_control {
                damage = control::push_text(batch, entry, out);
            }
        }
        if self.contents && !is_control {
            damage = self.push_contents(batch, entry, out);
        }
        out.push(b'\n');
        batch.inner_fault(entry).or(damage)
    }

    /// Damage has no line of its own in the stock text.
    fn damage(&self, _: &Damage, _: &mut Vec<u8>) {}
}

impl KafkaText {
    fn push_contents(
        &self,
        batch: &Batch<'_>,
        entry: &Entry<'_>,
        out: &mut Vec<u8>,
    ) -> Option<Damage> {
        if let Some(topic) = self.topic {
            let prefix: &[u8] = if self.skip_metadata { b"| " } else { b" " };
            return topic.push_text(batch, entry, prefix, out);
        }
        let mut damage = None;
        // Whole labels: a copy of known length is a few moves, any other is a call.
        if let Some(key) = entry.key {
            match self.skip_metadata {
                true => out.extend_from_slice(b"| key: "),
                false => out.extend_from_slice(b" key: "),
            }
            damage = push_part(batch, entry, ("key", key, self.key), out);
        }
        if let Some(value) = entry.value {
            match self.skip_metadata && entry.key.is_none() {
                true => out.extend_from_slice(b"| payload: "),
                false => out.extend_from_slice(b" payload: "),
            }
            damage = push_part(batch, entry, ("value", value, self.value), out).or(damage);
        }
        damage
    }
}

/// Appends a key or value as its decoder reads it.
#[inline]
fn push_part(
    batch: &Batch<'_>,
    entry: &Entry<'_>,
    (field, bytes, decoder): (&str, &[u8], Decoder),
    out: &mut Vec<u8>,
) -> Option<Damage> {
    match decoder.decode(bytes) {
        Some(decoded) => {
            decoded.push_text(out);
            None
        }
        None => {
            // The stock tool ends here; the bytes are shown as text instead.
            java_text::push_java_utf8(bytes, out);
            Some(undecodable(batch, entry, field, bytes.len(), decoder))
        }
    }
}

/// What to say of a key or value that a decoder could not take: the decoder's fault, not the
/// file's.
pub(super) fn undecodable(
    batch: &Batch<'_>,
    entry: &Entry<'_>,
    field: &str,
    found: usize,
    decoder: Decoder,
) -> Damage {
    Damage {
        position: batch.span.position,
        size: 0,
        code: Code::RecordUndecodable,
        message: format!(
            "offset {}, batch at position {}: the {} decoder takes a {field} of {} bytes or more, \
             found {found}; shown as text, or base64 in JSON",
            entry.offset,
            batch.span.position,
            decoder.name(),
            decoder.least(),
        ),
    }
}

#[inline]
fn metadata(batch: &Batch<'_>, entry: &Entry<'_>, out: &mut Vec<u8>) {
    named(out, "| offset: ", entry.offset.0);
    time(out, batch.timestamp_type(), entry.timestamp);
    size(out, " keySize: ", entry.key);
    size(out, " valueSize: ", entry.value);
    if let Some(checksum) = entry.checksum {
        truth(out, " isValid: ", checksum.is_valid());
        named(out, " crc: ", checksum.stored);
        return;
    }
    named(out, " sequence: ", entry.sequence.0);
    out.extend_from_slice(b" headerKeys: [");
    for (number, header) in entry.headers.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        java_text::push_java_utf8(header.key, out);
    }
    out.push(b']');
}

/// A timestamp behind the name of its meaning.
#[inline]
fn time(out: &mut Vec<u8>, meaning: TimestampType, timestamp: Timestamp) {
    match meaning {
        TimestampType::CreateTime => named(out, " CreateTime: ", timestamp.0),
        TimestampType::LogAppendTime => named(out, " LogAppendTime: ", timestamp.0),
        TimestampType::NoTimestampType => named(out, " NoTimestampType: ", timestamp.0),
    }
}

#[inline]
fn named(out: &mut Vec<u8>, name: &str, value: impl Into<i64>) {
    out.extend_from_slice(name.as_bytes());
    push_i64(value.into(), out);
}

#[inline]
fn truth(out: &mut Vec<u8>, name: &str, value: bool) {
    out.extend_from_slice(name.as_bytes());
    match value {
        true => out.extend_from_slice(b"true"),
        false => out.extend_from_slice(b"false"),
    }
}

#[inline]
fn size(out: &mut Vec<u8>, name: &str, value: Option<&[u8]>) {
    out.extend_from_slice(name.as_bytes());
    match value {
        Some(bytes) => push_u64(bytes.len() as u64, out),
        None => out.extend_from_slice(b"-1"),
    }
}

/// A number as Java prints an `OptionalLong`.
pub(super) fn optional_long(out: &mut Vec<u8>, name: &str, value: Option<Timestamp>) {
    out.extend_from_slice(name.as_bytes());
    match value {
        Some(value) => {
            named(out, "OptionalLong[", value.0);
            out.push(b']');
        }
        None => out.extend_from_slice(b"OptionalLong.empty"),
    }
}
