//! Runs the binary and keeps what it said.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

impl Run {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The lines on stderr that tell damage, without the path in front.
    pub(crate) fn damage(&self) -> Vec<&str> {
        self.stderr
            .lines()
            .filter_map(|line| line.split_once(": position ").map(|(_, told)| told))
            .collect()
    }
}

/// The binary under test, in `directory`, with nothing on its standard input.
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kfsck"));
    command
        .current_dir(directory)
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

/// `kfsck dump-log ARGUMENTS...` in `directory`.
pub(crate) fn dump<A: AsRef<str>>(directory: &Path, arguments: &[A]) -> Run {
    command(directory)
        .arg("dump-log")
        .args(arguments.iter().map(AsRef::as_ref))
        .output()
        .unwrap()
        .into()
}

/// `kfsck dump-log ARGUMENTS... -` with `input` through a pipe.
pub(crate) fn dump_piped<A: AsRef<str>>(input: &[u8], arguments: &[A]) -> Run {
    let mut child = command(Path::new("."))
        .arg("dump-log")
        .args(arguments.iter().map(AsRef::as_ref))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap().into()
    })
}

/// The dump of bytes that lie in a file of this name.
pub(crate) fn dump_bytes(name: &str, bytes: &[u8], arguments: &[&str]) -> Run {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), bytes).unwrap();
    dump(directory.path(), &[&[name], arguments].concat())
}
