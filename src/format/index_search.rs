//! The binary search of Kafka's index files, step for step (`AbstractIndex.indexSlotRangeFor`).
//!
//! In an index whose entries rise, any binary search finds the same entry. An index that was not
//! trimmed ends in zero entries, and what a broker finds there depends on the steps: the search
//! begins in the "warm" last 8 KiB. Only the same steps give the same answers.

/// Bytes at the end of an index that the search tries first.
const WARM_BYTES: usize = 8192;

/// The number of the last entry whose key is at most `target`, or `None` when all are above it
/// (or there are none). `key` gives the key of an entry below `entries`.
pub(super) fn largest_lower_bound(
    entries: usize,
    entry_size: usize,
    target: i64,
    key: impl Fn(usize) -> Option<i64>,
) -> Option<usize> {
    let last = entries.checked_sub(1)?;
    let first_warm = last.saturating_sub(WARM_BYTES.checked_div(entry_size)?);
    if key(first_warm)? < target {
        return bisect(first_warm, last, target, key);
    }
    if key(0)? > target {
        return None;
    }
    bisect(0, first_warm, target, key)
}

fn bisect(
    mut low: usize,
    mut high: usize,
    target: i64,
    key: impl Fn(usize) -> Option<i64>,
) -> Option<usize> {
    while low < high {
        // The upper middle, so that `low = middle` always gets on.
        let middle = low.midpoint(high.saturating_add(1));
        let found = key(middle)?;
        if found > target {
            high = middle.saturating_sub(1);
        } else if found < target {
            low = middle;
        } else {
            return Some(middle);
        }
    }
    Some(low)
}
