//! Commits that are missing with a part of the partition are not passed over in silence.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Log, key, offset, parsed};
use crate::batches::Batch;
use crate::program::{Outcome, Run};

const PARTITION: &str = "__consumer_offsets-7";
const SEGMENT: &str = "__consumer_offsets-7/00000000000000000000.log";

fn json(place: &Path, code: i32) -> Outcome {
    let run = Run::new(["groups", "--format", "json"]).arg(place);
    run.outcome().ended_with(code)
}

/// What is told of a partition of two commits that was changed.
fn told(change: impl FnOnce(&Path)) -> String {
    let log = Log::default()
        .commit("g", Some(5), -1)
        .commit("h", Some(6), -1);
    let place = log.written();
    assert_eq!(json(place.path(), 0).stderr, "");
    change(place.path());
    let outcome = json(place.path(), 1);
    assert!(outcome.stderr.contains(PARTITION), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("commits may be missing"),
        "{}",
        outcome.stderr
    );
    outcome.stderr
}

#[test]
fn a_segment_that_is_missing_or_no_file() {
    let said = told(|place| fs::remove_file(place.join(SEGMENT)).unwrap());
    assert!(said.contains("no segment is here"), "{said}");
    let said = told(|place| {
        fs::remove_file(place.join(SEGMENT)).unwrap();
        let made = Command::new("mkfifo").arg(place.join(SEGMENT)).status();
        assert!(made.unwrap().success());
    });
    assert!(
        said.contains("00000000000000000000.log is no file"),
        "{said}"
    );
    let said = told(|place| {
        let later = place.join(PARTITION).join("00000000000000000002.log");
        fs::rename(place.join(SEGMENT), later).unwrap();
    });
    assert!(said.contains("begins at offset 2, not at 0"), "{said}");
}

#[test]
fn a_log_that_was_longer() {
    let said = told(|place| {
        let snapshot = place.join(PARTITION).join("00000000000000000003.snapshot");
        fs::write(snapshot, b"").unwrap();
    });
    assert!(said.contains("it ends at offset 2"), "{said}");
    let said = told(|place| {
        let mark = format!("0\n1\n{} 9\n", PARTITION.replace('-', " "));
        fs::write(place.join("replication-offset-checkpoint"), mark).unwrap();
    });
    assert!(said.contains("tells of offset 9"), "{said}");
}

/// Behind the last batch of a log lies what nobody has acknowledged; elsewhere it is a part of
/// one that somebody has.
#[test]
fn a_torn_end_counts_where_another_segment_follows() {
    let tear = |place: &Path| {
        let bytes = fs::read(place.join(SEGMENT)).unwrap();
        fs::write(place.join(SEGMENT), &bytes[..bytes.len() - 1]).unwrap();
    };
    let log = || {
        Log::default()
            .commit("g", Some(5), -1)
            .commit("h", Some(6), -1)
    };
    let place = log().written();
    tear(place.path());
    let outcome = json(place.path(), 0);
    assert_eq!((parsed(&outcome).len(), &outcome.stderr[..]), (1, ""));
    let said = told(|place| {
        tear(place);
        let next = place.join(PARTITION).join("00000000000000000002.log");
        fs::write(next, b"").unwrap();
    });
    assert!(said.contains("ends before its last batch does"), "{said}");
}

/// Of a topic without a segment nobody knows where it ends: there is no lag, and none below 0.
#[test]
fn a_topic_without_its_log_gives_no_lag() {
    let place = Log::default().commit("g", Some(5), -1).written();
    let topic = place.path().join("plain-0");
    fs::create_dir(&topic).unwrap();
    let lag = || {
        let groups = parsed(&json(place.path(), 0));
        let committed = &groups[0].offsets[0];
        (committed.log_end_offset, committed.lag)
    };
    assert_eq!(lag(), (None, None));
    // An empty log ends where it begins.
    fs::write(topic.join("00000000000000000004.log"), b"").unwrap();
    assert_eq!(lag(), (Some(4), Some(-1)));
}

/// The lag is told, and what makes it doubtful; zeros are what a broker that preallocates leaves.
#[test]
fn a_topic_whose_log_ends_badly_gives_a_lag_with_a_note() {
    let place = Log::default().commit("g", Some(5), -1).written();
    let topic = place.path().join("plain-0");
    fs::create_dir(&topic).unwrap();
    let batch = |offset: i64| Batch::new(offset).record(None, Some(b"a")).encode();
    let sound = [batch(6), batch(7)].concat();
    let half = batch(7).len() - 5;
    let first = batch(6).len();
    let torn = sound[..first + half].to_vec();
    let mut flipped = sound.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let zeros = [&sound[..], &[0; 100]].concat();
    let mut middle = sound.clone();
    middle[first - 1] ^= 1;
    for (log, lag, told) in [
        (&sound, 3, None),
        (&zeros, 3, None),
        // What lies in front of a good batch does not move the end.
        (&middle, 3, None),
        (&torn, 2, Some("offset 7, and may be too low")),
        (&flipped, 3, Some("checksum of the last batch")),
    ] {
        fs::write(topic.join("00000000000000000006.log"), log).unwrap();
        let outcome = json(place.path(), 0);
        assert_eq!(parsed(&outcome)[0].offsets[0].lag, Some(lag));
        let Some(told) = told else {
            assert_eq!(outcome.stderr, "");
            continue;
        };
        let place = format!("plain-0/00000000000000000006.log: note: position {first}: ");
        assert!(outcome.stderr.contains(&place), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("kfsck check"), "{}", outcome.stderr);
    }
}

#[test]
fn records_of_a_later_kafka_are_counted_and_passed_over() {
    let log = Log::default()
        .record(b"\0\x63", Some(b"\0\0"))
        .commit("g", Some(5), -1)
        .record(b"\0\x64", Some(b"\0\0"));
    assert_eq!(offset(&log, &[]), Some(5));
    let place = log.written();
    let outcome = json(place.path(), 0);
    let said = "offset 0: type: expected one of Kafka 4.4.0, found 99; 2 such passed over\n";
    assert!(outcome.stderr.ends_with(said), "{}", outcome.stderr);
}

#[test]
fn what_is_asked_oddly_is_told() {
    let place = Log::default().commit("g", Some(5), -1).written();
    for (args, said) in [
        (["--at-offset", "9"], "offset 9 is not there: read up to 1"),
        (["--at-time", "2026"], "a year is written 2026-01-01"),
    ] {
        let outcome = Run::new(["groups"])
            .arg(place.path())
            .arg(args[0])
            .arg(args[1]);
        let outcome = outcome.outcome().ended_with(0);
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let at_end = Run::new(["groups", "--at-offset", "1"]).arg(place.path());
    assert_eq!(at_end.outcome().ended_with(0).stderr, "");
}

/// `OffsetCommitValue` 4 names the topic by its id, too.
#[test]
fn a_topic_that_was_made_anew_gives_no_lag() {
    let offset = 2_i64.to_be_bytes();
    let epoch = 7_i32.to_be_bytes();
    // One tagged field of 16 bytes: the id.
    let value = [
        &[0, 4][..],
        &offset,
        &epoch,
        &[1],
        &offset,
        &[1, 0, 16],
        &[9; 16],
    ]
    .concat();
    let place = Log::default().record(&key("g"), Some(&value)).written();
    let topic = place.path().join("plain-0");
    fs::create_dir(&topic).unwrap();
    fs::write(topic.join("00000000000000000005.log"), b"").unwrap();
    let lag = || parsed(&json(place.path(), 0))[0].offsets[0].lag;
    assert_eq!(lag(), Some(3));
    for (id, expected) in [
        ("CQkJCQkJCQkJCQkJCQkJCQ", Some(3)),
        ("CgoKCgoKCgoKCgoKCgoKCg", None),
    ] {
        let metadata = format!("version: 0\ntopic_id: {id}");
        fs::write(topic.join("partition.metadata"), metadata).unwrap();
        assert_eq!(lag(), expected, "{id}");
    }
}
