//! What became of the partitions of a repair, for people who gave a whole log directory.

use kfsck::repair::plan::Plan;

/// How many partitions came to what.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) asked: usize,
    to_do: usize,
    nothing_to_do: usize,
}

impl Tally {
    /// Takes in a plan that was shown or carried out.
    pub(super) fn count(&mut self, plan: &Plan) {
        match plan.is_empty() {
            true => self.nothing_to_do += 1,
            false => self.to_do += 1,
        }
    }

    /// One line.
    pub(super) fn line(&self, is_dry: bool) -> String {
        let Self {
            asked,
            to_do,
            nothing_to_do,
        } = self;
        let done = if is_dry {
            "with something to do"
        } else {
            "repaired"
        };
        let mut line =
            format!("\n{asked} partitions: {to_do} {done}, {nothing_to_do} with nothing to do");
        let refused = asked.saturating_sub(to_do.saturating_add(*nothing_to_do));
        if refused > 0 {
            line += &format!(", {refused} refused or broken off (named on stderr)");
        }
        line + "\n"
    }
}
