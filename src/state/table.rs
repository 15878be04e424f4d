//! Producers by id, packed: 45 bytes a producer with one batch, 125 with five, and its index.
//!
//! ```text
//! index:  see `slot_index`: 4 bytes a place, at most 7/8 of them taken
//! slots:  chunks of 4096 packed entries, never copied when the table grows
//! ```
//!
//! Offsets and timestamps take 48 bits; what does not fit lies beside the table, and so does the
//! first offset of an open transaction. Entries go in the order of their first batch.

use crate::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp, to_usize,
};
use crate::state::entry::{BatchMetadata, Batches, Entry};
use crate::state::open_slots::{OpenSlot, OpenSlots};
use crate::state::slot_index::SlotIndex;
use std::collections::HashMap;

/// Entries of one chunk.
const CHUNK: usize = 4096;
/// Bytes of a position that is not known.
pub(super) const NO_POSITION: u32 = u32::MAX;

/// A 48-bit number, or the sign that it lies beside the table.
pub(super) type Short = [u8; 6];
const ASIDE: Short = [0x80, 0, 0, 0, 0, 0];

#[derive(Debug, Clone, Copy)]
pub(super) struct PackedBatch {
    pub(super) last_sequence: [u8; 4],
    pub(super) last_offset: Short,
    pub(super) offset_delta: [u8; 4],
    pub(super) timestamp: Short,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<const N: usize> {
    producer_id: [u8; 8],
    pub(super) producer_epoch: [u8; 2],
    pub(super) coordinator_epoch: [u8; 4],
    pub(super) last_timestamp: Short,
    /// The last position; while a transaction is open, the number of its [`OpenSlot`].
    pub(super) position_or_open: [u8; 4],
    /// The number of batches, and [`OPEN`].
    pub(super) state: u8,
    pub(super) batches: [PackedBatch; N],
}

/// A transaction is open.
pub(super) const OPEN: u8 = 0x80;

impl<const N: usize> Packed<N> {
    #[inline]
    pub(super) const fn is_open(&self) -> bool {
        self.state & OPEN != 0
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        usize::from(self.state & !OPEN)
    }

    #[inline]
    pub(super) const fn position_or_open(&self) -> u32 {
        u32::from_be_bytes(self.position_or_open)
    }
}

const EMPTY_BATCH: PackedBatch = PackedBatch {
    last_sequence: [0; 4],
    last_offset: [0; 6],
    offset_delta: [0; 4],
    timestamp: [0; 6],
};

/// The place of a producer's entry; valid until entries are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub(super) u32);

/// Producers by id, with up to `N` batches each.
#[derive(Debug, Clone)]
pub struct Table<const N: usize> {
    index: SlotIndex,
    pub(super) chunks: Vec<Vec<Packed<N>>>,
    count: u32,
    /// Numbers of more than 48 bits, by slot and field.
    aside: HashMap<(u32, u8), i64>,
    /// What entries have no room for while their transactions are open.
    pub(super) open: OpenSlots,
}

/// The field whose number lies aside; batches count on from here.
const FIELD_TIMESTAMP: u8 = 0;

impl<const N: usize> Default for Table<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Table<N> {
    /// No producers.
    #[must_use]
    pub fn new() -> Self {
        Self {
            index: SlotIndex::new(),
            chunks: Vec::new(),
            count: 0,
            aside: HashMap::new(),
            open: OpenSlots::default(),
        }
    }

    /// How many producers.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// There is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes allocated for entries and index; what lies aside does not count.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        let entries: usize = self.chunks.iter().map(Vec::capacity).sum();
        let slots = entries.saturating_mul(size_of::<Packed<N>>());
        let list = size_of::<Vec<Packed<N>>>().saturating_mul(self.chunks.capacity());
        let index = self.index.allocated_bytes();
        slots.saturating_add(list).saturating_add(index)
    }

    /// Where a producer is.
    #[must_use]
    #[inline]
    pub fn find(&self, id: ProducerId) -> Option<Slot> {
        let wanted = id.0.to_be_bytes();
        let is_in = |slot| {
            let packed = self.packed(slot);
            packed.is_some_and(|packed| packed.producer_id == wanted)
        };
        self.index.find(id.0.cast_unsigned(), is_in).map(Slot)
    }

    /// Where a producer most likely is; [`Table::holds`] tells for certain.
    #[inline]
    pub(super) fn likely(&self, id: ProducerId) -> Option<Slot> {
        self.index.likely(id.0.cast_unsigned()).map(Slot)
    }

    /// Reads of an entry what brings all of it into the cache.
    #[inline]
    pub(super) fn touch(&self, slot: Slot) -> u8 {
        self.packed(slot.0).map_or(0, |packed| {
            let [first, ..] = packed.producer_id;
            let last = packed.batches.last().map_or(0, |last| {
                let [.., last] = last.timestamp;
                last
            });
            first ^ last
        })
    }

    /// Whether the entry in a slot is of this producer.
    #[inline]
    pub(super) fn holds(&self, slot: Slot, id: ProducerId) -> bool {
        self.packed(slot.0)
            .is_some_and(|packed| packed.producer_id == id.0.to_be_bytes())
    }

    /// The entry of a producer.
    #[must_use]
    #[inline]
    pub fn get(&self, id: ProducerId) -> Option<Entry<N>> {
        self.find(id).and_then(|slot| self.at(slot))
    }

    /// The entry in a slot.
    #[must_use]
    #[inline]
    pub fn at(&self, slot: Slot) -> Option<Entry<N>> {
        self.packed(slot.0)
            .map(|packed| self.unpack(slot.0, packed))
    }

    /// All entries, in the order in which their producers came.
    pub fn iter(&self) -> impl Iterator<Item = Entry<N>> + '_ {
        (0..self.count).filter_map(|slot| self.at(Slot(slot)))
    }

    /// Puts an entry in the place of the one in `slot`, which must be of the same producer.
    #[inline]
    pub fn replace(&mut self, slot: Slot, entry: &Entry<N>) {
        let before = self.packed(slot.0).filter(|packed| packed.is_open());
        let open = before.map(Packed::position_or_open);
        let packed = self.pack(slot.0, entry, open);
        if let Some(place) = packed_in(&mut self.chunks, slot) {
            *place = packed;
        }
    }

    /// Puts an entry in the place of its producer's, or adds it.
    pub fn put(&mut self, entry: &Entry<N>) -> Slot {
        match self.find(entry.producer_id) {
            Some(slot) => {
                self.replace(slot, entry);
                slot
            }
            None => self.add(entry),
        }
    }

    /// Adds the entry of a producer that has none yet.
    pub fn add(&mut self, entry: &Entry<N>) -> Slot {
        let slot = self.count;
        let packed = self.pack(slot, entry, None);
        if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(packed);
        }
        self.count = self.count.saturating_add(1);
        let chunks = &self.chunks;
        let id_in = |slot| {
            let packed = packed_at(chunks, slot)?;
            Some(u64::from_be_bytes(packed.producer_id))
        };
        let id = entry.producer_id.0.cast_unsigned();
        self.index.add(slot, id, id_in);
        Slot(slot)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.index.clear();
        self.chunks.clear();
        self.count = 0;
        self.aside.clear();
        self.open.clear();
    }

    /// Keeps those entries that `keeps` says yes to, in their order.
    pub fn retain(&mut self, mut keeps: impl FnMut(&Entry<N>) -> bool) {
        let mut kept = Self::new();
        std::mem::take(self).consume(|entry| {
            if keeps(entry) {
                kept.add(entry);
            }
        });
        *self = kept;
    }

    /// Gives all entries, in their order, and their memory back a chunk at a time: what takes them
    /// in grows no faster than this shrinks.
    pub fn consume(mut self, mut visit: impl FnMut(&Entry<N>)) {
        self.index.release();
        let mut slot = 0_u32;
        for chunk in std::mem::take(&mut self.chunks) {
            for packed in &chunk {
                visit(&self.unpack(slot, packed));
                slot = slot.saturating_add(1);
            }
        }
    }

    #[inline]
    pub(super) fn packed(&self, slot: u32) -> Option<&Packed<N>> {
        packed_at(&self.chunks, slot)
    }

    #[inline]
    fn unpack(&self, slot: u32, packed: &Packed<N>) -> Entry<N> {
        let mut batches = Batches::EMPTY;
        let count = packed.count();
        for (field, batch) in (1_u8..).step_by(2).zip(packed.batches.iter().take(count)) {
            batches.push(BatchMetadata {
                last_sequence: Sequence(i32::from_be_bytes(batch.last_sequence)),
                last_offset: Offset(self.long(slot, field, batch.last_offset)),
                offset_delta: i32::from_be_bytes(batch.offset_delta),
                timestamp: Timestamp(self.long(slot, field.wrapping_add(1), batch.timestamp)),
            });
        }
        let own = packed.position_or_open();
        let (open, position) = match self.open.get(own).filter(|_| packed.is_open()) {
            Some(open) => (Some(Offset(open.first_offset)), open.last_position),
            None => (None, own),
        };
        Entry {
            producer_id: ProducerId(i64::from_be_bytes(packed.producer_id)),
            producer_epoch: ProducerEpoch(i16::from_be_bytes(packed.producer_epoch)),
            coordinator_epoch: CoordinatorEpoch(i32::from_be_bytes(packed.coordinator_epoch)),
            last_timestamp: Timestamp(self.long(slot, FIELD_TIMESTAMP, packed.last_timestamp)),
            current_txn_first_offset: open,
            batches,
            last_position: (position != NO_POSITION).then_some(position),
        }
    }

    /// Packs an entry for `slot`, whose transaction has had the place `open` so far.
    #[inline]
    fn pack(&mut self, slot: u32, entry: &Entry<N>, open: Option<u32>) -> Packed<N> {
        let position = entry.last_position.unwrap_or(NO_POSITION);
        let mut packed = Packed {
            producer_id: entry.producer_id.0.to_be_bytes(),
            producer_epoch: entry.producer_epoch.0.to_be_bytes(),
            coordinator_epoch: entry.coordinator_epoch.0.to_be_bytes(),
            last_timestamp: self.short(slot, FIELD_TIMESTAMP, entry.last_timestamp.0),
            position_or_open: position.to_be_bytes(),
            state: 0,
            batches: [EMPTY_BATCH; N],
        };
        let kept = entry.batches.as_slice();
        for ((field, batch), place) in (1_u8..).step_by(2).zip(kept).zip(&mut packed.batches) {
            *place = PackedBatch {
                last_sequence: batch.last_sequence.0.to_be_bytes(),
                last_offset: self.short(slot, field, batch.last_offset.0),
                offset_delta: batch.offset_delta.to_be_bytes(),
                timestamp: self.short(slot, field.wrapping_add(1), batch.timestamp.0),
            };
            packed.state = packed.state.saturating_add(1);
        }
        if let Some(first) = entry.current_txn_first_offset {
            let mut fresh = OpenSlot {
                first_offset: first.0,
                ticket: 0,
                last_position: position,
            };
            let number = match open.and_then(|number| Some((number, self.open.get_mut(number)?))) {
                Some((number, place)) => {
                    fresh.ticket = place.ticket;
                    *place = fresh;
                    number
                }
                None => self.open.take(fresh),
            };
            packed.position_or_open = number.to_be_bytes();
            packed.state |= OPEN;
        } else if let Some(number) = open {
            self.open.release(number);
        }
        packed
    }

    #[inline]
    fn long(&self, slot: u32, field: u8, short: Short) -> i64 {
        if short == ASIDE {
            return self.aside.get(&(slot, field)).copied().unwrap_or_default();
        }
        let [a, b, c, d, e, f] = short;
        // Two bytes too high, then down again with the sign.
        i64::from_be_bytes([a, b, c, d, e, f, 0, 0]) >> 16
    }

    #[inline]
    fn short(&mut self, slot: u32, field: u8, value: i64) -> Short {
        shortened(value).unwrap_or_else(|| {
            self.aside.insert((slot, field), value);
            ASIDE
        })
    }
}

#[inline]
fn packed_at<const N: usize>(chunks: &[Vec<Packed<N>>], slot: u32) -> Option<&Packed<N>> {
    let slot = to_usize(slot);
    chunks.get(slot / CHUNK)?.get(slot % CHUNK)
}

/// The entry in a slot, apart from what lies beside the table.
#[inline]
pub(super) fn packed_in<const N: usize>(
    chunks: &mut [Vec<Packed<N>>],
    slot: Slot,
) -> Option<&mut Packed<N>> {
    let slot = to_usize(slot.0);
    chunks.get_mut(slot / CHUNK)?.get_mut(slot % CHUNK)
}

/// A number in 48 bits, if it fits.
#[inline]
pub(super) fn shortened(value: i64) -> Option<Short> {
    let [_, _, short @ ..] = value.to_be_bytes();
    ((value << 16) >> 16 == value && short != ASIDE).then_some(short)
}

#[cfg(test)]
impl<const N: usize> Table<N> {
    /// The most index places that any search for an id in the table looks at.
    pub(super) fn longest_search(&self) -> u32 {
        let steps = (0..self.count).map(|slot| {
            let id = self.packed(slot).unwrap().producer_id;
            self.index.search(slot, u64::from_be_bytes(id))
        });
        steps.max().unwrap_or(0)
    }
}
