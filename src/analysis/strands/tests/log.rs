//! A log in memory that is given to the analysis batch by batch.

use crate::analysis::strands::{Finding, Grade, Options, Report, Sign, Strands};
use crate::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::state::batch::{Batch, Control, Marker, Place};

/// A log that grows; each batch takes its place, and a second.
pub(super) struct Log {
    pub(super) strands: Strands,
    next: i64,
    time: i64,
    leader: i32,
    transactional: bool,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            strands: Strands::new(Options::default()),
            next: 0,
            time: 0,
            leader: 0,
            transactional: false,
        }
    }

    fn header(&mut self, id: i64, epoch: i16, (base, last): (i32, i32)) -> Batch {
        let length = Sequence(last).minus(base).0.max(0);
        let base_offset = Offset(self.next);
        let last_offset = base_offset.plus(length.into());
        self.next = last_offset.0 + 1;
        self.time += 1000;
        Batch {
            place: Place {
                segment: Offset(0),
                position: 0,
                size: 0,
            },
            magic: 2,
            base_offset,
            last_offset,
            partition_leader_epoch: LeaderEpoch(self.leader),
            first_timestamp: Timestamp(self.time),
            max_timestamp: Timestamp(self.time),
            producer_id: ProducerId(id),
            producer_epoch: ProducerEpoch(epoch),
            base_sequence: Sequence(base),
            last_sequence: Sequence(last),
            count: length + 1,
            is_transactional: self.transactional,
            is_control: false,
        }
    }

    pub(super) fn data(mut self, id: i64, epoch: i16, base: i32, last: i32) -> Self {
        let batch = self.header(id, epoch, (base, last));
        self.strands.batch(&batch, None);
        self
    }

    pub(super) fn end(mut self, id: i64, epoch: i16, is_abort: bool, coordinator: i32) -> Self {
        let mut batch = self.header(id, epoch, (-1, -1));
        batch.is_transactional = true;
        batch.is_control = true;
        let control = Control::Marker(Marker {
            is_abort,
            version: 0,
            coordinator_epoch: CoordinatorEpoch(coordinator),
            timestamp: batch.max_timestamp,
        });
        self.strands.batch(&batch, Some(&control));
        self
    }

    pub(super) fn barrier(mut self) -> Self {
        let mut batch = self.header(-1, -1, (-1, -1));
        batch.is_control = true;
        self.strands.batch(&batch, Some(&Control::MirrorPidReset));
        self
    }

    pub(super) fn at(mut self, time: i64) -> Self {
        self.time = time - 1000;
        self
    }

    pub(super) fn silent(mut self, ms: i64) -> Self {
        self.time += ms;
        self
    }

    pub(super) fn led_by(mut self, leader: i32) -> Self {
        self.leader = leader;
        self
    }

    pub(super) fn hole(mut self) -> Self {
        self.next += 7;
        self
    }

    pub(super) fn txn(mut self) -> Self {
        self.transactional = true;
        self
    }

    pub(super) fn plain(mut self) -> Self {
        self.transactional = false;
        self
    }

    pub(super) fn report(self) -> Report {
        self.strands.into_report()
    }

    pub(super) fn nothing(self) {
        assert_eq!(self.report().findings, []);
    }

    /// The only finding has this grade and these signs.
    pub(super) fn shows(self, grade: Grade, signs: &[Sign]) -> Finding {
        let mut findings = self.report().findings;
        assert_eq!(findings.len(), 1, "{findings:#?}");
        let finding = findings.remove(0);
        let found: Vec<Sign> = finding.evidence.iter().map(|one| one.sign).collect();
        assert_eq!((finding.grade, &found[..]), (grade, signs));
        let (least, greatest) = grade.band();
        assert!((least..=greatest).contains(&finding.confidence));
        finding
    }
}
