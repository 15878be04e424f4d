//! A log directory in memory.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Files by their paths from the log directory on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// The checkpoints that a start reads.
pub(super) const CHECKPOINTS: [&str; 2] = [
    "recovery-point-offset-checkpoint",
    "log-start-offset-checkpoint",
];
pub(super) const CLEAN_SHUTDOWN: &str = ".kafka_cleanshutdown";

impl Image {
    /// A partition of a corpus, with its own lines of the checkpoints and the word on the last
    /// stop.
    pub(super) fn of(corpus: &Path, partition: &str) -> Self {
        let directory = corpus.join(partition);
        let name = directory.file_name().unwrap().to_str().unwrap();
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            files.insert(format!("{name}/{file}"), fs::read(&path).unwrap());
        }
        let beside = directory.parent().unwrap();
        for checkpoint in CHECKPOINTS {
            if let Ok(text) = fs::read_to_string(beside.join(checkpoint)) {
                let line = own_line(&text, name);
                let text = match line {
                    Some(line) => format!("0\n1\n{line}\n"),
                    None => "0\n0\n".to_owned(),
                };
                files.insert(checkpoint.to_owned(), text.into_bytes());
            }
        }
        for file in [CLEAN_SHUTDOWN, "meta.properties"] {
            if let Ok(bytes) = fs::read(beside.join(file)) {
                files.insert(file.to_owned(), bytes);
            }
        }
        Self { files }
    }

    /// Writes it below a directory; zeros at the end of a file become a hole.
    pub(crate) fn write(&self, directory: &Path) {
        fs::create_dir_all(directory).unwrap();
        for (name, bytes) in &self.files {
            let path = directory.join(name);
            if name.ends_with('/') {
                fs::create_dir_all(&path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let used = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |at| at + 1);
            let mut file = File::create(&path).unwrap();
            file.write_all(&bytes[..used]).unwrap();
            file.set_len(bytes.len() as u64).unwrap();
        }
    }
}

/// The line of a partition's directory in a checkpoint.
fn own_line(text: &str, directory: &str) -> Option<String> {
    let (topic, number) = directory.rsplit_once('-')?;
    let begin = format!("{topic} {number} ");
    let mut lines = text.lines();
    lines
        .find(|line| line.starts_with(&begin))
        .map(str::to_owned)
}
