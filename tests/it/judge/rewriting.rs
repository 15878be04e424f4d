//! Repairs that change what a broker knows of producers, and what must be true afterwards by the
//! log as it was before.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::simulate::explore::Dice;

use super::Answer;
use super::cases::{copy, only_directory};
use super::collided::shared_id;
use super::logs::Log;
use crate::run::{Run, command};

/// Kinds of such repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewriting {
    DropFromSnapshot,
    RemapInSnapshot,
    Remap,
    Map,
    MapAndUnmap,
    Barrier,
    Abort,
    Split,
}

/// New ids come from here.
const RESERVED: i64 = 1 << 62;
const CLUSTER: &str = "ABEiM0RVZneImaq7zN3u_w";

impl Rewriting {
    pub(super) const ALL: &[Self] = &[
        Self::DropFromSnapshot,
        Self::RemapInSnapshot,
        Self::Remap,
        Self::Map,
        Self::MapAndUnmap,
        Self::Barrier,
        Self::Abort,
        Self::Split,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DropFromSnapshot => "snapshot --drop-pid",
            Self::RemapInSnapshot => "snapshot --remap",
            Self::Remap => "pids --remap",
            Self::Map => "pids --map",
            Self::MapAndUnmap => "pids --map, pids --unmap",
            Self::Barrier => "barrier",
            Self::Abort => "abort",
            Self::Split => "pids --split",
        }
    }

    fn named(name: &str) -> Self {
        let mut all = Self::ALL.iter().copied();
        all.find(|one| one.name() == name).unwrap()
    }

    /// The repairs to make one behind the other, or none where the log does not lend itself to it.
    fn steps(self, whole: &Path, dice: &mut Dice) -> Vec<Vec<String>> {
        let log = Log::read(whole);
        let words = |line: String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (open, closed): (Vec<_>, Vec<_>) = { log.producers.iter() }
            .map(|producer| (producer.producer_id, producer.current_txn_first_offset))
            .partition(|(_, first)| *first >= 0);
        let one = dice.pick(&closed).map(|(id, _)| *id);
        let new = RESERVED + 7;
        let map = || words(format!("pids --map bit-field --cluster-id {CLUSTER}"));
        match (self, one) {
            (Self::DropFromSnapshot, Some(id)) => vec![words(format!("snapshot --drop-pid {id}"))],
            (Self::RemapInSnapshot, Some(id)) => {
                vec![words(format!("snapshot --remap {id}={new}"))]
            }
            (Self::Remap, Some(id)) => vec![words(format!("pids --remap {id}={new}"))],
            (Self::Map, Some(_)) => vec![map()],
            (Self::MapAndUnmap, Some(_)) => {
                vec![map(), words("pids --unmap bit-field".to_owned())]
            }
            (Self::Barrier, _) if open.is_empty() => {
                let layout = match dice.below(2) {
                    0 => format!("a --source-cluster-id {CLUSTER}"),
                    _ => "b".to_owned(),
                };
                vec![words(format!(
                    "barrier --layout {layout} --all-replicas-stopped"
                ))]
            }
            (Self::Abort, _) => { open.iter() }
                .map(|(id, _)| {
                    words(format!(
                        "abort --producer-id {id} --force --all-replicas-stopped"
                    ))
                })
                .collect(),
            (Self::Split, _) => { shared_id(whole).into_iter() }
                .map(|id| words(format!("pids --split {id}")))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Makes the repairs; gives `false` where the log does not lend itself to them. `whole/` holds
/// the partition; `repaired/` gets the result.
pub(super) fn make(kind: Rewriting, directory: &Path, dice: &mut Dice) -> bool {
    let whole = only_directory(&directory.join("whole"));
    let steps = kind.steps(&whole, dice);
    let in_place = dice.below(4) == 0;
    let mut from: PathBuf = whole;
    let mut told = vec![from.file_name().unwrap().to_str().unwrap().to_owned()];
    for (number, step) in steps.iter().enumerate() {
        let place = match number + 1 == steps.len() {
            true => directory.join("repaired"),
            false => directory.join(format!("step-{number}")),
        };
        told.push(format!("repair {}", step.join(" ")));
        let mut run = command(directory);
        run.arg("repair").args(step).args(["--format", "json"]);
        if in_place {
            let copied = place.join(from.file_name().unwrap());
            copy(&from, &copied);
            run.arg("--in-place").arg(copied);
        } else {
            run.arg(&from).arg("--output").arg(&place);
        }
        let run: Run = run.output().unwrap().into();
        // In an older snapshot; or a person has to say who wrote a batch.
        let refusals = [
            "has a transaction open from offset",
            "decide each with --assign",
        ];
        if refusals.iter().any(|reason| run.stderr.contains(reason)) {
            return false;
        }
        assert!(matches!(run.code, Some(0 | 1)), "{told:?}: {}", run.stderr);
        from = only_directory(&place);
    }
    fs::write(directory.join("told"), told.join(", ")).unwrap();
    fs::write(directory.join("rewriting"), kind.name()).unwrap();
    !steps.is_empty()
}

/// What is not as it should be by the log before; nothing for a case of another kind.
pub(super) fn complaints(case: &Path, answer: &Answer) -> Vec<String> {
    let Ok(kind) = fs::read_to_string(case.join("rewriting")) else {
        return Vec::new();
    };
    let kind = Rewriting::named(&kind);
    let told = fs::read_to_string(case.join("told")).unwrap();
    let before = Log::read(&only_directory(&case.join("whole")));
    match kind {
        Rewriting::Split => of_a_split(case, &before, answer),
        _ => of_another(kind, &told, &before, answer),
    }
}

fn of_another(kind: Rewriting, told: &str, before: &Log, answer: &Answer) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut same = |what: &str, is: bool| {
        if !is {
            complaints.push(format!("{what} are not what they should be"));
        }
    };
    let open: BTreeSet<_> = { before.producers.iter() }
        .filter(|producer| producer.current_txn_first_offset >= 0)
        .map(|producer| producer.producer_id)
        .collect();
    let (added, committed) = match kind {
        Rewriting::Barrier => (1, before.records(true)),
        Rewriting::Abort => (
            told.matches("abort ").count() as i64,
            before.closed_records(),
        ),
        // A stock broker keeps no state of ids below 0: nothing of theirs is held back or aborted.
        Rewriting::Map => (0, before.records(false)),
        _ => (0, before.records(true)),
    };
    same("records", answer.uncommitted == before.records(false));
    same("committed records", answer.committed == committed);
    same("offsets", answer.log_end_offset == before.end + added);
    if kind == Rewriting::Abort {
        same(
            "open transactions",
            answer.last_stable_offset == answer.log_end_offset,
        );
    }
    let old = { told.split_once("-pid ").or(told.split_once("--remap ")) }
        .and_then(|(_, rest)| rest.split(['=', ',', ' ']).next()?.parse::<i64>().ok());
    let is_gone = |id: i64| match kind {
        Rewriting::DropFromSnapshot => Some(id) == old,
        Rewriting::Map => true,
        _ => false,
    };
    let mut expected: Vec<_> = { before.producers.iter() }
        .filter(|producer| !is_gone(producer.producer_id))
        // While the ids are below 0 nothing but the log keeps their state.
        .filter(|producer| kind != Rewriting::MapAndUnmap || before.tells(producer))
        .map(|producer| {
            let is_renamed = matches!(kind, Rewriting::Remap | Rewriting::RemapInSnapshot)
                && Some(producer.producer_id) == old;
            let id = match is_renamed {
                true => RESERVED + 7,
                false => producer.producer_id,
            };
            (producer.last_sequence, id)
        })
        .collect();
    let mut found: Vec<_> = { answer.producers.iter() }
        .map(|producer| (producer.last_sequence, producer.producer_id))
        .collect();
    if kind == Rewriting::Abort {
        // A marker of a newer epoch forgets the sequences of its producer.
        for (sequence, id) in expected.iter_mut().chain(&mut found) {
            if open.contains(id) {
                *sequence = -1;
            }
        }
    }
    expected.sort_unstable();
    found.sort_unstable();
    same("producers", expected == found);
    complaints
}

/// Whose marker ends what is another now, so the records of both writers count by their own alone.
fn of_a_split(case: &Path, before: &Log, answer: &Answer) -> Vec<String> {
    let left = Log::read(&only_directory(&case.join("repaired")));
    let facts = [
        ("records", answer.uncommitted == before.records(false)),
        ("offsets", answer.log_end_offset == before.end),
        ("writers", left.is_written_from(RESERVED)),
    ];
    let wrong = facts.iter().filter(|(_, is)| !is);
    wrong
        .map(|(what, _)| format!("{what} are not what they should be"))
        .collect()
}
