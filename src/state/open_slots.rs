//! What lies beside a table of producers for those whose transaction is open.

/// What an entry has no room for while its transaction is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenSlot {
    /// The transaction's first offset.
    pub(super) first_offset: i64,
    /// Where the manager's list has it, to be found again at once; see
    /// [`Ongoing`](super::ongoing::Ongoing).
    pub(super) ticket: u64,
    /// The entry's last position, whose bytes in the entry hold the number of this slot.
    pub(super) last_position: u32,
}

/// Slots by number; those that are given back are used again.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenSlots {
    slots: Vec<OpenSlot>,
    free: Vec<u32>,
}

impl OpenSlots {
    /// Puts `slot` into a free place; there are at most as many as producers, which 32 bits count.
    #[inline]
    pub(super) fn take(&mut self, slot: OpenSlot) -> u32 {
        if let Some(number) = self.free.pop() {
            if let Some(place) = self.get_mut(number) {
                *place = slot;
            }
            return number;
        }
        let number = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(slot);
        number
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&OpenSlot> {
        self.slots.get(usize::try_from(number).ok()?)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut OpenSlot> {
        self.slots.get_mut(usize::try_from(number).ok()?)
    }

    /// Gives a place back.
    #[inline]
    pub(super) fn release(&mut self, number: u32) {
        self.free.push(number);
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }
}
