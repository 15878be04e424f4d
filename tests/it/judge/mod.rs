//! A real broker judges what a repair leaves: logs of a fresh corpus are damaged and repaired, laid
//! into the empty partitions of one topic, and a broker starts on all of them at once.
//!
//! Two steps with the broker between them (`.ci/run oracle`), in the directory that `KFSCK_JUDGE`
//! names: `corpus/`, the log directory `room/` with the topic, then `cases/` and `answers.jsonl`.

mod cases;
mod collided;
mod damage;
mod kept;
mod logs;
mod rewriting;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use cases::{Case, Verb};
use kfsck::simulate::explore::Dice;
use logs::Log;
use rewriting::Rewriting;
use serde::Deserialize;

/// Where the oracle works.
fn place() -> PathBuf {
    std::env::var_os("KFSCK_JUDGE")
        .map(PathBuf::from)
        .expect("KFSCK_JUDGE names the directory")
}

fn seed() -> u64 {
    let seed = std::env::var("KFSCK_SEED").expect("KFSCK_SEED names the seed");
    seed.parse().expect("a number")
}

/// What the broker says of one partition.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    topic_partition: String,
    log_start_offset: i64,
    last_stable_offset: i64,
    log_end_offset: i64,
    producers: Vec<Producer>,
    files: BTreeMap<String, u64>,
    uncommitted: Vec<(i64, u32)>,
    uncommitted_fault: Option<String>,
    committed: Vec<(i64, u32)>,
    committed_fault: Option<String>,
    idempotent: String,
    transactional: String,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Producer {
    producer_id: i64,
    producer_epoch: i32,
    last_sequence: i32,
    last_timestamp: i64,
    coordinator_epoch: i32,
    current_txn_first_offset: i64,
}

#[test]
#[ignore = "needs a corpus and a room: .ci/run oracle"]
fn repaired_logs_are_laid_before_a_broker() {
    let (place, seed) = (place(), seed());
    let sources = cases::sources(&place.join("corpus/main"));
    assert!(sources.len() > 10, "{sources:?}");
    let count = cases::partitions(&place.join("room"));
    let mut laid = BTreeMap::<&str, usize>::new();
    for number in 0..count {
        let mut dice = Dice::new(seed.wrapping_add(number as u64));
        let case = Case::make(number, &sources, &mut dice, &place.join("cases"));
        case.lay_into(&place.join("room"));
        *laid.entry(case.name).or_default() += 1;
    }
    let mut said = std::io::stderr().lock();
    writeln!(said, "seed {seed}: {laid:?}").unwrap();
    let verbs = Verb::ALL.iter().map(|verb| verb.name());
    for name in verbs.chain(Rewriting::ALL.iter().map(|kind| kind.name())) {
        assert!(laid.contains_key(name), "no case of {name}");
    }
}

#[test]
#[ignore = "needs the answers of a broker: .ci/run oracle"]
fn a_real_broker_starts_on_what_a_repair_leaves() {
    let (place, seed) = (place(), seed());
    let answers = fs::read_to_string(place.join("answers.jsonl")).unwrap();
    let mut complaints = Vec::new();
    let mut count = 0;
    for line in answers.lines() {
        let answer: Answer = serde_json::from_str(line).unwrap();
        let number = answer.topic_partition.strip_prefix("judged-").unwrap();
        let case = place.join("cases").join(number);
        let told = fs::read_to_string(case.join("told")).unwrap();
        for complaint in judge(&answer, &case) {
            complaints.push(format!("seed {seed}, case {number} ({told}): {complaint}"));
        }
        count += 1;
    }
    assert_eq!(count, cases::partitions(&place.join("room")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What does not fit.
fn judge(answer: &Answer, case: &Path) -> Vec<String> {
    let left = Log::read(&cases::only_directory(&case.join("repaired")));
    let mut complaints = Vec::new();
    let mut same = |what: &str, theirs: &dyn std::fmt::Debug, ours: &dyn std::fmt::Debug| {
        let (theirs, ours) = (format!("{theirs:?}"), format!("{ours:?}"));
        if theirs != ours {
            complaints.push(format!("{what}: the broker has {theirs}, we {ours}"));
        }
    };
    same("log start", &answer.log_start_offset, &left.start);
    same("log end", &answer.log_end_offset, &left.end);
    same(
        "last stable offset",
        &answer.last_stable_offset,
        &left.stable,
    );
    same("records", &answer.uncommitted, &left.records(false));
    same("committed records", &answer.committed, &left.records(true));
    same("a fault", &answer.uncommitted_fault, &None::<()>);
    same("a fault", &answer.committed_fault, &None::<()>);
    same("a new idempotent producer", &answer.idempotent, &"ok");
    same("a new transactional producer", &answer.transactional, &"ok");
    let mut producers: Vec<_> = answer.producers.iter().collect();
    producers.sort();
    same(
        "producers",
        &producers,
        &left.producers.iter().collect::<Vec<_>>(),
    );
    // A start deletes for good what was deleted before; it must put nothing aside itself.
    let is_of_log = |name: &str| name.ends_with(".log") || name.ends_with(".txnindex");
    let ours = left.files.iter().filter(|(name, _)| is_of_log(name));
    let theirs = answer.files.iter();
    let theirs = theirs.filter(|(name, _)| is_of_log(name) || name.ends_with(".deleted"));
    same(
        "segments",
        &theirs.collect::<Vec<_>>(),
        &ours.collect::<Vec<_>>(),
    );
    complaints.extend(kept::complaints(case, answer.log_end_offset));
    complaints.extend(rewriting::complaints(case, answer));
    complaints
}
