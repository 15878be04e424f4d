//! Segment files that are another one once more, under a name of another place: somebody copied
//! them, and a log that holds both ends where the name says, far behind its last record.

use super::misnamed::suspects;
use super::terms::Terms;
use crate::state::read::SegmentFile;
use crate::storage::source::{ReadError, Source};

/// So many bytes are compared at once.
const STEP: usize = 64 * 1024;

/// A file, and the one that it is a copy of.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) file: SegmentFile,
    pub(super) of: SegmentFile,
}

/// Parts files that lie outside of what their names leave them, and whose bytes are all those of
/// one that does not, from the others.
///
/// # Errors
/// A read that failed.
pub(super) fn without_copies(
    files: Vec<SegmentFile>,
    terms: &Terms,
) -> Result<(Vec<SegmentFile>, Vec<Copy>), ReadError> {
    let suspects = suspects(&files, terms)?;
    let in_place = files.iter().zip(&suspects);
    let in_place = in_place.filter(|(_, is_suspect)| !**is_suspect);
    let originals: Vec<_> = in_place.map(|(file, _)| file.clone()).collect();
    let (mut stay, mut copies) = (Vec::with_capacity(files.len()), Vec::new());
    for (file, is_suspect) in files.into_iter().zip(suspects) {
        match is_suspect.then(|| original(&file, &originals, terms)) {
            Some(found) => match found? {
                Some(of) => copies.push(Copy { file, of }),
                None => stay.push(file),
            },
            None => stay.push(file),
        }
    }
    Ok((stay, copies))
}

fn original(
    file: &SegmentFile,
    originals: &[SegmentFile],
    terms: &Terms,
) -> Result<Option<SegmentFile>, ReadError> {
    let copy = Source::open(&file.path, terms.access)?;
    for other in originals {
        let original = Source::open(&other.path, terms.access)?;
        if are_equal(&copy, &original)? {
            return Ok(Some(other.clone()));
        }
    }
    Ok(None)
}

fn are_equal(one: &Source, other: &Source) -> Result<bool, ReadError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (one.window(), other.window());
    let mut position = 0;
    while position < one.len() {
        let bytes = left.bytes(position, STEP)?;
        if bytes.is_empty() || bytes != right.bytes(position, STEP)? {
            return Ok(false);
        }
        position = position.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
    one.check()?;
    other.check()?;
    Ok(true)
}
