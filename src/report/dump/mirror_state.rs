//! Records of `__mirror_state` as JSON: like those of a coordinator, with the layout that was
//! recognised, and all that may be meant where several fit.

use crate::format::mirror_state::{MirrorStateRecord, Reading, state_names};
use crate::report::json::WideIntegers;
use crate::report::message_json::push_message;

/// Every value has this version.
const VERSION: i16 = 0;

/// Appends the key.
pub(super) fn push_key(record: &MirrorStateRecord<'_>, wide: WideIntegers, out: &mut Vec<u8>) {
    let head = format!("{{\"type\":\"{}\",\"data\":", record.record_type);
    out.extend_from_slice(head.as_bytes());
    push_message(&record.likeliest.key, VERSION, wide, out);
    out.push(b'}');
}

/// Appends the value; says false where there is none.
pub(super) fn push_value(
    record: &MirrorStateRecord<'_>,
    wide: WideIntegers,
    out: &mut Vec<u8>,
) -> bool {
    let Reading { layout, value, .. } = &record.likeliest;
    let Some(body) = value else {
        return false;
    };
    out.extend_from_slice(b"{\"version\":\"0\",\"layout\":\"");
    out.extend_from_slice(layout.name.as_bytes());
    out.push(b'"');
    if !record.others.is_empty() {
        let readings = std::iter::once(&record.likeliest).chain(&record.others);
        push_names(
            "candidates",
            readings.map(|reading| reading.layout.name),
            out,
        );
    }
    if let Some(state) = body.int("state") {
        push_names("stateNames", state_names(layout, state).into_iter(), out);
    }
    out.extend_from_slice(b",\"data\":");
    push_message(body, VERSION, wide, out);
    out.push(b'}');
    true
}

/// Appends a list of names, which need no escapes.
fn push_names(field: &str, names: impl Iterator<Item = &'static str>, out: &mut Vec<u8>) {
    let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    out.extend_from_slice(format!(",\"{field}\":[{}]", names.join(",")).as_bytes());
}
