//! What a file is and where its segment begins, from its name alone.
//!
//! The rules are the broker's (`LogFileUtils`, `Snapshots`) and kafka-dump-log's, and where those
//! would throw an exception, the answer is "unknown". Nothing here opens a file.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use crate::format::number::{LeaderEpoch, Offset};

/// The kinds of file that a broker keeps in its log directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// `<base offset>.log`: the batches of a segment.
    Log,
    /// `<base offset>.index`: offsets to file positions.
    OffsetIndex,
    /// `<base offset>.timeindex`: timestamps to offsets.
    TimeIndex,
    /// `<base offset>.txnindex`: the aborted transactions of a segment.
    TxnIndex,
    /// `<offset>.snapshot`: the producers' state as it was before that offset.
    ProducerSnapshot,
    /// `<end offset>-<epoch>.checkpoint` or `bootstrap.checkpoint`: a KRaft metadata snapshot,
    /// written as batches like a log.
    KraftSnapshot,
    /// `leader-epoch-checkpoint` of a partition.
    LeaderEpochCheckpoint,
    /// `recovery-point-offset-checkpoint` of a log directory.
    RecoveryPointCheckpoint,
    /// `replication-offset-checkpoint` of a log directory: the high watermarks.
    ReplicationOffsetCheckpoint,
    /// `log-start-offset-checkpoint` of a log directory.
    LogStartOffsetCheckpoint,
    /// `cleaner-offset-checkpoint` of a log directory.
    CleanerOffsetCheckpoint,
    /// `partition.metadata` of a partition: its topic id.
    PartitionMetadata,
    /// `meta.properties` of a log directory: cluster, node and directory id.
    MetaProperties,
    /// `quorum-state` of the metadata partition.
    QuorumState,
    /// `.kafka_cleanshutdown` of a log directory: there while a clean stop is the last event.
    CleanShutdown,
    /// `.lock` of a log directory: held by the broker that runs.
    Lock,
    /// No name that a broker gives.
    Unknown,
}

impl FileKind {
    /// The kind as machine-readable output calls it; scripts rely on these words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::OffsetIndex => "index",
            Self::TimeIndex => "timeindex",
            Self::TxnIndex => "txnindex",
            Self::ProducerSnapshot => "snapshot",
            Self::KraftSnapshot => "kraft-snapshot",
            Self::LeaderEpochCheckpoint => "leader-epoch-checkpoint",
            Self::RecoveryPointCheckpoint => "recovery-point-offset-checkpoint",
            Self::ReplicationOffsetCheckpoint => "replication-offset-checkpoint",
            Self::LogStartOffsetCheckpoint => "log-start-offset-checkpoint",
            Self::CleanerOffsetCheckpoint => "cleaner-offset-checkpoint",
            Self::PartitionMetadata => "partition.metadata",
            Self::MetaProperties => "meta.properties",
            Self::QuorumState => "quorum-state",
            Self::CleanShutdown => "clean-shutdown",
            Self::Lock => "lock",
            Self::Unknown => "unknown",
        }
    }

    /// The name of the file of this kind that belongs to a segment or stands for an offset: of
    /// logs, indexes and producer snapshots (`LogFileUtils.filenamePrefixFromOffset`).
    #[must_use]
    pub fn name_at(self, offset: Offset) -> String {
        format!("{offset:020}.{}", self.name())
    }

    /// The name of the file that says that a broker ended cleanly.
    pub const CLEAN_SHUTDOWN_NAME: &str = ".kafka_cleanshutdown";

    /// The name of the file whose lock a running broker holds.
    pub const LOCK_NAME: &str = ".lock";

    /// Whether a broker keeps such a file in a partition's directory, rather than beside it.
    #[must_use]
    pub const fn is_of_a_partition(self) -> bool {
        match self {
            Self::Log
            | Self::OffsetIndex
            | Self::TimeIndex
            | Self::TxnIndex
            | Self::ProducerSnapshot
            | Self::KraftSnapshot
            | Self::LeaderEpochCheckpoint
            | Self::PartitionMetadata
            | Self::QuorumState => true,
            Self::RecoveryPointCheckpoint
            | Self::ReplicationOffsetCheckpoint
            | Self::LogStartOffsetCheckpoint
            | Self::CleanerOffsetCheckpoint
            | Self::MetaProperties
            | Self::CleanShutdown
            | Self::Lock
            | Self::Unknown => false,
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "leader-epoch-checkpoint" => Self::LeaderEpochCheckpoint,
            "recovery-point-offset-checkpoint" => Self::RecoveryPointCheckpoint,
            "replication-offset-checkpoint" => Self::ReplicationOffsetCheckpoint,
            "log-start-offset-checkpoint" => Self::LogStartOffsetCheckpoint,
            "cleaner-offset-checkpoint" => Self::CleanerOffsetCheckpoint,
            "partition.metadata" => Self::PartitionMetadata,
            "meta.properties" => Self::MetaProperties,
            "quorum-state" => Self::QuorumState,
            Self::CLEAN_SHUTDOWN_NAME => Self::CleanShutdown,
            Self::LOCK_NAME => Self::Lock,
            _ => match name.rsplit_once('.') {
                Some((_, "log")) => Self::Log,
                Some((_, "index")) => Self::OffsetIndex,
                Some((_, "timeindex")) => Self::TimeIndex,
                Some((_, "txnindex")) => Self::TxnIndex,
                Some((_, "snapshot")) => Self::ProducerSnapshot,
                Some((_, "checkpoint")) => Self::KraftSnapshot,
                _ => Self::Unknown,
            },
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A second suffix: the file is on its way in or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// `.deleted`: removed from the log, to be unlinked soon or at the next start.
    Deleted,
    /// `.cleaned`: written by the cleaner or a split, not yet complete; dropped at a start.
    Cleaned,
    /// `.swap`: complete, about to replace what it was made from; a start finishes that.
    Swap,
    /// `.tmp`: a checkpoint that was being written.
    Temporary,
    /// `.part`: a KRaft snapshot that was being written or fetched.
    Partial,
}

impl Suffix {
    const ALL: [Self; 5] = [
        Self::Deleted,
        Self::Cleaned,
        Self::Swap,
        Self::Temporary,
        Self::Partial,
    ];

    /// The suffix as it stands in names, dot included.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => ".deleted",
            Self::Cleaned => ".cleaned",
            Self::Swap => ".swap",
            Self::Temporary => ".tmp",
            Self::Partial => ".part",
        }
    }
}

/// What a file's name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileName {
    /// The kind of file.
    pub kind: FileKind,
    /// A second suffix behind the one of the kind.
    pub suffix: Option<Suffix>,
    /// The number that the name begins with: a segment's base offset, or the offset of a
    /// snapshot. `None` where the name begins otherwise, and for kinds that have none.
    pub base_offset: Option<Offset>,
    /// The epoch of a KRaft snapshot.
    pub epoch: Option<LeaderEpoch>,
}

impl FileName {
    /// Reads the last component of a path; `-` and paths without one are unknown.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        Self::parse(path.file_name().unwrap_or_default())
    }

    /// Reads a name. Every name has an answer, be it [`FileKind::Unknown`].
    ///
    /// The base offset is what stands before the first dot, read as Java's `Long.parseLong`
    /// does, so `5.log`, `+5.log` and `-3.log` have one; digits outside ASCII, which Java would
    /// take, are refused. Tiered storage's `<20 digits>-<segment id>.log` has one too.
    #[must_use]
    pub fn parse(name: &OsStr) -> Self {
        // What is not UTF-8 becomes U+FFFD, which is in no name that is compared with below.
        let name = name.to_string_lossy();
        let plain = (FileKind::of(&name), None);
        let (kind, suffix) = Suffix::ALL
            .into_iter()
            .find_map(|suffix| {
                let shorter = name.strip_suffix(suffix.as_str())?;
                Some((FileKind::of(shorter), Some(suffix)))
            })
            .filter(|&(kind, _)| kind != FileKind::Unknown)
            .unwrap_or(plain);
        let start = name.split('.').next().unwrap_or_default();
        let (base_offset, epoch) = match kind {
            FileKind::Log
            | FileKind::OffsetIndex
            | FileKind::TimeIndex
            | FileKind::TxnIndex
            | FileKind::ProducerSnapshot => (base_offset(start), None),
            FileKind::KraftSnapshot => snapshot_id(start).unzip(),
            _ => (None, None),
        };
        Self {
            kind,
            suffix,
            base_offset,
            epoch,
        }
    }
}

/// Digits of an offset in the names that a broker gives.
const OFFSET_WIDTH: usize = 20;
/// Digits of an epoch in the name of a KRaft snapshot.
const EPOCH_WIDTH: usize = 10;
/// A segment's id in base64, and the same with hexadecimal digits in groups.
const SEGMENT_ID_WIDTHS: [usize; 2] = [22, 36];

fn base_offset(start: &str) -> Option<Offset> {
    if let Ok(offset) = start.parse() {
        return Some(Offset(offset));
    }
    // `-` as remote storage names segments, `_` as the cache of remote indexes does.
    let (digits, rest) = start.split_at_checked(OFFSET_WIDTH)?;
    let id = rest.strip_prefix(['-', '_'])?;
    let is_id = SEGMENT_ID_WIDTHS.contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if is_id {
        number(digits).map(Offset)
    } else {
        None
    }
}

fn snapshot_id(start: &str) -> Option<(Offset, LeaderEpoch)> {
    let (offset, epoch) = start.split_once('-')?;
    if (offset.len(), epoch.len()) != (OFFSET_WIDTH, EPOCH_WIDTH) {
        return None;
    }
    let epoch = i32::try_from(number(epoch)?).ok()?;
    Some((Offset(number(offset)?), LeaderEpoch(epoch)))
}

/// A number of nothing but ASCII digits.
fn number(digits: &str) -> Option<i64> {
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    if all { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{FileKind, FileName, Suffix};
    use crate::format::number::{LeaderEpoch, Offset};
    use std::ffi::OsStr;
    use std::path::Path;

    fn parse(name: &str) -> (FileKind, Option<Suffix>, Option<i64>) {
        let parsed = FileName::parse(OsStr::new(name));
        let base_offset = parsed.base_offset.map(|Offset(number)| number);
        (parsed.kind, parsed.suffix, base_offset)
    }

    #[test]
    fn segment_files_carry_their_base_offset() {
        for (extension, kind) in [
            ("log", FileKind::Log),
            ("index", FileKind::OffsetIndex),
            ("timeindex", FileKind::TimeIndex),
            ("txnindex", FileKind::TxnIndex),
            ("snapshot", FileKind::ProducerSnapshot),
        ] {
            let name = format!("00000000000000000147.{extension}");
            assert_eq!(parse(&name), (kind, None, Some(147)));
            for suffix in [Suffix::Deleted, Suffix::Cleaned, Suffix::Swap] {
                let name = format!("{name}{}", suffix.as_str());
                assert_eq!(parse(&name), (kind, Some(suffix), Some(147)), "{name}");
            }
        }
    }

    #[test]
    fn base_offsets_are_read_as_java_reads_a_long() {
        let none = [
            "",
            "+",
            "-",
            "x",
            "5x",
            " 5",
            "0x5",
            "1_0",
            "9223372036854775808",
            "\u{665}",
        ];
        for start in none {
            let name = format!("{start}.log");
            assert_eq!(parse(&name), (FileKind::Log, None, None), "{name}");
        }
        for (start, offset) in [
            ("5", 5),
            ("+5", 5),
            ("-3", -3),
            ("007.backup", 7),
            ("09223372036854775807", i64::MAX),
        ] {
            let name = format!("{start}.log");
            assert_eq!(parse(&name), (FileKind::Log, None, Some(offset)), "{name}");
        }
    }

    #[test]
    fn tiered_names_carry_a_segment_id() {
        let offset = "00000000000000000042";
        for id in [
            "-2bCZTqVkSLe-oRgDv1Yg3g",
            "_123e4567-e89b-12d3-a456-426614174000",
        ] {
            let name = format!("{offset}{id}.timeindex");
            assert_eq!(
                parse(&name),
                (FileKind::TimeIndex, None, Some(42)),
                "{name}"
            );
        }
        for start in [
            "00000000000000000042-copy",
            "0000000000000000004x-2bCZTqVkSLe-oRgDv1Yg3g",
            "0000000000000000042-2bCZTqVkSLe-oRgDv1Yg3g",
            "00000000000000000042-2bCZTqVkSLe-oRgDv1Yg+g",
            "0000000000000000004\u{e9}-2bCZTqVkSLe-oRgDv1Yg3g",
        ] {
            assert_eq!(parse(&format!("{start}.log")).2, None, "{start}");
        }
    }

    #[test]
    fn kraft_snapshots_carry_offset_and_epoch() {
        let parsed = FileName::parse(OsStr::new("00000000000000000123-0000000007.checkpoint"));
        let id = (parsed.base_offset, parsed.epoch);
        assert_eq!(id, (Some(Offset(123)), Some(LeaderEpoch(7))));
        let partial = parse("00000000000000000123-0000000007.checkpoint.part");
        assert_eq!(
            partial,
            (FileKind::KraftSnapshot, Some(Suffix::Partial), Some(123))
        );
        for name in [
            "bootstrap.checkpoint",
            "123-7.checkpoint",
            "00000000000000000123-9999999999.checkpoint",
            "+0000000000000000123-0000000007.checkpoint",
            "00000000000000000123.checkpoint",
        ] {
            assert_eq!(parse(name), (FileKind::KraftSnapshot, None, None), "{name}");
        }
    }

    #[test]
    fn whole_names_are_known_by_the_word_that_output_uses() {
        for name in [
            "leader-epoch-checkpoint",
            "recovery-point-offset-checkpoint",
            "replication-offset-checkpoint",
            "log-start-offset-checkpoint",
            "cleaner-offset-checkpoint",
            "partition.metadata",
            "meta.properties",
            "quorum-state",
        ] {
            let (kind, suffix, base_offset) = parse(name);
            assert_eq!((kind.name(), suffix, base_offset), (name, None, None));
            let temporary = parse(&format!("{name}.tmp"));
            assert_eq!(temporary, (kind, Some(Suffix::Temporary), None));
        }
        assert_eq!(parse(".kafka_cleanshutdown").0, FileKind::CleanShutdown);
        assert_eq!(parse(".lock").0, FileKind::Lock);
    }

    #[test]
    fn other_names_are_unknown() {
        for name in [
            "",
            "-",
            "notes.txt",
            "notes.tmp",
            "5.LOG",
            "5.log.gz",
            "5.log.swap.deleted",
        ] {
            assert_eq!(parse(name), (FileKind::Unknown, None, None), "{name}");
        }
        assert_eq!(FileName::of(Path::new("/")).kind, FileKind::Unknown);
    }

    #[test]
    #[cfg(unix)]
    fn names_that_are_not_utf_8_are_read_as_far_as_they_go() {
        use std::os::unix::ffi::OsStrExt;
        let parsed = FileName::parse(OsStr::from_bytes(b"\xff\xfe.log"));
        assert_eq!((parsed.kind, parsed.base_offset), (FileKind::Log, None));
    }
}
