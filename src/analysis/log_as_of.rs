//! Where a log ended at some time, by the times in it.
//!
//! Nothing in a log says when a batch was appended. Control batches come near: brokers write them
//! under their own clocks. The timestamps of data are the producer's, who may be behind by years
//! where records keep the time of an event, or ahead. So the first control batch that is later ends
//! the log, whatever data lie in front of the last one that is not; between the two, the first data
//! with a later timestamp do.

use std::ops::ControlFlow;

use super::log_bytes::LogBytes;
use crate::format::number::{Offset, Timestamp};
use crate::state::read::{Item, ReadOptions};
use crate::storage::source::ReadError;

/// The log at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogAsOf {
    /// The offset of the first batch that was not there yet; `None` where all were.
    pub end: Option<Offset>,
    /// Whether that is the first batch of all: what was in the log then, if anything, is not here.
    pub begins_later: bool,
}

/// Reads as far as the first control batch that is later than `time`.
///
/// # Errors
/// A file cannot be opened or read, or was changed meanwhile.
pub fn log_as_of(
    log: LogBytes<'_>,
    time: Timestamp,
    options: ReadOptions,
) -> Result<LogAsOf, ReadError> {
    let (mut end, mut first) = (None, None);
    log.visit(Offset(0), options, &mut |_| false, &mut |item| {
        let Item::Batch(batch, _) = item else {
            return ControlFlow::Continue(());
        };
        first.get_or_insert(batch.base_offset);
        let is_later = batch.max_timestamp > time;
        match (batch.is_control, is_later) {
            (true, false) => end = None,
            (_, true) => {
                end.get_or_insert(batch.base_offset);
            }
            (false, false) => {}
        }
        match batch.is_control && is_later {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(LogAsOf {
        end,
        begins_later: end.is_some() && end == first,
    })
}
