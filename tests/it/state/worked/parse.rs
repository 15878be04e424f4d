//! The syntax of worked logs, as the document tells it: strict, so that a slip is no silent pass.

use super::batch::Written;
use kfsck::state::rules::{ALL, by_name};
use std::collections::BTreeMap;

/// A fenced block.
#[derive(Debug)]
pub(super) struct WorkedLog {
    pub(super) lines: Vec<Line>,
}

/// A line of a block with what the document says becomes of the state.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number in the document.
    pub(super) number: usize,
    pub(super) what: What,
    /// What is said by rule set.
    pub(super) expected: BTreeMap<&'static str, Vec<String>>,
    /// The rule sets that the last `=>` was about.
    last_told: Vec<&'static str>,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// A batch of the log.
    Batch(Written),
    /// A new segment begins.
    Segment,
    /// A snapshot lies at this offset; without content if it is torn.
    Snapshot { offset: i64, is_torn: bool },
    /// A replica fetches the log: the first offsets of the batches of each fetch.
    Fetches(Vec<Vec<i64>>),
    /// One more batch comes, and is not part of the log afterwards.
    Comes(Who, Written),
    /// A broker starts on the directory.
    Start(Start),
    /// A replica cuts its log to end here.
    Truncated(i64),
}

/// By whom a batch comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Client,
    UnverifiedClient,
    Coordinator(i16),
    Follower,
}

/// How a broker starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) is_clean: bool,
    pub(super) log_start: i64,
    pub(super) recovery_point: i64,
    /// Milliseconds behind the first batch.
    pub(super) now: Option<i64>,
}

/// `key=value` words.
pub(super) struct Fields<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Fields<'a> {
    pub(super) fn of(words: &[&'a str]) -> Self {
        let pairs = words.iter().map(|word| {
            word.split_once('=')
                .unwrap_or_else(|| panic!("{word:?} is no key=value"))
        });
        let fields = Self(pairs.collect());
        assert_eq!(fields.0.len(), words.len(), "a key twice: {words:?}");
        fields
    }

    pub(super) fn text(&mut self, key: &str) -> Option<&'a str> {
        self.0.remove(key)
    }

    pub(super) fn number<T: TryFrom<i64>>(&mut self, key: &str) -> Option<T> {
        let number = number(self.text(key)?);
        Some(T::try_from(number).unwrap_or_else(|_| panic!("{key}={number} is out of range")))
    }

    pub(super) fn end(self) {
        assert!(self.0.is_empty(), "unknown keys: {:?}", self.0.keys());
    }
}

pub(super) fn number(text: &str) -> i64 {
    text.parse()
        .unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The blocks of a document that are fenced as `worked-log`.
pub(super) fn blocks(document: &str) -> Vec<WorkedLog> {
    let mut found = Vec::new();
    let mut block: Option<Vec<Line>> = None;
    let mut goes_on = false;
    for (number, text) in (1..).zip(document.lines()) {
        match (&mut block, text) {
            (None, "```worked-log") => block = Some(Vec::new()),
            (None, _) => {}
            (Some(_), "```") => {
                assert!(!goes_on, "line {number}: the last line ends with ;");
                let lines = block.take().unwrap();
                lines.iter().for_each(covers_each_rule_set_once);
                found.push(WorkedLog { lines });
            }
            (Some(lines), text) => {
                let text = text.trim();
                match goes_on {
                    true => more(lines.last_mut().unwrap(), text),
                    false => line(lines, number, text),
                }
                goes_on = text.ends_with(';');
            }
        }
    }
    assert!(block.is_none(), "the last block has no end");
    found
}

/// A line without a part before `=>`, or with names of rule sets there, tells more of the line
/// above.
fn line(lines: &mut Vec<Line>, number: usize, text: &str) {
    let (left, said) = match text.split_once("=>") {
        Some((left, said)) => (left, Some(said)),
        None => (text, None),
    };
    let words: Vec<_> = left.split_whitespace().collect();
    let mut names: Vec<_> = words.iter().filter_map(|word| by_name(word)).collect();
    if names.len() < words.len() {
        names.clear();
        lines.push(Line {
            number,
            what: what(&words),
            expected: BTreeMap::new(),
            last_told: Vec::new(),
        });
    }
    let Some(said) = said else { return };
    if names.is_empty() {
        names.extend(ALL);
    }
    let line = lines.last_mut().expect("a line above what is said");
    line.last_told = names.iter().map(|rules| rules.name()).collect();
    for name in &line.last_told {
        let before = line.expected.insert(name, items(said));
        assert!(before.is_none(), "line {number}: {name} twice");
    }
}

fn items(said: &str) -> Vec<String> {
    let items = said.split(';').map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

/// The line before ended with `;`: what follows belongs to the same rule sets.
fn more(line: &mut Line, text: &str) {
    assert!(!text.contains("=>"), "line {}: ; before =>", line.number);
    for name in &line.last_told {
        let said = line.expected.get_mut(name).unwrap();
        said.extend(items(text));
    }
}

fn covers_each_rule_set_once(line: &Line) {
    let wanted = match line.what {
        What::Segment | What::Snapshot { .. } => 0,
        _ => ALL.len(),
    };
    let found = line.expected.len();
    assert_eq!(found, wanted, "line {}: rule sets told of", line.number);
}

fn what(words: &[&str]) -> What {
    let (first, rest) = words.split_first().unwrap();
    match (*first, rest) {
        ("segment", []) => What::Segment,
        ("fetches", rest) => What::Fetches(
            rest.split(|word| *word == "|")
                .map(|fetch| fetch.iter().map(|offset| number(offset)).collect())
                .collect(),
        ),
        ("truncated", [end]) => What::Truncated(number(end)),
        ("start", [how, rest @ ..]) => What::Start(start(how, rest)),
        ("client", batch) => What::Comes(Who::Client, Written::parse(batch)),
        ("client-unverified", batch) => What::Comes(Who::UnverifiedClient, Written::parse(batch)),
        ("coordinator-v1", batch) => What::Comes(Who::Coordinator(1), Written::parse(batch)),
        ("coordinator-v2", batch) => What::Comes(Who::Coordinator(2), Written::parse(batch)),
        ("follower", batch) => What::Comes(Who::Follower, Written::parse(batch)),
        (offset, ["snapshot", how @ ("taken" | "torn")]) => What::Snapshot {
            offset: number(offset),
            is_torn: *how == "torn",
        },
        _ => What::Batch(Written::parse(words)),
    }
}

fn start(how: &str, rest: &[&str]) -> Start {
    let mut fields = Fields::of(rest);
    let start = Start {
        is_clean: match how {
            "clean" => true,
            "unclean" => false,
            _ => panic!("start {how}: neither clean nor unclean"),
        },
        log_start: fields.number("log-start").unwrap_or(0),
        recovery_point: fields.number("recovery-point").unwrap_or(0),
        now: fields.number("now"),
    };
    fields.end();
    start
}
