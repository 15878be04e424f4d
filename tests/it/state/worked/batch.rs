//! A batch line of a worked log, and its bytes.

use super::parse::{Fields, number};
use crate::batches::Batch;
use crate::state::words::FIRST_TIME;

const TRANSACTIONAL: i16 = 0x10;
const CONTROL: i16 = 0x20;

/// A batch as it is written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) first: i64,
    pub(super) last: i64,
    batch: Batch,
    has_time: bool,
}

impl Written {
    /// Reads `OFFSETS KIND key=value...`.
    pub(super) fn parse(words: &[&str]) -> Self {
        let [offsets, kind, fields @ ..] = words else {
            panic!("{words:?} is no batch");
        };
        let (first, last) = range(offsets);
        let mut fields = Fields::of(fields);
        let mut batch = Batch::new(first);
        batch.leader_epoch = fields.number("leader").unwrap_or(0);
        let time: Option<i64> = fields.number("time");
        batch.timestamp = FIRST_TIME + time.unwrap_or(0);
        batch.producer_id = fields.number("pid").unwrap_or(-1);
        batch.producer_epoch = fields.number("epoch").unwrap_or(-1);
        let has_id = batch.producer_id != -1;
        let delta = i32::try_from(last - first).unwrap();
        assert!(delta >= 0, "{offsets} goes down");
        let mut batch = match *kind {
            "plain" if !has_id => records(batch, delta, &mut fields),
            "data" | "txn" if has_id => {
                batch.attributes = if *kind == "txn" { TRANSACTIONAL } else { 0 };
                batch.base_sequence = sequences(fields.text("seq").expect("seq"), delta);
                records(batch, delta, &mut fields)
            }
            "commit" | "abort" | "barrier" | "control" | "emptied" => {
                assert_eq!(delta, 0, "a control batch has one offset");
                control(batch, kind, &mut fields)
            }
            _ => panic!("{kind} is no kind of batch, or not with or without a pid"),
        };
        fields.end();
        batch.last_offset_delta = delta;
        Self {
            first,
            last,
            batch,
            has_time: time.is_some(),
        }
    }

    /// The bytes of the batch that is number `place` of its log: without a time of its own each
    /// comes a second after the one before.
    pub(super) fn bytes(&self, place: usize) -> Vec<u8> {
        let mut batch = self.batch.clone();
        if !self.has_time {
            batch.timestamp += 1000 * i64::try_from(place).unwrap();
        }
        batch.encode()
    }
}

/// `FIRST..LAST` or one number.
fn range(text: &str) -> (i64, i64) {
    match text.split_once("..") {
        Some((first, last)) => (number(first), number(last)),
        None => (number(text), number(text)),
    }
}

/// The first of `FIRST..LAST`, or -1 for `none`. There must be as many as offsets.
fn sequences(text: &str, delta: i32) -> i32 {
    if text == "none" {
        return -1;
    }
    let (first, last) = range(text);
    let distance = (last - first).rem_euclid(1 << 31);
    assert_eq!(distance, i64::from(delta), "{text} against the offsets");
    i32::try_from(first).unwrap()
}

/// A record an offset, or as many as compaction has left.
fn records(batch: Batch, delta: i32, fields: &mut Fields<'_>) -> Batch {
    let count = fields.number("records").unwrap_or(delta + 1);
    (0..count).fold(batch, |batch, _| batch.record(None, Some(b"v")))
}

fn control(mut batch: Batch, kind: &str, fields: &mut Fields<'_>) -> Batch {
    let has_id = batch.producer_id != -1;
    batch.attributes = CONTROL | if has_id { TRANSACTIONAL } else { 0 };
    let (number, value) = match kind {
        "abort" => (0, marker_value(fields)),
        "commit" => (1, marker_value(fields)),
        "barrier" => (7, Some(vec![0, 0, 0])),
        "emptied" => return batch,
        _ => (
            fields.number::<i16>("type").expect("type"),
            Some(Vec::new()),
        ),
    };
    let mut key = vec![0, 0];
    key.extend(number.to_be_bytes());
    batch.record(Some(&key), value.as_deref())
}

fn marker_value(fields: &mut Fields<'_>) -> Option<Vec<u8>> {
    if let Some(value) = fields.text("value") {
        assert_eq!(value, "null");
        return None;
    }
    let version: i16 = fields.number("version").unwrap_or(0);
    let coordinator: i32 = fields.number("coordinator").expect("coordinator");
    let mut value = version.to_be_bytes().to_vec();
    value.extend(coordinator.to_be_bytes());
    Some(value)
}
