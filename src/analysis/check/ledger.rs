//! Findings on their way out: held back until what was read can be believed, and bounded.

use std::collections::BTreeMap;

use super::checker::Found;
use super::code::FindingCode;
use super::finding::Finding;
use crate::analysis::event_verdict::Severity;

/// So many findings of one code and severity are told in full of each partition.
const MOST: u64 = 100;
/// So many wait at most for the word that what was read can be believed.
pub(super) const MOST_WAITING: usize = 256;

/// Takes findings in, and passes them on when they are believed.
pub(super) struct Ledger<'p> {
    found: Found<'p>,
    topic_partition: String,
    waiting: Vec<Finding>,
    counts: Counts,
    /// The counts as of the last [`Ledger::flush`].
    believed: Counts,
}

/// Of each code and severity how many there are, and the first one that was left out, which stands
/// for all that were.
type Counts = BTreeMap<(FindingCode, Severity), (u64, Option<Finding>)>;

impl<'p> Ledger<'p> {
    pub(super) fn new(topic_partition: &str, found: Found<'p>) -> Self {
        Self {
            found,
            topic_partition: topic_partition.to_owned(),
            waiting: Vec::new(),
            counts: Counts::new(),
            believed: Counts::new(),
        }
    }

    pub(super) fn add(&mut self, finding: Finding) {
        let (count, left_out) = self
            .counts
            .entry((finding.code, finding.severity))
            .or_default();
        *count += 1;
        if *count <= MOST {
            self.waiting.push(finding);
        } else if let Some(first) = left_out {
            first.cases = first.cases.saturating_add(finding.cases);
        } else {
            *left_out = Some(finding);
        }
    }

    pub(super) const fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What waits can be believed.
    pub(super) fn flush(&mut self) {
        for mut finding in self.waiting.drain(..) {
            let name = &self.topic_partition;
            finding.topic_partition.get_or_insert_with(|| name.clone());
            (self.found)(finding);
        }
        if self.believed.len() != self.counts.len() || self.believed != self.counts {
            self.believed.clone_from(&self.counts);
        }
    }

    /// What waits cannot be believed.
    pub(super) fn drop_waiting(&mut self) {
        self.waiting.clear();
        self.counts.clone_from(&self.believed);
    }

    /// Tells how many of each kind were left out, each with the place of the first.
    pub(super) fn finish(mut self) {
        for (count, left_out) in std::mem::take(&mut self.counts).into_values() {
            if let Some(mut finding) = left_out {
                let more = count - MOST;
                finding.message = match more {
                    1 => format!("one more of {count}: {}", finding.message),
                    _ => format!("{more} more of {count}, the first: {}", finding.message),
                };
                self.waiting.push(finding);
            }
        }
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(number: u64) -> Finding {
        let message = format!("case {number}");
        Finding::new(FindingCode::SequenceGap, Severity::Note, "f", message)
    }

    #[test]
    fn the_first_hundred_are_told_and_the_rest_counted() {
        let mut told = Vec::new();
        let mut ledger_found = |finding: Finding| told.push(finding);
        let mut ledger = Ledger::new("t-0", &mut ledger_found);
        for number in 0..150 {
            ledger.add(note(number));
        }
        ledger.add(Finding {
            severity: Severity::Warning,
            ..note(0)
        });
        ledger.finish();
        assert_eq!(told.len(), 102);
        assert_eq!(told[99].message, "case 99");
        assert_eq!(told[100].severity, Severity::Warning);
        assert_eq!(told[101].message, "50 more of 150, the first: case 100");
        let cases: Vec<_> = told.iter().map(|one| one.cases).collect();
        assert_eq!((cases[100], cases[101]), (1, 50));
        assert_eq!(cases.iter().sum::<u64>(), 151);
        assert!(
            told.iter()
                .all(|one| one.topic_partition.as_deref() == Some("t-0"))
        );
    }

    #[test]
    fn what_cannot_be_believed_is_neither_told_nor_counted() {
        let mut told = Vec::new();
        let mut ledger_found = |finding: Finding| told.push(finding.message);
        let mut ledger = Ledger::new("t-0", &mut ledger_found);
        ledger.add(note(0));
        ledger.flush();
        (1..200).for_each(|number| ledger.add(note(number)));
        assert_eq!(ledger.waiting(), 99);
        ledger.drop_waiting();
        ledger.add(note(200));
        ledger.finish();
        assert_eq!(told, ["case 0", "case 200"]);
    }
}
