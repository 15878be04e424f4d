//! `kfsck cluster` against the real image: random metadata logs and those of the corpus, at their
//! ends and at offsets inside.
//!
//! `KFSCK_IMAGES` names a fresh directory of `oracle/run cluster-images`; else it is the committed
//! one.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::cluster_log::ClusterLog;
use kfsck::format::metadata_record::MetadataRecord;
use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
use kfsck::format::schema::table::metadata::RECORDS;
use kfsck::format::schema::{self, Struct, of_name};
use kfsck::report::json::WideIntegers;
use serde_json::Value;

use crate::cluster_log::{record, write};
use crate::corpus;
use crate::program::{Run, copy_tree};

fn directory() -> PathBuf {
    let committed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/images");
    std::env::var_os("KFSCK_IMAGES").map_or_else(committed, PathBuf::from)
}

/// The log directory that a file of answers is about.
fn logs(name: &str) -> PathBuf {
    match name.strip_prefix("crash-") {
        Some(kind) => corpus::directory().join("crash").join(kind),
        None if name == "main" => corpus::directory().join(name),
        None => directory().join(name).join("__cluster_metadata-0"),
    }
}

/// What has no order is put in one.
fn ordered(mut image: Value) -> Value {
    let by_text = |list: &mut Value| {
        let list = list.as_array_mut().unwrap();
        list.sort_by_key(ToString::to_string);
    };
    by_text(&mut image["configs"]);
    for broker in image["brokers"].as_array_mut().unwrap() {
        by_text(&mut broker["logDirs"]);
        by_text(&mut broker["listeners"]);
    }
    image
}

#[test]
fn a_cluster_is_what_the_real_image_says() {
    let [mut files, mut inside] = [0, 0];
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        files += 1;
        let place = logs(path.file_stem().unwrap().to_str().unwrap());
        for line in fs::read_to_string(&path).unwrap().lines() {
            let mut theirs: Value = serde_json::from_str(line).unwrap();
            let at = theirs.as_object_mut().unwrap().remove("at").unwrap();
            let mut run = Run::new(["cluster", "--format", "json"]).arg(&place);
            if let Some(at) = at.as_i64() {
                inside += 1;
                run = run.arg("--at-offset").arg(at.to_string());
            }
            let outcome = run.outcome().ended_with(0);
            let mut ours: Value = serde_json::from_str(outcome.text()).unwrap();
            assert_eq!(
                ours.as_object_mut().unwrap().remove("schema"),
                Some(1.into())
            );
            assert_eq!(
                ordered(ours),
                ordered(theirs),
                "{at} of {}",
                place.display()
            );
        }
    }
    assert!(files >= 8 && inside > 10, "{files} {inside}");
}

#[test]
fn what_cannot_be_read_is_told_and_what_lies_in_front_is_shown() {
    let place = tempfile::tempdir().unwrap();
    let from = corpus::directory().join("main/__cluster_metadata-0");
    let partition = place.path().join("__cluster_metadata-0");
    copy_tree(&from, &partition);
    let names = corpus::files(&partition);
    for name in names
        .iter()
        .filter(|name| name.extension().is_some_and(|kind| kind == "checkpoint"))
    {
        fs::remove_file(partition.join(name)).unwrap();
    }
    let log = partition.join("00000000000000000000.log");
    let mut bytes = fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&log, bytes).unwrap();
    let outcome = Run::new(["cluster", "--format", "json"])
        .arg(place.path())
        .outcome()
        .ended_with(1);
    let image: Value = serde_json::from_str(outcome.text()).unwrap();
    let end = image["offset"].as_i64().unwrap();
    assert!(end > 10 && !image["topics"].as_array().unwrap().is_empty());
    assert!(outcome.stderr.contains("warning: "), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains(".log: position "),
        "{}",
        outcome.stderr
    );
    let far = Run::new(["cluster", "--at-offset", "20"])
        .arg(place.path())
        .outcome()
        .ended_with(0);
    assert!(far.text().contains("up to offset 20, "), "{}", far.text());
}

#[test]
fn an_offset_behind_the_end_and_a_path_without_metadata_are_told() {
    let whole = corpus::directory().join("main");
    let far = Run::new(["cluster", "--at-offset", "99999"])
        .arg(&whole)
        .outcome()
        .ended_with(0);
    assert!(
        far.stderr
            .contains("offset 99999 is not there: read up to "),
        "{}",
        far.stderr
    );
    let none = Run::new(["cluster"])
        .arg(whole.join("plain-0"))
        .outcome()
        .ended_with(3);
    assert!(none.stderr.contains("found neither"), "{}", none.stderr);
    assert_eq!(none.text(), "");
}

/// A config's key may be any text.
#[test]
fn names_from_records_are_escaped() {
    let mut image = kfsck::analysis::cluster_image::ClusterImage::default();
    let message = of_name(&RECORDS, "ConfigRecord").unwrap();
    let mut body = Struct::new(&message.shape);
    *body.get_mut("resourceType").unwrap() = schema::Value::Int(2);
    for (name, text) in [("resourceName", "t"), ("name", "a\"\nb"), ("value", "1")] {
        *body.get_mut(name).unwrap() = schema::Value::Text(text.as_bytes());
    }
    let version = 0;
    let record = MetadataRecord {
        message,
        version,
        body,
    };
    image.apply(&record).unwrap();
    let log = ClusterLog {
        image,
        end_offset: Offset(1),
        epoch: LeaderEpoch(0),
        last_timestamp: Timestamp(0),
        is_torn: false,
        snapshot: None,
        faults: Vec::new(),
    };
    let json = kfsck::report::cluster::json(&log, WideIntegers::Number);
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["configs"][0]["configs"]["a\"\nb"], "1");
}

fn cluster(path: &Path) -> Run {
    Run::new(["cluster"]).arg(path)
}

#[test]
fn an_offset_below_0_is_a_mistake_of_the_command_line() {
    for command in ["cluster", "groups"] {
        let place = corpus::directory().join("main");
        let run = Run::new([command, "--at-offset=-1"]).arg(place);
        let stderr = run.outcome().ended_with(2).stderr;
        assert!(stderr.contains("a whole number of 0 or more"), "{stderr}");
    }
}

/// On a terminal of 80 columns no line of the corpus is broken.
#[test]
fn text_stays_within_80_columns() {
    for name in ["main", "crash/clean", "crash/unclean"] {
        // The path in front is as long as whoever gives it likes.
        let run = Run::new(["cluster", "."]).dir(&corpus::directory().join(name));
        let outcome = run.outcome().ended_with(0);
        let wide: Vec<_> = { outcome.text().lines() }
            .filter(|line| line.chars().count() > 80)
            .collect();
        assert_eq!(wide, [""; 0]);
    }
}

/// Its partitions may be what is missing.
#[test]
fn a_topic_without_partitions_is_shown() {
    let place = tempfile::tempdir().unwrap();
    let topic = record("TopicRecord", &[("name", schema::Value::Text(b"orders"))]);
    let outcome = cluster(&write(place.path(), &[topic]))
        .outcome()
        .ended_with(0);
    let shown = "1 topic, 0 partitions\n\
                 partition  leader  epoch  replicas  isr\n\
                 orders  AAAAAAAAAAAAAAAAAAAAAA\n     none\n";
    assert!(outcome.text().ends_with(shown), "{}", outcome.text());
}
