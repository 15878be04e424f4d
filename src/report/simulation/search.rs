//! What searches found: random scenarios, and all schedules of small models.

use super::json::list;
use super::step_words;
use crate::report::json::{Object, WideIntegers};
use crate::report::measure::count;
use crate::report::paragraph::wrap;
use crate::report::table::{Align, Table};
use crate::simulate::explore::{Exhausted, Explored};
use crate::simulate::run::How;
use crate::simulate::scenario::{self, Scenario};

/// What searches found of several designs.
#[derive(Debug, Default)]
pub struct Searched {
    /// Random scenarios, by design.
    pub explored: Vec<Explored>,
    /// Schedules of models, by design and model.
    pub exhausted: Vec<Exhausted>,
}

impl Searched {
    /// Whether there was any harm.
    #[must_use]
    pub fn found_harm(&self) -> bool {
        self.explored.iter().any(|one| one.harmful > 0)
            || self.exhausted.iter().any(|one| one.shortest.is_some())
    }

    /// The smallest scenarios, each with how it runs.
    pub fn smallest(&self) -> impl Iterator<Item = (&Scenario, How)> {
        let explored = self.explored.iter().flat_map(|one| {
            one.found.values().map(|found| {
                let how = How {
                    seed: found.seed,
                    ..one.how
                };
                (&found.smallest, how)
            })
        });
        let exhausted = self
            .exhausted
            .iter()
            .filter_map(|one| one.shortest.as_ref().map(|shortest| (shortest, one.how)));
        explored.chain(exhausted)
    }

    /// A table of the designs; of one design alone the smallest scenarios as well.
    #[must_use]
    pub fn text(&self, is_one_design: bool) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(first) = self.explored.first() {
            self.explored_table(first, &mut out);
        }
        if !self.explored.is_empty() && !self.exhausted.is_empty() {
            out.push(b'\n');
        }
        if !self.exhausted.is_empty() {
            self.exhausted_table(&mut out);
        }
        if !self.found_harm() {
            return out;
        }
        if !is_one_design {
            let hint =
                "\nThe smallest scenario of each harm: add --strategy NAME and --rules NAME.\n";
            out.extend_from_slice(hint.as_bytes());
            return out;
        }
        for (scenario, how) in self.smallest() {
            let replay = format!(
                "\nsave as {0}.json and run: kfsck simulate-chain {0}.json --strategy {1} \
                 --rules {2} --seed {3} --trace\n",
                scenario.name,
                how.strategy.name(),
                how.rules.name(),
                how.seed
            );
            let mut text = String::new();
            wrap(replay.trim(), 0, 2, &mut text);
            out.push(b'\n');
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(scenario::write(scenario).as_bytes());
        }
        out
    }

    fn explored_table(&self, first: &Explored, out: &mut Vec<u8>) {
        let last = first.how.seed.wrapping_add(first.runs.saturating_sub(1));
        let head = format!(
            "{} of each design, seeds {} to {last}\n\n",
            count(first.runs, "random scenario"),
            first.how.seed
        );
        out.extend_from_slice(head.as_bytes());
        let mut table = Table::new(&[
            ("strategy", Align::Left),
            ("rules", Align::Left),
            ("harm", Align::Right),
            ("seed", Align::Right),
            ("kind", Align::Left),
            ("in runs", Align::Right),
        ]);
        for explored in &self.explored {
            let (strategy, rules) = (explored.how.strategy.name(), explored.how.rules.name());
            let mut design = [
                strategy.to_owned(),
                rules.to_owned(),
                explored.harmful.to_string(),
            ];
            if explored.found.is_empty() {
                let none = ["".to_owned(), "none".to_owned(), "".to_owned()];
                table.row(design.iter().cloned().chain(none));
            }
            for (kind, found) in &explored.found {
                let harm = [
                    found.seed.to_string(),
                    kind.name().to_owned(),
                    found.runs.to_string(),
                ];
                table.row(std::mem::take(&mut design).into_iter().chain(harm));
            }
        }
        table.write(out);
    }

    fn exhausted_table(&self, out: &mut Vec<u8>) {
        let depth = self
            .exhausted
            .iter()
            .map(|one| one.depth)
            .max()
            .unwrap_or(0);
        let depth = u64::try_from(depth).unwrap_or(u64::MAX);
        let head = format!("every schedule of up to {}\n\n", count(depth, "step"));
        out.extend_from_slice(head.as_bytes());
        let mut table = Table::new(&[
            ("model", Align::Left),
            ("strategy", Align::Left),
            ("rules", Align::Left),
            ("schedules", Align::Right),
            ("", Align::Left),
        ]);
        for one in &self.exhausted {
            let verdict = match &one.shortest {
                Some(shortest) => {
                    let steps = u64::try_from(shortest.steps.len()).unwrap_or(u64::MAX);
                    format!("harm in {}", count(steps, "step"))
                }
                None if one.is_cut_short => "no harm; not all were tried".to_owned(),
                None => "no harm in all".to_owned(),
            };
            table.row([
                one.model.clone(),
                one.how.strategy.name().to_owned(),
                one.how.rules.name().to_owned(),
                one.schedules.to_string(),
                verdict,
            ]);
        }
        table.write(out);
        let mut text = String::new();
        for one in &self.exhausted {
            if let Some(shortest) = &one.shortest {
                let steps: Vec<String> = shortest.steps.iter().map(step_words::of).collect();
                let design = format!(
                    "{}, {} under {}: {}",
                    one.model,
                    one.how.strategy.name(),
                    one.how.rules.name(),
                    steps.join("; ")
                );
                text.push('\n');
                wrap(&design, 0, 2, &mut text);
            }
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// The fields of the document behind its runs.
    pub fn push_fields(&self, wide: WideIntegers, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"explored\":");
        list(out, &self.explored, |explored, out| {
            let mut object = Object::open(out, wide);
            design(&mut object, explored.how);
            object.uint("runs", explored.runs);
            object.uint("harmful", explored.harmful);
            list(
                object.name("found"),
                &explored.found,
                |(kind, found), out| {
                    let mut object = Object::open(out, wide);
                    object.text("kind", kind.name());
                    object.uint("runs", found.runs);
                    object.uint("seed", found.seed);
                    push_scenario(&mut object, &found.smallest);
                    object.close();
                },
            );
            object.close();
        });
        out.extend_from_slice(b",\"exhausted\":");
        list(out, &self.exhausted, |exhausted, out| {
            let mut object = Object::open(out, wide);
            object.text("model", &exhausted.model);
            design(&mut object, exhausted.how);
            object.uint("schedules", exhausted.schedules);
            object.uint("depth", u64::try_from(exhausted.depth).unwrap_or(u64::MAX));
            object.boolean("isCutShort", exhausted.is_cut_short);
            match &exhausted.shortest {
                Some(shortest) => push_scenario(&mut object, shortest),
                None => object.null("scenario"),
            }
            object.close();
        });
    }
}

fn design(object: &mut Object<'_>, how: How) {
    object.text("strategy", how.strategy.name());
    object.text("rules", how.rules.name());
}

/// A scenario as a file has it. It is texts and small numbers: there is nothing that JSON cannot
/// say.
fn push_scenario(object: &mut Object<'_>, scenario: &Scenario) {
    let text = serde_json::to_string(scenario).unwrap_or_default();
    object.name("scenario").extend_from_slice(text.as_bytes());
}
