//! What a repair must keep and may not make up, judged by the log as it was before the damage.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use kfsck::format::batch::Header;
use kfsck::format::number::{LeaderEpoch, Offset};
use kfsck::state::read::segments;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::{Access, Source};

use super::cases::only_directory;

/// A batch of a healthy log.
struct Kept {
    file: String,
    /// The base offset of its segment.
    segment: Offset,
    position: usize,
    first: Offset,
    last: Offset,
    epoch: LeaderEpoch,
    bytes: Vec<u8>,
}

/// What a batch is now, in the damaged log.
enum Now {
    Intact,
    /// Its checksum or its frame shows the damage.
    Broken,
    /// Other values stand in base offset or leader epoch alone, which no checksum covers.
    Unsealed {
        first: Offset,
        epoch: LeaderEpoch,
    },
}

/// A batch without base offset and leader epoch.
fn sealed(batch: &[u8]) -> Vec<u8> {
    let mut bytes = batch.to_vec();
    bytes[..8].fill(0);
    bytes[12..16].fill(0);
    bytes
}

fn batches(partition: &Path) -> Vec<Kept> {
    let mut batches = Vec::new();
    for segment in segments(&PartitionDirectory::list(partition)) {
        let source = Source::open(&segment.path, Access::Map).unwrap();
        let all = fs::read(&segment.path).unwrap();
        let mut walk = Walk::new(&source);
        while let Some(piece) = walk.next_piece().unwrap() {
            let Piece::Batch(span) = piece else {
                panic!("damage in {}", segment.path.display());
            };
            let position = usize::try_from(span.position).unwrap();
            let size = usize::try_from(span.size).unwrap();
            let head = walk.head(span).unwrap();
            let header = Header::new(&head);
            let name = segment.path.file_name().unwrap().to_str().unwrap();
            batches.push(Kept {
                file: name.to_owned(),
                segment: segment.base_offset,
                position,
                first: header.base_offset(),
                last: header.last_offset(),
                epoch: header.partition_leader_epoch(),
                bytes: all[position..position + size].to_vec(),
            });
        }
    }
    batches
}

impl Kept {
    fn now(&self, damaged: &Path) -> Now {
        let all = fs::read(damaged.join(&self.file)).unwrap_or_default();
        match all.get(self.position..self.position + self.bytes.len()) {
            Some(now) if now == self.bytes => Now::Intact,
            Some(now) if sealed(now) == sealed(&self.bytes) => {
                let header = Header::at_front_of(now).unwrap();
                Now::Unsealed {
                    first: header.base_offset(),
                    epoch: header.partition_leader_epoch(),
                }
            }
            _ => Now::Broken,
        }
    }
}

/// What can be told of a batch whose offset or leader epoch was changed, and of nothing else.
struct Told {
    /// Its base offset shows the change.
    offset: bool,
    /// And only one is left to it.
    is_one_offset: bool,
    /// Its leader epoch shows the change.
    epoch: bool,
    /// What fits between those around it.
    epochs: (Option<LeaderEpoch>, Option<LeaderEpoch>),
}

/// Where a log ended once: the greatest name of a segment or a producer snapshot.
fn named_end(partition: &Path) -> Option<Offset> {
    let entries = fs::read_dir(partition).unwrap().map(Result::unwrap);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let number = name.strip_suffix(".log").or(name.strip_suffix(".snapshot"));
            number?.parse().ok().map(Offset)
        })
        .max()
}

/// By its neighbours: the batches next to it that are as they were. Behind the last one `end`
/// stands, the greatest name of a file, if it ended there and follows on the one in front.
fn told(
    before: &[Kept],
    now: &[Now],
    at: usize,
    (first, epoch): (Offset, LeaderEpoch),
    end: Option<Offset>,
) -> Told {
    let this = &before[at];
    let last = Offset(first.0.wrapping_add(this.last.0 - this.first.0));
    let intact = |at: usize| matches!(now[at], Now::Intact);
    let front = (0..at).rev().find(|at| intact(*at));
    let behind = (at + 1..before.len()).find(|at| intact(*at));
    let low = front.map_or(this.segment.0 - 1, |at| {
        before[at].last.0.max(this.segment.0 - 1)
    });
    let high = behind.map(|at| match before[at].segment == this.segment {
        true => before[at].first,
        // A segment begins at the offset of its name.
        false => before[at].segment,
    });
    let adjoins = |other: Option<usize>, at: Option<usize>| other == at;
    let is_at_end = at + 1 == before.len()
        && last >= first
        && end == Some(this.last.plus(1))
        && adjoins(front, at.checked_sub(1))
        && this.first.0 == low + 1;
    let high = high.or(end.filter(|_| is_at_end));
    let offset = first.0 <= low || last < first || high.is_some_and(|high| last >= high);
    let behind_or_end = behind.or(is_at_end.then_some(at + 1));
    let is_one_offset = offset
        && adjoins(front, at.checked_sub(1))
        && adjoins(behind_or_end, Some(at + 1))
        && this.first.0 == low + 1
        && high == Some(this.last.plus(1));
    let epochs = (
        front.map(|at| before[at].epoch),
        behind.map(|at| before[at].epoch),
    );
    let outside = match epochs {
        (Some(low), Some(high)) => !(low..=high).contains(&epoch),
        // Of the first two a third tells.
        (None, Some(high)) => epoch > high && before.len() > at + 2,
        _ => false,
    };
    Told {
        offset,
        is_one_offset,
        epoch: outside || epoch < LeaderEpoch(-1),
        epochs,
    }
}

/// Whether a batch next to it has an offset that shows a change and that no place is left for: one
/// of the two is wrong, and nothing tells which.
fn is_in_doubt(before: &[Kept], now: &[Now], at: usize, end: Option<Offset>) -> bool {
    let mut next_to = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    next_to.any(|next| match now.get(next) {
        Some(Now::Unsealed { first, epoch }) => {
            let told = told(before, now, next, (*first, *epoch), end);
            let length = before[next].last.0 - before[next].first.0;
            let overlaps = *first <= before[at].last && before[at].first <= first.plus(length);
            told.offset && !told.is_one_offset && overlaps
        }
        _ => false,
    })
}

/// Batches that were made up, or lost without need, in a log that ends at `end`.
pub(super) fn complaints(case: &Path, end: i64) -> Vec<String> {
    if !case.join("damaged").exists() {
        return Vec::new();
    }
    let [whole, damaged, repaired] =
        ["whole", "damaged", "repaired"].map(|name| only_directory(&case.join(name)));
    let before = batches(&whole);
    let after = batches(&repaired);
    let now: Vec<_> = before.iter().map(|batch| batch.now(&damaged)).collect();
    let last = named_end(&damaged);
    let said = fs::read_to_string(case.join("told")).unwrap();
    let is_cut = said.contains("--truncate");
    let left: HashSet<&[u8]> = after.iter().map(|batch| &batch.bytes[..]).collect();
    let mut may_be: HashSet<Vec<u8>> = before.iter().map(|batch| batch.bytes.clone()).collect();
    let mut complaints = Vec::new();
    for (at, batch) in before.iter().enumerate() {
        let told = match now[at] {
            Now::Intact if left.contains(&batch.bytes[..]) => continue,
            Now::Intact if !is_cut && is_in_doubt(&before, &now, at, last) => continue,
            Now::Intact => {
                complaints.push(format!("the batch at offset {} was lost", batch.first));
                continue;
            }
            Now::Broken => None,
            Now::Unsealed { first, epoch } => {
                let told = told(&before, &now, at, (first, epoch), last);
                Some((told, first, epoch))
            }
        };
        let is_seen = told
            .as_ref()
            .is_none_or(|(told, ..)| told.offset || told.epoch);
        if is_cut && is_seen {
            // What lies behind the first damage goes, and the offsets are given anew: consumers
            // would wait for those that nobody writes.
            if end > batch.first.0 {
                complaints.push(format!("cut at {}, and the log ends at {end}", batch.first));
            }
            break;
        }
        let Some((told, first, epoch)) = told else {
            continue;
        };
        let found = after
            .iter()
            .find(|found| sealed(&found.bytes) == sealed(&batch.bytes));
        complaints.extend(complaint(batch, found, &told, first, epoch));
        if let Some(found) = found {
            may_be.insert(found.bytes.clone());
        }
    }
    for batch in &after {
        if !may_be.contains(&batch.bytes[..]) {
            complaints.push(format!("the batch at offset {} was made up", batch.first));
        }
    }
    complaints
}

/// Whether a batch, of which offset or leader epoch was changed, is what it should be afterwards.
fn complaint(
    batch: &Kept,
    found: Option<&Kept>,
    told: &Told,
    first: Offset,
    epoch: LeaderEpoch,
) -> Option<String> {
    let offset = match (told.offset, told.is_one_offset) {
        (false, _) => Some(first),
        (true, true) => Some(batch.first),
        (true, false) => None,
    };
    let at = found.map(|found| found.first);
    if at != offset {
        return Some(format!(
            "the batch at offset {} with {first} in its place should be at {offset:?}, and is at \
             {at:?}",
            batch.first
        ));
    }
    let found = found?;
    let (low, high) = told.epochs;
    let fits = match told.epoch {
        false => found.epoch == epoch,
        true => {
            low.is_none_or(|low| found.epoch >= low) && high.is_none_or(|high| found.epoch <= high)
        }
    };
    (!fits).then(|| {
        format!(
            "the batch at offset {} has leader epoch {}, {:?} around it",
            found.first, found.epoch, told.epochs
        )
    })
}
