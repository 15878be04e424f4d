//! `kfsck pid`: the answers that scripts read, and what is wrong usage.

use serde::Deserialize;

use crate::program::{Outcome, Run};

/// Bits 00112233-4455-6677-8899-aabbccddeeff: region 0x88888888.
const CLUSTER: &str = "ABEiM0RVZneImaq7zN3u_w";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Mapped {
    schema: i64,
    strategy: String,
    cluster_id: Option<String>,
    salt: Option<i64>,
    region: Option<u32>,
    original_producer_id: i64,
    original_producer_id_hex: Option<String>,
    producer_id: i64,
    producer_id_hex: Option<String>,
    warnings: Vec<Told>,
    notes: Vec<Told>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    code: String,
    message: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Explained {
    schema: i64,
    producer_id: i64,
    producer_id_hex: Option<String>,
    origin: String,
    readings: Vec<Reading>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
enum Reading {
    Local,
    None,
    Negation {
        #[serde(rename = "producerId")]
        producer_id: i64,
        #[serde(rename = "producerIdHex")]
        producer_id_hex: Option<String>,
    },
    BitField {
        region: u32,
        #[serde(rename = "low31Bits")]
        low_31_bits: u32,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Odds {
    schema: i64,
    regions: u64,
    clusters: u64,
    probability: f64,
    asked_probability: Option<f64>,
    least_clusters: Option<u64>,
    least_probability: Option<f64>,
}

fn pid(args: &[&str]) -> Outcome {
    let run = args.iter().fold(Run::new(["pid"]), Run::arg);
    run.outcome()
}

fn json<T: for<'de> Deserialize<'de>>(outcome: &Outcome) -> T {
    let text = outcome.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn map(code: i32, args: &[&str]) -> Mapped {
    let args = [&["map", "--format", "json"], args].concat();
    let outcome = pid(&args).ended_with(code);
    let mapped: Mapped = json(&outcome);
    assert_eq!(mapped.schema, 1);
    // What JSON tells is told on stderr, too.
    assert_eq!(
        outcome.stderr.lines().count(),
        mapped.warnings.len() + mapped.notes.len()
    );
    for told in mapped.warnings.iter().chain(&mapped.notes) {
        assert!(outcome.stderr.contains(&told.message), "{}", outcome.stderr);
    }
    mapped
}

fn codes(told: &[Told]) -> Vec<&str> {
    told.iter().map(|told| told.code.as_str()).collect()
}

#[test]
fn published_bit_field_ids() {
    // Clusters whose 128 bits are the number of their region.
    for (region, mapped, hex) in [
        (42, -9_223_371_946_660_462_587, "0x8000001500000005"),
        (99, -9_223_371_824_253_894_651, "0x8000003180000005"),
        (17, -9_223_372_000_347_553_787, "0x8000000880000005"),
    ] {
        let cluster = format!("{region:032x}");
        let answer = map(0, &["--pid", "5", "--cluster-id", &cluster]);
        assert_eq!(answer.producer_id, mapped);
        assert_eq!(answer.producer_id_hex.as_deref(), Some(hex));
        assert_eq!((answer.region, answer.salt), (Some(region), Some(0)));
        assert_eq!(answer.original_producer_id, 5);
        assert_eq!(answer.original_producer_id_hex, None);
        assert!(answer.warnings.is_empty() && answer.notes.is_empty());
    }
}

#[test]
fn three_forms_of_a_cluster_id_and_a_salt() {
    for cluster in [
        CLUSTER,
        "00112233-4455-6677-8899-aabbccddeeff",
        "00112233445566778899AABBCCDDEEFF",
    ] {
        let answer = map(0, &["--pid", "5", "--cluster-id", cluster]);
        assert_eq!(answer.region, Some(0x8888_8888), "{cluster}");
        assert_eq!(answer.cluster_id.as_deref(), Some(cluster));
        let salted = map(0, &["--pid", "5", "--cluster-id", cluster, "--salt", "3"]);
        assert_eq!((salted.region, salted.salt), (Some(0x8888_888b), Some(3)));
        let back = map(0, &["--pid", "5", "--cluster-id", cluster, "--salt", "-1"]);
        assert_eq!(back.region, Some(0x8888_8887));
    }
    // One in 64 of Kafka's own ids begins with a dash.
    let dashed = map(0, &["--pid", "5", "--cluster-id", "-BEiM0RVZneImaq7zN3u_w"]);
    assert_eq!(dashed.region, Some(0x8888_8888));
}

#[test]
fn negations() {
    let negate = |pid, code| map(code, &["--pid", pid, "--strategy", "negate"]);
    let once = negate("5", 0);
    assert_eq!((once.producer_id, once.strategy.as_str()), (-7, "negate"));
    assert_eq!(
        (once.region, once.salt, once.cluster_id),
        (None, None, None)
    );
    assert_eq!(codes(&once.notes), ["also-bit-field"]);
    let twice = negate("-7", 1);
    assert_eq!(twice.producer_id, 5);
    assert_eq!(codes(&twice.warnings), ["becomes-local"]);
    let args = ["--pid", "-7", "--strategy", "negate-idempotent"];
    let passed = map(0, &[&args[..], &["--cluster-id", "any text"]].concat());
    assert_eq!(passed.producer_id, -7);
    assert_eq!(codes(&passed.notes), ["passes"]);
}

#[test]
fn every_edge_is_a_warning() {
    let (least, greatest) = ("0".repeat(32), format!("{:032x}", u32::MAX));
    for (pid, cluster, mapped, code) in [
        (
            "2147483653",
            CLUSTER,
            map(0, &["--pid", "5", "--cluster-id", CLUSTER]).producer_id,
            "aliased",
        ),
        ("0", &least, i64::MIN, "least-number"),
        ("2147483647", &greatest, -1, "becomes-none"),
        ("2147483641", &greatest, -7, "also-negation"),
    ] {
        let args = ["--pid", pid, "--cluster-id", cluster];
        let answer = map(1, &args);
        assert_eq!(answer.producer_id, mapped);
        assert_eq!(codes(&answer.warnings), [code]);
        let calm = pid_args(&["map"], &args, &["--exit-zero", "-q"]).ended_with(0);
        assert_eq!(calm.stderr.lines().count(), 1, "{}", calm.stderr);
    }
    let kept = pid_args(&["map"], &["--pid", "-1", "--cluster-id", CLUSTER], &["-q"]);
    assert_eq!(kept.ended_with(0).stderr, "");
}

fn pid_args(verb: &[&str], args: &[&str], more: &[&str]) -> Outcome {
    pid(&[verb, args, more].concat())
}

#[test]
fn free_text_and_other_wrong_usage() {
    let text = pid(&["map", "--pid", "5", "--cluster-id", "production"]).ended_with(2);
    for word in ["production", "22 characters", "UUID", "KIP-78", "--help"] {
        assert!(text.stderr.contains(word), "{}", text.stderr);
    }
    assert_eq!(text.text(), "");
    for (args, word) in [
        (&["map", "--pid", "5"][..], "--cluster-id"),
        (&["map", "--cluster-id", CLUSTER], "--pid"),
        (&["map", "--pid", "x", "--cluster-id", CLUSTER], "64 bits"),
        (
            &["map", "--pid", "5", "--strategy", "negate", "--salt", "1"],
            "--salt",
        ),
        (&["explain"], "<N>"),
        (&["explain", "9223372036854775808"], "64 bits"),
        (&["explain", "0x+5"], "64 bits"),
        (&["odds"], "--clusters"),
        (
            &["odds", "--clusters", "5", "--probability", "0.5"],
            "--probability",
        ),
        (&["odds", "--clusters", "-5"], "--clusters"),
        (&["odds", "--probability", "0"], "above 0"),
        (&["odds", "--probability", "NaN"], "above 0"),
        (&["odds", "--probability", "1.1"], "above 0"),
        (&["odds", "--probability", "-0.5"], "above 0"),
        (&[], "Usage"),
    ] {
        let outcome = pid(args).ended_with(2);
        assert!(
            outcome.stderr.contains(word),
            "{args:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn every_reading_of_an_id() {
    let explain = |id: &str| {
        let outcome = pid(&["explain", id, "--format", "json"]).ended_with(0);
        assert_eq!(outcome.stderr, "");
        let explained: Explained = json(&outcome);
        assert_eq!(explained.schema, 1);
        explained
    };
    let local = explain("5");
    assert_eq!((local.producer_id, local.origin.as_str()), (5, "local"));
    let bit_field = |region, low_31_bits| Reading::BitField {
        region,
        low_31_bits,
    };
    let negation = |producer_id| Reading::Negation {
        producer_id,
        producer_id_hex: None,
    };
    assert_eq!(local.readings, [Reading::Local, negation(-7)]);
    let greatest = explain("9223372036854775807");
    assert_eq!(greatest.readings, [Reading::Local]);
    let seven = explain("-7");
    assert_eq!(
        (seven.origin.as_str(), seven.producer_id_hex),
        ("negated", None)
    );
    assert_eq!(
        seven.readings,
        [negation(5), bit_field(u32::MAX, 0x7fff_fff9)]
    );
    let none = explain("-1");
    assert_eq!(none.origin, "none");
    assert_eq!(
        none.readings,
        [Reading::None, bit_field(u32::MAX, 0x7fff_ffff)]
    );
    for id in ["-9223371946660462587", "0x8000001500000005"] {
        let mapped = explain(id);
        assert_eq!(mapped.origin, "bit-field");
        assert_eq!(
            mapped.producer_id_hex.as_deref(),
            Some("0x8000001500000005")
        );
        assert_eq!(mapped.readings[1], bit_field(42, 5));
    }
    let text = pid(&["explain", "-7"]).ended_with(0);
    for words in ["negation   -(5 + 2)", "region 4294967295", "no state"] {
        assert!(text.text().contains(words), "{}", text.text());
    }
}

#[test]
fn wide_integers_come_as_strings_when_asked_for() {
    let args = ["explain", "0x8000001500000005", "--format", "json"];
    let outcome = pid_args(&args, &["--wide-integers", "string"], &[]).ended_with(0);
    let value: serde_json::Value = json(&outcome);
    assert_eq!(value["producerId"], "-9223371946660462587");
    assert_eq!(value["readings"][1]["region"], 42);
}

#[test]
fn exact_odds() {
    let odds = |args: &[&str]| -> Odds {
        let args = [&["odds", "--format", "json"], args].concat();
        let odds: Odds = json(&pid(&args).ended_with(0));
        assert_eq!((odds.schema, odds.regions), (1, 1 << 32));
        odds
    };
    for (clusters, probability) in [
        ("1", 0.0),
        ("5", 2.328_306_434_641_342_5e-9),
        ("1000", 1.162_921_530_698_607e-4),
        ("65536", 0.393_466_255_281_518_9),
        ("4294967297", 1.0),
    ] {
        let answer = odds(&["--clusters", clusters]);
        assert_eq!(answer.clusters.to_string(), clusters);
        assert!((answer.probability - probability).abs() <= probability * 1e-15);
        assert_eq!(
            (answer.asked_probability, answer.least_clusters),
            (None, None)
        );
    }
    let half = odds(&["--probability", "0.5"]);
    assert_eq!((half.clusters, half.least_clusters), (77_163, Some(77_164)));
    assert!(half.probability < 0.5 && half.least_probability > Some(0.5));
    for (clusters, words) in [
        (
            "1",
            "1 cluster: two of them share a region with probability 0\n",
        ),
        ("5", "2.328306e-9 (1 in 429496730)"),
        ("65536", "0.3934663 (39.3 %)"),
        ("421908", "1 - 1.00e-9"),
        ("4294967296", "above 1 - 1e-14"),
        ("4294967297", "1 (certain)"),
    ] {
        let text = pid(&["odds", "--clusters", clusters]).ended_with(0);
        assert!(text.text().contains(words), "{}", text.text());
    }
}
