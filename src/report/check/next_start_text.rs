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
    clean: u64,
    /// The others by what happens, each as it is shown.
    others: BTreeMap<Action, Vec<String>>,
}

impl NextStarts {
    pub(super) fn add(&mut self, place: &Place<'_>, next: &NextStart) {
        if next.action == Action::CleanLoad {
            self.clean += 1;
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
