//! One partition of a corpus, damaged and repaired.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::simulate::explore::dice::Dice;

use super::damage::Damage;
use crate::corpus;
use crate::run::{Run, command};

/// What repairs the damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Truncate,
    Salvage,
    Index,
    Snapshot,
}

impl Verb {
    pub(super) const ALL: &[Self] = &[Self::Truncate, Self::Salvage, Self::Index, Self::Snapshot];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Truncate => "log --truncate",
            Self::Salvage => "log --salvage",
            Self::Index => "index",
            Self::Snapshot => "snapshot --rebuild",
        }
    }

    fn damages(self) -> &'static [Damage] {
        match self {
            Self::Truncate | Self::Salvage => Damage::OF_LOGS,
            Self::Index => Damage::OF_INDEXES,
            Self::Snapshot => Damage::OF_SNAPSHOTS,
        }
    }
}

/// A damaged partition on its way to a broker.
pub(super) struct Case {
    number: usize,
    pub(super) verb: Verb,
    /// Holds `whole/PARTITION`, `damaged/PARTITION`, `repaired/PARTITION`, and `told`.
    directory: PathBuf,
    /// The damaged partition.
    damaged: PathBuf,
}

/// Partitions of a log directory that clients wrote and that hold something.
pub(super) fn sources(log_directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(log_directory).unwrap();
    let mut sources: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_of_clients = !name.starts_with("__") && path.is_dir();
        is_of_clients && !name.ends_with("-delete") && !name.ends_with("-stray") && is_filled(path)
    });
    sources.sort();
    sources
}

fn is_filled(partition: &Path) -> bool {
    let files = corpus::files(partition);
    let mut logs = files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "log"));
    logs.any(|log| fs::metadata(log).unwrap().len() > 0)
}

/// How many partitions the room has.
pub(super) fn partitions(room: &Path) -> usize {
    let entries = fs::read_dir(room).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let count = names.filter(|name| name.starts_with("judged-")).count();
    assert!(count > 0, "a room has partitions");
    count
}

/// The one directory in a directory.
pub(super) fn only_directory(parent: &Path) -> PathBuf {
    let entries = fs::read_dir(parent).unwrap();
    let mut inside: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    inside.retain(|path| path.is_dir());
    assert_eq!(inside.len(), 1, "{}: {inside:?}", parent.display());
    inside.remove(0)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in corpus::files(from) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

impl Case {
    pub(super) fn make(number: usize, sources: &[PathBuf], dice: &mut Dice, cases: &Path) -> Self {
        let source = dice.pick(sources).unwrap();
        let directory = cases.join(number.to_string());
        let damaged = directory.join("damaged").join(source.file_name().unwrap());
        copy(
            source,
            &directory.join("whole").join(source.file_name().unwrap()),
        );
        copy(source, &damaged);
        let verb = *dice.pick(Verb::ALL).unwrap();
        let mut told = vec![damaged.file_name().unwrap().to_str().unwrap().to_owned()];
        for _ in 0..=dice.below(3) {
            let damage = *dice.pick(verb.damages()).unwrap();
            told.push(damage.strike(&damaged, dice));
        }
        told.push(format!("repair {}", verb.name()));
        fs::write(directory.join("told"), told.join(", ")).unwrap();
        Self {
            number,
            verb,
            directory,
            damaged,
        }
    }

    pub(super) fn repair(&self) {
        let run: Run = command(&self.directory)
            .arg("repair")
            .args(self.verb.name().split(' '))
            .arg(&self.damaged)
            .arg("--output")
            .arg(self.directory.join("repaired"))
            .args(["--format", "json"])
            .output()
            .unwrap()
            .into();
        let told = fs::read_to_string(self.directory.join("told")).unwrap();
        assert_eq!(
            run.code,
            Some(0),
            "case {} ({told}): {}",
            self.number,
            run.stderr
        );
        fs::write(self.directory.join("plan.json"), &run.stdout).unwrap();
    }

    pub(super) fn lay_into(&self, room: &Path) {
        let place = room.join(format!("judged-{}", self.number));
        for file in corpus::files(&place) {
            if !file.ends_with("partition.metadata") {
                fs::remove_file(file).unwrap();
            }
        }
        for file in corpus::files(&only_directory(&self.directory.join("repaired"))) {
            let name = file.file_name().unwrap();
            if name != "partition.metadata" {
                fs::copy(&file, place.join(name)).unwrap();
            }
        }
    }
}
