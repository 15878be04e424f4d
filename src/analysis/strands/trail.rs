//! What is kept of one id in one section, and what its next batch means.

use super::evidence::{Evidence, Excuse, Sign};
use super::seen::{Recent, Seen};
use super::strand::{Relation, Strand};
use crate::format::number::{CoordinatorEpoch, LeaderEpoch, Offset};
use crate::state::batch::Marker;

/// So many strands of one id are kept besides the one at hand.
const MOST_STRANDS: usize = 8;
/// So much evidence is kept of one id; beyond, only signs of a kind that is not there yet.
const MOST_EVIDENCE: usize = 12;

/// What is known of the log around a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    /// After how many milliseconds of silence a broker forgets an id.
    pub(super) expiration_ms: i64,
    /// Where the log starts by its checkpoint.
    pub(super) log_start: Option<Offset>,
    /// The offset behind the last hole between batches.
    pub(super) behind_hole: Option<Offset>,
    /// The section is there from its beginning.
    pub(super) is_whole: bool,
    /// Sequences mean something.
    pub(super) has_sequences: bool,
}

/// The batches of one id. The order of its parts is that of memory: what each batch changes lies
/// together, and takes three lines of a cache with the id.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Trail {
    recent: Recent,
    /// The strand that opened the transaction that is open.
    opener: Option<u16>,
    coordinator_epoch: CoordinatorEpoch,
    case: Option<Box<Case>>,
    strand: Strand,
}

/// An id that shows more than one strand.
#[derive(Debug)]
pub(super) struct Case {
    /// Strands other than the one at hand, the longest silent first.
    pub(super) resting: Vec<Strand>,
    /// How many strands there were.
    pub(super) strands: u16,
    /// The signs, at least one of each kind.
    pub(super) evidence: Vec<Evidence>,
    /// How many there were.
    pub(super) signs: u64,
    /// What was taken for a batch in the wrong place when the strand at hand began.
    doubted: Option<(Sign, Seen)>,
}

impl Trail {
    pub(super) fn new(seen: &Seen) -> Self {
        let mut trail = Self {
            strand: Strand::new(0, seen),
            recent: Recent::default(),
            opener: None,
            coordinator_epoch: CoordinatorEpoch(-1),
            case: None,
        };
        if !seen.is_control {
            trail.recent.add(seen, false);
            trail.open(seen);
        }
        trail
    }

    /// Reads what the next batch will be compared with, so that it is at hand then.
    #[inline]
    pub(super) fn touch(&self) -> i64 {
        let last = self.strand.end.0 ^ self.strand.last.base_offset.0;
        last ^ i64::from(self.recent.count()) ^ i64::from(self.coordinator_epoch.0)
    }

    #[inline]
    fn open(&mut self, seen: &Seen) {
        if seen.is_transactional {
            self.opener.get_or_insert(self.strand.number);
        }
    }

    /// Takes data in.
    #[inline]
    pub(super) fn data(&mut self, seen: &Seen, scene: &Scene) {
        let strand = &mut self.strand;
        let is_usual = scene.has_sequences
            && seen.base_sequence.0 >= 0
            && strand.is_continued_by(seen)
            && strand.last.is_transactional == seen.is_transactional
            && (self.opener.is_none() || seen.is_transactional)
            && self.case.is_none();
        if is_usual {
            strand.extend(seen);
            self.recent.add(seen, true);
            self.open(seen);
        } else {
            self.any_data(seen, scene);
        }
    }

    /// As [`Trail::data`], of any batch.
    fn any_data(&mut self, seen: &Seen, scene: &Scene) {
        let has_sequence = scene.has_sequences && seen.base_sequence.0 >= 0;
        let relation = self.strand.relation(seen, has_sequence);
        if relation != Relation::Next && has_sequence && self.recent.holds(seen) {
            // The same batch once more: a retry that a forgetful broker took, no other writer.
            return;
        }
        if self.opener.is_some() && !seen.is_transactional {
            let excuse = (relation == Relation::Next).then_some(Excuse::Continued);
            self.add(Sign::PlainInTransaction, self.strand.last, seen, excuse);
        } else if self.strand.last.is_transactional != seen.is_transactional {
            self.add(Sign::KindChange, self.strand.last, seen, None);
        }
        let follows = relation == Relation::Next && self.strand.is_continued_by(seen);
        match relation {
            Relation::Next => {
                self.strand.extend(seen);
                self.doubt(seen);
            }
            _ => self.turn(relation, seen, scene),
        }
        self.recent.add(seen, follows);
        self.open(seen);
    }

    /// Takes data in that does not continue the strand at hand.
    fn turn(&mut self, relation: Relation, seen: &Seen, scene: &Scene) {
        let resumed = self.take_resumed(seen);
        if resumed.is_none() && self.is_cut(relation, scene) {
            self.strand.extend(seen);
            return;
        }
        let (sign, excuse) = match relation {
            Relation::EpochBack => (Sign::EpochBack, self.excuse(seen, scene)),
            Relation::Restart => (Sign::SequenceRestart, self.excuse(seen, scene)),
            Relation::Back => (Sign::SequenceBack, self.excuse(seen, scene)),
            Relation::NotAtZero => (Sign::NotAtZero, None),
            Relation::Gap | Relation::Next => (Sign::SequenceGap, None),
        };
        let before = self.strand.last;
        self.add(sign, before, seen, excuse);
        self.compare_leader_epochs(&before, seen);
        if let Some(strand) = &resumed {
            self.add(Sign::Resumed, strand.last, seen, excuse);
        }
        let case = self.case();
        let mut next = resumed.unwrap_or_else(|| {
            let number = case.strands;
            case.strands = number.saturating_add(1);
            Strand::new(number, seen)
        });
        if case.resting.len() == MOST_STRANDS {
            case.resting.remove(0);
        }
        if resumed.is_some() {
            next.extend(seen);
        }
        let is_misplaced = excuse == Some(Excuse::Misplaced);
        case.doubted = is_misplaced.then_some((sign, before));
        let left = std::mem::replace(&mut self.strand, next);
        self.case().resting.push(left);
    }

    /// A strand that seemed to be misplaced goes on: does it still fit the others?
    fn doubt(&mut self, seen: &Seen) {
        if let Some(case) = &mut self.case
            && let Some((sign, before)) = case.doubted
            && !case.resting.iter().all(|strand| strand.has_room_for(seen))
        {
            case.doubted = None;
            self.add(sign, before, seen, None);
        }
    }

    /// The strand that this batch goes on with, if it is not the one at hand.
    fn take_resumed(&mut self, seen: &Seen) -> Option<Strand> {
        let case = self.case.as_mut()?;
        let mut resting = case.resting.iter();
        let place = resting.rposition(|strand| strand.is_continued_by(seen))?;
        Some(case.resting.remove(place))
    }

    /// Whether batches that should lie in front are gone: a cleaner took them, or the log begins
    /// behind them.
    fn is_cut(&self, relation: Relation, scene: &Scene) -> bool {
        let has_hole = scene.behind_hole.is_some_and(|at| at >= self.strand.end);
        match relation {
            Relation::Gap => has_hole,
            Relation::NotAtZero => has_hole || self.strand.is_bare() && !scene.is_whole,
            _ => false,
        }
    }

    fn excuse(&self, seen: &Seen, scene: &Scene) -> Option<Excuse> {
        let (now, then) = (seen.first_timestamp.0, self.strand.last_time.0);
        let silence = now.saturating_sub(then);
        // Whose transaction is open is not forgotten.
        if silence >= scene.expiration_ms && then >= 0 && self.opener.is_none() {
            return Some(Excuse::Silence(silence));
        }
        if scene
            .log_start
            .is_some_and(|start| self.strand.end <= start)
        {
            return Some(Excuse::BelowLogStart);
        }
        let is_other = self.strand.spans(seen)
            && self.recent.reaches(seen.base_sequence, self.strand.next)
            && !self.recent.holds(seen);
        let mut strands = self.resting().iter().chain([&self.strand]);
        let is_misplaced = !is_other && strands.all(|strand| strand.has_room_for(seen));
        is_misplaced.then_some(Excuse::Misplaced)
    }

    fn compare_leader_epochs(&mut self, before: &Seen, seen: &Seen) {
        let (old, new) = (before.partition_leader_epoch, seen.partition_leader_epoch);
        if old > LeaderEpoch(-1) && new > old {
            self.add(Sign::LeaderEpochRise, *before, seen, None);
        } else if new > LeaderEpoch(-1) && new < old {
            self.add(Sign::LeaderEpochFall, *before, seen, None);
        }
    }

    /// Takes a marker in.
    pub(super) fn marker(&mut self, seen: &Seen, marker: Marker, scene: &Scene) {
        let before = self.strand.last;
        if seen.producer_epoch < self.strand.epoch {
            let sign = match marker.is_abort {
                true => Sign::AbortEpochBack,
                false => Sign::CommitEpochBack,
            };
            let excuse = self.excuse(seen, scene);
            self.add(sign, before, seen, excuse);
        } else {
            self.strand.mark(seen);
        }
        if marker.coordinator_epoch < self.coordinator_epoch {
            self.add(Sign::CoordinatorEpochBack, before, seen, None);
        }
        self.coordinator_epoch = marker.coordinator_epoch;
        match self.opener.take() {
            Some(opener) if opener != self.strand.number => {
                self.add(Sign::ForeignMarker, before, seen, None);
            }
            None if self.case.is_some() => self.add(Sign::EmptyMarker, before, seen, None),
            _ => {}
        }
    }

    fn case(&mut self) -> &mut Case {
        self.case.get_or_insert_with(|| {
            Box::new(Case {
                resting: Vec::new(),
                strands: 1,
                evidence: Vec::new(),
                signs: 0,
                doubted: None,
            })
        })
    }

    fn add(&mut self, sign: Sign, earlier: Seen, later: &Seen, excuse: Option<Excuse>) {
        let case = self.case();
        case.signs = case.signs.saturating_add(1);
        let is_known =
            |one: &Evidence| one.sign == sign && (one.excuse.is_none() || excuse.is_some());
        if case.evidence.len() < MOST_EVIDENCE || !case.evidence.iter().any(is_known) {
            case.evidence.push(Evidence {
                sign,
                excuse,
                earlier,
                later: *later,
            });
        }
    }

    fn resting(&self) -> &[Strand] {
        self.case.as_ref().map_or(&[], |case| &case.resting)
    }

    /// The strand at hand, and what speaks for more than one.
    pub(super) fn into_case(self) -> Option<(Strand, Box<Case>)> {
        self.case.map(|case| (self.strand, case))
    }
}
