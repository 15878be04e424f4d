//! The answer as tables and sentences for people.

use std::fmt::Write as _;
use std::path::Path;

use super::coordinators::{Known, write_text};
use super::{Ended, Head, PartitionView, Report, Terms, Totals, reason, verdict};
use crate::analysis::distribution::Distribution;
use crate::analysis::open_transactions::{Abort, OpenView, Why};
use crate::analysis::transaction_stats::TransactionStats;
use crate::format::number::Timestamp;
use crate::report::measure;
use crate::report::one_line::{on_one_line, path_on_one_line};
use crate::report::paragraph::{WIDTH, wrap};
use crate::report::table::{Align, Table};
use crate::report::transactions::abort_command::abort_command;
use crate::storage::partition_name::PartitionName;

/// How many open transactions of a partition are shown unless `--top` says otherwise.
const SHOWN: u64 = 50;

/// Text being written.
#[derive(Debug)]
pub struct TextReport {
    terms: Terms,
    /// Transactions of this partition that ended.
    ended: u64,
}

impl TextReport {
    /// A text that answers under these terms.
    #[must_use]
    pub const fn new(terms: Terms) -> Self {
        Self { terms, ended: 0 }
    }

    fn open(&self, view: &PartitionView<'_>, out: &mut Vec<u8>) {
        let held = view.held_back;
        let end = view.log_end_offset;
        let mut text = String::new();
        wrap(
            &format!(
                "{}: last stable offset {}, log end {end}; {}, {} held back",
                self.terms.title(&view.head),
                view.last_stable_offset,
                measure::count(held.records, "record"),
                measure::size(held.bytes),
            ),
            0,
            0,
            &mut text,
        );
        out.extend_from_slice(text.as_bytes());
        let shown = usize::try_from(self.terms.top.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
        let shown_ones = view.open.iter().take(shown).map(|(open, _)| open);
        write_open(&shown_ones.collect::<Vec<_>>(), self.terms.now, out);
        if let Some(more @ 1..) = view.open.len().checked_sub(shown) {
            push_line(
                &format!("... and {more} more that began later (--top)"),
                out,
            );
        }
        for (open, path) in view.open.iter().take(shown) {
            if open.why != Why::InTime {
                let details = details(open, path.as_deref(), view.head.name, &self.terms);
                out.extend_from_slice(details.as_bytes());
            }
        }
        out.push(b'\n');
    }

    fn ended_heading(&self, head: &Head<'_>, out: &mut Vec<u8>) {
        let heading = format!(
            "{}: transactions that ended\n{}\n",
            self.terms.title(head),
            ended_line(&[
                "producer",
                "epoch",
                "from",
                "marker",
                "records",
                "bytes",
                "open since",
                "end"
            ])
        );
        out.extend_from_slice(heading.as_bytes());
    }
}

fn push_line(line: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// The table of open transactions. Where ids make it too wide, as ids below 0 do, each stands on a
/// line of its own.
fn write_open(shown: &[&OpenView<'_>], now: Timestamp, out: &mut Vec<u8>) {
    let mut table = open_table(&[("producer", Align::Right)]);
    for open in shown {
        let id = open.producer_id.to_string();
        table.row([id].into_iter().chain(open_row(open, now)));
    }
    if table.width() <= WIDTH {
        return table.write(out);
    }
    let mut table = open_table(&[]);
    for open in shown {
        table.row(open_row(open, now));
    }
    let mut lines = table.lines();
    push_line("producer", out);
    push_line(&format!("  {}", lines.next().unwrap_or_default()), out);
    for (open, line) in shown.iter().zip(lines) {
        push_line(&open.producer_id.to_string(), out);
        push_line(&format!("  {line}"), out);
    }
}

fn open_table(first: &[(&str, Align)]) -> Table {
    let others = [
        ("from", Align::Right),
        ("records", Align::Right),
        ("bytes", Align::Right),
        ("open since", Align::Left),
        ("age", Align::Left),
        ("verdict", Align::Left),
    ];
    Table::new(&[first, &others].concat())
}

fn open_row(open: &OpenView<'_>, now: Timestamp) -> [String; 6] {
    let known = |value: Option<u64>| value.map_or("?".to_owned(), |value| value.to_string());
    [
        open.first_offset.to_string(),
        known(open.records),
        known(open.bytes),
        open.start_timestamp.map_or("?".to_owned(), measure::second),
        open.age_ms(now).map_or("?".to_owned(), measure::duration),
        verdict(open.verdict()).to_owned(),
    ]
}

/// The sentences about a transaction that is not simply in time.
fn details(
    open: &OpenView<'_>,
    path: Option<&Path>,
    name: Option<&PartitionName>,
    terms: &Terms,
) -> String {
    let mut text = "\n".to_owned();
    wrap(
        &format!(
            "Producer {}: {}. {}.",
            open.producer_id,
            verdict(open.verdict()),
            sentence(&reason::of_open(open, terms))
        ),
        0,
        0,
        &mut text,
    );
    let epoch = open
        .producer_epoch
        .map_or_else(String::new, |epoch| format!("epoch {epoch}, "));
    let last = open
        .last_offset
        .map_or_else(String::new, |last| format!(" to {last}"));
    let place = match (path, open.first_place) {
        (Some(path), Some(place)) => {
            let path = path_on_one_line(path);
            format!(", from byte {} of {path}", place.position)
        }
        _ => ", begun in front of what is here".to_owned(),
    };
    let _ = writeln!(text, "  {epoch}offsets {}{last}{place}", open.first_offset);
    if matches!(open.abort, Some(Abort::Producer { .. })) {
        text.push_str(
            "  The log's beginning is not here, so the producer is named, not an offset:\n",
        );
    }
    if let Some(abort) = open.abort {
        let _ = writeln!(text, "  {}", on_one_line(&abort_command(name, abort)));
    }
    text
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A line of fixed columns: such lines come one by one, before all are known. Where numbers make it
/// too wide, producer and epoch stand on a line of their own.
fn ended_line<S: AsRef<str>>(cells: &[S; 8]) -> String {
    let [producer, epoch, from, marker, records, bytes, since, end] =
        cells.each_ref().map(S::as_ref);
    let whose = format!("{producer:>8} {epoch:>5}");
    let what = format!("{from:>9} {marker:>9} {records:>7} {bytes:>8} {since:20}  {end:6}");
    if whose.len() + 1 + what.len() <= WIDTH {
        return format!("{whose} {}", what.trim_end());
    }
    // The columns go on where they were, as far as they can: numbers grow to the left.
    let what = format!("{:>1$}", what.trim_start(), WIDTH);
    format!("{whose}\n{}", what.trim_end())
}

impl Report for TextReport {
    fn start(&mut self, _: &mut Vec<u8>) {}

    fn begin(&mut self, _: &Head<'_>, _: &mut Vec<u8>) {
        self.ended = 0;
    }

    fn ended(&mut self, head: &Head<'_>, ended: &Ended<'_>, out: &mut Vec<u8>) {
        let transaction = ended.transaction;
        let Some(end) = transaction.end else {
            return;
        };
        if self.ended == 0 {
            self.ended_heading(head, out);
        }
        self.ended += 1;
        if self.terms.top.is_some_and(|top| self.ended > top) {
            return;
        }
        let start = transaction.first_timestamp;
        let line = ended_line(&[
            transaction.producer_id.to_string(),
            transaction.producer_epoch.to_string(),
            transaction.first_offset.to_string(),
            end.offset.to_string(),
            transaction.records.to_string(),
            transaction.bytes.to_string(),
            match start {
                Timestamp::NONE => "?".to_owned(),
                start => measure::second(start),
            },
            if end.marker.is_abort {
                "abort"
            } else {
                "commit"
            }
            .to_owned(),
        ]);
        push_line(&line, out);
    }

    fn finish(&mut self, view: &PartitionView<'_>, out: &mut Vec<u8>) {
        self.close_ended(out);
        if !view.open.is_empty() {
            self.open(view, out);
        }
        if self.terms.stats && !view.stats.is_empty() {
            write_stats(&self.terms.title(&view.head), &view.stats, out);
        }
    }

    fn fail(&mut self, out: &mut Vec<u8>) {
        self.close_ended(out);
    }

    fn coordinators(&mut self, known: &[Known<'_>], out: &mut Vec<u8>) {
        if known.is_empty() {
            return push_line("No transactional id of those asked for.", out);
        }
        let shown = usize::try_from(self.terms.top.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
        write_text(known, shown, out);
    }

    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        if totals.partitions == 0 {
            return;
        }
        let partitions = measure::count(totals.partitions, "partition");
        if self.terms.stats && totals.partitions > 1 {
            write_stats(&format!("all {partitions}"), &totals.stats, out);
        }
        let then = self.terms.as_of.map(measure::time);
        let [ongoing, suspect, hanging] = totals.open;
        let open = ongoing + suspect + hanging;
        if open == 0 {
            let which = match self.terms.is_filtered {
                true => "No open transaction of those asked for",
                false => "No open transaction",
            };
            let then = then.map_or_else(String::new, |time| format!(" as of {time}"));
            push_line(&format!("{which} in {partitions}{then}."), out);
            return;
        }
        let clock = if self.terms.is_clock {
            " (the clock)"
        } else {
            ""
        };
        let mut text = String::new();
        wrap(
            &format!(
                "{} in {} of {partitions}: {hanging} hanging, {suspect} suspect, {ongoing} \
                 ongoing.",
                measure::count(open, "open transaction"),
                totals.with_open,
            ),
            0,
            0,
            &mut text,
        );
        let now = measure::time(self.terms.now);
        if let Some(time) = then {
            let _ = writeln!(text, "Logs and coordinators as of {time}.");
        }
        let _ = writeln!(text, "Judged as of {now}{clock}.");
        out.extend_from_slice(text.as_bytes());
    }
}

impl TextReport {
    fn close_ended(&self, out: &mut Vec<u8>) {
        if self.ended == 0 {
            return;
        }
        let left_out = self
            .terms
            .top
            .map_or(0, |top| self.ended.saturating_sub(top));
        if left_out > 0 {
            push_line(&format!("... and {left_out} more (--top)"), out);
        }
        out.push(b'\n');
    }
}

fn write_stats(title: &str, stats: &TransactionStats, out: &mut Vec<u8>) {
    let counts = format!(
        "{title}: {} committed, {} aborted, {} empty, {} open\n",
        stats.committed, stats.aborted, stats.empty, stats.open
    );
    out.extend_from_slice(counts.as_bytes());
    if stats.records.count() > 0 {
        let mut table = Table::new(&[
            ("of each", Align::Left),
            ("least", Align::Right),
            ("50 %", Align::Right),
            ("90 %", Align::Right),
            ("99 %", Align::Right),
            ("most", Align::Right),
            ("in all", Align::Right),
        ]);
        let plain = |value: u64| value.to_string();
        stats_row(&mut table, "records", &stats.records, plain, true);
        stats_row(&mut table, "bytes", &stats.bytes, measure::size, true);
        stats_row(
            &mut table,
            "time",
            &stats.duration_ms,
            measure::duration,
            false,
        );
        table.write(out);
    }
    if stats.without_duration > 0 {
        let line = format!(
            "Without a time: {}; a timestamp is missing, or the marker's is before the data's.",
            stats.without_duration
        );
        push_line(&line, out);
    }
    out.push(b'\n');
}

fn stats_row(
    table: &mut Table,
    name: &str,
    of: &Distribution,
    text: fn(u64) -> String,
    with_sum: bool,
) {
    let percentiles = [50, 90, 99].map(|percent| of.percentile(percent));
    let [half, ninety, ninety_nine] = percentiles;
    let cells = [of.min(), half, ninety, ninety_nine, of.max()];
    let cells = cells.map(|value| value.map_or("?".to_owned(), text));
    let sum = u64::try_from(of.sum()).unwrap_or(u64::MAX);
    let sum = if with_sum { text(sum) } else { String::new() };
    table.row([name.to_owned()].into_iter().chain(cells).chain([sum]));
}
