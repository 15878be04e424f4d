//! Many cases of one kind in one file, told as one finding.

use super::checker::Found;
use super::finding::Finding;

/// The first case, and how many more there are.
#[derive(Debug, Default)]
pub(super) struct Cases {
    first: Option<Finding>,
    more: u64,
}

impl Cases {
    /// Takes note of a case; only the first one is made.
    pub(super) fn add(&mut self, case: impl FnOnce() -> Finding) {
        match self.first {
            None => self.first = Some(case()),
            Some(_) => self.more += 1,
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Tells what was noted, and forgets it.
    pub(super) fn tell(&mut self, found: Found<'_>) {
        let Some(mut finding) = self.first.take() else {
            return;
        };
        if self.more > 0 {
            let plural = if self.more == 1 { "" } else { "s" };
            finding.cases = self.more.saturating_add(1);
            finding.message += &format!("; {} more case{plural} in this file", self.more);
        }
        self.more = 0;
        found(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::log_findings::Severity;

    #[test]
    fn the_first_case_is_told_with_the_number_of_the_others() {
        let finding = |text| Finding::new(FindingCode::IndexCorrupt, Severity::Error, "f", text);
        let mut told = Vec::new();
        let mut cases = Cases::default();
        cases.tell(&mut |finding| told.push(finding.message));
        cases.add(|| finding("one"));
        cases.tell(&mut |finding| told.push(finding.message));
        cases.add(|| finding("two"));
        for _ in 0..2 {
            cases.add(|| unreachable!("only the first is made"));
        }
        cases.tell(&mut |finding| told.push(finding.message));
        cases.tell(&mut |finding| told.push(finding.message));
        assert_eq!(told, ["one", "two; 2 more cases in this file"]);
    }
}
