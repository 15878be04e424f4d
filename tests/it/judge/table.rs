//! How many records of the same damage a broker's own recovery keeps, and how many a repair.
//!
//! Two steps with the real `LogManager` between them (`.ci/run oracle`), in the directory that
//! `KFSCK_JUDGE` names: `starts/NNN/logs/` with one damaged partition each, then `answer.json`
//! beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use kfsck::format::number::Offset;
use kfsck::repair::log;
use kfsck::repair::terms::{How, Terms};
use kfsck::simulate::explore::Dice;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

use super::cases::{copy, only_directory, sources};
use super::damage::Damage;
use super::{place, seed};

/// Cases of each kind of damage.
const CASES: usize = 40;

/// What a plan keeps, control records included.
fn kept(partition: &Path, how: How) -> u64 {
    let terms = Terms::new(Access::Plain, Offset(0));
    let directory = PartitionDirectory::list(partition);
    let plan = log::plan(&directory, how, &terms).unwrap();
    plan.kept.records
}

#[test]
#[ignore = "needs a corpus: .ci/run oracle"]
fn damaged_logs_are_laid_before_a_start() {
    let (place, seed) = (place(), seed());
    let sources = sources(&place.join("corpus/main"));
    for (kind, (damage, _)) in Damage::OF_TABLE.iter().enumerate() {
        for case in 0..CASES {
            let number = kind * CASES + case;
            let mut dice = Dice::new(seed.wrapping_add(1000 + number as u64));
            let source = dice.pick(&sources).unwrap();
            let name = source.file_name().unwrap();
            let directory = place.join("starts").join(format!("{number:03}"));
            let damaged = directory.join("logs").join(name);
            copy(source, &damaged);
            damage.strike(&damaged, &mut dice);
            fs::write(directory.join("source"), name.to_str().unwrap()).unwrap();
        }
    }
}

/// What is left of a damaged partition when a broker's recovery has ended, or `None` where the
/// broker ends instead.
fn recovered(directory: &Path) -> Option<u64> {
    let answer = fs::read(directory.join("answer.json")).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    if !answer["error"].is_null() || !answer["offline"].is_null() {
        return None;
    }
    let partition = only_directory(&directory.join("logs"));
    let name = partition.file_name().unwrap().to_str().unwrap();
    let segments = answer["partitions"][name]["segments"].as_array().unwrap();
    let left = directory.join("left").join(name);
    fs::create_dir_all(&left).unwrap();
    for segment in segments {
        let base = segment["base"].as_i64().unwrap();
        let size = usize::try_from(segment["bytes"].as_u64().unwrap()).unwrap();
        let log = format!("{base:020}.log");
        // A log without a segment gets a new one.
        let bytes = fs::read(partition.join(&log)).unwrap_or_default();
        fs::write(left.join(&log), bytes.get(..size).unwrap()).unwrap();
    }
    Some(kept(&left, How::Salvage))
}

#[derive(Default)]
struct Row {
    cases: u64,
    whole: u64,
    recovery: u64,
    dead: u64,
    truncate: u64,
    salvage: u64,
}

#[test]
#[ignore = "needs the answers of starts: .ci/run oracle"]
fn what_is_kept_is_told() {
    let place = place();
    let mut rows = BTreeMap::<usize, Row>::new();
    for number in 0..Damage::OF_TABLE.len() * CASES {
        let directory = place.join("starts").join(format!("{number:03}"));
        let source = fs::read_to_string(directory.join("source")).unwrap();
        let damaged = only_directory(&directory.join("logs"));
        let row = rows.entry(number / CASES).or_default();
        row.cases += 1;
        row.whole += kept(&place.join("corpus/main").join(source), How::Salvage);
        row.truncate += kept(&damaged, How::Truncate);
        row.salvage += kept(&damaged, How::Salvage);
        match recovered(&directory) {
            Some(records) => row.recovery += records,
            None => row.dead += 1,
        }
    }
    let mut out = std::io::stderr().lock();
    writeln!(
        out,
        "seed {}; records kept, in percent of those there were:",
        seed()
    )
    .unwrap();
    let head = "| damage | logs | broker recovery | broker ends | `--truncate` | `--salvage` |";
    writeln!(out, "{head}\n|---|---|---|---|---|---|").unwrap();
    for (kind, row) in &rows {
        let percent = |records: u64| {
            let tenths = records * 1000 / row.whole.max(1);
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        let [recovery, truncate, salvage] = [row.recovery, row.truncate, row.salvage].map(percent);
        let (cases, dead, name) = (row.cases, row.dead, Damage::OF_TABLE[*kind].1);
        let line = format!("{name} | {cases} | {recovery} | {dead} | {truncate} | {salvage}");
        writeln!(out, "| {line} |").unwrap();
    }
    // A repair may lose nothing that a recovery keeps.
    for row in rows.values() {
        assert!(
            row.recovery <= row.salvage,
            "{} {}",
            row.recovery,
            row.salvage
        );
        assert!(row.truncate <= row.salvage && row.salvage <= row.whole);
    }
}
