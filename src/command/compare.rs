//! `kfsck compare`: two logs of one partition side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use kfsck::analysis::check::watch::Watch;
use kfsck::analysis::compare::{ComparedLog, Comparison, compare, restore};
use kfsck::format::number::{Offset, Timestamp};
use kfsck::repair::apply::verify;
use kfsck::repair::terms::Terms;
use kfsck::report::compare::{self as report, Restored, View};
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::state::rules::Stock;
use kfsck::storage::broker_directory;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{self, Operand};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::listener::Listener;
use kfsck::storage::source::{Access, ReadError};

use super::output::OutputOptions;
use super::partition_files::{CheckpointsBeside, directory_of, one_standard_input, tell_empty};
use super::progress::{SharedProgress, bytes_of_files};
use super::result_check;
use super::session::Session;
use super::status::Status;
use super::time;

/// Compare two logs of one partition: a mirror with its source, or two replicas
///
/// Both logs are read side by side by offset, whatever their segments are: which offsets are the
/// same byte by byte, where they differ first and how, where each would be cut when it follows the
/// other, which one to keep and what that costs. What a healthy pair may differ in is a note and
/// gives exit code 0: a follower that is behind, retention, compaction, producer ids that a
/// mirroring draft maps.
///
/// With `--restore-to` the union of two damaged replicas is written: each good batch of either
/// where the other is damaged. Where both are good and not the same nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck compare /broker-1/data/orders-0 /broker-2/data/orders-0
  kfsck compare --format json source/orders-0 mirror/orders-0 | jq .differences
  kfsck compare --restore-to restored broker-1/orders-0 broker-2/orders-0")]
pub(super) struct Compare {
    /// The mirror's source, the leader, or one replica: a partition directory or a segment
    #[arg(value_name = "SOURCE")]
    source: PathBuf,

    /// The mirror, the follower, or the other replica
    #[arg(value_name = "DEST")]
    dest: PathBuf,

    /// Write the union of both to DIR/<topic-partition>, which must not be there yet
    #[arg(long, value_name = "DIR")]
    restore_to: Option<PathBuf>,

    /// The time by which a union is judged: ISO-8601, or milliseconds since 1970 [default: the
    /// clock]
    #[arg(long, value_name = "T", value_parser = time::parse, allow_negative_numbers = true)]
    #[arg(requires = "restore_to")]
    now: Option<Timestamp>,

    #[command(flatten)]
    output: OutputOptions,
}

impl Compare {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        one_standard_input(&[self.source.clone(), self.dest.clone()])
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        let mut checkpoints = CheckpointsBeside::default();
        let logs = [&self.source, &self.dest].map(|path| open(path, &mut checkpoints, session));
        let [Some(mut source), Some(mut dest)] = logs else {
            return Ok(());
        };
        if let Some(why) = self.misplaced([&source, &dest]) {
            session.error(&why);
            return Ok(());
        }
        let progress = self.progress([&source, &dest], session);
        for log in [&mut source, &mut dest] {
            log.listener = Some(Arc::clone(&progress) as Arc<dyn Listener>);
        }
        let comparison = match compare(&source, &dest) {
            Ok(comparison) => comparison,
            Err(error) => {
                session.read_error(&error);
                return Ok(());
            }
        };
        let mut restored = None;
        if let Some(directory) = &self.restore_to {
            restored = restore([&source, &dest], &comparison, directory, session);
        }
        if let Some(restored) = &mut restored {
            let beside = checkpoints.of(&dest.path, session);
            let unread = self.check(restored, beside, session.access);
            unread.iter().for_each(|error| session.error(error));
        }
        drop(progress);
        for log in [&mut source, &mut dest] {
            log.listener = None;
        }
        let view = View {
            source: &source,
            dest: &dest,
            comparison: &comparison,
            restored: restored.as_ref(),
        };
        match self.output.json() {
            Some(wide) => {
                report::json(&view, wide, &mut |bytes| session.write(bytes))?;
                session.write(b"\n")?;
            }
            None => session.write(&report::text(&view))?,
        }
        if !comparison.is_clean() {
            session.met(Status::Found);
        }
        if let Some(restored) = &restored {
            session.met(match (&restored.written, restored.left.is_empty()) {
                (None, _) => Status::Unfinished,
                (Some(_), false) => Status::Found,
                (Some(_), true) => Status::Clean,
            });
        }
        Ok(())
    }
}

impl Compare {
    /// Why no union is written to the directory that was named.
    fn misplaced(&self, logs: [&ComparedLog; 2]) -> Option<String> {
        let directory = self.restore_to.as_ref()?;
        if let Some(log) = logs.into_iter().find(|log| holds(log, directory)) {
            return Some(format!(
                "{}: lies inside {}, and no input is ever touched: name another directory",
                path_on_one_line(directory),
                path_on_one_line(&log.path)
            ));
        }
        let around = broker_directory::around(directory)?;
        Some(format!(
            "{}: lies in a log directory or in a partition, {}, where a foreign directory keeps a \
             broker from starting: name another directory",
            path_on_one_line(directory),
            path_on_one_line(&around)
        ))
    }

    /// Both logs are read once; for a union twice more.
    fn progress(&self, logs: [&ComparedLog; 2], session: &mut Session) -> Arc<SharedProgress> {
        let times = if self.restore_to.is_some() { 3 } else { 1 };
        let segments = logs.into_iter().flat_map(|log| &log.segments);
        let files = segments.map(|segment| segment.path.as_path());
        Arc::new(SharedProgress::of(
            || bytes_of_files(files) * times,
            session,
        ))
    }

    /// Finds out what a broker and a check make of a union that was written; gives what of it
    /// cannot be read.
    fn check(&self, restored: &mut Restored, beside: &Checkpoints, access: Access) -> Vec<String> {
        let mut unread = Unread::default();
        let Some(written) = &restored.written else {
            return unread.0;
        };
        let directory = &written.directory;
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let start = restored.start_inside.unwrap_or(Offset(0));
        match verify::verify(directory, &name, &Terms::new(access, start)) {
            Ok(left) => restored.left = left,
            Err(error) => unread.0.push(on_one_line(&error.to_string()).into_owned()),
        }
        let now = self.now.unwrap_or_else(time::now);
        let terms = result_check::terms(&Stock, now, access);
        let left = verify::check(directory, beside, &terms, &mut unread);
        restored.left.extend(left);
        unread.0
    }
}

/// Files of a union that cannot be read.
#[derive(Default)]
struct Unread(Vec<String>);

impl Watch for Unread {
    fn unread(&mut self, error: ReadError) {
        self.0.push(on_one_line(&error.to_string()).into_owned());
    }
}

/// Whether a directory, which need not be there yet, lies inside the directory of a log.
fn holds(log: &ComparedLog, directory: &Path) -> bool {
    let Ok(log) = log.path.canonicalize() else {
        return false;
    };
    let there = directory
        .ancestors()
        .find_map(|part| match part.as_os_str().is_empty() {
            true => Path::new(".").canonicalize().ok(),
            false => part.canonicalize().ok(),
        });
    there.is_some_and(|there| there.starts_with(&log))
}

/// Writes the union of two logs, unless its plan refuses; `None` where that failed, which is told.
fn restore(
    [source, dest]: [&ComparedLog; 2],
    comparison: &Comparison,
    directory: &Path,
    session: &mut Session,
) -> Option<Restored> {
    let plan = match restore::plan(source, dest, comparison) {
        Ok(plan) => plan,
        Err(error) => {
            session.read_error(&error);
            return None;
        }
    };
    if plan.refusal.is_some() {
        return Some(Restored {
            plan,
            written: None,
            start_inside: None,
            left: Vec::new(),
        });
    }
    match restore::write(source, dest, comparison, directory) {
        Ok(written) => Some(Restored {
            plan,
            written: Some(written),
            start_inside: restore::start_inside(source, dest),
            left: Vec::new(),
        }),
        Err(error) => {
            session.error(&on_one_line(&error.to_string()));
            None
        }
    }
}

/// The log behind a path; what is wrong with it was told where there is none.
fn open(
    path: &Path,
    checkpoints: &mut CheckpointsBeside,
    session: &mut Session,
) -> Option<ComparedLog> {
    let operand = match directory::expand(path) {
        Ok(operand) => operand,
        Err(error) => {
            session.read_error(&error);
            return None;
        }
    };
    let log = match &operand {
        Operand::File(file) if matches!(file.name.kind, FileKind::Log | FileKind::Unknown) => {
            ComparedLog::of_segment(file, session.access)
        }
        Operand::File(file) => {
            session.error(&format!(
                "{}: expected a segment (.log) or a partition directory, found a file of kind {}",
                file.path.display(),
                file.name.kind
            ));
            return None;
        }
        Operand::Partition(partition) => {
            if let Some(error) = partition.listing.unreadable.first() {
                session.read_error(error);
                return None;
            }
            let known = checkpoints.of(&partition.path, session);
            let beside = directory_of(&partition.path);
            let access = session.access;
            let log = ComparedLog::of_directory(partition, known, &beside, access);
            tell_empty(&operand, session);
            return Some(log);
        }
        Operand::Log(log) => {
            session.error(&format!(
                "{}: expected a segment (.log) or a partition directory, found a log directory of \
                 {} partitions: name one of them",
                log.path.display(),
                log.partitions.len()
            ));
            return None;
        }
    };
    log.map_err(|error| session.read_error(&error)).ok()
}
