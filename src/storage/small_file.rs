//! Small files beside a log, for who asks them only where they can be read: what is wrong with them
//! is told elsewhere.

use super::file_name::FileKind;
use super::source::{Access, Source};
use crate::format::meta_properties::MetaProperties;
use std::path::Path;

/// The bytes of a small file; `None` where there is none that can be read.
#[must_use]
pub fn contents(path: &Path, access: Access) -> Option<Vec<u8>> {
    if !path.is_file() {
        return None;
    }
    let source = Source::open(path, access).ok()?;
    let bytes = source.contents().ok()?.into_owned();
    source.check().ok()?;
    Some(bytes)
}

/// Whose a log directory is, by its `meta.properties`.
#[must_use]
pub fn owner(log_directory: &Path, access: Access) -> Option<MetaProperties> {
    let path = log_directory.join(FileKind::MetaProperties.name());
    MetaProperties::decode(&contents(&path, access)?).ok()
}
