//! `dump-log --mirror-state-decoder`, and topics that are known by the names of their directories.

use std::fs;

use crate::batches::Batch;
use crate::corpus;
use crate::jsonl::{self, parse};
use crate::run;

/// Key of partition 0 of the topic 00112233-..-ff, mirrored by `m`, in the layout of July 2026;
/// then that it is stopped. The bytes are those of KIP-1279's prototype, by hand.
const KEY: &[u8] =
    b"\x00\x02\x00\x01m\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\0\0\0\0";
const STOPPED: &[u8] = b"\0\0\x06\xff\0\0\0\0";
/// Of mirror `m`, topic `a`: epochs, or offsets of 32 bits.
const KEY_OF_MIRROR: &[u8] = b"\0\x01\0\x01m";
const EITHER: &[u8] = b"\0\0\x02\x02a\x02\0\0\0\0\0\0\0\x07\0\0\0";

fn log() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("__mirror_state-3");
    fs::create_dir(&partition).unwrap();
    let batch = Batch::new(0)
        .record(Some(KEY), Some(STOPPED))
        .record(Some(KEY_OF_MIRROR), Some(EITHER))
        .record(Some(KEY), None)
        .record(Some(b"\0\x09"), Some(b"\0\0"));
    let file = partition.join("00000000000000000000.log");
    fs::write(file, batch.encode()).unwrap();
    root
}

#[test]
fn each_record_says_in_which_layout_it_is() {
    let root = log();
    let path = "__mirror_state-3/00000000000000000000.log";
    let flags = ["--skip-record-metadata", "--mirror-state-decoder", path];
    let run = run::dump(root.path(), &flags);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = run.text();
    let lines: Vec<_> = text.lines().skip(3).collect();
    let key = concat!(
        r#"| key: {"type":"2","data":{"mirrorName":"m","#,
        r#""topicId":"ABEiM0RVZneImaq7zN3u_w","partition":0}} payload: "#,
    );
    let stopped = concat!(
        r#"{"version":"0","layout":"MirrorPartitionState 2026-07-21","stateNames":["STOPPED"],"#,
        r#""data":{"state":6,"previousState":-1,"retryAttempt":0,"errorMessage":null}}"#,
    );
    let either = concat!(
        r#"| key: {"type":"1","data":{"mirrorName":"m"}} payload: "#,
        r#"{"version":"0","layout":"LastMirrorEpochs 2026-03-30","candidates":"#,
        r#"["LastMirrorEpochs 2026-03-30","LastMirroredOffsets 2026-02-27"],"data":{"topics":"#,
        r#"[{"name":"a","partitions":[{"partitionIndex":0,"lastMirrorEpoch":7}]}]}}"#,
    );
    assert_eq!(lines[0], format!("{key}{stopped}"));
    assert_eq!(lines[1], either);
    assert_eq!(lines[2], format!("{key}<DELETE>"));
    let unknown = "type: expected 0 to 3, found 9";
    assert_eq!(
        lines[3],
        format!("| key: Error at offset 3, skipping. {unknown}")
    );
    assert_eq!(lines.len(), 4);
    assert!(
        run.stderr
            .contains("note: offset 3, batch at position 0: not a record of mirroring"),
        "{}",
        run.stderr
    );
}

#[test]
fn json_lines_follow_the_name_of_the_directory_unless_told_otherwise() {
    let root = log();
    let jsonl = ["--format", "jsonl", "--print-data-log"];
    let asked = |more: &[&str]| {
        let run = run::dump(
            root.path(),
            &[&jsonl[..], more, &["__mirror_state-3"]].concat(),
        );
        let records: Vec<jsonl::Record> = parse(&run)[0].records().cloned().collect();
        records
    };
    let by_name = asked(&[]);
    assert_eq!(by_name, asked(&["--mirror-state-decoder"]));
    let value = by_name[0].value_data.as_ref().unwrap();
    assert_eq!(value["stateNames"][0], "STOPPED");
    let as_asked = asked(&["--value-decoder-class", "base64"]);
    assert_eq!(as_asked[0].value_data, None);
    // The text stays that of the stock tool.
    let text = run::dump(root.path(), &["--print-data-log", "__mirror_state-3"]);
    assert!(!text.text().contains("STOPPED"), "{}", text.text());
}

#[test]
fn every_topic_of_kafka_is_known_by_its_name() {
    for (partition, field) in [
        ("main/__cluster_metadata-0", r#""valueData":{"type":"#),
        ("main/__transaction_state-0", r#""keyData":{"type":"0","#),
        ("main/__consumer_offsets-0", r#""keyData":{"type":"#),
    ] {
        let path = corpus::directory().join(partition);
        let run = run::dump(&path, &["--format", "jsonl", "--print-data-log", "."]);
        assert!(run.text().contains(field), "{partition}: {}", run.stderr);
    }
}
