//! The first difference: what lies in either log, field beside field.

use super::{file_name, range};
use crate::analysis::compare::{Difference, Shown, ShownBatch, Side};
use crate::format::batch::{Header, MAGIC};
use crate::format::compression::Codec;
use crate::report::paragraph::wrap;
use crate::report::utc;

/// Letters of the column of names, and of the first log's column.
const NAMES: usize = 19;
const COLUMN: usize = 30;

/// Writes a difference with both sides.
pub(super) fn write(difference: &Difference, title: &str, out: &mut String) {
    out.push_str(&format!(
        "\n{title}, at offset {} ({}):\n",
        range(difference),
        difference.kind.name()
    ));
    let sides = [Side::Source, Side::Dest].map(|side| difference.shown(side));
    row("", Side::Source.name(), Side::Dest.name(), false, out);
    let fields = sides.map(|shown| match shown {
        Some(Shown::Batch(batch)) => fields(batch),
        _ => Vec::new(),
    });
    match sides {
        [Some(Shown::Batch(_)), Some(Shown::Batch(_))] => {
            for ((name, source), (_, dest)) in fields[0].iter().zip(&fields[1]) {
                let is_place = matches!(*name, "file" | "position");
                row(name, source, dest, !is_place && source != dest, out);
            }
            out.push_str("  (* differs)\n");
        }
        [Some(Shown::Batch(_)), other] => {
            let none = absent(other);
            for (at, (name, value)) in fields[0].iter().enumerate() {
                row(
                    name,
                    value,
                    none.get(at).map_or("", String::as_str),
                    false,
                    out,
                );
            }
        }
        [other, Some(Shown::Batch(_))] => {
            let none = absent(other);
            for (at, (name, value)) in fields[1].iter().enumerate() {
                row(
                    name,
                    none.get(at).map_or("", String::as_str),
                    value,
                    false,
                    out,
                );
            }
        }
        [source, dest] => {
            let (source, dest) = (absent(source), absent(dest));
            for at in 0..source.len().max(dest.len()) {
                let cell = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
                row("", &cell(&source), &cell(&dest), false, out);
            }
        }
    }
    for (side, shown) in [Side::Source, Side::Dest].into_iter().zip(sides) {
        if let Some(Shown::Damage { damage, .. }) = shown {
            let name = format!("  {}: ", side.name());
            out.push_str(&name);
            wrap(&damage.message, name.len(), 4, out);
        }
    }
}

/// What stands where there is no batch.
fn absent(shown: Option<&Shown>) -> Vec<String> {
    match shown {
        Some(Shown::Damage {
            path,
            damage,
            count,
            bytes,
        }) => {
            let mut lines = vec![
                file_name(path),
                damage.position.to_string(),
                format!("{} ({} bytes)", damage.code, damage.size),
            ];
            if *count > 1 {
                lines.push(format!("{count} damages, {bytes} bytes"));
            }
            lines
        }
        _ => vec!["nothing".to_owned()],
    }
}

fn row(name: &str, source: &str, dest: &str, differs: bool, out: &mut String) {
    let mark = if differs { '*' } else { ' ' };
    // Long names of files stay whole and push the second column away.
    let line = format!(" {mark}{name:NAMES$}{source:COLUMN$}  {dest}");
    out.push_str(line.trim_end());
    out.push('\n');
}

/// The fields of a header that tell batches from each other, with their names.
fn fields(shown: &ShownBatch) -> Vec<(&'static str, String)> {
    let batch = &shown.batch;
    let mut fields = vec![
        ("file", file_name(&shown.path)),
        ("position", batch.place.position.to_string()),
        ("size", format!("{} bytes", batch.place.size)),
        (
            "offsets",
            super::offsets(batch.base_offset, batch.last_offset),
        ),
    ];
    if batch.magic < MAGIC {
        fields.push(("magic", batch.magic.to_string()));
        return fields;
    }
    let header = Header::new(&shown.head);
    let codec = Codec::from_attributes(header.attributes().0);
    fields.extend([
        ("leader epoch", batch.partition_leader_epoch.to_string()),
        ("records", batch.count.to_string()),
        ("kind", kind(shown)),
        ("producer id", batch.producer_id.to_string()),
        ("producer epoch", batch.producer_epoch.to_string()),
        (
            "sequences",
            match batch.base_sequence.0 {
                -1 => "-".to_owned(),
                base => format!("{base} to {}", batch.last_sequence),
            },
        ),
        ("max timestamp", utc::text(batch.max_timestamp)),
        (
            "compression",
            codec.map_or("unknown", Codec::name).to_owned(),
        ),
        ("crc", format!("{:#010x}", header.stored_crc())),
    ]);
    fields
}

fn kind(shown: &ShownBatch) -> String {
    let batch = &shown.batch;
    match (batch.is_control, shown.control_type) {
        (true, Some(control_type)) => control_type.to_string(),
        (true, None) => "control".to_owned(),
        _ if batch.is_transactional => "transactional data".to_owned(),
        _ => "data".to_owned(),
    }
}
