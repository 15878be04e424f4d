//! All who look for something while a log goes by.

use super::checker::{CheckedBatch, Checker, Found};
use super::ledger::Ledger;
use super::producers::Producers;
use crate::format::number::Offset;
use crate::format::txn_index::AbortedTxn;
use crate::state::event::Event;
use crate::state::replay::{Replay, Visitor};

/// Those who look, and where their findings go.
pub(super) struct Look<'p, 'c> {
    checkers: &'p mut [&'c mut dyn Checker],
    /// Of the segment that is read: who wants its batches.
    wants_batches: Vec<usize>,
    pub(super) producers: Producers,
    pub(super) ledger: Ledger<'p>,
}

impl<'p, 'c> Look<'p, 'c> {
    pub(super) fn new(
        checkers: &'p mut [&'c mut dyn Checker],
        producers: Producers,
        ledger: Ledger<'p>,
    ) -> Self {
        Self {
            checkers,
            wants_batches: Vec::new(),
            producers,
            ledger,
        }
    }

    /// Tells each checker.
    pub(super) fn each(&mut self, mut tell: impl FnMut(&mut dyn Checker, Found<'_>)) {
        let Self {
            checkers, ledger, ..
        } = self;
        for checker in checkers.iter_mut() {
            tell(*checker, &mut |finding| ledger.add(finding));
        }
    }

    /// A segment has begun, and each checker knows.
    pub(super) fn ask_for_batches(&mut self) {
        let wanting = self.checkers.iter().enumerate();
        let wanting = wanting.filter(|(_, checker)| checker.wants_batches());
        self.wants_batches = wanting.map(|(place, _)| place).collect();
    }

    /// Whether anybody wants to know of the batches of this segment.
    pub(super) const fn tells_batches(&self) -> bool {
        !self.wants_batches.is_empty()
    }

    /// Tells those who want to know of a batch.
    #[inline]
    pub(super) fn batch(&mut self, checked: &CheckedBatch<'_>) {
        let Self {
            checkers,
            ledger,
            wants_batches,
            ..
        } = self;
        for place in wants_batches.iter() {
            if let Some(checker) = checkers.get_mut(*place) {
                checker.batch(checked, &mut |finding| ledger.add(finding));
            }
        }
    }

    /// The least offset at which a checker wants the state.
    pub(super) fn wants_state_at(&self) -> Option<Offset> {
        let wanted = self.checkers.iter();
        wanted.filter_map(|checker| checker.wants_state_at()).min()
    }

    /// The next batch ends at `last` or the log ends there: tells the state to those who wanted it
    /// up to there.
    pub(super) fn state_at(&mut self, last: Offset, state: &Replay<1>) {
        self.each(|checker, found| {
            while let Some(wanted) = checker.wants_state_at().filter(|wanted| *wanted <= last) {
                checker.state_at(wanted, state, found);
                // One that asks for the same again would be told for ever.
                if checker.wants_state_at() == Some(wanted) {
                    break;
                }
            }
        });
    }
}

impl Visitor for Look<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        self.producers.event(event, &mut self.ledger);
    }

    fn aborted(&mut self, _: Offset, aborted: &AbortedTxn) {
        self.each(|checker, found| checker.aborted(aborted, found));
    }
}
