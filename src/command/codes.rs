//! Names of findings on the command line; a name that does not exist is refused with those that
//! are near.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use kfsck::analysis::check::code::FindingCode;

/// Near names that are told at most.
const MOST: usize = 5;

/// Reads the name of a finding.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeParser;

impl TypedValueParser for CodeParser {
    type Value = FindingCode;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FindingCode, Error> {
        let parse = |name: &str| FindingCode::parse(name).ok_or_else(|| unknown(name));
        parse.parse_ref(command, argument, value)
    }

    /// For completions; help leaves them out.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = FindingCode::ALL.iter().map(|code| code.as_str());
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

fn unknown(name: &str) -> String {
    let near = near(name);
    let list = "`kfsck explain` lists all codes";
    match near.as_slice() {
        [] => format!("expected the code of a finding; {list}"),
        near => {
            let near = near.join(", ");
            format!("expected the code of a finding; near it: {near}; {list}")
        }
    }
}

/// The codes that are spelled much like this, the nearest first; if there is none, those that
/// share a part or a word.
fn near(name: &str) -> Vec<&'static str> {
    let name = name.to_lowercase().replace(['_', ' '], "-");
    let all = || FindingCode::ALL.iter().map(|code| code.as_str());
    let mut near: Vec<_> = all()
        .map(|code| (changes(&name, code), code))
        .filter(|(changes, code)| *changes <= code.len() / 3)
        .collect();
    near.sort_unstable();
    let mut near: Vec<_> = near.into_iter().map(|(_, code)| code).collect();
    if near.is_empty() {
        near.extend(all().filter(|code| is_akin(&name, code)));
    }
    near.truncate(MOST);
    near
}

fn is_akin(name: &str, code: &str) -> bool {
    let is_part = name.len() >= 3 && code.contains(name);
    let mut words = name.split('-').filter(|word| word.len() >= 3);
    is_part || words.any(|word| code.split('-').any(|known| known == word))
}

/// How many letters must be put in, taken out, replaced to make one of the other (Levenshtein).
fn changes(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (known, cell) in other.iter().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(*known != letter);
            diagonal = *cell;
            left = replaced.min(left + 1).min(*cell + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{changes, near, unknown};

    #[test]
    fn changes_are_counted() {
        for (one, other, count) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("same", "same", 0),
        ] {
            assert_eq!(changes(one, other), count, "{one} {other}");
        }
    }

    #[test]
    fn names_that_are_meant_are_near() {
        assert_eq!(near("crc_mismatch")[0], "crc-mismatch");
        assert_eq!(near("CRC-mismtach")[0], "crc-mismatch");
        assert_eq!(near("zerotail")[0], "zero-tail");
        assert_eq!(near("txnindex-missing")[0], "txn-index-missing");
        assert!(near("barrier").iter().all(|code| code.contains("barrier")));
        assert!(near("snapshot").len() > 2);
        assert_eq!(near("qqqq"), Vec::<&str>::new());
        assert!(unknown("qqqq").contains("kfsck explain"));
    }
}
