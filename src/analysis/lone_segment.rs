//! A segment that is read without the rest of its partition.
//!
//! What was known before its first batch is in the snapshot at its base offset, where one lies
//! beside it.

use std::path::{Path, PathBuf};

use super::belief::{Belief, Question};
use super::partition_log::first_offset;
use super::witness::{Witness, watch_segment};
use crate::format::number::Offset;
use crate::state::read::SegmentFile;
use crate::storage::source::{ReadError, Source};

/// Replays a segment before a witness. Where its name does not tell the base offset, the first
/// batch does.
///
/// # Errors
/// A file cannot be read, or was changed meanwhile.
pub fn watch(
    source: &Source,
    base_offset: Option<Offset>,
    question: &Question,
    witness: &mut dyn Witness,
) -> Result<Belief, ReadError> {
    let first = match base_offset {
        Some(offset) => offset,
        None => first_offset(source)?.unwrap_or(Offset(0)),
    };
    let path = source.path().to_owned();
    let name = path.display().to_string();
    let mut belief = Belief::nothing(name, path.clone(), first, question);
    if question.at.is_none_or(|at| at >= first)
        && base_offset.is_some()
        && let Some(snapshot) = snapshot_beside(&path)
    {
        belief.begin_with_snapshot(&snapshot, first, question)?;
    }
    witness.begin(&belief);
    let segment = SegmentFile {
        base_offset: first,
        path,
    };
    watch_segment(&mut belief, &segment, source, question, witness)?;
    Ok(belief)
}

/// The snapshot of the same offset; none for what is no regular file and so lies nowhere.
fn snapshot_beside(segment: &Path) -> Option<PathBuf> {
    let snapshot = segment.with_extension("snapshot");
    (segment.is_file() && snapshot.is_file()).then_some(snapshot)
}
