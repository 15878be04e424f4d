//! Runs the binary as a user would, and finds or copies the inputs it is given.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// No run in these tests takes a second; one that takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// One run of the binary, being prepared. Its environment says nothing about colour.
pub(crate) struct Run(Command);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::with(Command::new(Self::binary()), args)
    }

    /// Runs `sh -c SCRIPT` with the binary as `$0` and `args` as `$@`.
    pub(crate) fn in_shell(script: &str, args: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(Self::binary());
        Self::with(shell, args)
    }

    pub(crate) fn binary() -> &'static Path {
        Path::new(env!("CARGO_BIN_EXE_kfsck"))
    }

    fn with<S: AsRef<OsStr>>(mut command: Command, args: impl IntoIterator<Item = S>) -> Self {
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.args(args);
        Self(command)
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.0.arg(arg);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn dir(mut self, directory: &Path) -> Self {
        self.0.current_dir(directory);
        self
    }

    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.0.stdout(stdout);
        self
    }

    /// As a user whom permissions bind: tests may run as root.
    pub(crate) fn unprivileged(mut self) -> Self {
        const NOBODY: u32 = 65534;
        if permissions_do_not_bind() {
            std::os::unix::process::CommandExt::uid(&mut self.0, NOBODY);
        }
        self
    }

    /// Starts it with its output in pipes and nothing to read.
    pub(crate) fn start(mut self) -> Child {
        self.0.stdin(Stdio::null());
        self.0.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.0.spawn().expect("the binary is built")
    }

    pub(crate) fn outcome(self) -> Outcome {
        self.outcome_with(Vec::new())
    }

    pub(crate) fn outcome_with(self, stdin: Vec<u8>) -> Outcome {
        let shown = format!("{:?}", self.0);
        let output = assert_cmd::Command::from_std(self.0)
            .timeout(PATIENCE)
            .write_stdin(stdin)
            .output()
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        Outcome {
            code: code.unwrap_or_else(|| panic!("{shown}: {}\n{stderr}", output.status)),
            stdout: output.stdout,
            stderr,
        }
    }
}

impl Outcome {
    /// Fails unless it ended with `code`.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.stderr);
        self
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("output is UTF-8")
    }

    /// The lines of `--format jsonl`.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.text().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
            .collect()
    }

    /// The objects of one type.
    pub(crate) fn of_type(&self, kind: &str) -> Vec<Value> {
        let mut objects = self.objects();
        objects.retain(|object| object["type"] == kind);
        objects
    }
}

/// `kfsck dump-log ARG..`
pub(crate) fn dump_log<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    args.into_iter().fold(Run::new(["dump-log"]), Run::arg)
}

/// `kfsck dump-log --format jsonl ARG..`
pub(crate) fn dump_jsonl<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let run = Run::new(["dump-log", "--format", "jsonl"]);
    args.into_iter().fold(run, Run::arg)
}

/// What `kfsck dump-log ARG..` prints for a sound input.
pub(crate) fn printed<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Vec<u8> {
    dump_log(args).outcome().ended_with(0).stdout
}

/// Whether this user reads what nobody may.
fn permissions_do_not_bind() -> bool {
    let file = tempfile::NamedTempFile::new().unwrap();
    set_mode(file.path(), 0o000);
    fs::File::open(file.path()).is_ok()
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(path, mode).unwrap();
}

/// A path below `testdata/kafka`.
pub(crate) fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/kafka")
        .join(path)
}

/// A directory that every user may enter, with copies of files below `testdata/kafka`.
pub(crate) fn copies(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    set_mode(directory.path(), 0o755);
    for (from, to) in files {
        let to = directory.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(testdata(from), to).unwrap();
    }
    directory
}

/// Copies a directory below `testdata/kafka`, whatever lies in it.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// What lies below a directory: each file's bytes and time, each directory's time.
pub(crate) fn state(root: &Path) -> BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let bytes = metadata.is_file().then(|| fs::read(&path).unwrap());
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        }
        found.insert(path, (metadata.modified().unwrap(), bytes));
    }
    found
}
