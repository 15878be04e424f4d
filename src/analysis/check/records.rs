//! The records of one batch: whether they decode, are as many and where the header says, and are
//! stored as Kafka's classes write them.

use std::ops::ControlFlow;

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::internal_records;
use super::ledger::Ledger;
use super::terms::Depth;
use crate::analysis::event_verdict::Severity;
use crate::format::batch::MAGIC;
use crate::format::internal_record::InternalTopic;
use crate::format::number::{Offset, Timestamp};
use crate::format::record_form::is_as_written;
use crate::state::batch::Batch;
use crate::storage::damage::Damage;
use crate::storage::partition_name::PartitionName;
use crate::storage::segment::batch_faults::inner_crc_mismatch;
use crate::storage::segment::contents::{Entry, LoadedBatch};
use crate::storage::segment::record_offsets::RecordOffsets;
use crate::storage::source::ReadError;
use std::path::Path;

/// Looks at the records of batches.
#[derive(Debug)]
pub(super) struct Records {
    /// Whose rules the records have, where brokers write them for themselves.
    topic: Option<InternalTopic>,
    /// Memory for a record that is written anew.
    anew: Vec<u8>,
}

/// What the records of a batch show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// How many were decoded.
    pub(super) count: u64,
    /// The greatest of their timestamps.
    pub(super) greatest_timestamp: Option<Timestamp>,
}

/// What was gathered from one batch.
struct Gathered {
    count: u64,
    greatest: Option<Timestamp>,
    offsets: RecordOffsets,
    /// The first record that is not stored as it would be written.
    odd: Option<Odd>,
    inner: Option<Damage>,
    inner_count: u64,
}

struct Odd {
    index: u64,
    offset: Offset,
    stored: usize,
    anew: usize,
}

impl Gathered {
    #[inline]
    fn take(&mut self, entry: &Entry<'_>) {
        self.count += 1;
        self.offsets.take(entry.offset);
        let is_greater = |greatest: Timestamp| entry.timestamp > greatest;
        if self.greatest.is_none_or(is_greater) {
            self.greatest = Some(entry.timestamp);
        }
    }
}

impl Records {
    /// Of a partition of this name.
    pub(super) fn of(name: Option<&PartitionName>) -> Self {
        Self {
            topic: name.and_then(|name| InternalTopic::of_name(&name.topic)),
            anew: Vec::new(),
        }
    }

    /// Decodes the records of a batch whose checksum holds.
    pub(super) fn look(
        &mut self,
        batch: &Batch,
        loaded: &mut LoadedBatch<'_>,
        depth: Depth,
        path: &Path,
        ledger: &mut Ledger<'_>,
    ) -> Result<Seen, ReadError> {
        let span = loaded.span;
        let mut gathered = Gathered {
            count: 0,
            greatest: None,
            offsets: RecordOffsets::new(span, loaded.head()),
            odd: None,
            inner: None,
            inner_count: 0,
        };
        let fault = match (depth, span.magic) {
            (Depth::Rewrite, MAGIC) => self.rewritten(loaded, &mut gathered)?,
            (_, MAGIC) => loaded.entries(&mut |entry| {
                gathered.take(entry);
                ControlFlow::Continue(())
            })?,
            _ => old_messages(loaded, &mut gathered)?,
        };
        let tell = |damage: &Damage| {
            Finding::of_damage(path, damage)
                .spanning(span.size.into())
                .with_offset(batch.base_offset)
                .resting_on(Evidence::place("batch", batch.base_offset, span.position))
        };
        let is_whole = fault.is_none();
        let offsets = gathered.offsets.damage();
        for damage in fault.into_iter().chain(gathered.inner).chain(offsets) {
            ledger.add(tell(&damage));
        }
        if let Some(odd) = gathered.odd.as_ref().filter(|_| is_whole) {
            ledger.add(not_canonical(batch, odd, path));
        }
        if span.magic == MAGIC && is_whole {
            if loaded.header().attributes().has_unknown_bits() && depth == Depth::Rewrite {
                ledger.add(unknown_attributes(
                    batch,
                    loaded.header().attributes().0,
                    path,
                ));
            }
            if let Some(greatest) = gathered.greatest
                && greatest != batch.max_timestamp
            {
                ledger.add(max_timestamp(batch, greatest, path));
            }
        }
        if let Some(topic) = self.topic.filter(|_| !batch.is_control) {
            internal_records::look(topic, batch, loaded, path, ledger)?;
        }
        Ok(Seen {
            count: gathered.count,
            greatest_timestamp: gathered.greatest,
        })
    }

    fn rewritten(
        &mut self,
        loaded: &mut LoadedBatch<'_>,
        gathered: &mut Gathered,
    ) -> Result<Option<Damage>, ReadError> {
        let anew = &mut self.anew;
        loaded.stored_entries(&mut |entry, stored| {
            if gathered.odd.is_none() && !is_as_written(stored, anew) {
                gathered.odd = Some(Odd {
                    index: gathered.count,
                    offset: entry.offset,
                    stored: stored.body.len(),
                    anew: anew.len(),
                });
            }
            gathered.take(entry);
            ControlFlow::Continue(())
        })
    }
}

/// Messages of magic 0 and 1: of those in a wrapper each has a checksum of its own.
fn old_messages(
    loaded: &mut LoadedBatch<'_>,
    gathered: &mut Gathered,
) -> Result<Option<Damage>, ReadError> {
    let span = loaded.span;
    let fault = loaded.entries(&mut |entry| {
        gathered.take(entry);
        if let Some(damage) = inner_crc_mismatch(span, entry) {
            gathered.inner_count += 1;
            gathered.inner.get_or_insert(damage);
        }
        ControlFlow::Continue(())
    })?;
    if let Some(inner) = &mut gathered.inner
        && gathered.inner_count > 1
    {
        inner.message += &format!(", the first of {}", gathered.inner_count);
    }
    Ok(fault)
}

fn of_batch(
    code: FindingCode,
    severity: Severity,
    batch: &Batch,
    path: &Path,
    text: String,
) -> Finding {
    let place = batch.place;
    Finding::new(code, severity, path, text)
        .at(place.position)
        .spanning(place.size.into())
        .with_offset(batch.base_offset)
}

fn not_canonical(batch: &Batch, odd: &Odd, path: &Path) -> Finding {
    let Odd {
        index,
        offset,
        stored,
        anew,
    } = odd;
    let text = format!(
        "record {index} at offset {offset} takes {stored} bytes behind its size, and written anew \
         {anew} or others: another program than Kafka's wrote it; readers take both"
    );
    let code = FindingCode::BatchNotCanonical;
    of_batch(code, Severity::Note, batch, path, text).resting_on(Evidence::values(
        "record bytes",
        stored,
        anew,
    ))
}

fn unknown_attributes(batch: &Batch, attributes: i16, path: &Path) -> Finding {
    let text = format!(
        "attributes {attributes:#06x} have bits that no Kafka up to 4.4 writes; readers pass over \
         them"
    );
    let code = FindingCode::BatchNotCanonical;
    of_batch(code, Severity::Note, batch, path, text).resting_on(Evidence::values(
        "attributes",
        &attributes,
        &(attributes & 0x7f),
    ))
}

fn max_timestamp(batch: &Batch, greatest: Timestamp, path: &Path) -> Finding {
    let text = format!(
        "expected maxTimestamp {greatest}, the greatest of the records, found {}: retention and \
         searches by time go by the header",
        batch.max_timestamp
    );
    let code = FindingCode::MaxTimestampMismatch;
    of_batch(code, Severity::Warning, batch, path, text).resting_on(Evidence::values(
        "maxTimestamp",
        &batch.max_timestamp,
        &greatest,
    ))
}

/// The records of a batch by its header.
pub(super) fn stored_count(batch: &Batch) -> u64 {
    match batch.magic < MAGIC {
        true => 1,
        false => u64::try_from(batch.count).unwrap_or(0),
    }
}
