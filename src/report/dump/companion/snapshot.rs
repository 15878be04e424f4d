//! Producer snapshots.

use super::Companion;
use crate::format::malformed::{Malformed, StreamFault};
use crate::format::producer_snapshot::{self, ENTRIES, ProducerEntry, SnapshotReader, Version};
use crate::report::dump::output::{Portions, Refused};
use crate::report::dump::rows::Value;
use crate::report::dump::style::Style;
use crate::storage::damage::Code;

pub(super) fn snapshot(file: &Companion<'_>, out: &mut Portions<'_>) -> Result<(), Refused> {
    let length = file.source.len();
    let mut window = file.source.window();
    let head = window.bytes(0, ENTRIES)?;
    let refusal = |crc| producer_snapshot::stock_verdict(head, length, crc).err();
    let mut reader = match SnapshotReader::open(file.stream()) {
        Ok(reader) => reader,
        Err(StreamFault::Malformed(fault)) => {
            return corrupt(&fault, &refusal(0).unwrap_or_default(), out);
        }
        Err(StreamFault::Input(error)) => return Err(file.read_error(error)),
    };
    let version = reader.version();
    let entries = &mut reader;
    while let Some(entry) = entries
        .next_entry()
        .map_err(|error| file.read_error(error))?
    {
        match file.style {
            Style::Kafka => line(&entry, out)?,
            Style::Jsonl(_) => object(&entry, out)?,
        }
    }
    let seal = reader.finish().map_err(|error| file.read_error(error))?;
    let refusal = refusal(seal.computed_crc);
    for fault in &seal.faults {
        match &refusal {
            Some(said) => corrupt(fault, said, out)?,
            None => out.note(&format!("{fault}; a broker takes the file all the same"))?,
        }
    }
    if let Some(tail) = &seal.stale_tail {
        out.note(&format!(
            "the checksum holds for the first {} bytes: a shorter snapshot was written over a \
             longer one; every entry is right, and a broker refuses the file",
            tail.start
        ))?;
    }
    if version == Version::V2 && seal.faults.is_empty() {
        out.note(
            "version 2, written only by the bit-field prototype of cluster mirroring; a stock \
             broker deletes the file and rebuilds the state from the log",
        )?;
    }
    Ok(())
}

fn corrupt(fault: &Malformed, said: &str, out: &mut Portions<'_>) -> Result<(), Refused> {
    let then = format!("; a broker says \"{said}\" and deletes the file");
    out.malformed(Code::SnapshotCorrupt, fault, &then)
}

fn line(entry: &ProducerEntry, out: &mut Portions<'_>) -> Result<(), Refused> {
    let timestamp = Value::Int(entry.timestamp.0);
    let mut fields = vec![
        ("producerId", Value::Producer(entry.producer_id)),
        ("producerEpoch", Value::Int(entry.producer_epoch.0.into())),
        (
            "coordinatorEpoch",
            Value::Int(entry.coordinator_epoch.0.into()),
        ),
        (
            "currentTxnFirstOffset",
            Value::Optional(entry.open_txn().map(|offset| offset.0)),
        ),
        ("lastTimestamp", timestamp),
    ];
    if let Some(first) = entry.first_sequence() {
        fields.extend([
            ("firstSequence", Value::Int(first.0.into())),
            ("lastSequence", Value::Int(entry.last_sequence.0.into())),
            ("lastOffset", entry.last_offset.into()),
            ("offsetDelta", Value::Int(entry.offset_delta.into())),
            ("timestamp", timestamp),
        ]);
    }
    fields.push((
        "sourceClusterId",
        Value::Bytes(entry.source_cluster_id.as_deref()),
    ));
    out.row("producer", &fields)
}

fn object(entry: &ProducerEntry, out: &mut Portions<'_>) -> Result<(), Refused> {
    let fields = [
        ("producerId", Value::Producer(entry.producer_id)),
        ("producerEpoch", Value::Int(entry.producer_epoch.0.into())),
        ("lastSequence", Value::Int(entry.last_sequence.0.into())),
        ("lastOffset", entry.last_offset.into()),
        ("offsetDelta", Value::Int(entry.offset_delta.into())),
        ("timestamp", Value::Int(entry.timestamp.0)),
        (
            "coordinatorEpoch",
            Value::Int(entry.coordinator_epoch.0.into()),
        ),
        (
            "currentTxnFirstOffset",
            Value::Optional(entry.open_txn().map(|offset| offset.0)),
        ),
        (
            "sourceClusterId",
            Value::Bytes(entry.source_cluster_id.as_deref()),
        ),
        ("origin", Value::Text(entry.producer_id.origin())),
    ];
    out.row("producer", &fields)
}
