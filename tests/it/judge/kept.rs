//! What a repair must keep and may not make up, judged by the log as it was before the damage.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use kfsck::format::batch::Header;
use kfsck::state::read::segments;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::{Access, Source};

use super::cases::only_directory;

/// A batch of a healthy log.
struct Kept {
    file: String,
    position: usize,
    offset: i64,
    bytes: Vec<u8>,
}

/// A batch without base offset and leader epoch, which lie outside the checksum: at a log's end
/// nothing tells that they were changed.
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
            batches.push(Kept {
                file: segment
                    .path
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
                position,
                offset: Header::new(&walk.head(span).unwrap()).base_offset().0,
                bytes: sealed(&all[position..position + size]),
            });
        }
    }
    batches
}

/// Batches that were made up, or lost without need, in a log that ends at `end`.
pub(super) fn complaints(case: &Path, end: i64) -> Vec<String> {
    let [whole, damaged, repaired] =
        ["whole", "damaged", "repaired"].map(|name| only_directory(&case.join(name)));
    let before = batches(&whole);
    let after = batches(&repaired);
    let known: HashSet<&[u8]> = before.iter().map(|batch| &batch.bytes[..]).collect();
    let left: HashSet<&[u8]> = after.iter().map(|batch| &batch.bytes[..]).collect();
    let mut complaints = Vec::new();
    for batch in &after {
        if !known.contains(&batch.bytes[..]) {
            complaints.push(format!("the batch at offset {} was made up", batch.offset));
        }
    }
    let told = fs::read_to_string(case.join("told")).unwrap();
    let is_cut = told.contains("--truncate");
    for batch in &before {
        let now = fs::read(damaged.join(&batch.file)).unwrap_or_default();
        let behind = batch.position + batch.bytes.len();
        let is_intact = now.get(batch.position..behind).map(sealed) == Some(batch.bytes.clone());
        if is_cut && !is_intact {
            // What lies behind the first damage goes, and the offsets are given anew: consumers
            // would wait for those that nobody writes.
            if end > batch.offset {
                complaints.push(format!(
                    "cut at {}, and the log ends at {end}",
                    batch.offset
                ));
            }
            break;
        }
        if is_intact && !left.contains(&batch.bytes[..]) {
            complaints.push(format!("the batch at offset {} was lost", batch.offset));
        }
    }
    complaints
}
