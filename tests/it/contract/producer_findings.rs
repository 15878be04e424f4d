//! What `kfsck producers` tells of a log on the way: damage, barriers, what ends a broker, and what
//! a broker passes over.

use std::fs;

use super::producers::{Partition, TRANSACTIONAL, data, fixture, ids, one, partition};
use crate::batches::{self, Batch};
use crate::program::Run;

const CONTROL: i16 = 0x20;

/// Code, severity, count and position of each finding.
fn found(partition: &Partition) -> Vec<(&str, &str, u64, u64)> {
    let findings = partition.findings.iter();
    findings
        .map(|found| {
            (
                found.code.as_str(),
                found.severity.as_str(),
                found.count,
                found.position,
            )
        })
        .collect()
}

/// What a reader of these logs wants to hear.
#[test]
fn the_fixtures_of_producers() {
    // One producer goes on after a day under another leader: nothing to find fault with.
    let (survivor, outcome) = one(&[], &fixture("a01_pid_collision_survivor.log"));
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!(survivor.producers[0].last_sequence, 3);
    assert_eq!(
        (survivor.topic_partition.as_ref(), survivor.high_watermark),
        (None, None)
    );
    // Data that came after the abort began a transaction of its own, at offset 2.
    let (hanging, outcome) = one(&[], &fixture("a03_hanging_txn.log"));
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!((hanging.last_stable_offset, hanging.log_end_offset), (2, 5));
    assert_eq!(ids(&hanging), [2000, 2001]);
    assert_eq!(hanging.producers[0].current_txn_first_offset, Some(2));
    // The lower coordinator epoch is what a replay keeps; a leader would have refused it.
    let (regress, outcome) = one(&[], &fixture("a04_coord_epoch_regress.log"));
    outcome.ended_with(1);
    assert_eq!(regress.producers[0].coordinator_epoch, 3);
    assert_eq!(
        found(&regress),
        [("coordinator-epoch-regression", "warning", 1, 220)]
    );
    let message = &regress.findings[0].message;
    assert!(
        message.contains("epoch 3, the one before of 5"),
        "{message}"
    );
    assert!(
        message.contains("a leader refuses such a marker"),
        "{message}"
    );
    // Both positions side by side.
    let (old, outcome) = one(&[], &fixture("a05_marker_old_epoch.log"));
    outcome.ended_with(1);
    assert_eq!(old.producers[0].producer_epoch, 0);
    assert_eq!(found(&old), [("marker-old-epoch", "warning", 1, 71)]);
    let message = &old.findings[0].message;
    assert!(message.contains("(position 0) had epoch 1"), "{message}");
    assert_eq!(
        (old.findings[0].offset, old.findings[0].producer_id),
        (Some(1), Some(7))
    );
    assert_eq!(old.findings[0].producer_id_hex, None);
    // No broker starts with this log; the replay goes on.
    let (plain, outcome) = one(&[], &fixture("a05b_nontxn_in_open_txn.log"));
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains("a broker that reads the batch at offset 1 back does not start"),
        "{stderr}"
    );
    assert!(
        stderr.contains("InvalidTxnStateException: Expected transactional write"),
        "{stderr}"
    );
    assert_eq!(
        found(&plain),
        [("non-transactional-in-transaction", "error", 1, 71)]
    );
    assert_eq!(
        (plain.last_stable_offset, plain.producers[0].last_offset),
        (0, 1)
    );
}

#[test]
fn snapshots_are_no_logs() {
    for name in [
        "a09_good",
        "a09_badcrc",
        "a09_cut",
        "a09_zero",
        "a09_dup_pid",
    ] {
        let path = fixture(&format!("{name}.snapshot"));
        let outcome = Run::new(["producers"]).arg(path).outcome().ended_with(3);
        assert!(
            outcome.stderr.contains("found a file of kind snapshot"),
            "{}",
            outcome.stderr
        );
    }
}

/// A gap, a repeat and an overlap, each counted, with the first as evidence; then the same after a
/// day of silence.
#[test]
fn sequences_that_do_not_follow() {
    let log = |step: i64| {
        let batches = [(0, 0, 1), (1, 5, 1), (2, 9, 1), (3, 9, 1), (4, 9, 2)];
        let mut log = Vec::new();
        let mut offset = 0;
        for (index, base_sequence, count) in batches {
            let mut batch = data(offset, 1, base_sequence, 0);
            for _ in 1..count {
                batch = batch.record(None, None);
            }
            batch.timestamp += index * step;
            log.extend(batch.encode());
            offset += count;
        }
        log
    };
    let (_guard, path) = partition(&log(1));
    let (told, outcome) = one(&[], &path);
    outcome.ended_with(1);
    let size = data(0, 1, 0, 0).encode().len() as u64;
    assert_eq!(
        found(&told),
        [
            ("sequence-gap", "warning", 2, size),
            ("sequence-repeat", "warning", 1, 3 * size),
            ("sequence-overlap", "warning", 1, 4 * size),
        ]
    );
    let message = &told.findings[0].message;
    assert!(
        message.contains("begins with sequence 5, expected 1"),
        "{message}"
    );
    assert!(message.ends_with("the first of 2"), "{message}");
    let (_guard, path) = partition(&log(86_400_000));
    let (told, outcome) = one(&[], &path);
    let stderr = outcome.ended_with(0).stderr;
    assert!(
        told.findings.iter().all(|found| found.severity == "note"),
        "{told:?}"
    );
    assert!(stderr.contains("note: sequence-gap: "), "{stderr}");
    assert!(
        stderr.contains("it was silent for 1 d between the two"),
        "{stderr}"
    );
    // Unless a broker remembers for longer.
    one(&["--expire-after", "86400001", "--now", "0"], &path)
        .1
        .ended_with(1);
}

#[test]
fn what_is_told_is_of_the_producers_that_were_asked_for() {
    let mut log = Vec::new();
    for (offset, id, base_sequence) in [(0, 1, 0), (1, 2, 0), (2, 1, 5), (3, 2, 9)] {
        log.extend(data(offset, id, base_sequence, 0).encode());
    }
    let (_guard, path) = partition(&log);
    for (args, count) in [
        (&[][..], 2),
        (&["--producer-id", "1"], 1),
        (&["--producer-id=2"], 1),
    ] {
        let (told, outcome) = one(args, &path);
        let stderr = outcome.ended_with(1).stderr;
        assert_eq!(told.findings.len(), 1, "{args:?}: {stderr}");
        assert_eq!(told.findings[0].count, count, "{args:?}: {stderr}");
        let names = |id: u8| stderr.contains(&format!("producer {id}"));
        assert_eq!(names(2), args.contains(&"--producer-id=2"), "{stderr}");
    }
    let (told, outcome) = one(&["--producer-id", "7"], &path);
    outcome.ended_with(0);
    assert!(told.findings.is_empty());
}

/// A group coordinator writes offsets for a producer, each batch of a transaction with sequence 0.
#[test]
fn sequences_of_committed_offsets_mean_nothing() {
    let log = [0, 1].map(|offset| data(offset, 5, 0, 0).encode()).concat();
    for (name, code) in [("offsets-0", 1), ("__consumer_offsets-0", 0)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("00000000000000000000.log"), &log).unwrap();
        // A segment alone is one of its partition all the same.
        for path in [&path, &path.join("00000000000000000000.log")] {
            let (partition, outcome) = one(&[], path);
            outcome.ended_with(code);
            assert_eq!(partition.findings.len(), code as usize, "{name}");
        }
    }
}

/// Compaction takes sequences together with as many offsets, and a long way ahead looks like a step
/// back.
#[test]
fn sequences_that_compaction_has_taken() {
    const AROUND: i64 = 1 << 31;
    for (offset, sequence, code, severity) in [
        (9, 5, "sequence-gap", "note"),
        (9, 9, "sequence-gap", "note"),
        // Only eight offsets are missing.
        (9, 10, "sequence-gap", "warning"),
        // Nothing is missing.
        (1, 5, "sequence-gap", "warning"),
        (9, 0, "sequence-repeat", "warning"),
        (AROUND - 1, 0, "sequence-repeat", "warning"),
        (AROUND, 0, "sequence-repeat", "note"),
        (AROUND, 1, "", ""),
    ] {
        let last = data(offset, 1, sequence, 0).encode();
        let log = [data(0, 1, 0, 0).encode(), last].concat();
        let (_guard, path) = partition(&log);
        let (told, outcome) = one(&[], &path);
        outcome.ended_with(i32::from(severity == "warning"));
        let told: Vec<_> = found(&told).iter().map(|told| (told.0, told.1)).collect();
        let expected = [(code, severity)];
        let expected = &expected[usize::from(code.is_empty())..];
        assert_eq!(told, expected, "offset {offset}, sequence {sequence}");
    }
}

#[test]
fn an_epoch_that_goes_down() {
    let mut later = data(1, 1, 0, 0);
    later.producer_epoch = 4;
    let log = [later.encode(), data(2, 1, 0, 0).encode()].concat();
    let (_guard, path) = partition(&log);
    let (told, outcome) = one(&[], &path);
    outcome.ended_with(1);
    assert_eq!(found(&told)[0].0, "epoch-regression");
    assert_eq!(told.producers[0].producer_epoch, 0);
    // A log that begins above its name: the hole at its front is no finding.
    let (_guard, path) = partition(&data(1, 1, 9, 0).encode());
    let (told, outcome) = one(&[], &path);
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert!(told.findings.is_empty());
}

fn barrier(offset: i64, value: &[u8]) -> Vec<u8> {
    batches::control(offset, Some(&[0, 0, 0, 7]), Some(value))
}

/// Type 7 in both layouts under each set of rules, with a transaction open across it.
#[test]
fn a_barrier_under_each_set_of_rules() {
    let sourced = [&[0, 0, 23][..], b"ABEiM0RVZneImaq7zN3u_w", &[0]].concat();
    for value in [&[0, 0, 0][..], &sourced] {
        let log = [
            data(0, 5, 0, 0).encode(),
            data(1, 6, 0, TRANSACTIONAL).encode(),
            data(2, -7, 0, 0).encode(),
            barrier(3, value),
            data(4, 8, 0, 0).encode(),
        ]
        .concat();
        let (_guard, path) = partition(&log);
        for (rules, expected, stable, codes) in [
            ("stock", &[6, 5, 8][..], 1, &[][..]),
            (
                "barrier",
                &[8],
                5,
                &["barrier-open-transaction", "mirror-pid-reset"],
            ),
            ("mapped", &[8], 5, &["barrier-open-transaction"]),
            ("fork", &[6, 5, 8], 1, &["barrier-open-transaction"]),
        ] {
            let args = ["--rules", rules, "--sort", "open-first"];
            let (told, outcome) = one(&args, &path);
            assert_eq!(
                (ids(&told).as_slice(), told.last_stable_offset),
                (expected, stable),
                "{rules}"
            );
            // The note belongs to the default rules alone.
            let mut told: Vec<_> = ["barrier-open-transaction", "mirror-pid-reset"]
                .into_iter()
                .filter(|code| outcome.stderr.contains(code))
                .collect();
            told.sort_unstable();
            assert_eq!(told, codes, "{rules}: {}", outcome.stderr);
            outcome.ended_with(i32::from(rules != "stock"));
        }
        let (before, outcome) = one(&["--rules", "mapped", "--at", "3"], &path);
        outcome.ended_with(0);
        assert!(ids(&before).contains(&-7));
        // Without a transaction across it, a barrier is worth a note.
        let log = [
            data(0, 5, 0, 0).encode(),
            barrier(1, value),
            barrier(2, value),
        ]
        .concat();
        let (_guard, path) = partition(&log);
        let (told, outcome) = one(&[], &path);
        let stderr = outcome.ended_with(0).stderr;
        assert!(stderr.contains("--rules stock shows"), "{stderr}");
        assert!(stderr.trim_end().ends_with("the first of 2"), "{stderr}");
        assert_eq!((ids(&told), found(&told).len()), (vec![], 1));
    }
}

/// What would end a broker: type 7 with a producer's id, a marker without a value.
#[test]
fn what_would_stop_a_start() {
    let marker = |key: [u8; 4], value: Option<&[u8]>| {
        let batch = Batch {
            producer_id: 5,
            producer_epoch: 0,
            attributes: TRANSACTIONAL | CONTROL,
            ..Batch::new(1)
        };
        batch.record(Some(&key), value).encode()
    };
    for (control, code) in [
        (marker([0, 0, 0, 7], Some(&[0, 0, 0])), "barrier-malformed"),
        (marker([0, 0, 0, 1], None), "marker-malformed"),
        (marker([0, 0, 1, 81], Some(&[0; 6])), "marker-malformed"),
    ] {
        let log = [data(0, 5, 0, 0).encode(), control].concat();
        let (_guard, path) = partition(&log);
        let (told, outcome) = one(&[], &path);
        let stderr = outcome.ended_with(1).stderr;
        assert!(stderr.contains("does not start: "), "{stderr}");
        let [only] = &told.findings[..] else {
            panic!("{told:?}")
        };
        assert_eq!(
            (only.code.as_str(), only.severity.as_str()),
            (code, "error")
        );
    }
}

#[test]
fn damage_is_told_with_its_place_and_the_replay_goes_on() {
    let (told, outcome) = one(&[], &fixture("a06_zero_header_mid.log"));
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains(": position 81: bad-batch-header: "),
        "{stderr}"
    );
    assert_eq!(found(&told), [("bad-batch-header", "error", 1, 81)]);
    assert!(told.findings[0].path.ends_with("a06_zero_header_mid.log"));
    assert_eq!(told.log_end_offset, 6);
    let mut log = [data(0, 5, 0, 0).encode(), data(1, 6, 0, 0).encode()].concat();
    let half = log.len() / 2;
    log[half - 1] ^= 1;
    let (_guard, path) = partition(&log);
    let (told, _) = one(&[], &path);
    assert_eq!(found(&told)[0], ("crc-mismatch", "error", 1, 0));
    assert_eq!(ids(&told), [6]);
    // A snapshot that the replay should begin with.
    fs::write(path.join("00000000000000000000.snapshot"), [0; 14]).unwrap();
    let (_, outcome) = one(&[], &path);
    assert!(
        outcome.stderr.contains("position 0: snapshot-corrupt"),
        "{}",
        outcome.stderr
    );
}
