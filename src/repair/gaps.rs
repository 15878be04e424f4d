//! Holes between segments, where a whole segment may be lost.

use super::survey::Good;
use crate::format::number::Offset;

/// Holes between segments, and whether the log shows more of them, as compaction leaves them.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    found: Vec<Gap>,
    more: u64,
    is_thinned: bool,
    has_begun: bool,
}

#[derive(Debug)]
struct Gap {
    first: Offset,
    last: Offset,
    segment: String,
}

/// So many are told one by one.
const MOST: usize = 5;

impl Gaps {
    /// A batch stays where `end` was to come; whether its segment `holds` what was to come, and
    /// whether something in front of it is lost anyway.
    pub(super) fn batch(&mut self, end: Offset, good: &Good, holds: bool, name: &str, lost: bool) {
        let is_hole = self.has_begun && good.first > end && !lost;
        self.has_begun = true;
        let span = good.batch.last_offset.0.saturating_sub(good.first.0);
        let is_thin = u64::try_from(span).is_ok_and(|span| good.records <= span);
        self.is_thinned |= is_thin || is_hole && holds;
        if is_hole && !holds {
            if self.found.len() == MOST {
                self.more += 1;
                return;
            }
            self.found.push(Gap {
                first: end,
                last: good.first.plus(-1),
                segment: name.to_owned(),
            });
        }
    }

    /// What is said of them, unless compaction explains them or the log starts behind them.
    pub(super) fn told(&self, log_start: Offset) -> Vec<String> {
        if self.is_thinned {
            return Vec::new();
        }
        let found = self.found.iter().filter(|gap| gap.last >= log_start);
        let mut told: Vec<String> = found
            .map(|gap| {
                format!(
                    "offsets {} to {} are missing in front of {}, and nothing else in the log \
                     looks compacted: a segment may be lost. A broker takes such a log as it is, \
                     and this repair does not cut it",
                    gap.first, gap.last, gap.segment
                )
            })
            .collect();
        if self.more > 0 {
            told.push(format!("and {} more such holes", self.more));
        }
        told
    }
}
