//! What happens to a partition's files.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::simulate::explore::Dice;

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    BitFlip,
    ZeroedRange,
    CutTail,
    ZeroTail,
    GarbageTail,
    TornWrite,
    DroppedIndex,
    DroppedTimeIndex,
    DroppedTxnIndex,
    DroppedSnapshots,
    FlippedIndex,
    FlippedSnapshot,
}

impl Damage {
    /// What concerns the log itself.
    pub(super) const OF_LOGS: &[Self] = &[
        Self::BitFlip,
        Self::BitFlip,
        Self::ZeroedRange,
        Self::CutTail,
        Self::ZeroTail,
        Self::GarbageTail,
        Self::TornWrite,
        Self::DroppedIndex,
        Self::DroppedSnapshots,
    ];
    /// What a broker's recovery acts on, and what people call it.
    pub(super) const OF_TABLE: &[(Self, &str)] = &[
        (Self::BitFlip, "a bit flipped"),
        (Self::ZeroedRange, "up to 400 bytes zeroed"),
        (Self::TornWrite, "zeros from somewhere on to the end"),
        (Self::CutTail, "the end cut off"),
        (Self::GarbageTail, "garbage behind the end"),
        (Self::ZeroTail, "zeros behind the end"),
        (Self::DroppedSnapshots, "snapshots removed"),
    ];
    /// What an index repair mends.
    pub(super) const OF_INDEXES: &[Self] = &[
        Self::DroppedIndex,
        Self::DroppedTimeIndex,
        Self::DroppedTxnIndex,
        Self::FlippedIndex,
    ];
    /// What a snapshot repair mends.
    pub(super) const OF_SNAPSHOTS: &[Self] = &[Self::DroppedSnapshots, Self::FlippedSnapshot];

    /// Does it; says what was done.
    pub(super) fn strike(self, partition: &Path, dice: &mut Dice) -> String {
        let one_of = |ending: &str, dice: &mut Dice| -> Option<PathBuf> {
            dice.pick(&files(partition, ending)).cloned()
        };
        let done = match self {
            Self::BitFlip => one_of("log", dice).and_then(|path| flip(&path, dice)),
            Self::FlippedIndex => one_of("index", dice).and_then(|path| flip(&path, dice)),
            Self::FlippedSnapshot => one_of("snapshot", dice).and_then(|path| flip(&path, dice)),
            Self::ZeroedRange => one_of("log", dice).and_then(|path| zero(&path, dice)),
            Self::TornWrite => last(partition).and_then(|path| torn(&path, dice)),
            Self::CutTail => last(partition).map(|path| {
                let size = fs::metadata(&path).unwrap().len();
                let left = dice.below(usize::try_from(size).unwrap()) as u64;
                fs::File::options()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_len(left)
                    .unwrap();
                format!("{} cut to {left} bytes", name(&path))
            }),
            Self::ZeroTail => {
                last(partition).map(|path| add(&path, &vec![0; dice.below(5000) + 1]))
            }
            Self::GarbageTail => last(partition).map(|path| {
                let bytes: Vec<u8> = (0..=dice.below(300)).map(|_| byte(dice)).collect();
                add(&path, &bytes)
            }),
            Self::DroppedIndex => drop_all(partition, ".index"),
            Self::DroppedTimeIndex => drop_all(partition, ".timeindex"),
            Self::DroppedTxnIndex => drop_all(partition, ".txnindex"),
            Self::DroppedSnapshots => drop_all(partition, ".snapshot"),
        };
        done.unwrap_or_else(|| format!("nothing for {self:?}"))
    }
}

fn byte(dice: &mut Dice) -> u8 {
    u8::try_from(dice.below(256)).unwrap()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// The files of an ending, in name order.
fn files(partition: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(partition).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_str().unwrap().ends_with(ending));
    files.sort();
    files
}

/// The last segment that holds anything.
fn last(partition: &Path) -> Option<PathBuf> {
    let mut logs = files(partition, ".log");
    logs.retain(|path| fs::metadata(path).unwrap().len() > 0);
    logs.pop()
}

fn flip(path: &Path, dice: &mut Dice) -> Option<String> {
    let mut bytes = fs::read(path).unwrap();
    if bytes.is_empty() {
        return None;
    }
    let at = dice.below(bytes.len());
    let bit = dice.below(8);
    bytes[at] ^= 1 << bit;
    fs::write(path, bytes).unwrap();
    Some(format!("bit {bit} of byte {at} of {} flipped", name(path)))
}

fn zero(path: &Path, dice: &mut Dice) -> Option<String> {
    let mut bytes = fs::read(path).unwrap();
    if bytes.is_empty() {
        return None;
    }
    let begin = dice.below(bytes.len());
    let end = (begin + 1 + dice.below(400)).min(bytes.len());
    bytes[begin..end].fill(0);
    fs::write(path, bytes).unwrap();
    Some(format!("bytes {begin} to {end} of {} zeroed", name(path)))
}

/// The end of the file was never written, though its length was.
fn torn(path: &Path, dice: &mut Dice) -> Option<String> {
    let mut bytes = fs::read(path).unwrap();
    let begin = dice.below(bytes.len());
    bytes[begin..].fill(0);
    fs::write(path, bytes).unwrap();
    Some(format!("{} zeroed from byte {begin} on", name(path)))
}

fn add(path: &Path, bytes: &[u8]) -> String {
    let mut all = fs::read(path).unwrap();
    all.extend(bytes);
    fs::write(path, all).unwrap();
    format!("{} bytes put behind {}", bytes.len(), name(path))
}

fn drop_all(partition: &Path, ending: &str) -> Option<String> {
    let files = files(partition, ending);
    for path in &files {
        fs::remove_file(path).unwrap();
    }
    (!files.is_empty()).then(|| format!("{} files {ending} removed", files.len()))
}
