//! The logs that real Kafka wrote, and a scratch copy of them to work on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kfsck::format::crc::{Kind, Running};

/// The corpus under test: the one named by `KFSCK_CORPUS`, else the committed one.
pub(crate) fn directory() -> PathBuf {
    std::env::var_os("KFSCK_CORPUS").map_or_else(committed, PathBuf::from)
}

/// The corpus that lies in the repository.
fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kafka")
}

/// All segments of the corpus, by path, in name order.
pub(crate) fn segments() -> Vec<(String, Vec<u8>)> {
    let root = directory();
    let mut found: Vec<_> = files(&root)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "log"))
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            (name.to_owned(), fs::read(&path).unwrap())
        })
        .filter(|(name, _)| !name.starts_with("golden/"))
        .collect();
    assert!(found.len() > 50, "a corpus has many segments");
    found.sort();
    found
}

/// All regular files below a directory, in name order.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A copy of the corpus without its goldens and with the indexes that are not committed.
pub(crate) struct Scratch {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::of(&directory())
    }

    /// Of the corpus that lies in the repository.
    pub(crate) fn committed() -> Self {
        Self::of(&committed())
    }

    fn of(root: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        for file in files(root) {
            let name = file.strip_prefix(root).unwrap();
            if name.starts_with("golden") || name.extension().is_some_and(|end| end == "tsv") {
                continue;
            }
            let copy = path.join(name);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(&file, &copy).unwrap();
        }
        make_sparse(root, &path);
        Self {
            _directory: directory,
            path,
        }
    }

    /// Everything that a look must not change: which files there are, their bytes and times.
    pub(crate) fn fingerprint(&self) -> BTreeMap<PathBuf, Fingerprint> {
        files(&self.path)
            .into_iter()
            .map(|file| {
                let print = Fingerprint::of(&file);
                (file, print)
            })
            .collect()
    }
}

fn make_sparse(root: &Path, scratch: &Path) {
    let rows = fs::read_to_string(root.join("sparse.tsv")).unwrap();
    assert!(!rows.is_empty(), "a corpus has preallocated indexes");
    for row in rows.lines() {
        let [path, size, hex] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("three columns in {row}");
        };
        let path = scratch.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::create_new(&path).unwrap();
        file.write_all(&bytes_of(hex)).unwrap();
        file.set_len(size.parse().unwrap()).unwrap();
    }
}

/// Bytes from hexadecimal digits; blanks between them do not count.
pub(crate) fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '|')
        .map(|letter| letter.to_digit(16).unwrap())
        .collect();
    assert!(digits.len().is_multiple_of(2), "an odd number of digits");
    digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap())
        .collect()
}

/// What stays the same of a file that nobody writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    size: u64,
    /// A write into a hole would take blocks.
    blocks: u64,
    modified: SystemTime,
    checksum: u32,
}

impl Fingerprint {
    pub(crate) fn of(path: &Path) -> Self {
        let mut file = File::open(path).unwrap();
        let metadata = file.metadata().unwrap();
        let mut checksum = Running::new(Kind::Crc32c);
        let mut piece = vec![0; 1 << 16];
        loop {
            let count = file.read(&mut piece).unwrap();
            checksum.update(&piece[..count]);
            // Behind the first piece, a sparse file is one hole.
            if count == 0 || metadata.blocks() * 512 < metadata.len() {
                break;
            }
        }
        Self {
            size: metadata.len(),
            blocks: metadata.blocks(),
            modified: metadata.modified().unwrap(),
            checksum: checksum.value(),
        }
    }
}
