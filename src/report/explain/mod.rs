//! What each finding means, how it comes about, what a broker does with it, and what to do.
//!
//! This is the one place of these texts: `kfsck explain` shows them, and `docs/findings.md` is
//! written from them.

mod barriers;
mod cluster;
mod directories;
mod document;
mod frames;
mod indexes;
mod offsets;
mod producers;
mod records;
mod snapshots;

pub use document::document;

use super::json::{Object, WideIntegers};
use super::paragraph::wrap;
use crate::analysis::check::code::FindingCode;

/// The version of the JSON documents.
const SCHEMA: i64 = 1;

/// All that is to be said of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: FindingCode,
    /// What it is, in half a sentence.
    pub line: &'static str,
    /// What it means, and what it does not.
    pub means: &'static str,
    /// How bad it is, and on what that depends.
    pub severity: &'static str,
    /// How it comes about.
    pub causes: &'static str,
    /// What a broker of release 4.4.0 does with it.
    pub broker: &'static str,
    /// What `kfsck repair` does with it.
    pub repair: &'static str,
    /// What to do.
    pub action: &'static str,
    /// Public reports and proposals: KIP-98, KAFKA-5747, project#number.
    pub reports: &'static [&'static str],
}

/// Codes that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Their heading.
    pub title: &'static str,
    /// What is true for all of them.
    pub about: &'static str,
    /// The codes.
    pub entries: &'static [Explanation],
}

/// All groups, in the order in which documents have them.
pub const GROUPS: &[Group] = &[
    frames::GROUP,
    records::GROUP,
    offsets::GROUP,
    producers::GROUP,
    barriers::GROUP,
    snapshots::GROUP,
    indexes::GROUP,
    directories::GROUP,
    cluster::GROUP,
];

impl Explanation {
    /// The parts under their headings, in the order in which they are shown.
    const fn parts(&self) -> [(&'static str, &'static str, &'static str); 6] {
        [
            ("Meaning", "means", self.means),
            ("Severity", "severity", self.severity),
            ("Causes", "causes", self.causes),
            ("Broker", "broker", self.broker),
            ("Repair", "repair", self.repair),
            ("Action", "action", self.action),
        ]
    }
}

/// What is to be said of a code.
#[must_use]
pub fn of(code: FindingCode) -> Option<&'static Explanation> {
    let mut all = GROUPS.iter().flat_map(|group| group.entries);
    all.find(|explanation| explanation.code == code)
}

/// One code in full, for people.
#[must_use]
pub fn text(explanation: &Explanation) -> String {
    const INDENT: usize = 10;
    let mut text = String::new();
    wrap(
        &format!("{}: {}", explanation.code, explanation.line),
        0,
        2,
        &mut text,
    );
    let reports = explanation.reports.join(", ");
    let reports = (!reports.is_empty()).then_some(("Reports", "reports", reports.as_str()));
    for (heading, _, part) in explanation.parts().into_iter().chain(reports) {
        text.push('\n');
        text.push_str(&format!("{heading:INDENT$}"));
        wrap(&without_marks(part), INDENT, INDENT, &mut text);
    }
    text
}

/// All codes with a line each, for people.
#[must_use]
pub fn list() -> String {
    let mut text = String::new();
    for (index, group) in GROUPS.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(group.title);
        text.push('\n');
        for entry in group.entries {
            let name = format!("  {}", entry.code);
            text.push_str(&name);
            text.push_str(": ");
            wrap(entry.line, name.len() + 2, 6, &mut text);
        }
    }
    text
}

/// The marks of emphasis say nothing on a terminal; those of commands stay.
fn without_marks(text: &str) -> String {
    text.replace("**", "")
}

/// These codes as a JSON document.
#[must_use]
pub fn json(codes: &[&Explanation], wide: WideIntegers) -> Vec<u8> {
    let mut out = Vec::new();
    let mut document = Object::open(&mut out, wide);
    document.int("schema", SCHEMA);
    let list = document.name("codes");
    list.push(b'[');
    for (index, explanation) in codes.iter().enumerate() {
        if index > 0 {
            list.push(b',');
        }
        push_object(explanation, wide, list);
    }
    list.push(b']');
    document.close_line();
    out
}

fn push_object(explanation: &Explanation, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("code", explanation.code.as_str());
    object.text("line", explanation.line);
    for (_, name, part) in explanation.parts() {
        object.text(name, &without_marks(part));
    }
    let reports = object.name("reports");
    reports.push(b'[');
    for (index, report) in explanation.reports.iter().enumerate() {
        if index > 0 {
            reports.push(b',');
        }
        super::json::push_text(report, reports);
    }
    reports.push(b']');
    object.close();
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, document, list, of, text};
    use crate::analysis::check::code::FindingCode;
    use crate::report::paragraph::WIDTH;
    use std::collections::HashSet;

    #[test]
    fn every_code_is_explained_once() {
        let all = GROUPS.iter().flat_map(|group| group.entries);
        let codes: Vec<_> = all.map(|entry| entry.code).collect();
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
        assert_eq!(codes.len(), FindingCode::ALL.len());
        for code in FindingCode::ALL {
            assert_eq!(of(*code).map(|entry| entry.code), Some(*code));
        }
    }

    #[test]
    fn parts_are_sentences_and_fit_a_terminal() {
        for entry in GROUPS.iter().flat_map(|group| group.entries) {
            for (heading, _, part) in entry.parts() {
                let ends = part.ends_with(['.', '?']) || heading == "Severity";
                assert!(ends && !part.contains("  "), "{}: {part}", entry.code);
            }
            assert!(!entry.line.ends_with('.'), "{}", entry.code);
            let long = text(entry);
            for line in long.lines().chain(list().lines()) {
                assert!(line.chars().count() <= WIDTH, "{line}");
            }
        }
    }

    /// What is told to be run or read is there.
    #[test]
    fn texts_name_codes_verbs_and_documents_that_exist() {
        const VERBS: [&str; 6] = ["log", "index", "snapshot", "pids", "barrier", "abort"];
        let text = document();
        for after in text.split("kfsck repair ").skip(1) {
            let verb = after.split(|letter: char| !letter.is_ascii_alphabetic());
            let verb = verb.into_iter().next().unwrap();
            assert!(VERBS.contains(&verb), "kfsck repair {verb}");
        }
        for after in text.split("docs/").skip(1) {
            let name = after.split(".md").next().unwrap();
            let path = format!("{}/docs/{name}.md", env!("CARGO_MANIFEST_DIR"));
            assert!(std::path::Path::new(&path).exists(), "{path}");
        }
    }
}
