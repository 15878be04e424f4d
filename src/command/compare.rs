//! `kfsck compare`: two logs of one partition side by side.

use std::path::{Path, PathBuf};

use clap::Args;
use kfsck::analysis::compare::{ComparedLog, Comparison, compare, restore};
use kfsck::report::compare::{self as report, Restored, View};
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::storage::directory::{self, Operand};
use kfsck::storage::file_name::FileKind;

use super::output::OutputOptions;
use super::partition_files::{CheckpointsBeside, directory_of, one_standard_input, tell_empty};
use super::session::Session;
use super::status::Status;

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
        let [Some(source), Some(dest)] = logs else {
            return Ok(());
        };
        if let Some(directory) = &self.restore_to
            && let Some(log) = [&source, &dest]
                .into_iter()
                .find(|log| holds(log, directory))
        {
            session.error(&format!(
                "{}: lies inside {}, and no input is ever touched: name another directory",
                path_on_one_line(directory),
                path_on_one_line(&log.path)
            ));
            return Ok(());
        }
        let comparison = match compare(&source, &dest) {
            Ok(comparison) => comparison,
            Err(error) => {
                session.read_error(&error);
                return Ok(());
            }
        };
        let restored = match &self.restore_to {
            Some(directory) => restore([&source, &dest], &comparison, directory, session),
            None => None,
        };
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
        if restored.is_some_and(|restored| restored.written.is_none()) {
            session.met(Status::Unfinished);
        }
        Ok(())
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
        let written = None;
        return Some(Restored { plan, written });
    }
    match restore::write(source, dest, comparison, directory) {
        Ok(written) => Some(Restored {
            plan,
            written: Some(written),
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
