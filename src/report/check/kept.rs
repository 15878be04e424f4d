//! The findings that a text holds until its summary is written: some of each kind, and the
//! number of all.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::Place;
use super::repairs::Repairs;
use crate::analysis::check::code::FindingCode;
use crate::analysis::check::finding::Finding;
use crate::analysis::log_findings::Severity;
use crate::report::one_line::{on_one_line, path_on_one_line};

/// Findings of each severity that are held at most: errors, warnings, notes. A finding takes some
/// hundred bytes.
const MOST: [usize; 3] = [3000, 1500, 500];

/// The worst severity first, then the order of documents.
pub(super) type Kind = (std::cmp::Reverse<Severity>, FindingCode);

/// All that is held.
#[derive(Debug)]
pub(super) struct Kept {
    /// Findings of one kind in one place that are held at most.
    top: usize,
    /// Findings that may still be held of each severity.
    left: [usize; 3],
    places: Vec<Section>,
    /// Where in `places` each path is.
    known: HashMap<PathBuf, usize>,
}

/// The findings of one place.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) is_partition: bool,
    transaction_logs: Vec<PathBuf>,
    repairs: Repairs,
    pub(super) kinds: BTreeMap<Kind, Findings>,
}

/// The findings of one kind in one place.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The first of them.
    pub(super) shown: Vec<Finding>,
    /// All cases: a finding may stand for several.
    pub(super) count: u64,
    /// All findings.
    told: u64,
}

impl Kept {
    /// Nothing yet; of each kind in each place the first `top` are held.
    pub(super) fn new(top: usize) -> Self {
        Self {
            top,
            left: MOST,
            places: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, place: &Place<'_>, finding: Finding) {
        let index = self.known.get(place.path).copied().unwrap_or_else(|| {
            self.places.push(Section::of(place));
            let index = self.places.len() - 1;
            self.known.insert(place.path.to_owned(), index);
            index
        });
        let kind = (std::cmp::Reverse(finding.severity), finding.code);
        let findings = self.places[index].kinds.entry(kind).or_default();
        findings.count = findings.count.saturating_add(finding.cases);
        findings.told += 1;
        let left = &mut self.left[rank(finding.severity)];
        if findings.shown.len() < self.top && *left > 0 {
            *left -= 1;
            findings.shown.push(finding);
        }
    }

    /// The places, those with errors first, then those with warnings; else as they came.
    pub(super) fn into_sections(self) -> Vec<Section> {
        let mut sections = self.places;
        sections.sort_by_key(|section| section.kinds.keys().next().map(|(severity, _)| *severity));
        sections
    }

    pub(super) fn sections(&self) -> &[Section] {
        &self.places
    }
}

impl Section {
    fn of(place: &Place<'_>) -> Self {
        Self {
            name: place.name.to_owned(),
            path: place.path.to_owned(),
            is_partition: place.is_partition,
            transaction_logs: place.transaction_logs.to_owned(),
            repairs: place.repairs,
            kinds: BTreeMap::new(),
        }
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place {
            name: &self.name,
            path: &self.path,
            is_partition: self.is_partition,
            transaction_logs: &self.transaction_logs,
            repairs: self.repairs,
        }
    }
}

impl Findings {
    /// How many are not shown.
    pub(super) fn left_out(&self) -> u64 {
        self.told - self.shown.len() as u64
    }
}

const fn rank(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    }
}

/// The place's path, with its name where the path does not end with it.
pub(super) fn title(name: &str, path: &Path) -> String {
    let (shown, name) = (path_on_one_line(path), on_one_line(name));
    match shown == name || shown.ends_with(&format!("/{name}")) {
        true => shown,
        false => format!("{name} ({shown})"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, MOST, title};
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::check::finding::Finding;
    use crate::analysis::log_findings::Severity;
    use crate::report::check::Place;
    use crate::report::check::Repairs;
    use std::path::Path;

    fn add(kept: &mut Kept, path: &str, severity: Severity, times: usize) {
        let place = Place {
            name: path,
            path: Path::new(path),
            is_partition: true,
            transaction_logs: &[],
            repairs: Repairs::default(),
        };
        for _ in 0..times {
            let finding = Finding::new(FindingCode::ZeroTail, severity, path, "zeros");
            kept.add(&place, finding);
        }
    }

    #[test]
    fn some_of_each_kind_are_held_and_all_are_counted() {
        let mut kept = Kept::new(10);
        add(&mut kept, "a-0", Severity::Note, 25);
        add(&mut kept, "b-0", Severity::Error, 3);
        add(&mut kept, "c-0", Severity::Warning, 1);
        let sections = kept.into_sections();
        let order: Vec<_> = sections.iter().map(|section| &section.name).collect();
        assert_eq!(order, ["b-0", "c-0", "a-0"]);
        let notes = sections[2].kinds.values().next().unwrap();
        assert_eq!((notes.shown.len(), notes.left_out()), (10, 15));
    }

    #[test]
    fn notes_leave_room_for_errors() {
        let mut kept = Kept::new(usize::MAX);
        add(&mut kept, "a-0", Severity::Note, MOST[2] + 5);
        add(&mut kept, "b-0", Severity::Error, MOST[0] + 7);
        let left_out = kept.sections().iter().map(|section| {
            let findings = section.kinds.values();
            findings.map(super::Findings::left_out).sum::<u64>()
        });
        assert_eq!(left_out.collect::<Vec<_>>(), [5, 7]);
    }

    #[test]
    fn a_path_that_tells_the_name_needs_none() {
        assert_eq!(title("t-0", Path::new("data/t-0")), "data/t-0");
        assert_eq!(title("t-0", Path::new("t-0")), "t-0");
        assert_eq!(title("t-0", Path::new("x/at-0")), "t-0 (x/at-0)");
    }
}
