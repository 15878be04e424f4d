//! The binary search of Kafka's index files, step for step (`AbstractIndex.indexSlotRangeFor`).
//!
//! In an index whose entries rise, any binary search finds the same entry. An index that was not
//! trimmed ends in zero entries, and what a broker finds there depends on the steps: the search
//! begins in the "warm" last 8 KiB. Only the same steps give the same answers.

/// Bytes at the end of an index that the search tries first.
const WARM_BYTES: u64 = 8192;

/// The number of the last entry whose key is at most `target`, or `None` when all are above it
/// (or there are none). `key` gives the key of an entry below `entries`.
pub(super) fn largest_lower_bound<E>(
    entries: u64,
    entry_size: u64,
    target: i64,
    key: &mut impl FnMut(u64) -> Result<Option<i64>, E>,
) -> Result<Option<u64>, E> {
    let Some(last) = entries.checked_sub(1) else {
        return Ok(None);
    };
    let warm = WARM_BYTES.checked_div(entry_size).unwrap_or(0);
    let first_warm = last.saturating_sub(warm);
    if key(first_warm)?.is_some_and(|key| key < target) {
        return bisect(first_warm, last, target, key);
    }
    if key(0)?.is_none_or(|key| key > target) {
        return Ok(None);
    }
    bisect(0, first_warm, target, key)
}

fn bisect<E>(
    mut low: u64,
    mut high: u64,
    target: i64,
    key: &mut impl FnMut(u64) -> Result<Option<i64>, E>,
) -> Result<Option<u64>, E> {
    while low < high {
        // The upper middle, so that `low = middle` always gets on.
        let middle = low.midpoint(high.saturating_add(1));
        let Some(found) = key(middle)? else {
            return Ok(None);
        };
        if found > target {
            high = middle.saturating_sub(1);
        } else if found < target {
            low = middle;
        } else {
            return Ok(Some(middle));
        }
    }
    Ok(Some(low))
}
