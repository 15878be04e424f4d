//! Partitions in which two writers share an id, as wild runs of the simulator leave them: parted by
//! the line that a check prints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kfsck::simulate::explore::Dice;
use kfsck::simulate::run::Run;
use kfsck::simulate::strategy;
use kfsck::simulate::write_logs::write_logs;
use kfsck::state::rules;
use serde_json::Value;

use super::cases::copy;
use crate::collisions::random::run;
use crate::corpus;
use crate::run::{self, command};

/// Puts a partition with one shared id into `to`; gives `false` where a random run leaves none.
pub(super) fn write(to: &Path, dice: &mut Dice) -> bool {
    let seed = u64::try_from(dice.below(usize::MAX)).unwrap();
    let verbatim = strategy::by_name("verbatim").unwrap();
    let wild = run(seed, verbatim, rules::by_name("stock").unwrap());
    let wild = Run {
        scenario: "wild".to_owned(),
        world: wild,
        broken: Vec::new(),
    };
    let place = tempfile::tempdir().unwrap();
    let written = write_logs(&wild, place.path()).unwrap();
    let partitions = written.iter().flat_map(|place| directories(place));
    for partition in partitions {
        if shared_id(&partition).is_some() {
            copy(&partition, &to.join(partition.file_name().unwrap()));
            return true;
        }
    }
    false
}

fn directories(place: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir()).collect()
}

/// The id that a check says two writers share, if it is one alone.
pub(super) fn shared_id(partition: &Path) -> Option<i64> {
    assert!(
        !corpus::files(partition).is_empty(),
        "{}",
        partition.display()
    );
    let mut check = command(partition);
    check.args([
        "check",
        "--exit-zero",
        "--format=json",
        "--only=pid-collision",
    ]);
    let run: run::Run = check.arg(partition).output().unwrap().into();
    let answer: Value = serde_json::from_str(&run.text()).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let lines = findings.iter().filter_map(|one| one["repair"].as_str());
    let ids = lines.filter_map(|line| line.split_once("pids --split ")?.1.split(' ').next());
    let ids: BTreeSet<i64> = ids.map(|id| id.parse().unwrap()).collect();
    match ids.len() {
        1 => ids.first().copied(),
        _ => None,
    }
}
