//! What is left to say of a result: how a broker would load it.

use crate::repair::draft::name_of;
use crate::repair::error::ApplyError;
use crate::repair::terms::Terms;
use crate::state::load::{Change, LoadOptions, load};
use crate::storage::directory::PartitionDirectory;
use std::path::Path;

/// What a broker would not take as it is, in sentences: nothing where a load after a clean stop
/// and one after a kill both keep every byte.
///
/// # Errors
/// A file of the result that cannot be read.
pub fn verify(
    directory: &Path,
    topic_partition: &str,
    terms: &Terms,
) -> Result<Vec<String>, ApplyError> {
    let listed = PartitionDirectory::list(directory);
    let mut left = Vec::new();
    for clean_shutdown in [true, false] {
        let options = LoadOptions {
            clean_shutdown,
            access: terms.access,
            log_start_offset: terms.log_start,
            index_interval_bytes: terms.index_interval_bytes,
            ..LoadOptions::new(terms.rules)
        };
        let outcome = load::<1>(&listed, topic_partition, &options)?;
        if let Err(stop) = &outcome.log {
            left.push(format!("{}: a broker ends with {stop}", name_of(directory)));
        }
        for action in &outcome.actions {
            let what = match &action.change {
                Change::Truncated(size) => format!("cuts it to {size} bytes"),
                Change::Deleted(why) if action.name.ends_with(".log") => {
                    format!("deletes it: {why}")
                }
                Change::Deleted(_) | Change::Renamed(_) | Change::Written => continue,
            };
            left.push(format!("{}: a broker {what}", action.name));
        }
    }
    left.sort();
    left.dedup();
    Ok(left)
}
