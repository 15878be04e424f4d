//! The `kfsck` binary: reads the command line, runs one command, ends with its exit code.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
