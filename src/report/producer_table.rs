//! Producers as a table for people that fits a terminal of 80 columns: a line each, or two where
//! their ids, offsets or clusters are too long for one.

use super::one_line::on_one_line;
use super::paragraph::WIDTH;
use super::table::{Align, Table};
use super::utc;
use crate::format::producer_snapshot::ProducerEntry;

/// The letters of a cluster's id that are shown; free text may have 32767.
const CLUSTER: usize = 40;

/// Which columns there are beside those of every table.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extra {
    /// The length of the last batch, less one.
    pub(super) offset_delta: bool,
    /// The cluster that a producer came from.
    pub(super) source_cluster_id: bool,
}

type Column = (&'static str, Align, fn(&ProducerEntry) -> String);

/// Writes the table.
pub(super) fn write(extra: Extra, entries: &[&ProducerEntry], out: &mut Vec<u8>) {
    let begin = out.len();
    let columns = one_line(extra);
    table(&columns, entries).write(out);
    let is_narrow = |line: &[u8]| String::from_utf8_lossy(line).chars().count() <= WIDTH;
    if out[begin..].split(|byte| *byte == b'\n').all(is_narrow) {
        return;
    }
    out.truncate(begin);
    let [mut who, mut what] = [Vec::new(), Vec::new()];
    table(&producer(extra), entries).write(&mut who);
    table(&state(extra), entries).write(&mut what);
    let mut what = what.split_inclusive(|byte| *byte == b'\n');
    for (index, line) in who.split_inclusive(|byte| *byte == b'\n').enumerate() {
        out.extend_from_slice(line);
        // The names of the second line stand on two.
        let lines = if index == 0 { 2 } else { 1 };
        for line in what.by_ref().take(lines) {
            out.extend_from_slice(b"  ");
            out.extend_from_slice(line);
        }
    }
}

fn table(columns: &[Column], entries: &[&ProducerEntry]) -> Table {
    let names: Vec<_> = columns
        .iter()
        .map(|(name, align, _)| (*name, *align))
        .collect();
    let mut table = Table::new(&names);
    for entry in entries {
        table.row(columns.iter().map(|(_, _, cell)| cell(entry)));
    }
    table
}

/// All columns. Their names have two lines: numbers decide how wide a column is, not words.
fn one_line(extra: Extra) -> Vec<Column> {
    let mut columns: Vec<Column> = vec![("producer\nid", Align::Right, id)];
    columns.extend(state(extra));
    columns.push(("\norigin", Align::Left, origin));
    if extra.source_cluster_id {
        columns.push(("source\ncluster id", Align::Left, source_cluster_id));
    }
    columns
}

/// Who a producer is.
fn producer(extra: Extra) -> Vec<Column> {
    let mut columns: Vec<Column> = vec![
        ("producer id", Align::Left, id),
        ("origin", Align::Left, origin),
    ];
    if extra.source_cluster_id {
        columns.push(("source cluster id", Align::Left, source_cluster_id));
    }
    columns
}

/// What is known of it.
fn state(extra: Extra) -> Vec<Column> {
    let sequence = match extra.offset_delta {
        true => "last\nseq",
        false => "last\nsequence",
    };
    let mut columns: Vec<Column> = vec![
        ("\nepoch", Align::Right, |entry| {
            or_dash(from_0(entry.producer_epoch.0.into()))
        }),
        (sequence, Align::Right, |entry| {
            of_batch(entry, entry.last_sequence.0.into())
        }),
        ("last\noffset", Align::Right, |entry| {
            of_batch(entry, entry.last_offset.0)
        }),
    ];
    if extra.offset_delta {
        columns.push(("\ndelta", Align::Right, |entry| {
            of_batch(entry, entry.offset_delta.into())
        }));
    }
    let rest: [Column; 3] = [
        ("last timestamp\n(UTC)", Align::Left, |entry| {
            utc::text(entry.timestamp)
        }),
        ("coord\nepoch", Align::Right, |entry| {
            or_dash(from_0(entry.coordinator_epoch.0.into()))
        }),
        ("txn\nstart", Align::Right, |entry| {
            or_dash(entry.open_txn().map(|offset| offset.0))
        }),
    ];
    columns.extend(rest);
    columns
}

fn id(entry: &ProducerEntry) -> String {
    entry.producer_id.to_string()
}

fn origin(entry: &ProducerEntry) -> String {
    entry.producer_id.origin().to_owned()
}

fn source_cluster_id(entry: &ProducerEntry) -> String {
    let Some(bytes) = entry.source_cluster_id.as_deref() else {
        return "-".to_owned();
    };
    let text = String::from_utf8_lossy(bytes);
    let text = on_one_line(&text);
    match text.chars().count() > CLUSTER {
        true => text
            .chars()
            .take(CLUSTER - 3)
            .chain("...".chars())
            .collect(),
        false => text.into_owned(),
    }
}

/// A number of the last batch, where there is one.
fn of_batch(entry: &ProducerEntry, number: i64) -> String {
    or_dash(entry.has_batch().then_some(number))
}

/// Numbers below 0 stand for none.
pub(super) fn from_0(number: i64) -> Option<i64> {
    (number >= 0).then_some(number)
}

pub(super) fn or_dash(number: Option<i64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::{
        CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
    };

    fn entry(producer_id: i64, last_offset: i64) -> ProducerEntry {
        ProducerEntry {
            producer_id: ProducerId(producer_id),
            producer_epoch: ProducerEpoch(3),
            last_sequence: Sequence(12),
            last_offset: Offset(last_offset),
            offset_delta: 0,
            timestamp: Timestamp(1_700_000_000_000),
            coordinator_epoch: CoordinatorEpoch(-1),
            current_txn_first_offset: Offset(-1),
            source_cluster_id: None,
        }
    }

    fn written(extra: Extra, entries: &[&ProducerEntry]) -> String {
        let mut out = Vec::new();
        write(extra, entries, &mut out);
        String::from_utf8(out).unwrap()
    }

    const MAPPED: i64 = -9_223_371_946_660_462_587;

    #[test]
    fn a_line_each_where_it_suffices_and_else_two() {
        let local = entry(5, 99);
        assert_eq!(
            written(Extra::default(), &[&local]),
            "producer             last    last  last timestamp       coord    txn\n\
             \x20     id  epoch  sequence  offset  (UTC)                epoch  start  origin\n\
             \x20      5      3        12      99  2023-11-14 22:13:20      -      -  local\n"
        );
        let mapped = entry(MAPPED, -1);
        assert_eq!(
            written(Extra::default(), &[&mapped, &local]),
            "producer id           origin\n\
             \x20            last    last  last timestamp       coord    txn\n\
             \x20 epoch  sequence  offset  (UTC)                epoch  start\n\
             -9223371946660462587  bit-field\n\
             \x20     3         -       -  2023-11-14 22:13:20      -      -\n\
             5                     local\n\
             \x20     3        12      99  2023-11-14 22:13:20      -      -\n"
        );
    }

    #[test]
    fn nothing_is_wider_than_a_terminal() {
        let all = Extra {
            offset_delta: true,
            source_cluster_id: true,
        };
        let mut long = entry(MAPPED, 9_999_999_999);
        long.last_sequence = Sequence(i32::MAX);
        long.current_txn_first_offset = Offset(9_999_999_999);
        long.source_cluster_id = Some("free text ".repeat(99).into_bytes());
        for extra in [Extra::default(), all] {
            let text = written(extra, &[&long, &entry(5, 99)]);
            let widths = text.lines().map(|line| line.chars().count());
            assert!(widths.max().unwrap() <= WIDTH, "{text}");
        }
        assert!(written(all, &[&long]).contains("free text free text free text free te...\n"));
    }

    /// What a file says must not rule the terminal, nor break a line.
    #[test]
    fn control_characters_of_a_cluster_are_escaped() {
        let mut odd = entry(5, 99);
        odd.source_cluster_id = Some(b"\x1b[31mred\n\xff".to_vec());
        let extra = Extra {
            source_cluster_id: true,
            ..Extra::default()
        };
        let text = written(extra, &[&odd]);
        assert!(text.contains("\\u{1b}[31mred\\n\u{fffd}"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
