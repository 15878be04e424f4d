//! What the next start does, for people.

use std::collections::BTreeMap;

use super::Place;
use super::kept::title;
use crate::analysis::next_start::{Action, NextStart};
use crate::report::measure;
use crate::report::one_line::on_one_line;
use crate::report::paragraph::wrap;

/// The next starts of all partitions.
#[derive(Debug, Default)]
pub(super) struct NextStarts {
    /// Those of which there is nothing to say.
    clean: u64,
    /// Those that are not loaded, by what ends the start.
    blocked: BTreeMap<String, u64>,
    /// The others by what happens, each as it is shown.
    others: BTreeMap<Action, Vec<String>>,
}

impl NextStarts {
    pub(super) fn add(&mut self, place: &Place<'_>, next: &NextStart) {
        if next.is_uneventful() {
            self.clean += 1;
            return;
        }
        if let (Action::BrokerFails, Some(by)) = (next.action, &next.blocked_by) {
            *self.blocked.entry(by.clone()).or_default() += 1;
            return;
        }
        let text = shown(&title(place.name, place.path), next);
        self.others.entry(next.action).or_default().push(text);
    }

    /// The worst first.
    pub(super) fn write(&self, out: &mut String) {
        let others: usize = self.others.values().map(Vec::len).sum();
        if others == 0 && self.clean == 0 {
            return;
        }
        out.push_str("\nAt its next start a 4.4.0 broker\n");
        for text in self.others.values().rev().flatten() {
            out.push_str(text);
        }
        for (by, count) in &self.blocked {
            let whose = measure::count(*count, "other partition");
            out.push_str(&format!("  broker-fails: {whose}\n    "));
            let by = on_one_line(by);
            let why = format!("the start ends at {by}, or the log directory goes offline with it");
            wrap(&why, 4, 4, out);
        }
        if self.clean > 0 {
            let whose = match (others, self.clean) {
                (0, 1) => "the partition".to_owned(),
                (0, count) => format!("all {count} partitions"),
                (_, count) => measure::count(count, "other partition"),
            };
            out.push_str(&format!(
                "  clean-load: {whose}; nothing is cut or read again\n"
            ));
        }
    }
}

fn shown(title: &str, next: &NextStart) -> String {
    let mut text = format!("  {}: {title}", next.action.as_str());
    if let Some(offset) = next.offset {
        text += &match next.action {
            Action::Recovers | Action::CleanLoad => format!(" from offset {offset} on"),
            _ => format!(" at offset {offset}"),
        };
    }
    if next.records_lost > 0 {
        text += &format!(", {} lost", measure::count(next.records_lost, "record"));
    }
    text.push('\n');
    if !next.reason.is_empty() {
        text.push_str("    ");
        wrap(&on_one_line(&next.reason), 4, 4, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::Offset;
    use std::path::Path;

    fn told(starts: &[(&str, Action, &str, Option<&str>)]) -> String {
        let mut all = NextStarts::default();
        for (name, action, reason, blocked_by) in starts {
            let place = Place {
                name,
                path: Path::new(name),
                is_partition: true,
                transaction_logs: &[],
                repairs: crate::report::check::Repairs::default(),
            };
            let next = NextStart {
                topic_partition: (*name).to_owned(),
                action: *action,
                offset: Some(Offset(7)).filter(|_| *action > Action::CleanLoad),
                records_lost: 0,
                reason: (*reason).to_owned(),
                forgotten: None,
                blocked_by: blocked_by.map(str::to_owned),
                is_of_directory: false,
            };
            all.add(&place, &next);
        }
        let mut text = String::new();
        all.write(&mut text);
        text
    }

    const NOTHING: &str = "nothing is cut and nothing is read again";

    #[test]
    fn a_clean_load_with_something_to_say_says_it() {
        let quiet = ("a-0", Action::CleanLoad, NOTHING, None);
        let text = told(&[quiet, ("b-0", Action::CleanLoad, "bytes stay behind", None)]);
        assert!(
            text.contains("  clean-load: b-0\n    bytes stay behind\n"),
            "{text}"
        );
        assert!(
            text.contains("clean-load: 1 other partition; nothing is cut"),
            "{text}"
        );
        let text = told(&[quiet]);
        assert!(
            text.contains("clean-load: the partition; nothing is cut"),
            "{text}"
        );
    }

    #[test]
    fn what_ends_the_start_is_told_once_and_the_others_are_counted() {
        let text = told(&[
            ("a-0", Action::BrokerFails, "bad", None),
            ("b-0", Action::BrokerFails, "x", Some("a-0")),
            ("c-0", Action::BrokerFails, "x", Some("a-0")),
        ]);
        assert!(
            text.contains("  broker-fails: a-0 at offset 7\n    bad\n"),
            "{text}"
        );
        assert!(
            text.contains("  broker-fails: 2 other partitions\n    the start ends at a-0"),
            "{text}"
        );
        assert!(!text.contains("clean-load"), "{text}");
    }
}
