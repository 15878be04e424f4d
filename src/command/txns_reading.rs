//! The logs that `kfsck txns` reads, one after the other, and what is made of each.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use kfsck::analysis::belief::{Belief, Question};
use kfsck::analysis::completed_commit::spare_committed;
use kfsck::analysis::held_back::HeldBack;
use kfsck::analysis::log_as_of::{LogAsOf, log_as_of};
use kfsck::analysis::open_transactions::{Asked, OpenView, Verdict, open_transactions};
use kfsck::analysis::partition_copies::{self, PartitionCopies, ThisCopy};
use kfsck::analysis::partition_log::PartitionLog;
use kfsck::analysis::producer_order::is_expired;
use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::analysis::transaction_stats::TransactionStats;
use kfsck::format::number::{ProducerEpoch, ProducerId, Timestamp};
use kfsck::report::log_findings::end_below_start;
use kfsck::report::transactions::coordinators::Known;
use kfsck::report::transactions::{Dropped, Head, PartitionView, Report, Terms, Totals};
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

/// Who judges what is open in a log.
#[derive(Clone, Copy)]
pub(super) struct Judges<'a> {
    pub(super) coordinator: Option<&'a TransactionCoordinator>,
    /// All copies of partitions that were given.
    pub(super) copies: &'a PartitionCopies<'a>,
    /// The log's cluster.
    pub(super) cluster: Option<&'a str>,
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
        judges: Judges<'_>,
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
                    Ok(log) => self.log(&log, judges, session)?,
                    Err(error) => session.read_error(&error),
                }
            }
            Operand::Partition(partition) => {
                self.directory(partition, judges, session)?;
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
                    self.directory(partition, judges, session)?;
                }
            }
        }
        Ok(())
    }

    fn directory(
        &mut self,
        partition: &PartitionDirectory,
        judges: Judges<'_>,
        session: &mut Session,
    ) -> io::Result<()> {
        for error in &partition.listing.unreadable {
            session.read_error(error);
        }
        let log = PartitionLog::of_directory(partition);
        if log.segments.is_empty() {
            return Ok(());
        }
        self.log(&log, judges, session)
    }

    fn log(
        &mut self,
        log: &PartitionLog<'_>,
        judges: Judges<'_>,
        session: &mut Session,
    ) -> io::Result<()> {
        let read = read_options(session.access);
        let as_of = match self.terms.as_of {
            Some(time) => log_as_of(log.bytes(), time, read),
            None => Ok(LogAsOf::default()),
        };
        let question = Question {
            rules: self.wanted.rules,
            at: as_of.as_ref().ok().and_then(|as_of| as_of.end),
            read,
            expiry: self.wanted.expiry,
        };
        let mut beside = std::mem::take(&mut self.checkpoints);
        // Those beside a segment speak of its whole log.
        let nothing = Checkpoints::default();
        let checkpoints = match log.is_one_segment() {
            true => &nothing,
            false => beside.of(&log.path, session),
        };
        self.report.begin(&head(log), &mut self.out);
        let progress = self.wanted.progress.clone();
        let mut gathering = Gathering::new(self, log, judges.coordinator, session);
        let visitor = &mut progress.watching(&mut gathering);
        let believed = as_of.and_then(|as_of| {
            let belief = log.believe(checkpoints, &question, visitor)?;
            Ok((as_of, belief))
        });
        let gathered = gathering.end()?;
        self.checkpoints = beside;
        let told = believed.and_then(|(as_of, belief)| {
            if as_of.begins_later {
                let later = "its first batch here is later than --at-time: what was open then, if \
                             anything, is not here";
                session.note(&log.path, &later);
            }
            self.tell(log, &belief, &question, judges, gathered, session)
        });
        if let Err(error) = told {
            session.read_error(&error);
            self.report.fail(&mut self.out);
        }
        self.write(session)
    }

    /// Reports what a log is believed to hold.
    fn tell(
        &mut self,
        log: &PartitionLog<'_>,
        belief: &Belief,
        question: &Question,
        judges: Judges<'_>,
        (stats, dropped): (TransactionStats, Vec<Dropped>),
        session: &mut Session,
    ) -> Result<(), ReadError> {
        let held_back = held_back(log, belief, question)?;
        let open = self.open(log, belief, question, judges)?;
        tell_snapshot(belief, session);
        if belief.ends_below_its_start() {
            let (start, end) = (belief.log_start_offset, belief.log_end_offset());
            let message = end_below_start(start, end);
            session.finding(&belief.path, 0, "checkpoint-mismatch", &message);
        }
        if log.is_one_segment() && !open.is_empty() {
            let alone = "read from this segment alone: a transaction that is open here \
                         may have ended in the next one";
            session.note(&log.path, &alone);
        }
        let stats = TransactionStats {
            open: u64::try_from(open.len()).unwrap_or(u64::MAX),
            ..stats
        };
        let view = PartitionView {
            held_back,
            dropped,
            stats,
            ..self.view(log, belief, open, judges.coordinator)
        };
        self.finish(&view, session);
        Ok(())
    }

    /// The open transactions that were asked for.
    fn open<'a>(
        &self,
        log: &PartitionLog<'_>,
        belief: &Belief,
        question: &Question,
        judges: Judges<'a>,
    ) -> Result<Vec<OpenView<'a>>, ReadError> {
        let asked = Asked {
            now: self.terms.now,
            max_timeout_ms: self.terms.max_timeout_ms,
            coordinator: judges.coordinator,
        };
        let mut open = open_transactions(belief, log.name.as_ref(), log.first_offset(), &asked);
        open.retain(|open| {
            let filter = &self.wanted.filter;
            filter.takes(open.producer_id, open.producer_epoch, judges.coordinator)
        });
        if let Some(name) = &log.name {
            let this = ThisCopy {
                name,
                path: &log.path,
                cluster: judges.cluster,
                log: log.bytes(),
            };
            let reading = partition_copies::Reading {
                rules: question.rules,
                options: question.read,
                until: self.terms.as_of,
            };
            judges.copies.settle(&this, &mut open, &reading);
        }
        if let Some(coordinator) = judges.coordinator {
            spare_committed(&mut open, coordinator, log.bytes(), question.read)?;
        }
        if self.terms.as_of.is_some() {
            // What was open then may have ended since.
            open.iter_mut().for_each(|view| view.abort = None);
        }
        Ok(open)
    }

    fn view<'a>(
        &self,
        log: &'a PartitionLog<'_>,
        belief: &'a Belief,
        open: Vec<OpenView<'a>>,
        coordinator: Option<&TransactionCoordinator>,
    ) -> PartitionView<'a> {
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
            head: head(log),
            state,
            producers,
            log_start_offset: belief.log_start_offset,
            last_stable_offset: belief.last_stable_offset(),
            // The checkpoint speaks of the log as it is.
            high_watermark: belief.high_watermark.filter(|_| self.terms.as_of.is_none()),
            log_end_offset: belief.log_end_offset(),
            held_back: HeldBack::default(),
            open: with_paths.collect(),
            dropped: Vec::new(),
            stats: TransactionStats::default(),
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

/// What consumers of committed data cannot read.
fn held_back(
    log: &PartitionLog<'_>,
    belief: &Belief,
    question: &Question,
) -> Result<HeldBack, ReadError> {
    let stable = belief.last_stable_offset();
    if stable >= belief.log_end_offset() {
        return Ok(HeldBack::default());
    }
    log.bytes().held_back(stable, question.at, question.read)
}

fn tell_snapshot(belief: &Belief, session: &mut Session) {
    if let Some((path, why)) = &belief.refused {
        let message = format!("not used, as a broker would delete it: {why}");
        session.note(path, &message);
    }
}
