//! The leader epochs of a partition's checkpoint file against those of its batches.
//!
//! A follower asks by it where its log and the leader's part. For each batch the last line that
//! begins at it or before must be its epoch's. The file may know more: a leader that never wrote,
//! and epochs of which compaction left no batch.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cases::Cases;
use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::setting::Setting;
use crate::analysis::log_findings::Severity;
use crate::format::batch::MAGIC;
use crate::format::leader_epoch_checkpoint::{self, CacheFault, EpochEntry};
use crate::format::malformed::StreamFault;
use crate::format::number::{LeaderEpoch, Offset};
use crate::state::epochs::LeaderEpochs;
use crate::state::read::SegmentFile;
use crate::state::replay::Replay;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::DirectoryState;
use crate::storage::source::{Access, ReadError, Source};

/// Holds `leader-epoch-checkpoint` against the log.
#[derive(Debug)]
pub(super) struct LeaderEpochCheck {
    setting: Arc<Setting>,
    path: PathBuf,
    /// The lines that a broker keeps; `None` where there is no such file.
    entries: Option<Vec<EpochEntry>>,
    /// What is wrong with the file itself.
    faults: Vec<Finding>,
    /// How many lines begin at the batch at hand or before.
    begun: usize,
    /// Batches below belong to the log no more.
    log_start: Offset,
    /// Epochs fall in the log: a broker has then dropped lines, which ones depends on more than the
    /// log.
    falls: bool,
    latest: LeaderEpoch,
    segment: PathBuf,
    mismatch: Cases,
    end: Offset,
    pub(super) unread: Vec<ReadError>,
}

impl LeaderEpochCheck {
    /// Reads the file of a partition whose log starts at `log_start` or with its first segment.
    pub(super) fn new(
        directory: &PartitionDirectory,
        setting: Arc<Setting>,
        log_start: Option<Offset>,
    ) -> Self {
        let mut files = directory.files_of(FileKind::LeaderEpochCheckpoint);
        let file = files.find(|file| file.name.suffix.is_none());
        let path = match file {
            Some(file) => file.path.clone(),
            None => directory.path.join(FileKind::LeaderEpochCheckpoint.name()),
        };
        let (mut faults, mut unread) = (Vec::new(), Vec::new());
        let entries = file.and_then(|_| {
            read(&path, setting.access, &mut faults).unwrap_or_else(|error| {
                unread.push(error);
                // What is not known cannot differ.
                None
            })
        });
        let is_known =
            unread.is_empty() && faults.iter().all(|fault| fault.severity < Severity::Error);
        Self {
            setting,
            path,
            entries,
            faults,
            begun: 0,
            log_start: log_start.unwrap_or(Offset(i64::MIN)),
            falls: !is_known,
            latest: LeaderEpoch(-1),
            segment: PathBuf::new(),
            mismatch: Cases::default(),
            end: Offset(0),
            unread,
        }
    }

    #[cold]
    fn differs(&mut self, checked: &CheckedBatch<'_>, entry: Option<EpochEntry>) {
        let (batch, path) = (checked.batch, &self.path);
        let segment = &self.segment;
        self.mismatch.add(|| {
            let (epoch, offset) = (batch.partition_leader_epoch, batch.base_offset);
            let found = match entry {
                Some(entry) => format!("the line `{entry}`"),
                None => "no line that begins there or before".to_owned(),
            };
            let message = format!(
                "expected leader epoch {epoch} for the batch at offset {offset}, found {found}; \
                 replicas that ask by it where their logs part are told a wrong offset"
            );
            let code = FindingCode::LeaderEpochCheckpointMismatch;
            Finding::new(code, Severity::Error, path, message)
                .with_offset(offset)
                .resting_on(Evidence {
                    path: Some(segment.clone()),
                    ..Evidence::place("batch", offset, batch.place.position)
                })
                .resting_on(Evidence {
                    what: "leader epoch",
                    stored: entry.map(|entry| entry.leader_epoch.to_string()),
                    computed: Some(epoch.to_string()),
                    ..Evidence::default()
                })
        });
    }

    fn missing(&self) -> Option<Finding> {
        if self.entries.is_some() || !self.unread.is_empty() || self.latest < LeaderEpoch(0) {
            return None;
        }
        let message = format!(
            "expected the leader epochs of the log, up to {}, found no file; a broker that starts \
             knows those of the segments alone that it recovers, and tells replicas no offset at \
             which their logs part",
            self.latest
        );
        // Somebody may have copied the segments alone.
        let severity = match self.setting.is_at_home {
            true => self.severity(Severity::Warning),
            false => Severity::Note,
        };
        let code = FindingCode::LeaderEpochCheckpointMismatch;
        let finding = Finding::new(code, severity, &self.path, message);
        Some(finding.resting_on(Evidence::absent(self.path.clone())))
    }

    /// A line that begins behind the log's end: a broker that starts drops it.
    fn behind(&self) -> Option<Finding> {
        let last = self.entries.as_ref()?.last()?;
        if last.start_offset <= self.end {
            return None;
        }
        let message = format!(
            "expected lines that begin in the log, which ends at {}, found `{last}`; a broker that \
             starts drops it",
            self.end
        );
        // A crash may have lost what was not flushed.
        let severity = match self.setting.is_clean {
            true => self.severity(Severity::Warning),
            false => Severity::Note,
        };
        let code = FindingCode::LeaderEpochCheckpointMismatch;
        let finding = Finding::new(code, severity, &self.path, message);
        Some(
            finding
                .with_offset(last.start_offset)
                .resting_on(Evidence::values(
                    "startOffset",
                    &last.start_offset,
                    &self.end,
                )),
        )
    }

    fn severity(&self, severity: Severity) -> Severity {
        match self.setting.state {
            Some(DirectoryState::Deleted) => Severity::Note,
            _ => severity,
        }
    }
}

impl Checker for LeaderEpochCheck {
    fn begin_segment(&mut self, segment: &SegmentFile, found: Found<'_>) {
        for fault in self.faults.drain(..) {
            found(fault);
        }
        self.segment.clone_from(&segment.path);
        self.end = self.end.max(segment.base_offset);
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        let batch = checked.batch;
        if !checked.is_valid {
            return;
        }
        self.end = self.end.max(batch.next_offset());
        let epoch = batch.partition_leader_epoch;
        if epoch < self.latest {
            self.falls = true;
        }
        if self.falls || epoch < LeaderEpoch(0) || batch.magic < MAGIC {
            return;
        }
        self.latest = epoch;
        let Some(entries) = &self.entries else {
            return;
        };
        while entries
            .get(self.begun)
            .is_some_and(|next| next.start_offset <= batch.base_offset)
        {
            self.begun += 1;
        }
        let entry = self.begun.checked_sub(1).and_then(|at| entries.get(at));
        let is_its = entry.is_some_and(|entry| entry.leader_epoch == epoch);
        // The first line begins at the log's start, and of the two files that say so a crash may
        // leave the other one behind.
        let is_cut = entry.is_none() && !entries.is_empty() && !self.setting.is_clean;
        if !is_its && !is_cut && batch.base_offset >= self.log_start {
            let entry = entry.copied();
            self.differs(checked, entry);
        }
    }

    fn end(&mut self, _: &Replay<1>, found: Found<'_>) {
        for fault in self.faults.drain(..) {
            found(fault);
        }
        if let Some(missing) = self.missing() {
            found(missing);
        }
        if self.falls {
            self.mismatch.clear();
        }
        let severity = self.severity(Severity::Error);
        self.mismatch.tell(&mut |mut finding| {
            finding.severity = severity;
            found(finding);
        });
        if let Some(behind) = self.behind() {
            found(behind);
        }
    }
}

/// The lines that a broker keeps, and what is wrong with the file; `None` where it keeps none.
fn read(
    path: &Path,
    access: Access,
    faults: &mut Vec<Finding>,
) -> Result<Option<Vec<EpochEntry>>, ReadError> {
    let source = Source::open(path, access)?;
    let (mut kept, mut is_refused) = (LeaderEpochs::new(), false);
    for line in leader_epoch_checkpoint::entries(source.range(0, source.len())) {
        let (severity, fault, message) = match line {
            Ok((entry, fault)) => {
                if fault.is_none() || matches!(fault, Some(CacheFault::Dropped(_))) {
                    kept.assign(entry.leader_epoch, entry.start_offset);
                }
                match fault {
                    None => continue,
                    Some(fault @ CacheFault::Dropped(_)) => (
                        Severity::Warning,
                        fault.malformed().clone(),
                        fault.to_string(),
                    ),
                    Some(fault @ CacheFault::Refused(_)) => (
                        Severity::Error,
                        fault.malformed().clone(),
                        fault.to_string(),
                    ),
                }
            }
            Err(StreamFault::Malformed(fault)) => {
                // A word that is no number ends more than the reading of the file.
                let effect = match fault.field {
                    "epoch" | "startOffset" => "a broker does not start with it",
                    _ => "a broker that starts takes the log directory off line",
                };
                let message = format!("{fault}; {effect}");
                (Severity::Error, fault, message)
            }
            Err(StreamFault::Input(error)) => {
                return Err(error.downcast().unwrap_or_else(|reason| ReadError::Open {
                    path: path.to_owned(),
                    reason,
                }));
            }
        };
        is_refused |= severity == Severity::Error;
        let finding = Finding::new(FindingCode::CheckpointCorrupt, severity, path, message);
        faults.push(
            finding
                .at(fault.at as u64)
                .resting_on(Evidence::fault(&fault)),
        );
        if faults.len() > MOST_FAULTS {
            break;
        }
    }
    source.check()?;
    Ok((!is_refused).then(|| kept.entries().collect()))
}

/// A file of nothing but faults tells no more than its first ones.
const MOST_FAULTS: usize = 10;
