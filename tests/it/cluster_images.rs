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

use crate::batches::split;
use crate::cluster_log::{record, write};
use crate::contract::make_fifo;
use crate::corpus;
use crate::program::{Run, copy_tree, set_mode, testdata};

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
        read_to: Offset(1),
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

fn metadata(place: &Path) -> PathBuf {
    let partition = place.join("__cluster_metadata-0");
    copy_tree(&testdata("main/__cluster_metadata-0"), &partition);
    partition
}

const SEGMENT: &str = "00000000000000000000.log";
const NEWEST: &str = "00000000000000000241-0000000002.checkpoint";

fn cluster(path: &Path) -> Run {
    Run::new(["cluster"]).arg(path)
}

/// Puts something in the place of a path.
type Make<'a> = &'a dyn Fn(&Path);

/// A warning says what was expected and found, and what to do; an older snapshot is read.
#[test]
fn entries_that_are_no_files_are_told() {
    let place = tempfile::tempdir().unwrap();
    let partition = metadata(place.path());
    let newest = partition.join(NEWEST);
    let whole = cluster(&partition).outcome().ended_with(0).stdout;
    let made: [(Make<'_>, i32, &str); 3] = [
        (
            &|path| fs::create_dir(path).unwrap(),
            1,
            "found a directory; passed over",
        ),
        (
            &|path| drop(make_fifo(path.parent().unwrap(), NEWEST)),
            1,
            "found a FIFO, socket or device; passed over",
        ),
        (
            &|path| std::os::unix::fs::symlink("nowhere", path).unwrap(),
            3,
            "No such file or directory (os error 2); check the name",
        ),
    ];
    for (make, code, told) in made {
        match fs::symlink_metadata(&newest).unwrap().is_dir() {
            true => fs::remove_dir(&newest).unwrap(),
            false => fs::remove_file(&newest).unwrap(),
        }
        make(&newest);
        let outcome = cluster(&partition).outcome().ended_with(code);
        assert!(outcome.stderr.contains(NEWEST), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
        let began = "began with 00000000000000000092-0000000001.checkpoint";
        let expected =
            String::from_utf8_lossy(&whole).replace(&format!("began with {NEWEST}"), began);
        assert_eq!(outcome.text(), expected);
        // What lies behind the asked offset is not asked.
        let past = cluster(&partition).arg("--at-offset=200").outcome();
        assert_eq!(past.ended_with(0).stderr, "");
    }
    fs::remove_file(partition.join(SEGMENT)).unwrap();
    make_fifo(&partition, SEGMENT);
    let outcome = cluster(&partition).outcome().ended_with(3);
    let told = "expected a file, found a FIFO, socket or device; what came behind";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("no segment"), "{}", outcome.stderr);
}

#[test]
fn a_directory_that_may_not_be_listed_is_the_error() {
    let place = tempfile::tempdir().unwrap();
    set_mode(place.path(), 0o755);
    let partition = metadata(place.path());
    set_mode(&partition, 0o000);
    let outcome = cluster(place.path()).unprivileged().outcome().ended_with(3);
    set_mode(&partition, 0o755);
    assert!(
        outcome.stderr.contains("Permission denied"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("found"), "{}", outcome.stderr);
    assert_eq!(outcome.text(), "");
}

/// A broker looks for the one name.
#[test]
fn other_names_of_the_topic_are_refused() {
    for name in ["__cluster_metadata-1", "__cluster_metadata-00"] {
        let place = tempfile::tempdir().unwrap();
        let partition = metadata(place.path());
        let other = place.path().join(name);
        fs::rename(&partition, &other).unwrap();
        for path in [place.path(), &other] {
            let outcome = cluster(path).outcome().ended_with(3);
            let told = format!("{name}: expected the directory __cluster_metadata-0");
            assert!(outcome.stderr.contains(&told), "{}", outcome.stderr);
            assert_eq!(outcome.text(), "");
        }
        // Beside the right one it is nobody's matter.
        copy_tree(&other, &partition);
        let outcome = cluster(place.path()).outcome().ended_with(0);
        let head = format!("{}\n", partition.display());
        assert!(outcome.text().starts_with(&head), "{}", outcome.text());
    }
    let inside = Run::new(["cluster", "."]);
    let whole = corpus::directory().join("main/__cluster_metadata-0");
    inside.dir(&whole).outcome().ended_with(0);
}

/// The log went at least as far as the snapshot that was taken of it.
#[test]
fn a_log_that_ends_below_its_snapshot_is_told() {
    let place = tempfile::tempdir().unwrap();
    let partition = metadata(place.path());
    let log = partition.join(SEGMENT);
    let bytes = fs::read(&log).unwrap();
    let batches = split(&bytes);
    let base = |batch: &[u8]| i64::from_be_bytes(batch[..8].try_into().unwrap());
    let ends = batches.windows(2).map(|pair| (pair[1].0, base(pair[1].1)));
    let (mut told, mut silent) = (0, 0);
    for (cut, end) in ends.filter(|(_, end)| (100..300).contains(end)) {
        fs::write(&log, &bytes[..cut]).unwrap();
        let is_lost = end < 241;
        let outcome = cluster(&partition).outcome().ended_with(i32::from(is_lost));
        let words = format!(
            "{SEGMENT}: expected the log to reach offset 241, where {NEWEST} was taken, found its \
             end at offset {end}: the tail is lost; "
        );
        assert_eq!(
            outcome.stderr.contains(&words),
            is_lost,
            "{}",
            outcome.stderr
        );
        assert!(is_lost || outcome.stderr.is_empty(), "{}", outcome.stderr);
        *(if is_lost { &mut told } else { &mut silent }) += 1;
    }
    assert!(told > 3 && silent > 3, "{told} {silent}");
    fs::write(&log, "").unwrap();
    let outcome = cluster(&partition).outcome().ended_with(1);
    assert!(
        outcome.stderr.contains("end at offset 0:"),
        "{}",
        outcome.stderr
    );
    // The snapshot is all that was asked for.
    let asked = cluster(&partition).arg("--at-offset=241").outcome();
    assert_eq!(asked.ended_with(0).stderr, "");
}

/// The offset is there, though what lies in front of it does not count yet.
#[test]
fn an_open_transaction_is_told() {
    let place = tempfile::tempdir().unwrap();
    let [begin, end] = ["BeginTransactionRecord", "EndTransactionRecord"].map(|n| record(n, &[]));
    let topic = record("TopicRecord", &[("name", schema::Value::Text(b"orders"))]);
    let partition = write(place.path(), &[begin, topic.clone(), topic, end]);
    let open = "note: the transaction that began at offset 1 is open at offset 3: its records do";
    let at = |offset: &str| cluster(&partition).arg("--at-offset").arg(offset).outcome();
    let outcome = at("3").ended_with(0);
    assert!(outcome.stderr.contains(open), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("not there"), "{}", outcome.stderr);
    assert!(
        outcome.text().contains("up to offset 1,"),
        "{}",
        outcome.text()
    );
    for offset in ["1", "5"] {
        assert_eq!(at(offset).ended_with(0).stderr, "");
    }
    let far = at("6").ended_with(0).stderr;
    assert!(far.contains("offset 6 is not there: read up to 5"), "{far}");
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
