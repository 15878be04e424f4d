//! Where the cases lie, and calls of the oracle.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::corpus;

/// The cases of a kind, `load` or `append`: those in the repository, and behind them those below
/// the directory that `KFSCK_STATES` names.
pub(crate) fn all(kind: &str) -> Vec<PathBuf> {
    let committed = root().join("testdata/state").join(kind);
    let mut found = below(&committed);
    assert!(found.len() >= 15, "{} cases in {committed:?}", found.len());
    if let Some(fresh) = std::env::var_os("KFSCK_STATES") {
        let fresh = below(&Path::new(&fresh).join(kind));
        assert!(fresh.len() >= 500, "only {} fresh cases", fresh.len());
        found.extend(fresh);
    }
    found
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let scripts = corpus::files(directory)
        .into_iter()
        .filter(|path| path.ends_with("script.txt"));
    scripts
        .map(|path| path.parent().unwrap().to_owned())
        .collect()
}

/// The lines of a case's script.
pub(crate) fn script(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case.join("script.txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The value of a name in the line of an operation, where the script has both.
pub(crate) fn setting(script: &[String], operation: &str, name: &str) -> Option<String> {
    let line = script
        .iter()
        .find(|line| line.split_whitespace().next() == Some(operation))?;
    let mut words = line.split_whitespace();
    let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
    Some(value.to_owned())
}

/// Has the oracle build and answer scripts; gives the directories of the cases. A script that has
/// no meaning any more (it lost a line that others need) is a case without an answer.
pub(crate) fn answer(scripts: &[Vec<String>], directory: &Path) -> Vec<PathBuf> {
    if directory.exists() {
        fs::remove_dir_all(directory).unwrap();
    }
    let cases: Vec<PathBuf> = (0..scripts.len())
        .map(|number| directory.join(format!("{number:05}")))
        .collect();
    for (case, script) in cases.iter().zip(scripts) {
        fs::create_dir_all(case).unwrap();
        fs::write(case.join("script.txt"), script.join("\n") + "\n").unwrap();
    }
    let oracle = Command::new(root().join("oracle/run"))
        .args(["state-answer", "--keep-going", "--in"])
        .arg(directory)
        .arg("--out")
        .arg(directory)
        .status();
    assert!(oracle.unwrap().success(), "the oracle has an answer");
    cases
}
