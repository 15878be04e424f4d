//! `kfsck txns`: the open transactions of partitions, with a verdict on each.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;
use kfsck::analysis::partition_copies::PartitionCopies;
use kfsck::analysis::transaction_logs::cluster_id;
use kfsck::format::number::Timestamp;
use kfsck::report::one_line::on_one_line;
use kfsck::report::transactions::json::JsonReport;
use kfsck::report::transactions::text::TextReport;
use kfsck::report::transactions::{Report, Terms, coordinators};
use kfsck::storage::directory::{self, Operand};

use super::coordinators::{Coordinators, How, home};
use super::output::OutputOptions;
use super::partition_files::{one_standard_input, tell_empty};
use super::progress::Progress;
use super::rules::RulesOption;
use super::session::Session;
use super::time;
use super::txns_reading::{Judges, Reading, Wanted};

/// Show open transactions, whether they hang, and the command that aborts them
///
/// Replays each log as a broker does when it starts. An open transaction holds back everything
/// behind its first offset, whoever wrote it, from consumers that read committed data.
///
/// The verdict on an open transaction is `ongoing` if its producer wrote within
/// --max-transaction-timeout before now, or if its coordinator still has it; `hanging` if it is
/// older and __transaction_state shows that no coordinator will end it, by the rule of
/// `kafka-transactions.sh find-hanging`; `suspect` if it is older and __transaction_state is not at
/// hand or does not tell. A log directory that holds partitions of __transaction_state needs no
/// --transaction-log.
///
/// Of several copies of a partition that are given together one may be behind: what is open in it
/// and has ended in another is `ongoing`.
///
/// With --at-time the transactions that were open then; with --coordinators also what
/// __transaction_state knows of each transactional id, and with both that alone, as it was then.
///
/// Suspect and hanging transactions give exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck txns /var/lib/kafka/data
  kfsck txns orders-0 --transaction-log /mnt/copy --now 2026-11-30T04:00:00Z
  kfsck txns --at-time 2026-11-30T04:00:00Z /var/lib/kafka/data
  kfsck txns --coordinators --transactional-id billing --format json data | jq .coordinators
  kfsck txns --all --stats --format json data | jq '.partitions[].stats'")]
pub(super) struct Txns {
    /// Partition directories, log directories and segments; `-` is a segment on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Show transactions that ended, too
    #[arg(long)]
    all: bool,

    /// Count transactions that ended; show percentiles of their sizes and durations
    #[arg(long)]
    stats: bool,

    /// Show what __transaction_state knows of each transactional id, too
    #[arg(long)]
    coordinators: bool,

    /// What was open at this time: ISO-8601, or milliseconds since 1970; with --coordinators what
    /// they knew, and no logs
    ///
    /// A log ends in front of the first end marker that is later; between the marker before and
    /// that one, in front of the first data with a later timestamp. Records of __transaction_state
    /// that were appended later do not count. Cleaning and deletion may have taken away what was
    /// there then.
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    at_time: Option<Timestamp>,

    /// Show at most N open transactions of each partition, the oldest, N that ended, and N ids
    ///
    /// Without it, text shows 50 open ones and 50 transactional ids, JSON all.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<u64>,

    #[command(flatten)]
    rules: RulesOption,

    #[command(flatten)]
    output: OutputOptions,

    #[command(flatten)]
    judging: Judging,

    #[command(flatten)]
    filter: Filter,
}

/// By what a verdict is given.
#[derive(Debug, Args)]
#[command(next_help_heading = "Verdicts")]
struct Judging {
    /// The time to judge by: ISO-8601, or milliseconds since 1970 [default: --at-time or the clock]
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    now: Option<Timestamp>,

    /// Leave producers out of JSON that were silent for MS milliseconds or longer before that time,
    /// as a broker with this producer.id.expiration.ms does; an open transaction keeps its producer
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(allow_negative_numbers = true)]
    expire_after: Option<i64>,

    /// The cluster's transaction.max.timeout.ms: 15m, 1h, 30s, or a number of milliseconds
    #[arg(long, value_name = "TIME", value_parser = time::parse_duration, default_value = "15m")]
    #[arg(allow_negative_numbers = true)]
    max_transaction_timeout: i64,

    /// A partition of __transaction_state, or a log directory that holds some; may be repeated
    #[arg(long, value_name = "DIR")]
    transaction_log: Vec<PathBuf>,

    /// The cluster's transaction.state.log.num.partitions [default: found out, if it can be]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    transaction_log_partitions: Option<NonZeroU32>,
}

/// Which transactions are shown; without any of these all.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct Filter {
    /// Only transactions of these producers; negative ids are written as they are
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(super) producer_id: Vec<i64>,

    /// Only transactions of this producer epoch
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) producer_epoch: Option<i16>,

    /// Only transactions of the producer that this id uses now; needs __transaction_state
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(super) transactional_id: Option<String>,
}

impl Txns {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        if self.coordinators && self.at_time.is_some() && (self.all || self.stats) {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                "--coordinators with --at-time shows no logs, so neither --all nor --stats goes \
                 with both\n",
            ));
        }
        one_standard_input(&self.paths)
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let mut operands = Vec::new();
        for path in &self.paths {
            match directory::expand(path) {
                Ok(operand) => {
                    tell_empty(&operand, session);
                    operands.push(operand);
                }
                Err(error) => session.read_error(&error),
            }
        }
        let Judging {
            transaction_log,
            transaction_log_partitions: count,
            ..
        } = &self.judging;
        session.remember(true);
        let how = How {
            partition_count: *count,
            at_time: self.at_time,
        };
        let gathered = Coordinators::gather(transaction_log, how, &operands, session);
        session.remember(false);
        let has_judge = operands
            .iter()
            .any(|operand| gathered.of(operand).is_some());
        if self.filter.transactional_id.is_some() && !has_judge {
            session.error(
                &"--transactional-id: no __transaction_state is at hand, which alone knows \
                  transactional ids; give --transaction-log DIR",
            );
        }
        if self.coordinators && gathered.all().next().is_none() {
            session.error(
                &"--coordinators: no __transaction_state is at hand; give --transaction-log DIR",
            );
        }
        let terms = self.terms();
        let report: Box<dyn Report> = match self.output.json() {
            Some(wide) => Box::new(JsonReport::new(terms.clone(), wide)),
            None => Box::new(TextReport::new(terms.clone())),
        };
        if has_judge {
            self.tell_unknown_id(&gathered, session);
        }
        let wanted = Wanted {
            rules: self.rules.set(),
            expiry: self.judging.expire_after.map(|age| (terms.now, age)),
            filter: self.filter.clone(),
            progress: Progress::start(&self.paths, session),
        };
        let mut reading = Reading::new(terms, wanted, report);
        reading.start();
        if !self.coordinators || self.at_time.is_none() {
            read_logs(&operands, &gathered, &mut reading, session)?;
        }
        if self.coordinators {
            reading.coordinators(coordinators::known(gathered.all()));
        }
        reading.end(session)?;
        Ok(())
    }

    fn terms(&self) -> Terms {
        let now = self.judging.now.or(self.at_time);
        Terms {
            now: now.unwrap_or_else(time::now),
            is_clock: now.is_none(),
            as_of: self.at_time,
            max_timeout_ms: self.judging.max_transaction_timeout,
            rules: self.rules.set().name(),
            top: self.top,
            all: self.all,
            stats: self.stats,
            is_filtered: self.filter.is_some(),
            by_path: self.paths.len() > 1,
        }
    }

    /// Of an id that no coordinator knows nothing is shown, which is no good news.
    fn tell_unknown_id(&self, coordinators: &Coordinators, session: &mut Session) {
        let Some(id) = &self.filter.transactional_id else {
            return;
        };
        let mut known = coordinators.all();
        if known.all(|one| one.producer_ids(id.as_bytes()).next().is_none()) {
            let id = on_one_line(id);
            session.remark(&format!(
                "no transactional id '{id}' is in the __transaction_state at hand"
            ));
        }
    }
}

/// Reads one log after the other. All are known as copies of their partitions from the beginning.
fn read_logs(
    operands: &[Operand],
    gathered: &Coordinators,
    reading: &mut Reading,
    session: &mut Session,
) -> anyhow::Result<()> {
    let mut copies = PartitionCopies::default();
    let access = session.access;
    let clusters = operands.iter();
    let clusters = clusters.map(|operand| cluster_id(&home(operand), access));
    let clusters: Vec<_> = clusters.collect();
    for (operand, cluster) in operands.iter().zip(&clusters) {
        for partition in operand.partitions() {
            copies.add(partition, cluster.clone());
        }
    }
    for (operand, cluster) in operands.iter().zip(&clusters) {
        let judges = Judges {
            coordinator: gathered.of(operand),
            copies: &copies,
            cluster: cluster.as_deref(),
        };
        reading.operand(operand, judges, session)?;
    }
    Ok(())
}
