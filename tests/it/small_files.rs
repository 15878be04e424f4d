//! Small files that are not small, and text files that a broker refuses.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{self, Run, dump_bytes};

/// Dumps a file by plain reads in 64 MiB of address space, its output thrown away.
fn dumped_in_little_memory(directory: &Path, name: &str, format: &str) -> Run {
    let script = "ulimit -v 65536; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .current_dir(directory)
        .args(["-c", script, env!("CARGO_BIN_EXE_kfsck")])
        .args(["dump-log", "--no-mmap", "--format", format, name])
        .stdout(Stdio::null())
        .output();
    output.unwrap().into()
}

/// What the limit is worth: a file that is held whole does not fit.
#[test]
fn the_limit_on_memory_bites() {
    let script = "ulimit -v 65536; exec head -c 1000000000 /dev/zero | tail -n 1 > /dev/null";
    let output = Command::new("sh").args(["-c", script]).output().unwrap();
    assert!(!output.stderr.is_empty(), "tail held a line of 1 GB");
}

/// 1 GiB of zeros that take no space. Kinds that print each entry get less.
#[test]
fn sparse_files_of_every_kind_take_little_memory() {
    for (name, size, code) in [
        ("0.index", 1 << 30, 1),
        ("0.timeindex", 1 << 30, 1),
        ("0.txnindex", 100 << 20, 1),
        ("0.snapshot", 1 << 30, 1),
        ("leader-epoch-checkpoint", 1 << 30, 1),
        ("recovery-point-offset-checkpoint", 1 << 30, 1),
        ("partition.metadata", 1 << 30, 1),
        ("meta.properties", 1 << 30, 1),
        ("quorum-state", 1 << 30, 1),
        (".kafka_cleanshutdown", 1 << 30, 1),
        (".lock", 1 << 30, 0),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join(name)).unwrap();
        file.set_len(size).unwrap();
        for format in ["kafka", "jsonl"] {
            let run = dumped_in_little_memory(directory.path(), name, format);
            assert_eq!(run.code, Some(code), "{name}: {}", run.stderr);
        }
    }
}

/// Entries without end: each is good, or each is a finding.
#[test]
fn long_files_of_entries_take_little_memory() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, head: &[u8], piece: &[u8], times: usize| {
        let mut file = File::create(directory.path().join(name)).unwrap();
        file.write_all(head).unwrap();
        let pieces = piece.repeat(1000);
        (0..times).for_each(|_| file.write_all(&pieces).unwrap());
        let run = dumped_in_little_memory(directory.path(), name, "jsonl");
        fs::remove_file(directory.path().join(name)).unwrap();
        run
    };
    fs::write(
        directory.path().join("0.log"),
        crate::batches::plain(0, b"v"),
    )
    .unwrap();
    let index = [0, 0, 0, 9, 0, 0, 0, 9];
    let run = write("0.index", b"", &index, 200);
    let mismatches = run.stderr.matches(": index-mismatch: ").count();
    assert_eq!(mismatches, 200_000);
    let times = [[0; 7].as_slice(), &[5, 0, 0, 0, 9]].concat();
    let run = write("0.timeindex", b"", &times, 200);
    let mismatches = run.stderr.matches(": time-index-mismatch: ").count();
    assert_eq!(mismatches, 200_000);
    let header = [0, 1, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff];
    let run = write("0.snapshot", &header, &[7; 46], 1000);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("snapshot-corrupt"), "{}", run.stderr);
    let head = b"0\n1000000\n";
    let run = write("cleaner-offset-checkpoint", head, b"topic 7 7\n", 1000);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = write("leader-epoch-checkpoint", head, b"7 7\n", 200);
    assert!(run.stderr.matches(": checkpoint-corrupt: ").count() > 190_000);
    let run = write("meta.properties", b"", b"name=value\n", 1000);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// At the end of a run the stock tool repeats each mismatch; of very many the first are told.
#[test]
fn the_stock_list_of_mismatches_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let index = [0, 0, 0, 9, 0, 0, 0, 9].repeat(10_003);
    fs::write(directory.path().join("0.index"), index).unwrap();
    fs::write(
        directory.path().join("0.log"),
        crate::batches::plain(0, b"v"),
    )
    .unwrap();
    let run = run::dump(directory.path(), &["0.index"]);
    assert_eq!(run.damage().len(), 10_003);
    assert_eq!(run.stderr.matches("  Index offset: 9,").count(), 10_000);
    assert!(run.stderr.ends_with("  and 3 more\n"));
}

/// A time index whose entries go back and forth over a log is judged as if each were alone.
#[test]
fn entries_of_a_time_index_in_any_order() {
    let log: Vec<u8> = (0..50)
        .flat_map(|at| crate::batches::plain(at, b"v"))
        .collect();
    let time = 1_700_000_000_000_i64;
    let mut index = Vec::new();
    for offset in [40, 3, 49, 0, 17, 60] {
        index.extend(time.to_be_bytes());
        index.extend(i32::to_be_bytes(offset));
    }
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("0.timeindex"), index).unwrap();
    fs::write(directory.path().join("0.index"), b"").unwrap();
    fs::write(directory.path().join("0.log"), log).unwrap();
    let run = run::dump(directory.path(), &["0.timeindex"]);
    let found: Vec<_> = run
        .damage()
        .iter()
        .map(|told| &told[..told.find(':').unwrap()])
        .collect();
    // All batches are there and have one time, so each entry but the first repeats it; the last
    // leads nowhere, and the one at the base offset ends the index.
    assert_eq!(found, ["12", "24"], "{}", run.stderr);
    assert!(run.stderr.matches("expected a timestamp above").count() == 2);
}

/// Dumps a text; what is told must hold `told`, or nothing is wrong where that is `None`.
fn refused(name: &str, text: &str, told: Option<&str>) {
    let run = dump_bytes(name, text.as_bytes(), &[]);
    let stderr = &run.stderr;
    assert_eq!(
        run.code,
        Some(i32::from(told.is_some())),
        "{name} {text:?}: {stderr}"
    );
    let corrupt = stderr.contains(": checkpoint-corrupt: ");
    let said = told.is_none_or(|told| stderr.contains(told));
    assert!(
        corrupt == told.is_some() && said,
        "{name} {text:?}: {stderr}"
    );
}

/// Each beside what Kafka's reader does with it; see testdata/structures/text-files.tsv.
#[test]
fn meta_properties_that_a_broker_refuses_are_damage() {
    let sound = "version=1\ncluster.id=c\nnode.id=1\n";
    let name = "meta.properties";
    refused(name, sound, None);
    refused(name, "", None);
    for (from, to, told) in [
        (
            "version=1",
            "version=9",
            "version at byte 0: expected 0 or 1, found 9",
        ),
        (
            "node.id=1\n",
            "",
            "node.id at byte 0: expected a value, found null",
        ),
        ("node.id=1", "node.id=x", "node.id at byte 23"),
        ("cluster.id=c\n", "", "cluster.id"),
        (
            "node.id=1\n",
            "node.id=1\ndirectory.id=x\n",
            "directory.id at byte 33",
        ),
    ] {
        refused(name, &sound.replace(from, to), Some(told));
    }
}

/// The same for the other text files.
#[test]
fn text_files_that_a_broker_refuses_are_damage() {
    let quorum = r#"{"leaderId":1,"leaderEpoch":3,"votedId":-1,"data_version":1}"#;
    refused("quorum-state", quorum, Some("votedDirectoryId"));
    refused(
        "quorum-state",
        &quorum.replace(":1}", ":7}"),
        Some("data_version"),
    );
    refused("quorum-state", "", Some("json"));
    // Where Kafka would read on; its own files have some hundred bytes.
    let long = quorum.replacen('{', &format!("{{{}", " ".repeat(300 << 10)), 1);
    refused("quorum-state", &long, Some("limit of 262144"));
    let shutdown = ".kafka_cleanshutdown";
    refused(shutdown, r#"{"version":0}"#, Some("brokerEpoch"));
    refused(shutdown, r#"{"brokerEpoch":5}x"#, None);
    refused(shutdown, "", None);
    refused("partition.metadata", "version: 0\n", Some("topic_id"));
    let epochs = "leader-epoch-checkpoint";
    refused(epochs, "0\n2\n3 5\n2 7\n", Some("epoch at byte 8"));
    refused(epochs, "0\n2\n2 5\n3 7\n", None);
}

/// What can be shown of a refused file is shown, in front of the damage.
#[test]
fn refused_files_are_shown_all_the_same() {
    let text = "version=9\nnode.id=1\n";
    let run = dump_bytes("meta.properties", text.as_bytes(), &[]);
    assert_eq!(
        run.text(),
        "Dumping meta.properties\nversion: 9\nnode.id: 1\n"
    );
    let run = dump_bytes("meta.properties", text.as_bytes(), &["--format", "jsonl"]);
    let lines: Vec<Value> = run
        .text()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let types: Vec<_> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["file", "property", "property", "damage", "end"]);
    let text = "0\n3\na 0 1\nb 0 2\n";
    let run = dump_bytes("cleaner-offset-checkpoint", text.as_bytes(), &[]);
    assert!(
        run.text().ends_with("topicPartition: b-0 offset: 2\n"),
        "{}",
        run.text()
    );
    assert_eq!(
        run.damage(),
        ["2: checkpoint-corrupt: count at byte 2: expected 2, found 3"]
    );
}
