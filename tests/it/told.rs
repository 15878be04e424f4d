//! What a dump told of a file's bytes, in short words that tests can hold against expected ones.

use crate::jsonl::{self, FileDump, Line, Reason};
use crate::run;

/// Every batch and every damage, in file order: `0+81 batch 0..1`, `81+4096 zero-tail`. A fault
/// inside a batch has size 0.
pub(crate) fn pieces(dump: &FileDump) -> Vec<String> {
    let told = dump.lines.iter().filter_map(|line| match line {
        Line::Batch(batch) => {
            let invalid = if batch.is_valid { "" } else { " invalid" };
            Some(format!(
                "{}+{} batch {}..{}{invalid}",
                batch.position,
                batch.size_in_bytes,
                batch.base_offset.unwrap_or(batch.last_offset),
                batch.last_offset
            ))
        }
        Line::Damage(damage) => Some(format!(
            "{}+{} {}",
            damage.position, damage.size_in_bytes, damage.code
        )),
        _ => None,
    });
    told.collect()
}

/// Dumps bytes in both formats, mapped and plainly read, and holds what is told of them against
/// what is expected; gives the JSON lines back for more questions.
pub(crate) fn tells(name: &str, bytes: &[u8], expected: &[&str], reason: Reason) -> FileDump {
    let (dump, run) = jsonl::dump_of(name, bytes);
    assert_eq!(pieces(&dump), expected, "{name}\n{}", run.stderr);
    assert_eq!(dump.end.reason, reason, "{name}");
    let is_damaged = dump.damage().next().is_some();
    assert_eq!(run.code, Some(i32::from(is_damaged)), "{name}: exit code");
    let options = ["--format", "jsonl", "--print-data-log", "--no-mmap"];
    let plain = run::dump_bytes(name, bytes, &options);
    assert_eq!(plain.text(), run.text(), "{name}: plainly read");
    let text = run::dump_bytes(name, bytes, &["--print-data-log"]);
    assert_eq!(text.code, run.code, "{name}: exit code of the stock text");
    let told: Vec<_> = text
        .stderr
        .lines()
        .filter(|line| line.contains(": position "))
        .collect();
    assert_eq!(told.len(), dump.damage().count(), "{name}: {told:?}");
    for (line, damage) in told.iter().zip(dump.damage()) {
        let expected = format!("{name}: position {}: {}: ", damage.position, damage.code);
        assert!(line.starts_with(&expected), "{line}, expected {expected}");
    }
    dump
}
