//! The log directories that the simulator writes, read by the commands, and the same bytes for the
//! same seed.

use std::path::{Path, PathBuf};

use kfsck::simulate::builtin;
use kfsck::simulate::run::{How, run};
use kfsck::simulate::strategy;
use kfsck::simulate::write_logs::write_logs;
use kfsck::state::rules;

use crate::corpus;
use crate::run::{Run, command};
use crate::state_oracle::simulated::scratch;

/// Writes every built-in scenario under every strategy; gives the log directories.
fn written(root: &Path, rule_set: &str) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for (name, _) in builtin::ALL {
        let scenario = builtin::by_name(name).unwrap().unwrap();
        for strategy in strategy::ALL {
            let how = How {
                strategy,
                rules: rules::by_name(rule_set).unwrap(),
                seed: 1,
                is_traced: false,
            };
            let run = run(&scenario, how).unwrap();
            directories.extend(write_logs(&run, root).unwrap());
        }
    }
    assert!(directories.len() > 400);
    directories
}

fn kfsck(arguments: &[&str], directories: &[PathBuf]) -> Run {
    let mut command = command(Path::new("."));
    command.args(arguments).args(directories);
    command.output().unwrap().into()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let places = [(); 2].map(|()| scratch());
    let [first, second] = places.each_ref().map(|place| {
        written(place.path(), "mapped");
        corpus::files(place.path())
    });
    assert_eq!(first.len(), second.len());
    for (one, other) in first.iter().zip(&second) {
        let names = [(one, &places[0]), (other, &places[1])]
            .map(|(path, place)| path.strip_prefix(place.path()).unwrap());
        assert_eq!(names[0], names[1]);
        let [one, other] = [one, other].map(|path| std::fs::read(path).unwrap());
        assert!(one == other, "{}", names[0].display());
    }
}

/// What is told on stderr and is no note, without the place where all lies.
fn told(run: &Run, root: &Path) -> Vec<String> {
    let root = format!("{}/", root.display());
    let lines = run.stderr.lines().filter(|line| !line.contains(": note: "));
    lines.map(|line| line.replace(&root, "")).collect()
}

#[test]
fn every_command_reads_what_is_written() {
    for rule_set in ["stock", "mapped"] {
        let place = scratch();
        let directories = written(place.path(), rule_set);
        for flag in [
            "--index-sanity-check",
            "--verify-index-only",
            "--print-data-log",
        ] {
            let run = kfsck(&["dump-log", flag], &directories);
            assert_eq!(told(&run, place.path()), [""; 0], "{flag}");
            assert_eq!(run.code, Some(0), "{flag}");
        }
        let indexes = kfsck(&["dump-log", "--index-sanity-check"], &directories).text();
        assert!(indexes.contains("passed sanity check."));

        let run = kfsck(&["inspect-snapshot", "--rules", rule_set], &directories);
        let has_tags = run.stderr.contains(": note: version 2");
        assert_eq!(has_tags, rule_set == "mapped");
        for line in told(&run, place.path()) {
            // The broker forgot a producer after a day in which nothing was written.
            assert!(line.starts_with("salt-after-expiry/"), "{line}");
            assert!(line.contains("1 missing, 0 extra, 0 different"), "{line}");
        }
        assert_eq!(run.code, Some(1));

        let run = kfsck(&["producers", "--rules", rule_set], &directories);
        let producers = told(&run, place.path());
        let run_of_txns = kfsck(&["txns", "--rules", rule_set], &directories);
        let txns = told(&run_of_txns, place.path());
        // Open transactions of the past are suspect.
        assert_eq!(run_of_txns.code, Some(1));
        match rule_set {
            "stock" => {
                assert_eq!((producers, run.code), (Vec::new(), Some(0)));
                assert_eq!(txns, [""; 0]);
            }
            _ => {
                assert_eq!(run.code, Some(1));
                assert_harms_are_told(&producers);
                let of_barrier = |line: &String| line.contains(": barrier-open-transaction: ");
                assert!(txns.iter().all(of_barrier), "{txns:#?}");
                assert!(!txns.is_empty());
            }
        }
    }
}

/// Under rules that know ids below 0 a log shows whose batches were taken for another's.
fn assert_harms_are_told(told: &[String]) {
    let codes = [
        "sequence-repeat",
        "sequence-overlap",
        "sequence-gap",
        "epoch-regression",
        "barrier-open-transaction",
    ];
    for line in told {
        let is_known = codes
            .iter()
            .any(|code| line.contains(&format!(": {code}: ")));
        assert!(is_known, "{line}");
    }
    for (place, code) in [
        ("chain-negation/negate-idempotent/D/", "sequence-repeat"),
        ("different-epochs/negate-idempotent/C/", "epoch-regression"),
        (
            "failed-abort-at-stop/barrier/B/0/",
            "barrier-open-transaction",
        ),
    ] {
        let is_it = |line: &String| line.starts_with(place) && line.contains(code);
        assert!(told.iter().any(is_it), "{place} {code}");
    }
}
