//! The short ways: what most batches do to an entry, done in place.
//!
//! Each does what [`crate::state::append`] would do, or nothing: the caller then goes the long way.
//! They are for batches that are read back or replicated.

use crate::format::number::Offset;
use crate::state::append::{Appended, CompletedTxn};
use crate::state::batch::{Batch, Control, Marker};
use crate::state::error::StateError;
use crate::state::manager::{Finished, Manager};
use crate::state::ongoing::NO_TICKET;
use crate::state::open_slots::OpenSlot;
use crate::state::table::{NO_POSITION, OPEN, PackedBatch, Slot, Table, packed_in, shortened};

/// What a short way has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usual {
    /// The transaction that began or ended.
    pub(super) appended: Appended,
    /// The ticket that was left with the transaction that ended.
    pub(super) ticket: u64,
}

impl Usual {
    const TAKEN: Self = Self {
        appended: Appended {
            started: None,
            completed: None,
        },
        ticket: NO_TICKET,
    };
}

impl<const N: usize> Table<N> {
    /// Takes in a batch that is as most are; `None` where it is not. One that begins a transaction
    /// leaves `ticket` with it. Without a ticket the table holds but a part of what is known of
    /// producers: what a chunk has gathered.
    #[inline(always)]
    pub(super) fn take_usual(
        &mut self,
        slot: Slot,
        batch: &Batch,
        control: Option<&Control>,
        ticket: Option<u64>,
    ) -> Option<Usual> {
        match (batch.is_control, control) {
            (false, _) => self.advance(slot, batch, ticket),
            (true, Some(Control::Marker(marker))) => self.end(slot, batch, *marker),
            _ => None,
        }
    }

    /// Takes in a data batch: of the same epoch, the next in sequence, no plain batch in a
    /// transaction.
    #[inline(always)]
    fn advance(&mut self, slot: Slot, batch: &Batch, ticket: Option<u64>) -> Option<Usual> {
        let packed = packed_in(&mut self.chunks, slot)?;
        let (is_open, count) = (packed.is_open(), packed.count());
        let expected = match count.checked_sub(1).and_then(|at| packed.batches.get(at)) {
            Some(last) => i32::from_be_bytes(last.last_sequence).checked_add(1)?,
            // A producer begins with 0, but not what one chunk has of it.
            None => ticket.map(|_| 0)?,
        };
        let is_usual = packed.producer_epoch == batch.producer_epoch.0.to_be_bytes()
            && expected == batch.base_sequence.0
            && (batch.is_transactional || !is_open);
        let distance = batch.last_offset.0.wrapping_sub(batch.base_offset.0);
        let last_offset = shortened(batch.last_offset.0)?;
        let timestamp = shortened(batch.max_timestamp.0)?;
        let distance = i32::try_from(distance).ok()?;
        let position = u32::try_from(batch.place.position).ok()?;
        if !is_usual {
            return None;
        }
        let mut at = count;
        if count == N {
            packed.batches.rotate_left(1);
            at = N.saturating_sub(1);
        } else {
            packed.state = packed.state.wrapping_add(1);
        }
        if let Some(place) = packed.batches.get_mut(at) {
            *place = PackedBatch {
                last_sequence: batch.last_sequence.0.to_be_bytes(),
                last_offset,
                offset_delta: distance.to_be_bytes(),
                timestamp,
            };
        }
        packed.last_timestamp = timestamp;
        if is_open {
            if let Some(open) = self.open.get_mut(packed.position_or_open()) {
                open.last_position = position;
            }
            return Some(Usual::TAKEN);
        }
        if !batch.is_transactional {
            packed.position_or_open = position.to_be_bytes();
            return Some(Usual::TAKEN);
        }
        let ticket = ticket.unwrap_or(NO_TICKET);
        let open = self.open.take(OpenSlot {
            first_offset: batch.base_offset.0,
            ticket,
            last_position: position,
        });
        packed.position_or_open = open.to_be_bytes();
        packed.state |= OPEN;
        Some(Usual {
            appended: Appended {
                started: Some(batch.base_offset),
                completed: None,
            },
            ticket,
        })
    }

    /// Takes in a marker: a transaction is open, and no epoch goes down.
    #[inline(always)]
    fn end(&mut self, slot: Slot, batch: &Batch, marker: Marker) -> Option<Usual> {
        let packed = packed_in(&mut self.chunks, slot)?;
        let epoch = i16::from_be_bytes(packed.producer_epoch);
        let is_usual = packed.is_open()
            && batch.producer_epoch.0 >= epoch
            && marker.coordinator_epoch.0 >= i32::from_be_bytes(packed.coordinator_epoch);
        let timestamp = shortened(marker.timestamp.0)?;
        if !is_usual {
            return None;
        }
        let number = packed.position_or_open();
        let open = *self.open.get(number)?;
        self.open.release(number);
        packed.position_or_open = open.last_position.to_be_bytes();
        packed.state &= !OPEN;
        packed.coordinator_epoch = marker.coordinator_epoch.0.to_be_bytes();
        packed.last_timestamp = timestamp;
        if batch.producer_epoch.0 != epoch {
            packed.producer_epoch = batch.producer_epoch.0.to_be_bytes();
            packed.position_or_open = NO_POSITION.to_be_bytes();
            packed.state = 0;
        }
        let completed = CompletedTxn {
            producer_id: batch.producer_id,
            first_offset: Offset(open.first_offset),
            last_offset: batch.base_offset,
            is_aborted: marker.is_abort,
        };
        Some(Usual {
            appended: Appended {
                started: None,
                completed: Some(completed),
            },
            ticket: open.ticket,
        })
    }
}

/// The transaction that a batch began, by its first offset, and the one that it ended.
type BeganAndEnded = (Option<Offset>, Option<Finished>);

impl<const N: usize> Manager<N> {
    /// Takes in a batch that is as most are, of the producer in `slot`; `None` where it is not.
    #[inline(always)]
    pub(super) fn apply_usual(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        slot: Slot,
    ) -> Option<Result<BeganAndEnded, StateError>> {
        let ticket = Some(self.ongoing.next_ticket());
        let usual = self.producers.take_usual(slot, batch, control, ticket)?;
        Some(self.conclude(batch.producer_id, usual.appended, usual.ticket))
    }
}
