//! The repair lines of `kfsck check`: each is carried out, and where none would be, none is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Outcome, Run, copy_tree, testdata};
use crate::txns::log::{Log, state_partition};

const LOG: &str = "00000000000000000000.log";
const STRAY: &str = "left.over-5.f88cfc78bfc34e22b6aa2c6a0ee43bd7-stray";

fn check(paths: &[&Path]) -> Outcome {
    let run = Run::new(["check", "--now", "2026-12-01", "--format=json"]);
    paths.iter().fold(run, Run::arg).outcome()
}

/// Runs a line as a shell does; without `more` it does what it says.
fn run(line: &str, more: &str, place: &Path) -> Outcome {
    let words = line.strip_prefix("kfsck").unwrap();
    let script = format!("\"$0\"{words} {more}");
    Run::in_shell(&script, &[]).dir(place).outcome()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn findings(outcome: &Outcome) -> Vec<Value> {
    let answer: Value = serde_json::from_str(outcome.text()).unwrap();
    answer["findings"].as_array().unwrap().clone()
}

/// What a real answer tells to be run is carried out, or refused for what a person must decide.
#[test]
fn every_repair_line_of_an_answer_does_something() {
    let directory = tempfile::tempdir().unwrap();
    let [data, other, mirrors] =
        ["data", "other logs", "mirrors"].map(|n| directory.path().join(n));
    let simulation = Run::new(["simulate-chain", "-q", "--builtin=chain-negation"]);
    let simulation = simulation.arg("--strategy=negate-idempotent");
    simulation.arg("--write-logs").arg(&mirrors).outcome();
    copy_tree(&testdata("main"), &data);
    fs::write(data.join("plain-0").join(LOG), [0; 200]).unwrap();
    let hanging = Log::default().data(5, 3).commit(5, 3).data(5, 3);
    hanging.write(&other.join("hanging-0"), 0);
    let coordinators = other.join("__transaction_state-0");
    fs::create_dir(&coordinators).unwrap();
    let log = coordinators.join(LOG);
    // Two ids, as one of them would fit many numbers of partitions.
    let mut second = state_partition("b", 10, 1, &["other"]);
    second[7] = 1;
    let states = [state_partition("id", 9, 1, &["other"]), second].concat();
    fs::write(log, states).unwrap();
    let mirrors = mirrors.join("chain-negation/negate-idempotent");
    let mirrors = ["B", "C", "D"].map(|name| mirrors.join(name));
    let [one, two, three] = &mirrors;
    let found = findings(&check(&[&data, &other, one, two, three]));
    let lines: BTreeSet<_> = found
        .iter()
        .filter_map(|one| one["repair"].as_str())
        .collect();
    let verbs = [
        "abort --producer-id 5",
        "log --truncate",
        "pids --split",
        "pids --unmap",
    ];
    for verb in verbs.into_iter().chain(["snapshot", "index"]) {
        assert!(
            lines.iter().any(|line| line.contains(verb)),
            "{verb}: {lines:#?}"
        );
    }
    for line in &lines {
        let outcome = run(line, "--dry-run", directory.path());
        let refusals = [
            "decide each with --assign",
            "its coordinator knows it",
            "`--remap",
        ];
        let is_refused = refusals.iter().any(|words| outcome.stderr.contains(words));
        let is_taken = outcome.code == 1 || outcome.code == 3 && is_refused;
        assert!(is_taken, "{line}\n{} {}", outcome.code, outcome.stderr);
        let hangs = line.contains("abort --producer-id 5");
        assert!(!hangs || outcome.code == 1, "{line}: {}", outcome.stderr);
    }
}

/// A log directory in which much is broken that `kfsck repair` does not mend, or not at once.
fn broken(data: &Path) {
    copy_tree(&testdata("main"), data);
    // Whether that transaction hangs its coordinator knows: a person decides.
    fs::remove_dir_all(data.join("txn-open-0")).unwrap();
    // Neither of the first two is a partition that is repaired, whatever is wrong.
    for name in [
        "__cluster_metadata-0",
        STRAY,
        "idem-0",
        "idem-1",
        "txn-v1-0",
    ] {
        flip(&data.join(name).join(LOG), 80);
    }
    fs::write(data.join("idem-0/partition.metadata"), "version: 0\nto").unwrap();
    fs::write(data.join("txn-v1-0/00000000000000000000.log.swap"), "").unwrap();
    fs::remove_file(data.join("plain-1").join("00000000000000000000.index")).unwrap();
    fs::write(data.join("plain-1/partition.metadata"), "").unwrap();
    // The log and what is derived from it.
    for (name, segment) in [("txn-both-0", "48"), ("txn-v2-1", "0")] {
        let partition = data.join(name);
        let log = partition.join(format!("{segment:0>20}.log"));
        flip(&log, 100);
        for entry in fs::read_dir(&partition).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.extension().unwrap_or_default();
            if kind == "snapshot" {
                fs::write(&path, "broken").unwrap();
            } else if kind == "index" || kind == "txnindex" {
                fs::remove_file(&path).unwrap();
            }
        }
    }
    // A batch that ends a broker which reads it, and what is derived from the log.
    let unread = data.join("unread-0");
    fs::create_dir(&unread).unwrap();
    let fixture = "testdata/fixtures/a05b_nontxn_in_open_txn.log";
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    fs::copy(fixture, unread.join(LOG)).unwrap();
    fs::write(unread.join("00000000000000000005.snapshot"), "broken").unwrap();
    // Of this log the beginning is elsewhere, and its end is torn.
    let log = fs::read_dir(data.join("trimmed-0")).unwrap();
    let mut logs: Vec<_> = log.map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|kind| kind == "log"));
    logs.sort();
    let mut bytes = fs::read(logs.last().unwrap()).unwrap();
    bytes.truncate(bytes.len() - 3);
    fs::write(logs.last().unwrap(), bytes).unwrap();
    fs::write(
        data.join("log-start-offset-checkpoint"),
        "0\n1\ntrimmed 0 1\n",
    )
    .unwrap();
}

/// Of each partition the lines, and the advice of findings that have none.
fn told(found: &[Value]) -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let mut told: BTreeMap<String, (BTreeSet<_>, BTreeSet<_>)> = BTreeMap::new();
    for one in found.iter().filter(|one| one["severity"] != "note") {
        let path = one["path"].as_str().unwrap();
        let below = path.split("/data/").nth(1).unwrap_or(path);
        let name = below.split('/').next().unwrap().to_owned();
        let (lines, advice) = told.entry(name).or_default();
        match one["repair"].as_str() {
            Some(line) => lines.insert(line.to_owned()),
            None => advice.insert(one["advice"].as_str().unwrap().to_owned()),
        };
    }
    told
}

#[test]
fn no_line_is_shown_that_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    broken(&data);
    let told = told(&findings(&check(&[&data])));
    for (lines, _) in told.values() {
        for line in lines {
            let outcome = run(line, "--dry-run", place.path());
            assert_eq!(outcome.code, 1, "{line}\n{}", outcome.stderr);
        }
    }
    let lines = |name: &str| told[name].0.iter().map(String::as_str).collect::<Vec<_>>();
    let advice = |name: &str| told[name].1.iter().cloned().collect::<String>();
    for (name, says) in [
        ("__cluster_metadata-0", "fetches the log again"),
        (STRAY, "Nothing is repaired in a stray directory"),
        ("txn-v1-0", "a compaction stands to be finished"),
    ] {
        assert_eq!(lines(name), [""; 0], "{name}");
        assert!(advice(name).contains(says), "{name}: {}", advice(name));
        assert!(!advice(name).contains("repair it: "), "{name}");
    }
    // A damaged log comes first, and what is derived from it comes with it.
    for name in ["txn-both-0", "txn-v2-1"] {
        let [line] = lines(name)[..] else {
            panic!("{:?}", lines(name));
        };
        assert!(line.contains("repair log --salvage"), "{line}");
    }
    let verbs = lines("unread-0");
    let shows = |verb: &str| verbs.iter().any(|line| line.contains(verb));
    assert!(shows("log --salvage") && shows("pids --split"), "{verbs:?}");
    assert!(
        !shows("repair snapshot") && !shows("repair abort"),
        "{verbs:?}"
    );
    // Nothing is cut off where the beginning is in remote storage.
    let trimmed = lines("trimmed-0");
    let salvages = |line: &&str| line.contains("log --salvage");
    assert!(trimmed.iter().all(salvages), "{trimmed:?}");
    assert!(lines("plain-1")[0].contains("repair index"), "{told:#?}");
}

/// A segment once more under a later name: the log is mended first, and then nothing else is wrong.
#[test]
fn a_segment_copied_under_another_name_is_mended_by_one_line() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    copy_tree(&testdata("main/idem-0"), &data.join("idem-0"));
    let copy = data.join("idem-0/00000000000000009999.log");
    fs::copy(data.join("idem-0").join(LOG), copy).unwrap();
    let told = told(&findings(&check(&[&data])));
    let lines: Vec<_> = told["idem-0"].0.iter().collect();
    let [line] = lines[..] else {
        panic!("{lines:#?}");
    };
    assert!(line.contains("repair log --salvage"), "{line}");
    let output = line.replace("DIR", "mended");
    run(&output, "", place.path()).ended_with(0);
    let mended = place.path().join("mended/idem-0");
    assert_eq!(findings(&check(&[&mended]).ended_with(0)), [Value::Null; 0]);
}

/// Its marker may lie where batches are missing: between segments, or behind the log's end.
#[test]
fn no_transaction_is_aborted_in_front_of_what_is_missing() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    for (name, segment) in [("txn-both-0", 48), ("txn-open-0", 47)] {
        let partition = data.join(name);
        copy_tree(&testdata("main").join(name), &partition);
        for end in ["log", "index", "timeindex", "txnindex", "snapshot"] {
            _ = fs::remove_file(partition.join(format!("{segment:020}.{end}")));
        }
    }
    let found = findings(&check(&[&data]));
    let open: Vec<_> = { found.iter() }
        .filter(|one| one["code"] == "hanging-transaction")
        .collect();
    assert!(open.len() > 2, "{found:#?}");
    for one in open {
        assert_eq!(one["repair"], Value::Null, "{one}");
        let advice = one["advice"].as_str().unwrap();
        assert!(
            advice.contains("the marker that ends it may be one of them"),
            "{advice}"
        );
    }
}

#[test]
fn nothing_is_repaired_where_an_entry_cannot_be_looked_at() {
    let place = tempfile::tempdir().unwrap();
    let partition = place.path().join("data/plain-0");
    copy_tree(&testdata("main/plain-0"), &partition);
    let index = partition.join("00000000000000000000.index");
    fs::remove_file(&index).unwrap();
    std::os::unix::fs::symlink("nowhere", &index).unwrap();
    let outcome = check(&[&place.path().join("data")]).ended_with(3);
    let found = findings(&outcome);
    let missing = found.iter().find(|one| one["code"] == "index-missing");
    let missing = missing.unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(missing["repair"], Value::Null);
    let advice = missing["advice"].as_str().unwrap();
    assert!(advice.contains("cannot be looked at"), "{advice}");
    assert!(
        outcome.stderr.contains("leads nowhere"),
        "{}",
        outcome.stderr
    );
}

/// A partition whose repair in place was broken off, before or behind the point of no return.
fn broken_off(data: &Path, is_decided: bool) {
    copy_tree(&testdata("main/idem-0"), &data.join("idem-0"));
    fs::write(data.join("idem-0/kfsck-staged-0"), "new").unwrap();
    fs::remove_file(data.join("idem-0/00000000000000000000.index")).unwrap();
    let work = data.with_file_name("data.kfsck-repair-idem-0");
    fs::create_dir(&work).unwrap();
    let journal = "{\"schema\":1,\"verb\":\"index\",\"directory\":\"data/idem-0\",\"changes\":[]}";
    let name = if is_decided {
        "journal.json"
    } else {
        "begun.json"
    };
    fs::write(work.join(name), journal).unwrap();
}

#[test]
fn a_repair_in_place_that_was_broken_off_is_told_with_the_line_that_ends_it() {
    for is_decided in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        broken_off(&data, is_decided);
        let found = findings(&check(&[&data]).ended_with(1));
        let leftovers: Vec<_> = found
            .iter()
            .filter(|one| one["code"] == "leftover-file")
            .collect();
        let [leftover] = leftovers[..] else {
            panic!("{found:#?}");
        };
        let severity = if is_decided { "error" } else { "warning" };
        assert_eq!(leftover["severity"], severity);
        assert!(
            leftover["evidence"][0]["path"]
                .as_str()
                .unwrap()
                .ends_with("-repair-idem-0")
        );
        assert_eq!(leftover["evidence"][1]["stored"], "1");
        assert!(
            found.iter().all(|one| one["code"] != "stray-file"),
            "{found:#?}"
        );
        // Nothing else of the partition can be repaired before.
        let lines: BTreeSet<_> = found
            .iter()
            .filter_map(|one| one["repair"].as_str())
            .collect();
        let [line] = lines.into_iter().collect::<Vec<_>>()[..] else {
            panic!("{found:#?}");
        };
        assert!(found.iter().any(|one| one["code"] == "index-missing"));
        let refused = run(line, "--dry-run", place.path()).ended_with(3);
        assert!(refused.stderr.contains("broken off"), "{}", refused.stderr);
        let outcome = run(line, "--now=2026-12-01", place.path()).ended_with(0);
        let said = if is_decided { "finished now" } else { "undone" };
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        let after = findings(&check(&[&data]));
        assert!(
            after.iter().all(|one| one["severity"] == "note"),
            "{after:#?}"
        );
        assert!(
            after.iter().all(|one| one["code"] != "leftover-file"),
            "{after:#?}"
        );
    }
}

#[test]
fn a_result_that_was_never_finished_is_a_leftover_and_no_partition() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    copy_tree(&testdata("main/plain-0"), &out.join("plain-0"));
    copy_tree(&testdata("main/idem-0"), &out.join("idem-0.kfsck-partial"));
    let outcome = check(&[&out]).ended_with(0);
    let answer: Value = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!(answer["summary"]["partitions"], 1);
    let starts = answer["nextStart"].as_array().unwrap();
    let actions: Vec<_> = starts.iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, ["clean-load"]);
    let found = findings(&outcome);
    let leftover = found
        .iter()
        .find(|one| one["code"] == "leftover-file")
        .unwrap();
    assert_eq!(leftover["severity"], "note");
    assert!(
        leftover["advice"].as_str().unwrap().contains("begins anew"),
        "{leftover}"
    );
    let inside = Run::new(["check", "."]).dir(&out.join("idem-0.kfsck-partial"));
    let told = inside.outcome().ended_with(3);
    assert!(
        told.stderr.contains("it is no partition"),
        "{}",
        told.stderr
    );
    // In a broker's own directory it keeps that broker from starting.
    fs::copy(
        testdata("main/meta.properties"),
        out.join("meta.properties"),
    )
    .unwrap();
    let found = findings(&check(&[&out]).ended_with(1));
    assert!(
        found.iter().any(|one| one["code"] == "start-blocked"),
        "{found:#?}"
    );
}
