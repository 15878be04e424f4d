//! What `kfsck txns` comes by while one log is replayed: transactions that end, and what a batch
//! shows that has to be told.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use kfsck::analysis::partition_log::PartitionLog;
use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::analysis::transaction_stats::TransactionStats;
use kfsck::format::number::Offset;
use kfsck::report::read_back;
use kfsck::report::transactions::{Dropped, Ended};
use kfsck::state::batch::Batch;
use kfsck::state::event::{Event, Fate, Kind};
use kfsck::state::replay::Visitor;
use kfsck::state::rules::{Barrier, RuleSet};
use kfsck::state::transactions::Transaction;
use kfsck::storage::damage::Damage;

use super::session::Session;
use super::txns_reading::{Reading, head};
use kfsck::report::one_line::path_on_one_line;

/// How many batches of a log are named for one code.
const NAMED: u64 = 5;

/// Takes what the replay of one log comes by.
pub(super) struct Gathering<'a, 'l> {
    reading: &'a mut Reading,
    log: &'a PartitionLog<'l>,
    coordinator: Option<&'a TransactionCoordinator>,
    session: &'a mut Session,
    stats: TransactionStats,
    dropped: Vec<Dropped>,
    /// How often each code was met.
    told: BTreeMap<&'static str, u64>,
    /// A barrier was told of.
    has_barrier: bool,
    /// Why standard output takes no more.
    refused: Option<io::Error>,
}

impl<'a, 'l> Gathering<'a, 'l> {
    pub(super) fn new(
        reading: &'a mut Reading,
        log: &'a PartitionLog<'l>,
        coordinator: Option<&'a TransactionCoordinator>,
        session: &'a mut Session,
    ) -> Self {
        Self {
            reading,
            log,
            coordinator,
            session,
            stats: TransactionStats::default(),
            dropped: Vec::new(),
            told: BTreeMap::new(),
            has_barrier: false,
            refused: None,
        }
    }

    fn path_of(&self, batch: &Batch) -> &Path {
        let path = self.log.segment_path(batch.place.segment);
        path.unwrap_or(&self.log.path)
    }

    /// Counts what a batch shows; of each code the first few are told.
    fn tell(&mut self, code: &'static str, batch: &Batch, message: impl FnOnce() -> String) {
        let count = self.told.entry(code).or_default();
        *count = count.saturating_add(1);
        if *count <= NAMED {
            let path = self.path_of(batch).to_owned();
            let position = batch.place.position;
            self.session.finding(&path, position, code, &message());
        }
    }

    /// What was counted, and what a barrier dropped.
    ///
    /// # Errors
    /// Standard output has taken no more.
    pub(super) fn end(self) -> io::Result<(TransactionStats, Vec<Dropped>)> {
        for (code, count) in &self.told {
            if let Some(more @ 1..) = count.checked_sub(NAMED) {
                let path = path_on_one_line(&self.log.path);
                self.session
                    .line(&format!("{path}: and {more} more {code}"));
            }
        }
        match self.refused {
            Some(error) => Err(error),
            None => Ok((self.stats, self.dropped)),
        }
    }
}

impl Visitor for Gathering<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        let filter = &self.reading.wanted.filter;
        let (batch, code) = (event.batch, event.kind.code());
        match &event.kind {
            // Such a log is to be repaired before a broker can abort anything in it.
            Kind::WouldStop(error) => self.tell(code, batch, || {
                let stop = read_back::stop(batch, error);
                format!("producer {}: {stop}", batch.producer_id)
            }),
            Kind::EmptyTransaction { .. } => {
                let (id, epoch) = (batch.producer_id, batch.producer_epoch);
                if filter.takes(id, Some(epoch), self.coordinator) {
                    self.stats.empty = self.stats.empty.saturating_add(1);
                }
            }
            Kind::BarrierOpenTransaction {
                producer_id,
                first_offset,
                fate,
            } if filter.takes_producer(*producer_id, self.coordinator) => {
                let (id, first_offset, barrier_offset) =
                    (*producer_id, *first_offset, batch.base_offset);
                self.reading.knows(id);
                self.tell(code, batch, || {
                    read_back::open_at_barrier(barrier_offset, id, first_offset, *fate)
                });
                if *fate == Fate::Dropped {
                    self.dropped.push(Dropped {
                        producer_id: id,
                        first_offset,
                        barrier_offset,
                    });
                }
            }
            _ => {}
        }
    }

    fn barrier(&mut self, batch: &Batch) {
        // Other rules than the default's were chosen by somebody who knows of barriers.
        if self.reading.wanted.rules.name() == Barrier.name() && !self.has_barrier {
            self.has_barrier = true;
            let message = format!("{}: {}", "mirror-pid-reset", read_back::barrier(batch));
            self.session
                .note(self.path_of(batch).to_owned().as_path(), &message);
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        let (id, epoch) = (transaction.producer_id, transaction.producer_epoch);
        let reading = &mut *self.reading;
        reading.knows(id);
        if !reading
            .wanted
            .filter
            .takes(id, Some(epoch), self.coordinator)
        {
            return;
        }
        self.stats.add(transaction);
        if !reading.terms.all || self.refused.is_some() {
            return;
        }
        let ids = self.coordinator.map(|known| known.transactional_ids(id));
        let path_of = |segment| self.log.segment_path(segment);
        let ended = Ended {
            transaction,
            transactional_id: ids.unwrap_or_default().first().map(|(_, id)| id),
            first_path: transaction
                .first_place
                .and_then(|place| path_of(place.segment)),
            marker_path: transaction.end.and_then(|end| path_of(end.place.segment)),
        };
        reading
            .report
            .ended(&head(self.log), &ended, &mut reading.out);
        self.refused = reading.flush(self.session).err();
    }

    fn damage(&mut self, segment: Offset, damage: &Damage) {
        let path = self.log.segment_path(segment).unwrap_or(&self.log.path);
        self.session.damage(path, damage);
    }
}
