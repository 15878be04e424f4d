//! The logs that `kfsck txns` reads, one after the other, and what is made of each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kfsck::analysis::belief::{Belief, Question};
use kfsck::analysis::held_back::HeldBack;
use kfsck::analysis::open_transactions::{Asked, Verdict, open_transactions};
use kfsck::analysis::partition_log::PartitionLog;
use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::analysis::transaction_stats::TransactionStats;
use kfsck::format::number::{Offset, ProducerEpoch, ProducerId};
use kfsck::report::transactions::{Dropped, Ended, Head, PartitionView, Report, Terms, Totals};
use kfsck::state::batch::Batch;
use kfsck::state::error::StateError;
use kfsck::state::event::{Event, Kind};
use kfsck::state::read::ReadOptions;
use kfsck::state::replay::Visitor;
use kfsck::state::rules::RuleSet;
use kfsck::state::transactions::Transaction;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::damage::Damage;
use kfsck::storage::directory::{Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::ReadError;

use super::partition_files::read_options;
use super::session::Session;
use super::status::Status;

/// Bytes that wait before they are written.
const FULL: usize = 1 << 16;

/// How many batches of a log are named that stop a broker.
const NAMED_STOPS: u64 = 5;

/// Which transactions are asked for; an empty filter asks for all.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) producer_ids: Vec<i64>,
    pub(super) producer_epoch: Option<i16>,
    pub(super) transactional_id: Option<String>,
}

impl Filter {
    fn takes(
        &self,
        id: ProducerId,
        epoch: Option<ProducerEpoch>,
        coordinator: Option<&TransactionCoordinator>,
    ) -> bool {
        self.takes_producer(id, coordinator)
            && self
                .producer_epoch
                .is_none_or(|wanted| epoch == Some(ProducerEpoch(wanted)))
    }

    fn takes_producer(&self, id: ProducerId, coordinator: Option<&TransactionCoordinator>) -> bool {
        let uses = |wanted: &String| {
            let ids = coordinator.map_or(&[][..], |known| known.transactional_ids(id));
            ids.iter()
                .any(|(_, key)| key.transactional_id == wanted.as_bytes())
        };
        (self.producer_ids.is_empty() || self.producer_ids.contains(&id.0))
            && self.transactional_id.as_ref().is_none_or(uses)
    }
}

/// The run over all inputs.
pub(super) struct Reading {
    terms: Terms,
    rules: &'static dyn RuleSet,
    filter: Filter,
    report: Box<dyn Report>,
    out: Vec<u8>,
    totals: Totals,
}

impl Reading {
    pub(super) fn new(
        terms: Terms,
        rules: &'static dyn RuleSet,
        filter: Filter,
        report: Box<dyn Report>,
    ) -> Self {
        Self {
            terms,
            rules,
            filter,
            report,
            out: Vec::new(),
            totals: Totals::default(),
        }
    }

    pub(super) fn start(&mut self) {
        self.report.start(&mut self.out);
    }

    pub(super) fn end(mut self, session: &mut Session) -> io::Result<()> {
        self.report.end(&self.totals, &mut self.out);
        session.write(&self.out)
    }

    /// Reads what lies behind one path.
    pub(super) fn operand(
        &mut self,
        operand: &Operand,
        coordinator: Option<&TransactionCoordinator>,
        session: &mut Session,
    ) -> io::Result<()> {
        match operand {
            Operand::File(file) => {
                if !matches!(file.name.kind, FileKind::Log | FileKind::Unknown) {
                    session.error(&format!(
                        "{}: expected a segment (.log), a partition directory or a log directory, \
                         found a file of the kind {}",
                        file.path.display(),
                        file.name.kind
                    ));
                    return Ok(());
                }
                match PartitionLog::of_segment(file, session.access) {
                    Ok(log) => self.log(&log, &Checkpoints::default(), coordinator, session)?,
                    Err(error) => session.read_error(&error),
                }
            }
            Operand::Partition(partition) => {
                let checkpoints = checkpoints(log_directory(&partition.path), session);
                self.directory(partition, &checkpoints, coordinator, session)?;
            }
            Operand::Log(log) => {
                let checkpoints = checkpoints(Some(log.path.clone()), session);
                for error in &log.listing.unreadable {
                    session.read_error(error);
                }
                for partition in &log.partitions {
                    if let Some(state) = partition.name.as_ref().and_then(|name| name.state) {
                        let message = format!("left out: no log in use ({})", state.as_str());
                        session.note(&partition.path, &message);
                        continue;
                    }
                    self.directory(partition, &checkpoints, coordinator, session)?;
                }
            }
        }
        Ok(())
    }

    fn directory(
        &mut self,
        partition: &PartitionDirectory,
        checkpoints: &Checkpoints,
        coordinator: Option<&TransactionCoordinator>,
        session: &mut Session,
    ) -> io::Result<()> {
        for error in &partition.listing.unreadable {
            session.read_error(error);
        }
        let log = PartitionLog::of_directory(partition);
        if log.segments.is_empty() {
            return Ok(());
        }
        self.log(&log, checkpoints, coordinator, session)
    }

    fn log(
        &mut self,
        log: &PartitionLog<'_>,
        checkpoints: &Checkpoints,
        coordinator: Option<&TransactionCoordinator>,
        session: &mut Session,
    ) -> io::Result<()> {
        let head = Head {
            topic_partition: &log.topic_partition,
            name: log.name.as_ref(),
            path: &log.path,
        };
        let question = Question {
            rules: self.rules,
            at: None,
            read: read_options(session.access),
            expiry: None,
        };
        self.report.begin(&head, &mut self.out);
        let mut gathering = Gathering {
            reading: self,
            log,
            head,
            coordinator,
            session,
            stats: TransactionStats::default(),
            dropped: Vec::new(),
            stops: 0,
            refused: None,
        };
        let believed = log.believe(checkpoints, &question, &mut gathering);
        gathering.end_stops();
        let Gathering {
            stats,
            dropped,
            refused,
            ..
        } = gathering;
        if let Some(error) = refused {
            return Err(error);
        }
        let found = believed.and_then(|belief| {
            let held_back = self.held_back(log, &belief, question.read)?;
            Ok((belief, held_back))
        });
        match found {
            Ok((belief, held_back)) => {
                tell_snapshot(&belief, session);
                let view = self.view(log, head, &belief, coordinator);
                if log.is_one_segment() && !view.open.is_empty() {
                    let alone = "read from this segment alone: a transaction that is open here \
                                 may have ended in the next one";
                    session.note(&log.path, &alone);
                }
                self.finish(
                    &PartitionView {
                        held_back,
                        dropped,
                        stats: TransactionStats {
                            open: view.stats.open,
                            ..stats
                        },
                        ..view
                    },
                    session,
                );
            }
            Err(error) => {
                session.read_error(&error);
                self.report.fail(&mut self.out);
            }
        }
        self.write(session)
    }

    /// What consumers of committed data cannot read.
    fn held_back(
        &self,
        log: &PartitionLog<'_>,
        belief: &Belief,
        options: ReadOptions,
    ) -> Result<HeldBack, ReadError> {
        let stable = belief.last_stable_offset();
        if stable >= belief.log_end_offset() {
            return Ok(HeldBack::default());
        }
        log.held_back(stable, options)
    }

    fn view<'a>(
        &self,
        log: &'a PartitionLog<'_>,
        head: Head<'a>,
        belief: &'a Belief,
        coordinator: Option<&'a TransactionCoordinator>,
    ) -> PartitionView<'a> {
        let asked = Asked {
            now: self.terms.now,
            max_timeout_ms: self.terms.max_timeout_ms,
            coordinator,
        };
        let mut open = open_transactions(belief, log.name.as_ref(), log.first_offset(), &asked);
        open.retain(|open| {
            self.filter
                .takes(open.producer_id, open.producer_epoch, coordinator)
        });
        let count = u64::try_from(open.len()).unwrap_or(u64::MAX);
        let with_paths = open.into_iter().map(|open| {
            let segment = open.first_place.map(|place| place.segment);
            let path = segment.and_then(|segment| log.segment_path(segment));
            let path = path.map(Path::to_owned);
            (open, path)
        });
        let state = belief.state.manager().producers();
        let mut producers: Vec<_> = state
            .iter()
            .filter(|entry| {
                let epoch = Some(entry.producer_epoch);
                self.filter.takes(entry.producer_id, epoch, coordinator)
            })
            .map(|entry| entry.producer_id)
            .collect();
        producers.sort_unstable();
        PartitionView {
            head,
            state,
            producers,
            log_start_offset: belief.log_start_offset,
            last_stable_offset: belief.last_stable_offset(),
            high_watermark: belief.high_watermark,
            log_end_offset: belief.log_end_offset(),
            held_back: HeldBack::default(),
            open: with_paths.collect(),
            dropped: Vec::new(),
            stats: TransactionStats {
                open: count,
                ..TransactionStats::default()
            },
        }
    }

    fn finish(&mut self, view: &PartitionView<'_>, session: &mut Session) {
        let is_bad = |verdict| matches!(verdict, Verdict::Suspect | Verdict::Hanging);
        if view.open.iter().any(|(open, _)| is_bad(open.verdict())) {
            session.met(Status::Found);
        }
        for dropped in &view.dropped {
            let message = format!(
                "the barrier at offset {} voids the transaction of producer {} that is open since \
                 offset {}: its records are neither committed nor aborted",
                dropped.barrier_offset, dropped.producer_id, dropped.first_offset
            );
            session.note(view.head.path, &message);
        }
        self.totals.add(view);
        self.report.finish(view, &mut self.out);
    }

    fn flush(&mut self, session: &mut Session) -> io::Result<()> {
        if self.out.len() < FULL {
            return Ok(());
        }
        self.write(session)
    }

    fn write(&mut self, session: &mut Session) -> io::Result<()> {
        session.write(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

/// The directory that a partition's lies in.
fn log_directory(partition: &Path) -> Option<PathBuf> {
    match partition.file_name() {
        Some(_) => partition.parent().map(Path::to_owned),
        None => fs::canonicalize(partition)
            .ok()?
            .parent()
            .map(Path::to_owned),
    }
}

fn checkpoints(log_directory: Option<PathBuf>, session: &mut Session) -> Checkpoints {
    let Some(directory) = log_directory else {
        return Checkpoints::default();
    };
    let checkpoints = Checkpoints::read(&directory, session.access);
    for fault in &checkpoints.faults {
        session.remark(fault);
    }
    checkpoints
}

fn tell_snapshot(belief: &Belief, session: &mut Session) {
    if let Some((path, why)) = &belief.refused {
        let message = format!("not used, as a broker would delete it: {why}");
        session.note(path, &message);
    }
}

/// Takes what the replay of one log comes by.
struct Gathering<'a, 'l> {
    reading: &'a mut Reading,
    log: &'a PartitionLog<'l>,
    head: Head<'a>,
    coordinator: Option<&'a TransactionCoordinator>,
    session: &'a mut Session,
    stats: TransactionStats,
    dropped: Vec<Dropped>,
    /// Batches at which a broker ends.
    stops: u64,
    /// Why standard output takes no more.
    refused: Option<io::Error>,
}

impl Gathering<'_, '_> {
    /// Such a log is to be repaired before a broker can abort anything in it.
    fn stop(&mut self, batch: &Batch, error: &StateError) {
        self.stops = self.stops.saturating_add(1);
        if self.stops <= NAMED_STOPS {
            let path = self.log.segment_path(batch.place.segment);
            self.session.warning(&format!(
                "{}: position {}: a broker that reads this batch back does not start: {error}",
                path.unwrap_or(&self.log.path).display(),
                batch.place.position
            ));
        }
    }

    fn end_stops(&mut self) {
        if let Some(more @ 1..) = self.stops.checked_sub(NAMED_STOPS) {
            let path = self.log.path.display();
            self.session
                .warning(&format!("{path}: and {more} more such batches"));
        }
    }
}

impl Visitor for Gathering<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        let filter = &self.reading.filter;
        match &event.kind {
            Kind::WouldStop(error) => self.stop(event.batch, error),
            Kind::EmptyTransaction { .. } => {
                let (id, epoch) = (event.batch.producer_id, event.batch.producer_epoch);
                if filter.takes(id, Some(epoch), self.coordinator) {
                    self.stats.empty = self.stats.empty.saturating_add(1);
                }
            }
            Kind::BarrierOpenTransaction {
                producer_id,
                first_offset,
            } if filter.takes_producer(*producer_id, self.coordinator) => {
                self.dropped.push(Dropped {
                    producer_id: *producer_id,
                    first_offset: *first_offset,
                    barrier_offset: event.batch.base_offset,
                });
            }
            _ => {}
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        let (id, epoch) = (transaction.producer_id, transaction.producer_epoch);
        let reading = &mut *self.reading;
        if !reading.filter.takes(id, Some(epoch), self.coordinator) {
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
        reading.report.ended(&self.head, &ended, &mut reading.out);
        self.refused = reading.flush(self.session).err();
    }

    fn damage(&mut self, segment: Offset, damage: &Damage) {
        let path = self.log.segment_path(segment).unwrap_or(&self.log.path);
        self.session.damage(path, damage);
    }
}
