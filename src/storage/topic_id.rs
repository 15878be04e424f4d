//! The id of the topic that a partition's directory belongs to.

use super::directory::PartitionDirectory;
use super::file_name::FileKind;
use super::read_error::ReadError;
use super::source::{Access, Source};
use crate::format::partition_metadata;
use crate::format::uuid::Uuid;

/// The id in a directory's `partition.metadata`; `None` without such a file, and where it does not
/// read.
///
/// # Errors
/// A read that failed.
pub fn topic_id(directory: &PartitionDirectory, access: Access) -> Result<Option<Uuid>, ReadError> {
    let mut files = directory.files_of(FileKind::PartitionMetadata);
    let Some(file) = files.find(|file| file.name.suffix.is_none()) else {
        return Ok(None);
    };
    let source = Source::open(&file.path, access)?;
    let read = partition_metadata::decode(&source.contents()?);
    source.check()?;
    Ok(read.ok().map(|read| read.topic_id))
}
