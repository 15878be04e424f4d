//! `kfsck inspect-snapshot`: each snapshot with what is wrong with it, what a broker does with it,
//! and how it stands to the log beside it.

use std::io;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::analysis::log_findings::{Case, DEFAULT_EXPIRATION_MS, LogFindings};
use kfsck::analysis::snapshot_health::{Health, examine};
use kfsck::analysis::snapshot_replay::{Compared, Terms, compare_all};
use kfsck::format::number::{Offset, ProducerId};
use kfsck::report::dump::file::{self, Stop};
use kfsck::report::json::WideIntegers;
use kfsck::report::snapshot::{self, Fallback, View};
use kfsck::report::{log_findings, snapshot_json};
use kfsck::state::read::segments;
use kfsck::state::replay::usable_entries;
use kfsck::storage::directory::{self, KafkaFile, Operand, PartitionDirectory};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::source::{ReadError, Source};

use super::expiry::ExpiryOptions;
use super::only_producers::OnlyProducers;
use super::output::Wide;
use super::partition_files::{CheckpointsBeside, one_standard_input, read_options, tell_empty};
use super::rules::RulesOption;
use super::session::Session;
use super::snapshot_dump::StockText;
use super::snapshot_findings::{tell_comparison, tell_health};
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
            options: self,
            ids: &ids,
            log: log.as_ref(),
            terms,
            checkpoints: CheckpointsBeside::default(),
            shown: 0,
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
    options: &'a InspectSnapshot,
    ids: &'a [ProducerId],
    /// What `--log` names.
    log: Option<&'a PartitionDirectory>,
    terms: Terms,
    checkpoints: CheckpointsBeside,
    shown: usize,
}

impl Run<'_> {
    fn group(&mut self, group: &Group, session: &mut Session) -> anyhow::Result<()> {
        if self.options.format == Format::Kafka {
            for file in &group.files {
                self.stock_text(file, session)?;
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
        let compared = match log {
            Some(log) => self.compare(&group.files, log, session),
            None => vec![None; group.files.len()],
        };
        for (file, compared) in group.files.iter().zip(&compared) {
            match self.examine(file, session) {
                Ok((health, size)) => {
                    let fallback = fallback(&health, file, log, session);
                    let view = View {
                        path: &file.path,
                        offset: file.name.base_offset,
                        size,
                        health: &health,
                        compared: compared.as_ref(),
                        log: log.map(|log| log.path.as_path()),
                        rules: self.terms.rules.name(),
                        ids: self.ids,
                        top: None,
                        fallback: &fallback,
                    };
                    self.show(view, session)?;
                }
                Err(error) => session.read_error(&error),
            }
        }
        Ok(())
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

    /// How each snapshot stands to the log; `None` for those whose offset is not known.
    fn compare(
        &mut self,
        files: &[KafkaFile],
        log: &PartitionDirectory,
        session: &mut Session,
    ) -> Vec<Option<Compared>> {
        let mut places = Vec::new();
        let mut snapshots: Vec<(Offset, PathBuf)> = Vec::new();
        for (index, file) in files.iter().enumerate() {
            match file.name.base_offset {
                Some(offset) if file.path.is_file() => {
                    places.push(index);
                    snapshots.push((offset, file.path.clone()));
                }
                _ if self.log.is_some() => {
                    let message = "not compared: its name does not tell its offset";
                    session.note(&file.path, &message);
                }
                _ => {}
            }
        }
        let mut all = vec![None; files.len()];
        if snapshots.is_empty() {
            return all;
        }
        let age = self.options.expiry.age().unwrap_or(DEFAULT_EXPIRATION_MS);
        let checkpoints = self.checkpoints.of(&log.path, session);
        let mut told = |path: &Path, damage: &_| session.damage(path, damage);
        let mut found = LogFindings::new(age, &mut told).of(log.name.as_ref());
        let compared = compare_all(log, checkpoints, &snapshots, &self.terms, &mut found);
        let findings = found.into_findings();
        match compared {
            Ok(compared) => {
                for (place, compared) in places.into_iter().zip(compared) {
                    if let Some(slot) = all.get_mut(place) {
                        *slot = Some(compared);
                    }
                }
            }
            Err(error) => session.read_error(&error),
        }
        let is_default = self.terms.rules.name() == "barrier";
        for finding in findings.iter().filter(|_| is_default) {
            if matches!(finding.first, Case::Barrier(_)) {
                let message = log_findings::message(finding);
                session.note(&finding.path, &format!("{}: {message}", finding.code));
            }
        }
        all
    }

    fn examine(&self, file: &KafkaFile, session: &Session) -> Result<(Health, u64), ReadError> {
        let source = Source::open(&file.path, session.access)?;
        let bytes = source.contents()?;
        source.check()?;
        Ok((examine(&bytes), source.len()))
    }

    fn show(&mut self, mut view: View<'_>, session: &mut Session) -> anyhow::Result<()> {
        let top = self.options.top;
        if self.options.format == Format::Json {
            view.top = top.and_then(Top::limit);
            let write = &mut |bytes: &[u8]| session.write(bytes);
            snapshot_json::json(&view, self.shown == 0, self.options.wide(), write)?;
        } else {
            view.top = top.map_or(Some(ROWS), Top::limit);
            let mut text = snapshot::text(&view);
            if self.shown > 0 {
                text.insert(0, b'\n');
            }
            session.write(&text)?;
        }
        self.shown += 1;
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
        let source = Source::open(&older.path, session.access);
        let bytes = source.and_then(|source| Ok(source.contents()?.into_owned()));
        bytes.is_ok_and(|bytes| usable_entries(&bytes).is_ok())
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
