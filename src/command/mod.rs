//! The command line: one file a subcommand, which turns options into a call of the library and
//! its answer into bytes on stdout and lines on stderr.

mod check;
mod check_run;
mod cluster;
mod codes;
mod compare;
mod completions;
mod coordinators;
mod designs;
mod dump_log;
mod expiry;
mod explain;
mod groups;
mod in_order;
mod inspect_snapshot;
mod man;
mod metadata_partition;
mod number;
mod only_producers;
mod output;
mod partition_files;
mod pid;
mod producers;
mod progress;
mod repair;
mod repair_coordinators;
mod repair_options;
mod repair_producers;
mod repair_progress;
mod repair_replicas;
mod repair_tally;
mod result_check;
mod rules;
mod scenarios;
mod session;
mod simulate_chain;
mod simulate_search;
mod snapshot_dump;
mod snapshot_findings;
mod snapshot_turns;
mod status;
mod time;
mod top;
mod txns;
mod txns_gathering;
mod txns_reading;

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

use session::Session;
use status::Status;

/// Read Apache Kafka's partition files offline, without a broker and without a JVM
///
/// Inputs are opened read-only, never created and never changed, but by `repair --in-place`.
#[derive(Debug, Parser)]
#[command(
    name = "kfsck",
    version,
    propagate_version = true,
    args_override_self = true,
    max_term_width = 100,
    subcommand_required = true
)]
#[command(arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing wrong
  1  an error or a warning was found: damage, a collision, a transaction that hangs or may
     hang, logs that differ; or a simulation came out otherwise than expected; a note never
     counts
  2  wrong usage; nothing was read
  3  could not finish: an input is missing or unreadable, or I/O failed
The highest that applies counts. A closed pipe ends quietly with 0.";

/// Options that every command takes.
#[derive(Debug, Args)]
struct Global {
    /// Colour on stderr; auto heeds NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    color: ColorChoice,

    /// No notes on stderr, only damage and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,

    /// End with 0 where the exit code would be 1
    #[arg(long, global = true, help_heading = "Global options")]
    exit_zero: bool,

    /// Read files piece by piece instead of mapping them into memory
    #[arg(long, global = true, help_heading = "Global options")]
    no_mmap: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    DumpLog(Box<dump_log::DumpLog>),
    InspectSnapshot(Box<inspect_snapshot::InspectSnapshot>),
    Producers(Box<producers::Producers>),
    Txns(Box<txns::Txns>),
    Repair(Box<repair::Repair>),
    Pid(pid::Pid),
    SimulateChain(Box<simulate_chain::SimulateChain>),
    Check(Box<check::Check>),
    Explain(explain::Explain),
    Compare(Box<compare::Compare>),
    Cluster(cluster::Cluster),
    Groups(groups::GroupsCommand),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the command that the arguments name.
pub(crate) fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            return tell(&error);
        }
    };
    let mut session = Session::new(&cli.global);
    let outcome = match cli.command {
        Command::DumpLog(command) => command.run(&mut session),
        Command::InspectSnapshot(command) => command.run(&mut session),
        Command::Producers(command) => command.run(&mut session),
        Command::Txns(command) => command.run(&mut session),
        Command::Repair(command) => command.run(&mut session),
        Command::Pid(command) => command.run(&mut session),
        Command::SimulateChain(command) => command.run(&mut session),
        Command::Check(command) => command.run(&mut session),
        Command::Explain(command) => command.run(&mut session),
        Command::Compare(command) => command.run(&mut session),
        Command::Cluster(command) => command.run(&mut session),
        Command::Groups(command) => command.run(&mut session),
        Command::Completions(command) => command.run(&mut session),
        Command::Man(command) => command.run(&mut session),
    };
    let status = match outcome {
        Ok(()) => session.status(),
        Err(error) => session.end_with(&error),
    };
    ExitCode::from(match status {
        Status::Found if cli.global.exit_zero => 0,
        status => status.code(),
    })
}

fn parse() -> Result<Cli, clap::Error> {
    let arguments: Vec<_> = env::args_os().map(dump_log::without_true).collect();
    let mut command = command().color(asked_color(&arguments));
    let matches = command.try_get_matches_from_mut(arguments)?;
    let cli = Cli::from_arg_matches(&matches)?;
    cli.command.validate().map_err(|(names, error)| {
        // With the usage of that command.
        let asked = names
            .iter()
            .try_fold(&mut command, |above, name| above.find_subcommand_mut(name));
        match asked {
            Some(asked) => error.format(asked),
            None => error,
        }
    })?;
    Ok(cli)
}

impl Command {
    /// What clap cannot tell by itself, with the names of the command that it concerns.
    fn validate(&self) -> Result<(), (&'static [&'static str], clap::Error)> {
        match self {
            Self::DumpLog(dump) => dump
                .validate()
                .map_err(|error| (["dump-log"].as_slice(), error)),
            Self::InspectSnapshot(inspect) => inspect
                .validate()
                .map_err(|error| (["inspect-snapshot"].as_slice(), error)),
            Self::Producers(producers) => producers
                .validate()
                .map_err(|error| (["producers"].as_slice(), error)),
            Self::Txns(txns) => txns
                .validate()
                .map_err(|error| (["txns"].as_slice(), error)),
            Self::Check(check) => check
                .validate()
                .map_err(|error| (["check"].as_slice(), error)),
            Self::Pid(pid) => pid.validate(),
            Self::SimulateChain(simulate) => simulate
                .validate()
                .map_err(|error| (["simulate-chain"].as_slice(), error)),
            Self::Repair(repair) => repair.validate(),
            Self::Compare(compare) => compare
                .validate()
                .map_err(|error| (["compare"].as_slice(), error)),
            Self::Cluster(_)
            | Self::Groups(_)
            | Self::Explain(_)
            | Self::Completions(_)
            | Self::Man(_) => Ok(()),
        }
    }
}

/// What `--color` says, for errors that are found before the options are known.
fn asked_color(arguments: &[OsString]) -> ColorChoice {
    let mut asked = ColorChoice::Auto;
    let mut is_value = false;
    for argument in arguments.iter().filter_map(|argument| argument.to_str()) {
        let value = if is_value {
            Some(argument)
        } else {
            argument.strip_prefix("--color=")
        };
        asked = value.and_then(|value| value.parse().ok()).unwrap_or(asked);
        is_value = argument == "--color";
    }
    // clap would take a 0 for a wish.
    let not_forced = env::var_os("CLICOLOR_FORCE").is_some_and(|value| value == "0");
    if asked == ColorChoice::Auto && not_forced && !io::stderr().is_terminal() {
        asked = ColorChoice::Never;
    }
    asked
}

/// Help and version go to stdout and end with 0, wrong usage to stderr with 2.
fn tell(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(refused) if !error.use_stderr() && refused.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "kfsck: error: standard output: {refused}");
            ExitCode::from(Status::Unfinished.code())
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// The definition of the whole command line, for help, completions and manual pages.
fn command() -> clap::Command {
    Cli::command()
}
