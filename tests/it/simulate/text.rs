//! Text: the table says what the document says, everything fits 80 columns where it should, and
//! no name breaks a line or a drawing.

use std::collections::{BTreeMap, BTreeSet};

use kfsck::simulate::builtin;
use serde_json::Value;

use super::{HOSTILE, simulate, simulated};

/// The verdict and kinds of harm of each scenario and strategy under one rule set.
fn cells_of_json(rules: &str) -> BTreeMap<(String, usize), BTreeSet<String>> {
    let args = ["--builtin", "all", "--rules", rules, "--format", "json"];
    let outcome = simulated(&args).ended_with(0);
    let document: Value = serde_json::from_str(outcome.text()).unwrap();
    let runs = document["runs"].as_array().unwrap();
    let cells = runs.iter().enumerate().map(|(place, run)| {
        let harm = run["harm"].as_array().unwrap().iter();
        let kinds = harm.map(|harm| harm["kind"].as_str().unwrap().to_owned());
        let scenario = run["scenario"].as_str().unwrap().to_owned();
        ((scenario, place % 7), kinds.collect())
    });
    cells.collect()
}

#[test]
fn a_table_says_what_the_document_says() {
    for rules in ["stock", "barrier", "mapped", "fork"] {
        let outcome = simulated(&["--builtin", "all", "--rules", rules]).ended_with(0);
        let text = outcome.text();
        assert!(
            text.starts_with(&format!("Rules {rules}; seed 1\n")),
            "{text}"
        );
        let expected = cells_of_json(rules);
        // Letters and their kinds stand behind the table.
        let mut letters = BTreeMap::new();
        let (table, legend) = text.split_once("\nsafe, of ").unwrap();
        let words: Vec<_> = legend.split_whitespace().collect();
        for pair in words.windows(2) {
            if let [letter, kind] = pair
                && letter.len() == 1
                && letter.chars().all(|letter| letter.is_ascii_uppercase())
            {
                letters.insert(letter.chars().next().unwrap(), (*kind).to_owned());
            }
        }
        let mut seen = 0;
        for line in table.lines() {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            if !builtin::ALL.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let cells: Vec<_> = words.collect();
            assert_eq!(cells.len(), 7, "{line}");
            for (place, cell) in cells.into_iter().enumerate() {
                let kinds: BTreeSet<String> = match cell {
                    "safe" => BTreeSet::new(),
                    cell => cell
                        .chars()
                        .map(|letter| letters[&letter].clone())
                        .collect(),
                };
                assert_eq!(kinds, expected[&(name.to_owned(), place)], "{line}");
                seen += 1;
            }
        }
        assert_eq!(seen, expected.len());
    }
}

#[test]
fn tables_fit_80_columns() {
    for args in [
        &["--builtin", "all", "--rules", "all"][..],
        &["--builtin", "all"],
        &[
            "--builtin",
            "all",
            "--strategy",
            "barrier",
            "--rules",
            "all",
        ],
        &["--list"],
    ] {
        let outcome = simulated(args).ended_with(0);
        let longest = outcome
            .text()
            .lines()
            .map(|line| line.chars().count())
            .max();
        assert!(
            longest.is_some_and(|longest| longest <= 80),
            "{}",
            outcome.text()
        );
    }
    for (name, _) in builtin::ALL {
        let list = simulated(&["--builtin", name, "--rules", "all"]).ended_with(0);
        assert!(
            list.text().lines().all(|line| line.chars().count() <= 80),
            "{}",
            list.text()
        );
        for strategy in ["bit-field-salt", "barrier", "negate"] {
            let one = simulated(&["--builtin", name, "--strategy", strategy]).ended_with(0);
            let long = one.text().lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None);
        }
    }
}

#[test]
fn one_table_for_each_rule_set_or_one_for_each_strategy() {
    let titles = |args: &[&str]| -> Vec<String> {
        let args = [&["--builtin", "chain,failback"], args].concat();
        let outcome = simulated(&args).ended_with(0);
        let lines = outcome.text().lines();
        lines
            .filter(|line| line.ends_with("; seed 1"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        titles(&["--rules", "fork,stock"]),
        ["Rules fork; seed 1", "Rules stock; seed 1"]
    );
    let strategy = ["--strategy", "negate", "--rules", "all"];
    assert_eq!(titles(&strategy), ["Strategy negate; seed 1"]);
    assert_eq!(titles(&[]), ["barrier; seed 1"]);
}

#[test]
fn names_keep_to_their_lines() {
    for form in [&[][..], &["--trace"], &["--diagram"]] {
        let args = [&["-", "--strategy", "verbatim"], form].concat();
        let outcome = simulate(&args).outcome_with(HOSTILE.into()).ended_with(1);
        for text in [outcome.text(), &outcome.stderr] {
            let is_garbling = |letter: char| letter.is_control() && letter != '\n';
            assert!(!text.contains(is_garbling), "{text}");
        }
        assert!(outcome.text().contains("[31m"), "{}", outcome.text());
        // What a name holds begins no line.
        assert!(
            !outcome
                .text()
                .lines()
                .any(|line| line.trim_start().starts_with("%%"))
        );
        let told =
            "hostile: verbatim under barrier: step 6: orders-0 on B: the number of producers";
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
}

/// What Mermaid's grammar of sequence diagrams makes of a line.
fn is_drawn(line: &str, participants: &BTreeSet<&str>) -> bool {
    let is_label = |text: &str| {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once('#') {
            let Some((number, behind)) = behind.split_once(';') else {
                return false;
            };
            if number.parse::<u32>().is_err() {
                return false;
            }
            rest = behind;
        }
        // Behind entities no sign of Mermaid's own is left, but for the line break.
        let bare = text.replace("<br/>", "");
        let semicolons = bare.matches(';').count();
        !text.trim().is_empty()
            && semicolons == bare.matches('#').count()
            && !bare.contains(['<', '>', '{', '}', '%', '`', '"'])
    };
    let are_known = |names: &str| names.split(',').all(|name| participants.contains(name));
    if let Some(title) = line.strip_prefix("title ") {
        return is_label(title);
    }
    if let Some((_, alias)) = line
        .strip_prefix("actor ")
        .or_else(|| line.strip_prefix("participant "))
        .and_then(|rest| rest.split_once(" as "))
    {
        return is_label(alias);
    }
    if let Some((over, text)) = line
        .strip_prefix("Note over ")
        .and_then(|rest| rest.split_once(": "))
    {
        return are_known(over) && is_label(text);
    }
    let Some((arrow, text)) = line.split_once(": ") else {
        return line == "end" || line == "rect rgb(255, 214, 204)";
    };
    let ends = ["-->>", "->>", "--x"]
        .iter()
        .find_map(|sign| arrow.split_once(sign));
    ends.is_some_and(|(from, to)| are_known(from) && are_known(to) && is_label(text))
}

fn check_drawing(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    let mut participants = BTreeSet::new();
    let mut depth = 0_i32;
    for line in lines.map(str::trim_start) {
        let mut words = line.split(' ');
        if let (Some("actor" | "participant"), Some(name)) = (words.next(), words.next()) {
            participants.insert(name);
        }
        depth += i32::from(line.starts_with("rect ")) - i32::from(line == "end");
        assert!((0..=1).contains(&depth), "{text}");
        assert!(is_drawn(line, &participants), "{line}\n{text}");
    }
    assert!(depth == 0 && participants.len() >= 2, "{text}");
}

#[test]
fn drawings_are_mermaids() {
    for (name, _) in builtin::ALL {
        for strategy in ["verbatim", "bit-field-salt", "barrier"] {
            let args = ["--builtin", name, "--strategy", strategy, "--diagram"];
            let outcome = simulated(&args).ended_with(0);
            check_drawing(outcome.text());
        }
    }
    let args = ["-", "--strategy", "verbatim", "--diagram"];
    let outcome = simulate(&args).outcome_with(HOSTILE.into()).ended_with(1);
    check_drawing(outcome.text());
    assert!(outcome.text().contains("HARM"), "{}", outcome.text());
}

#[test]
fn the_check_of_drawings_finds_what_it_should() {
    let participants = BTreeSet::from(["w0", "c0"]);
    for good in [
        "w0->>c0: a#59; b",
        "Note over w0,c0: x",
        "end",
        "c0--xw0: y",
    ] {
        assert!(is_drawn(good, &participants), "{good}");
    }
    for bad in [
        "w0->>c0: a; b",
        "w0->>c0: a # b",
        "w0->>c1: a",
        "w0->>c0:  ",
        "Note over c9: a",
        "Note over c0: <b>",
        "w0=>c0: a",
        "%% a",
    ] {
        assert!(!is_drawn(bad, &participants), "{bad}");
    }
}

#[test]
fn a_trace_has_every_step_in_its_order() {
    let args = ["--builtin", "failback", "--strategy", "barrier", "--trace"];
    let outcome = simulated(&args).ended_with(0);
    let numbers: Vec<usize> = outcome
        .text()
        .lines()
        .filter_map(|line| line.get(..4)?.trim().parse().ok())
        .collect();
    assert_eq!(numbers, (0..12).collect::<Vec<_>>());
    // Without the option nothing is kept, and nothing of it shown.
    let plain = simulated(&args[..4]).ended_with(0);
    assert!(!plain.text().contains("appended:"));
    // Several runs come one after the other.
    let all = simulated(&["--builtin", "failback", "--trace"]).ended_with(0);
    let heads = all
        .text()
        .lines()
        .filter(|line| *line == "failback")
        .count();
    assert_eq!(heads, 7);
}
