//! Records of Kafka's own topics that do not decode.

use std::fs;

use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::terms::Depth;

use super::{brief, check, terms};
use crate::batches::Batch;
use crate::program::{copy_tree, testdata};

/// Topic, key, value (none with `-`), and what is found, with words of the message.
const CASES: [(&str, &str, &str, &str); 32] = [
    (
        "__consumer_offsets",
        "0001 0001 67 0001 74 00000000",
        "-",
        "",
    ),
    ("__consumer_offsets", "7fff", "00", "N passes over it"),
    ("__consumer_offsets", "ffff", "00", "W passes over it"),
    (
        "__consumer_offsets",
        "0001 0001 67 0001 74 00000000",
        "7fff",
        "W version: expected 0 to 4, as Kafka 4.4.0 knows, found 32767",
    ),
    (
        "__consumer_offsets",
        "0001 0001 67 0001 74 00000000",
        "8000",
        "E found -32768",
    ),
    (
        "__consumer_offsets",
        "0001 0001 67 0001 74 00000000",
        "0003",
        "E type 1, value: offset at",
    ),
    (
        "__consumer_offsets",
        "0001 0009 67",
        "-",
        "E type 1, key: group",
    ),
    ("__consumer_offsets", "00", "-", "E the key has no room"),
    ("__consumer_offsets", "-", "00", "E the key is null"),
    ("__transaction_state", "0000 0001 69", "-", ""),
    ("__transaction_state", "0001", "00", "N passes over it"),
    ("__transaction_state", "ffff", "00", "W passes over it"),
    (
        "__transaction_state",
        "0000 0001 69",
        "0002",
        "N passes over it",
    ),
    (
        "__transaction_state",
        "0000 0001 69",
        "0000",
        "E knows nothing of what lies behind",
    ),
    (
        "__transaction_state",
        "0000 0009 69",
        "-",
        "E transactionalId",
    ),
    (
        "__transaction_state",
        "0000 0001 69",
        "0000 0000000000000005 0000 00000000 08 00000000 0000000000000000 0000000000000000",
        "E transactionStatus at byte 16: expected 0 to 7, found 8",
    ),
    ("__share_group_state", "7fff", "-", "N passes over it"),
    (
        "__share_group_state",
        "0000 01",
        "-",
        "E a share coordinator fails",
    ),
    (
        "__cluster_metadata",
        "-",
        "01 02 00 02 61 00112233445566778899aabbccddeeff 00",
        "",
    ),
    (
        "__cluster_metadata",
        "-",
        "01 02 00 02",
        "E ends its process",
    ),
    (
        "__cluster_metadata",
        "-",
        "01 02 63 02",
        "W ends its process",
    ),
    (
        "__cluster_metadata",
        "-",
        "01 02 63 02",
        "W version 99; known are 0: type 2: ",
    ),
    ("__cluster_metadata", "-", "01 ff7f 00", "W found 16383"),
    (
        "__cluster_metadata",
        "-",
        "00",
        "W frame version: expected 1",
    ),
    (
        "__cluster_metadata",
        "-",
        "-",
        "E expected 1 bytes, found 0",
    ),
    (
        "__remote_log_metadata",
        "-",
        "01 63 00",
        "W reads no more of the topic",
    ),
    (
        "__remote_log_metadata",
        "-",
        "01 00 00",
        "E reads no more of the topic",
    ),
    ("__remote_log_metadata", "-", "-", "E the value is null"),
    ("__mirror_state", "0009", "-", "N no release reads"),
    ("__mirror_state", "0001 0001 6d", "-", ""),
    (
        "__mirror_state",
        "0001 0001 6d",
        "0000 99",
        "W no known layout",
    ),
    ("orders", "0001", "00", ""),
];

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| *byte != b' ').collect();
    let pairs = digits.chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    (hex != "-").then(|| pairs.map(byte).collect())
}

fn checked(topic: &str, log: &[u8], depth: Depth) -> Vec<Finding> {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join(format!("{topic}-0"));
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("00000000000000000000.log"), log).unwrap();
    let (_, mut findings) = check(&directory, &terms(depth));
    findings.retain(|one| one.code == FindingCode::InternalRecordUndecodable);
    findings
}

#[test]
fn what_a_loader_does_at_a_record_is_how_bad_it_is() {
    for (topic, key, value, expected) in CASES {
        let (key_bytes, value_bytes) = (bytes(key), bytes(value));
        let sound = Batch::new(0).record(Some(b"k"), Some(b"v"));
        let batch = Batch::new(0).record(key_bytes.as_deref(), value_bytes.as_deref());
        let log = batch.encode();
        for depth in [Depth::Records, Depth::Rewrite] {
            let findings = checked(topic, &log, depth);
            let case = format!("{topic} {key} {value} {depth:?}");
            let Some((severity, words)) = expected.split_once(' ') else {
                assert!(findings.is_empty(), "{case}: {findings:?}");
                continue;
            };
            assert_eq!(
                brief(&findings),
                [format!("{severity} internal-record-undecodable 0")],
                "{case}"
            );
            let message = &findings[0].message;
            assert!(message.contains(words), "{case}: {message}");
            assert_eq!(findings[0].position, Some(0), "{case}");
            assert!(findings[0].evidence.len() >= 2, "{case}");
        }
        assert!(checked(topic, &log, Depth::Crc).is_empty());
        // Control batches say nothing of the topic.
        let control = Batch {
            attributes: 0x20,
            ..sound
        };
        assert!(checked(topic, &control.encode(), Depth::Records).is_empty());
    }
}

#[test]
fn each_record_is_told_where_it_lies_up_to_a_hundred() {
    let mut batch = Batch::new(5);
    for _ in 0..150 {
        batch = batch.record(Some(&[0]), None);
    }
    let findings = checked("__consumer_offsets", &batch.encode(), Depth::Records);
    assert_eq!(findings.len(), 101);
    assert_eq!(findings[7].offset.unwrap().0, 12);
    assert_eq!(findings[100].cases, 50);
}

#[test]
fn records_of_a_client_under_the_name_of_an_internal_topic_are_told() {
    for topic in [
        "__consumer_offsets",
        "__cluster_metadata",
        "__transaction_state",
    ] {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(format!("{topic}-0"));
        copy_tree(&testdata("main").join("codec-zstd-0"), &directory);
        let (tally, findings) = check(&directory, &terms(Depth::Records));
        let told = findings.iter();
        let told = told.filter(|one| one.code == FindingCode::InternalRecordUndecodable);
        assert_eq!(
            told.map(|one| one.cases).sum::<u64>(),
            tally.records,
            "{topic}"
        );
    }
}
