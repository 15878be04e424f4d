//! One run of the program: where its bytes and lines go, and how it will end.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use clap::ColorChoice;
use indicatif::ProgressBar;
use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::storage::damage::Damage;
use kfsck::storage::source::{Access, ReadError};

use super::Global;
use super::status::Status;

/// Writers, options of all commands, and the exit code so far.
#[derive(Debug)]
pub(super) struct Session {
    /// Standard output past the line buffer of the standard library: output comes in large
    /// pieces. `None` where the system gives no second handle of it.
    stdout: Option<File>,
    colored: bool,
    quiet: bool,
    /// How files are to be read.
    pub(super) access: Access,
    status: Status,
    /// What is drawn on the terminal meanwhile, and has to make room.
    drawn: Option<ProgressBar>,
    /// What was told while [`remembers`](Self::remember) was set, and is not told again.
    told: BTreeSet<String>,
    remembers: bool,
}

const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

impl Session {
    pub(super) fn new(global: &Global) -> Self {
        Self {
            stdout: stdout_file(),
            colored: is_colored(global.color),
            quiet: global.quiet,
            access: if global.no_mmap {
                Access::Plain
            } else {
                Access::Map
            },
            status: Status::Clean,
            drawn: None,
            told: BTreeSet::new(),
            remembers: false,
        }
    }

    /// Whether what is told from now on of files that cannot be read, and of places in files, is
    /// remembered: the files are read a second time, and what was told is not told again then.
    pub(super) fn remember(&mut self, remembers: bool) {
        self.remembers = remembers;
    }

    fn was_told(&mut self, what: String) -> bool {
        match self.remembers {
            true => !self.told.insert(what),
            false => self.told.contains(&what),
        }
    }

    /// Whether notes are not wanted.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whatever is written from now on goes around what is drawn on the terminal.
    pub(super) fn draw_around(&mut self, drawn: ProgressBar) {
        self.drawn = Some(drawn);
    }

    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// Remembers the worst that was met.
    pub(super) fn met(&mut self, status: Status) {
        self.status = self.status.max(status);
    }

    /// Ends the run with an error; a reader of our output that has gone away is none.
    pub(super) fn end_with(&mut self, error: &anyhow::Error) -> Status {
        let io = error
            .chain()
            .find_map(|cause| cause.downcast_ref::<io::Error>());
        if io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe) {
            return Status::Clean;
        }
        self.error(&format!("{error:#}"));
        self.status
    }

    /// Writes to standard output.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stdout = &mut self.stdout;
        let mut write = || match stdout {
            Some(stdout) => stdout.write_all(bytes),
            None => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
        };
        let written = match &self.drawn {
            Some(drawn) if io::stdout().is_terminal() => drawn.suspend(write),
            _ => write(),
        };
        // The system's own words do not say which stream it was.
        written.map_err(|error| io::Error::new(error.kind(), format!("standard output: {error}")))
    }

    /// Says that something could not be done.
    pub(super) fn error(&mut self, message: &dyn Display) {
        self.met(Status::Unfinished);
        let (on, off) = self.paint(RED);
        self.line(&format!("kfsck: {on}error{off}: {message}"));
    }

    /// Says that a file could not be read to its end.
    pub(super) fn read_error(&mut self, error: &ReadError) {
        let error = error.to_string();
        if !self.was_told(error.clone()) {
            self.error(&on_one_line(&error));
        }
    }

    /// Tells damage.
    pub(super) fn damage(&mut self, path: &Path, damage: &Damage) {
        let Damage {
            position,
            code,
            message,
            ..
        } = damage;
        self.finding(path, *position, code.as_str(), message);
    }

    /// Tells what is wrong at a place in a file.
    pub(super) fn finding(&mut self, path: &Path, position: u64, code: &str, message: &str) {
        self.met(Status::Found);
        if self.was_told(format!("{}:{position}:{code}", path.display())) {
            return;
        }
        let (on, off) = self.paint(RED);
        let (path, message) = (path_on_one_line(path), on_one_line(message));
        self.line(&format!(
            "{path}: position {position}: {on}{code}{off}: {message}"
        ));
    }

    /// Tells what is legal but worth knowing.
    pub(super) fn note(&mut self, path: &Path, message: &dyn Display) {
        if !self.quiet {
            let (on, off) = self.paint(YELLOW);
            let (path, message) = (path_on_one_line(path), message.to_string());
            let message = on_one_line(&message);
            self.line(&format!("{path}: {on}note{off}: {message}"));
        }
    }

    /// Warns of something in the answer.
    pub(super) fn warning(&mut self, message: &dyn Display) {
        self.met(Status::Found);
        let (on, off) = self.paint(YELLOW);
        self.line(&format!("kfsck: {on}warning{off}: {message}"));
    }

    /// Says something about the answer that is worth knowing.
    pub(super) fn remark(&mut self, message: &dyn Display) {
        if !self.quiet {
            let (on, off) = self.paint(YELLOW);
            self.line(&format!("kfsck: {on}note{off}: {message}"));
        }
    }

    /// A line on standard error. Nothing can be done when that is closed.
    pub(super) fn line(&self, line: &str) {
        let write = || {
            let _ = writeln!(io::stderr().lock(), "{}", line.trim_end_matches('\n'));
        };
        match &self.drawn {
            Some(drawn) => drawn.suspend(write),
            None => write(),
        }
    }

    fn paint(&self, color: &'static str) -> (&'static str, &'static str) {
        if self.colored {
            (color, PLAIN)
        } else {
            ("", "")
        }
    }
}

#[cfg(unix)]
fn stdout_file() -> Option<File> {
    use std::os::fd::AsFd;
    io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .ok()
        .map(File::from)
}

#[cfg(not(unix))]
fn stdout_file() -> Option<File> {
    None
}

fn is_colored(choice: ColorChoice) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR") => false,
        ColorChoice::Auto => {
            let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
            forced || io::stderr().is_terminal()
        }
    }
}
