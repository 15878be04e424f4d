use super::kraft_version::KRaftVersion;
use super::leader_change::{Layout, LeaderChange};
use super::snapshot_footer::SnapshotFooter;
use super::snapshot_header::SnapshotHeader;
use super::voters::Voters;
use crate::format::control::{ControlKey, ControlType};
use crate::format::damage::{assert_inside, bit_flips, hex, truncations};
use crate::format::golden::control_records;
use crate::format::malformed::Malformed;

/// Reads a value and writes it again; `None` for kinds that are not KRaft's.
fn rewritten(kind: ControlType, value: &[u8]) -> Option<Result<Vec<u8>, Malformed>> {
    Some(match kind {
        ControlType::LeaderChange => LeaderChange::decode(value).map(|message| message.encode()),
        ControlType::SnapshotHeader => SnapshotHeader::decode(value).map(|record| record.encode()),
        ControlType::SnapshotFooter => SnapshotFooter::decode(value).map(|record| record.encode()),
        ControlType::KRaftVersion => KRaftVersion::decode(value).map(|record| record.encode()),
        ControlType::KRaftVoters => Voters::decode(value).map(|record| record.encode()),
        _ => return None,
    })
}

fn kraft_values() -> impl Iterator<Item = (ControlType, Vec<u8>)> {
    control_records().into_iter().filter_map(|(key, value)| {
        let kind = ControlKey::decode(Some(&key)).unwrap().control_type;
        rewritten(kind, &value).map(|_| (kind, value))
    })
}

#[test]
fn messages_of_kafkas_writers_round_trip() {
    let mut seen = 0;
    for (kind, value) in kraft_values() {
        let again = rewritten(kind, &value).unwrap().unwrap();
        // One value has two bytes behind the message, which Kafka does not look at either.
        let read = value.strip_suffix(b"\xde\xad").unwrap_or(&value);
        assert_eq!(again, read, "{kind}");
        seen += 1;
    }
    assert_eq!(seen, 22);
}

#[test]
fn every_cut_message_is_refused() {
    for (kind, value) in kraft_values() {
        let message = rewritten(kind, &value).unwrap().unwrap();
        for cut in truncations(&message) {
            assert_inside(&rewritten(kind, cut).unwrap().unwrap_err(), cut);
        }
    }
}

#[test]
fn a_flipped_bit_is_refused_or_seen() {
    for (kind, value) in kraft_values() {
        let message = rewritten(kind, &value).unwrap().unwrap();
        for flipped in bit_flips(&message) {
            match rewritten(kind, &flipped).unwrap() {
                Ok(again) => assert_ne!(again, message, "{kind}"),
                Err(fault) => assert_inside(&fault, &flipped),
            }
        }
    }
}

/// Kafka's writer, told to use version 1 of the schema; its own reader refuses the result.
#[test]
fn a_leader_change_with_directory_ids() {
    let value = hex(
        "0001 00000003 02 00000001 ed896f24b166472d9943db4137739f8b 00
                     02 00000001 00000000000000000000000000000000 00 00",
    );
    let message = LeaderChange::decode(&value).unwrap();
    assert_eq!(message.layout, Layout::DirectoryIds);
    let directory = message.voters[0].voter_directory_id.to_string();
    assert_eq!(directory, "7YlvJLFmRy2ZQ9tBN3Ofiw");
    assert_eq!(message.encode(), value);
    for cut in truncations(&value) {
        assert_inside(&LeaderChange::decode(cut).unwrap_err(), cut);
    }
}
