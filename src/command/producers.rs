//! `kfsck producers`: each partition is replayed, and what a broker would then know of its
//! producers is shown, one partition after the other.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kfsck::analysis::belief::{Belief, Question};
use kfsck::analysis::log_findings::{Case, DEFAULT_EXPIRATION_MS, Finding, LogFindings, Severity};
use kfsck::analysis::producer_order::{Choice, Order};
use kfsck::analysis::{lone_segment, witness};
use kfsck::format::number::{Offset, Timestamp};
use kfsck::report::log_findings;
use kfsck::report::producers::{self, View};
use kfsck::storage::damage::Damage;
use kfsck::storage::directory::{self, KafkaFile, Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::partition_name::PartitionName;
use kfsck::storage::source::{ReadError, Source};

use super::expiry::ExpiryOptions;
use super::only_producers::OnlyProducers;
use super::output::OutputOptions;
use super::partition_files::{CheckpointsBeside, one_standard_input, read_options, tell_empty};
use super::progress::Progress;
use super::rules::RulesOption;
use super::session::Session;
use super::status::Status;
use super::top::{ROWS, Top};

/// Show what a broker would know of each producer after reading a partition
///
/// Replays the log from its first segment on, beginning with the snapshot at that offset where one
/// lies there, and shows the columns of kafka-transactions describe-producers with the last offset
/// and with what each id can be by its value: local, negated, or with a cluster's region
/// (bit-field). Later snapshots are not asked: `kfsck inspect-snapshot` compares them.
///
/// The last stable offset is that of a log whose high watermark is its end; the high watermark
/// shown beside it is that of replication-offset-checkpoint, where there is one. Damage, what a
/// broker would not survive, and what it passes over in silence are told on stderr.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck producers orders-0
  kfsck producers --at 1200 --rules stock orders-0
  kfsck producers --format json data | jq '.partitions[].producers[]'")]
pub(super) struct Producers {
    /// Partition directories, log directories and single segments; `-` is standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The state before this offset: batches that end below it
    #[arg(long, value_name = "OFFSET", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(allow_negative_numbers = true)]
    at: Option<i64>,

    #[command(flatten)]
    rules: RulesOption,

    #[command(flatten)]
    only: OnlyProducers,

    /// Show at most N producers of each partition, or `all` [default: 20 in text, all in JSON]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<Top>,

    /// What comes first
    #[arg(long, value_enum, value_name = "BY", default_value = "open-first")]
    sort: Sort,

    #[command(flatten)]
    expiry: ExpiryOptions,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Open transactions, the oldest first; then the latest to write
    OpenFirst,
    /// The lowest id
    ProducerId,
    /// The highest epoch
    Epoch,
    /// The highest last offset
    LastOffset,
    /// The latest time
    LastTimestamp,
}

impl Producers {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        one_standard_input(&self.paths)
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let expiry = self.expiry.clock_and_age(session);
        let mut run = Run {
            options: self,
            question: Question {
                rules: self.rules.set(),
                at: self.at.map(Offset),
                read: read_options(session.access),
                expiry,
            },
            choice: self.choice(expiry),
            checkpoints: CheckpointsBeside::default(),
            progress: Progress::start(&self.paths, session),
            shown: 0,
            matching: 0,
        };
        let is_json = self.output.json().is_some();
        if is_json {
            session.write(producers::JSON_HEAD)?;
        }
        for path in &self.paths {
            match directory::expand(path) {
                Ok(operand) => {
                    run.operand(&operand, session)?;
                    tell_empty(&operand, session);
                }
                Err(error) => session.read_error(&error),
            }
        }
        if is_json {
            session.write(producers::JSON_TAIL)?;
        } else if run.matching == 0 && !self.only.ids().is_empty() {
            session.remark(&"nothing here knows a producer of these ids");
        }
        Ok(())
    }

    fn choice(&self, expiry: Option<(Timestamp, i64)>) -> Choice {
        let default = self.output.json().is_none().then_some(ROWS);
        Choice {
            order: match self.sort {
                Sort::OpenFirst => Order::OpenFirst,
                Sort::ProducerId => Order::ProducerId,
                Sort::Epoch => Order::Epoch,
                Sort::LastOffset => Order::LastOffset,
                Sort::LastTimestamp => Order::LastTimestamp,
            },
            top: self.top.map_or(default, Top::limit),
            ids: self.only.ids(),
            expiry,
        }
    }
}

/// One run over all paths.
struct Run<'a> {
    options: &'a Producers,
    question: Question,
    choice: Choice,
    checkpoints: CheckpointsBeside,
    progress: Progress,
    /// Partitions written so far.
    shown: usize,
    /// Producers that were asked for and found.
    matching: usize,
}

impl Run<'_> {
    fn operand(&mut self, operand: &Operand, session: &mut Session) -> anyhow::Result<()> {
        if let Operand::File(file) = operand {
            return self.lone_segment(file, session);
        }
        for error in operand.listings().flat_map(|listing| &listing.unreadable) {
            session.read_error(error);
        }
        for partition in operand.partitions() {
            if partition.listing.unreadable.is_empty() {
                self.partition(partition, session)?;
            }
        }
        Ok(())
    }

    fn partition(
        &mut self,
        partition: &PartitionDirectory,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let expiration = self.expiration();
        let checkpoints = self.checkpoints.of(&partition.path, session);
        let mut told = |path: &Path, damage: &Damage| session.damage(path, damage);
        let mut found = LogFindings::new(expiration, &mut told)
            .of(partition.name.as_ref())
            .about(&self.choice.ids);
        let visitor = &mut self.progress.watching(&mut found);
        let belief = witness::watch(partition, checkpoints, &self.question, visitor);
        let findings = found.into_findings();
        match belief {
            Ok(belief) => {
                let name = partition.name.as_ref().map(ToString::to_string);
                self.show(&belief, name.as_deref(), &findings, false, session)
            }
            Err(error) => {
                session.read_error(&error);
                Ok(())
            }
        }
    }

    fn lone_segment(&mut self, file: &KafkaFile, session: &mut Session) -> anyhow::Result<()> {
        if !matches!(file.name.kind, FileKind::Log | FileKind::Unknown) {
            session.error(&format!(
                "{}: expected a segment (.log) or a directory, found a file of kind {}",
                file.path.display(),
                file.name.kind
            ));
            return Ok(());
        }
        let directory = file.path.parent().and_then(Path::file_name);
        let name = directory.and_then(PartitionName::parse);
        let found = Source::open(&file.path, session.access).and_then(|source| {
            let mut told = |path: &Path, damage: &Damage| session.damage(path, damage);
            let mut found = LogFindings::new(self.expiration(), &mut told)
                .of(name.as_ref())
                .about(&self.choice.ids);
            let offset = file.name.base_offset;
            let visitor = &mut self.progress.watching(&mut found);
            let belief = lone_segment::watch(&source, offset, &self.question, visitor)?;
            Ok::<_, ReadError>((belief, found.into_findings()))
        });
        match found {
            Ok((belief, findings)) => {
                let name = name.map(|name| name.to_string());
                self.show(&belief, name.as_deref(), &findings, true, session)
            }
            Err(error) => {
                session.read_error(&error);
                Ok(())
            }
        }
    }

    fn expiration(&self) -> i64 {
        self.options.expiry.age().unwrap_or(DEFAULT_EXPIRATION_MS)
    }

    fn show(
        &mut self,
        belief: &Belief,
        topic_partition: Option<&str>,
        findings: &[Finding],
        is_alone: bool,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let chosen = self.choice.of(belief.state.manager().producers());
        self.matching += chosen.of;
        let view = View {
            topic_partition,
            belief,
            chosen: &chosen,
            findings,
            is_alone,
        };
        match self.options.output.json() {
            Some(wide) => {
                let write = &mut |bytes: &[u8]| session.write(bytes);
                producers::json(&view, self.shown == 0, wide, write)?;
                self.shown += 1;
            }
            // Among thousands of partitions, only those that know the producer asked for.
            None if !self.choice.ids.is_empty() && chosen.of == 0 => {}
            None => {
                let mut text = producers::text(&view);
                if self.shown > 0 {
                    text.insert(0, b'\n');
                }
                session.write(&text)?;
                self.shown += 1;
            }
        }
        self.tell(belief, findings, session);
        Ok(())
    }

    /// What was found, on stderr; damage was told when it was met.
    fn tell(&self, belief: &Belief, findings: &[Finding], session: &mut Session) {
        for finding in findings {
            if matches!(finding.first, Case::Damage(_)) {
                continue;
            }
            // Other rules than the default's were chosen by somebody who knows of barriers.
            if matches!(finding.first, Case::Barrier(_)) && self.question.rules.name() != "barrier"
            {
                continue;
            }
            let message = log_findings::message(finding);
            if finding.severity == Severity::Note {
                session.note(&finding.path, &format!("{}: {message}", finding.code));
            } else {
                session.met(Status::Found);
                let position = log_findings::position(finding);
                session.finding(&finding.path, position, finding.code, &message);
            }
        }
        if let Some(at) = self.question.at {
            let (start, end) = (belief.log_start_offset, belief.log_end_offset());
            if at < start {
                session.note(
                    &belief.path,
                    &format!("--at {at} lies before the log's start, {start}"),
                );
            } else if at > end {
                let message = format!(
                    "--at {at} lies behind the log's end or inside a batch: this is the state at \
                     {end}"
                );
                session.note(&belief.path, &message);
            }
        }
    }
}
