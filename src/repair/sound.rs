//! A log that is sound, batch by batch: what changes producers is done to no other.

use super::draft::name_of;
use super::error::{PlanError, Refusal};
use super::plan::Kept;
use super::survey::{Good, Seen, each_piece};
use super::terms::Terms;
use crate::format::number::{LeaderEpoch, Offset};
use crate::state::batch::{Batch, Control, control};
use crate::state::read::{SegmentFile, segments};
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::{CLUSTER_METADATA, PartitionName};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::Source;
use std::ops::ControlFlow;

/// The topics whose records brokers and controllers write for themselves.
const INTERNAL: [&str; 6] = [
    CLUSTER_METADATA,
    "__consumer_offsets",
    "__mirror_state",
    "__remote_log_metadata",
    "__share_group_state",
    "__transaction_state",
];

/// The topic of a partition, if it is one that brokers write for themselves.
#[must_use]
pub fn internal_topic(name: Option<&PartitionName>) -> Option<&'static str> {
    let name = name?;
    INTERNAL.into_iter().find(|topic| *topic == name.topic)
}

/// A batch of a sound log.
pub(super) struct Item<'a> {
    /// The place of its segment among all.
    pub(super) segment: usize,
    pub(super) batch: &'a Batch,
    /// What its record says, of a control batch.
    pub(super) control: Option<&'a Control>,
}

/// A segment of a sound log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SoundSegment {
    pub(super) base: Offset,
    /// Its file's name.
    pub(super) file: String,
    /// The size of its file, in bytes.
    pub(super) length: u64,
}

/// What a sound log consists of.
#[derive(Debug)]
pub(super) struct Sound {
    pub(super) segments: Vec<SoundSegment>,
    /// The offset behind the last batch, or where the last segment begins.
    pub(super) end: Offset,
    /// The leader epoch of the last batch; -1 without one.
    pub(super) leader_epoch: LeaderEpoch,
    pub(super) kept: Kept,
}

/// Gives every batch of a partition in the order of the log.
///
/// # Errors
/// A file that cannot be read; anything in the log that is no sound batch behind the one before;
/// what `visit` says.
pub(super) fn read(
    directory: &PartitionDirectory,
    terms: &Terms,
    visit: &mut dyn FnMut(Item<'_>) -> Result<(), PlanError>,
) -> Result<Sound, PlanError> {
    let files = segments(directory);
    let mut sound = Sound {
        segments: Vec::new(),
        end: files.first().map_or(Offset(0), |file| file.base_offset),
        leader_epoch: LeaderEpoch(-1),
        kept: Kept::default(),
    };
    for file in &files {
        let source = Source::open(&file.path, terms.access)?;
        sound.segments.push(SoundSegment {
            base: file.base_offset,
            file: name_of(&file.path),
            length: source.len(),
        });
        sound.end = sound.end.max(file.base_offset);
        segment(&source, file, &mut sound, terms, visit)?;
        source.check()?;
    }
    Ok(sound)
}

fn segment(
    source: &Source,
    file: &SegmentFile,
    sound: &mut Sound,
    terms: &Terms,
    visit: &mut dyn FnMut(Item<'_>) -> Result<(), PlanError>,
) -> Result<(), PlanError> {
    let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
    let mut failed = None;
    let place = sound.segments.len().saturating_sub(1);
    let unsound = |position: u64, what: String| PlanError::Refused {
        path: file.path.clone(),
        refusal: Refusal::NotSound { position, what },
    };
    each_piece(source, (file, None), false, terms, &mut |seen| {
        let good = match seen {
            Seen::Good(good) => good,
            Seen::Bad(bad) => {
                let what = format!("{}: {}", bad.code, bad.message);
                failed = Some(unsound(bad.position, what));
                return Ok(ControlFlow::Break(()));
            }
        };
        if good.first < sound.end {
            let what = format!("offset {} behind offset {}", good.first, sound.end.plus(-1));
            failed = Some(unsound(good.span.position, what));
            return Ok(ControlFlow::Break(()));
        }
        let control = match good.batch.is_control {
            true => Some(control(&mut reader.load(good.span)?)?),
            false => None,
        };
        sound.add(&good, terms);
        let item = Item {
            segment: place,
            batch: &good.batch,
            control: control.as_ref(),
        };
        Ok(match visit(item) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })
    })?;
    failed.map_or(Ok(()), Err)
}

impl Sound {
    fn add(&mut self, good: &Good, terms: &Terms) {
        let batch = &good.batch;
        self.end = batch.next_offset();
        self.leader_epoch = batch.partition_leader_epoch;
        if batch.last_offset < terms.log_start {
            return;
        }
        let kept = &mut self.kept;
        kept.records = kept.records.saturating_add(good.records);
        kept.first_offset
            .get_or_insert(good.first.max(terms.log_start));
        kept.last_offset = Some(batch.last_offset);
    }
}
