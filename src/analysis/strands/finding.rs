//! A producer id that two writers seem to share.

use super::evidence::{Evidence, Grade, confidence, grade};
use super::strand::Strand;
use super::trail::Trail;
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_id_mapping::Reading;

/// How many ids a controller hands to a broker at a time
/// (`ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE`).
const BLOCK: i64 = 1000;

/// A stretch of the log in which one id is one writer: between two barriers, or the log's ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// The offset of its first batch.
    pub first_offset: Offset,
    /// The offset behind its last batch.
    pub end_offset: Offset,
    /// A barrier lies in front.
    pub begins_with_barrier: bool,
    /// A barrier ends it.
    pub ends_with_barrier: bool,
}

/// An id with more than one strand.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Whose.
    pub producer_id: ProducerId,
    /// Where.
    pub section: Section,
    /// The strands, as they began; at most nine.
    pub strands: Vec<Strand>,
    /// How many strands there are.
    pub strand_count: u16,
    /// What speaks for it, in the order of the log: each kind once at least, a dozen or so.
    pub evidence: Vec<Evidence>,
    /// How many signs there are.
    pub sign_count: u64,
    /// How sure it is.
    pub grade: Grade,
    /// The same as a number, 0 to 1, two digits; no probability that was measured in the field.
    pub confidence: f64,
    /// So many more ids of the same block of a controller have a finding in this section.
    pub companions: usize,
}

impl Finding {
    /// Judges what is known of an id; `None` where nothing stands by itself.
    pub(super) fn of(producer_id: ProducerId, section: Section, trail: Trail) -> Option<Self> {
        let (last, case) = trail.into_case()?;
        let grade = grade(&case.evidence)?;
        let mut strands = case.resting;
        strands.push(last);
        strands.sort_by_key(|strand| strand.number);
        Some(Self {
            producer_id,
            section,
            strands,
            strand_count: case.strands,
            confidence: confidence(&case.evidence, 0),
            grade,
            evidence: case.evidence,
            sign_count: case.signs,
            companions: 0,
        })
    }

    /// The batch that showed it first.
    #[must_use]
    pub fn offset(&self) -> Offset {
        let first = self.evidence.first();
        first.map_or(self.section.first_offset, |one| one.later.base_offset)
    }

    /// Everything that the id can be.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        Reading::all_of(self.producer_id)
    }

    /// What would decide, each once. Empty when nothing is open.
    #[must_use]
    pub fn deciders(&self) -> Vec<&'static str> {
        let mut deciders = Vec::new();
        if self.grade == Grade::Certain {
            return deciders;
        }
        for one in &self.evidence {
            if one.sign.grade(one.excuse.is_some()).is_none() {
                continue;
            }
            let decider = match one.excuse {
                Some(excuse) => excuse.decider(),
                None => one.sign.decider(),
            };
            if !deciders.contains(&decider) {
                deciders.push(decider);
            }
        }
        deciders
    }

    /// Counts the findings of one section that stand beside each other in a block of ids: where a
    /// controller gave out a block that another had given out, several ids show it.
    pub(super) fn count_companions(findings: &mut [Self]) {
        let blocks: Vec<_> = findings.iter().map(Self::block).collect();
        for (place, finding) in findings.iter_mut().enumerate() {
            let own = blocks.get(place);
            let same = blocks.iter().filter(|block| Some(*block) == own).count();
            finding.companions = same.saturating_sub(1);
            finding.confidence = confidence(&finding.evidence, finding.companions);
        }
    }

    /// The block of the id where it was given out, as far as its value tells.
    fn block(&self) -> (u64, i64) {
        const LOW_BITS: i64 = 0x7fff_ffff;
        let id = self.producer_id.0;
        match self.producer_id.origin() {
            "bit-field" => (id.cast_unsigned() >> 31, (id & LOW_BITS) / BLOCK),
            "negated" => (1, -(id + 2) / BLOCK),
            _ => (0, id / BLOCK),
        }
    }
}
