//! A partition of `__consumer_offsets` that is given more than once.

use std::fs;
use std::path::PathBuf;

use super::{Log, parsed};
use crate::batches::Batch;
use crate::program::Run;

/// Of two copies of a partition the longer one tells.
#[test]
fn a_copy_that_is_behind_is_not_read() {
    let short = Log::default().commit("g", Some(5), -1).written();
    let long = Log::default()
        .commit("g", Some(5), -1)
        .commit("g", Some(6), -1)
        .written();
    let paths: [PathBuf; 2] = [short.path().to_owned(), long.path().to_owned()];
    for [one, other] in [[&paths[0], &paths[1]], [&paths[1], &paths[0]]] {
        let run = Run::new(["groups", "--format", "json"]).arg(one).arg(other);
        let outcome = run.outcome().ended_with(0);
        assert_eq!(parsed(&outcome)[0].offsets[0].committed_offset, 6);
        assert!(outcome.stderr.contains("not read: "), "{}", outcome.stderr);
    }
}

#[test]
fn of_equal_copies_the_first_is_read_and_a_directory_given_twice_is_one() {
    let one = Log::default().commit("g", Some(5), -1).written();
    let other = Log::default().commit("g", Some(5), -1).written();
    let run = Run::new(["groups", "--format", "json"]).arg(one.path());
    let outcome = run.arg(other.path()).outcome().ended_with(0);
    assert_eq!(parsed(&outcome).len(), 1);
    let first = one.path().join("__consumer_offsets-7");
    let next = "give this directory alone to see what it tells";
    let said = format!("note: not read: {} goes as far; {next}\n", first.display());
    assert!(outcome.stderr.ends_with(&said), "{}", outcome.stderr);
    let again = one.path().join(".");
    let run = Run::new(["groups", "--format", "json"]).arg(one.path());
    let outcome = run.arg(again).outcome().ended_with(0);
    assert_eq!((parsed(&outcome).len(), &outcome.stderr[..]), (1, ""));
}

/// A group of that name in the other cluster is another group.
#[test]
fn two_clusters_are_not_read_together() {
    let place = |cluster: &str| {
        let place = Log::default().commit("g", Some(5), -1).written();
        let meta = format!("cluster.id={cluster}\nversion=1\n");
        fs::write(place.path().join("meta.properties"), meta).unwrap();
        place
    };
    let (one, same, other) = (place("a"), place("a"), place("b"));
    let both = |other: &tempfile::TempDir| {
        let run = Run::new(["groups"]).arg(one.path()).arg(other.path());
        run.outcome()
    };
    both(&same).ended_with(0);
    let refused = both(&other).ended_with(3);
    assert!(
        refused.stderr.contains("belong to two clusters"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.text(), "");
}

/// What a leader who was cut off wrote beyond the others is none of the cluster's log.
#[test]
fn the_copy_of_the_later_leader_is_read() {
    let of = |epoch: u8, offsets: &[i64]| {
        let log = offsets.iter().fold(Log::default(), |log, offset| {
            log.commit("g", Some(*offset), -1)
        });
        let place = log.written();
        let segment = place
            .path()
            .join("__consumer_offsets-7/00000000000000000000.log");
        let mut bytes = fs::read(&segment).unwrap();
        let size = bytes.len() / offsets.len();
        // The leader epoch, which no checksum covers.
        for batch in bytes.chunks_mut(size).skip(1) {
            batch[15] = epoch;
        }
        fs::write(segment, bytes).unwrap();
        place
    };
    let (cut_off, leader) = (of(1, &[5, 6, 7, 8]), of(2, &[5, 9]));
    for (one, other) in [(&cut_off, &leader), (&leader, &cut_off)] {
        let run = Run::new(["groups", "--format", "json"]).arg(one.path());
        let outcome = run.arg(other.path()).outcome().ended_with(0);
        assert_eq!(parsed(&outcome)[0].offsets[0].committed_offset, 9);
        let said = "__consumer_offsets-7 is of a later leader";
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
}

/// A broker has its partitions on several disks.
#[test]
fn another_log_directory_tells_where_a_topic_ends() {
    let offsets = Log::default().commit("g", Some(2), -1).written();
    let disk = tempfile::tempdir().unwrap();
    let topic = disk.path().join("plain-0");
    fs::create_dir(&topic).unwrap();
    let log = Batch::new(4).record(None, Some(b"c")).encode();
    fs::write(topic.join("00000000000000000000.log"), log).unwrap();
    let run = Run::new(["groups", "--format", "json"]).arg(offsets.path());
    let outcome = run.arg(disk.path()).outcome().ended_with(0);
    assert_eq!(
        (parsed(&outcome)[0].offsets[0].lag, &outcome.stderr[..]),
        (Some(3), "")
    );
    // Alone it has no groups.
    let alone = Run::new(["groups"])
        .arg(disk.path())
        .outcome()
        .ended_with(3);
    assert!(alone.stderr.contains("found neither"), "{}", alone.stderr);
}
