//! Each kind of difference: where it is told, and where not.

use std::fs;
use std::path::Path;

use kfsck::analysis::compare::{Keep, Side, Verdict};

use super::{compared, equal, partition, told};
use crate::batches::{Batch, control, plain};

/// KIP-1279: MIRROR_PID_RESET without a cluster's id.
fn barrier(offset: i64, leader_epoch: i32) -> Vec<u8> {
    let batch = Batch {
        attributes: 0x20,
        leader_epoch,
        ..Batch::new(offset)
    };
    batch.record(Some(&[0, 0, 0, 7]), Some(&[0, 0, 0])).encode()
}

fn of_epoch(offset: i64, leader_epoch: i32, value: &[u8]) -> Batch {
    let batch = Batch {
        leader_epoch,
        ..Batch::new(offset)
    };
    batch.record(Some(b"k"), Some(value))
}

fn of_producer(offset: i64, producer_id: i64) -> Vec<u8> {
    Batch {
        producer_id,
        producer_epoch: 0,
        base_sequence: 0,
        ..of_epoch(offset, 0, b"v")
    }
    .encode()
}

/// Compares two logs of one segment each that begins at 0.
fn differences(source: &[Vec<u8>], dest: &[Vec<u8>]) -> (Vec<String>, Verdict) {
    let (_one, source) = partition(&[(0, source.concat())]);
    let (_other, dest) = partition(&[(0, dest.concat())]);
    let comparison = compared(&source, &dest);
    (told(&comparison), comparison.verdict())
}

fn check(source: &[Vec<u8>], dest: &[Vec<u8>], expected: &[&str], verdict: Verdict) {
    let found = differences(source, dest);
    assert_eq!(
        found,
        (
            expected.iter().map(|one| (*one).to_owned()).collect(),
            verdict
        )
    );
}

fn value(offset: i64) -> Vec<u8> {
    plain(offset, b"value")
}

#[test]
fn logs_that_are_the_same_whatever_their_segments() {
    let all: Vec<Vec<u8>> = (0..6).map(value).collect();
    let (_one, source) = partition(&[(0, all[..2].concat()), (2, all[2..].concat())]);
    let (_other, dest) = partition(&[(0, all[..5].concat()), (5, all[5..].concat())]);
    let comparison = compared(&source, &dest);
    assert_eq!(comparison.verdict(), Verdict::Identical);
    assert_eq!(comparison.keep, Keep::Either);
    assert_eq!(equal(&comparison), [(0, 5)]);
    assert!(comparison.is_clean());
    // Two that hold nothing are the same too.
    check(&[], &[], &[], Verdict::Identical);
}

#[test]
fn one_that_is_behind_or_ahead() {
    let all: Vec<Vec<u8>> = (0..4).map(value).collect();
    check(&all, &all[..3], &["lag 3..3 1"], Verdict::Behind);
    check(&all, &[], &["lag 0..3 4"], Verdict::Behind);
    let expected = ["missing-in-source 3..3 1"];
    check(&all[..3], &all, &expected, Verdict::Ahead);
}

#[test]
fn what_is_missing_in_the_middle() {
    let all: Vec<Vec<u8>> = (0..4).map(value).collect();
    let without = [all[0].clone(), all[2].clone(), all[3].clone()];
    check(
        &all,
        &without,
        &["missing-in-dest 1..1 1"],
        Verdict::Missing,
    );
    check(
        &without,
        &all,
        &["missing-in-source 1..1 1"],
        Verdict::Missing,
    );
    check(&without, &without, &[], Verdict::Identical);
}

/// A cleaner shows elsewhere in the log: a batch with fewer records than offsets.
#[test]
fn what_a_cleaner_took_is_not_missing() {
    let pair = |offset| {
        Batch::new(offset)
            .record(Some(b"k"), Some(b"1"))
            .record(Some(b"j"), None)
    };
    // The first record is gone, and the batch keeps its offsets.
    let thinned = Batch {
        payload: crate::batches::record(1, Some(b"j"), None),
        count: 1,
        ..pair(2)
    };
    let all = [value(0), value(1), pair(2).encode(), value(4)];
    let cleaned = [value(0), thinned.encode(), value(4)];
    check(
        &all,
        &cleaned,
        &["compacted 1..1 1", "compacted 2..3 1"],
        Verdict::Equal,
    );
    check(
        &cleaned,
        &all,
        &["compacted 1..1 1", "compacted 2..3 1"],
        Verdict::Equal,
    );
    // A record without a key is taken by no cleaner.
    let keyless = Batch::new(1).record(None, Some(b"v")).encode();
    let all = [value(0), keyless, pair(2).encode(), value(4)];
    let expected = ["missing-in-dest 1..1 1", "compacted 2..3 1"];
    check(&all, &cleaned, &expected, Verdict::Missing);
    // A record that is in the one alone is no cleaner's work.
    let other = Batch {
        payload: crate::batches::record(1, Some(b"j"), Some(b"other")),
        ..thinned
    };
    let other = [value(0), other.encode(), value(4)];
    let all = [value(0), pair(2).encode(), value(4)];
    check(&all, &other, &["content 2..3 1"], Verdict::Conflict);
}

#[test]
fn what_lies_below_the_others_start_was_deleted() {
    let all: Vec<Vec<u8>> = (0..4).map(value).collect();
    let (_one, source) = partition(&[(0, all.concat())]);
    let (_other, dest) = partition(&[(2, all[2..].concat())]);
    let comparison = compared(&source, &dest);
    assert_eq!(told(&comparison), ["log-start 0..1 2"]);
    assert!(comparison.is_clean());
    assert_eq!(told(&compared(&dest, &source)), ["log-start 0..1 2"]);
}

#[test]
fn other_content_under_the_same_leader_is_a_conflict() {
    let source = [value(0), value(1), value(2)];
    let dest = [value(0), plain(1, b"other"), value(2)];
    check(&source, &dest, &["content 1..1 1"], Verdict::Conflict);
    // Batches that only share some offsets.
    let wide = of_epoch(1, 0, b"v").record(None, None).encode();
    let dest = [value(0), wide, value(3)];
    let source = [value(0), value(1), value(2), value(3)];
    check(&source, &dest, &["content 1..2 2"], Verdict::Conflict);
}

#[test]
fn logs_that_part_are_told_with_what_each_would_lose() {
    let source = [value(0), value(1), of_epoch(2, 1, b"one").encode()];
    let dest = [
        value(0),
        value(1),
        of_epoch(2, 3, b"two").encode(),
        of_epoch(3, 3, b"three").encode(),
    ];
    let (_one, source) = partition(&[(0, source.concat())]);
    let (_other, dest) = partition(&[(0, dest.concat())]);
    let comparison = compared(&source, &dest);
    assert_eq!(told(&comparison), ["diverged 2..3 2"]);
    assert_eq!(comparison.verdict(), Verdict::Diverged);
    let cut = comparison.divergence.unwrap();
    assert_eq!(
        (cut.leader_epoch.0, cut.end_offset.0, cut.is_parting),
        (0, 2, true)
    );
    let [of_source, of_dest] = comparison.behind;
    assert_eq!((of_source.records, of_dest.records), (1, 2));
    assert_eq!(comparison.keep, Keep::LaterLeader(Side::Dest));
}

/// A broker asks its checkpoint of leader epochs, not its batches.
#[test]
fn the_checkpoint_of_leader_epochs_counts() {
    let all: Vec<Vec<u8>> = (0..4).map(value).collect();
    let (_one, source) = partition(&[(0, all[..3].concat())]);
    let (_other, dest) = partition(&[(0, all.concat())]);
    let write = |path: &Path, text: &str| {
        fs::write(path.join("leader-epoch-checkpoint"), text).unwrap();
    };
    // Source has a leader that began behind offset 2 and has written nothing.
    write(&source, "0\n2\n0 0\n5 3\n");
    write(&dest, "0\n1\n0 0\n");
    let cut = compared(&source, &dest).divergence.unwrap();
    assert_eq!((cut.end_offset.0, cut.is_parting), (3, true));
    write(&source, "0\n1\n0 0\n");
    let cut = compared(&source, &dest).divergence.unwrap();
    assert_eq!((cut.end_offset.0, cut.is_parting), (3, false));
}

#[test]
fn a_leader_epoch_alone_is_a_kind_of_its_own() {
    let source = [value(0), value(1), value(2)];
    let dest = [value(0), of_epoch(1, 4, b"value").encode(), value(2)];
    check(&source, &dest, &["leader-epoch 1..1 1"], Verdict::Differs);
}

#[test]
fn ids_that_a_design_maps_and_others() {
    let source = [of_producer(0, 5), value(1), of_producer(2, 6)];
    let dest = [of_producer(0, -7), value(1), of_producer(2, -8)];
    check(
        &source,
        &dest,
        &["producer-id-mapped 0..2 2"],
        Verdict::Equal,
    );
    let dest = [of_producer(0, 9), value(1), of_producer(2, 6)];
    check(&source, &dest, &["producer-id 0..0 1"], Verdict::Conflict);
}

#[test]
fn two_ids_that_become_one_collide() {
    // What the drafts make of 5 by negation and of -7 by a second one.
    let source = [of_producer(0, 5), of_producer(1, -7)];
    let dest = [of_producer(0, -7), of_producer(1, -7)];
    let (_one, source) = partition(&[(0, source.concat())]);
    let (_other, dest) = partition(&[(0, dest.concat())]);
    let comparison = compared(&source, &dest);
    let collisions = comparison
        .ids
        .iter()
        .filter(|pair| pair.collision.is_some());
    assert_eq!(collisions.count(), 2);
    assert!(!comparison.is_clean());
    assert_eq!(comparison.verdict(), Verdict::Differs);
    let apart = [of_producer(0, -7), of_producer(1, -8)];
    let (_third, apart) = partition(&[(0, apart.concat())]);
    let comparison = compared(&apart, &apart);
    assert!(comparison.is_clean());
}

#[test]
fn what_a_stopping_mirror_wrote_is_told_as_that() {
    let source = [value(0), value(1)];
    let mut dest = vec![value(0), value(1), barrier(2, 11)];
    check(&source, &dest, &["control 2..2 1"], Verdict::Ahead);
    dest.push(of_epoch(3, 11, b"own").encode());
    let expected = ["control 2..2 1", "missing-in-source 3..3 1"];
    check(&source, &dest, &expected, Verdict::Ahead);
    let source = [value(0), value(1), value(2), value(3)];
    let expected = ["control 2..2 1", "diverged 3..3 1"];
    check(&source, &dest, &expected, Verdict::Diverged);
    // Both have it: nothing to tell, but for the barrier itself.
    check(&dest, &dest, &[], Verdict::Identical);
    let (_one, path) = partition(&[(0, dest.concat())]);
    let comparison = compared(&path, &path);
    assert_eq!(comparison.controls.len(), 1);
    assert_eq!(comparison.controls[0].only_in, None);
}

#[test]
fn an_end_marker_of_both_is_none_of_a_mirror() {
    let marker = |kind: u8| control(1, Some(&[0, 0, 0, kind]), Some(&[0; 6]));
    let commit = [value(0), marker(1)];
    check(&commit, &commit, &[], Verdict::Identical);
    let abort = [value(0), marker(0)];
    let found = differences(&commit, &abort);
    assert_eq!(found.1, Verdict::Conflict);
}

#[test]
fn damage_is_told_with_the_offsets_that_it_took() {
    let all: Vec<Vec<u8>> = (0..5).map(value).collect();
    let mut flipped = all.clone();
    *flipped[1].last_mut().unwrap() ^= 1;
    check(
        &all,
        &flipped,
        &["damaged-in-dest 1..1 1"],
        Verdict::Damaged,
    );
    check(
        &flipped,
        &all,
        &["damaged-in-source 1..1 1"],
        Verdict::Damaged,
    );
    check(
        &flipped,
        &flipped,
        &["damaged-in-both 1..1 0"],
        Verdict::Damaged,
    );
    let mut zeroed = all.clone();
    zeroed[2].fill(0);
    zeroed[3].fill(0);
    check(&all, &zeroed, &["damaged-in-dest 2..3 2"], Verdict::Damaged);
    // The base offset is under no checksum: the neighbours tell.
    for (place, bit) in [(5, 1), (7, 0x10), (7, 3)] {
        let mut moved = all.clone();
        moved[2][place] ^= bit;
        check(&all, &moved, &["damaged-in-dest 2..2 1"], Verdict::Damaged);
    }
    // A tail that was cut.
    let mut cut = all.clone();
    let _ = cut[4].split_off(40);
    check(&all, &cut, &["damaged-in-dest 4.. 1"], Verdict::Damaged);
}

#[test]
fn zeros_that_end_a_file_are_no_damage() {
    let all: Vec<Vec<u8>> = (0..3).map(value).collect();
    let mut preallocated = all.clone();
    preallocated.push(vec![0; 4096]);
    check(&all, &preallocated, &[], Verdict::Identical);
    check(&preallocated, &all, &[], Verdict::Identical);
}

/// One finding that is repeated stays one stretch, however long.
#[test]
fn repeated_differences_are_one_stretch() {
    let source: Vec<Vec<u8>> = (0..3000).map(|at| of_producer(at, 5)).collect();
    let dest: Vec<Vec<u8>> = (0..3000).map(|at| of_producer(at, -7)).collect();
    check(
        &source,
        &dest,
        &["producer-id-mapped 0..2999 3000"],
        Verdict::Equal,
    );
}
