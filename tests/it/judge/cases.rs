//! One partition of a corpus, damaged and repaired.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::simulate::explore::Dice;

use super::collided;
use super::damage::Damage;
use super::rewriting::{self, Rewriting};
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

/// A partition on its way to a broker.
pub(super) struct Case {
    number: usize,
    pub(super) name: &'static str,
    /// Holds `whole/PARTITION`, `damaged/PARTITION`, `repaired/PARTITION`, and `told`.
    directory: PathBuf,
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

pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in corpus::files(from) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

impl Case {
    /// Every third case changes what is known of producers, the others repair damage.
    pub(super) fn make(number: usize, sources: &[PathBuf], dice: &mut Dice, cases: &Path) -> Self {
        let directory = cases.join(number.to_string());
        let whole = |source: &Path| {
            // A partition that did not lend itself may have left something.
            _ = fs::remove_dir_all(&directory);
            let place = directory.join("whole");
            copy(source, &place.join(source.file_name().unwrap()));
        };
        if number % 3 == 2 {
            let kind = Rewriting::ALL[number / 3 % Rewriting::ALL.len()];
            for _ in 0..400 {
                if kind == Rewriting::Split {
                    _ = fs::remove_dir_all(&directory);
                    if !collided::write(&directory.join("whole"), dice) {
                        continue;
                    }
                } else {
                    whole(dice.pick(sources).unwrap());
                }
                if kind == Rewriting::Abort && dice.below(2) == 0 {
                    open_by_a_cut(&only_directory(&directory.join("whole")), &directory, dice);
                }
                if rewriting::make(kind, &directory, dice) {
                    let name = kind.name();
                    return Self {
                        number,
                        name,
                        directory,
                    };
                }
            }
            panic!("case {number}: no partition for {}", kind.name());
        }
        let source = dice.pick(sources).unwrap();
        whole(source);
        let verb = *dice.pick(Verb::ALL).unwrap();
        let damaged = directory.join("damaged").join(source.file_name().unwrap());
        copy(source, &damaged);
        let mut told = vec![damaged.file_name().unwrap().to_str().unwrap().to_owned()];
        for _ in 0..=dice.below(3) {
            let damage = *dice.pick(verb.damages()).unwrap();
            told.push(damage.strike(&damaged, dice));
        }
        let in_place = dice.below(4) == 0;
        told.push(format!("repair {}", verb.name()));
        if in_place {
            told.push("in place".to_owned());
        }
        fs::write(directory.join("told"), told.join(", ")).unwrap();
        repair(&directory, verb, &damaged, in_place);
        Self {
            number,
            name: verb.name(),
            directory,
        }
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

fn repair(directory: &Path, verb: Verb, damaged: &Path, in_place: bool) {
    let repaired = directory.join("repaired");
    let mut repair = command(directory);
    repair.arg("repair").args(verb.name().split(' '));
    repair.args(["--format", "json"]);
    if in_place {
        let copied = repaired.join(damaged.file_name().unwrap());
        copy(damaged, &copied);
        repair.arg("--in-place").arg(copied);
    } else {
        repair.arg(damaged).arg("--output").arg(repaired);
    }
    let run: Run = repair.output().unwrap().into();
    let told = fs::read_to_string(directory.join("told")).unwrap();
    // 1 where a hole is left that a check tells.
    let is_written = matches!(run.code, Some(0 | 1));
    assert!(is_written, "{told}: {:?} {}", run.code, run.stderr);
}

/// Cuts the log's end off, so that a transaction may lose its end marker.
fn open_by_a_cut(whole: &Path, directory: &Path, dice: &mut Dice) {
    Damage::CutTail.strike(whole, dice);
    let cut = directory.join("cut");
    _ = fs::remove_dir_all(&cut);
    let run: Run = command(directory)
        .args(["repair", "log", "--truncate"])
        .arg(whole)
        .arg("--output")
        .arg(&cut)
        .output()
        .unwrap()
        .into();
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    fs::remove_dir_all(whole).unwrap();
    copy(&only_directory(&cut), whole);
}
