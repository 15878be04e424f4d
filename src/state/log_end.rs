//! Where a log ended once, by the names of files, and whether its last batch lies there.
//!
//! No checksum covers a batch's base offset, and the last batch of a log has no neighbour behind
//! it. A broker takes a producer snapshot where a segment begins and where the log ends when it
//! stops, so the greatest of these names bears witness in its place.

use crate::format::number::Offset;
use crate::state::read::segments;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;

/// The greatest offset at which a log is known to have ended once: where a producer snapshot was
/// taken, by its name, or a segment was begun. Batches may have come behind it since.
#[must_use]
pub fn named_end(directory: &PartitionDirectory) -> Option<Offset> {
    let snapshots = directory.files_of(FileKind::ProducerSnapshot);
    let snapshots = snapshots
        .filter(|file| file.name.suffix.is_none())
        .filter_map(|file| file.name.base_offset);
    let segments = segments(directory);
    let bases = segments.iter().map(|segment| segment.base_offset);
    snapshots.chain(bases).max()
}

/// The base offset at which the last batch of a log belongs, where it bears another: right behind
/// the batch in front of it, which ends in front of `due`, if it then ends where the log did.
///
/// Elsewhere that end would lie inside no batch and at no batch's edge: a healthy log has a batch
/// on one side of it at least. One that compaction took away lay in a segment that was closed, and
/// the name of the next one is a greater witness.
#[must_use]
pub fn right_base(
    named_end: Option<Offset>,
    due: Offset,
    (first, last): (Offset, Offset),
) -> Option<Offset> {
    let length = last.0.checked_sub(first.0).filter(|length| *length >= 0)?;
    let end = due.0.checked_add(length)?.checked_add(1)?;
    (first != due && named_end == Some(Offset(end))).then_some(due)
}

#[cfg(test)]
mod tests {
    use super::right_base;
    use crate::format::number::Offset;

    fn right(end: Option<i64>, due: i64, first: i64, last: i64) -> Option<i64> {
        let offsets = (Offset(first), Offset(last));
        right_base(end.map(Offset), Offset(due), offsets).map(|base| base.0)
    }

    #[test]
    fn a_batch_goes_back_where_it_then_ends_at_the_named_end() {
        assert_eq!(right(Some(52), 47, 559, 563), Some(47));
        assert_eq!(right(Some(52), 47, 15, 19), Some(47));
    }

    #[test]
    fn it_stays_where_it_is_right_or_the_name_tells_another_end() {
        assert_eq!(right(Some(52), 47, 47, 51), None);
        // Nothing tells; the snapshot is an older one; it lies above the log; one offset less.
        for end in [None, Some(47), Some(564), Some(9000), Some(51)] {
            assert_eq!(right(end, 47, 559, 563), None);
        }
    }

    #[test]
    fn offsets_that_no_number_holds_tell_nothing() {
        assert_eq!(right(Some(52), 47, 563, 559), None);
        assert_eq!(right(Some(i64::MIN), i64::MAX, 0, 4), None);
        assert_eq!(right(Some(52), 47, i64::MIN, i64::MAX), None);
    }
}
