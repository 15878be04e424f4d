//! `kfsck inspect-snapshot`: each snapshot with what is wrong with it, what a broker does with it,
//! and how it stands to the log beside it.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::analysis::log_findings::{Case, DEFAULT_EXPIRATION_MS, LogFindings};
use kfsck::analysis::snapshot_health::Health;
use kfsck::analysis::snapshot_replay::{Compared, Terms, compare_all};
use kfsck::format::number::{Offset, ProducerId};
use kfsck::report::dump::file::{self, Stop};
use kfsck::report::json::WideIntegers;
use kfsck::report::snapshot::{self, Fallback, View};
use kfsck::report::{log_findings, snapshot_json};
use kfsck::state::read::segments;
use kfsck::storage::directory::{self, KafkaFile, Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::ReadError;

use super::expiry::ExpiryOptions;
use super::only_producers::OnlyProducers;
use super::output::Wide;
use super::partition_files::{CheckpointsBeside, one_standard_input, read_options, tell_empty};
use super::progress::Progress;
use super::rules::RulesOption;
use super::session::Session;
use super::snapshot_dump::StockText;
use super::snapshot_findings::{tell_comparison, tell_health};
use super::snapshot_turns::Turns;
use super::top::{ROWS, Top};

/// Show producer snapshots, judge them, and compare them with the log
///
/// Reads versions 1 and 2. Of a damaged file everything readable is shown, and what a broker will
/// do with it. A snapshot that lies in its partition's directory, or with --log, is compared with
/// the state that a replay of the log has at its offset; a difference gives exit code 1, unless
/// retention, compaction or expiry explain it.
///
/// Never delete the last snapshot of a partition by hand: after a clean stop, a broker that finds
/// none does not read the log and starts with no producers. A damaged one it deletes by itself and
/// rebuilds the state from the log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck inspect-snapshot orders-0
  kfsck inspect-snapshot --log orders-0 00000000000000001200.snapshot
  kfsck inspect-snapshot --format json data | jq '.snapshots[] | select(.isValid | not)'")]
pub(super) struct InspectSnapshot {
    /// Snapshots (.snapshot), partition directories and log directories; `-` is standard input
    #[arg(value_name = "PATH", required_unless_present = "log")]
    paths: Vec<PathBuf>,

    /// Compare with the log of this partition directory; without PATH, inspect its snapshots
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// `text`: tables and sentences; `kafka`: the text of kafka-dump-log, nothing compared;
    /// `json`: one JSON document
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    format: Format,

    /// In JSON, write integers outside +-2^53, which jq before 1.7 rounds, as numbers or strings
    #[arg(long, value_enum, default_value = "number", value_name = "AS")]
    wide_integers: Wide,

    #[command(flatten)]
    rules: RulesOption,

    #[command(flatten)]
    only: OnlyProducers,

    /// Show at most N producers, or `all` [default: 20 in text, all elsewhere]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<Top>,

    #[command(flatten)]
    expiry: ExpiryOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Kafka,
    Json,
}

impl InspectSnapshot {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        if self.log.as_deref().is_some_and(|log| log == Path::new("-")) {
            let message = "--log: expected a directory, found standard input";
            return Err(clap::Error::raw(ErrorKind::ValueValidation, message));
        }
        one_standard_input(&self.paths)
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let log = self.log.as_deref().map(|path| partition_at(path, session));
        let log = match log {
            Some(None) if self.paths.is_empty() => return Ok(()),
            log => log.flatten(),
        };
        let terms = Terms {
            rules: self.rules.set(),
            read: read_options(session.access),
            expiry: self.expiry.clock_and_age(session),
        };
        let ids: Vec<_> = self.only.ids();
        let mut run = Run {
            log: log.as_ref(),
            checkpoints: CheckpointsBeside::default(),
            shown: Shown {
                options: self,
                ids: &ids,
                terms,
                count: 0,
            },
        };
        if self.format == Format::Json {
            session.write(snapshot_json::HEAD)?;
        }
        for group in self.groups(log.as_ref(), session) {
            run.group(&group, session)?;
        }
        if self.format == Format::Json {
            session.write(snapshot_json::TAIL)?;
        }
        Ok(())
    }

    /// The snapshots to read, those of one directory together: one replay serves them all.
    fn groups(&self, log: Option<&PartitionDirectory>, session: &mut Session) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for path in &self.paths {
            match directory::expand(path) {
                Ok(Operand::File(file)) => add_file(&mut groups, file, session),
                Ok(operand) => {
                    for error in operand.listings().flat_map(|listing| &listing.unreadable) {
                        session.read_error(error);
                    }
                    tell_empty(&operand, session);
                    groups.extend(into_partitions(operand).into_iter().map(Group::of));
                }
                Err(error) => session.read_error(&error),
            }
        }
        if self.paths.is_empty()
            && let Some(log) = log
        {
            groups.push(Group::of(PartitionDirectory::list(&log.path)));
        }
        groups
    }

    fn wide(&self) -> WideIntegers {
        self.wide_integers.into()
    }
}

fn into_partitions(operand: Operand) -> Vec<PartitionDirectory> {
    match operand {
        Operand::File(_) => Vec::new(),
        Operand::Partition(partition) => vec![partition],
        Operand::Log(directory) => directory.partitions,
    }
}

/// The partition directory that `--log` names.
fn partition_at(path: &Path, session: &mut Session) -> Option<PartitionDirectory> {
    match directory::expand(path) {
        Ok(Operand::Partition(partition)) => return Some(partition),
        Ok(_) => session.error(&format!(
            "{}: --log takes the directory of one partition (topic-0)",
            path.display()
        )),
        Err(error) => session.read_error(&error),
    }
    None
}

/// Snapshots that are compared with one log.
#[derive(Debug)]
struct Group {
    files: Vec<KafkaFile>,
    /// The partition's directory that they lie in; `None` for what lies nowhere.
    partition: Option<PartitionDirectory>,
}

impl Group {
    fn of(partition: PartitionDirectory) -> Self {
        let files = partition.files_of(FileKind::ProducerSnapshot).cloned();
        Self {
            files: files.collect(),
            partition: Some(partition),
        }
    }
}

fn add_file(groups: &mut Vec<Group>, file: KafkaFile, session: &mut Session) {
    if !matches!(
        file.name.kind,
        FileKind::ProducerSnapshot | FileKind::Unknown
    ) {
        session.error(&format!(
            "{}: expected a producer snapshot (.snapshot) or a directory, found a file of kind {}",
            file.path.display(),
            file.name.kind
        ));
        return;
    }
    let parent = match file.path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("."),
    };
    // A FIFO or standard input lies in no partition, whatever its path.
    let is_regular = file.path.as_os_str() != "-" && file.path.is_file();
    if is_regular
        && let Some(last) = groups.last_mut()
        && last
            .partition
            .as_ref()
            .is_some_and(|known| known.path == parent)
    {
        last.files.push(file);
        return;
    }
    groups.push(Group {
        partition: is_regular.then(|| PartitionDirectory::list(parent)),
        files: vec![file],
    });
}

/// One run over all snapshots.
struct Run<'a> {
    /// What `--log` names.
    log: Option<&'a PartitionDirectory>,
    checkpoints: CheckpointsBeside,
    shown: Shown<'a>,
}

impl Run<'_> {
    fn group(&mut self, group: &Group, session: &mut Session) -> anyhow::Result<()> {
        if self.shown.options.format == Format::Kafka {
            for file in &group.files {
                self.shown.stock_text(file, session)?;
            }
            return Ok(());
        }
        let beside = group.partition.as_ref();
        let beside = beside.filter(|partition| !segments(partition).is_empty());
        let log = self.log.or(beside);
        if group.files.is_empty()
            && let Some(partition) = beside
        {
            self.tell_none(partition, session);
        }
        let mut turns = Turns::new(&group.files, session.access);
        if let Some(log) = log {
            self.compare(&group.files, log, &mut turns, session)?;
        }
        let shown = &mut self.shown;
        turns.finish(&mut |file, read, compared| shown.show(file, read, compared, log, session))
    }

    /// A log without any snapshot is no finding; what a start after a clean stop makes of it is
    /// worth a note.
    fn tell_none(&mut self, partition: &PartitionDirectory, session: &mut Session) {
        let checkpoints = self.checkpoints.of(&partition.path, session);
        let mut logs = partition.files_of(FileKind::Log);
        let is_written = |log: &KafkaFile| log.path.metadata().is_ok_and(|file| file.len() > 0);
        if checkpoints.is_clean_shutdown && logs.any(is_written) {
            let message = "no snapshot lies here, and the broker was stopped cleanly: when it \
                           starts it does not read the log, and has no producer and no open \
                           transaction";
            session.note(&partition.path, &message);
        }
    }

    /// Shows those whose offset is known with how they stand to the log.
    fn compare(
        &mut self,
        files: &[KafkaFile],
        log: &PartitionDirectory,
        turns: &mut Turns<'_>,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let (places, snapshots) = self.comparable(files, session);
        if snapshots.is_empty() {
            return Ok(());
        }
        for place in &places {
            turns.await_comparison(*place);
        }
        let Self {
            shown, checkpoints, ..
        } = self;
        let terms = shown.terms;
        let age = shown.options.expiry.age().unwrap_or(DEFAULT_EXPIRATION_MS);
        let checkpoints = checkpoints.of(&log.path, session);
        let progress = Progress::start(std::slice::from_ref(&log.path), session);
        // Damage of the log and finished snapshots come in turns.
        let session = RefCell::new(session);
        let mut told = |path: &Path, damage: &_| session.borrow_mut().damage(path, damage);
        let mut found = LogFindings::new(age, &mut told).of(log.name.as_ref());
        let mut output = Ok(());
        let mut each = |index: usize, read, compared| {
            let Some(place) = places.get(index).filter(|_| output.is_ok()) else {
                return;
            };
            output = turns.came(*place, read, compared, &mut |file, read, compared| {
                shown.show(file, read, compared, Some(log), &mut session.borrow_mut())
            });
        };
        let mut reached = |segment, position| progress.reached(segment, position);
        let compared = compare_all(
            log,
            checkpoints,
            &snapshots,
            &terms,
            &mut found,
            &mut reached,
            &mut each,
        );
        output?;
        let findings = found.into_findings();
        let session = session.into_inner();
        if let Err(error) = compared {
            session.read_error(&error);
        }
        let is_default = terms.rules.name() == "barrier";
        for finding in findings.iter().filter(|_| is_default) {
            if matches!(finding.first, Case::Barrier(_)) {
                let message = log_findings::message(finding);
                session.note(&finding.path, &format!("{}: {message}", finding.code));
            }
        }
        Ok(())
    }

    /// The places of those whose offset is known, and what to compare.
    fn comparable(
        &self,
        files: &[KafkaFile],
        session: &mut Session,
    ) -> (Vec<usize>, Vec<(Offset, PathBuf)>) {
        let mut found = (Vec::new(), Vec::new());
        for (index, file) in files.iter().enumerate() {
            match file.name.base_offset {
                Some(offset) if file.path.is_file() => {
                    found.0.push(index);
                    found.1.push((offset, file.path.clone()));
                }
                _ if self.log.is_some() => {
                    let message = "not compared: its name does not tell its offset";
                    session.note(&file.path, &message);
                }
                _ => {}
            }
        }
        found
    }
}

/// What has been shown, and how.
struct Shown<'a> {
    options: &'a InspectSnapshot,
    ids: &'a [ProducerId],
    terms: Terms,
    count: usize,
}

impl Shown<'_> {
    fn show(
        &mut self,
        file: &KafkaFile,
        read: Result<Health, ReadError>,
        compared: Option<&Compared>,
        log: Option<&PartitionDirectory>,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let health = match read {
            Ok(health) => health,
            Err(error) => {
                session.read_error(&error);
                return Ok(());
            }
        };
        let fallback = fallback(&health, file, log, session);
        let is_json = self.options.format == Format::Json;
        let top = self.options.top;
        let default = (!is_json).then_some(ROWS);
        let view = View {
            path: &file.path,
            offset: file.name.base_offset,
            health: &health,
            compared,
            log: log.map(|log| log.path.as_path()),
            rules: self.terms.rules,
            ids: self.ids,
            top: top.map_or(default, Top::limit),
            fallback: &fallback,
        };
        if is_json {
            let write = &mut |bytes: &[u8]| session.write(bytes);
            snapshot_json::json(&view, self.count == 0, self.options.wide(), write)?;
        } else {
            let mut text = snapshot::text(&view);
            if self.count > 0 {
                text.insert(0, b'\n');
            }
            session.write(&text)?;
        }
        self.count += 1;
        tell_health(&view, session);
        if let Some(compared) = view.compared {
            tell_comparison(&view, compared, session);
        }
        Ok(())
    }

    fn stock_text(&self, file: &KafkaFile, session: &mut Session) -> anyhow::Result<()> {
        let options = super::snapshot_dump::options(session.access);
        let mut output = StockText {
            session,
            path: &file.path,
            ids: self.ids,
        };
        let mut file = file.clone();
        // Whatever its name says, it was given as a snapshot.
        file.name.kind = FileKind::ProducerSnapshot;
        match file::dump(&file, &options, &mut output) {
            Ok(_) => Ok(()),
            Err(Stop::Read(error)) => {
                session.read_error(&error);
                Ok(())
            }
            Err(Stop::Output(error)) => Err(io::Error::into(error)),
        }
    }
}

/// What a broker takes instead of a snapshot that it refuses.
fn fallback(
    health: &Health,
    file: &KafkaFile,
    log: Option<&PartitionDirectory>,
    session: &Session,
) -> Fallback {
    let (Some(log), Some(offset), Some(_)) = (log, file.name.base_offset, &health.refusal) else {
        return Fallback::Unknown;
    };
    let is_usable = |older: &&KafkaFile| {
        let health = Health::read(&older.path, session.access);
        health.is_ok_and(|health| health.refusal.is_none())
    };
    let mut older: Vec<_> = log
        .files_of(FileKind::ProducerSnapshot)
        .filter(|older| older.name.suffix.is_none())
        .filter(|older| older.name.base_offset.is_some_and(|other| other < offset))
        .collect();
    older.sort_by_key(|older| std::cmp::Reverse(older.name.base_offset));
    match older.into_iter().find(is_usable) {
        Some(older) => {
            let name = older.path.file_name().unwrap_or_default();
            Fallback::Snapshot(name.to_string_lossy().into_owned())
        }
        None => Fallback::Log,
    }
}
