//! The command line: one file a subcommand, which turns options into a call of the library and
//! its answer into bytes on stdout and lines on stderr.

mod completions;
mod dump_log;
mod man;
mod session;
mod status;
mod time;

use std::process::ExitCode;

use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

use session::Session;
use status::Status;

/// Read Apache Kafka's partition files offline, without a broker and without a JVM
///
/// Inputs are opened read-only, never created and never changed.
#[derive(Debug, Parser)]
#[command(
    name = "kfsck",
    version,
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
  1  damage was found
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
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the command that the arguments name.
pub(crate) fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and end with 0, wrong usage to stderr with 2.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut session = Session::new(&cli.global);
    let outcome = match cli.command {
        Command::DumpLog(command) => command.run(&mut session),
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
    let matches = command().try_get_matches()?;
    let cli = Cli::from_arg_matches(&matches)?;
    if let Command::DumpLog(dump) = &cli.command {
        dump.validate().map_err(|error| {
            let mut root = command();
            root.build();
            // The usage line of the command itself says what is missing.
            match root.find_subcommand_mut("dump-log") {
                Some(command) => error.format(command),
                None => error,
            }
        })?;
    }
    Ok(cli)
}

/// The definition of the whole command line, for help, completions and manual pages.
fn command() -> clap::Command {
    Cli::command()
}
