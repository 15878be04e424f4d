//! Finds numbered things by id: the index of a table whose entries lie elsewhere.
//!
//! A power of two of `u32`, at most 7/8 full: | tag | slot |, all ones for none. A place is found
//! by the low bits of a keyed hash; as many of the other bits as there is room for stand beside
//! the slot's number, so that an entry is rarely looked at in vain.

use crate::format::number::to_usize;
use crate::state::hash::Mixer;

/// No slot.
const NONE: u32 = u32::MAX;
/// The least size of the index.
const SMALLEST: u32 = 16;

/// The slots of entries by their ids. Slots are numbers from 0 on, in the order of their entering.
#[derive(Debug, Clone)]
pub(crate) struct SlotIndex {
    mixer: Mixer,
    places: Vec<u32>,
}

impl SlotIndex {
    /// Nothing in it.
    pub(crate) fn new() -> Self {
        Self {
            mixer: Mixer::new(),
            places: Vec::new(),
        }
    }

    /// Where an id is, as `is_in` says of a slot.
    #[inline]
    pub(crate) fn find(&self, id: u64, is_in: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.mask()?;
        let hash = self.mixer.mix(id);
        let tag = tag_of(hash, mask);
        let mut at = low_half(hash) & mask;
        loop {
            let found = *self.places.get(to_usize(at))?;
            if found == NONE {
                return None;
            }
            let slot = found & mask;
            if found & !mask == tag && is_in(slot) {
                return Some(slot);
            }
            at = at.wrapping_add(1) & mask;
        }
    }

    /// The slot in which an id is if it is in any, but for one search in many in which it is
    /// another one's. The entry is not looked at, so that many such searches wait for memory
    /// together.
    #[inline]
    pub(crate) fn likely(&self, id: u64) -> Option<u32> {
        self.find(id, |_| true)
    }

    /// Enters an id that is not there, in the slot behind the last one; `ids` gives those that are
    /// there, by their slots from 0 on.
    pub(crate) fn add(&mut self, slot: u32, id: u64, ids: impl Fn(u32) -> Option<u64>) {
        // Seven eighths of the index at most, so that a search ends soon.
        let room = (self.places.len() >> 3).saturating_mul(7);
        if to_usize(slot) >= room {
            self.grow(slot, ids);
        }
        self.enter(slot, id);
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
    }

    /// Gives the memory back.
    pub(crate) fn release(&mut self) {
        self.places = Vec::new();
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.places.capacity().saturating_mul(size_of::<u32>())
    }

    /// The highest slot number that fits, and what is not tag; `None` without an index.
    #[inline]
    fn mask(&self) -> Option<u32> {
        u32::try_from(self.places.len().checked_sub(1)?).ok()
    }

    /// Doubles the index.
    #[cold]
    fn grow(&mut self, count: u32, ids: impl Fn(u32) -> Option<u64>) {
        let size = self.places.len().saturating_mul(2).max(to_usize(SMALLEST));
        self.places = vec![NONE; size];
        for slot in 0..count {
            if let Some(id) = ids(slot) {
                self.enter(slot, id);
            }
        }
    }

    /// Writes a slot into the index, which has room.
    fn enter(&mut self, slot: u32, id: u64) {
        let Some(mask) = self.mask() else {
            return;
        };
        let hash = self.mixer.mix(id);
        let mut at = low_half(hash) & mask;
        while let Some(place) = self.places.get_mut(to_usize(at)) {
            if *place == NONE {
                *place = tag_of(hash, mask) | slot;
                return;
            }
            at = at.wrapping_add(1) & mask;
        }
    }
}

/// The bits of a hash that stand beside the slot.
#[inline]
const fn tag_of(hash: u64, mask: u32) -> u32 {
    high_half(hash) & !mask
}

#[inline]
const fn low_half(hash: u64) -> u32 {
    let [_, _, _, _, a, b, c, d] = hash.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[inline]
const fn high_half(hash: u64) -> u32 {
    let [a, b, c, d, ..] = hash.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
impl SlotIndex {
    /// How many places the search for an id looks at that is in this slot.
    pub(super) fn search(&self, slot: u32, id: u64) -> u32 {
        let mask = self.mask().unwrap();
        let from = low_half(self.mixer.mix(id)) & mask;
        let holds = |at: u32| self.places[to_usize(at)] & mask == slot;
        let found = (0..=mask).find(|step| holds(from.wrapping_add(*step) & mask));
        found.unwrap() + 1
    }
}
