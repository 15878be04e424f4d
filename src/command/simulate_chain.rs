//! `kfsck simulate-chain`: scenarios of mirrored clusters run under the designs of KIP-1279.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::report::measure;
use kfsck::report::simulation::comparison::Comparison;
use kfsck::report::simulation::{View, builtins, diagram, json, outcome, trace};
use kfsck::simulate::builtin;
use kfsck::simulate::run::{How, Run, run};
use kfsck::simulate::scenario::Verdict;
use kfsck::simulate::write_logs::write_logs;

use super::designs::{DesignOptions, Pair};
use super::number::{COUNT, number};
use super::output::OutputOptions;
use super::partition_files::one_standard_input;
use super::scenarios::{Chosen, choose};
use super::session::Session;
use super::simulate_search::SearchOptions;

/// Run scenarios of mirrored clusters under each design of producer ids, and show what breaks
///
/// Clusters mirror partitions to each other, fail over, fail back, crash. Every replica keeps its
/// producer state by the code that reads real logs; who wrote what is known beside it, so each
/// lost, doubled, refused or corrupted write shows, whatever the design hides from brokers. One
/// scenario under one strategy is shown in full, more of them as a table. Nothing is read but
/// scenario files; nothing is written but what --write-logs asks for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck simulate-chain --builtin all
  kfsck simulate-chain --builtin chain-negation --strategy negate --trace
  kfsck simulate-chain mine.json --strategy barrier --expect safe
  kfsck simulate-chain --explore 1000 --strategy barrier
  kfsck simulate-chain --builtin chain --strategy barrier --write-logs out")]
pub(super) struct SimulateChain {
    /// Scenario files in JSON; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,

    /// Scenarios that come with the program, or `all`
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = builtin_names())]
    #[arg(hide_possible_values = true)]
    builtin: Vec<String>,

    /// List the scenarios that come with the program
    #[arg(long, conflicts_with_all = ["scenarios", "builtin", "expect", "trace", "diagram"])]
    list: bool,

    #[command(flatten)]
    designs: DesignOptions,

    /// The seed of what is random: the same seed gives the same bytes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>(COUNT))]
    #[arg(allow_negative_numbers = true)]
    seed: u64,

    /// End with 1 unless every run comes out like this
    #[arg(long, value_enum, value_name = "VERDICT")]
    expect: Option<Expected>,

    /// Tell each run step by step
    #[arg(long, conflicts_with = "diagram")]
    trace: bool,

    /// Draw the run as a Mermaid sequence diagram; needs one scenario and one design
    #[arg(long)]
    diagram: bool,

    /// Write each run's replicas as log directories below DIR, as brokers would leave them
    #[arg(long, value_name = "DIR")]
    write_logs: Option<PathBuf>,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Expected {
    /// No harm
    Safe,
}

fn builtin_names() -> PossibleValuesParser {
    let names = builtin::ALL.iter().map(|(name, _)| *name);
    PossibleValuesParser::new(["all"].into_iter().chain(names))
}

impl SimulateChain {
    /// What clap cannot tell by itself.
    pub(super) fn validate(&self) -> Result<(), clap::Error> {
        one_standard_input(&self.scenarios)?;
        let conflict = |message| Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
        let has_scenarios = !self.scenarios.is_empty() || !self.builtin.is_empty();
        let is_search = self.search.is_any();
        if is_search && (has_scenarios || self.list || self.trace || self.diagram) {
            return conflict(
                "--explore and --exhaustive make their own scenarios: leave SCENARIO, --builtin, \
                 --list, --trace and --diagram out",
            );
        }
        if !has_scenarios && !self.list && !is_search {
            let kind = ErrorKind::MissingRequiredArgument;
            let message = "expected SCENARIO, --builtin NAME, --explore RUNS or --exhaustive \
                           DEPTH; --list shows the names";
            return Err(clap::Error::raw(kind, message));
        }
        if self.write_logs.is_some() && (is_search || self.list || self.designs.has_repeats()) {
            return conflict(
                "--write-logs writes the runs of scenarios, one directory a strategy: name \
                 scenarios and at most one of --rules",
            );
        }
        if self.output.json().is_some() && (self.trace || self.diagram) {
            return conflict("--trace and --diagram are texts: leave --format json out");
        }
        if self.diagram && !self.is_one_run() {
            return conflict(
                "--diagram draws one run: name one scenario, one --strategy and at most one of \
                 --rules",
            );
        }
        Ok(())
    }

    fn is_one_run(&self) -> bool {
        let named = self.scenarios.len() + self.builtin.len();
        named == 1 && self.builtin != ["all"] && self.designs.pairs().len() == 1
    }

    pub(super) fn run(&self, session: &mut Session) -> anyhow::Result<()> {
        if self.list {
            let list = match self.output.json() {
                Some(wide) => builtins::json(wide)?,
                None => builtins::text()?,
            };
            return Ok(session.write(&list)?);
        }
        if self.search.is_any() {
            return self.run_search(session);
        }
        let chosen = choose(&self.builtin, &self.scenarios, session);
        let mut answer = Answer::new(self);
        session.write(&answer.head())?;
        for one in &chosen {
            answer.scenario(one);
            self.run_all(one, &mut answer, session)?;
        }
        Ok(session.write(&answer.tail())?)
    }

    /// Runs a scenario under every design.
    fn run_all(
        &self,
        chosen: &Chosen,
        answer: &mut Answer<'_>,
        session: &mut Session,
    ) -> anyhow::Result<()> {
        let pairs = self.designs.pairs();
        let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (strategy, rules) in &pairs {
            let how = How {
                strategy: *strategy,
                rules: *rules,
                seed: self.seed,
                is_traced: self.trace || self.diagram,
            };
            let design = format!("{} under {}", strategy.name(), rules.name());
            match run(&chosen.scenario, how) {
                Ok(run) => {
                    self.tell_broken(&run, &design, session);
                    self.write_run(&run, session);
                    session.write(&answer.run(chosen, &run))?;
                }
                Err(error) => failed
                    .entry(chosen.located(error))
                    .or_default()
                    .push(design),
            }
        }
        for (problem, designs) in failed {
            let whose = match designs.len() == pairs.len() {
                true => String::new(),
                false => format!(" ({})", designs.join(", ")),
            };
            session.error(&format!("{problem}{whose}"));
        }
        Ok(())
    }

    /// Writes the logs of a run, if that was asked for.
    fn write_run(&self, run: &Run, session: &mut Session) {
        let Some(directory) = &self.write_logs else {
            return;
        };
        match write_logs(run, directory) {
            Ok(written) => {
                let mut below = directory.join(&run.scenario);
                below.push(run.strategy().name());
                let count = u64::try_from(written.len()).unwrap_or(u64::MAX);
                session.note(
                    &below,
                    &format!("holds the logs of {}", measure::count(count, "replica")),
                );
            }
            Err(error) => session.error(&format!("--write-logs: {error}")),
        }
    }

    fn run_search(&self, session: &mut Session) -> anyhow::Result<()> {
        let pairs = self.designs.pairs().into_iter();
        let how = |(strategy, rules)| How {
            strategy,
            rules,
            seed: self.seed,
            is_traced: false,
        };
        let designs: Vec<How> = pairs.map(how).collect();
        let is_one_design = designs.len() == 1;
        let searched = self.search.search(&designs);
        if self.expect == Some(Expected::Safe) && searched.found_harm() {
            session.warning(&"the search found harm, expected none (--expect)");
        }
        let Some(wide) = self.output.json() else {
            return Ok(session.write(&searched.text(is_one_design))?);
        };
        session.write(&json::head(self.seed, wide))?;
        let mut between = "";
        for (scenario, how) in searched.smallest() {
            // It ran before, when it was found.
            let Ok(run) = run(scenario, how) else {
                continue;
            };
            let argument = format!("{}.json", scenario.name);
            let view = View {
                scenario,
                run: &run,
                seed: how.seed,
                replay: &replay(&argument, (how.strategy, how.rules), how.seed),
            };
            session.write(between.as_bytes())?;
            session.write(&json::run(&view, wide))?;
            between = ",";
        }
        let mut tail = b"]".to_vec();
        searched.push_fields(wide, &mut tail);
        tail.extend_from_slice(b"}\n");
        Ok(session.write(&tail)?)
    }

    fn tell_broken(&self, run: &Run, design: &str, session: &mut Session) {
        let mut broken = run.broken.clone();
        if self.expect == Some(Expected::Safe) && run.verdict() != Verdict::Safe {
            broken.push("unsafe, expected safe (--expect)".to_owned());
        }
        for text in broken {
            let text = format!("{}: {design}: {text}", run.scenario);
            session.warning(&kfsck::report::one_line::on_one_line(&text));
        }
    }
}

/// The command line that repeats a run.
fn replay(argument: &str, (strategy, rules): Pair, seed: u64) -> String {
    format!(
        "kfsck simulate-chain {argument} --strategy {} --rules {} --seed {seed}",
        strategy.name(),
        rules.name(),
    )
}

/// What is written, in the form that was asked for.
struct Answer<'a> {
    options: &'a SimulateChain,
    form: Form,
    runs: usize,
}

enum Form {
    Json(kfsck::report::json::WideIntegers),
    Trace,
    Diagram,
    Outcome,
    Comparison(Comparison),
}

impl<'a> Answer<'a> {
    fn new(options: &'a SimulateChain) -> Self {
        let form = match options.output.json() {
            Some(wide) => Form::Json(wide),
            None if options.trace => Form::Trace,
            None if options.diagram => Form::Diagram,
            None if options.is_one_run() => Form::Outcome,
            None => Form::Comparison(Comparison::default()),
        };
        Self {
            options,
            form,
            runs: 0,
        }
    }

    fn head(&self) -> Vec<u8> {
        match self.form {
            Form::Json(wide) => json::head(self.options.seed, wide),
            _ => Vec::new(),
        }
    }

    fn scenario(&mut self, chosen: &Chosen) {
        if let Form::Comparison(comparison) = &mut self.form {
            comparison.scenario(&chosen.scenario);
        }
    }

    fn run(&mut self, chosen: &Chosen, run: &Run) -> Vec<u8> {
        let design = (run.strategy(), run.rules());
        let replay = replay(&chosen.argument, design, self.options.seed);
        let view = View {
            scenario: &chosen.scenario,
            run,
            seed: self.options.seed,
            replay: &replay,
        };
        let is_first = self.runs == 0;
        self.runs += 1;
        let (between, answer) = match &mut self.form {
            Form::Json(wide) => (",", json::run(&view, *wide)),
            Form::Trace => ("\n", trace::text(&view)),
            Form::Diagram => ("", diagram::text(&view)),
            Form::Outcome => ("", outcome::text(&view)),
            Form::Comparison(comparison) => {
                comparison.run(run);
                return Vec::new();
            }
        };
        match is_first {
            true => answer,
            false => [between.as_bytes(), &answer].concat(),
        }
    }

    fn tail(&self) -> Vec<u8> {
        match &self.form {
            Form::Json(_) => json::TAIL.to_vec(),
            Form::Comparison(comparison) => {
                comparison.text(&self.options.designs.tables(), self.options.seed)
            }
            _ => Vec::new(),
        }
    }
}
