//! What coordinators know of transactional ids, as a table for people and as JSON.

use std::path::Path;

use crate::analysis::transaction_coordinator::{TransactionCoordinator, TransactionState};
use crate::format::number::{ProducerId, Timestamp};
use crate::format::transaction_log::{TransactionLogKey, TransactionLogValue, Version};
use crate::report::json::{Object, WideIntegers, array, push_text};
use crate::report::measure;
use crate::report::one_line::on_one_line;
use crate::report::paragraph::wrap;
use crate::report::table::{Align, Table};

/// A transactional id, as its coordinator knows it.
#[derive(Debug, Clone, Copy)]
pub struct Known<'c> {
    /// The id.
    pub transactional_id: &'c TransactionLogKey,
    /// What its last record says.
    pub state: &'c TransactionState,
    /// The segment that holds the record; `None` where it was not read from a directory.
    pub path: Option<&'c Path>,
}

/// All ids that coordinators know, in the order of their bytes.
#[must_use]
pub fn known<'c>(coordinators: impl Iterator<Item = &'c TransactionCoordinator>) -> Vec<Known<'c>> {
    let partitions = coordinators.flat_map(|coordinator| coordinator.partitions().values());
    let known = partitions.flat_map(|partition| {
        partition.states().map(|(transactional_id, state)| Known {
            transactional_id,
            state,
            path: partition.segment_of(state.offset),
        })
    });
    let mut known: Vec<_> = known.collect();
    known.sort_by(|one, other| one.transactional_id.cmp(other.transactional_id));
    known
}

/// The partitions of a transaction as `topic-0`, in the order of the record.
fn topic_partitions(value: &TransactionLogValue) -> Vec<String> {
    let topics = value.transaction_partitions.iter().flatten();
    let names = topics.flat_map(|topic| {
        let name = String::from_utf8_lossy(&topic.topic);
        let numbers = topic.partition_ids.iter();
        numbers.map(move |number| format!("{name}-{number}"))
    });
    names.collect()
}

/// Writes a table: under each id a line of its state, and one of its transaction where it has one.
pub(super) fn write_text(known: &[Known<'_>], shown: usize, out: &mut Vec<u8>) {
    let mut table = Table::new(&[
        ("state", Align::Left),
        ("producer", Align::Right),
        ("epoch", Align::Right),
        ("timeout", Align::Left),
        ("last update", Align::Left),
    ]);
    for one in known.iter().take(shown) {
        let value = &one.state.value;
        let timeout = u64::try_from(value.transaction_timeout_ms);
        table.row([
            value.transaction_status.to_string(),
            value.producer_id.to_string(),
            value.producer_epoch.to_string(),
            timeout.map_or("?".to_owned(), measure::duration),
            time(value.last_update_timestamp),
        ]);
    }
    let mut text = String::new();
    let mut lines = table.lines();
    text += &format!("transactional id\n  {}\n", lines.next().unwrap_or_default());
    for (one, line) in known.iter().zip(lines) {
        let id = String::from_utf8_lossy(&one.transactional_id.transactional_id);
        text += &format!("{}\n  {line}\n", on_one_line(&id));
        let value = &one.state.value;
        let partitions = topic_partitions(value);
        if !partitions.is_empty() {
            let started = time(value.start_timestamp);
            let line = format!("started {started}: {}", partitions.join(", "));
            text += "  ";
            wrap(&on_one_line(&line), 2, 4, &mut text);
        }
    }
    if let Some(more @ 1..) = known.len().checked_sub(shown) {
        text += &format!("... and {more} more (--top)\n");
    }
    text.push('\n');
    out.extend_from_slice(text.as_bytes());
}

fn time(time: Timestamp) -> String {
    match time {
        Timestamp::NONE => "?".to_owned(),
        time => measure::second(time),
    }
}

/// An array of objects.
pub(super) fn write_json(known: &[Known<'_>], wide: WideIntegers, out: &mut Vec<u8>) {
    array(out, known, |one, out| {
        let value = &one.state.value;
        let timed = |time: Timestamp| (time != Timestamp::NONE).then_some(time.0);
        let mut object = Object::open(out, wide);
        let id = one.transactional_id.transactional_id.as_slice();
        object.bytes("transactionalId", Some(id));
        object.text("state", &value.transaction_status.to_string());
        object.producer_id(value.producer_id.0);
        object.int("producerEpoch", value.producer_epoch.0);
        if value.previous_producer_id != ProducerId::NONE {
            object.int("previousProducerId", value.previous_producer_id.0);
        }
        object.int("timeoutMs", value.transaction_timeout_ms);
        object.optional_int("startTimestamp", timed(value.start_timestamp));
        object.optional_int("lastUpdateTimestamp", timed(value.last_update_timestamp));
        let partitions = topic_partitions(value);
        array(object.name("topicPartitions"), &partitions, |name, out| {
            push_text(name, out);
        });
        if value.version != Version::V0 {
            object.int("clientTransactionVersion", value.client_transaction_version);
        }
        match one.path {
            Some(path) => object.text("path", &path.to_string_lossy()),
            None => object.null("path"),
        }
        object.int("offset", one.state.offset.0);
        object.close();
    });
}
