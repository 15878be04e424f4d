//! The scenarios that a command line names: built-in ones and files.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kfsck::report::one_line::{on_one_line, path_on_one_line};
use kfsck::report::shell_word::shell_word;
use kfsck::simulate::builtin;
use kfsck::simulate::scenario::{Scenario, ScenarioError, locate, read};
use kfsck::storage::source::ReadError;

use super::session::Session;

/// The longest scenario file, in bytes: a device without end is no scenario.
const MOST: u64 = 1 << 20;

/// A scenario with the text that errors are located in.
#[derive(Debug)]
pub(super) struct Chosen {
    /// The scenario.
    pub(super) scenario: Scenario,
    /// What the command line says to choose it, quoted for a shell.
    pub(super) argument: String,
    place: String,
    text: Cow<'static, str>,
}

impl Chosen {
    /// What is wrong with a step, with file and line.
    pub(super) fn located(&self, error: ScenarioError) -> String {
        described(&self.place, &locate(error, &self.text))
    }
}

fn described(place: &str, error: &ScenarioError) -> String {
    on_one_line(&format!("{place}: {error}")).into_owned()
}

/// All scenarios that can be read, built-in ones first; the others are told as errors.
pub(super) fn choose(builtins: &[String], paths: &[PathBuf], session: &mut Session) -> Vec<Chosen> {
    let is_all = builtins.iter().any(|name| name == "all");
    let named = builtin::ALL
        .iter()
        .filter(|(name, _)| is_all || builtins.iter().any(|one| one == name));
    let mut chosen = Vec::new();
    for (name, text) in named {
        let argument = format!("--builtin {name}");
        parse(name, argument, Cow::Borrowed(*text), session, &mut chosen);
    }
    for path in paths {
        match read_text(path) {
            Ok(text) => {
                let argument = shell_word(&path.to_string_lossy());
                parse(
                    &path_on_one_line(path),
                    argument,
                    Cow::Owned(text),
                    session,
                    &mut chosen,
                );
            }
            Err(Unread::System(error)) => session.read_error(&error),
            Err(Unread::Text(problem)) => {
                session.error(&format!("{}: {problem}", path_on_one_line(path)));
            }
        }
    }
    chosen
}

fn parse(
    place: &str,
    argument: String,
    text: Cow<'static, str>,
    session: &mut Session,
    chosen: &mut Vec<Chosen>,
) {
    match read(&text) {
        Ok(scenario) => chosen.push(Chosen {
            scenario,
            argument,
            place: place.to_owned(),
            text,
        }),
        Err(error) => session.error(&described(place, &error)),
    }
}

enum Unread {
    System(ReadError),
    Text(String),
}

fn read_text(path: &Path) -> Result<String, Unread> {
    let open_error = |reason| {
        let path = path.to_owned();
        Unread::System(ReadError::Open { path, reason })
    };
    let bytes = if path.as_os_str() == "-" {
        read_bytes(io::stdin().lock())
    } else {
        let file = File::open(path).map_err(open_error)?;
        if file.metadata().map_err(open_error)?.is_dir() {
            let path = path.to_owned();
            return Err(Unread::System(ReadError::Directory { path }));
        }
        read_bytes(file)
    };
    let bytes = bytes.map_err(|reason| {
        let (path, position) = (path.to_owned(), 0);
        Unread::System(ReadError::Read {
            path,
            position,
            reason,
        })
    })?;
    if bytes.len() > usize::try_from(MOST).unwrap_or(usize::MAX) {
        let problem = format!("is longer than {MOST} bytes, the most that a scenario may have");
        return Err(Unread::Text(problem));
    }
    String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        Unread::Text(format!("is no JSON: not UTF-8 at position {position}"))
    })
}

fn read_bytes(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MOST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
