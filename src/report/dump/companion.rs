//! The dump of what lies beside a segment: indexes, snapshots, checkpoints and small text files.
//!
//! The kinds that kafka-dump-log knows come out as it prints them; the others as one line an
//! entry, under Kafka's names. All are read piece by piece: a damaged one may be of any length.

mod checkpoints;
mod indexes;
mod settings;
mod snapshot;

use std::io;

use super::output::{Output, Portions, Refused};
use super::style::{Style, as_java_prints};
use crate::analysis::topic_names::TopicNames;
use crate::format::malformed::StreamFault;
use crate::format::number::Offset;
use crate::storage::damage::Code;
use crate::storage::file_name::{FileKind, FileName};
use crate::storage::source::{RangeReader, ReadError, Source};

/// What to do with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexMode {
    /// Print the entries, and check them.
    #[default]
    Entries,
    /// `--verify-index-only`: check them.
    Verify,
    /// `--index-sanity-check`: the check that a broker makes at its start.
    Sanity,
}

/// A small file to dump, and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Companion<'a> {
    /// The file.
    pub source: &'a Source,
    /// What its name says.
    pub name: FileName,
    /// The log of the same segment.
    pub log: Option<&'a Source>,
    /// The offset index of the same segment.
    pub offsets: Option<&'a Source>,
    /// The segment's base offset: from the name, or from the log's first batch.
    pub base_offset: Offset,
    /// What to do with an index.
    pub mode: IndexMode,
    /// Largest batch that an index entry may point to, in bytes.
    pub max_message_size: u64,
    /// Largest record to decode, in bytes.
    pub max_record_bytes: u64,
    /// The output format.
    pub style: Style,
    /// The names of topics, for ids in JSON.
    pub topic_names: &'a TopicNames,
}

/// Dumps a file and tells what is wrong with it, portion by portion; returns what the stock tool
/// says on stderr when all files are done.
///
/// # Errors
/// A read that failed, or output that was not taken.
pub fn dump(file: &Companion<'_>, output: &mut dyn Output) -> Result<String, Refused> {
    let read = [Some(file.source), file.log, file.offsets];
    let read = read.into_iter().flatten().collect();
    let mut out = Portions::new(file.style, output, read);
    let mut report = String::new();
    match file.name.kind {
        FileKind::OffsetIndex => report = indexes::offset_index(file, &mut out)?,
        FileKind::TimeIndex => report = indexes::time_index(file, &mut out)?,
        FileKind::TxnIndex => indexes::txn_index(file, &mut out)?,
        FileKind::ProducerSnapshot => snapshot::snapshot(file, &mut out)?,
        FileKind::LeaderEpochCheckpoint => checkpoints::leader_epochs(file, &mut out)?,
        FileKind::RecoveryPointCheckpoint
        | FileKind::ReplicationOffsetCheckpoint
        | FileKind::LogStartOffsetCheckpoint
        | FileKind::CleanerOffsetCheckpoint => checkpoints::offsets(file, &mut out)?,
        FileKind::PartitionMetadata => settings::topic_id(file, &mut out)?,
        FileKind::MetaProperties => settings::meta_properties(file, &mut out)?,
        FileKind::QuorumState => settings::quorum_state(file, &mut out)?,
        FileKind::CleanShutdown => settings::clean_shutdown(file, &mut out)?,
        FileKind::Log | FileKind::KraftSnapshot | FileKind::Lock | FileKind::Unknown => {}
    }
    out.flush()?;
    Ok(report)
}

impl<'a> Companion<'a> {
    /// All its bytes, front to back.
    fn stream(&self) -> RangeReader<'a> {
        self.source.range(0, self.source.len())
    }

    /// What an error of [`Companion::stream`] stands for.
    fn read_error(&self, error: io::Error) -> Refused {
        let error = error.downcast().unwrap_or_else(|reason| ReadError::Read {
            path: self.source.path().to_owned(),
            position: 0,
            reason,
        });
        Refused::Read(error)
    }

    /// Tells the fault of a text file, or gives the error of its reading back.
    fn refused(&self, fault: StreamFault, out: &mut Portions<'_>) -> Result<(), Refused> {
        match fault {
            StreamFault::Malformed(fault) => out.malformed(Code::CheckpointCorrupt, &fault, ""),
            StreamFault::Input(error) => Err(self.read_error(error)),
        }
    }

    /// A line of the stock text about the file itself.
    fn say(&self, what: &str, out: &mut Portions<'_>) {
        if self.style == Style::Kafka {
            let line = format!("{} {what}\n", as_java_prints(self.source.path()));
            out.text().extend_from_slice(line.as_bytes());
        }
    }
}
