//! The logs that `kfsck txns` reads, one after the other, and what is made of each.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use kfsck::analysis::belief::{Belief, Question};
use kfsck::analysis::held_back::HeldBack;
use kfsck::analysis::open_transactions::{Asked, Verdict, open_transactions};
use kfsck::analysis::partition_log::PartitionLog;
use kfsck::analysis::producer_order::is_expired;
use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::analysis::transaction_stats::TransactionStats;
use kfsck::format::number::{ProducerEpoch, ProducerId, Timestamp};
use kfsck::report::transactions::coordinators::Known;
use kfsck::report::transactions::{Head, PartitionView, Report, Terms, Totals};
use kfsck::state::read::ReadOptions;
use kfsck::state::rules::RuleSet;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::ReadError;

use super::partition_files::{CheckpointsBeside, read_options};
use super::progress::Progress;
use super::session::Session;
use super::status::Status;
use super::txns::Filter;
use super::txns_gathering::Gathering;

/// Bytes that wait before they are written.
const FULL: usize = 1 << 16;

impl Filter {
    /// Whether not every transaction is asked for.
    pub(super) fn is_some(&self) -> bool {
        !self.producer_id.is_empty()
            || self.producer_epoch.is_some()
            || self.transactional_id.is_some()
    }

    pub(super) fn takes(
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

    /// Whether a transactional id with its producer is asked for.
    fn takes_id(&self, known: &Known<'_>) -> bool {
        let value = &known.state.value;
        let id = &known.transactional_id.transactional_id;
        (self.producer_id.is_empty() || self.producer_id.contains(&value.producer_id.0))
            && (self.producer_epoch).is_none_or(|epoch| epoch == value.producer_epoch.0)
            && (self.transactional_id.as_ref()).is_none_or(|wanted| wanted.as_bytes() == id)
    }

    pub(super) fn takes_producer(
        &self,
        id: ProducerId,
        coordinator: Option<&TransactionCoordinator>,
    ) -> bool {
        let uses = |wanted: &String| {
            let ids = coordinator.map_or(&[][..], |known| known.transactional_ids(id));
            ids.iter()
                .any(|(_, key)| key.transactional_id == wanted.as_bytes())
        };
        (self.producer_id.is_empty() || self.producer_id.contains(&id.0))
            && self.transactional_id.as_ref().is_none_or(uses)
    }
}

/// What is asked of every log.
pub(super) struct Wanted {
    pub(super) rules: &'static dyn RuleSet,
    /// The clock and the age at which producers expire.
    pub(super) expiry: Option<(Timestamp, i64)>,
    pub(super) filter: Filter,
    pub(super) progress: Progress,
}

/// The run over all inputs.
pub(super) struct Reading {
    pub(super) terms: Terms,
    pub(super) wanted: Wanted,
    checkpoints: CheckpointsBeside,
    /// The producers that were asked for by their ids, and whether any log knows them.
    known: BTreeMap<ProducerId, bool>,
    pub(super) report: Box<dyn Report>,
    pub(super) out: Vec<u8>,
    totals: Totals,
}

impl Reading {
    pub(super) fn new(terms: Terms, wanted: Wanted, report: Box<dyn Report>) -> Self {
        let ids = wanted.filter.producer_id.iter();
        Self {
            known: ids.map(|id| (ProducerId(*id), false)).collect(),
            terms,
            wanted,
            checkpoints: CheckpointsBeside::default(),
            report,
            out: Vec::new(),
            totals: Totals::default(),
        }
    }

    pub(super) fn start(&mut self) {
        self.report.start(&mut self.out);
    }

    /// What coordinators know of the ids that were asked for.
    pub(super) fn coordinators(&mut self, mut known: Vec<Known<'_>>) {
        known.retain(|one| self.wanted.filter.takes_id(one));
        for one in &known {
            self.knows(one.state.value.producer_id);
        }
        self.report.coordinators(&known, &mut self.out);
    }

    pub(super) fn end(mut self, session: &mut Session) -> io::Result<()> {
        self.report.end(&self.totals, &mut self.out);
        session.write(&self.out)?;
        let unknown: Vec<_> = self
            .known
            .iter()
            .filter(|(_, is_known)| !**is_known)
            .collect();
        if let Some(((first, _), others)) = unknown.split_first() {
            let mut message = format!("nothing here knows producer {first}");
            for (id, _) in others {
                message += &format!(", {id}");
            }
            session.remark(&message);
        }
        Ok(())
    }

    /// A log knows this producer.
    pub(super) fn knows(&mut self, id: ProducerId) {
        if let Some(is_known) = self.known.get_mut(&id) {
            *is_known = true;
        }
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
                    Ok(log) => self.log(&log, coordinator, session)?,
                    Err(error) => session.read_error(&error),
                }
            }
            Operand::Partition(partition) => {
                self.directory(partition, coordinator, session)?;
            }
            Operand::Log(log) => {
                for error in &log.listing.unreadable {
                    session.read_error(error);
                }
                for partition in &log.partitions {
                    if let Some(state) = partition.name.as_ref().and_then(|name| name.state) {
                        let message = format!("left out: no log in use ({})", state.as_str());
                        session.note(&partition.path, &message);
                        continue;
                    }
                    self.directory(partition, coordinator, session)?;
                }
            }
        }
        Ok(())
    }

    fn directory(
        &mut self,
        partition: &PartitionDirectory,
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
        self.log(&log, coordinator, session)
    }

    fn log(
        &mut self,
        log: &PartitionLog<'_>,
        coordinator: Option<&TransactionCoordinator>,
        session: &mut Session,
    ) -> io::Result<()> {
        let head = head(log);
        let question = Question {
            rules: self.wanted.rules,
            at: None,
            read: read_options(session.access),
            expiry: self.wanted.expiry,
        };
        let mut beside = std::mem::take(&mut self.checkpoints);
        // Those beside a segment speak of its whole log.
        let nothing = Checkpoints::default();
        let checkpoints = match log.is_one_segment() {
            true => &nothing,
            false => beside.of(&log.path, session),
        };
        self.report.begin(&head, &mut self.out);
        let progress = self.wanted.progress.clone();
        let mut gathering = Gathering::new(self, log, coordinator, session);
        let visitor = &mut progress.watching(&mut gathering);
        let believed = log.believe(checkpoints, &question, visitor);
        let (stats, dropped) = gathering.end()?;
        self.checkpoints = beside;
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
            let filter = &self.wanted.filter;
            filter.takes(open.producer_id, open.producer_epoch, coordinator)
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
                !is_expired(entry, self.wanted.expiry)
                    && (self.wanted.filter).takes(entry.producer_id, epoch, coordinator)
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
        let asked: Vec<_> = self.known.keys().copied().collect();
        for id in asked {
            if view.state.get(id).is_some()
                || view.open.iter().any(|(open, _)| open.producer_id == id)
            {
                self.knows(id);
            }
        }
        self.totals.add(view);
        self.report.finish(view, &mut self.out);
    }

    pub(super) fn flush(&mut self, session: &mut Session) -> io::Result<()> {
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

/// A log, as far as it is known before it is read.
pub(super) fn head<'a>(log: &'a PartitionLog<'_>) -> Head<'a> {
    Head {
        topic_partition: &log.topic_partition,
        name: log.name.as_ref(),
        path: &log.path,
    }
}

fn tell_snapshot(belief: &Belief, session: &mut Session) {
    if let Some((path, why)) = &belief.refused {
        let message = format!("not used, as a broker would delete it: {why}");
        session.note(path, &message);
    }
}
