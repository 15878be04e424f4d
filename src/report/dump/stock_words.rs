//! What Kafka's readers say of records that they cannot read, to the letter: the stock tool prints
//! it in the record's line.

use crate::format::coordinator_record::{CoordinatorFault, Half};
use crate::format::malformed::Problem;
use crate::format::metadata_record::MetadataFault;
use crate::format::number::Offset;
use crate::format::remote_log_metadata::{DELETE_STATE, RemoteLogFault};
use crate::format::schema::{Part, Refusal};

/// Of a record of metadata.
pub(super) fn of_metadata(fault: &MetadataFault, offset: Offset) -> String {
    format!("Error at {offset}, skipping. {}", of_frame(fault))
}

/// Of a record about remote storage.
pub(super) fn of_remote_log(fault: &RemoteLogFault, offset: Offset) -> String {
    let said = match fault {
        RemoteLogFault::NoValue => "Cannot invoke \"java.nio.ByteBuffer.remaining()\" because the \
             return value of \"org.apache.kafka.common.record.internal.Record.value()\" is null"
            .to_owned(),
        RemoteLogFault::Frame(fault) => of_frame(fault),
        RemoteLogFault::StartOffset(start) => format!(
            "Unexpected start offset = {start}. StartOffset for a remote segment cannot be negative"
        ),
        RemoteLogFault::EndOffset { start, end } => format!(
            "Unexpected end offset = {end}. EndOffset for a remote segment cannot be less than \
             startOffset = {start}"
        ),
        RemoteLogFault::NoLeaderEpochs => "segmentLeaderEpochs can not be null or empty".to_owned(),
        RemoteLogFault::UnknownState { field, .. } if *field == DELETE_STATE => "null".to_owned(),
        RemoteLogFault::UnknownState { .. } => "state can not be null".to_owned(),
    };
    format!("Error at offset {offset}, skipping. {said}")
}

/// Of a value in the frame of records of metadata.
fn of_frame(fault: &MetadataFault) -> String {
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
        MetadataFault::LaterVersion { fault, .. } => of_frame(fault),
        MetadataFault::Trailing(id, left) => format!("Found {left} byte(s) of garbage after {id}"),
    }
}

/// Of a record of a coordinator, whose key and value are given.
pub(super) fn of_coordinator(
    fault: &CoordinatorFault,
    offset: Offset,
    (key, value): (Option<&[u8]>, Option<&[u8]>),
) -> String {
    let said = match fault {
        CoordinatorFault::UnknownType(record_type) => {
            return format!("Unknown record type {record_type} at offset {offset}, skipping.");
        }
        // Here the stock tool ends its run, with these words.
        CoordinatorFault::NoKey => format!(
            "Failed to decode message at offset {offset} using the specified decoder (message had \
             a missing key)"
        ),
        CoordinatorFault::Number(half) => format!("Could not read version from {half}'s buffer."),
        CoordinatorFault::UnknownVersion {
            record_type,
            version,
            ..
        } => format!("Found an unknown record version {version} for {record_type} type"),
        CoordinatorFault::Message {
            half,
            number,
            refusal,
            ..
        } => {
            let bytes = match half {
                Half::Key => key,
                Half::Value => value,
            };
            let why = of_message(refusal, *number, bytes.unwrap_or_default());
            format!(
                "Could not read record with version {number} from {half}'s buffer due to: {why}."
            )
        }
    };
    format!("Error at offset {offset}, skipping. {said}")
}

/// The message of the exception of a generated reader.
fn of_message(refusal: &Refusal, version: i16, bytes: &[u8]) -> String {
    let field = refusal.fault.field;
    match (refusal.part, &refusal.fault.problem) {
        (Part::Number, Problem::EndlessVarint { .. }) => format!(
            "Varint is too long, the most significant bit in the 5th byte is set, converted value: \
             {:x}",
            five_groups(bytes.get(refusal.fault.at..).unwrap_or_default())
        ),
        (Part::Content, Problem::Truncated { needed, left }) => match java_int(*needed) {
            size @ 0.. => {
                format!("Error reading byte array of {size} byte(s): only {left} byte(s) available")
            }
            // A NegativeArraySizeException.
            size => size.to_string(),
        },
        (Part::Text, Problem::OutOfRange { stored, .. }) => {
            format!("string field {field} had invalid length {stored}")
        }
        (Part::ElementText, Problem::OutOfRange { stored, .. }) => {
            format!("string field {field} element had invalid length {stored}")
        }
        (Part::List, Problem::Truncated { needed, left }) => format!(
            "Tried to allocate a collection of size {needed}, but there are only {left} bytes \
             remaining."
        ),
        (Part::List, Problem::OutOfRange { stored, .. }) => format!(
            "Tried to read a collection of size {stored}, which exceeds the maximum allowed size \
             of 1000000."
        ),
        (Part::TaggedFields, Problem::Truncated { needed, left }) => match java_int(*needed) {
            count @ 0.. => format!(
                "Tried to read {count} tagged fields, but there are only {left} bytes remaining."
            ),
            count => format!("Invalid negative number of tagged fields {count}"),
        },
        (Part::TaggedFields, Problem::OutOfRange { stored, .. }) => format!(
            "Tried to read {stored} tagged fields, which exceeds the maximum allowed count of \
             10000."
        ),
        (Part::Tag, Problem::OutOfRange { stored, .. }) => {
            format!("Tag {stored} is not valid for version {version}")
        }
        (Part::Value, _) => format!("non-nullable field {field} was serialized as null"),
        (Part::Element, _) => format!("non-nullable field {field} element was serialized as null"),
        (Part::Structure, _) => format!("Can't read version {version} of {field}"),
        // A BufferUnderflowException has no message.
        _ => "null".to_owned(),
    }
}

/// A size of 32 bits as Java's `int` has it.
fn java_int(size: usize) -> i32 {
    u32::try_from(size).map_or(i32::MAX, u32::cast_signed)
}

/// What five bytes of a varint without an end are in Java's `int`.
fn five_groups(bytes: &[u8]) -> u32 {
    let groups = bytes.iter().take(5).zip((0..).step_by(7));
    groups.fold(0, |value, (byte, shift)| {
        value | u32::from(byte & 0x7f).wrapping_shl(shift)
    })
}
