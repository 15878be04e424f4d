//! One thing that happens to a log directory.

use std::fmt;
use std::fs;
use std::path::Path;

use super::image::Image;
use crate::corpus::bytes_of;

/// Paths are those of the log directory; what names a file that is not there does nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A bit of a byte changes.
    Flip(String, usize, u8),
    /// Bytes become zeros.
    Zero(String, usize, usize),
    /// Bytes become others; the file does not get longer.
    Put(String, usize, Vec<u8>),
    /// The file ends earlier.
    Cut(String, usize),
    /// Zeros follow the file's end.
    Extend(String, usize),
    /// Bytes follow the file's end.
    Append(String, Vec<u8>),
    /// A stretch of the file is there once more, at its end.
    Repeat(String, usize, usize),
    /// The file goes.
    Delete(String),
    /// The file, or all files of a directory, gets another name.
    Rename(String, String),
    /// The file is there under another name as well.
    Copy(String, String),
    /// A file of the corpus takes the place.
    Take(String, String),
    /// The file holds this.
    Write(String, Vec<u8>),
}

impl Operation {
    pub(super) fn apply(&self, image: &mut Image, corpus: &Path) {
        let files = &mut image.files;
        match self {
            Self::Rename(from, to) if from.ends_with('/') => {
                let inside = files.keys().filter(|name| name.starts_with(from.as_str()));
                for name in inside.cloned().collect::<Vec<_>>() {
                    let bytes = files.remove(&name).unwrap();
                    files.insert(name.replacen(from.as_str(), to, 1), bytes);
                }
            }
            Self::Rename(from, to) => {
                if let Some(bytes) = files.remove(from) {
                    files.insert(to.clone(), bytes);
                }
            }
            Self::Copy(from, to) => {
                if let Some(bytes) = files.get(from).cloned() {
                    files.insert(to.clone(), bytes);
                }
            }
            Self::Take(from, to) => {
                files.insert(to.clone(), fs::read(corpus.join(from)).unwrap());
            }
            Self::Write(path, bytes) => {
                files.insert(path.clone(), bytes.clone());
            }
            Self::Delete(path) => {
                files.remove(path);
            }
            Self::Flip(path, ..)
            | Self::Zero(path, ..)
            | Self::Put(path, ..)
            | Self::Cut(path, _)
            | Self::Extend(path, _)
            | Self::Append(path, _)
            | Self::Repeat(path, ..) => {
                if let Some(bytes) = files.get_mut(path) {
                    self.change(bytes);
                }
            }
        }
    }

    fn change(&self, bytes: &mut Vec<u8>) {
        let within = |from: usize, length: usize, all: usize| {
            let from = from.min(all);
            from..from.saturating_add(length).min(all)
        };
        let all = bytes.len();
        match self {
            Self::Flip(_, at, bit) => {
                if let Some(byte) = bytes.get_mut(*at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Zero(_, at, length) => bytes[within(*at, *length, all)].fill(0),
            Self::Put(_, at, new) => {
                let range = within(*at, new.len(), all);
                let length = range.len();
                bytes[range].copy_from_slice(&new[..length]);
            }
            Self::Cut(_, length) => bytes.truncate(*length),
            Self::Extend(_, length) => bytes.resize(all + length, 0),
            Self::Append(_, new) => bytes.extend_from_slice(new),
            Self::Repeat(_, at, length) => {
                bytes.extend_from_within(within(*at, *length, all));
            }
            _ => unreachable!("the others change no bytes"),
        }
    }

    /// Reads a line as it is shown.
    pub(super) fn parse(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        let path = words[1].to_owned();
        match words[0] {
            "flip" => Self::Flip(path, number(2), words[3].parse().unwrap()),
            "zero" => Self::Zero(path, number(2), number(3)),
            "put" => Self::Put(path, number(2), bytes_of(words[3])),
            "cut" => Self::Cut(path, number(2)),
            "extend" => Self::Extend(path, number(2)),
            "append" => Self::Append(path, bytes_of(words[2])),
            "repeat" => Self::Repeat(path, number(2), number(3)),
            "delete" => Self::Delete(path),
            "rename" => Self::Rename(path, words[2].to_owned()),
            "copy" => Self::Copy(path, words[2].to_owned()),
            "take" => Self::Take(path, words[2].to_owned()),
            "write" => Self::Write(path, bytes_of(words.get(2).unwrap_or(&""))),
            other => panic!("no operation is called {other}"),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |bytes: &[u8]| -> String {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            digits.collect()
        };
        match self {
            Self::Flip(path, at, bit) => write!(f, "flip {path} {at} {bit}"),
            Self::Zero(path, at, length) => write!(f, "zero {path} {at} {length}"),
            Self::Put(path, at, bytes) => write!(f, "put {path} {at} {}", hex(bytes)),
            Self::Cut(path, length) => write!(f, "cut {path} {length}"),
            Self::Extend(path, length) => write!(f, "extend {path} {length}"),
            Self::Append(path, bytes) => write!(f, "append {path} {}", hex(bytes)),
            Self::Repeat(path, at, length) => write!(f, "repeat {path} {at} {length}"),
            Self::Delete(path) => write!(f, "delete {path}"),
            Self::Rename(from, to) => write!(f, "rename {from} {to}"),
            Self::Copy(from, to) => write!(f, "copy {from} {to}"),
            Self::Take(from, to) => write!(f, "take {from} {to}"),
            Self::Write(path, bytes) => write!(f, "write {path} {}", hex(bytes)),
        }
    }
}
