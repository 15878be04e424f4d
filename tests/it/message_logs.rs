//! Records of Kafka's own topics, by Kafka's generated classes: every type in every version, some
//! of them damaged. What the real tool printed of them is held against ours.
//!
//! `KFSCK_MESSAGES` names a fresh directory of `oracle/run message-logs`; else it is the committed
//! one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::metadata_record::MetadataRecord;
use kfsck::format::schema::table::metadata::RECORDS;
use serde_json::Value;

use crate::batches::Batch;
use crate::jsonl;
use crate::run::{self, Run};

fn directory() -> PathBuf {
    let committed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/messages");
    std::env::var_os("KFSCK_MESSAGES").map_or_else(committed, PathBuf::from)
}

/// One run of the real tool.
struct Row {
    path: String,
    flags: Vec<String>,
    stdout: Vec<u8>,
}

fn rows() -> Vec<Row> {
    let golden = directory().join("golden");
    let list = fs::read_to_string(golden.join("LIST.tsv")).unwrap();
    let row = |line: &str| {
        let [mode, path, flags, "0"] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns in {line}, and no death");
        };
        Row {
            path: path.to_owned(),
            flags: flags.split(' ').map(str::to_owned).collect(),
            stdout: fs::read(golden.join(format!("{path}.{mode}.out"))).unwrap(),
        }
    };
    let rows: Vec<_> = list.lines().map(row).collect();
    assert!(rows.len() >= 9);
    rows
}

fn ours(row: &Row, more: &[&str]) -> Run {
    let mut arguments = vec!["--files", &row.path];
    arguments.extend(row.flags.iter().map(String::as_str));
    arguments.extend(more);
    let run = run::dump(&directory(), &arguments);
    // What does not decode is told in a note: nobody says that the topic is the one.
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("note: offset "), "{}", run.stderr);
    assert!(run.damage().is_empty(), "{}", run.stderr);
    run
}

#[test]
fn printed_as_the_real_tool_prints_them() {
    for row in rows() {
        let run = ours(&row, &[]);
        let expected = String::from_utf8_lossy(&row.stdout);
        for (number, (our, their)) in run.text().lines().zip(expected.lines()).enumerate() {
            assert_eq!(our, their, "line {} of {}", number + 1, row.path);
        }
        assert!(run.stdout == row.stdout, "{}", row.path);
    }
}

/// What stands behind a label in the real tool's text, up to another label; `None` where it has
/// none, or an error.
fn said<'l>(line: &'l str, label: &str, end: &str) -> Option<&'l str> {
    let (_, text) = line.split_once(label)?;
    let text = text.split_once(end).map_or(text, |(text, _)| text);
    text.starts_with('{').then_some(text)
}

const REMOTE: &str = "__remote_log_metadata";

#[test]
fn json_lines_hold_what_the_text_does() {
    for row in rows() {
        if row.path.starts_with(REMOTE) {
            continue;
        }
        let run = ours(&row, &["--format", "jsonl"]);
        let dumps = jsonl::parse(&run);
        let text = String::from_utf8(row.stdout).unwrap();
        let mut lines = text.lines().filter(|line| line.starts_with("| "));
        let [mut decoded, mut broken] = [0, 0];
        for record in dumps.iter().flat_map(|dump| dump.records()) {
            let line = lines.next().unwrap();
            let same = |stock: Option<&str>, data: &Option<Value>| {
                let stock = stock.map(|text| serde_json::from_str(text).unwrap());
                assert_eq!(stock, *data, "{line}");
                usize::from(stock.is_some())
            };
            let key = same(said(line, "key: ", " payload: "), &record.key_data);
            let value = same(said(line, "payload: ", "\n"), &record.value_data);
            match key + value {
                0 => broken += 1,
                _ => decoded += 1,
            }
        }
        assert_eq!(lines.next(), None);
        assert!(decoded > 2 * broken && broken > 0, "{decoded} {broken}");
    }
}

/// Of remote storage the real tool shows Java's text of an object, each field by its name.
#[test]
fn json_lines_of_remote_storage_hold_what_the_text_does() {
    for row in rows() {
        if !row.path.starts_with(REMOTE) || row.flags.len() > 1 {
            continue;
        }
        let run = ours(&row, &["--format", "jsonl"]);
        let text = String::from_utf8(row.stdout).unwrap();
        // The name of a topic may hold line breaks here.
        let mut lines = text.split("\n| offset: ").skip(1);
        let [mut decoded, mut broken] = [0, 0];
        for record in jsonl::parse(&run).iter().flat_map(|dump| dump.records()) {
            let line = lines.next().unwrap();
            let Some(data) = record.value_data.as_ref().map(|value| &value["data"]) else {
                assert!(line.contains("payload: Error at offset "), "{line}");
                broken += 1;
                continue;
            };
            decoded += 1;
            for (name, value) in data.as_object().unwrap() {
                let shown = match name.as_str() {
                    "remoteLogSegmentState" | "remotePartitionDeleteState" => "state",
                    "txnIndexEmpty" => "txnIdxEmpty",
                    // Java tells how many bytes there are.
                    "customMetadata" => continue,
                    // Java leaves them out of a snapshot.
                    "brokerId" | "eventTimestampMs" if line.contains("Snapshot{") => continue,
                    own => own,
                };
                let shown = match value {
                    Value::Number(number) => format!("{shown}={number}"),
                    Value::String(text) => format!("{shown}={text}"),
                    Value::Bool(truth) => format!("{shown}={truth}"),
                    Value::Array(epochs) => {
                        let last = epochs.last().unwrap();
                        format!("{}={}", last["leaderEpoch"], last["offset"])
                    }
                    Value::Object(object) if name == "topicIdPartition" => partition(object),
                    Value::Object(object) => {
                        let place = partition(object["topicIdPartition"].as_object().unwrap());
                        let id = object["id"].as_str().unwrap();
                        format!("{{topicIdPartition={place}, id={id}}}")
                    }
                    Value::Null => panic!("{name} of {line}"),
                };
                assert!(line.contains(&shown), "{shown} in {line}");
            }
        }
        assert_eq!(lines.next(), None);
        assert!(decoded > broken && broken > 0, "{decoded} {broken}");
    }
}

fn partition(object: &serde_json::Map<String, Value>) -> String {
    let text = |name: &str| object[name].as_str().unwrap();
    format!("{}:{}-{}", text("id"), text("name"), object["partition"])
}

/// All types in all versions are there, and what Kafka wrote is what we write.
#[test]
fn written_again_as_kafka_wrote_them() {
    let mut kinds = BTreeSet::new();
    let [mut same, mut others] = [0, 0];
    for row in rows() {
        if !row.path.contains("__cluster_metadata") {
            continue;
        }
        let base64 = ["--format", "jsonl", "--value-decoder-class", "base64"];
        let arguments = [&[row.path.as_str()][..], &base64].concat();
        let dumps = jsonl::parse(&run::dump(&directory(), &arguments));
        for record in dumps.iter().flat_map(|dump| dump.records()) {
            let bytes = record.value_base64.as_deref().map(bytes_of);
            let Ok(read) = MetadataRecord::decode(bytes.as_deref()) else {
                continue;
            };
            kinds.insert((read.message.shape.name, read.version));
            match read.encode() == bytes {
                true => same += 1,
                // A flipped bit may leave what reads, and Kafka would write otherwise.
                false => others += 1,
            }
        }
    }
    for message in RECORDS {
        for version in message.versions.lowest..=message.versions.highest {
            let kind = (message.shape.name, version);
            assert!(kinds.contains(&kind), "{kind:?}");
        }
    }
    assert!(others * 20 < same, "{others} of {same}");
}

/// The bytes of base64 with padding.
fn bytes_of(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=').bytes();
    let mut bytes = Vec::new();
    let [mut held, mut bits] = [0_u32; 2];
    for digit in digits {
        let value = ALPHABET.bytes().position(|letter| letter == digit).unwrap();
        held = held << 6 | u32::try_from(value).unwrap();
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap());
        }
    }
    bytes
}

/// The stock tool dies at such a record.
#[test]
fn a_missing_key_ends_nothing() {
    let key = [0, 0, 0, 1, b'a'];
    let batch = Batch::new(0)
        .record(None, Some(b"x"))
        .record(Some(&key), None);
    let options = ["--transaction-log-decoder", "--skip-record-metadata"];
    let run = run::dump_bytes("00000000000000000000.log", &batch.encode(), &options);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = run.text();
    let lines: Vec<_> = text.lines().skip(3).collect();
    assert_eq!(
        lines,
        [
            "| key: Error at offset 0, skipping. Failed to decode message at offset 0 using the \
             specified decoder (message had a missing key)",
            "| key: {\"type\":\"0\",\"data\":{\"transactionalId\":\"a\"}} payload: <DELETE>",
        ]
    );
    assert!(run.stderr.contains("the key is null"), "{}", run.stderr);
}
