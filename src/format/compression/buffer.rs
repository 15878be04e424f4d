//! Decompressed bytes on their way to the reader: one allocation, used again and again.

/// A buffer of up to so many bytes stays for the next batch; a larger one goes with its own.
pub(super) const KEPT: usize = 8 << 20;

/// Bytes that wait to be read, with room behind them for more.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// Initialised once; only `start..end` means anything.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// The bytes that wait.
    pub(super) fn waiting(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Drops `count` of the waiting bytes, or all when there are fewer.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.start == self.end {
            self.clear();
        }
    }

    /// Drops what waits.
    pub(super) fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
    }

    /// Forgets the last batch, and its memory too when that was unusually much.
    pub(super) fn reset(&mut self) {
        self.clear();
        if self.bytes.len() > KEPT {
            self.bytes = Vec::new();
        }
    }

    /// Exactly `room` bytes behind the waiting ones, to be written and then [`Self::wrote`].
    pub(super) fn spare(&mut self, room: usize) -> &mut [u8] {
        let until = self.end.saturating_add(room);
        if self.bytes.len() < until {
            // Exactly, because doubling would waste up to a whole block.
            self.bytes
                .reserve_exact(until.saturating_sub(self.bytes.len()));
            self.bytes.resize(until, 0);
        }
        self.bytes.get_mut(self.end..until).unwrap_or_default()
    }

    /// Lets the first `count` bytes of the spare room wait.
    pub(super) fn wrote(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.bytes.len());
    }

    /// Bytes of memory held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity()
    }
}
