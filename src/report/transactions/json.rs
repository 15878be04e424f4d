//! The answer as one JSON document, written while logs are read.

use std::path::Path;

use super::coordinators::{Known, write_json};
use super::{Dropped, Ended, Head, PartitionView, Report, Terms, Totals, reason, verdict};
use crate::analysis::distribution::Distribution;
use crate::analysis::open_transactions::OpenView;
use crate::analysis::transaction_stats::TransactionStats;
use crate::format::number::Offset;
use crate::format::transaction_log::TransactionLogKey;
use crate::report::json::{Object, WideIntegers, array, push_int, push_text};
use crate::report::producers;
use crate::report::transactions::abort_command::abort_command;
use crate::storage::partition_name::PartitionName;

/// The version of the document.
const SCHEMA: i64 = 1;

/// A document being written.
#[derive(Debug)]
pub struct JsonReport {
    terms: Terms,
    wide: WideIntegers,
    partitions: u64,
    /// Transactions written of this partition.
    transactions: u64,
    /// Those of them that had ended.
    ended: u64,
    /// The array of what coordinators know; it stands behind the partitions.
    coordinators: Option<Vec<u8>>,
}

impl JsonReport {
    /// A document that answers under these terms.
    #[must_use]
    pub const fn new(terms: Terms, wide: WideIntegers) -> Self {
        Self {
            terms,
            wide,
            partitions: 0,
            transactions: 0,
            ended: 0,
            coordinators: None,
        }
    }

    fn next_transaction(&mut self, out: &mut Vec<u8>) {
        if self.transactions > 0 {
            out.push(b',');
        }
        self.transactions += 1;
    }

    fn open(
        &mut self,
        name: Option<&PartitionName>,
        open: &OpenView<'_>,
        path: Option<&Path>,
        out: &mut Vec<u8>,
    ) {
        self.next_transaction(out);
        let mut object = Object::open(out, self.wide);
        object.producer_id(open.producer_id.0);
        object.optional_int("producerEpoch", open.producer_epoch.map(|epoch| epoch.0));
        let coordinator_epoch = open.coordinator_epoch.map(|epoch| epoch.0);
        object.optional_int("coordinatorEpoch", coordinator_epoch);
        object.int("firstOffset", open.first_offset.0);
        let last_offset = open.last_offset.map(|offset| offset.0);
        object.optional_int("lastOffset", last_offset);
        object.optional_int("lastDataOffset", last_offset);
        object.optional_int("startTimestamp", open.start_timestamp.map(|time| time.0));
        object.optional_int("lastTimestamp", open.last_timestamp.map(|time| time.0));
        optional_uint(&mut object, "ageMs", open.age_ms(self.terms.now));
        optional_uint(&mut object, "batches", open.batches);
        optional_uint(&mut object, "records", open.records);
        optional_uint(&mut object, "sizeInBytes", open.bytes);
        object.text("state", "open");
        object.text("verdict", verdict(open.verdict()));
        object.text("reason", &reason::of_open(open, &self.terms));
        transactional_id(&mut object, open.transactional_id);
        match open.abort {
            Some(abort) => object.text("abortCommand", &abort_command(name, abort)),
            None => object.null("abortCommand"),
        }
        let position = open.first_place.map(|place| place.position);
        place(&mut object, ["path", "position"], path, position);
        place(&mut object, ["markerPath", "markerPosition"], None, None);
        object.close();
    }

    fn dropped(&self, dropped: &[Dropped], out: &mut Vec<u8>) {
        array(out, dropped, |one, out| {
            let mut object = Object::open(out, self.wide);
            object.producer_id(one.producer_id.0);
            object.int("firstOffset", one.first_offset.0);
            object.int("barrierOffset", one.barrier_offset.0);
            object.close();
        });
    }

    /// The fields of a partition behind its transactions, up to its closing brace.
    fn close_partition(
        &self,
        offsets: [Option<Offset>; 4],
        view: Option<&PartitionView<'_>>,
        out: &mut Vec<u8>,
    ) {
        out.push(b']');
        const NAMES: [&str; 4] = [
            "logStartOffset",
            "lastStableOffset",
            "highWatermark",
            "logEndOffset",
        ];
        // The object was opened in another call; its fields go on here.
        for (name, offset) in NAMES.into_iter().zip(offsets) {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            match offset {
                Some(offset) => push_int(offset.0, self.wide, out),
                None => out.extend_from_slice(b"null"),
            }
        }
        out.extend_from_slice(b",\"producers\":");
        match view {
            None => out.extend_from_slice(b"null"),
            Some(view) => {
                let producers = view.producers.iter().filter_map(|id| view.state.get(*id));
                producers::array(producers.map(|entry| entry.to_snapshot()), self.wide, out);
            }
        }
        out.extend_from_slice(b",\"heldBack\":");
        match view {
            None => out.extend_from_slice(b"null"),
            Some(view) => {
                let mut object = Object::open(out, self.wide);
                object.uint("batches", view.held_back.batches);
                object.uint("records", view.held_back.records);
                object.uint("sizeInBytes", view.held_back.bytes);
                object.close();
            }
        }
        out.extend_from_slice(b",\"droppedTransactions\":");
        self.dropped(view.map_or(&[], |view| &view.dropped), out);
        if self.terms.stats {
            out.extend_from_slice(b",\"stats\":");
            match view {
                None => out.extend_from_slice(b"null"),
                Some(view) => stats(&view.stats, self.wide, out),
            }
        }
        out.push(b'}');
    }
}

impl Report for JsonReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        let mut object = Object::open(out, self.wide);
        object.int("schema", SCHEMA);
        object.int("now", self.terms.now.0);
        if let Some(time) = self.terms.as_of {
            object.int("atTime", time.0);
        }
        object.int("maxTransactionTimeoutMs", self.terms.max_timeout_ms);
        object.text("rules", self.terms.rules);
        object.name("partitions").push(b'[');
    }

    fn begin(&mut self, head: &Head<'_>, out: &mut Vec<u8>) {
        if self.partitions > 0 {
            out.push(b',');
        }
        self.partitions += 1;
        (self.transactions, self.ended) = (0, 0);
        let mut object = Object::open(out, self.wide);
        object.text("topicPartition", head.topic_partition);
        object.text("path", &head.path.to_string_lossy());
        object.name("transactions").push(b'[');
    }

    fn ended(&mut self, _: &Head<'_>, ended: &Ended<'_>, out: &mut Vec<u8>) {
        let Some(end) = ended.transaction.end else {
            return;
        };
        self.ended += 1;
        if self.terms.top.is_some_and(|top| self.ended > top) {
            return;
        }
        self.next_transaction(out);
        let transaction = ended.transaction;
        let timed = |time: i64| (time != -1).then_some(time);
        let is_seen = transaction.batches > 0;
        let mut object = Object::open(out, self.wide);
        object.producer_id(transaction.producer_id.0);
        object.int("producerEpoch", transaction.producer_epoch.0);
        object.int("coordinatorEpoch", end.marker.coordinator_epoch.0);
        object.int("firstOffset", transaction.first_offset.0);
        object.int("lastOffset", end.offset.0);
        let last_data = is_seen.then_some(transaction.last_offset.0);
        object.optional_int("lastDataOffset", last_data);
        object.optional_int("startTimestamp", timed(transaction.first_timestamp.0));
        object.optional_int("lastTimestamp", timed(end.marker.timestamp.0));
        object.null("ageMs");
        object.uint("batches", transaction.batches);
        object.uint("records", transaction.records);
        object.uint("sizeInBytes", transaction.bytes);
        let state = if end.marker.is_abort {
            "aborted"
        } else {
            "committed"
        };
        object.text("state", state);
        object.text("verdict", "closed");
        object.text("reason", &reason::of_ended(transaction));
        transactional_id(&mut object, ended.transactional_id);
        object.null("abortCommand");
        let first = transaction.first_place.map(|place| place.position);
        place(&mut object, ["path", "position"], ended.first_path, first);
        let names = ["markerPath", "markerPosition"];
        place(
            &mut object,
            names,
            ended.marker_path,
            Some(end.place.position),
        );
        object.close();
    }

    fn finish(&mut self, view: &PartitionView<'_>, out: &mut Vec<u8>) {
        let top = self.terms.top.unwrap_or(u64::MAX);
        let shown = usize::try_from(top).unwrap_or(usize::MAX);
        for (open, path) in view.open.iter().take(shown) {
            self.open(view.head.name, open, path.as_deref(), out);
        }
        let offsets = [
            Some(view.log_start_offset),
            Some(view.last_stable_offset),
            view.high_watermark,
            Some(view.log_end_offset),
        ];
        self.close_partition(offsets, Some(view), out);
    }

    fn fail(&mut self, out: &mut Vec<u8>) {
        self.close_partition([None; 4], None, out);
    }

    fn coordinators(&mut self, known: &[Known<'_>], _: &mut Vec<u8>) {
        let top = self.terms.top.map(usize::try_from);
        let top = top.map_or(usize::MAX, |top| top.unwrap_or(usize::MAX));
        let shown = known.get(..top).unwrap_or(known);
        write_json(shown, self.wide, self.coordinators.insert(Vec::new()));
    }

    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        out.push(b']');
        if let Some(coordinators) = &self.coordinators {
            out.extend_from_slice(b",\"coordinators\":");
            out.extend_from_slice(coordinators);
        }
        if self.terms.stats {
            out.extend_from_slice(b",\"stats\":");
            stats(&totals.stats, self.wide, out);
        }
        out.extend_from_slice(b"}\n");
    }
}

fn optional_uint(object: &mut Object<'_>, name: &str, value: Option<u64>) {
    match value {
        Some(value) => object.uint(name, value),
        None => object.null(name),
    }
}

fn transactional_id(object: &mut Object<'_>, key: Option<&TransactionLogKey>) {
    let id = key.map(|key| key.transactional_id.as_slice());
    object.bytes("transactionalId", id);
}

fn place(object: &mut Object<'_>, names: [&str; 2], path: Option<&Path>, position: Option<u64>) {
    let [path_name, position_name] = names;
    match path.filter(|_| position.is_some()) {
        Some(path) => push_text(&path.to_string_lossy(), object.name(path_name)),
        None => object.null(path_name),
    }
    optional_uint(object, position_name, position);
}

fn stats(stats: &TransactionStats, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.uint("committed", stats.committed);
    object.uint("aborted", stats.aborted);
    object.uint("empty", stats.empty);
    object.uint("open", stats.open);
    for (name, of) in [
        ("records", &stats.records),
        ("sizeInBytes", &stats.bytes),
        ("durationMs", &stats.duration_ms),
    ] {
        distribution(of, wide, object.name(name));
    }
    object.close();
}

fn distribution(of: &Distribution, wide: WideIntegers, out: &mut Vec<u8>) {
    let mut object = Object::open(out, wide);
    object.uint("count", of.count());
    object.uint("sum", u64::try_from(of.sum()).unwrap_or(u64::MAX));
    optional_uint(&mut object, "min", of.min());
    for (name, percent) in [("p50", 50), ("p90", 90), ("p99", 99)] {
        optional_uint(&mut object, name, of.percentile(percent));
    }
    optional_uint(&mut object, "max", of.max());
    object.close();
}
