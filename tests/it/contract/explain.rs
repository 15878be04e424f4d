//! `kfsck explain`: every code, in both forms.

use serde::Deserialize;

use crate::program::Run;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: i64,
    codes: Vec<Explanation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Explanation {
    code: String,
    line: String,
    means: String,
    severity: String,
    causes: String,
    broker: String,
    repair: String,
    action: String,
    reports: Vec<String>,
}

fn explain(args: &[&str]) -> Run {
    args.iter().fold(Run::new(["explain"]), Run::arg)
}

fn document(args: &[&str]) -> Document {
    let outcome = explain(&["--format", "json"]);
    let outcome = args.iter().fold(outcome, Run::arg).outcome().ended_with(0);
    let document: Document = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(document.schema, 1);
    document
}

#[test]
fn every_code_of_the_list_is_told_in_full() {
    let list = explain(&[]).outcome().ended_with(0);
    let all = document(&[]).codes;
    assert!(all.len() > 50);
    for known in &all {
        let line = format!("  {}: ", known.code);
        assert!(list.text().contains(&line), "{}", known.code);
        let text = explain(&[&known.code]).outcome().ended_with(0);
        let head = format!("{}: ", known.code);
        assert!(text.text().starts_with(&head), "{}", text.text());
        for heading in [
            "Meaning", "Severity", "Causes", "Broker", "Repair", "Action",
        ] {
            let at_start = format!("\n{heading} ");
            assert!(text.text().contains(&at_start), "{}", text.text());
        }
        for line in text.text().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let parts = [
            &known.line,
            &known.means,
            &known.severity,
            &known.causes,
            &known.broker,
            &known.repair,
            &known.action,
        ];
        assert!(parts.iter().all(|part| part.len() > 5), "{known:?}");
    }
    assert!(all.iter().any(|known| !known.reports.is_empty()));
}

#[test]
fn several_codes_come_in_the_order_asked_for() {
    let codes = document(&["zero-tail", "crc-mismatch"]).codes;
    let names: Vec<_> = codes.iter().map(|known| known.code.as_str()).collect();
    assert_eq!(names, ["zero-tail", "crc-mismatch"]);
    let text = explain(&["zero-tail", "crc-mismatch"])
        .outcome()
        .ended_with(0);
    let [first, second] = ["zero-tail: ", "\n\ncrc-mismatch: "].map(|head| text.text().find(head));
    assert!(first == Some(0) && second > first, "{}", text.text());
}

#[test]
fn an_unknown_code_ends_with_2_and_those_that_are_near() {
    let outcome = explain(&["crc-mismtach"]).outcome().ended_with(2);
    assert_eq!(outcome.text(), "");
    for said in [
        "'crc-mismtach'",
        "near it: crc-mismatch;",
        "kfsck explain",
        "--help",
    ] {
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
}
