//! Draws cases.

use std::fs;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::image::{CHECKPOINTS, CLEAN_SHUTDOWN, Image};
use super::{Case, Operation};

/// The log directories of a corpus.
const LOG_DIRECTORIES: [&str; 3] = ["main", "crash/clean", "crash/unclean"];

/// The case of this number under this seed.
pub(crate) fn drawn(corpus: &Path, seed: u64, number: u64) -> Case {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let mut dice = Dice(random);
    let all = partitions(corpus);
    let partition = dice.pick(&all).clone();
    let image = Image::of(corpus, &partition);
    let mut draw = Draw {
        name: partition.rsplit('/').next().unwrap().to_owned(),
        image,
        others: all,
        corpus,
        dice,
        operations: Vec::new(),
    };
    draw.stop();
    for _ in 0..=draw.dice.below(2) {
        draw.damage();
    }
    Case {
        partition,
        operations: draw.operations,
    }
}

/// Directories of partitions that are loaded with all others.
fn partitions(corpus: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for directory in LOG_DIRECTORIES {
        for entry in fs::read_dir(corpus.join(directory)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() && !name.starts_with("__cluster_metadata") {
                found.push(format!("{directory}/{name}"));
            }
        }
    }
    found.sort();
    found
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        let bits = u64::from(self.0.next_u32());
        usize::try_from((bits * count as u64) >> 32).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

struct Draw<'a> {
    name: String,
    image: Image,
    others: Vec<String>,
    corpus: &'a Path,
    dice: Dice,
    operations: Vec<Operation>,
}

impl Draw<'_> {
    fn push(&mut self, operation: Operation) {
        operation.apply(&mut self.image, self.corpus);
        self.operations.push(operation);
    }

    /// Files of the partition whose names end so.
    fn files(&self, ending: &str) -> Vec<String> {
        let inside = format!("{}/", self.name);
        let names = self.image.files.keys();
        let names = names.filter(|name| name.starts_with(&inside) && name.ends_with(ending));
        names.cloned().collect()
    }

    fn a_file(&mut self, ending: &str) -> Option<String> {
        let files = self.files(ending);
        if files.is_empty() {
            return None;
        }
        // The last segment more often than the others.
        match self.dice.one_in(3) {
            true => files.last().cloned(),
            false => Some(self.dice.pick(&files).clone()),
        }
    }

    fn bases(&self) -> Vec<i64> {
        let logs = self.files(".log");
        let names = logs.iter().map(|path| path.rsplit('/').next().unwrap());
        let digits = names.filter_map(|name| name.strip_suffix(".log"));
        digits.filter_map(|digits| digits.parse().ok()).collect()
    }

    /// How the broker stopped, and up to where it says that all is on disk.
    fn stop(&mut self) {
        if self.dice.one_in(2) {
            return;
        }
        match self.dice.one_in(5) {
            true => self.push(Operation::Write(CLEAN_SHUTDOWN.to_owned(), b"{}".to_vec())),
            false => self.push(Operation::Delete(CLEAN_SHUTDOWN.to_owned())),
        }
        if !self.dice.one_in(3) {
            self.checkpoint(CHECKPOINTS[0]);
        }
    }

    /// A checkpoint with another offset.
    fn checkpoint(&mut self, file: &str) {
        let mut offsets = self.bases();
        offsets.extend([0, 3, 40, 100, 150, 1_000_000]);
        let base = *self.dice.pick(&offsets);
        let near = [0, 0, 1, 5][self.dice.below(4)];
        let Some((topic, number)) = self.name.rsplit_once('-') else {
            return;
        };
        let text = format!("0\n1\n{topic} {number} {}\n", base + near);
        self.push(Operation::Write(file.to_owned(), text.into_bytes()));
    }

    /// Whether offsets may have changed. A log that must be split and lies there under two names is
    /// split twice, and its transaction index then has entries twice: we do not follow that.
    fn is_rewritten(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| matches!(operation, Operation::Put(..) | Operation::Flip(..)))
    }

    /// Whether a file has got another name.
    fn is_moved(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| matches!(operation, Operation::Rename(..) | Operation::Copy(..)))
    }

    fn damage(&mut self) {
        match self.dice.below(20) {
            0..=4 => self.bytes_of_log(),
            5..=6 => self.header(),
            7 => self.tail(),
            8..=11 => self.companion_gone(),
            12..=13 => self.companion_bytes(),
            14 => self.taken(),
            15 => self.renamed(),
            16 => self.leftover(),
            17 => self.checkpoint(CHECKPOINTS[1]),
            18 => self.text_file(),
            _ => self.directory(),
        }
    }

    /// Where the batches of a segment begin.
    fn batches(&self, log: &str) -> Vec<usize> {
        let bytes = &self.image.files[log];
        let (mut at, mut found) = (0, Vec::new());
        while let Some(length) = bytes.get(at + 8..at + 12) {
            let length = i32::from_be_bytes(length.try_into().unwrap());
            let Ok(length) = usize::try_from(length) else {
                break;
            };
            if length < 14 || at + 12 + length > bytes.len() {
                break;
            }
            found.push(at);
            at += 12 + length;
        }
        found
    }

    fn a_log(&mut self) -> Option<(String, usize)> {
        let log = self.a_file(".log")?;
        let length = self.image.files[&log].len();
        (length > 0).then_some((log, length))
    }

    /// Bits and blocks of a segment.
    fn bytes_of_log(&mut self) {
        let Some((log, length)) = self.a_log() else {
            return;
        };
        let at = self.dice.below(length);
        let bit = u8::try_from(self.dice.below(8)).unwrap();
        let operation = match self.dice.below(6) {
            0 | 1 => Operation::Flip(log, at, bit),
            2 => Operation::Zero(log, at / 512 * 512, 512),
            3 => Operation::Zero(log, at, length),
            4 => Operation::Zero(log, at, 1 + self.dice.below(100)),
            _ => Operation::Cut(log, at),
        };
        self.push(operation);
    }

    /// A bit of a batch's header, or another base offset; no checksum covers the first 21 bytes.
    fn header(&mut self) {
        let Some((log, _)) = self.a_log().filter(|_| !self.is_moved()) else {
            return;
        };
        let batches = self.batches(&log);
        if batches.is_empty() {
            return;
        }
        let at = match self.dice.one_in(3) {
            true => *batches.last().unwrap(),
            false => *self.dice.pick(&batches),
        };
        let bit = u8::try_from(self.dice.below(8)).unwrap();
        let operation = match self.dice.below(5) {
            0 | 1 => Operation::Flip(log, at + self.dice.below(21), bit),
            2 => Operation::Flip(log, at + self.dice.below(61), bit),
            3 => {
                let offset = [3_i64 << 31, 1 << 40, 0, 7, -1, i64::MAX][self.dice.below(6)];
                Operation::Put(log, at, offset.to_be_bytes().to_vec())
            }
            _ => Operation::Zero(log, at, 61),
        };
        self.push(operation);
    }

    /// What lies behind the last batch.
    fn tail(&mut self) {
        let Some((log, length)) = self.a_log() else {
            return;
        };
        let batches = self.batches(&log);
        let operation = match self.dice.below(4) {
            0 => Operation::Extend(log, [1, 17, 18, 61, 4096][self.dice.below(5)]),
            1 => Operation::Append(log, vec![0xff; 1 + self.dice.below(80)]),
            2 if !batches.is_empty() => {
                let at = *self.dice.pick(&batches);
                Operation::Repeat(log, at, length)
            }
            _ => Operation::Cut(log, batches.last().map_or(0, |at| at + 30)),
        };
        self.push(operation);
    }

    fn companion_gone(&mut self) {
        let endings = [
            ".index",
            ".timeindex",
            ".txnindex",
            ".snapshot",
            "leader-epoch-checkpoint",
            "partition.metadata",
            ".log",
        ];
        let ending = *self.dice.pick(&endings);
        let files = self.files(ending);
        if self.dice.one_in(3) {
            for file in files {
                self.push(Operation::Delete(file));
            }
        } else if let Some(file) = self.a_file(ending) {
            self.push(Operation::Delete(file));
        }
    }

    fn companion_bytes(&mut self) {
        let endings = [
            ".index",
            ".timeindex",
            ".txnindex",
            ".snapshot",
            ".snapshot",
        ];
        let ending = *self.dice.pick(&endings);
        let Some(file) = self.a_file(ending) else {
            return;
        };
        let length = self.image.files[&file].len().min(4096);
        let at = self.dice.below(length.max(1));
        let bit = u8::try_from(self.dice.below(8)).unwrap();
        let operation = match self.dice.below(5) {
            0 | 1 => Operation::Flip(file, at, bit),
            2 => Operation::Cut(file, at),
            3 => Operation::Zero(file, at, length),
            _ => Operation::Extend(file, [1, 8, 34, 100][self.dice.below(4)]),
        };
        self.push(operation);
    }

    /// A file of another partition under a name of this one.
    fn taken(&mut self) {
        let endings = [".log", ".index", ".txnindex", ".snapshot", ".timeindex"];
        let ending = *self.dice.pick(&endings);
        let Some(file) = self.a_file(ending) else {
            return;
        };
        let other = self.dice.pick(&self.others).clone();
        let image = Image::of(self.corpus, &other);
        let names = image.files.keys().filter(|name| name.ends_with(ending));
        let names: Vec<&String> = names.collect();
        if !names.is_empty() {
            let name = self.dice.pick(&names);
            let name = name.rsplit('/').next().unwrap();
            self.push(Operation::Take(format!("{other}/{name}"), file));
        }
    }

    fn renamed(&mut self) {
        let endings = [".log", ".index", ".txnindex", ".snapshot"];
        let ending = *self.dice.pick(&endings);
        let Some(file) = self.a_file(ending).filter(|_| !self.is_rewritten()) else {
            return;
        };
        let offset = [0, 1, 20, 77, 5_000_000_000_i64][self.dice.below(5)];
        let name = match self.dice.below(6) {
            // Of two snapshots for one offset the file system's order decides.
            0 if ending != ".snapshot" => format!("5{ending}"),
            1 => format!("copy{ending}"),
            _ => format!("{offset:020}{ending}"),
        };
        let to = format!("{}/{name}", self.name);
        let operation = match self.dice.one_in(2) {
            true => Operation::Rename(file, to),
            false => Operation::Copy(file, to),
        };
        self.push(operation);
    }

    /// What a compaction, a split or a deletion leaves that was broken off.
    fn leftover(&mut self) {
        let Some(log) = self.a_file(".log").filter(|_| !self.is_rewritten()) else {
            return;
        };
        let stem = log.strip_suffix(".log").unwrap().to_owned();
        let suffix = [".swap", ".swap", ".swap", ".cleaned", ".deleted"][self.dice.below(5)];
        let is_copy = self.dice.one_in(2);
        let kinds = [".log", ".index", ".timeindex", ".txnindex"];
        for kind in &kinds[..1 + self.dice.below(4)] {
            let (from, to) = (format!("{stem}{kind}"), format!("{stem}{kind}{suffix}"));
            if self.image.files.contains_key(&from) {
                self.push(match is_copy {
                    true => Operation::Copy(from, to),
                    false => Operation::Rename(from, to),
                });
            }
        }
    }

    /// A file of text that does not say what it should.
    fn text_file(&mut self) {
        let inside = |name: &str| format!("{}/{name}", self.name);
        let files = [
            inside("leader-epoch-checkpoint"),
            inside("partition.metadata"),
            CHECKPOINTS[0].to_owned(),
            CHECKPOINTS[1].to_owned(),
        ];
        let file = self.dice.pick(&files).clone();
        let length = self.image.files.get(&file).map_or(0, Vec::len);
        let at = self.dice.below(length.max(1));
        let bit = u8::try_from(self.dice.below(8)).unwrap();
        let operation = match self.dice.below(6) {
            0 => Operation::Write(file, Vec::new()),
            1 => Operation::Cut(file, at),
            2 => Operation::Zero(file, 0, length),
            3 => Operation::Append(file, b"x\n".to_vec()),
            _ => Operation::Flip(file, at, bit),
        };
        self.push(operation);
    }

    /// The directory under another name, or with something beside it.
    fn directory(&mut self) {
        let id = "809c9850d0d04fbfb26eb58381d3a086";
        let from = format!("{}/", self.name);
        let own = self.name.clone();
        let operation = match self.dice.below(6) {
            0 => Operation::Rename(from, format!("{own}.{id}-delete/")),
            1 => Operation::Rename(from, format!("{own}.{id}-stray/")),
            2 | 3 => Operation::Rename(from, format!("{own}.{id}-future/")),
            4 => Operation::Rename(from, "backup/".to_owned()),
            _ => Operation::Write(format!("{own}/backup/"), Vec::new()),
        };
        let renamed = match &operation {
            Operation::Rename(_, to) => to.strip_suffix('/').map(str::to_owned),
            _ => None,
        };
        self.push(operation);
        self.name = renamed.unwrap_or(own);
    }
}
