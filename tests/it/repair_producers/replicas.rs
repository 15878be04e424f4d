//! `--cluster-metadata`: which brokers have the partition that is repaired.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::partition_metadata;
use kfsck::format::schema::Value;
use kfsck::format::uuid::Uuid;

use super::partition;
use crate::cluster_log::{ints, record, write};
use crate::program::{Outcome, Run, copy_tree, testdata};
use crate::repair::contents;
use crate::txns::log::Log;

/// A log directory of the broker with this id in cluster `one`, with one partition.
fn broker(place: &Path, id: i32) -> PathBuf {
    let meta = format!("version=1\ncluster.id=one\nnode.id={id}\n");
    fs::write(place.join("meta.properties"), meta).unwrap();
    partition(place, "orders-0", &[&Log::default().data(5, 0)])
}

/// The metadata of a cluster in which brokers 1, 2 and 3 have the partition, and 3 is not in sync.
fn metadata(place: &Path, cluster: &str, directory: &Path) -> PathBuf {
    fs::create_dir_all(place).unwrap();
    let meta = format!("version=1\ncluster.id={cluster}\nnode.id=9\n");
    fs::write(place.join("meta.properties"), meta).unwrap();
    let stored = fs::read(directory.join("partition.metadata"));
    let id = stored.map_or(Uuid::ZERO, |bytes| {
        partition_metadata::decode(&bytes).unwrap().topic_id
    });
    let topic = ("topicId", Value::Uuid(id));
    let partition = [
        topic.clone(),
        ("partitionId", Value::Int(0)),
        ("replicas", ints(&[1, 2, 3])),
        ("isr", ints(&[1, 2])),
        ("leader", Value::Int(2)),
        ("leaderEpoch", Value::Int(4)),
    ];
    let topic = [topic, ("name", Value::Text(b"orders"))];
    write(
        place,
        &[
            record("TopicRecord", &topic),
            record("PartitionRecord", &partition),
        ],
    )
}

fn planned(verb: &[&str], metadata: &Path, directory: &Path, more: &[&str]) -> Outcome {
    let fixed = [
        "--dry-run",
        "--timestamp",
        "1774000000000",
        "--cluster-metadata",
    ];
    Run::new([&["repair"], verb, &fixed].concat())
        .arg(metadata)
        .arg(directory)
        .arg(more.first().unwrap_or(&"--format=text"))
        .outcome()
}

const BARRIER: &[&str] = &["barrier", "--layout", "b"];
const ABORT: &[&str] = &["abort", "--producer-id", "5", "--force"];

fn flat(outcome: &Outcome) -> String {
    let words: Vec<_> = outcome.text().split_whitespace().collect();
    words.join(" ")
}

#[test]
fn the_plan_names_replicas_and_those_in_sync() {
    for (own, verb) in [(1, BARRIER), (2, ABORT)] {
        let place = tempfile::tempdir().unwrap();
        let directory = broker(place.path(), own);
        let metadata = metadata(&place.path().join("controller"), "one", &directory);
        let text = flat(&planned(verb, &metadata, &directory, &[]).ended_with(1));
        let expected = format!(
            "replicas: brokers 1, 2, 3; in sync brokers 1, 2; leader 2 in epoch 4, by the \
             cluster's metadata up to offset 3; this directory is broker {own}'s"
        );
        assert!(text.contains(&expected), "{text}");
        assert!(!text.contains("not in sync"), "{text}");
        // The log directory of a controller will do.
        let above = metadata.parent().unwrap();
        let outcome = planned(verb, above, &directory, &["--format=json"]).ended_with(1);
        let plan: serde_json::Value = serde_json::from_str(outcome.text()).unwrap();
        let known = &plan["replicas"];
        assert_eq!(known["replicas"], serde_json::json!([1, 2, 3]));
        assert_eq!(known["isr"], serde_json::json!([1, 2]));
        assert_eq!(known["eligibleLeaderReplicas"], serde_json::json!([]));
        assert_eq!(known["broker"], serde_json::json!(own));
        assert_eq!(known["metadataOffset"], serde_json::json!(3));
    }
}

#[test]
fn a_directory_that_is_not_the_right_one_is_told() {
    for (own, expected) in [
        (3, "broker 3 is not in sync: its log may end before"),
        (4, "this directory is broker 4's, which has no replica"),
    ] {
        let place = tempfile::tempdir().unwrap();
        let directory = broker(place.path(), own);
        let metadata = metadata(&place.path().join("controller"), "one", &directory);
        let text = flat(&planned(BARRIER, &metadata, &directory, &[]).ended_with(1));
        assert!(
            text.contains(expected) && text.contains("replicas:"),
            "{text}"
        );
    }
    let place = tempfile::tempdir().unwrap();
    let directory = broker(place.path(), 1);
    let foreign = metadata(&place.path().join("controller"), "two", &directory);
    let text = flat(&planned(BARRIER, &foreign, &directory, &[]).ended_with(1));
    let expected = "the metadata are those of another cluster, two; this directory is of one";
    assert!(
        text.contains(expected) && !text.contains("replicas: "),
        "{text}"
    );
}

#[test]
fn a_meta_properties_that_does_not_tell_is_told() {
    for (is_own, text) in [
        (true, "version=1\n"),
        (true, "\\u00"),
        (false, "version=1\n"),
    ] {
        let place = tempfile::tempdir().unwrap();
        let directory = broker(place.path(), 1);
        let controller = place.path().join("controller");
        let metadata = metadata(&controller, "one", &directory);
        let sound = flat(&planned(BARRIER, &metadata, &directory, &[]).ended_with(1));
        let above = if is_own { place.path() } else { &controller };
        fs::write(above.join("meta.properties"), text).unwrap();
        let told = flat(&planned(BARRIER, &metadata, &directory, &[]).ended_with(1));
        let expected = "does not say whose it is: whether the metadata are those of";
        assert!(
            told.contains(expected) && told.contains("replicas: "),
            "{told}"
        );
        assert!(!sound.contains(expected), "{sound}");
    }
}

#[test]
fn what_the_metadata_do_not_know() {
    let place = tempfile::tempdir().unwrap();
    let directory = broker(place.path(), 1);
    let cut = write(&place.path().join("controller"), &[vec![1, 6, 0]]);
    let text = flat(&planned(BARRIER, &cut, &directory, &[]).ended_with(1));
    let expected = "the cluster's metadata were read up to offset 1: ";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("know no partition orders-0"), "{text}");
    // Nothing of metadata lies there: the plan is shown, and the run did not do all it should.
    let outcome = planned(BARRIER, &directory, &directory, &[]).ended_with(3);
    assert!(
        outcome
            .stderr
            .contains("expected the directory __cluster_metadata-0")
    );
    assert!(outcome.text().contains("MIRROR_PID_RESET"));
    let absent = place.path().join("absent");
    planned(BARRIER, &absent, &directory, &[]).ended_with(3);
    let empty = place.path().join("empty/__cluster_metadata-0");
    fs::create_dir_all(&empty).unwrap();
    let outcome = planned(BARRIER, &empty, &directory, &[]).ended_with(3);
    assert!(outcome.stderr.contains("found nothing that can be read"));
    // And nothing is written without them.
    let before = contents(&directory);
    for metadata in [&absent, &empty, &directory] {
        Run::new(["repair", "barrier", "--all-replicas-stopped", "--in-place"])
            .arg("--cluster-metadata")
            .arg(metadata)
            .arg(&directory)
            .outcome()
            .ended_with(3);
        assert!(contents(&directory) == before);
    }
}

#[test]
fn the_metadata_of_a_real_broker() {
    let place = tempfile::tempdir().unwrap();
    for name in ["txn-both-0", "__cluster_metadata-0"] {
        copy_tree(&testdata(&format!("main/{name}")), &place.path().join(name));
    }
    let directory = place.path().join("txn-both-0");
    let metadata = place.path().join("__cluster_metadata-0");
    let text = flat(&planned(BARRIER, &metadata, &directory, &[]).ended_with(1));
    // It was the last to stop, and did so cleanly.
    let expected = "replicas: broker 1; in sync no broker, eligible to lead broker 1; no leader in";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("no meta.properties beside it tells"),
        "{text}"
    );
    // Another topic of that name.
    let file = directory.join("partition.metadata");
    fs::write(&file, "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAZA").unwrap();
    let text = flat(&planned(BARRIER, &metadata, &directory, &[]).ended_with(1));
    let expected = "know no partition txn-both-0, topic id AAAAAAAAAAAAAAAAAAAAZA: a broker";
    assert!(text.contains(expected), "{text}");
}
