//! Which files lie behind a path: a file itself, a partition's directory, or a log directory.
//!
//! Lists names and looks at types; it opens no file. Every entry is either claimed by name or
//! called stray, and an entry that cannot be looked at hides no other.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::file_name::{FileKind, FileName};
use super::listing::{Entry, EntryKind, entries, name_of, open_error};
use super::partition_name::PartitionName;
use super::read_error::ReadError;
use super::unfinished::UNFINISHED;

pub use super::listing::{KafkaFile, Listing, Stray, StrayKind};

/// A path that a user gave, and what lies behind it.
#[derive(Debug)]
pub enum Operand {
    /// One file, whatever its name; or something that is read like one, such as a FIFO.
    File(KafkaFile),
    /// The directory of one partition.
    Partition(PartitionDirectory),
    /// A directory of a broker's `log.dirs`.
    Log(LogDirectory),
}

/// The directory of one partition.
#[derive(Debug)]
pub struct PartitionDirectory {
    /// The path, beginning as the user gave it.
    pub path: PathBuf,
    /// The partition; `None` for a directory of segments that is named otherwise, such as a copy
    /// that somebody sent.
    pub name: Option<PartitionName>,
    /// What lies inside; its directories are all stray.
    pub listing: Listing,
}

/// A directory of a broker's `log.dirs`.
#[derive(Debug)]
pub struct LogDirectory {
    /// The path, beginning as the user gave it.
    pub path: PathBuf,
    /// The partitions inside, in name order.
    pub partitions: Vec<PartitionDirectory>,
    /// What lies beside them.
    pub listing: Listing,
}

/// Finds the files behind a path. Symbolic links are followed, as the broker follows them; the
/// depth is at most log directory, partition, file, so links in a circle end.
///
/// A directory that holds segments is a partition's, under whatever name; one that holds
/// directories named like partitions, or a log directory's own files, is a log directory. One
/// with nothing of Kafka's inside is a partition by its name alone, as it is when its log
/// directory is given. The path `-` is standard input.
///
/// # Errors
/// [`ReadError::Open`] when the path does not exist or cannot be listed, and
/// [`ReadError::NotKafka`] for a directory that is neither of the two, and
/// [`ReadError::Unfinished`] for one that is not all written.
pub fn expand(path: &Path) -> Result<Operand, ReadError> {
    let is_directory = path.as_os_str() != "-"
        && fs::metadata(path)
            .map_err(|reason| open_error(path, reason))?
            .is_dir();
    if is_directory {
        return expand_directory(path);
    }
    Ok(Operand::File(KafkaFile {
        path: path.to_owned(),
        name: FileName::of(path),
    }))
}

impl Operand {
    /// The files to read, in name order, a partition's files in the place of its directory.
    #[must_use]
    pub fn files(&self) -> Vec<&KafkaFile> {
        match self {
            Self::File(file) => vec![file],
            Self::Partition(directory) => directory.listing.files.iter().collect(),
            Self::Log(directory) => {
                let inside = directory.partitions.iter();
                let inside = inside.flat_map(|partition| &partition.listing.files);
                let mut files: Vec<_> = directory.listing.files.iter().chain(inside).collect();
                // Paths compare name by name, so no name of a partition is torn apart by another
                // that begins like it.
                files.sort_by(|one, other| one.path.cmp(&other.path));
                files
            }
        }
    }

    /// The partitions, in name order; none for a single file.
    #[must_use]
    pub fn partitions(&self) -> &[PartitionDirectory] {
        match self {
            Self::File(_) => &[],
            Self::Partition(directory) => std::slice::from_ref(directory),
            Self::Log(directory) => &directory.partitions,
        }
    }

    /// The listings of every directory looked at, the log directory's own first.
    pub fn listings(&self) -> impl Iterator<Item = &Listing> {
        let own = match self {
            Self::Log(directory) => Some(&directory.listing),
            Self::File(_) | Self::Partition(_) => None,
        };
        let inside = self.partitions().iter();
        own.into_iter().chain(inside.map(|inside| &inside.listing))
    }
}

impl PartitionDirectory {
    /// Lists the directory of a partition, without asking whether it is one. What cannot be
    /// listed or looked at is in [`Listing::unreadable`].
    #[must_use]
    pub fn list(path: &Path) -> Self {
        let mut listing = Listing::default();
        match entries(path, &mut listing.unreadable) {
            Ok(entries) => listing.claim(entries),
            Err(error) => listing.unreadable.push(error),
        }
        Self {
            path: path.to_owned(),
            name: own_name(path),
            listing,
        }
    }

    /// The files of one kind, in name order, those with a second suffix included.
    pub fn files_of(&self, kind: FileKind) -> impl Iterator<Item = &KafkaFile> {
        let files = self.listing.files.iter();
        files.filter(move |file| file.name.kind == kind)
    }
}

fn expand_directory(path: &Path) -> Result<Operand, ReadError> {
    if is_unfinished(path) {
        let path = path.to_owned();
        return Err(ReadError::Unfinished { path });
    }
    let mut listing = Listing::default();
    let entries = entries(path, &mut listing.unreadable)?;
    let name = own_name(path);
    match shape(&entries, name.is_some()) {
        Some(Shape::Partition) => {
            listing.claim(entries);
            Ok(Operand::Partition(PartitionDirectory {
                path: path.to_owned(),
                name,
                listing,
            }))
        }
        Some(Shape::Log) => Ok(Operand::Log(log_directory(path, entries, listing))),
        // An entry that could not be looked at may be the Kafka file that is missed.
        None => Err(listing.unreadable.pop().unwrap_or_else(|| {
            let path = path.to_owned();
            ReadError::NotKafka { path }
        })),
    }
}

fn log_directory(path: &Path, entries: Vec<Entry>, mut listing: Listing) -> LogDirectory {
    let (inside, beside): (Vec<_>, Vec<_>) = entries.into_iter().partition(Entry::is_partition);
    listing.claim(beside);
    for stray in &mut listing.strays {
        if stray.kind == StrayKind::Directory
            && stray.path.file_name() == Some(OsStr::new("remote-log-index-cache"))
        {
            stray.kind = StrayKind::RemoteIndexCache;
        }
    }
    let inside = inside.iter();
    LogDirectory {
        path: path.to_owned(),
        partitions: inside
            .map(|entry| PartitionDirectory::list(&entry.path))
            .collect(),
        listing,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Partition,
    Log,
}

/// Judges a directory by what lies in it, and by its name where that leaves a doubt.
fn shape(entries: &[Entry], named_like_partition: bool) -> Option<Shape> {
    let (mut files_of_partition, mut files_of_log, mut partitions) = (false, false, false);
    for entry in entries {
        let name = FileName::of(&entry.path);
        partitions |= entry.is_partition();
        if entry.kind == EntryKind::File && name.kind != FileKind::Unknown {
            let is_of_log = !name.kind.is_of_a_partition();
            files_of_log |= is_of_log;
            // The broker's text logs are called server.log: not a segment without its offset.
            files_of_partition |=
                !is_of_log && (name.kind != FileKind::Log || name.base_offset.is_some());
        }
    }
    match (files_of_partition, partitions) {
        (true, false) => Some(Shape::Partition),
        // Somebody's backup inside a partition, or a segment dropped into a log directory.
        (true, true) if named_like_partition && !files_of_log => Some(Shape::Partition),
        (_, true) => Some(Shape::Log),
        (false, false) if files_of_log => Some(Shape::Log),
        // As a log directory takes it: by its name, whatever lies in it.
        (false, false) => named_like_partition.then_some(Shape::Partition),
    }
}

/// The partition that a path names; `.` and `..` name the directory that they stand for.
fn own_name(path: &Path) -> Option<PartitionName> {
    match path.file_name() {
        Some(_) => name_of(path),
        None => name_of(&fs::canonicalize(path).ok()?),
    }
}

/// Whether a path names a directory that is not all written, also as `.` from inside.
fn is_unfinished(path: &Path) -> bool {
    let named = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.map(|name| name.ends_with(UNFINISHED))
    };
    let behind = || fs::canonicalize(path).ok().and_then(|path| named(&path));
    named(path).or_else(behind) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::{Operand, PartitionDirectory, Stray, StrayKind, expand};
    use crate::storage::file_name::FileKind;
    use crate::storage::read_error::ReadError;
    use std::fs;
    use std::path::Path;

    /// A directory with empty files in it, their directories made as needed.
    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            if file.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
        }
        root
    }

    fn below<'a>(root: &Path, path: &'a Path) -> &'a str {
        path.strip_prefix(root).unwrap().to_str().unwrap()
    }

    fn files<'a>(root: &Path, operand: &'a Operand) -> Vec<&'a str> {
        let files = operand.files().into_iter();
        files.map(|file| below(root, &file.path)).collect()
    }

    fn strays<'a>(root: &Path, operand: &'a Operand) -> Vec<(&'a str, StrayKind)> {
        let strays = operand.listings().flat_map(|listing| &listing.strays);
        strays
            .map(|Stray { path, kind }| (below(root, path), *kind))
            .collect()
    }

    fn partition(operand: Operand) -> PartitionDirectory {
        match operand {
            Operand::Partition(directory) => directory,
            other => panic!("expected a partition, found {other:?}"),
        }
    }

    #[test]
    fn a_log_directory_gives_its_files_and_those_of_each_partition_in_name_order() {
        let root = tree(&[
            ".lock",
            "a-0.log",
            "a-0/00000000000000000010.log",
            "a-0/00000000000000000000.log",
            "a-0/notes.txt",
            "a-0/backup-1/00000000000000000000.log",
            "a.b-1.809c9850d0d04fbfb26eb58381d3a086-delete/00000000000000000000.log.deleted",
            "lost+found/0.log",
            "meta.properties",
            "remote-log-index-cache/5_2bCZTqVkSLe-oRgDv1Yg3g.index",
            "replication-offset-checkpoint",
            "z-0/",
        ]);
        let operand = expand(root.path()).unwrap();
        assert!(matches!(operand, Operand::Log(_)));
        assert_eq!(
            files(root.path(), &operand),
            [
                ".lock",
                "a-0/00000000000000000000.log",
                "a-0/00000000000000000010.log",
                "a-0.log",
                "a.b-1.809c9850d0d04fbfb26eb58381d3a086-delete/00000000000000000000.log.deleted",
                "meta.properties",
                "replication-offset-checkpoint",
            ]
        );
        assert_eq!(
            strays(root.path(), &operand),
            [
                ("lost+found", StrayKind::Directory),
                ("remote-log-index-cache", StrayKind::RemoteIndexCache),
                ("a-0/backup-1", StrayKind::Directory),
                ("a-0/notes.txt", StrayKind::File),
            ]
        );
        let names = operand
            .partitions()
            .iter()
            .map(|inside| inside.name.clone().unwrap());
        let names: Vec<_> = names.map(|name| name.to_string()).collect();
        assert_eq!(names, ["a-0", "a.b-1", "z-0"]);
    }

    #[test]
    fn a_directory_of_segments_is_a_partition_whatever_its_name() {
        let root = tree(&[
            "my.topic-3-2/5.log",
            "my.topic-3-2/old-1/5.log",
            "copy/5.log",
        ]);
        let named = partition(expand(&root.path().join("my.topic-3-2")).unwrap());
        assert_eq!(named.name.as_ref().unwrap().topic, "my.topic-3");
        assert_eq!(named.files_of(FileKind::Log).count(), 1);
        assert_eq!(named.listing.strays.len(), 1);
        assert_eq!(
            partition(expand(&root.path().join("copy")).unwrap()).name,
            None
        );
        let dotted = root.path().join("my.topic-3-2/old-1/..");
        assert_eq!(partition(expand(&dotted).unwrap()).name, named.name);
    }

    #[test]
    fn a_directory_without_a_kafka_file_is_a_partition_only_by_its_name() {
        let root = tree(&[
            "topic-0/",
            "topic-1/notes.txt",
            "topic-2/old/5.log",
            "topic/",
            "project/Cargo.toml",
            "text/server.log",
        ]);
        let whole = expand(root.path()).unwrap();
        for (number, strays) in [0, 1, 1].into_iter().enumerate() {
            let path = root.path().join(format!("topic-{number}"));
            let alone = partition(expand(&path).unwrap());
            assert_eq!(alone.listing.strays.len(), strays);
            let inside = &whole.partitions()[number];
            assert_eq!(inside.name, alone.name);
            assert_eq!(inside.listing.strays, alone.listing.strays);
            assert!(inside.listing.files.is_empty() && alone.listing.files.is_empty());
        }
        for name in ["topic", "project", "text"] {
            let error = expand(&root.path().join(name)).unwrap_err();
            assert!(
                matches!(error, ReadError::NotKafka { .. }),
                "{name}: {error:?}"
            );
        }
        assert_eq!(whole.partitions().len(), 3);
    }

    #[test]
    fn what_is_not_all_written_is_no_partition_from_inside_or_outside() {
        let root = tree(&[
            "t-0.kfsck-partial/5.log",
            "t-0.kfsck-partial/in/",
            "t-1/5.log",
        ]);
        let partial = root.path().join("t-0.kfsck-partial");
        for path in [partial.clone(), partial.join("in/..")] {
            let found = expand(&path);
            assert!(
                matches!(found, Err(ReadError::Unfinished { .. })),
                "{found:?}"
            );
        }
        let whole = expand(root.path()).unwrap();
        assert_eq!(whole.partitions().len(), 1);
        assert_eq!(
            strays(root.path(), &whole),
            [("t-0.kfsck-partial", StrayKind::Directory)]
        );
    }

    #[test]
    fn a_file_is_itself_and_an_absent_path_an_error() {
        let root = tree(&["any name"]);
        let operand = expand(&root.path().join("any name")).unwrap();
        assert_eq!(files(root.path(), &operand), ["any name"]);
        assert!(operand.partitions().is_empty());
        assert_eq!(
            expand(Path::new("-")).unwrap().files()[0].path,
            Path::new("-")
        );
        assert!(matches!(
            expand(&root.path().join("absent")),
            Err(ReadError::Open { .. })
        ));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_circles_end() {
        use std::os::unix::fs::symlink;
        let root = tree(&["real/5.log", "logs/t-0/5.log"]);
        let logs = root.path().join("logs");
        symlink(root.path().join("real"), logs.join("linked-0")).unwrap();
        symlink(&logs, logs.join("circle-0")).unwrap();
        symlink("..", logs.join("t-0/up-0")).unwrap();
        symlink("5.log", logs.join("t-0/6.log")).unwrap();
        symlink("absent", logs.join("t-0/7.log")).unwrap();
        symlink("8.log", logs.join("t-0/8.log")).unwrap();
        let operand = expand(&logs).unwrap();
        assert_eq!(
            files(&logs, &operand),
            ["linked-0/5.log", "t-0/5.log", "t-0/6.log"]
        );
        let unreadable = operand.listings().flat_map(|listing| &listing.unreadable);
        let unreadable: Vec<_> = unreadable.map(|error| below(&logs, error.path())).collect();
        assert_eq!(unreadable, ["t-0/7.log", "t-0/8.log"]);
    }

    #[test]
    #[cfg(unix)]
    fn sockets_and_fifos_inside_a_directory_are_stray() {
        let root = tree(&["t-0/5.log"]);
        let fifo = root.path().join("t-0/6.log");
        let made = std::process::Command::new("mkfifo")
            .arg(fifo)
            .status()
            .unwrap();
        assert!(made.success());
        let socket = root.path().join("t-0/7.log");
        std::os::unix::net::UnixListener::bind(socket).unwrap();
        let operand = expand(&root.path().join("t-0")).unwrap();
        assert_eq!(files(root.path(), &operand), ["t-0/5.log"]);
        assert_eq!(
            strays(root.path(), &operand),
            [
                ("t-0/6.log", StrayKind::Special),
                ("t-0/7.log", StrayKind::Special)
            ]
        );
    }

    #[test]
    fn a_partition_that_cannot_be_listed_hides_no_other() {
        let listed = PartitionDirectory::list(Path::new("/absent/t-0"));
        assert!(listed.listing.files.is_empty());
        assert_eq!(
            listed.listing.unreadable[0].path(),
            Path::new("/absent/t-0")
        );
    }
}
