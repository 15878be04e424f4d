//! Writes small logs for tests, batch by batch; goldens are never made with it.

use crate::format::crc::crc32c;
use crate::format::number::{Offset, ProducerId};
use crate::format::varint::{put_varint, put_varlong};
use crate::state::append::Append;
use crate::state::batch::{Batch, Control};
use crate::state::error::StateError;
use crate::state::event::Event;
use crate::state::manager::{Applied, Manager};
use crate::state::read::{Item, read_source};
use crate::state::rules::{RuleSet, Stock};
use crate::storage::source::Source;
use std::ops::ControlFlow;

/// 2023-11-14T22:13:20Z, the time of a log's first batch; each further one comes a second later.
pub(super) const START: i64 = 1_700_000_000_000;

/// A key or value, which may be null.
pub(super) type Bytes = Option<Vec<u8>>;

/// A batch to be written.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) offset: i64,
    pub(super) records: i32,
    pub(super) leader_epoch: i32,
    pub(super) attributes: i16,
    pub(super) time: i64,
    pub(super) pid: i64,
    pub(super) epoch: i16,
    pub(super) sequence: i32,
    /// Key and value of a control record.
    pub(super) control: Option<(Bytes, Bytes)>,
    /// The record's time where it is not the batch's.
    pub(super) record_time: Option<i64>,
}

impl Write {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut records = Vec::new();
        for delta in 0..self.records {
            let (key, value) = self.control.clone().unwrap_or((None, Some(b"v".to_vec())));
            let mut body = vec![0];
            put_varlong(self.record_time.unwrap_or(self.time) - self.time, &mut body);
            put_varint(delta, &mut body);
            for part in [key, value] {
                put_varint(
                    part.as_ref().map_or(-1, |part| part.len() as i32),
                    &mut body,
                );
                body.extend(part.unwrap_or_default());
            }
            put_varint(0, &mut body);
            put_varint(body.len() as i32, &mut records);
            records.extend(body);
        }
        let mut covered = self.attributes.to_be_bytes().to_vec();
        covered.extend((self.records.max(1) - 1).to_be_bytes());
        covered.extend(self.time.to_be_bytes());
        covered.extend(self.time.to_be_bytes());
        covered.extend(self.pid.to_be_bytes());
        covered.extend(self.epoch.to_be_bytes());
        covered.extend(self.sequence.to_be_bytes());
        covered.extend(self.records.to_be_bytes());
        covered.extend(records);
        let mut out = self.offset.to_be_bytes().to_vec();
        out.extend((covered.len() as i32 + 9).to_be_bytes());
        out.extend(self.leader_epoch.to_be_bytes());
        out.push(2);
        out.extend(crc32c(&covered).to_be_bytes());
        out.extend(covered);
        out
    }
}

/// A log that grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) writes: Vec<Write>,
    pub(super) leader_epoch: i32,
    pub(super) next: Option<i64>,
}

pub(super) const TRANSACTIONAL: i16 = 0x10;
pub(super) const CONTROL: i16 = 0x20;

impl Log {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn from(offset: i64) -> Self {
        Self {
            next: Some(offset),
            ..Self::default()
        }
    }

    pub(super) fn end(&self) -> i64 {
        self.writes.last().map_or(self.next.unwrap_or(0), |last| {
            last.offset + i64::from(last.records.max(1))
        })
    }

    pub(super) fn write(mut self, change: impl FnOnce(&mut Write)) -> Self {
        let offset = self.next.take().unwrap_or_else(|| self.end());
        let mut write = Write {
            offset,
            records: 1,
            leader_epoch: self.leader_epoch,
            attributes: 0,
            time: START + 1000 * self.writes.len() as i64,
            pid: -1,
            epoch: -1,
            sequence: -1,
            control: None,
            record_time: None,
        };
        change(&mut write);
        self.writes.push(write);
        self
    }

    /// Data of an idempotent producer.
    pub(super) fn data(self, pid: i64, epoch: i16, sequence: i32, records: i32) -> Self {
        self.write(|batch| {
            (batch.pid, batch.epoch, batch.sequence) = (pid, epoch, sequence);
            batch.records = records;
        })
    }

    /// Data in a transaction.
    pub(super) fn txn(self, pid: i64, epoch: i16, sequence: i32, records: i32) -> Self {
        self.write(|batch| {
            (batch.pid, batch.epoch, batch.sequence) = (pid, epoch, sequence);
            (batch.records, batch.attributes) = (records, TRANSACTIONAL);
        })
    }

    pub(super) fn commit(self, pid: i64, epoch: i16, coordinator: i32) -> Self {
        self.control(pid, epoch, 1, Some(marker_value(0, coordinator)))
    }

    pub(super) fn abort(self, pid: i64, epoch: i16, coordinator: i32) -> Self {
        self.control(pid, epoch, 0, Some(marker_value(0, coordinator)))
    }

    /// A control record of any type.
    pub(super) fn control(self, pid: i64, epoch: i16, kind: i16, value: Option<Vec<u8>>) -> Self {
        self.write(|batch| {
            (batch.pid, batch.epoch) = (pid, epoch);
            batch.attributes = CONTROL | if pid == -1 { 0 } else { TRANSACTIONAL };
            let mut key = vec![0, 0];
            key.extend(kind.to_be_bytes());
            batch.control = Some((Some(key), value));
        })
    }

    /// The barrier, layout B.
    pub(super) fn barrier(self) -> Self {
        self.control(-1, -1, 7, Some(vec![0, 0, 0]))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.writes.iter().flat_map(Write::bytes).collect()
    }

    pub(super) fn batches(&self) -> Vec<(Batch, Option<Control>)> {
        let source = Source::from_bytes("00000000000000000000.log", self.bytes());
        let mut found = Vec::new();
        let mut visit = |item: Item<'_>| match item {
            Item::Batch(batch, control) => {
                found.push((*batch, control.cloned()));
                ControlFlow::Continue(())
            }
            Item::Damage(damage) => panic!("{damage:?}"),
        };
        read_source(&source, Offset(0), true, &mut |_| true, &mut visit).unwrap();
        assert_eq!(found.len(), self.writes.len());
        found
    }
}

pub(super) fn marker_value(version: i16, coordinator: i32) -> Vec<u8> {
    let mut value = version.to_be_bytes().to_vec();
    value.extend(coordinator.to_be_bytes());
    value
}

/// Takes a log in, batch by batch.
pub(super) fn apply<const N: usize>(
    manager: &mut Manager<N>,
    how: Append,
    log: &Log,
) -> Vec<Result<Applied, StateError>> {
    let applied = log.batches().into_iter().map(|(batch, control)| {
        let control = control.filter(|_| manager.needs_control(how, &batch));
        manager.apply(how, &batch, control.as_ref(), &mut |_| {})
    });
    applied.collect()
}

/// A manager that has read a log back as a stock broker does after an unclean stop.
pub(super) fn recovered(log: &Log) -> Manager<5> {
    recovered_by(&Stock, log)
}

pub(super) fn recovered_by(rules: &'static dyn RuleSet, log: &Log) -> Manager<5> {
    let mut manager = Manager::new("t-0", rules);
    for applied in apply(&mut manager, Append::RECOVERY, log) {
        applied.unwrap();
    }
    manager
}

/// The error of the last batch, appended by `how` behind what `before` holds.
pub(super) fn refusal(before: &Log, how: Append, last: &Log) -> String {
    let mut manager = recovered(before);
    let applied = apply(&mut manager, how, last);
    let error = applied.last().unwrap().clone().unwrap_err();
    format!("{}: {error}", error.class())
}

/// The last sequences and offsets that are kept of a producer.
pub(super) fn kept<const N: usize>(manager: &Manager<N>, pid: i64) -> Vec<(i32, i64)> {
    let entry = manager.producers().get(ProducerId(pid)).unwrap();
    let batches = entry.batches.as_slice().iter();
    batches
        .map(|batch| (batch.last_sequence.0, batch.last_offset.0))
        .collect()
}

/// What events say, a line each: code, offset, and the last offset known before.
pub(super) fn told(manager: &mut Manager<1>, log: &Log) -> Vec<String> {
    let mut lines = Vec::new();
    for (batch, control) in log.batches() {
        let mut sink = |event: &Event<'_>| {
            let before = event.previous.map_or(-1, |before| before.last_offset.0);
            let (code, offset) = (event.kind.code(), event.batch.base_offset);
            lines.push(format!("{code} {offset} after {before}"));
        };
        let control = control.as_ref();
        manager
            .apply(Append::LOAD, &batch, control, &mut sink)
            .unwrap();
    }
    lines
}
