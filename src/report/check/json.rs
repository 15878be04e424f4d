//! The answer as one JSON document, written while partitions are checked.
//!
//! Findings come first, then what the next start does, then the summary, so that nothing but a
//! line for each partition is held. The document is whole also where something could not be read.

use super::advice;
use super::{Place, Report, Summary};
use crate::analysis::check::finding::{Evidence, Finding};
use crate::analysis::next_start::NextStart;
use crate::format::number::Offset;
use crate::report::json::{Object, WideIntegers};

/// The version of the document.
const SCHEMA: i64 = 1;

/// JSON being written.
#[derive(Debug)]
pub struct JsonReport {
    wide: WideIntegers,
    /// Findings written so far.
    findings: u64,
    /// The objects of `nextStart`, which come when all findings are written.
    next_start: Vec<u8>,
}

impl JsonReport {
    /// A document that writes wide integers like this.
    #[must_use]
    pub const fn new(wide: WideIntegers) -> Self {
        Self {
            wide,
            findings: 0,
            next_start: Vec::new(),
        }
    }
}

impl Report for JsonReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{{\"schema\":{SCHEMA},\"findings\":[").as_bytes());
    }

    fn finding(&mut self, place: &Place<'_>, finding: Finding, out: &mut Vec<u8>) {
        let separator: &[u8] = if self.findings > 0 { b",\n" } else { b"\n" };
        out.extend_from_slice(separator);
        self.findings += 1;
        push_finding(place, &finding, self.wide, out);
    }

    fn next_start(&mut self, place: &Place<'_>, next: NextStart, _: &mut Vec<u8>) {
        let held = &mut self.next_start;
        held.extend_from_slice(if held.is_empty() { b"\n" } else { b",\n" });
        push_next_start(place, &next, self.wide, held);
    }

    fn end(&mut self, summary: &Summary, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\n],\"nextStart\":[");
        out.append(&mut self.next_start);
        out.extend_from_slice(b"\n],\"summary\":");
        push_summary(summary, self.wide, out);
        out.extend_from_slice(b"}\n");
    }
}

fn push_finding(place: &Place<'_>, finding: &Finding, wide: WideIntegers, out: &mut Vec<u8>) {
    let advice = advice::of(finding, place);
    let mut object = Object::open(out, wide);
    object.text("code", finding.code.as_str());
    object.text("severity", finding.severity.name());
    optional_text(
        &mut object,
        "topicPartition",
        finding.topic_partition.as_deref(),
    );
    object.text("path", &finding.path.to_string_lossy());
    optional_uint(&mut object, "position", finding.position);
    optional_uint(&mut object, "sizeInBytes", finding.size);
    object.optional_int("offset", finding.offset.map(|Offset(offset)| offset));
    match finding.producer_id {
        Some(id) => object.producer_id(id.0),
        None => object.null("producerId"),
    }
    object.uint("cases", finding.cases);
    object.text("message", &finding.message);
    let list = object.name("evidence");
    list.push(b'[');
    for (index, evidence) in finding.evidence.iter().enumerate() {
        if index > 0 {
            list.push(b',');
        }
        push_evidence(evidence, wide, list);
    }
    list.push(b']');
    object.text("advice", &advice.text);
    optional_text(&mut object, "repair", advice.repair.as_deref());
    object.close();
}

fn push_evidence(evidence: &Evidence, wide: WideIntegers, out: &mut Vec<u8>) {
    let path = evidence.path.as_ref().map(|path| path.to_string_lossy());
    let mut object = Object::open(out, wide);
    object.text("what", evidence.what);
    optional_text(&mut object, "path", path.as_deref());
    optional_uint(&mut object, "position", evidence.position);
    object.optional_int("offset", evidence.offset.map(|Offset(offset)| offset));
    optional_text(&mut object, "stored", evidence.stored.as_deref());
    optional_text(&mut object, "computed", evidence.computed.as_deref());
    object.close();
}

fn push_next_start(place: &Place<'_>, next: &NextStart, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.text("topicPartition", &next.topic_partition);
    object.text("path", &place.path.to_string_lossy());
    object.text("action", next.action.as_str());
    object.optional_int("offset", next.offset.map(|Offset(offset)| offset));
    object.uint("recordsLost", next.records_lost);
    object.text("reason", &next.reason);
    optional_text(&mut object, "blockedBy", next.blocked_by.as_deref());
    object.close();
}

fn push_summary(summary: &Summary, wide: WideIntegers, out: &mut Vec<u8>) {
    let Summary {
        tally,
        counts,
        unread,
    } = summary;
    let mut object = Object::open(out, wide);
    for (name, value) in [
        ("partitions", tally.partitions),
        ("segments", tally.segments),
        ("batches", tally.batches),
        ("records", tally.records),
        ("bytesPresent", tally.bytes_present),
        ("bytesChecked", tally.bytes_checked),
        ("bytesDamaged", tally.bytes_damaged),
        ("bytesSkipped", tally.bytes_skipped),
        ("errors", counts.errors),
        ("warnings", counts.warnings),
        ("notes", counts.notes),
        ("unreadable", *unread),
    ] {
        object.uint(name, value);
    }
    object.close();
}

fn optional_text(object: &mut Object<'_>, name: &str, value: Option<&str>) {
    match value {
        Some(value) => object.text(name, value),
        None => object.null(name),
    }
}

fn optional_uint(object: &mut Object<'_>, name: &str, value: Option<u64>) {
    match value {
        Some(value) => object.uint(name, value),
        None => object.null(name),
    }
}

#[cfg(test)]
mod tests {
    use super::JsonReport;
    use crate::analysis::check::code::FindingCode;
    use crate::analysis::check::finding::{Evidence, Finding};
    use crate::analysis::log_findings::Severity;
    use crate::analysis::next_start::{Action, NextStart};
    use crate::format::number::{Offset, ProducerId};
    use crate::report::check::Repairs;
    use crate::report::check::{Place, Report, Summary};
    use crate::report::json::WideIntegers;
    use serde_json::{Value, json};
    use std::path::Path;

    fn place() -> Place<'static> {
        Place {
            name: "orders-0",
            path: Path::new("data/orders-0"),
            is_partition: true,
            transaction_logs: &[],
            repairs: Repairs::default(),
        }
    }

    fn document(wide: WideIntegers, findings: &[Finding], next: &[NextStart]) -> Value {
        let mut report = JsonReport::new(wide);
        let mut out = Vec::new();
        report.start(&mut out);
        for finding in findings {
            report.finding(&place(), finding.clone(), &mut out);
        }
        for next in next {
            report.next_start(&place(), next.clone(), &mut out);
        }
        let mut summary = Summary::default();
        summary.tally.bytes_skipped = 7;
        summary.counts.add(Severity::Note, 1);
        report.end(&summary, &mut out);
        serde_json::from_slice(&out).unwrap()
    }

    fn finding() -> Finding {
        Finding::new(
            FindingCode::CrcMismatch,
            Severity::Error,
            "data/orders-0/00000000000000000000.log",
            "stored checksum 1, computed 2",
        )
        .at(81)
        .with_producer(ProducerId(-9_223_371_946_660_462_587))
        .resting_on(Evidence::values("crc", &1, &2))
    }

    #[test]
    fn what_is_unknown_is_null_and_wide_ids_are_accompanied() {
        let document = document(WideIntegers::Number, &[finding()], &[]);
        let found = &document["findings"][0];
        assert_eq!(found["producerIdHex"], "0x8000001500000005");
        for name in ["offset", "sizeInBytes", "topicPartition"] {
            assert_eq!(found[name], Value::Null, "{name}");
        }
        let evidence = json!({
            "what": "crc", "path": null, "position": null, "offset": null,
            "stored": "1", "computed": "2"
        });
        assert_eq!(found["evidence"], json!([evidence]));
        assert_eq!(document["summary"]["bytesSkipped"], 7);
        assert_eq!(document["summary"]["notes"], 1);
    }

    #[test]
    fn lists_of_any_length_make_one_document() {
        let next = NextStart {
            topic_partition: "orders-0".to_owned(),
            action: Action::Truncates,
            offset: Some(Offset(1 << 60)),
            records_lost: 3,
            reason: "a \"quoted\" reason".to_owned(),
            forgotten: None,
            blocked_by: None,
            is_of_directory: false,
        };
        for count in 0..3 {
            let findings = vec![finding(); count];
            let document = document(WideIntegers::String, &findings, &vec![next.clone(); count]);
            assert_eq!(document["findings"].as_array().unwrap().len(), count);
            let next = document["nextStart"].as_array().unwrap();
            assert_eq!(next.len(), count);
            let text = (1_u64 << 60).to_string();
            let wide = |one: &Value| one["offset"].as_str() == Some(text.as_str());
            assert!(next.iter().all(wide), "{next:?}");
        }
    }
}
