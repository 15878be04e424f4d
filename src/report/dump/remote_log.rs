//! Records of `__remote_log_metadata` as Java's `toString` shows them, which the stock tool prints,
//! and as JSON.

use crate::format::java_text::push_java_utf8;
use crate::format::metadata_record::MetadataRecord;
use crate::format::remote_log_metadata::{DELETE_STATE, SEGMENT_STATE, state_name};
use crate::format::schema::{Field, Struct, Value};
use crate::format::uuid::Uuid;
use std::collections::BTreeMap;

/// Appends the text of the object that Kafka makes of a record.
pub(super) fn push_text(record: &MetadataRecord<'_>, out: &mut Vec<u8>) {
    let mut text = Text {
        body: &record.body,
        out,
        is_first: true,
    };
    match record.message.shape.name {
        "RemoteLogSegmentMetadataRecord" => {
            text.open("RemoteLogSegmentMetadata");
            text.segment_id();
            text.numbers(&["startOffset", "endOffset", "brokerId"]);
            text.numbers(&["maxTimestampMs", "eventTimestampMs"]);
            text.of_segment();
        }
        "RemoteLogSegmentMetadataSnapshotRecord" => {
            text.open("RemoteLogSegmentMetadataSnapshot");
            text.named("segmentId", |body, out| push_id(body, "segmentId", out));
            text.numbers(&["startOffset", "endOffset", "maxTimestampMs"]);
            text.of_segment();
        }
        "RemoteLogSegmentMetadataUpdateRecord" => {
            text.open("RemoteLogSegmentMetadataUpdate");
            text.segment_id();
            text.custom_metadata();
            text.state(SEGMENT_STATE);
            text.numbers(&["eventTimestampMs", "brokerId"]);
        }
        _ => {
            text.open("RemotePartitionDeleteMetadata");
            text.named("topicPartition", push_topic_partition);
            text.state(DELETE_STATE);
            text.numbers(&["eventTimestampMs", "brokerId"]);
        }
    }
    out.push(b'}');
}

/// Appends the name of a state in the place of its number; says false of all else.
pub(super) fn push_state(field: &Field, value: &Value<'_>, out: &mut Vec<u8>) -> bool {
    let Value::Int(id) = value else {
        return false;
    };
    let Some(name) = state_name(field.name, *id) else {
        return false;
    };
    out.extend_from_slice(format!("\"{name}\"").as_bytes());
    true
}

struct Text<'t, 'a> {
    body: &'t Struct<'a>,
    out: &'t mut Vec<u8>,
    is_first: bool,
}

impl<'a> Text<'_, 'a> {
    fn open(&mut self, class: &str) {
        self.out.extend_from_slice(class.as_bytes());
        self.out.push(b'{');
    }

    fn named(&mut self, name: &str, push: impl FnOnce(&Struct<'a>, &mut Vec<u8>)) {
        if !self.is_first {
            self.out.extend_from_slice(b", ");
        }
        self.is_first = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'=');
        push(self.body, self.out);
    }

    fn segment_id(&mut self) {
        self.named("remoteLogSegmentId", |body, out| {
            if let Some(Value::Struct(id)) = body.get("remoteLogSegmentId") {
                out.extend_from_slice(b"RemoteLogSegmentId{topicIdPartition=");
                push_topic_partition(id, out);
                out.extend_from_slice(b", id=");
                push_id(id, "id", out);
                out.push(b'}');
            }
        });
    }

    /// What a segment and one in a snapshot end with.
    fn of_segment(&mut self) {
        self.named("segmentLeaderEpochs", push_leader_epochs);
        self.numbers(&["segmentSizeInBytes"]);
        self.custom_metadata();
        self.state(SEGMENT_STATE);
        self.named("txnIdxEmpty", |body, out| {
            let is_empty = body.boolean("txnIndexEmpty").unwrap_or_default();
            out.extend_from_slice(is_empty.to_string().as_bytes());
        });
    }

    fn numbers(&mut self, names: &[&str]) {
        for name in names {
            self.named(name, |body, out| push_number(body, name, out));
        }
    }

    fn custom_metadata(&mut self) {
        self.named("customMetadata", |body, out| {
            let text = match body.get("customMetadata") {
                Some(Value::Bytes(bytes)) => {
                    format!("Optional[CustomMetadata{{{} bytes}}]", bytes.len())
                }
                _ => "Optional.empty".to_owned(),
            };
            out.extend_from_slice(text.as_bytes());
        });
    }

    fn state(&mut self, field: &str) {
        self.named("state", |body, out| {
            let name = body.int(field).and_then(|id| state_name(field, id));
            out.extend_from_slice(name.unwrap_or_default().as_bytes());
        });
    }
}

fn push_number(body: &Struct<'_>, name: &str, out: &mut Vec<u8>) {
    let number = body.int(name).unwrap_or_default();
    out.extend_from_slice(number.to_string().as_bytes());
}

fn push_id(body: &Struct<'_>, name: &str, out: &mut Vec<u8>) {
    let id = body.uuid(name).unwrap_or(Uuid::ZERO);
    out.extend_from_slice(id.to_string().as_bytes());
}

/// `ID:TOPIC-PARTITION` (`TopicIdPartition`).
fn push_topic_partition(body: &Struct<'_>, out: &mut Vec<u8>) {
    if let Some(Value::Struct(partition)) = body.get("topicIdPartition") {
        push_id(partition, "id", out);
        out.push(b':');
        push_java_utf8(partition.text("name").unwrap_or_default(), out);
        out.push(b'-');
        push_number(partition, "partition", out);
    }
}

/// As a map by epoch: of one that comes twice the last offset counts.
fn push_leader_epochs(body: &Struct<'_>, out: &mut Vec<u8>) {
    let entries = body.list("segmentLeaderEpochs").unwrap_or_default();
    let entries = entries.iter().filter_map(|entry| match entry {
        Value::Struct(entry) => entry.int("leaderEpoch").zip(entry.int("offset")),
        _ => None,
    });
    let entries: BTreeMap<i64, i64> = entries.collect();
    let entries = entries
        .iter()
        .map(|(epoch, offset)| format!("{epoch}={offset}"));
    let entries: Vec<_> = entries.collect();
    out.extend_from_slice(format!("{{{}}}", entries.join(", ")).as_bytes());
}
