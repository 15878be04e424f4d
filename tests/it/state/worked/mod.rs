//! Every worked log of `docs/producer-state.md` is written, read back and compared with what the
//! document says of it, under each rule set.

mod batch;
mod parse;
mod reader;

use crate::state::words::Asked;
use kfsck::state::rules::ALL;
use parse::{WorkedLog, blocks};
use reader::Reading;
use std::fs;
use std::path::Path;

/// Where a worked log and the document differ.
fn differences(log: &WorkedLog) -> Vec<String> {
    let mut found = Vec::new();
    for (place, line) in log.lines.iter().enumerate() {
        for rules in ALL {
            let Some(said) = line.expected.get(rules.name()) else {
                continue;
            };
            let reading = Reading {
                lines: &log.lines[..=place],
                rules,
                asked: Asked(said),
            };
            let given = reading.words();
            if *said != given {
                let (name, number) = (rules.name(), line.number);
                let (said, given) = (said.join("; "), given.join("; "));
                found.push(format!("line {number}, {name}: {said}\n  the log: {given}"));
            }
        }
    }
    found
}

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/producer-state.md");
    fs::read_to_string(path).unwrap()
}

/// What differs in a block with these lines.
fn differences_of(lines: &str) -> Vec<String> {
    let logs = blocks(&format!("```worked-log\n{lines}\n```\n"));
    logs.iter().flat_map(differences).collect()
}

const DATA: &str = "0..4 data pid=7 epoch=0 seq=0..4";
const COMMIT: &str = "5 commit pid=7 epoch=0 coordinator=1";
const KNOWN: &str = "7: epoch 0, last sequence 4 at offset 4";

#[test]
fn the_worked_logs_of_the_document_are_true() {
    let logs = blocks(&document());
    let differences: Vec<_> = logs.iter().flat_map(differences).collect();
    assert!(differences.is_empty(), "\n{}\n", differences.join("\n"));
    assert!(logs.len() >= 30, "only {} worked logs", logs.len());
}

#[test]
fn what_is_not_so_is_found() {
    let said = |left: &str, right: &str| differences_of(&format!("{left} => {right}")).len();
    assert_eq!(said(DATA, &format!("{KNOWN}; LSO 5")), 0);
    for wrong in [
        "nobody; LSO 5".to_owned(),
        format!("{KNOWN}; LSO 4"),
        KNOWN.to_owned(),
        "7: epoch 1, last sequence 4 at offset 4; LSO 5".to_owned(),
        "7: epoch 0, last sequence 3 at offset 4; LSO 5".to_owned(),
        "7: epoch 0, last sequence 4 at offset 3; LSO 5".to_owned(),
        format!("{KNOWN}, coordinator 0; LSO 5"),
        format!("{KNOWN}, open since 0; LSO 5"),
        format!("{KNOWN}, keeps 1..4; LSO 5"),
        format!("{KNOWN}, time 1; LSO 5"),
        format!("{KNOWN}; 8: epoch 0; LSO 5"),
        format!("{KNOWN}; LSO 5; leader epochs 1 from 0"),
        format!("{KNOWN}; LSO 5; event sequence-gap"),
        format!("{KNOWN}; LSO 5; index entry 7: 0..4, LSO 5"),
    ] {
        assert_eq!(said(DATA, &wrong), ALL.len(), "{wrong}");
    }
    // An event must be told.
    assert_eq!(said(COMMIT, "7: epoch 0, coordinator 1; LSO 6"), ALL.len());
    for reader in [
        "client 5 data pid=7 epoch=0 seq=5",
        "fetches 0",
        "start unclean",
        "truncated 5",
    ] {
        let log = format!("{DATA} => {KNOWN}; LSO 5\n{reader}");
        assert_eq!(differences_of(&format!("{log} => nobody; LSO 0")).len(), 4);
    }
}

#[test]
fn only_the_rule_sets_that_differ_are_told() {
    let log = format!(
        "{DATA} => {KNOWN}; LSO 5\n5 barrier\nstock => {KNOWN};\nLSO 6\n\
         barrier mapped fork => nobody; LSO 6"
    );
    let found = differences_of(&log);
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        found.starts_with("line 3, fork: nobody; LSO 6\n"),
        "{found}"
    );
}

#[test]
fn a_slip_in_a_block_is_no_silent_pass() {
    let refused = |lines: &str| {
        let lines = lines.to_owned();
        let run = move || differences_of(&lines);
        std::panic::catch_unwind(run).is_err()
    };
    let state = format!("{KNOWN}; LSO 5");
    assert!(!refused(&format!("{DATA} => {state}")));
    for lines in [
        DATA.to_owned(),
        format!("=> {state}"),
        format!("{DATA} => {state};"),
        format!("{DATA}\nstock => {state}"),
        format!("{DATA} => {state}\nstock => {state}"),
        format!("{DATA} colour=5 => {state}"),
        format!("{DATA} pid=7 => {state}"),
        format!("0..3 data pid=7 epoch=0 seq=0..4 => {state}"),
        format!("0..4 date pid=7 epoch=0 seq=0..4 => {state}"),
        format!("0..4 data pid=7 epoch=70000 seq=0..4 => {state}"),
        format!("{DATA} => {state}\nfetches 1 => {state}"),
        format!("{DATA} => {state}\nstart soon => {state}"),
        format!("{DATA} => {state}\n4 snapshot taken\nstart clean => {state}"),
    ] {
        assert!(refused(&lines), "{lines}");
    }
    assert!(std::panic::catch_unwind(|| blocks("```worked-log\n0 plain")).is_err());
}
