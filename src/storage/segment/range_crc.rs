//! The checksum of any range of a file, in time that does not grow with the range.
//!
//! The search for the next good batch may have to weigh millions of candidates whose lengths reach
//! far ahead. Checksumming each would take time quadratic in the file; instead the checksums of
//! prefixes are kept once, at even steps, and a range's checksum follows from two of them.

use crate::format::crc::{Kind, Shift};
use crate::storage::source::{ReadError, Window};

/// Ranges up to this many bytes are always checksummed as they stand.
const SHORT: u64 = 4096;
/// Longer ranges are checksummed as they stand until this many bytes, and twice the bytes walked,
/// have been spent on it: a file with little damage never pays for the prefixes.
const FREE: u64 = 1 << 20;
/// Prefix checksums to keep at most; the step grows with the file instead.
const MOST_PREFIXES: u64 = 1 << 21;
const LEAST_STEP: u64 = 256;
/// Bytes read at a time.
const PIECE: usize = 256 << 10;

/// Checksums of ranges of one file, of one kind.
#[derive(Debug)]
pub(super) struct RangeCrc {
    kind: Kind,
    spent: u64,
    prefixes: Option<Prefixes>,
}

#[derive(Debug)]
struct Prefixes {
    base: u64,
    step: u64,
    /// `sums[i]` is the checksum of the `i * step` bytes from `base` on.
    sums: Vec<u32>,
    shift: Shift,
}

impl RangeCrc {
    pub(super) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            spent: 0,
            prefixes: None,
        }
    }

    /// The checksum of the bytes from `from` to `to`, both inside the file.
    ///
    /// `walked` is where the walk stands: no later call asks for a range that begins before it.
    pub(super) fn of(
        &mut self,
        window: &mut Window<'_>,
        walked: u64,
        from: u64,
        to: u64,
    ) -> Result<u32, ReadError> {
        let size = to.saturating_sub(from);
        let spent = self.spent.saturating_add(size);
        if size <= SHORT || spent <= FREE.saturating_add(walked.saturating_mul(2)) {
            self.spent = if size <= SHORT { self.spent } else { spent };
            return plain(self.kind, window, from, to);
        }
        let length = window.source().len();
        let prefixes = self
            .prefixes
            .get_or_insert_with(|| Prefixes::new(self.kind, walked, length));
        let upper = prefixes.up_to(self.kind, window, to)?;
        let lower = prefixes.up_to(self.kind, window, from)?;
        Ok(upper ^ prefixes.shift.apply(lower, size))
    }
}

impl Prefixes {
    fn new(kind: Kind, base: u64, length: u64) -> Self {
        let step = length
            .div_ceil(MOST_PREFIXES)
            .next_power_of_two()
            .max(LEAST_STEP);
        Self {
            base,
            step,
            sums: vec![0],
            shift: Shift::new(kind),
        }
    }

    /// The checksum of the bytes from `base` to `to`.
    fn up_to(&mut self, kind: Kind, window: &mut Window<'_>, to: u64) -> Result<u32, ReadError> {
        let distance = to.saturating_sub(self.base);
        let index = usize::try_from(distance.checked_div(self.step).unwrap_or(0));
        let index = index.unwrap_or(usize::MAX);
        self.extend(kind, window, index)?;
        let sum = self.sums.get(index).copied().unwrap_or_default();
        let rest = distance.checked_rem(self.step).unwrap_or(0);
        let size = usize::try_from(rest).unwrap_or(usize::MAX);
        let tail = kind.of(window.peek(to.saturating_sub(rest), size)?);
        Ok(self.shift.apply(sum, rest) ^ tail)
    }

    fn extend(
        &mut self,
        kind: Kind,
        window: &mut Window<'_>,
        index: usize,
    ) -> Result<(), ReadError> {
        while self.sums.len() <= index {
            let steps = u64::try_from(self.sums.len())
                .unwrap_or(u64::MAX)
                .saturating_sub(1);
            let from = self.base.saturating_add(steps.saturating_mul(self.step));
            let next = plain(kind, window, from, from.saturating_add(self.step))?;
            let last = self.sums.last().copied().unwrap_or_default();
            self.sums.push(self.shift.apply(last, self.step) ^ next);
        }
        Ok(())
    }
}

/// Checksums a range by reading all of it.
fn plain(kind: Kind, window: &mut Window<'_>, from: u64, to: u64) -> Result<u32, ReadError> {
    let size = to.saturating_sub(from);
    if size <= SHORT {
        let size = usize::try_from(size).unwrap_or_default();
        return Ok(kind.of(window.bytes(from, size)?));
    }
    let mut running = crate::format::crc::Running::new(kind);
    let mut position = from;
    while position < to {
        let left = usize::try_from(to.saturating_sub(position)).unwrap_or(PIECE);
        let bytes = window.bytes(position, left.min(PIECE))?;
        if bytes.is_empty() {
            break;
        }
        running.update(bytes);
        position = position.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
    Ok(running.value())
}
