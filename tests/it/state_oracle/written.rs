//! What our writer leaves of a case's appends, held against what the real log left: every file to
//! the byte.

use std::fs;
use std::path::Path;

use kfsck::format::number::Offset;
use kfsck::rebuild::partition::{PartitionOptions, PartitionWriter};
use kfsck::state::manager::Manager;
use kfsck::state::rules::Stock;
use kfsck::storage::partition_name::PartitionName;

use super::append::{self, Twin, Written};
use super::cases;
use crate::corpus;
use crate::rebuild;

pub(super) fn differences(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case.join("answer.json")).unwrap();
    let written: Written = serde_json::from_str(&text).unwrap();
    let script = cases::script(case);
    let setting = |name| cases::setting(&script, "log", name);
    let number = |name, otherwise| setting(name).map_or(otherwise, |text| text.parse().unwrap());

    let place = tempfile::tempdir().unwrap();
    let partition = PartitionName::parse("topic-0".as_ref()).unwrap();
    // A replica that begins anew behind its leader's log start, before it has fetched anything.
    let begin = written
        .steps
        .first()
        .filter(|step| step.operation == "begin");
    let options = PartitionOptions {
        base_offset: Offset(begin.map_or(0, |step| step.to.unwrap())),
        segment_bytes: number("segment", 1 << 30),
        index_interval_bytes: number("interval", 4096),
        segment_index_bytes: number("index", 4096),
        ..PartitionOptions::new(place.path(), partition)
    };
    let mut writer = PartitionWriter::create(&options).unwrap();
    let mut twin: Twin = Manager::new("topic-0", &Stock);
    for (number, step) in written.steps.iter().enumerate() {
        if let Some(error) = &step.error {
            return vec![format!("step {number}: real refuses: {}", error.message)];
        }
        let known = twin.snapshot_entries().collect::<Vec<_>>();
        match step.operation.as_str() {
            "chunk" => {
                // As the log does it: the bytes, then the producers, then the transactions' ends.
                let bytes = corpus::bytes_of(&step.records);
                writer.append(&bytes, || known).unwrap();
                let (duplicate, finished) = append::append(&mut twin, step, &written).unwrap();
                assert_eq!(duplicate, None, "a replica appends what it gets");
                for txn in finished
                    .iter()
                    .filter_map(|finished| finished.index_entry())
                {
                    writer.add_aborted(&txn).unwrap();
                }
            }
            "begin" if number == 0 => {}
            "roll" => writer.roll(|| known).unwrap(),
            "restart" => writer.restart(&known).unwrap(),
            other => panic!("no such step: {other}"),
        }
    }
    let known: Vec<_> = twin.snapshot_entries().collect();
    let ours = match setting("end").unwrap().as_str() {
        "closed" => writer.close(&known),
        "killed" => writer.kill(),
        other => panic!("no such end: {other}"),
    };
    let ours = rebuild::files_of(&ours.unwrap().directory);
    let mut real = rebuild::files_of(&case.join("topic-0"));
    // A roll of an empty segment makes it anew; a broker deletes the old files a minute later.
    real.retain(|name, bytes| !(name.ends_with(".deleted") && is_empty(bytes)));
    rebuild::differences(&real, &ours)
}

/// No batch, or an index that is preallocated still.
fn is_empty(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
