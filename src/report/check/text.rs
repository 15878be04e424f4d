//! The answer for people: the summary first, then what was found, the worst first, each with what
//! it rests on and what to do about it, then what the next start does.

use std::collections::BTreeMap;
use std::path::Path;

use super::advice::{self, Advice};
use super::kept::{Findings, Kept, Kind, Section, title};
use super::next_start_text::NextStarts;
use super::{Place, Report, Summary};
use crate::analysis::check::finding::{Evidence, Finding};
use crate::analysis::check::terms::Depth;
use crate::analysis::log_findings::Severity;
use crate::analysis::next_start::NextStart;
use crate::format::number::Timestamp;
use crate::report::measure;
use crate::report::one_line::{on_one_line, path_on_one_line};
use crate::report::paragraph::wrap;
use crate::report::table::{Align, Table};

/// How many findings of a kind in a place are shown unless `--top` says otherwise.
const SHOWN: usize = 10;

/// What was asked, as far as the answer shows it.
#[derive(Debug, Clone)]
pub struct Terms {
    /// How deep was looked.
    pub depth: Depth,
    /// The name of the rules.
    pub rules: &'static str,
    /// The clock.
    pub now: Timestamp,
    /// Whether nobody gave that time, so that the machine's clock did.
    pub is_clock: bool,
    /// How many findings of a kind in a place are shown.
    pub top: Option<usize>,
}

/// Text being written.
#[derive(Debug)]
pub struct TextReport {
    terms: Terms,
    kept: Kept,
    next_starts: NextStarts,
}

impl TextReport {
    /// A text that answers under these terms.
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        Self {
            kept: Kept::new(terms.top.unwrap_or(SHOWN)),
            terms,
            next_starts: NextStarts::default(),
        }
    }
}

impl Report for TextReport {
    fn start(&mut self, _: &mut Vec<u8>) {}

    fn finding(&mut self, place: &Place<'_>, finding: Finding, _: &mut Vec<u8>) {
        self.kept.add(place, finding);
    }

    fn next_start(&mut self, place: &Place<'_>, next: NextStart, _: &mut Vec<u8>) {
        self.next_starts.add(place, &next);
    }

    fn end(&mut self, summary: &Summary, out: &mut Vec<u8>) {
        let kept = std::mem::replace(&mut self.kept, Kept::new(0));
        let mut text = String::new();
        push_summary(summary, &self.terms, &mut text);
        push_kinds(kept.sections(), &mut text);
        for section in kept.into_sections() {
            push_section(&section, &mut text);
        }
        self.next_starts.write(&mut text);
        out.extend_from_slice(text.as_bytes());
    }
}

/// A depth, as the option spells it.
#[must_use]
pub const fn depth_name(depth: Depth) -> &'static str {
    match depth {
        Depth::Framing => "framing",
        Depth::Crc => "crc",
        Depth::Records => "records",
        Depth::Rewrite => "rewrite",
    }
}

fn push_summary(summary: &Summary, terms: &Terms, text: &mut String) {
    let Summary {
        tally,
        counts,
        unread,
    } = summary;
    let looked = format!(
        "{}, {}, {}, {}, {}",
        measure::count(tally.partitions, "partition"),
        measure::count(tally.segments, "segment"),
        match tally.batches {
            1 => "1 batch".to_owned(),
            count => format!("{count} batches"),
        },
        measure::count(tally.records, "record"),
        measure::size(tally.bytes_present),
    );
    wrap(&looked, 0, 2, text);
    if tally.bytes_damaged > 0 || tally.bytes_skipped > 0 {
        let bytes = format!(
            "{} bytes checked, {} damaged, {} skipped",
            tally.bytes_checked, tally.bytes_damaged, tally.bytes_skipped
        );
        wrap(&bytes, 0, 2, text);
    }
    let found = format!(
        "{}, {}, {}",
        measure::count(counts.errors, "error"),
        measure::count(counts.warnings, "warning"),
        measure::count(counts.notes, "note"),
    );
    wrap(&found, 0, 2, text);
    if *unread > 0 {
        let what = "could not be read, so nothing in it is judged; named on stderr";
        wrap(&format!("{unread} {what}"), 0, 2, text);
    }
    let clock = if terms.is_clock { " (the clock)" } else { "" };
    let how = format!(
        "depth {}, rules {}, judged as of {}{clock}",
        depth_name(terms.depth),
        terms.rules,
        measure::time(terms.now)
    );
    wrap(&how, 0, 2, text);
}

/// Where several places have findings, how many of each kind in how many places.
fn push_kinds(sections: &[Section], text: &mut String) {
    if sections.len() < 2 {
        return;
    }
    let mut kinds: BTreeMap<Kind, (u64, u64)> = BTreeMap::new();
    for (kind, findings) in sections.iter().flat_map(|section| &section.kinds) {
        let (count, places) = kinds.entry(*kind).or_default();
        *count += findings.count;
        *places += 1;
    }
    let mut table = Table::new(&[
        ("severity", Align::Left),
        ("code", Align::Left),
        ("findings", Align::Right),
        ("places", Align::Right),
    ]);
    for ((severity, code), (count, places)) in kinds {
        table.row([
            severity.0.name().to_owned(),
            code.to_string(),
            count.to_string(),
            places.to_string(),
        ]);
    }
    text.push('\n');
    for line in table.lines() {
        text.push_str(&line);
        text.push('\n');
    }
}

fn push_section(section: &Section, text: &mut String) {
    text.push('\n');
    text.push_str(&title(&section.name, &section.path));
    text.push('\n');
    for ((severity, code), findings) in &section.kinds {
        text.push_str(&format!("  {} {code}", severity.0.name()));
        if findings.count > 1 {
            text.push_str(&format!(": {}", findings.count));
        }
        text.push('\n');
        push_findings(section, findings, text);
    }
}

fn push_findings(section: &Section, findings: &Findings, text: &mut String) {
    // What is to be done is said once for those that need the same.
    let mut said: Option<(String, Vec<String>)> = None;
    for finding in &findings.shown {
        let Advice {
            text: advice,
            repair,
        } = advice::of(finding, &section.place());
        if let Some(before) = said.take_if(|(before, _)| *before != advice) {
            push_advice(&before, text);
        }
        push_finding(section, finding, text);
        if finding.severity > Severity::Note {
            let (_, repairs) = said.get_or_insert_with(|| (advice, Vec::new()));
            repairs.extend(repair.filter(|repair| !repairs.contains(repair)));
        }
    }
    match findings.left_out() {
        0 => {}
        count => text.push_str(&format!(
            "    ... and {count} more of this kind (--top, --format json)\n"
        )),
    }
    if let Some(advice) = said {
        push_advice(&advice, text);
    }
}

fn push_finding(section: &Section, finding: &Finding, text: &mut String) {
    let place = where_it_is(section, finding);
    let message = on_one_line(&finding.message);
    text.push_str("    ");
    match place.is_empty() {
        true => wrap(&message, 4, 6, text),
        false => wrap(&format!("{place}: {message}"), 4, 6, text),
    }
    for evidence in &finding.evidence {
        text.push_str("      - ");
        wrap(
            &on_one_line(&evidence_text(section, finding, evidence)),
            8,
            8,
            text,
        );
    }
}

fn push_advice((advice, repairs): &(String, Vec<String>), text: &mut String) {
    text.push_str("    ");
    wrap(&on_one_line(advice), 4, 4, text);
    for repair in repairs {
        // Whole, so that it can be copied.
        text.push_str(&format!("      {}\n", on_one_line(repair)));
    }
}

/// The file below the section's directory, position, size, offset and producer.
fn where_it_is(section: &Section, finding: &Finding) -> String {
    let mut parts = Vec::new();
    if finding.path != section.path {
        parts.push(below(section, &finding.path));
    }
    parts.extend(finding.position.map(|at| format!("position {at}")));
    let size = finding.size.filter(|size| *size > 0);
    parts.extend(size.map(|size| measure::count(size, "byte")));
    parts.extend(finding.offset.map(|offset| format!("offset {offset}")));
    let producer = finding.producer_id.map(|id| format!("producer {id}"));
    // Many a message begins with the producer.
    parts.extend(producer.filter(|name| !finding.message.starts_with(name)));
    parts.join(", ")
}

fn evidence_text(section: &Section, finding: &Finding, evidence: &Evidence) -> String {
    let mut parts = Vec::new();
    parts.extend(evidence.offset.map(|offset| format!("offset {offset}")));
    parts.extend(evidence.position.map(|at| format!("position {at}")));
    let path = evidence.path.as_deref();
    let path = path.filter(|path| *path != finding.path);
    parts.extend(path.map(|path| format!("in {}", below(section, path))));
    match (&evidence.stored, &evidence.computed) {
        (Some(stored), Some(computed)) => {
            parts.push(format!("stored {stored}, computed {computed}"));
        }
        (Some(stored), None) => parts.push(stored.clone()),
        (None, Some(computed)) => parts.push(format!("computed {computed}")),
        (None, None) => {}
    }
    match parts.is_empty() {
        true => evidence.what.to_owned(),
        false => format!("{}: {}", evidence.what, parts.join(", ")),
    }
}

/// The path below the section's directory, or the whole of it.
fn below(section: &Section, path: &Path) -> String {
    path_on_one_line(path.strip_prefix(&section.path).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::{Terms, TextReport};
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::check::finding::{Evidence, Finding};
    use crate::analysis::check::terms::Depth;
    use crate::analysis::log_findings::Severity;
    use crate::analysis::next_start::{Action, NextStart};
    use crate::format::number::{Offset, Timestamp};
    use crate::report::check::Repairs;
    use crate::report::check::{Place, Report, Summary};
    use std::path::Path;

    fn text(findings: &[(&str, Finding)], next: &[(&str, Action)]) -> String {
        let mut report = TextReport::new(Terms {
            depth: Depth::Crc,
            rules: "barrier",
            now: Timestamp(0),
            is_clock: false,
            top: Some(2),
        });
        let mut summary = Summary::default();
        let mut out = Vec::new();
        let place = |name| Place {
            name,
            path: Path::new(name),
            is_partition: true,
            transaction_logs: &[],
            repairs: Repairs::default(),
        };
        report.start(&mut out);
        for (name, finding) in findings {
            summary.counts.add(finding.severity, 1);
            report.finding(&place(name), finding.clone(), &mut out);
        }
        for (name, action) in next {
            let next = NextStart {
                topic_partition: (*name).to_owned(),
                action: *action,
                offset: Some(Offset(7)),
                records_lost: u64::from(*action == Action::Truncates),
                reason: match action {
                    Action::CleanLoad => "nothing is cut and nothing is read again",
                    _ => "for a reason",
                }
                .to_owned(),
                forgotten: None,
                blocked_by: None,
                is_of_directory: false,
            };
            report.next_start(&place(name), next, &mut out);
        }
        report.end(&summary, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn damage(code: FindingCode, severity: Severity, position: u64) -> Finding {
        Finding::new(code, severity, "a-0/0.log", "what was found")
            .at(position)
            .resting_on(Evidence::values("crc", &1, &2))
    }

    #[test]
    fn nothing_found_is_three_lines() {
        let text = text(&[], &[]);
        assert_eq!(
            text,
            "0 partitions, 0 segments, 0 batches, 0 records, 0 B\n\
             0 errors, 0 warnings, 0 notes\n\
             depth crc, rules barrier, judged as of 1970-01-01T00:00:00Z\n"
        );
    }

    #[test]
    fn the_worst_comes_first_and_advice_once() {
        let note = damage(FindingCode::SegmentGap, Severity::Note, 1);
        let crc = |at| damage(FindingCode::CrcMismatch, Severity::Error, at);
        let text = text(
            &[
                ("b-0", note),
                ("a-0", crc(81)),
                ("a-0", crc(162)),
                ("a-0", crc(243)),
            ],
            &[],
        );
        let [errors, notes] = ["\na-0\n", "\nb-0\n"].map(|head| text.find(head).unwrap());
        assert!(errors < notes, "{text}");
        assert!(
            text.contains("error     crc-mismatch         3       1\n"),
            "{text}"
        );
        let first = "  error crc-mismatch: 3\n    0.log, position 81: what was found\n      \
                     - crc: stored 1, computed 2\n    0.log, position 162: ";
        assert!(text.contains(first), "{text}");
        assert!(!text.contains("position 243"), "{text}");
        assert!(text.contains("... and 1 more of this kind"), "{text}");
        assert_eq!(text.matches("kfsck repair log --salvage a-0 ").count(), 1);
        // A note asks for nothing.
        assert!(!text[notes..].contains("Nothing"), "{text}");
    }

    #[test]
    fn what_the_next_start_does_is_told_the_worst_first_and_clean_ones_together() {
        let next = [
            ("a-0", Action::CleanLoad),
            ("b-0", Action::Recovers),
            ("c-0", Action::Truncates),
            ("d-0", Action::CleanLoad),
        ];
        let told = text(&[], &next);
        let expected = "\nAt its next start a 4.4.0 broker\n  \
                        truncates: c-0 at offset 7, 1 record lost\n    for a reason\n  \
                        recovers: b-0 from offset 7 on\n    for a reason\n  \
                        clean-load: 2 other partitions; nothing is cut or read again\n";
        assert!(told.ends_with(expected), "{told}");
        let clean = text(&[], &next[..1]);
        assert!(clean.ends_with("clean-load: the partition; nothing is cut or read again\n"));
    }
}
