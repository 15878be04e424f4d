//! Keys and values of coordinators' records as JSON (`CoordinatorRecordMessageParser`).

use crate::format::coordinator_record::{CoordinatorRecord, CoordinatorTopic};
use crate::format::cursor::Cursor;
use crate::format::schema::{Field, Struct, Value, of_name, table};
use crate::format::transaction_log::TransactionStatus;
use crate::report::digits::push_i64;
use crate::report::json::WideIntegers;
use crate::report::message_json::{push_message, push_message_beside};

/// Appends the key.
pub(super) fn push_key(record: &CoordinatorRecord<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    // The stock tool has these numbers as texts, and knows one version of keys.
    out.extend_from_slice(b"{\"type\":\"");
    push_i64(record.record_type.into(), out);
    out.extend_from_slice(b"\",\"data\":");
    push_message(&record.key, 0, wide, out);
    out.push(b'}');
}

/// Appends the value. As in the stock tool, the status of a transaction is shown by its name, and
/// what members of a classic group with consumers say is read where it can be.
pub(super) fn push_value(
    topic: CoordinatorTopic,
    (version, body): &(i16, Struct<'_>),
    wide: WideIntegers,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"version\":\"");
    push_i64((*version).into(), out);
    out.extend_from_slice(b"\",\"data\":");
    let name = body.shape().name;
    let of_consumers =
        name == "GroupMetadataValue" && body.text("protocolType") == Some(b"consumer");
    push_message_beside(
        body,
        *version,
        wide,
        &|inner, field, value, out| match topic {
            CoordinatorTopic::Offsets => {
                of_consumers && push_protocol(inner, field, value, wide, out)
            }
            CoordinatorTopic::Transactions => push_status(field, value, out),
            CoordinatorTopic::ShareState => false,
        },
        out,
    );
    out.push(b'}');
}

fn push_status(field: &Field, value: &Value<'_>, out: &mut Vec<u8>) -> bool {
    let Value::Int(id) = value else {
        return false;
    };
    if field.name != "transactionStatus" {
        return false;
    }
    out.push(b'"');
    match i8::try_from(*id).map(TransactionStatus::from_id) {
        Ok(TransactionStatus::Unknown(_)) | Err(_) => {
            out.extend_from_slice(id.to_string().as_bytes());
        }
        Ok(known) => out.extend_from_slice(known.name().as_bytes()),
    }
    out.push(b'"');
    true
}

/// Appends what a consumer has said of itself or was told: the version, then the message. What is
/// none stays bytes.
fn push_protocol(
    member: &Struct<'_>,
    field: &Field,
    value: &Value<'_>,
    wide: WideIntegers,
    out: &mut Vec<u8>,
) -> bool {
    let (true, Value::Bytes(bytes)) = (member.shape().name == "MemberMetadata", value) else {
        return false;
    };
    let name = match field.name {
        "subscription" => "ConsumerProtocolSubscription",
        "assignment" => "ConsumerProtocolAssignment",
        _ => return false,
    };
    let mut cursor = Cursor::new(bytes);
    let message = of_name(&table::clients::DATA, name);
    let Some((message, version)) = message.zip(cursor.i16("version").ok()) else {
        return false;
    };
    match message.decode(version, &mut cursor) {
        Ok(body) => {
            push_message(&body, version, wide, out);
            true
        }
        Err(_) => false,
    }
}
