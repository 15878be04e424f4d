//! The JSON document, held against a declaration that takes nothing else.

use std::collections::BTreeSet;

use kfsck::simulate::builtin;
use kfsck::simulate::harm::HarmKind;
use serde::Deserialize;
use serde_json::Value;

use super::{HOSTILE, builtin, simulate, simulated};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: i64,
    seed: u64,
    runs: Vec<SimulatedRun>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SimulatedRun {
    scenario: String,
    strategy: String,
    rules: String,
    verdict: Verdict,
    clusters: Vec<Cluster>,
    harm: Vec<Harm>,
    losses: Vec<Loss>,
    broken: Vec<String>,
    replay: String,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Safe,
    Unsafe,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Cluster {
    name: String,
    topic_partition: String,
    log_end_offset: i64,
    last_stable_offset: i64,
    batches: Vec<Batch>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Batch {
    base_offset: i64,
    last_offset: i64,
    producer_id: i64,
    producer_id_hex: Option<String>,
    producer_epoch: i16,
    base_sequence: i32,
    is_transactional: bool,
    is_control: bool,
    control_type: Option<ControlType>,
    writer: Option<String>,
    origin_cluster: String,
}

#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ControlType {
    Abort,
    Commit,
    MirrorPidReset,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Harm {
    kind: String,
    cluster: String,
    topic_partition: String,
    offset: Option<i64>,
    producer_id: Option<i64>,
    producer_id_hex: Option<String>,
    writers: Vec<String>,
    detail: String,
    step: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Loss {
    kind: String,
    cluster: String,
    topic_partition: String,
    offset: i64,
    writer: String,
}

fn document(text: &str) -> Document {
    assert_eq!(text.lines().count(), 1);
    let document: Document = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(document.schema, 1);
    document
}

const EVERYTHING: [&str; 8] = [
    "--builtin",
    "all",
    "--strategy",
    "all",
    "--rules",
    "all",
    "--format",
    "json",
];

fn is_wide(id: i64) -> bool {
    id.unsigned_abs() > 1 << 53
}

fn is_right(id: i64, hex: Option<&str>) {
    let expected = is_wide(id).then(|| format!("0x{id:016X}"));
    assert_eq!(hex, expected.as_deref(), "{id}");
}

#[test]
fn everything_that_comes_with_the_program() {
    let outcome = simulated(&EVERYTHING).ended_with(0);
    assert_eq!(outcome.stderr, "");
    let document = document(outcome.text());
    assert_eq!(document.seed, 1);
    assert_eq!(document.runs.len(), builtin::ALL.len() * 7 * 4);
    let (mut controls, mut kinds, mut wide) = (BTreeSet::new(), BTreeSet::new(), 0);
    for run in &document.runs {
        assert!(run.broken.is_empty(), "{run:?}");
        assert_eq!(run.harm.is_empty(), run.verdict == Verdict::Safe, "{run:?}");
        assert!(!run.clusters.is_empty());
        for cluster in &run.clusters {
            assert!(cluster.topic_partition.ends_with("-0") && !cluster.name.is_empty());
            assert!(cluster.last_stable_offset <= cluster.log_end_offset);
            let mut next = 0;
            for batch in &cluster.batches {
                assert_eq!(batch.base_offset, next, "{run:?}");
                next = batch.last_offset + 1;
                is_right(batch.producer_id, batch.producer_id_hex.as_deref());
                wide += usize::from(is_wide(batch.producer_id));
                controls.extend(batch.control_type);
                assert_eq!(batch.is_control, batch.control_type.is_some());
                let is_barrier = batch.control_type == Some(ControlType::MirrorPidReset);
                assert_eq!(batch.writer.is_none(), is_barrier);
                assert!(!is_barrier || batch.producer_id == -1 && batch.producer_epoch == -1);
                assert!(!batch.is_control || batch.base_sequence == -1);
                assert!(is_barrier || !batch.is_control || batch.is_transactional);
                assert!(!batch.origin_cluster.is_empty());
            }
            assert_eq!(next, cluster.log_end_offset);
        }
        for harm in &run.harm {
            kinds.insert(harm.kind.clone());
            assert!(!harm.cluster.is_empty() && !harm.detail.is_empty());
            assert!(harm.topic_partition.ends_with("-0") && harm.step < 100);
            assert!(harm.offset.is_none_or(|offset| offset >= 0));
            assert!(harm.writers.iter().all(|writer| !writer.is_empty()));
            match harm.producer_id {
                Some(id) => is_right(id, harm.producer_id_hex.as_deref()),
                None => assert_eq!(harm.producer_id_hex, None),
            }
        }
    }
    // A test that sees nothing proves nothing.
    assert_eq!(controls.len(), 3);
    assert!(wide > 100 && kinds.len() >= 9, "{wide} {kinds:?}");
    let known: BTreeSet<_> = HarmKind::ALL.iter().map(|kind| kind.name()).collect();
    assert!(kinds.iter().all(|kind| known.contains(kind.as_str())));
}

#[test]
fn losses_are_told_beside_harm() {
    let outcome = simulated(&[
        "--builtin",
        "failback",
        "--strategy",
        "barrier",
        "--format",
        "json",
    ]);
    let document = document(outcome.ended_with(0).text());
    let [run] = document.runs.as_slice() else {
        panic!("{document:?}");
    };
    assert_eq!(
        (run.scenario.as_str(), run.verdict == Verdict::Safe),
        ("failback", true)
    );
    assert_eq!(
        (run.strategy.as_str(), run.rules.as_str()),
        ("barrier", "barrier")
    );
    let losses: Vec<_> = run
        .losses
        .iter()
        .map(|loss| {
            let place = (loss.cluster.as_str(), loss.topic_partition.as_str());
            (loss.kind.as_str(), place, loss.offset, loss.writer.as_str())
        })
        .collect();
    let lost = |offset| ("unmirrored", ("A", "orders-0"), offset, "a1");
    assert_eq!(losses, [lost(2), lost(3)]);
}

#[test]
fn wide_integers_as_strings_and_nothing_else() {
    let run = |wide| {
        let args = [&EVERYTHING[..], &["--wide-integers", wide]].concat();
        let outcome = simulated(&args).ended_with(0);
        serde_json::from_str::<Value>(outcome.text()).unwrap()
    };
    let (mut numbers, strings) = (run("number"), run("string"));
    let mut changed = 0;
    quote(&mut numbers, &mut changed);
    assert!(changed > 100);
    assert_eq!(numbers, strings);
}

fn quote(value: &mut Value, changed: &mut usize) {
    match value {
        Value::Number(number) if number.as_i64().is_some_and(is_wide) => {
            *value = Value::String(number.to_string());
            *changed += 1;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| quote(item, changed)),
        Value::Object(fields) => fields.values_mut().for_each(|field| quote(field, changed)),
        _ => {}
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_other_salts() {
    let salted = [
        "--builtin",
        "hash-collision",
        "--strategy",
        "bit-field-random-salt",
        "--format",
        "json",
    ];
    let with = |seed| simulated(&[&salted[..], &["--seed", seed]].concat()).ended_with(0);
    assert_eq!(with("7").stdout, with("7").stdout);
    let ids = |outcome: &crate::program::Outcome| -> Vec<i64> {
        let document = document(outcome.text());
        let batches = document.runs.iter().flat_map(|run| &run.clusters);
        let batches = batches.flat_map(|cluster| &cluster.batches);
        batches.map(|batch| batch.producer_id).collect()
    };
    assert_ne!(ids(&with("7")), ids(&with("8")));
    assert_eq!(document(with("18446744073709551615").text()).seed, u64::MAX);
    assert_eq!(simulated(&EVERYTHING).stdout, simulated(&EVERYTHING).stdout);
}

#[test]
fn a_run_names_the_command_that_repeats_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("it's.json"), builtin("chain")).unwrap();
    let args = [
        "it's.json",
        "--builtin",
        "failback",
        "--format",
        "json",
        "--seed",
        "3",
    ];
    let outcome = simulate(&args)
        .dir(directory.path())
        .outcome()
        .ended_with(0);
    let document = document(outcome.text());
    assert_eq!(document.runs.len(), 14);
    for run in &document.runs {
        let words = run.replay.strip_prefix("kfsck ").unwrap();
        let shell = crate::program::Run::in_shell(&format!("\"$0\" {words} --format json"), &[]);
        let again = shell.dir(directory.path()).outcome().ended_with(0);
        let again = self::document(again.text());
        let [again] = again.runs.as_slice() else {
            panic!("{again:?}");
        };
        assert_eq!(format!("{again:?}"), format!("{run:?}"));
    }
}

#[test]
fn names_of_any_letters_come_back_as_they_were() {
    let outcome = simulate(&["-", "--format", "json", "--strategy", "verbatim"])
        .outcome_with(HOSTILE.into())
        .ended_with(1);
    let document = document(outcome.text());
    let scenario: Value = serde_json::from_str(HOSTILE).unwrap();
    let names: BTreeSet<_> = (0..2)
        .map(|one| scenario["writers"][one]["name"].as_str())
        .collect();
    let batches = document.runs[0]
        .clusters
        .iter()
        .flat_map(|one| &one.batches);
    let written: BTreeSet<_> = batches.map(|batch| batch.writer.as_deref()).collect();
    assert_eq!(written, names);
}

#[test]
fn the_list_as_json() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        schema: i64,
        builtins: Vec<Builtin>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Builtin {
        name: String,
        about: String,
    }
    let outcome = simulated(&["--list", "--format", "json"]).ended_with(0);
    let list: List = serde_json::from_str(outcome.text()).unwrap();
    let names: Vec<_> = list.builtins.iter().map(|one| one.name.as_str()).collect();
    let known: Vec<_> = builtin::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!((list.schema, names), (1, known));
    assert!(list.builtins.iter().all(|one| one.about.len() > 20));
}

/// A declaration that takes anything would prove nothing.
#[test]
fn the_declaration_refuses_what_it_should() {
    for bad in [
        r#"{"schema":1,"seed":1,"runs":[],"more":1}"#,
        r#"{"schema":1,"runs":[]}"#,
        r#"{"schema":1,"seed":"1","runs":[]}"#,
        r#"{"schema":1,"seed":1,"runs":[{"scenario":"x"}]}"#,
    ] {
        assert!(serde_json::from_str::<Document>(bad).is_err(), "{bad}");
    }
}
