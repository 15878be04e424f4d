//! What the stock dump tool prints of control records, to the letter.
//!
//! Its JSON comes from the generated `*JsonConverter` classes and Jackson: no spaces, fields in the
//! order of the schema, unknown tagged fields left out.

use crate::format::control::{ControlType, EndTxnMarker};
use crate::format::java_text::push_java_utf8;
use crate::format::json;
use crate::format::kraft::kraft_version::KRaftVersion;
use crate::format::kraft::leader_change::{self, LeaderChange};
use crate::format::kraft::snapshot_footer::SnapshotFooter;
use crate::format::kraft::snapshot_header::SnapshotHeader;
use crate::format::kraft::voters::{self, Voters};
use crate::format::malformed::{Malformed, Problem};
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::uuid::Uuid;
use std::fmt::Display;

/// Appends what stands behind `headerKeys: [...]` on the line of a control record, its leading
/// space included. Type 7 prints as the mirroring fork prints it; stock Kafka knows it as
/// ` controlType: UNKNOWN(7)`.
///
/// # Errors
/// [`Malformed`] when the value is none of its kind; nothing is appended then. The stock tool ends
/// its run there.
pub fn push_control_tail(
    control_type: ControlType,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let label = match control_type {
        ControlType::Abort | ControlType::Commit => {
            let epoch = EndTxnMarker::decode(value)?.coordinator_epoch;
            let text = format_args!(" endTxnMarker: {control_type} coordinatorEpoch: {epoch}");
            push(&text, out);
            return Ok(());
        }
        ControlType::Unknown(_) => {
            push(&format_args!(" controlType: {control_type}"), out);
            return Ok(());
        }
        ControlType::LeaderChange => " LeaderChange: ",
        ControlType::SnapshotHeader => " SnapshotHeader ",
        ControlType::SnapshotFooter => " SnapshotFooter ",
        ControlType::KRaftVersion => " KRaftVersion ",
        ControlType::KRaftVoters => " KRaftVoters ",
        ControlType::MirrorPidReset => " MirrorPidReset ",
    };
    let before = out.len();
    out.extend(label.as_bytes());
    push_control_data(control_type, value, out).inspect_err(|_| out.truncate(before))
}

/// Appends the JSON of a control record's value; of kinds that have none, `null`.
///
/// # Errors
/// As [`push_control_tail`]; nothing is appended then.
pub fn push_control_data(
    control_type: ControlType,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let kraft = || {
        value.ok_or(Malformed {
            field: "value",
            at: 0,
            problem: Problem::Null,
        })
    };
    match control_type {
        ControlType::LeaderChange => push_leader_change(&LeaderChange::decode(kraft()?)?, out),
        ControlType::SnapshotHeader => {
            push_snapshot_header(&SnapshotHeader::decode(kraft()?)?, out);
        }
        ControlType::SnapshotFooter => {
            push_snapshot_footer(&SnapshotFooter::decode(kraft()?)?, out);
        }
        ControlType::KRaftVersion => push_kraft_version(&KRaftVersion::decode(kraft()?)?, out),
        ControlType::KRaftVoters => push_voters(&Voters::decode(kraft()?)?, out),
        ControlType::MirrorPidReset => push_mirror_pid_reset(&MirrorPidReset::decode(value), out),
        ControlType::Abort | ControlType::Commit | ControlType::Unknown(_) => {
            out.extend(b"null");
        }
    }
    Ok(())
}

/// Appends a [`LeaderChange`]. Directory ids are shown when the version says 1 or more, whether or
/// not they were stored.
pub fn push_leader_change(message: &LeaderChange, out: &mut Vec<u8>) {
    let LeaderChange {
        version, leader_id, ..
    } = message;
    push(
        &format_args!("{{\"version\":{version},\"leaderId\":{leader_id}"),
        out,
    );
    let voter = |voter: &leader_change::Voter, out: &mut Vec<u8>| {
        push(&format_args!("{{\"voterId\":{}", voter.voter_id), out);
        if *version >= 1 {
            push_directory_id(voter.voter_directory_id, out);
        }
        out.push(b'}');
    };
    out.extend(b",\"voters\":");
    push_list(&message.voters, voter, out);
    out.extend(b",\"grantingVoters\":");
    push_list(&message.granting_voters, voter, out);
    out.push(b'}');
}

/// Appends a [`SnapshotHeader`].
pub fn push_snapshot_header(record: &SnapshotHeader, out: &mut Vec<u8>) {
    let (version, timestamp) = (record.version, record.last_contained_log_timestamp);
    push(
        &format_args!("{{\"version\":{version},\"lastContainedLogTimestamp\":{timestamp}}}"),
        out,
    );
}

/// Appends a [`SnapshotFooter`].
pub fn push_snapshot_footer(record: &SnapshotFooter, out: &mut Vec<u8>) {
    push(&format_args!("{{\"version\":{}}}", record.version), out);
}

/// Appends a [`KRaftVersion`].
pub fn push_kraft_version(record: &KRaftVersion, out: &mut Vec<u8>) {
    let (version, kraft_version) = (record.version, record.kraft_version);
    push(
        &format_args!("{{\"version\":{version},\"kRaftVersion\":{kraft_version}}}"),
        out,
    );
}

/// Appends a [`Voters`] record.
pub fn push_voters(record: &Voters, out: &mut Vec<u8>) {
    push(
        &format_args!("{{\"version\":{},\"voters\":", record.version),
        out,
    );
    push_list(&record.voters, push_voter, out);
    out.push(b'}');
}

fn push_voter(voter: &voters::Voter, out: &mut Vec<u8>) {
    push(&format_args!("{{\"voterId\":{}", voter.voter_id), out);
    push_directory_id(voter.voter_directory_id, out);
    out.extend(b",\"endpoints\":");
    push_list(&voter.endpoints, push_endpoint, out);
    let (least, greatest) = (voter.min_supported_version, voter.max_supported_version);
    push(
        &format_args!(
            ",\"kRaftVersionFeature\":{{\"minSupportedVersion\":{least},\
             \"maxSupportedVersion\":{greatest}}}}}"
        ),
        out,
    );
}

fn push_endpoint(endpoint: &voters::Endpoint, out: &mut Vec<u8>) {
    out.extend(b"{\"name\":");
    push_json_string(&endpoint.name, out);
    out.extend(b",\"host\":");
    push_json_string(&endpoint.host, out);
    push(&format_args!(",\"port\":{}}}", endpoint.port), out);
}

/// Appends a [`MirrorPidReset`]; a value of an unknown layout as `{"value":"<hexadecimal>"}`, or
/// `{"value":null}`.
pub fn push_mirror_pid_reset(reset: &MirrorPidReset, out: &mut Vec<u8>) {
    match reset {
        MirrorPidReset::Sourced {
            version,
            source_cluster_id,
            ..
        } => {
            push(
                &format_args!("{{\"version\":{version},\"sourceClusterId\":"),
                out,
            );
            push_json_string(source_cluster_id, out);
            out.push(b'}');
        }
        MirrorPidReset::Bare { version } => push(&format_args!("{{\"version\":{version}}}"), out),
        MirrorPidReset::Unknown { value: None, .. } => out.extend(b"{\"value\":null}"),
        MirrorPidReset::Unknown {
            value: Some(bytes), ..
        } => {
            out.extend(b"{\"value\":\"");
            for byte in bytes {
                push(&format_args!("{byte:02x}"), out);
            }
            out.extend(b"\"}");
        }
    }
}

fn push_directory_id(id: Uuid, out: &mut Vec<u8>) {
    push(&format_args!(",\"voterDirectoryId\":\"{id}\""), out);
}

fn push_list<T>(list: &[T], element: impl Fn(&T, &mut Vec<u8>), out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, item) in list.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        element(item, out);
    }
    out.push(b']');
}

fn push(text: &dyn Display, out: &mut Vec<u8>) {
    out.extend(text.to_string().bytes());
}

/// Appends a JSON string as Jackson writes it ([`json::put_text`]), of bytes as Java reads them.
pub(super) fn push_json_string(bytes: &[u8], out: &mut Vec<u8>) {
    // Without an early end, which lets many bytes be looked at together.
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) & (*byte != b'"') & (*byte != b'\\');
    if bytes.iter().fold(true, |all, byte| all & is_plain(byte)) {
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    let mut text = Vec::with_capacity(bytes.len());
    push_java_utf8(bytes, &mut text);
    let mut quoted = String::with_capacity(text.len());
    // The second reading replaces nothing: the first one left UTF-8.
    json::put_text(&String::from_utf8_lossy(&text), &mut quoted);
    out.append(&mut quoted.into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::control::ControlKey;
    use crate::format::damage::hex;
    use crate::format::golden::{PRINTED, control_records};

    const TEXTS: &str = include_str!("../../testdata/structures/java-text.tsv");

    /// Every text that Java and Jackson made of some bytes.
    #[test]
    fn bytes_as_java_reads_them() {
        for line in TEXTS.lines() {
            let (bytes, json) = line.split_once('\t').unwrap();
            let mut out = Vec::new();
            push_json_string(&hex(bytes), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), json, "{bytes}");
        }
    }

    fn tail(kind: ControlType, value: Option<&[u8]>) -> Result<String, Malformed> {
        let mut out = Vec::new();
        let result = push_control_tail(kind, value, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(result.is_ok() || text.is_empty());
        result.map(|()| text)
    }

    /// Every line that the stock dump tool printed; type 7 is the one difference.
    #[test]
    fn lines_as_the_stock_tool_prints_them() {
        for ((key, value), printed) in control_records().into_iter().zip(PRINTED.lines()) {
            let kind = ControlKey::decode(Some(&key)).unwrap().control_type;
            let ours = tail(kind, Some(&value)).unwrap();
            if kind == ControlType::MirrorPidReset {
                assert_eq!(printed, " controlType: UNKNOWN(7)");
                assert!(ours.starts_with(" MirrorPidReset {\"version\":0"), "{ours}");
            } else {
                assert_eq!(ours, printed);
            }
        }
    }

    #[test]
    fn barriers() {
        for (value, printed) in [
            (
                "0000 17 4142 4569 4d30 5256 5a6e 6549 6d61 7137 7a4e 3375 5f77 00",
                r#" MirrorPidReset {"version":0,"sourceClusterId":"ABEiM0RVZneImaq7zN3u_w"}"#,
            ),
            ("0000 00", r#" MirrorPidReset {"version":0}"#),
            ("0000 01", r#" MirrorPidReset {"value":"000001"}"#),
            (
                "0000 04 22 0a ff 00",
                " MirrorPidReset {\"version\":0,\"sourceClusterId\":\"\\\"\\n\u{fffd}\"}",
            ),
        ] {
            assert_eq!(
                tail(ControlType::MirrorPidReset, Some(&hex(value))).unwrap(),
                printed
            );
        }
        let null = tail(ControlType::MirrorPidReset, None).unwrap();
        assert_eq!(null, r#" MirrorPidReset {"value":null}"#);
    }

    /// Where the stock tool ends its run.
    #[test]
    fn values_of_another_kind_are_refused() {
        for id in 0..=6 {
            let kind = ControlType::from_id(id);
            assert_eq!(tail(kind, None).unwrap_err().problem, Problem::Null);
            assert!(tail(kind, Some(&[])).is_err());
        }
    }
}
