//! `kfsck simulate-chain`: scenarios of mirrored clusters run under the designs of KIP-1279.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use kfsck::report::simulation::comparison::Comparison;
use kfsck::report::simulation::{View, builtins, diagram, json, outcome, trace};
use kfsck::simulate::builtin;
use kfsck::simulate::run::{How, Run, run};
use kfsck::simulate::scenario::Verdict;

use super::designs::{DesignOptions, Pair};
use super::number::{COUNT, number};
use super::output::OutputOptions;
use super::partition_files::one_standard_input;
use super::scenarios::{Chosen, choose};
use super::session::Session;

/// Run scenarios of mirrored clusters under each design of producer ids, and show what breaks
///
/// Clusters mirror partitions to each other, fail over, fail back, crash. Every replica keeps its
/// producer state by the code that reads real logs; who wrote what is known beside it, so each
/// lost, doubled, refused or corrupted write shows, whatever the design hides from brokers. One
/// scenario under one strategy is shown in full, more of them as a table. Nothing is read but
/// scenario files, and nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kfsck simulate-chain --builtin all
  kfsck simulate-chain --builtin chain-negation --strategy negate --trace
  kfsck simulate-chain mine.json --strategy barrier --expect safe")]
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
        if self.scenarios.is_empty() && self.builtin.is_empty() && !self.list {
            let kind = ErrorKind::MissingRequiredArgument;
            let message = "expected SCENARIO or --builtin NAME; --list shows the names";
            return Err(clap::Error::raw(kind, message));
        }
        let conflict = |message| Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
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

    fn replay(&self, chosen: &Chosen, (strategy, rules): Pair) -> String {
        format!(
            "kfsck simulate-chain {} --strategy {} --rules {} --seed {}",
            chosen.argument,
            strategy.name(),
            rules.name(),
            self.seed
        )
    }
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
        let replay = self.options.replay(chosen, (run.strategy(), run.rules()));
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
