//! The files of `testdata/fixtures`, each with the answer that its finder wanted.

use std::fs;
use std::path::Path;

use crate::jsonl::{ControlType, FileDump, Line, Reason};
use crate::run;
use crate::told::tells;

fn read(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn told(name: &str, expected: &[&str], reason: Reason) -> FileDump {
    tells(name, &read(name), expected, reason)
}

/// Nothing is wrong with these bytes: whether the producers behave is not for a dump to say.
fn is_sound(name: &str, batches: &[&str]) -> FileDump {
    told(name, batches, Reason::EndOfFile)
}

#[test]
fn producers_that_misbehave_in_sound_bytes() {
    let dump = is_sound(
        "a01_pid_collision_survivor.log",
        &["0+97 batch 0..2", "97+73 batch 3..3"],
    );
    let seen: Vec<_> = dump
        .batches()
        .map(|batch| {
            (
                batch.producer_id,
                batch.base_sequence,
                batch.partition_leader_epoch,
            )
        })
        .collect();
    assert_eq!(seen, [(1, 0, 4), (1, 3, 5)]);
    is_sound(
        "a03_hanging_txn.log",
        &[
            "0+71 batch 0..0",
            "71+78 batch 1..1",
            "149+71 batch 2..2",
            "220+71 batch 3..3",
            "291+78 batch 4..4",
        ],
    );
    let dump = is_sound(
        "a04_coord_epoch_regress.log",
        &[
            "0+71 batch 0..0",
            "71+78 batch 1..1",
            "149+71 batch 2..2",
            "220+78 batch 3..3",
        ],
    );
    let markers: Vec<_> = dump
        .controls()
        .map(|control| (control.control_type, control.coordinator_epoch))
        .collect();
    assert_eq!(
        markers,
        [
            (ControlType::Abort, Some(Some(5))),
            (ControlType::Commit, Some(Some(3)))
        ]
    );
    let dump = is_sound(
        "a05_marker_old_epoch.log",
        &["0+71 batch 0..0", "71+78 batch 1..1"],
    );
    let epochs: Vec<_> = dump.batches().map(|batch| batch.producer_epoch).collect();
    assert_eq!(epochs, [1, 0]);
    let dump = is_sound(
        "a05b_nontxn_in_open_txn.log",
        &["0+71 batch 0..0", "71+71 batch 1..1"],
    );
    let transactional: Vec<_> = dump.batches().map(|batch| batch.is_transactional).collect();
    assert_eq!(transactional, [true, false]);
}

#[test]
fn a_batch_of_zeros_between_good_ones_is_one_hole() {
    let expected = [
        "0+81 batch 0..1",
        "81+81 bad-batch-header",
        "162+81 batch 4..5",
    ];
    told("a06_zero_header_mid.log", &expected, Reason::EndOfFile);
}

#[test]
fn a_preallocated_tail_is_one_range_and_the_reason_of_the_end() {
    let expected = ["0+81 batch 0..1", "81+4096 zero-tail"];
    let name = "a06c_zero_tail_4k.log";
    let dump = told(name, &expected, Reason::ZeroTail);
    let message = &dump.damage().next().unwrap().message;
    assert!(message.contains("nothing is lost"), "{message}");
    let text = run::dump_bytes(name, &read(name), &[]).text();
    assert!(text.ends_with(&format!("Found 4096 invalid bytes at the end of {name}\n")));
}

#[test]
fn what_compaction_leaves_is_sound() {
    let dump = is_sound(
        "a08_tail_compacted.log",
        &["0+121 batch 100..114", "121+71 batch 115..115"],
    );
    assert_eq!(dump.batches().next().unwrap().count, Some(6));
    is_sound(
        "a08b_empty_batch.log",
        &["0+71 batch 0..0", "71+61 batch 1..5", "132+71 batch 6..6"],
    );
    let dump = is_sound("a08c_empty_control.log", &["0+61 batch 0..0"]);
    assert_eq!(dump.controls().count(), 0);
}

#[test]
fn snapshots_are_shown_as_far_as_they_can_be_read() {
    let ids = |dump: &FileDump| -> Vec<_> {
        dump.lines
            .iter()
            .filter_map(|line| match line {
                Line::Producer(producer) => Some((producer.producer_id, producer.last_sequence)),
                _ => None,
            })
            .collect()
    };
    assert_eq!(ids(&is_sound("a09_good.snapshot", &[])), [(1, 9), (2, 41)]);
    // A broker reads both entries too, and keeps the second.
    assert_eq!(
        ids(&is_sound("a09_dup_pid.snapshot", &[])),
        [(1, 9), (1, 0)]
    );
    let corrupt = |name, places: &[&str]| ids(&told(name, places, Reason::EndOfFile));
    let readable = corrupt("a09_badcrc.snapshot", &["2+0 snapshot-corrupt"]);
    assert_eq!(readable, [(1, 9), (2, 41)]);
    let places = ["2+0 snapshot-corrupt", "36+0 snapshot-corrupt"];
    assert_eq!(corrupt("a09_cut.snapshot", &places), []);
    assert_eq!(corrupt("a09_zero.snapshot", &["0+0 snapshot-corrupt"]), []);
}

/// A right checksum over the first entries and a rest of a longer file behind them.
#[test]
fn a_short_snapshot_over_a_longer_one_is_readable_and_refused() {
    let mut bytes = read("a09_good.snapshot");
    bytes.extend_from_slice(&[0x5a; 46]);
    let dump = tells(
        "00000000000000000206.snapshot",
        &bytes,
        &["102+0 snapshot-corrupt"],
        Reason::EndOfFile,
    );
    assert!(
        dump.lines
            .iter()
            .filter(|line| matches!(line, Line::Producer(_)))
            .count()
            >= 2
    );
}

#[test]
fn absurd_counts_are_faults_with_a_place() {
    let count = ["0+61 batch 0..0", "57+0 record-count-mismatch"];
    told("a10_count_i32max.log", &count, Reason::EndOfFile);
    told("a10_count_neg.log", &count, Reason::EndOfFile);
    told(
        "a10_headers_huge.log",
        &["0+72 batch 0..0", "71+0 record-malformed"],
        Reason::EndOfFile,
    );
}

#[test]
fn a_checksum_of_zero_is_right_and_a_repeated_offset_is_told() {
    let dump = told(
        "b_crc_zero.log",
        &[
            "0+74 batch 0..0",
            "74+74 batch 0..0",
            "74+0 offset-regression",
        ],
        Reason::EndOfFile,
    );
    assert_eq!(dump.batches().next().unwrap().crc, 0);
}

#[test]
fn a_delete_horizon_takes_the_place_of_the_base_timestamp() {
    let dump = is_sound("b_delete_horizon.log", &["0+70 batch 0..0"]);
    let horizon = dump.batches().next().unwrap().delete_horizon_ms;
    assert_eq!(horizon, Some(1_700_000_001_000));
    let timestamp = dump.records().next().unwrap().timestamp;
    assert_eq!(timestamp, 1_700_000_000_000);
}

#[test]
fn an_unknown_control_record_keeps_its_number() {
    let dump = is_sound("b_unknown_control.log", &["0+74 batch 0..0"]);
    let control = dump.controls().next().unwrap();
    assert_eq!(control.control_type, ControlType::Unknown);
    assert_eq!(control.control_type_id, Some(337));
    let text = run::dump_bytes(
        "0.log",
        &read("b_unknown_control.log"),
        &["--deep-iteration"],
    );
    assert!(
        text.text().ends_with(" controlType: UNKNOWN(337)\n"),
        "{}",
        text.text()
    );
}

/// A file that no test names would prove nothing.
#[test]
fn every_fixture_has_its_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let quoted = format!("\"{name}\"");
        assert!(
            include_str!("fixtures.rs").contains(&quoted),
            "no test of {name}"
        );
        count += 1;
    }
    assert_eq!(count, 21);
}
